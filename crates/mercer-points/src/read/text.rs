//! From bytes to text, and from a place in it to a line number.

use super::ReadError;

/// The bytes as text, without a byte order mark; an error names the line.
pub(super) fn decode<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str, ReadError> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        let found = "a byte order mark of UTF-16".to_owned();
        return Err(ReadError::NotUtf8 { file: file.to_owned(), line: 1, found });
    }
    let bytes = bytes.strip_prefix(&[0xef, 0xbb, 0xbf]).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let found = format!("byte 0x{:02x}", bytes[at]);
        ReadError::NotUtf8 { file: file.to_owned(), line: line_at(bytes, at), found }
    })?;
    if let Some(at) = bytes.iter().position(|&b| b == 0) {
        return Err(ReadError::Nul { file: file.to_owned(), line: line_at(bytes, at) });
    }
    if text.trim().is_empty() {
        return Err(ReadError::Empty { file: file.to_owned() });
    }
    Ok(text)
}

/// The number of the line that holds the byte, from 1; lines end in `\n`, or all of them in `\r`.
pub(super) fn line_at(bytes: &[u8], at: usize) -> usize {
    let before = &bytes[..at.min(bytes.len())];
    let end = if bytes.contains(&b'\n') { b'\n' } else { b'\r' };
    1 + before.iter().filter(|&&b| b == end).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_stripped_and_other_encodings_refused_with_the_line() {
        assert_eq!(decode(b"\xef\xbb\xbfa,b\n", "f"), Ok("a,b\n"));
        let error = decode(b"a\nb\n\xe9t\xe9\n", "f").unwrap_err().to_string();
        assert_eq!(error, "f, line 3: not UTF-8 text (byte 0xe9); save the file as UTF-8");
        assert!(decode(b"\xff\xfea\0", "f").unwrap_err().to_string().contains("UTF-16"));
        assert_eq!(decode(b"a\nb\0", "f"), Err(ReadError::Nul { file: "f".into(), line: 2 }));
        assert_eq!(decode(b" \r\n\n", "f"), Err(ReadError::Empty { file: "f".into() }));
    }

    #[test]
    fn lines_are_counted_with_any_line_end() {
        assert_eq!(line_at(b"a\r\nb\r\nc", 6), 3);
        assert_eq!(line_at(b"a\rb\rc", 4), 3);
        assert_eq!(line_at(b"a", 99), 1);
    }
}

//! The format of a source, from its name or else from its first bytes.

use super::Format;

/// How many bytes of a source are looked at.
pub(super) const SAMPLE: usize = 1 << 16;

/// The format that the file name promises, if it promises one; `.gz` at the end is passed over.
pub(super) fn format_of_name(name: &str) -> Option<Format> {
    let name = name.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    match name.rsplit_once('.')?.1 {
        "csv" => Some(Format::Csv),
        "tsv" | "tab" => Some(Format::Tsv),
        "svm" | "libsvm" | "svmlight" => Some(Format::Libsvm),
        "npy" => Some(Format::Npy),
        _ => None,
    }
}

/// The format that the first bytes look like; separated values if they look like nothing else.
pub(super) fn format_of_content(head: &[u8]) -> Format {
    if head.starts_with(b"\x93NUMPY") {
        return Format::Npy;
    }
    let text = String::from_utf8_lossy(head);
    let whole = head.len() < SAMPLE;
    let lines: Vec<&str> = text.lines().collect();
    // The last line of a sample may be cut in the middle.
    let complete = if whole || lines.len() < 2 { &lines[..] } else { &lines[..lines.len() - 1] };
    let rows = complete.iter().map(|line| line.split('#').next().unwrap_or("").trim());
    let (mut pairs, mut others) = (0, 0);
    for token in rows.filter(|row| !row.is_empty()).take(20).flat_map(|row| row.split_whitespace().skip(1)) {
        *(if is_pair(token) { &mut pairs } else { &mut others }) += 1;
    }
    if pairs > others { Format::Libsvm } else { Format::Csv }
}

/// What a source is compressed with, if it is something that is not unpacked here.
pub(super) fn foreign_compression(head: &[u8]) -> Option<&'static str> {
    const MAGIC: [(&[u8], &str); 5] = [
        (b"\x28\xb5\x2f\xfd", "zstd"),
        (b"PK\x03\x04", "zip (or .npz, .xlsx)"),
        (b"\xfd7zXZ\0", "xz"),
        (b"7z\xbc\xaf\x27\x1c", "7z"),
        (b"\x89HDF\r\n\x1a\n", "HDF5"),
    ];
    MAGIC.iter().find(|(magic, _)| head.starts_with(magic)).map(|&(_, with)| with)
}

fn is_pair(token: &str) -> bool {
    token.split_once(':').is_some_and(|(index, value)| {
        !value.is_empty() && (index == "qid" || index.parse::<u64>().is_ok()) && value.parse::<f64>().is_ok()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_the_format() {
        assert_eq!(format_of_name("a/b.csv"), Some(Format::Csv));
        assert_eq!(format_of_name("B.TSV.GZ"), Some(Format::Tsv));
        assert_eq!(format_of_name("x.svm"), Some(Format::Libsvm));
        assert_eq!(format_of_name("k.npy"), Some(Format::Npy));
        for open in ["x.data", "x.txt", "a9a", "a9a.t", "-", ""] {
            assert_eq!(format_of_name(open), None);
        }
    }

    #[test]
    fn content_tells_the_format() {
        assert_eq!(format_of_content(b"\x93NUMPY\x01\0"), Format::Npy);
        assert_eq!(format_of_content(b"# made by\n+1 1:0.5 3:1\n-1\n"), Format::Libsvm);
        assert_eq!(format_of_content(b"setosa qid:3 7:1e-3"), Format::Libsvm);
        assert_eq!(format_of_content(b"a,b\n1,2\n"), Format::Csv);
        assert_eq!(format_of_content(b"12:30 13:45\n"), Format::Libsvm);
        assert_eq!(format_of_content(b"time 12:30:11\n"), Format::Csv);
        assert_eq!(format_of_content(b""), Format::Csv);
        assert_eq!(foreign_compression(b"PK\x03\x04..."), Some("zip (or .npz, .xlsx)"));
        assert_eq!(foreign_compression(b"1,2"), None);
    }
}

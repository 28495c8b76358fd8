//! The types of elements that are read, and how each becomes an `f64`.

use crate::read::NpyProblem;

/// A type of element, little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Element {
    F4,
    F8,
    Bool,
    /// Signed, of that many bytes.
    Signed(usize),
    /// Unsigned, of that many bytes.
    Unsigned(usize),
}

impl Element {
    /// From NumPy's spelling, such as `<f8`.
    pub(super) fn parse(descr: &str) -> Result<Self, NpyProblem> {
        let refused = || NpyProblem::Type(descr.chars().filter(|c| !c.is_control()).take(40).collect());
        let (order, kind) = descr.split_at_checked(1).ok_or_else(refused)?;
        let element = match kind {
            "f4" => Self::F4,
            "f8" => Self::F8,
            "b1" => Self::Bool,
            "i1" => Self::Signed(1),
            "i2" => Self::Signed(2),
            "i4" => Self::Signed(4),
            "i8" => Self::Signed(8),
            "u1" => Self::Unsigned(1),
            "u2" => Self::Unsigned(2),
            "u4" => Self::Unsigned(4),
            "u8" => Self::Unsigned(8),
            _ => return Err(refused()),
        };
        let readable = order == "<" || (order == "|" && element.bytes() == 1);
        if readable { Ok(element) } else { Err(refused()) }
    }

    /// The size of an element.
    pub(super) fn bytes(self) -> usize {
        match self {
            Self::F4 => 4,
            Self::F8 => 8,
            Self::Bool => 1,
            Self::Signed(bytes) | Self::Unsigned(bytes) => bytes,
        }
    }

    /// The element as `f64`; the error is an integer that is not exact, in digits.
    pub(super) fn decode(self, bytes: &[u8]) -> Result<f64, String> {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(word);
        match self {
            Self::F4 => Ok(f64::from(f32::from_bits(bits as u32))),
            Self::F8 => Ok(f64::from_bits(bits)),
            Self::Bool => Ok(f64::from(u8::from(bits != 0))),
            Self::Unsigned(_) if bits > 1 << 53 => Err(bits.to_string()),
            Self::Unsigned(_) => Ok(bits as f64),
            Self::Signed(bytes) => {
                let shift = 64 - 8 * bytes as u32;
                let value = (bits << shift).cast_signed() >> shift;
                if value.unsigned_abs() > 1 << 53 { Err(value.to_string()) } else { Ok(value as f64) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_is_decoded() {
        let decode = |descr: &str, bytes: &[u8]| {
            let element = Element::parse(descr).unwrap();
            assert_eq!(element.bytes(), bytes.len());
            element.decode(bytes)
        };
        assert_eq!(decode("<f4", &1.5f32.to_le_bytes()), Ok(1.5));
        assert_eq!(decode("<f8", &(-2.5f64).to_le_bytes()), Ok(-2.5));
        assert_eq!(decode("|b1", &[1]), Ok(1.0));
        assert_eq!(decode("|i1", &[0xff]), Ok(-1.0));
        assert_eq!(decode("|u1", &[0xff]), Ok(255.0));
        assert_eq!(decode("<i2", &(-300i16).to_le_bytes()), Ok(-300.0));
        assert_eq!(decode("<i4", &i32::MIN.to_le_bytes()), Ok(f64::from(i32::MIN)));
        assert_eq!(decode("<u4", &u32::MAX.to_le_bytes()), Ok(f64::from(u32::MAX)));
        assert_eq!(decode("<i8", &(-7i64).to_le_bytes()), Ok(-7.0));
        assert_eq!(decode("<i8", &i64::MIN.to_le_bytes()), Err(i64::MIN.to_string()));
        assert_eq!(decode("<u8", &u64::MAX.to_le_bytes()), Err(u64::MAX.to_string()));
    }

    #[test]
    fn other_types_are_refused() {
        for descr in ["", "f8", ">f8", "<f2", "|O", "<U3", "|f8", "<c16", "é"] {
            assert!(Element::parse(descr).is_err(), "{descr}");
        }
    }
}

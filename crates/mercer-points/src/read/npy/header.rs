//! The header of a NumPy array: a magic number, a version, a length and a Python dictionary.
//!
//! `{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }`

use crate::read::NpyProblem;

/// The longest header that is read, in bytes.
pub(super) const LONGEST: usize = 1 << 16;

/// What the dictionary says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Header {
    /// The type of the elements as NumPy writes it.
    pub(super) descr: String,
    /// Whether columns are stored one after the other, rather than rows.
    pub(super) fortran: bool,
    /// The lengths of all axes.
    pub(super) shape: Vec<u64>,
}

impl Header {
    /// Reads the dictionary; its three keys may come in any order, each once.
    pub(super) fn parse(text: &str) -> Result<Self, NpyProblem> {
        let mut rest = Cursor(text.trim());
        let (mut descr, mut fortran, mut shape) = (None, None, None);
        rest.expect('{')?;
        while !rest.take('}') {
            let key = rest.quoted()?;
            rest.expect(':')?;
            let repeated = match key {
                "descr" if rest.starts_with('[') => return Err(NpyProblem::Type("structured".into())),
                "descr" => descr.replace(rest.quoted()?.to_owned()).is_some(),
                "fortran_order" => fortran.replace(rest.boolean()?).is_some(),
                "shape" => shape.replace(rest.tuple()?).is_some(),
                _ => return Err(damaged("an unknown key")),
            };
            if repeated {
                return Err(damaged("a key twice"));
            }
            if !rest.take(',') && !rest.starts_with('}') {
                return Err(damaged("a comma is missing"));
            }
        }
        if !rest.0.trim().is_empty() {
            return Err(damaged("something after the dictionary"));
        }
        match (descr, fortran, shape) {
            (Some(descr), Some(fortran), Some(shape)) => Ok(Self { descr, fortran, shape }),
            _ => Err(damaged("a key is missing")),
        }
    }

    /// Rows and columns; a list is one column.
    pub(super) fn rows_and_columns(&self) -> Result<(u64, u64), NpyProblem> {
        match self.shape[..] {
            [rows] => Ok((rows, 1)),
            [rows, columns] if columns > 0 => Ok((rows, columns)),
            _ => Err(NpyProblem::Shape(self.shape.iter().map(u64::to_string).collect::<Vec<_>>().join(", "))),
        }
    }
}

fn damaged(reason: &str) -> NpyProblem {
    NpyProblem::Header(reason.to_owned())
}

/// What is left of the dictionary.
struct Cursor<'a>(&'a str);

impl<'a> Cursor<'a> {
    fn starts_with(&self, sign: char) -> bool {
        self.0.trim_start().starts_with(sign)
    }

    fn take(&mut self, sign: char) -> bool {
        let rest = self.0.trim_start().strip_prefix(sign);
        self.0 = rest.unwrap_or(self.0);
        rest.is_some()
    }

    fn expect(&mut self, sign: char) -> Result<(), NpyProblem> {
        if self.take(sign) { Ok(()) } else { Err(damaged(&format!("'{sign}' is missing"))) }
    }

    fn quoted(&mut self) -> Result<&'a str, NpyProblem> {
        let quote = if self.starts_with('"') { '"' } else { '\'' };
        self.expect(quote)?;
        let (text, rest) = self.0.split_once(quote).ok_or_else(|| damaged("a quote never closes"))?;
        self.0 = rest;
        Ok(text)
    }

    fn boolean(&mut self) -> Result<bool, NpyProblem> {
        for (word, value) in [("True", true), ("False", false)] {
            if let Some(rest) = self.0.trim_start().strip_prefix(word) {
                self.0 = rest;
                return Ok(value);
            }
        }
        Err(damaged("fortran_order is neither True nor False"))
    }

    fn tuple(&mut self) -> Result<Vec<u64>, NpyProblem> {
        self.expect('(')?;
        let (inside, rest) = self.0.split_once(')').ok_or_else(|| damaged("the shape never ends"))?;
        self.0 = rest;
        let inside = inside.trim();
        let numbers = inside.strip_suffix(',').unwrap_or(inside);
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let lengths = numbers.split(',').map(|n| n.trim().trim_end_matches('L').parse());
        lengths.collect::<Result<_, _>>().map_err(|_| damaged("the shape is not a list of whole numbers"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dictionaries_are_read() {
        let header =
            Header::parse("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }  \n").unwrap();
        assert_eq!(header, Header { descr: "<f8".into(), fortran: false, shape: vec![3, 2] });
        let header = Header::parse("{\"shape\":(7L,),\"fortran_order\":True,\"descr\":\"|u1\"}").unwrap();
        assert_eq!((header.rows_and_columns(), header.fortran), (Ok((7, 1)), true));
    }

    #[test]
    fn damaged_dictionaries_and_other_shapes_are_refused() {
        for text in [
            "",
            "{",
            "{}",
            "{'descr': '<f8'",
            "{'descr': '<f8', 'descr': '<f8'}",
            "{'descr': '<f8' 'shape': (1,)}",
            "{'descr': '<f8', 'fortran_order': 0, 'shape': (1,)}",
            "{'descr': '<f8', 'fortran_order': True, 'shape': (-1,)}",
            "{'descr': '<f8', 'fortran_order': True, 'shape': (99999999999999999999,)}",
            "{'descr': '<f8', 'fortran_order': True, 'shape': (1,)} x",
            "{'other': 1}",
        ] {
            assert!(matches!(Header::parse(text), Err(NpyProblem::Header(_))), "{text}");
        }
        let structured = Header::parse("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,)}");
        assert!(matches!(structured, Err(NpyProblem::Type(_))));
        for shape in ["()", "(1, 2, 3)", "(4, 0)"] {
            let text = format!("{{'descr': '<f8', 'fortran_order': False, 'shape': {shape}}}");
            let shape = Header::parse(&text).unwrap().rows_and_columns();
            assert!(matches!(shape, Err(NpyProblem::Shape(_))));
        }
    }
}

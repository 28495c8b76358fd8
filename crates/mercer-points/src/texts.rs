//! Texts: DNA, words, documents.

use crate::Points;

/// Texts of any length in one buffer.
///
/// ```
/// use mercer_points::{Points, Texts};
/// let dna: Texts = ["acgt", "", "ttag"].into_iter().collect();
/// assert_eq!(dna.point(2), "ttag");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Texts {
    ends: Vec<usize>,
    buffer: String,
}

impl Texts {
    /// The texts in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        (0..self.len()).map(|i| self.point(i))
    }
}

impl<S: AsRef<str>> FromIterator<S> for Texts {
    fn from_iter<I: IntoIterator<Item = S>>(texts: I) -> Self {
        let (mut ends, mut buffer) = (Vec::new(), String::new());
        for text in texts {
            buffer.push_str(text.as_ref());
            ends.push(buffer.len());
        }
        Self { ends, buffer }
    }
}

impl Points for Texts {
    type Point<'a> = &'a str;

    fn len(&self) -> usize {
        self.ends.len()
    }

    fn point(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.buffer[start..self.ends[i]]
    }

    fn select(&self, rows: &[usize]) -> Self {
        rows.iter().map(|&i| self.point(i)).collect()
    }
}

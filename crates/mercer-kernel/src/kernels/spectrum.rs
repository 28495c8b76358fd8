//! `sum_u count_u(x)*count_u(z)` over substrings u of length k
//!
//! Texts are compared by the substrings of k characters that they share (`docs/maths.md` §1.2). A tile writes the
//! substrings of its rows into one dictionary and scans every column text once against all rows.

use std::collections::HashMap;
use std::ops::Range;

use mercer_points::{Points, Texts};

use super::{Built, Kernel};
use crate::info::{Domain, Evidence, KernelInfo};
use crate::signature::{Kind, Param, Signature};

pub(super) static INFO: KernelInfo = KernelInfo {
    signature: Signature {
        name: "spectrum",
        aliases: &["ngram"],
        params: &[Param::new("k", Kind::Integer(1, 1_000_000), 3.0, "length of the substrings").or(&["n"])],
        one_of: &[],
    },
    formula: "sum_u count_u(x)*count_u(z), |u| = k",
    domain: Domain::Texts,
    about: "DNA, proteins, words: the substrings of length k that two texts share",
    mercer: |_| Evidence::Psd("the inner product of substring counts"),
    build: |call| Built::Spectrum(Spectrum { k: call.whole("k") as usize }),
};

/// The spectrum kernel on texts.
///
/// ```
/// use mercer_kernel::{Kernel, Spectrum};
/// let kernel = Spectrum { k: 2 };
/// assert_eq!(Kernel::eval(&kernel, "banana", "nana"), 2.0 * 1.0 + 2.0 * 2.0);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spectrum {
    /// Length of the substrings, in characters.
    pub k: usize,
}

/// The distinct substrings of each text with their counts.
#[derive(Debug)]
pub struct Counts {
    texts: Texts,
    starts: Vec<usize>,
    /// Where the substring stands in its text, and how often it occurs there.
    substrings: Vec<(Range<u32>, u32)>,
}

impl Counts {
    fn of(&self, i: usize) -> impl Iterator<Item = (&[u8], u32)> {
        let text = self.texts.point(i).as_bytes();
        let substrings = &self.substrings[self.starts[i]..self.starts[i + 1]];
        substrings.iter().map(move |(at, count)| (&text[at.start as usize..at.end as usize], *count))
    }
}

impl Spectrum {
    fn ranges(self, text: &str) -> impl Iterator<Item = Range<usize>> {
        let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]).skip(self.k);
        let starts = text.char_indices().map(|(at, _)| at);
        starts.zip(ends).map(|(start, end)| start..end)
    }
}

impl Kernel<Texts> for Spectrum {
    type Ready = Counts;

    fn eval(&self, x: &str, z: &str) -> f64 {
        let mut counts: HashMap<&str, f64> = HashMap::new();
        for range in self.ranges(x) {
            *counts.entry(&x[range]).or_default() += 1.0;
        }
        self.ranges(z).filter_map(|range| counts.get(&z[range])).sum()
    }

    fn ready(&self, points: &Texts) -> Counts {
        let (mut starts, mut substrings) = (vec![0], Vec::new());
        for text in points.iter() {
            let mut ranges: Vec<Range<usize>> = self.ranges(text).collect();
            ranges.sort_by_key(|range| &text[range.clone()]);
            for same in ranges.chunk_by(|a, b| text[a.clone()] == text[b.clone()]) {
                substrings.push((same[0].start as u32..same[0].end as u32, same.len() as u32));
            }
            starts.push(substrings.len());
        }
        Counts { texts: points.clone(), starts, substrings }
    }

    fn tile(
        &self,
        (x, rows): (&Counts, &[usize]),
        (z, columns): (&Counts, Range<usize>),
        out: &mut [f64],
        stride: usize,
    ) {
        let mut occurrences: HashMap<&[u8], Vec<(usize, f64)>> = HashMap::new();
        for (at, &row) in rows.iter().enumerate() {
            for (substring, count) in x.of(row) {
                occurrences.entry(substring).or_default().push((at, f64::from(count)));
            }
        }
        for (j, column) in columns.enumerate() {
            (0..rows.len()).for_each(|at| out[at * stride + j] = 0.0);
            for (substring, count) in z.of(column) {
                for &(at, other) in occurrences.get(substring).into_iter().flatten() {
                    out[at * stride + j] += other * f64::from(count);
                }
            }
        }
    }
}

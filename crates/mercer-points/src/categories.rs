//! Categories: values from a finite set of names.

use std::collections::HashMap;
use std::sync::Arc;

use crate::{Points, PointsError};

/// A column of names, each stored as the number of its level.
///
/// Levels are sorted, so that the same names in another order give the same codes.
///
/// ```
/// use mercer_points::{Categories, Points};
/// let colour: Categories = ["red", "blue", "red"].into_iter().collect();
/// assert_eq!(colour.levels(), &["blue", "red"]);
/// assert_eq!(colour.codes(), &[1, 0, 1]);
/// assert_eq!(colour.point(0), "red");
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Categories {
    levels: Arc<[String]>,
    codes: Vec<u32>,
}

impl Categories {
    /// Takes levels and codes as they are, after checking that the levels ascend and that every code has one.
    ///
    /// ```
    /// use mercer_points::Categories;
    /// let level = |name: &str| name.to_owned();
    /// assert!(Categories::new(vec![level("a"), level("b")], vec![1, 0]).is_ok());
    /// assert!(Categories::new(vec![level("b"), level("a")], vec![]).is_err());
    /// assert!(Categories::new(vec![level("a")], vec![1]).is_err());
    /// ```
    pub fn new(levels: Vec<String>, codes: Vec<u32>) -> Result<Self, PointsError> {
        if levels.windows(2).any(|pair| pair[0] >= pair[1]) {
            return Err(PointsError::Invalid("levels must ascend".into()));
        }
        if let Some(row) = codes.iter().position(|&code| code as usize >= levels.len()) {
            let what = format!("row {}: code {} has no level among {}", row + 1, codes[row], levels.len());
            return Err(PointsError::Invalid(what));
        }
        Ok(Self { levels: levels.into(), codes })
    }

    /// The names, ascending.
    pub fn levels(&self) -> &[String] {
        &self.levels
    }

    /// For each row the place of its name among the levels.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }
}

impl<S: AsRef<str>> FromIterator<S> for Categories {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let mut first_seen: HashMap<String, u32> = HashMap::new();
        let mut codes = Vec::new();
        for name in names {
            let next = first_seen.len() as u32;
            let code = match first_seen.get(name.as_ref()) {
                Some(&code) => code,
                None => *first_seen.entry(name.as_ref().to_owned()).or_insert(next),
            };
            codes.push(code);
        }
        let mut levels: Vec<(String, u32)> = first_seen.into_iter().collect();
        levels.sort();
        let mut rank = vec![0; levels.len()];
        for (sorted, (_, seen)) in levels.iter().enumerate() {
            rank[*seen as usize] = sorted as u32;
        }
        codes.iter_mut().for_each(|code| *code = rank[*code as usize]);
        Self { levels: levels.into_iter().map(|(name, _)| name).collect(), codes }
    }
}

impl Points for Categories {
    type Point<'a> = &'a str;

    fn len(&self) -> usize {
        self.codes.len()
    }

    fn point(&self, i: usize) -> &str {
        &self.levels[self.codes[i] as usize]
    }

    fn select(&self, rows: &[usize]) -> Self {
        Self { levels: self.levels.clone(), codes: rows.iter().map(|&i| self.codes[i]).collect() }
    }
}

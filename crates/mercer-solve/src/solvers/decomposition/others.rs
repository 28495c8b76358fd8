//! Rows beside those that are worked on: which of them get sums, and where each of them is among the columns of these.

use mercer_gram::Selection;

/// Rows that get sums, each at a place of its own.
pub(super) struct Others<'g> {
    rows: Vec<usize>,
    columns: Box<dyn Selection + 'g>,
}

impl<'g> Others<'g> {
    /// None so far.
    pub(super) fn new(columns: Box<dyn Selection + 'g>) -> Self {
        Self { rows: Vec::new(), columns }
    }

    /// Whether few rows can come and go without work for all of them.
    pub(super) fn is_pliable(&self) -> bool {
        self.columns.is_pliable()
    }

    /// The row at each place.
    pub(super) fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// Gives places to the rows that are wanted; few of those that have one are moved.
    pub(super) fn arrange(&mut self, mut is_wanted: Vec<bool>) {
        let mut holes = Vec::new();
        for (place, row) in self.rows.iter().enumerate() {
            if !std::mem::take(&mut is_wanted[*row]) {
                holes.push(place);
            }
        }
        let fresh: Vec<usize> = (0..is_wanted.len()).filter(|&row| is_wanted[row]).collect();
        holes.iter().zip(&fresh).for_each(|(&place, &row)| self.rows[place] = row);
        let filled = fresh.len().min(holes.len());
        self.rows.extend_from_slice(&fresh[filled..]);
        // Rows from the end come into the holes that are left.
        let (holes, len) = (&holes[filled..], self.rows.len() - (holes.len() - filled));
        let moving = (len..self.rows.len()).filter(|place| holes.binary_search(place).is_err());
        for (&hole, place) in holes.iter().zip(moving.collect::<Vec<usize>>()) {
            self.rows[hole] = self.rows[place];
        }
        self.rows.truncate(len);
        self.columns.arrange(&self.rows);
    }

    /// out += Σ weight·row at the places.
    pub(super) fn add_rows(&self, double: bool, rows: &[usize], weights: &[f64], out: &mut [f64]) {
        if double {
            self.columns.add_rows_double(rows, weights, out);
        } else {
            self.columns.add_rows_single(rows, weights, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;
    use std::sync::{Arc, Mutex};

    use mercer_gram::Crossings;

    use super::*;

    /// Places that are told what stands there.
    #[derive(Default)]
    struct Told(Arc<Mutex<Vec<usize>>>);

    impl Crossings for Told {
        fn fill(&self, _: Range<usize>, _: Range<usize>, _: &mut [f32]) {}
    }

    impl Selection for Told {
        fn arrange(&mut self, rows: &[usize]) {
            *self.0.lock().unwrap() = rows.to_vec();
        }
        fn add_rows_single(&self, _: &[usize], _: &[f64], _: &mut [f64]) {}
        fn add_rows_double(&self, _: &[usize], _: &[f64], _: &mut [f64]) {}
        fn is_pliable(&self) -> bool {
            true
        }
        fn is_soon(&self) -> bool {
            true
        }
    }

    #[test]
    fn rows_that_are_wanted_have_one_place_each_and_few_are_moved() {
        let told = Told::default();
        let places = told.0.clone();
        let mut others = Others::new(Box::new(told));
        let mut before: Vec<usize> = Vec::new();
        for round in 0..40 {
            // More of them, fewer, none, all, and only some of those that were there.
            let is_wanted: Vec<bool> = (0..50)
                .map(|row| match round % 8 {
                    3 => false,
                    5 => true,
                    6 => before.contains(&row) && row % 3 > 0,
                    _ => (row * 7 + round * 11) % 13 > round % 9,
                })
                .collect();
            others.arrange(is_wanted.clone());
            let now = places.lock().unwrap().clone();
            assert_eq!(now, others.rows());
            let mut sorted = now.clone();
            sorted.sort_unstable();
            assert_eq!(
                sorted,
                (0..50).filter(|&row| is_wanted[row]).collect::<Vec<usize>>(),
                "round {round}"
            );
            // Whoever stays within the new length keeps its place.
            for (place, &row) in before.iter().enumerate().take(now.len()) {
                assert!(!is_wanted[row] || now[place] == row, "round {round}: {row} was moved");
            }
            before = now;
        }
    }
}

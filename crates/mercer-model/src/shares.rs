//! How the rows of a training set are shared out among the machines of a model.
//!
//! Of many classes all pairs together have each row many times. So what a machine is given is made when its turn comes.

use mercer_gram::Gram;

use crate::machines::{Posed, is_dual};
use crate::target::Goal;
use crate::{Between, Multiclass};

/// One machine's share of the rows.
pub(crate) struct Share {
    pub(crate) between: Option<Between>,
    /// Rows of the table, in order or those of one class after those of the other; none for all.
    pub(crate) rows: Option<Vec<usize>>,
    pub(crate) y: Vec<f64>,
}

impl Share {
    /// The row of the table that row k of the share is.
    pub(crate) fn row(&self, k: usize) -> usize {
        self.rows.as_ref().map_or(k, |rows| rows[k])
    }
}

/// The shares of all machines.
pub(crate) struct Shares<'a> {
    goal: &'a Goal,
    rows: usize,
    /// What each machine is between; of several targets it is their number that counts.
    between: Vec<Option<Between>>,
    /// The rows of each class, where machines are of pairs.
    members: Vec<Vec<usize>>,
    /// Pairs have the rows of one class after those of the other, for solvers to whom their order means nothing.
    by_class: bool,
}

impl<'a> Shares<'a> {
    pub(crate) fn of(posed: &Posed<'a>) -> Self {
        let (goal, rows) = (posed.goal, posed.gram.len());
        let (between, members) = match goal {
            Goal::Numbers(targets) => (vec![None; targets.len()], Vec::new()),
            Goal::Nothing => (vec![None], Vec::new()),
            Goal::Classes(classes, _) if classes.len() == 2 => (vec![None], Vec::new()),
            Goal::Classes(classes, _) if posed.spec.multiclass == Multiclass::OneVsRest => {
                ((0..classes.len()).map(|class| Some(Between::Rest(class))).collect(), Vec::new())
            }
            Goal::Classes(classes, codes) => {
                let with = |first| (first + 1..classes.len()).map(move |second| Between::Pair(first, second));
                ((0..classes.len()).flat_map(with).map(Some).collect(), members(codes, classes.len()))
            }
        };
        Self { goal, rows, between, members, by_class: is_dual(posed) }
    }

    /// Machines.
    pub(crate) fn len(&self) -> usize {
        self.between.len()
    }

    /// What the machines are between.
    pub(crate) fn between(&self) -> &[Option<Between>] {
        &self.between
    }

    /// The rows of each class, where machines are of pairs.
    pub(crate) fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// How many rows each machine has.
    pub(crate) fn sizes(&self) -> impl Iterator<Item = usize> + '_ {
        self.between.iter().map(|between| match *between {
            Some(Between::Pair(first, second)) => self.members[first].len() + self.members[second].len(),
            _ => self.rows,
        })
    }

    /// The rows of the largest share.
    pub(crate) fn largest(&self) -> usize {
        self.sizes().max().unwrap_or(0)
    }

    /// The share of one machine.
    pub(crate) fn share(&self, machine: usize) -> Share {
        let between = self.between[machine];
        let rows = match between {
            Some(Between::Pair(first, second)) => {
                let mut rows = [&self.members[first][..], &self.members[second]].concat();
                if !self.by_class {
                    rows.sort_unstable();
                }
                Some(rows)
            }
            _ => None,
        };
        let y = match (self.goal, &rows, between) {
            (Goal::Numbers(targets), ..) => targets[machine].clone(),
            (Goal::Nothing, ..) => vec![0.0; self.rows],
            (Goal::Classes(_, codes), Some(rows), Some(Between::Pair(first, _))) => {
                rows.iter().map(|&row| sign(codes[row] == first)).collect()
            }
            (Goal::Classes(_, codes), _, Some(Between::Rest(class))) => {
                codes.iter().map(|&code| sign(code == class)).collect()
            }
            (Goal::Classes(_, codes), ..) => codes.iter().map(|&code| sign(code == 1)).collect(),
        };
        Share { between, rows, y }
    }
}

fn sign(is_first: bool) -> f64 {
    if is_first { 1.0 } else { -1.0 }
}

/// The rows of each class.
fn members(codes: &[usize], classes: usize) -> Vec<Vec<usize>> {
    let mut members = vec![Vec::new(); classes];
    codes.iter().enumerate().for_each(|(row, &class)| members[class].push(row));
    members
}

#[cfg(test)]
mod tests {
    use mercer_gram::Lazy;

    use super::*;
    use crate::{Learner, Setting, Spec};

    #[test]
    fn a_share_has_the_rows_of_its_classes() {
        let mut table = mercer_points::read("@moons(n=8)", &Default::default()).unwrap();
        table.remove("label").unwrap();
        let gram = Lazy::new(&"rbf".parse().unwrap(), &table).unwrap();
        let names: Vec<String> = ["a", "b", "c", "d"].map(str::to_owned).to_vec();
        // Of the last class there is no row.
        let goal = Goal::Classes(names, vec![2, 0, 1, 1, 0, 2, 2, 0]);
        let setting = Setting::default();
        for multiclass in [Multiclass::OneVsOne, Multiclass::OneVsRest] {
            let spec = Spec { multiclass, ..Spec::new("rbf".parse().unwrap(), Learner::Smo) };
            let posed = Posed {
                spec: &spec,
                loss: None,
                goal: &goal,
                weights: None,
                gram: &gram,
                features: None,
                setting: &setting,
            };
            let shares = Shares::of(&posed);
            let all: Vec<Share> = (0..shares.len()).map(|machine| shares.share(machine)).collect();
            let sizes: Vec<usize> = all.iter().map(|share| share.y.len()).collect();
            assert_eq!(shares.sizes().collect::<Vec<_>>(), sizes);
            assert_eq!(all.iter().map(|share| share.between).collect::<Vec<_>>(), shares.between());
            if multiclass == Multiclass::OneVsRest {
                assert_eq!(sizes, [8; 4]);
                assert_eq!(all[1].y, [-1.0, -1.0, 1.0, 1.0, -1.0, -1.0, -1.0, -1.0]);
                continue;
            }
            assert_eq!(sizes, [5, 6, 3, 5, 2, 3]);
            assert_eq!(shares.largest(), 6);
            let (between, rows) = (Some(Between::Pair(0, 2)), Some(vec![1, 4, 7, 0, 5, 6]));
            assert_eq!((all[1].between, &all[1].rows), (between, &rows));
            assert_eq!(all[1].y, [1.0, 1.0, 1.0, -1.0, -1.0, -1.0]);
            assert_eq!((all[1].row(2), all[1].row(5)), (7, 6));
        }
    }
}

//! Losses: what a wrong score costs (`docs/maths.md` §3.1).
//!
//! A loss knows its value, its slopes and its convex conjugate with the domain; that is all that the certificate needs,
//! and all that most solvers need. One file a loss; [`LossSpec`] is the list of them, and what text means.

mod epsilon;
mod hinge;
mod huber;
mod logistic;
mod perceptron;
mod pinball;
mod softmax;
mod spec;
mod squared;
mod squared_hinge;

pub use epsilon::EpsilonInsensitive;
pub use hinge::Hinge;
pub use huber::Huber;
pub use logistic::Logistic;
pub use perceptron::Perceptron;
pub use pinball::Pinball;
pub use softmax::Softmax;
pub use spec::{LOSSES, LossInfo, LossSpec};
pub use squared::Squared;
pub use squared_hinge::SquaredHinge;

/// What y may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Target {
    /// Labels −1 and +1.
    Labels,
    /// Any numbers.
    Numbers,
}

/// The conjugate in the form of a quadratic program: ℓ*(y,u) = l·u + ε·|u| + (q/2)·u² on the domain.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quadratic {
    /// l, the linear term.
    pub linear: f64,
    /// ε, the price of leaving zero.
    pub kink: f64,
    /// q, the curvature.
    pub curvature: f64,
}

/// A row: its weight, its label or target, and a score.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// w.
    pub weight: f64,
    /// y.
    pub y: f64,
    /// f.
    pub score: f64,
}

/// Sums of slopes of rows whose scores are moved from one end to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SlopeSums {
    /// Of the largest slopes at the first end.
    pub first: f64,
    /// Of the least slopes at the last end.
    pub last: f64,
    /// Of the slopes that do not change on the way.
    pub settled: f64,
}

/// A convex loss ℓ(y, f) of a score f, given a label or target y.
///
/// ```
/// use mercer_solve::loss::{Hinge, Loss};
/// // Fenchel–Young is tight at a subgradient.
/// let (y, f) = (1.0, 0.3);
/// let u = Hinge.slope(y, f);
/// assert!((Hinge.value(y, f) + Hinge.conjugate(y, u) - f * u).abs() < 1e-15);
/// ```
pub trait Loss: std::fmt::Debug + Send + Sync {
    /// What y may be.
    fn target(&self) -> Target;

    /// ℓ(y, f).
    fn value(&self, y: f64, f: f64) -> f64;

    /// All subgradients in f, from the least to the largest: one number where the loss is smooth.
    fn slopes(&self, y: f64, f: f64) -> (f64, f64);

    /// A subgradient in f.
    fn slope(&self, y: f64, f: f64) -> f64;

    /// ℓ*(y, u) = sup over f of u·f − ℓ(y, f), for u in the domain; infinite outside.
    fn conjugate(&self, y: f64, u: f64) -> f64;

    /// The u where the conjugate is finite.
    fn domain(&self, y: f64) -> (f64, f64);

    /// The second derivative in f; none where the loss is not smooth.
    fn curvature(&self, y: f64, f: f64) -> Option<f64>;

    /// argmin over f of ℓ(y, f) + (f−z)²/(2t), where it is closed.
    fn proximal(&self, y: f64, z: f64, t: f64) -> Option<f64>;

    /// The conjugate as a quadratic program, where it is one.
    fn quadratic(&self, y: f64) -> Option<Quadratic>;

    /// All scores f of which u is a subgradient: the slopes of the conjugate.
    fn scores(&self, y: f64, u: f64) -> (f64, f64) {
        let Some(Quadratic { linear, kink, curvature }) = self.quadratic(y) else {
            return (f64::NAN, f64::NAN);
        };
        let (low, high) = self.domain(y);
        let room = 1e-12 * (1.0 + u.abs());
        let at = linear + curvature * u;
        // At zero the price of leaving it holds a whole interval of scores; what is rounding is zero.
        let from = if u <= low + room { f64::NEG_INFINITY } else { at + if u > room { kink } else { -kink } };
        let to = if u >= high - room { f64::INFINITY } else { at + if u >= -room { kink } else { -kink } };
        (from, to)
    }

    /// Sums of the least and of the largest subgradients of rows at their scores moved by b.
    ///
    /// ```
    /// use mercer_solve::loss::{Hinge, Loss, Scored};
    /// let rows = [-1.0, 1.0].map(|y| Scored { weight: 2.0, y, score: 0.5 });
    /// assert_eq!(Hinge.sum_slopes(&rows, 0.5), (0.0, 2.0));
    /// ```
    fn sum_slopes(&self, rows: &[Scored], b: f64) -> (f64, f64) {
        rows.iter().fold((0.0, 0.0), |(low, high), row| {
            let (from, to) = self.slopes(row.y, row.score + b);
            (low + row.weight * from, high + row.weight * to)
        })
    }

    /// The slopes of rows while their scores are moved by any number between two; rows whose slopes change on the way are
    /// appended to `open`.
    fn slopes_between(&self, rows: &[Scored], (low, high): (f64, f64), open: &mut Vec<Scored>) -> SlopeSums {
        let mut sums = SlopeSums { first: 0.0, last: 0.0, settled: 0.0 };
        for row in rows {
            let (first, last) =
                (self.slopes(row.y, row.score + low).1, self.slopes(row.y, row.score + high).0);
            sums.first += row.weight * first;
            sums.last += row.weight * last;
            if first == last {
                sums.settled += row.weight * first;
            } else {
                open.push(*row);
            }
        }
        sums
    }

    /// Scores f at which the slope may jump or bend, or where it is zero: their hull holds a best score, unless there are
    /// none and no score is best. At every other score the loss is as smooth as it gets.
    fn kinks(&self, y: f64) -> Vec<f64>;
}

/// Whether u is in an interval, with room for rounding at its ends.
pub(crate) fn within(u: f64, (low, high): (f64, f64)) -> bool {
    let room = 1e-12 * (1.0 + u.abs());
    u >= low - room && u <= high + room
}

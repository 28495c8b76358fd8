//! The laws of a loss.

use super::Draw;
use crate::loss::{Loss, Quadratic, Scored, Target};

/// Checks a loss: convex; slopes are its one-sided derivatives; Fenchel–Young holds, and is tight at subgradients; the
/// domain is where the conjugate is finite; curvature, proximal step, scores, quadratic form and kinks say the same.
///
/// # Panics
/// With the law that does not hold, and where.
///
/// ```
/// mercer_solve::testkit::check_loss(&mercer_solve::loss::Hinge);
/// ```
pub fn check_loss(loss: &dyn Loss) {
    let targets: &[f64] = match loss.target() {
        Target::Labels => &[-1.0, 1.0],
        Target::Numbers => &[-2.5, 0.0, 0.3, 7.0],
    };
    let smooth = loss.curvature(targets[0], 0.0).is_some();
    for &y in targets {
        let laws = Laws { loss, y, smooth, scores: scores(loss, y), slopes: slopes(loss, y) };
        laws.convex();
        laws.derivatives();
        laws.fenchel_young();
        laws.domain();
        laws.curvature();
        laws.proximal();
        laws.inverse();
        laws.quadratic();
        laws.kinks();
        laws.sums();
        laws.far();
    }
}

/// Kinks, round numbers, and random scores about the target.
fn scores(loss: &dyn Loss, y: f64) -> Vec<f64> {
    let mut draw = Draw::new(7);
    let mut scores = loss.kinks(y);
    scores.extend([0.0, 1.0, -1.0, 30.0, -30.0, y]);
    scores.extend((0..60).map(|_| y + 4.0 * draw.next()));
    scores
}

/// Ends of the domain where it has them, zero, and random slopes inside.
fn slopes(loss: &dyn Loss, y: f64) -> Vec<f64> {
    let (low, high) = loss.domain(y);
    let (from, to) = (low.max(-20.0), high.min(20.0));
    let mut draw = Draw::new(8);
    let mut slopes = vec![from, to, 0.0];
    slopes.extend((0..40).map(|_| from + (0.5 + 0.499 * draw.next()) * (to - from)));
    slopes
}

struct Laws<'a> {
    loss: &'a dyn Loss,
    y: f64,
    smooth: bool,
    scores: Vec<f64>,
    slopes: Vec<f64>,
}

impl Laws<'_> {
    fn value(&self, f: f64) -> f64 {
        self.loss.value(self.y, f)
    }

    fn near_kink(&self, f: f64) -> bool {
        self.loss.kinks(self.y).iter().any(|kink| (f - kink).abs() < 1e-4)
    }

    fn fail(&self, law: &str, at: String) -> ! {
        panic!("{:?} at y = {}: {law}: {at}", self.loss, self.y)
    }

    fn expect(&self, holds: bool, law: &str, at: impl FnOnce() -> String) {
        if !holds {
            self.fail(law, at());
        }
    }

    fn convex(&self) {
        for &a in &self.scores {
            for &b in &self.scores {
                let (middle, chord) = (self.value(0.5 * (a + b)), 0.5 * (self.value(a) + self.value(b)));
                let holds = middle <= chord + 1e-13 * (1.0 + chord.abs());
                self.expect(holds, "it is not convex", || format!("f = {a} and {b}: {middle} > {chord}"));
            }
        }
    }

    /// Hull of the slopes at a score and its neighbours: a kink may fall between two numbers.
    fn hull(&self, f: f64, room: f64) -> (f64, f64) {
        (self.loss.slopes(self.y, f - room).0, self.loss.slopes(self.y, f + room).1)
    }

    fn derivatives(&self) {
        let h = 1e-6;
        for &f in &self.scores {
            let (low, high) = self.loss.slopes(self.y, f);
            let slope = self.loss.slope(self.y, f);
            let ordered = low <= slope && slope <= high;
            self.expect(ordered, "the slope lies between the slopes", || {
                format!("f = {f}: {low} {slope} {high}")
            });
            let left = (self.value(f) - self.value(f - h)) / h;
            let right = (self.value(f + h) - self.value(f)) / h;
            let room = 1e-5 * (1.0 + left.abs().max(right.abs()));
            let (from, to) =
                if self.near_kink(f) { self.hull(f, 1e-14 * (1.0 + f.abs())) } else { (low, high) };
            let exact = (left - from).abs() <= room && (right - to).abs() <= room;
            self.expect(exact, "slopes are the one-sided derivatives", || {
                format!("f = {f}: slopes {from} and {to}, differences {left} and {right}")
            });
            self.expect(!self.smooth || low == high, "a smooth loss has one slope", || format!("f = {f}"));
        }
    }

    fn sums(&self) {
        let row = |(k, &score): (usize, &f64)| Scored { weight: 0.5 + (k % 3) as f64, y: self.y, score };
        let rows: Vec<Scored> = self.scores.iter().enumerate().map(row).collect();
        for (low, high) in [(0.0, 0.0), (-0.3, 0.3), (0.0, 2.0), (-50.0, -40.0)] {
            let slopes = |row: &Scored, b: f64| self.loss.slopes(row.y, row.score + b);
            let (mut first, mut last, mut settled, mut open) = (0.0, 0.0, 0.0, Vec::new());
            for row in &rows {
                let (from, to) = (slopes(row, low).1, slopes(row, high).0);
                (first, last) = (first + row.weight * from, last + row.weight * to);
                if from == to {
                    settled += row.weight * from;
                } else {
                    open.push(*row);
                }
            }
            let mut found = Vec::new();
            let sums = self.loss.slopes_between(&rows, (low, high), &mut found);
            let (left, right) = self.loss.sum_slopes(&rows, low);
            let least: f64 = rows.iter().map(|row| row.weight * slopes(row, low).0).sum();
            let pairs = [
                (sums.first, first),
                (sums.last, last),
                (sums.settled, settled),
                (left, least),
                (right, first),
            ];
            let holds = pairs.iter().all(|(a, b)| (a - b).abs() <= 1e-9 * (1.0 + b.abs())) && found == open;
            self.expect(holds, "sums of slopes are sums of its slopes", || format!("from {low} to {high}"));
        }
    }

    fn fenchel_young(&self) {
        for &f in &self.scores {
            let (low, high) = self.loss.slopes(self.y, f);
            let tight = [low, high, 0.5 * (low + high), self.loss.slope(self.y, f)];
            for (u, tight) in self.slopes.iter().map(|u| (*u, false)).chain(tight.map(|u| (u, true))) {
                let conjugate = self.loss.conjugate(self.y, u);
                let residual = self.value(f) + conjugate - f * u;
                let room = 1e-13 * (1.0 + self.value(f) + conjugate.abs() + (f * u).abs());
                let at = || format!("f = {f}, u = {u}: {residual}");
                self.expect(residual >= -room, "Fenchel–Young", at);
                self.expect(!tight || residual <= room, "Fenchel–Young is tight at a subgradient", at);
            }
        }
    }

    fn domain(&self) {
        let (low, high) = self.loss.domain(self.y);
        self.expect(low <= 0.0 && high >= 0.0 && low < high, "the domain holds zero", || {
            format!("{low} {high}")
        });
        for &u in &self.slopes {
            let finite = self.loss.conjugate(self.y, u).is_finite();
            self.expect(finite, "the conjugate is finite on the domain", || format!("u = {u}"));
        }
        for (end, out) in [(low, low - 0.1), (high, high + 0.1)] {
            if end.is_finite() {
                let infinite = self.loss.conjugate(self.y, out) == f64::INFINITY;
                self.expect(infinite, "the conjugate is infinite outside the domain", || {
                    format!("u = {out}")
                });
                let grows = [-1e9, 1e9].iter().any(|f| out * f - self.value(*f) > 1e6);
                self.expect(grows, "the domain is as large as it can be", || format!("u = {out}"));
            } else {
                let u = end.signum() * 1e9;
                let finite = self.loss.conjugate(self.y, u).is_finite();
                self.expect(finite, "the conjugate is finite on the domain", || format!("u = {u}"));
            }
        }
    }

    fn curvature(&self) {
        let h = 1e-5;
        for &f in &self.scores {
            let found = self.loss.curvature(self.y, f);
            self.expect(found.is_some() == self.smooth, "smooth everywhere or nowhere", || {
                format!("f = {f}")
            });
            let Some(found) = found.filter(|_| !self.near_kink(f)) else { continue };
            let slope = |f: f64| self.loss.slope(self.y, f);
            let want = (slope(f + h) - slope(f - h)) / (2.0 * h);
            let near = (found - want).abs() <= 1e-6 * (1.0 + want.abs());
            self.expect(near, "curvature", || format!("f = {f}: {found}, differences give {want}"));
        }
    }

    fn proximal(&self) {
        for (&z, t) in self.scores.iter().zip([1e-3, 0.1, 0.7, 1.0, 5.0, 100.0].into_iter().cycle()) {
            let Some(p) = self.loss.proximal(self.y, z, t) else { continue };
            let (from, to) = self.hull(p, 1e-9 * (1.0 + p.abs()));
            let slope = (z - p) / t;
            let room = 1e-7 * (1.0 + slope.abs()) * (1.0 + 1.0 / t) * (1.0 + z.abs());
            let holds = slope >= from - room && slope <= to + room;
            self.expect(holds, "the proximal step is optimal", || {
                format!("from {z} with t = {t} to {p}: slope {slope} not in [{from}, {to}]")
            });
        }
    }

    /// f is in scores(u) exactly where u is in slopes(f).
    fn inverse(&self) {
        let h = 1e-4;
        let (first, last) = self.loss.domain(self.y);
        for &u in &self.slopes {
            let (low, high) = self.loss.scores(self.y, u);
            let at = || format!("u = {u}: scores {low} to {high}");
            self.expect(low <= high, "scores are an interval", at);
            if self.smooth && (u - first < 1e-3 || last - u < 1e-3) {
                continue;
            }
            let inside = [low.max(-50.0).min(high), high.min(50.0).max(low)];
            for f in inside.into_iter().filter(|f| f.is_finite()) {
                let (from, to) = self.hull(f, 1e-9 * (1.0 + f.abs()));
                let room = 1e-7 * (1.0 + u.abs());
                self.expect(from - room <= u && u <= to + room, "u is a slope at its scores", at);
            }
            let below = low == f64::NEG_INFINITY || self.loss.slopes(self.y, low - h).1 < u;
            let above = high == f64::INFINITY || self.loss.slopes(self.y, high + h).0 > u;
            self.expect(below && above, "u is a slope at its scores only", at);
        }
    }

    fn quadratic(&self) {
        let Some(Quadratic { linear, kink, curvature }) = self.loss.quadratic(self.y) else { return };
        for &u in &self.slopes {
            let found = linear * u + kink * u.abs() + 0.5 * curvature * u * u;
            let want = self.loss.conjugate(self.y, u);
            let near = (found - want).abs() <= 1e-13 * (1.0 + want.abs());
            self.expect(near, "the quadratic form is the conjugate", || {
                format!("u = {u}: {found} and {want}")
            });
        }
    }

    fn kinks(&self) {
        let kinks = self.loss.kinks(self.y);
        for &f in self.scores.iter().filter(|f| !self.near_kink(**f)) {
            let (low, high) = self.loss.slopes(self.y, f);
            self.expect(low == high, "the slope jumps at kinks only", || format!("f = {f}"));
        }
        if kinks.is_empty() {
            return;
        }
        let (from, to) = kinks.iter().fold((f64::MAX, f64::MIN), |(a, b), k| (a.min(*k), b.max(*k)));
        let best =
            (0..=100).map(|k| self.value(from + f64::from(k) / 100.0 * (to - from))).fold(f64::MAX, f64::min);
        for &f in &self.scores {
            let holds = best <= self.value(f) + 1e-12;
            self.expect(holds, "the kinks enclose a best score", || format!("f = {f} is better"));
        }
    }

    /// Nothing turns into NaN far away.
    fn far(&self) {
        for f in [1e150, -1e150, 1e300, -1e300, 1e-300, f64::MIN_POSITIVE] {
            let (low, high) = self.loss.slopes(self.y, f);
            let known = [self.value(f), self.loss.slope(self.y, f), low, high].iter().all(|v| !v.is_nan());
            let curved = self.loss.curvature(self.y, f).is_none_or(|c| c >= 0.0);
            self.expect(known && curved && self.value(f) >= 0.0, "a number everywhere", || {
                format!("f = {f}")
            });
        }
    }
}

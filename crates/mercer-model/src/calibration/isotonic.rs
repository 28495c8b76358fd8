//! The line of least squares that never falls, by pooling adjacent violators (Ayer et al. 1955).

use super::{Aim, Curve};

/// Rows of neighbouring scores that have one chance.
struct Block {
    from: f64,
    to: f64,
    sum: f64,
    weight: f64,
}

impl Block {
    fn chance(&self) -> f64 {
        self.sum / self.weight
    }
}

/// A block is level, and the line goes straight from the end of one to the start of the next.
pub(super) fn line(mut rows: Vec<Aim>) -> Curve {
    // Zero has two signs but is one score.
    rows.iter_mut().for_each(|row| row.score += 0.0);
    rows.sort_by(|a, b| a.score.total_cmp(&b.score));
    let mut blocks: Vec<Block> = Vec::new();
    for equal in rows.chunk_by(|a, b| a.score == b.score) {
        let (score, weight) = (equal[0].score, equal.iter().map(|row| row.weight).sum());
        let sum = equal.iter().map(|row| row.weight * row.aim).sum();
        let mut block = Block { from: score, to: score, sum, weight };
        while let Some(before) = blocks.pop_if(|before| before.chance() >= block.chance()) {
            let (sum, weight) = (before.sum + block.sum, before.weight + block.weight);
            block = Block { from: before.from, to: block.to, sum, weight };
        }
        blocks.push(block);
    }
    let (mut scores, mut chances) = (Vec::new(), Vec::new());
    for block in &blocks {
        for score in [block.from, block.to] {
            if scores.last() != Some(&score) {
                scores.push(score);
                chances.push(block.chance());
            }
        }
    }
    Curve::Line { scores, chances }
}

/// The height of a line at a score. Every step of it is monotone in floating point, and so is the whole.
pub(super) fn between(scores: &[f64], chances: &[f64], score: f64) -> f64 {
    let right = scores.partition_point(|&known| known <= score);
    match (right.checked_sub(1), chances.get(right)) {
        (None, first) => first.copied().unwrap_or(0.5),
        (Some(left), None) => chances[left],
        (Some(left), Some(&high)) => {
            let low = chances[left];
            let (from, to) = (scores[left], scores[right]);
            // Halves where a difference would be infinite; elsewhere they might both be 0.
            let unit = if (to - from).is_finite() { 1.0 } else { 0.5 };
            let share = (unit * score - unit * from) / (unit * to - unit * from);
            (low + (high - low) * share).clamp(low, high)
        }
    }
}

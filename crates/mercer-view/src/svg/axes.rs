//! The frame of a plot, its numbers and its labels.

use super::canvas::{Anchor, Area, Canvas, Ink};
use super::palette::Palette;
use super::text::Font;
use super::ticks::{Tick, ends_and_middle, number_label, ticks};
use crate::Range;
use crate::plot::{Axis, Spacing};

/// The type of the numbers.
pub(super) const NUMBERS: Font = Font::new(11.0);
/// The type of the labels.
pub(super) const LABEL: Font = Font::new(12.0);
/// The length of a tick.
const TICK: f64 = 4.0;
/// The widest name along the y axis.
const WIDEST: f64 = 110.0;

/// The numbers of an axis.
pub(super) fn numbers(axis: &Axis) -> Vec<Tick> {
    match &axis.spacing {
        Spacing::Bare => Vec::new(),
        Spacing::Linear => ticks(Range::new(axis.low, axis.high)),
        Spacing::Logarithmic => powers(axis.low, axis.high),
        Spacing::Names(names) => {
            let tick = |(place, name): (usize, &String)| Tick { value: place as f64, label: name.clone() };
            names.iter().enumerate().map(tick).collect()
        }
    }
}

/// The powers of ten of a logarithmic axis; with few of them 2 and 5 between, or else round numbers.
fn powers(low: f64, high: f64) -> Vec<Tick> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let inside = |value: &f64| value.is_finite() && (low * 0.999_999..=high * 1.000_001).contains(value);
    let of = |steps: &[f64], stride: usize| -> Vec<f64> {
        let powers = (first..=last).step_by(stride);
        powers
            .flat_map(|power| steps.iter().map(move |step| step * 10_f64.powi(power)))
            .filter(inside)
            .collect()
    };
    let stride = (((last - first) as f64 / 6.0).ceil() as usize).max(1);
    let tens = of(&[1.0], stride);
    let found = match tens.len() {
        0 | 1 => of(&[1.0, 2.0, 5.0], 1),
        2 => of(&[1.0, 3.0], 1),
        _ => tens,
    };
    if found.len() < 2 {
        return ends_and_middle(Range::new(low, high));
    }
    found.into_iter().map(|value| Tick { value, label: number_label(value) }).collect()
}

/// The room that an axis from bottom to top takes at its left, with or without its label.
pub(super) fn gutter(axis: &Axis) -> f64 {
    if axis.spacing == Spacing::Bare {
        return 0.0;
    }
    let widest = numbers(axis).iter().map(|tick| NUMBERS.width(&tick.label).min(WIDEST)).fold(0.0, f64::max);
    let label = if axis.label.is_empty() { 0.0 } else { LABEL.line() + 3.0 };
    (widest + TICK + 4.0 + label).ceil()
}

/// The room that an axis from left to right takes below.
pub(super) fn footer(axis: &Axis) -> f64 {
    if axis.spacing == Spacing::Bare {
        return 4.0;
    }
    TICK + 2.0 + NUMBERS.line() + if axis.label.is_empty() { 0.0 } else { LABEL.line() + 2.0 }
}

/// Which numbers of a plot are written out.
#[derive(Clone, Copy)]
pub(super) struct Written {
    pub(super) x: bool,
    pub(super) y: bool,
}

/// Lines across the plot, under everything else.
pub(super) fn grid(canvas: &mut Canvas, area: Area, x: &Axis, y: &Axis, palette: &Palette) {
    let even = |axis: &Axis| matches!(axis.spacing, Spacing::Linear | Spacing::Logarithmic);
    let mut lines = Vec::new();
    if even(x) {
        let at = |tick: &Tick| area.x + area.width * x.fraction(tick.value);
        lines.extend(numbers(x).iter().map(|tick| [at(tick), area.y, at(tick), area.y + area.height]));
    }
    if even(y) {
        let at = |tick: &Tick| area.y + area.height * (1.0 - y.fraction(tick.value));
        lines.extend(numbers(y).iter().map(|tick| [area.x, at(tick), area.x + area.width, at(tick)]));
    }
    canvas.segments(&lines, &format!("stroke=\"{}\" stroke-opacity=\"0.22\"", palette.line), 0.75);
}

/// The frame with ticks, numbers and labels.
pub(super) fn frame(
    canvas: &mut Canvas,
    area: Area,
    x: &Axis,
    y: &Axis,
    written: Written,
    palette: &Palette,
) {
    if x.spacing == Spacing::Bare {
        return;
    }
    canvas.rect(area, &format!("fill=\"none\" stroke=\"{}\" stroke-width=\"0.9\"", palette.line));
    along_bottom(canvas, area, x, written.x, palette);
    along_left(canvas, area, y, written.y, palette);
}

fn along_bottom(canvas: &mut Canvas, area: Area, axis: &Axis, written: bool, palette: &Palette) {
    let bottom = area.y + area.height;
    let place = |tick: &Tick| area.x + area.width * axis.fraction(tick.value);
    let mut shown = numbers(axis);
    let fits = |shown: &[Tick]| {
        shown.windows(2).all(|pair| {
            let half = |tick: &Tick| 0.5 * NUMBERS.width(&tick.label);
            place(&pair[0]) + half(&pair[0]) + 6.0 <= place(&pair[1]) - half(&pair[1])
        })
    };
    let mut stride = 2;
    let whole = shown.clone();
    while !fits(&shown) && shown.len() > 2 {
        shown = whole.iter().step_by(stride).cloned().collect();
        stride += 1;
    }
    let marks: Vec<[f64; 4]> =
        shown.iter().map(|tick| [place(tick), bottom, place(tick), bottom + TICK]).collect();
    canvas.segments(&marks, &format!("stroke=\"{}\"", palette.line), 0.75);
    if !written {
        return;
    }
    let ink = Ink::new(NUMBERS, palette.quiet).anchored(Anchor::Middle);
    let longest = if shown.len() > 1 { area.width / shown.len() as f64 } else { area.width };
    for tick in &shown {
        let text = NUMBERS.shorten(&tick.label, longest.max(40.0));
        canvas.text(place(tick), bottom + TICK + 1.0 + NUMBERS.size, ink, &text);
    }
    let label = LABEL.shorten(&axis.label, area.width + 30.0);
    let ink = Ink::new(LABEL, palette.ink).anchored(Anchor::Middle);
    let y = bottom + TICK + 3.0 + NUMBERS.line();
    canvas.lines(area.x + 0.5 * area.width, y, ink, &[label], &axis.label);
}

fn along_left(canvas: &mut Canvas, area: Area, axis: &Axis, written: bool, palette: &Palette) {
    let place = |tick: &Tick| area.y + area.height * (1.0 - axis.fraction(tick.value));
    let all = numbers(axis);
    let room = (area.height / NUMBERS.line()).max(1.0) as usize;
    let shown: Vec<Tick> = all.iter().step_by(all.len().div_ceil(room).max(1)).cloned().collect();
    let marks: Vec<[f64; 4]> =
        shown.iter().map(|tick| [area.x - TICK, place(tick), area.x, place(tick)]).collect();
    canvas.segments(&marks, &format!("stroke=\"{}\"", palette.line), 0.75);
    if !written {
        return;
    }
    let ink = Ink::new(NUMBERS, palette.quiet).anchored(Anchor::End);
    for tick in &shown {
        let text = NUMBERS.shorten(&tick.label, WIDEST);
        canvas.text(area.x - TICK - 3.0, place(tick) + 0.36 * NUMBERS.size, ink, &text);
    }
    if !axis.label.is_empty() {
        let left = area.x - gutter(axis) + LABEL.size;
        let ink = Ink::new(LABEL, palette.ink).anchored(Anchor::Middle);
        let label = LABEL.shorten(&axis.label, area.height + 30.0);
        canvas.turned(left, area.y + 0.5 * area.height, ink, &label, &axis.label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithmic_axes_have_a_few_round_numbers() {
        let labels = |low: f64, high: f64| -> Vec<String> {
            powers(low, high).into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(0.008, 12.0), ["0.01", "0.1", "1", "10"]);
        assert_eq!(labels(0.9, 11.0), ["1", "3", "10"]);
        assert_eq!(labels(1.5, 6.0), ["2", "5"]);
        assert!((2..=7).contains(&labels(1e-12, 1e12).len()));
        assert_eq!(labels(2.1, 2.2).len(), 3);
    }
}

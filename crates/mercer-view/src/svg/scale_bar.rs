//! The bar that says which colour is which number.

use super::canvas::{Anchor, Area, Canvas, Ink, number};
use super::palette::Palette;
use super::text::Font;
use super::ticks::{Tick, ends_and_middle, ticks};
use crate::Range;

/// The type of the numbers.
pub(super) const NUMBERS: Font = Font::new(11.5);

/// Colours of the gradient; between them the eye sees no difference from the map.
const STOPS: usize = 48;

/// The room between two numbers.
const BETWEEN: f64 = 6.0;

/// The height of a scale bar as thick as `thickness`, numbers included.
pub(super) fn height(thickness: f64) -> f64 {
    thickness + 4.0 + NUMBERS.line()
}

/// Draws the bar in `bar` with the numbers below, which stay between `left` and `right`.
pub(super) fn draw(
    canvas: &mut Canvas,
    bar: Area,
    range: Range,
    (left, right): (f64, f64),
    palette: &Palette,
) {
    let name = gradient(canvas, range);
    canvas.rect(bar, &format!("fill=\"url(#{name})\" stroke=\"{}\" stroke-width=\"0.75\"", palette.line));
    let along = |value: f64| bar.x + bar.width * ((value - range.low) / (range.high - range.low));
    let placed = |ticks: Vec<Tick>| -> Vec<(f64, f64, String)> {
        let place = |tick: Tick| {
            let (at, half) = (along(tick.value), 0.5 * NUMBERS.width(&tick.label));
            (at, at.min(right - half).max(left + half), tick.label)
        };
        ticks.into_iter().map(place).collect()
    };
    let fits = |labels: &[(f64, f64, String)]| {
        let half = |label: &str| 0.5 * NUMBERS.width(label);
        labels.windows(2).all(|pair| pair[0].1 + half(&pair[0].2) + BETWEEN <= pair[1].1 - half(&pair[1].2))
    };
    let mut labels = placed(ticks(range));
    if !fits(&labels) {
        labels = placed(ends_and_middle(range));
    }
    if !fits(&labels) {
        labels.remove(1);
    }
    let bottom = bar.y + bar.height;
    let marks: Vec<[f64; 4]> = labels.iter().map(|&(at, _, _)| [at, bottom, at, bottom + 4.0]).collect();
    canvas.segments(&marks, &format!("stroke=\"{}\"", palette.line), 0.75);
    let ink = Ink::new(NUMBERS, palette.quiet).anchored(Anchor::Middle);
    for (_, middle, label) in labels {
        canvas.text(middle, bottom + 3.0 + NUMBERS.size, ink, &label);
    }
}

/// Defines the gradient of a range. Its name is made from its colours, so that pictures inlined in one page
/// share a name only with their equals.
fn gradient(canvas: &mut Canvas, range: Range) -> String {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut stops = String::new();
    for stop in 0..=STOPS {
        let along = stop as f64 / STOPS as f64;
        let colour = range.colours().colour(range.fraction(range.low + along * (range.high - range.low)));
        let [red, green, blue] = [colour.red, colour.green, colour.blue];
        for part in [red, green, blue] {
            hash = (hash ^ u64::from(part)).wrapping_mul(0x100_0000_01b3);
        }
        let offset = number(100.0 * along);
        stops += &format!("<stop offset=\"{offset}%\" stop-color=\"#{red:02x}{green:02x}{blue:02x}\"/>");
    }
    let name = format!("mercer-scale-{hash:016x}");
    canvas.element(format_args!("<defs><linearGradient id=\"{name}\">{stops}</linearGradient></defs>"));
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Theme;

    fn drawn(range: Range, width: f64) -> String {
        let mut canvas = Canvas::default();
        let bar = Area { x: 20.0, y: 0.0, width, height: 10.0 };
        draw(&mut canvas, bar, range, (20.0, 20.0 + width), Palette::of(Theme::Light));
        canvas.document(1.0, 1.0, "", "")
    }

    #[test]
    fn numbers_are_thinned_rather_than_overlapping() {
        let count = |range, width| drawn(range, width).matches("<text").count();
        assert_eq!(count(Range::new(0.0, 1.0), 280.0), 5);
        assert_eq!(count(Range::new(0.0, 1.0), 80.0), 3);
        assert_eq!(count(Range::new(1e6, 1e6 + 0.01), 120.0), 2);
    }

    #[test]
    fn names_follow_colours() {
        let name = |range| drawn(range, 280.0).split("id=\"").nth(1).unwrap()[..29].to_owned();
        assert_eq!(name(Range::new(0.0, 1.0)), name(Range::new(0.0, 7.0)));
        assert_ne!(name(Range::new(0.0, 1.0)), name(Range::new(-1.0, 1.0)));
    }
}

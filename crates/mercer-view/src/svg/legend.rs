//! The legend: keys in rows under the plots, as many a row as fit.

use super::canvas::{Area, Canvas, Ink, number};
use super::palette::Palette;
use super::text::Font;
use super::{marks, scale_bar};
use crate::plot::{Bar, Dash, Dot, Key, Swatch};

const TEXT: Font = Font::new(11.5);
/// From the left of a swatch to its word.
const SWATCH: f64 = 24.0;
/// Between two keys.
const BETWEEN: f64 = 16.0;
/// The longest scale of colours.
const BAR: f64 = 280.0;
const BAR_THICKNESS: f64 = 11.0;

/// Draws the keys between `left` and `left + width` from `top`; returns where they end.
pub(super) fn draw(
    canvas: &mut Canvas,
    keys: &[Key],
    (left, width): (f64, f64),
    top: f64,
    palette: &'static Palette,
) -> f64 {
    let height = TEXT.line() + 3.0;
    let (mut x, mut y) = (left, top);
    for key in keys {
        let text = TEXT.shorten(&key.text, width - SWATCH);
        let need = SWATCH + TEXT.width(&text);
        if x > left && x + need > left + width {
            (x, y) = (left, y + height);
        }
        swatch(canvas, key.swatch, x, y + 0.5 * height, palette);
        let ink = Ink::new(TEXT, palette.quiet);
        canvas.lines(x + SWATCH, y + 1.0, ink, &[text], &key.text);
        x += need + BETWEEN;
    }
    if keys.is_empty() { top } else { y + height + 2.0 }
}

fn swatch(canvas: &mut Canvas, swatch: Swatch, x: f64, middle: f64, palette: &Palette) {
    let (left, right) = (x + 1.0, x + SWATCH - 6.0);
    match swatch {
        Swatch::Dot { shape, tone, size, ring } => {
            let dot = Dot { at: [0.0, 0.0], shape, tone, size, ring };
            marks::dot(canvas, [0.5 * (left + right), middle], &dot, palette);
        }
        Swatch::Line { tone, width, dash } => {
            let broken = match dash {
                Dash::Solid => "",
                Dash::Dashed => " stroke-dasharray=\"6 4\"",
                Dash::Dotted => " stroke-dasharray=\"1.5 3.5\" stroke-linecap=\"round\"",
            };
            let [from, to, y] = [left, right, middle].map(number);
            canvas.element(format_args!(
                "<path d=\"M{from} {y}L{to} {y}\" stroke=\"{}\" stroke-width=\"{width}\"{broken}/>",
                palette.tone(tone)
            ));
        }
        Swatch::Area { tone } => {
            let area = Area { x: left, y: middle - 5.0, width: right - left, height: 10.0 };
            canvas.rect(area, &format!("fill=\"{}\" fill-opacity=\"0.3\"", palette.tone(tone)));
        }
        Swatch::Frame { tone, width } => {
            let area = Area { x: left + 2.0, y: middle - 5.0, width: 12.0, height: 10.0 };
            let colour = palette.tone(tone);
            canvas.rect(area, &format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\""));
        }
    }
}

/// Draws the scale of colours; returns where it ends.
pub(super) fn bar(
    canvas: &mut Canvas,
    bar: &Bar,
    (left, width): (f64, f64),
    top: f64,
    palette: &'static Palette,
) -> f64 {
    let lines = TEXT.wrap(&bar.label, width, 2);
    let y = canvas.lines(left, top, Ink::new(TEXT, palette.quiet), &lines, &bar.label) + 3.0;
    let area = Area { x: left + 6.0, y, width: BAR.min(width - 12.0), height: BAR_THICKNESS };
    scale_bar::draw(canvas, area, bar.range.drawable(), (left - 6.0, left + width + 6.0), palette);
    y + scale_bar::height(BAR_THICKNESS) + 4.0
}

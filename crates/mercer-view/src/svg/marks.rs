//! Marks as SVG, inside the box of their plot.

use std::fmt::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::axes::NUMBERS;
use super::canvas::{Anchor, Area, Canvas, Ink, number};
use super::palette::Palette;
use crate::Error;
use crate::plot::{Axis, Dash, Dot, Image, Mark, Ring, Shape, Tone};

/// From the units of the data to those of the picture.
#[derive(Clone, Copy)]
pub(super) struct Frame<'a> {
    pub(super) area: Area,
    pub(super) x: &'a Axis,
    pub(super) y: &'a Axis,
    pub(super) palette: &'a Palette,
}

/// How far beyond the frame a coordinate may be written; what is drawn is clipped anyway.
const BEYOND: f64 = 4000.0;

impl Frame<'_> {
    fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let Area { x: left, y: top, width, height } = self.area;
        let held = |value: f64| if value.is_finite() { value.clamp(-BEYOND, BEYOND) } else { value };
        [held(left + width * self.x.fraction(x)), held(top + height * (1.0 - self.y.fraction(y)))]
    }
}

/// Draws a mark.
pub(super) fn draw(canvas: &mut Canvas, frame: Frame<'_>, mark: &Mark) -> Result<(), Error> {
    let tone = |tone: Tone| frame.palette.tone(tone);
    match mark {
        Mark::Line { points, tone: colour, width, dash } => {
            let path = path(points.iter().map(|&point| frame.place(point)));
            if !path.is_empty() {
                let (colour, broken) = (tone(*colour), dashes(*dash));
                canvas.element(format_args!(
                    "<path d=\"{path}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\" \
                     stroke-linejoin=\"round\"{broken}/>"
                ));
            }
        }
        Mark::Band { points, tone: colour } => {
            for run in points.split(|point| point.iter().any(|part| !part.is_finite())) {
                let lower = run.iter().map(|&[x, low, _]| frame.place([x, low]));
                let upper = run.iter().rev().map(|&[x, _, high]| frame.place([x, high]));
                area(canvas, &lower.chain(upper).collect::<Vec<_>>(), &tone(*colour));
            }
        }
        Mark::Surface { points, tone: colour } => {
            let placed: Vec<[f64; 2]> = points.iter().map(|&point| frame.place(point)).collect();
            area(canvas, &placed, &tone(*colour));
        }
        Mark::Boxes { boxes, tone: colour, filled, width } => {
            let colour = tone(*colour);
            let paint = match filled {
                true => format!("fill=\"{colour}\" fill-opacity=\"0.75\""),
                false => format!("fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\""),
            };
            for &[x, to_x, y, to_y] in boxes {
                let ([left, bottom], [right, top]) = (frame.place([x, y]), frame.place([to_x, to_y]));
                let area = Area { x: left, y: top, width: right - left, height: bottom - top };
                if [left, top, area.width, area.height].iter().all(|part| part.is_finite()) {
                    canvas.rect(area, &paint);
                }
            }
        }
        Mark::Dots(dots) => dots.iter().for_each(|dot| draw_dot(canvas, frame, dot)),
        Mark::Image(found) => image(canvas, frame, found)?,
        Mark::Words { at, text, tone: colour } => {
            let [x, y] = frame.place(*at);
            let colour = match colour {
                Tone::Strong => frame.palette.ink,
                _ => frame.palette.quiet,
            };
            if x.is_finite() && y.is_finite() {
                canvas.text(x, y, Ink::new(NUMBERS, colour).anchored(Anchor::Middle), text);
            }
        }
    }
    Ok(())
}

fn dashes(dash: Dash) -> &'static str {
    match dash {
        Dash::Solid => "",
        Dash::Dashed => " stroke-dasharray=\"6 4\"",
        Dash::Dotted => " stroke-dasharray=\"1.5 3.5\" stroke-linecap=\"round\"",
    }
}

/// A path through points; one that is not finite breaks it.
fn path(points: impl Iterator<Item = [f64; 2]>) -> String {
    let mut path = String::new();
    let mut command = 'M';
    for [x, y] in points {
        if !(x.is_finite() && y.is_finite()) {
            command = 'M';
            continue;
        }
        write!(path, "{command}{} {}", number(x), number(y))
            .expect("a string takes all that is written to it");
        command = 'L';
    }
    path
}

fn area(canvas: &mut Canvas, points: &[[f64; 2]], colour: &str) {
    let path = path(points.iter().copied());
    if points.len() > 2 && !path.is_empty() {
        canvas.element(format_args!("<path d=\"{path}Z\" fill=\"{colour}\" fill-opacity=\"0.2\"/>"));
    }
}

fn draw_dot(canvas: &mut Canvas, frame: Frame<'_>, dot: &Dot) {
    let [x, y] = frame.place(dot.at);
    if x.is_finite() && y.is_finite() {
        self::dot(canvas, [x, y], dot, frame.palette);
    }
}

/// A dot at a place of the picture.
pub(super) fn dot(canvas: &mut Canvas, [x, y]: [f64; 2], dot: &Dot, palette: &Palette) {
    let (colour, size) = (palette.tone(dot.tone), dot.size);
    let (edge, width) = match dot.ring {
        Ring::None => (palette.ground, 0.6),
        Ring::Outline | Ring::Halo => (palette.ink, 1.2),
    };
    let paint = format!("fill=\"{colour}\" stroke=\"{edge}\" stroke-width=\"{width}\"");
    let polygon = |corners: &[[f64; 2]]| {
        let path = path(corners.iter().map(|[right, down]| [x + right * size, y + down * size]));
        format!("<path d=\"{path}Z\" {paint}/>")
    };
    let element = match dot.shape {
        Shape::Disc => {
            format!("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" {paint}/>", number(x), number(y), number(size))
        }
        Shape::Triangle => polygon(&[[0.0, -1.25], [1.15, 0.85], [-1.15, 0.85]]),
        Shape::Square => polygon(&[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]]),
        Shape::Diamond => polygon(&[[0.0, -1.3], [1.3, 0.0], [0.0, 1.3], [-1.3, 0.0]]),
        Shape::Cross => {
            let [left, right, top, bottom] = [x - size, x + size, y - size, y + size].map(number);
            format!(
                "<path d=\"M{left} {top}L{right} {bottom}M{left} {bottom}L{right} {top}\" fill=\"none\" \
                 stroke=\"{colour}\" stroke-width=\"1.8\"/>"
            )
        }
    };
    canvas.element(element);
    if dot.ring == Ring::Halo {
        let (x, y, radius) = (number(x), number(y), number(size + 3.4));
        canvas.element(format_args!(
            "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.1\"/>",
            palette.ink
        ));
    }
}

fn image(canvas: &mut Canvas, frame: Frame<'_>, found: &Image) -> Result<(), Error> {
    let rows = found.pixels.len() / found.columns.max(1);
    let ([left, bottom], [right, top]) =
        (frame.place([found.x.0, found.y.0]), frame.place([found.x.1, found.y.1]));
    let [width, height] = [right - left, bottom - top];
    if rows == 0 || ![left, top, width, height].iter().all(|part| part.is_finite()) {
        return Ok(());
    }
    let uri = STANDARD.encode(encode(found, rows)?);
    let [x, y, width, height] = [left, top, width, height].map(number);
    let rendering = if found.sharp { " style=\"image-rendering:pixelated\"" } else { "" };
    canvas.element(format_args!(
        "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" preserveAspectRatio=\"none\"{rendering} \
         href=\"data:image/png;base64,{uri}\"/>"
    ));
    Ok(())
}

/// The pixels as a PNG; where there is none it is transparent.
fn encode(found: &Image, rows: usize) -> Result<Vec<u8>, Error> {
    let (columns, most) = (found.columns, u32::MAX as usize);
    if columns > most || rows > most {
        return Err(Error::TooLarge { width: u32::MAX, height: u32::MAX });
    }
    let pixel = |pixel: &Option<crate::Rgb>| match pixel {
        Some(colour) => [colour.red, colour.green, colour.blue, 255],
        None => [0; 4],
    };
    let bytes: Vec<u8> = found.pixels[..rows * columns].iter().flat_map(pixel).collect();
    let mut encoded = Vec::new();
    let mut encoder = png::Encoder::new(&mut encoded, columns as u32, rows as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&bytes)?;
    writer.finish()?;
    Ok(encoded)
}

//! One row of panels: title, matrix with its groups, own scale, captions.

use super::canvas::{Anchor, Area, Canvas, Ink, escape, number};
use super::groups::{LABEL, Label, Sides};
use super::palette::Palette;
use super::text::Font;
use super::{matrix, scale_bar};
use crate::{Error, HeatMap, Panel, Range};

const TITLE: Font = Font::bold(12.5);
const CAPTION: Font = Font::new(11.5);
/// The thickness of a panel's own scale.
const BAR: f64 = 7.0;

/// The measures all panels share.
pub(super) struct Frame {
    pub(super) columns: usize,
    pub(super) side: f64,
    /// Where the first matrix of a row begins.
    pub(super) left: f64,
    pub(super) gap: f64,
    pub(super) sides: Sides,
    pub(super) palette: &'static Palette,
}

/// Draws the panels of one row from `top`; returns where the row ends.
pub(super) fn draw_row(
    canvas: &mut Canvas,
    view: &HeatMap,
    frame: &Frame,
    panels: &[Panel],
    row: usize,
    top: f64,
) -> Result<f64, Error> {
    let titles: Vec<Vec<String>> =
        panels.iter().map(|panel| TITLE.wrap(&panel.title, frame.side, 2)).collect();
    let deepest = titles.iter().map(Vec::len).max().unwrap_or(0);
    let shared = view.range.drawable();
    let own = |panel: &Panel| Some(view.range_of(panel)).filter(|&range| range != shared);
    let bars = panels.iter().any(|panel| own(panel).is_some());

    let headroom = if row == 0 || frame.sides.top.is_empty() { frame.sides.headroom() } else { 0.0 };
    let title_end = top + TITLE.line() * deepest as f64 + if deepest > 0 { 3.0 } else { 0.0 };
    let y = title_end + headroom;
    let under = y + frame.side + 5.0;
    let captions = if bars { under + 3.0 + scale_bar::height(BAR) } else { under };

    let mut end = captions;
    for (place, (panel, title)) in panels.iter().zip(&titles).enumerate() {
        let x = frame.left + place as f64 * (frame.side + frame.gap);
        let start = title_end - 3.0 - TITLE.line() * title.len() as f64;
        canvas.lines(x, start, Ink::new(TITLE, frame.palette.ink), title, &panel.title);
        let area = Area { x, y, width: frame.side, height: frame.side };
        draw_matrix(canvas, panel, view.range_of(panel), area, frame.palette)?;
        draw_groups(canvas, frame, area, place == 0, row == 0);
        if let Some(range) = own(panel) {
            let bar = Area { x, y: under + 3.0, width: frame.side, height: BAR };
            scale_bar::draw(canvas, bar, range, (x - 7.0, x + frame.side + 7.0), frame.palette);
        }
        end = end.max(draw_captions(canvas, panel, frame, x, captions));
    }
    Ok(end)
}

fn draw_captions(canvas: &mut Canvas, panel: &Panel, frame: &Frame, x: f64, top: f64) -> f64 {
    let ink = Ink::new(CAPTION, frame.palette.quiet);
    panel.captions.iter().fold(top, |y, caption| {
        let line = CAPTION.shorten(caption, frame.side);
        canvas.lines(x, y, ink, &[line], caption)
    })
}

fn draw_matrix(
    canvas: &mut Canvas,
    panel: &Panel,
    range: Range,
    area: Area,
    palette: &Palette,
) -> Result<(), Error> {
    let grid = &panel.matrix;
    if grid.missing() > 0 {
        canvas.rect(area, &hatched(palette));
    }
    if grid.side() == 0 {
        let ink = Ink::new(CAPTION, palette.quiet).anchored(Anchor::Middle);
        canvas.text(area.x + 0.5 * area.width, area.y + 0.5 * area.height, ink, "no rows");
    } else {
        // Sharp cells, unless the screen has fewer pixels than the image: dropping rows would draw moiré.
        let sharp = grid.side() as f64 <= area.width;
        let rendering = if sharp { " style=\"image-rendering:pixelated\"" } else { "" };
        let [x, y, width, height] = [area.x, area.y, area.width, area.height].map(number);
        let label = escape(&panel.title);
        let uri = matrix::data_uri(grid, range)?;
        canvas.element(format_args!(
            "<image x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
             preserveAspectRatio=\"none\"{rendering} href=\"{uri}\"><title>{label}</title></image>"
        ));
    }
    canvas.rect(area, &format!("fill=\"none\" stroke=\"{}\" stroke-width=\"0.75\"", palette.line));
    Ok(())
}

/// Lines or ticks between the groups, and their labels at the left of a row and at the top of the first one.
fn draw_groups(canvas: &mut Canvas, frame: &Frame, area: Area, first_column: bool, first_row: bool) {
    let Area { x, y, width, height } = area;
    let sides = &frame.sides;
    if sides.across {
        let lines = |&at: &f64| [[x, y + at, x + width, y + at], [x + at, y, x + at, y + height]];
        let lines: Vec<[f64; 4]> = sides.boundaries.iter().flat_map(lines).collect();
        // Light on dark: one of the two shows on any colour below.
        canvas.segments(&lines, "stroke=\"#000000\" stroke-opacity=\"0.4\"", 1.75);
        canvas.segments(&lines, "stroke=\"#ffffff\" stroke-opacity=\"0.9\"", 0.75);
    } else {
        let tops = |at: f64| [x + at, y - 5.0, x + at, y - 1.0];
        let lefts = |at: f64| [x - 5.0, y + at, x - 1.0, y + at];
        let mut marks: Vec<[f64; 4]> = sides.ticks().map(tops).collect();
        if first_column {
            marks.extend(sides.ticks().map(lefts));
        }
        canvas.segments(&marks, &format!("stroke=\"{}\"", frame.palette.line), 0.75);
    }
    let ink = Ink::new(LABEL, frame.palette.quiet);
    let mut put = |label: &Label, x: f64, y: f64, anchor: Anchor| {
        let lines = [label.shown.clone()];
        canvas.lines(x, y - (0.76 * LABEL.line()).round(), ink.anchored(anchor), &lines, &label.full);
    };
    if first_column {
        sides
            .left
            .iter()
            .for_each(|label| put(label, x - 6.0, y + label.middle + 0.36 * LABEL.size, Anchor::End));
    }
    if first_row {
        sides.top.iter().for_each(|label| put(label, x + label.middle, y - 5.0, Anchor::Middle));
    }
}

/// The definition of the hatch behind missing cells.
pub(super) fn hatch(palette: &Palette) -> String {
    let Palette { ground, line, hatch, .. } = palette;
    format!(
        "<defs><pattern id=\"{hatch}\" width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\" \
         patternTransform=\"rotate(45)\"><rect width=\"5\" height=\"5\" fill=\"{ground}\"/>\
         <rect width=\"2\" height=\"5\" fill=\"{line}\"/></pattern></defs>"
    )
}

/// The paint of a hatched box.
pub(super) fn hatched(palette: &Palette) -> String {
    format!("fill=\"url(#{})\" stroke=\"{}\" stroke-width=\"0.75\"", palette.hatch, palette.line)
}

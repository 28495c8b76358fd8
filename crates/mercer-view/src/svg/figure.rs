//! A figure as SVG, from top to bottom: titles, rows of plots, the legend, the scale of colours, notes.

use super::axes::{self, Written};
use super::canvas::{Area, Canvas, Ink, number};
use super::legend;
use super::marks::{self, Frame};
use super::palette::Palette;
use super::text::Font;
use crate::plot::{Axis, Figure, Plot};
use crate::{Error, View};

const TITLE: Font = Font::bold(16.0);
const SUBTITLE: Font = Font::new(12.0);
const PLOT_TITLE: Font = Font::bold(12.0);
const CAPTION: Font = Font::new(11.0);
const NOTE: Font = Font::new(11.0);

/// Empty paper around the picture.
const MARGIN: f64 = 16.0;
/// Between two plots of a row, and between two rows.
const GAP: f64 = 18.0;
/// The narrowest plot of those that share their axes, and of others.
const NARROW: (f64, f64) = (140.0, 250.0);
/// The widest square plot.
const WIDEST: f64 = 470.0;

impl View for Figure {
    fn svg(&self) -> Result<String, Error> {
        let palette = Palette::of(self.look.theme);
        let layout = Layout::of(self);
        let (content, width) = (layout.width - 2.0 * MARGIN, layout.width);
        let mut canvas = Canvas::default();
        let mut y = headings(self, &mut canvas, content, palette);
        for (row, plots) in self.plots.chunks(layout.columns).enumerate() {
            y = layout.row(self, &mut canvas, plots, row, y, palette)? + GAP - 4.0;
        }
        if self.plots.is_empty() {
            let ink = Ink::new(SUBTITLE, palette.quiet);
            y = canvas.lines(MARGIN, y, ink, &["nothing to show".to_owned()], "") + GAP;
        }
        if let Some(bar) = &self.bar {
            y = legend::bar(&mut canvas, bar, (MARGIN, content), y, palette);
        }
        y = legend::draw(&mut canvas, &self.legend, (MARGIN, content), y, palette);
        let ink = Ink::new(NOTE, palette.quiet);
        for note in &self.notes {
            y = canvas.lines(MARGIN, y + 2.0, ink, &NOTE.wrap(note, content, 4), note);
        }
        let height = (y + MARGIN - 6.0).ceil();
        let mut whole = Canvas::default();
        let ground = Area { x: 0.0, y: 0.0, width, height };
        whole.rect(ground, &format!("fill=\"{}\"", palette.ground));
        whole.append(canvas);
        Ok(whole.document(width, height, &self.title, &description(self)))
    }
}

fn headings(figure: &Figure, canvas: &mut Canvas, content: f64, palette: &Palette) -> f64 {
    let title = TITLE.wrap(&figure.title, content, 3);
    let subtitle = SUBTITLE.wrap(&figure.subtitle, content, 3);
    let y = canvas.lines(MARGIN, MARGIN - 4.0, Ink::new(TITLE, palette.ink), &title, &figure.title);
    let below = canvas.lines(MARGIN, y + 2.0, Ink::new(SUBTITLE, palette.quiet), &subtitle, &figure.subtitle);
    if title.is_empty() && subtitle.is_empty() { MARGIN } else { below + 9.0 }
}

/// The measures that all plots share.
struct Layout {
    width: f64,
    columns: usize,
    /// Room for numbers and label at the left of a plot.
    gutter: f64,
    /// Room for numbers and label below a plot.
    footer: f64,
    side: f64,
    height: f64,
    shared: bool,
}

impl Layout {
    fn of(figure: &Figure) -> Self {
        let width = figure.look.held();
        let content = width - 2.0 * MARGIN;
        let drawn: Vec<(Axis, Axis)> =
            figure.plots.iter().map(|plot| (plot.x.drawable(), plot.y.drawable())).collect();
        let gutter = drawn.iter().map(|(_, y)| axes::gutter(y)).fold(0.0, f64::max);
        let footer = drawn.iter().map(|(x, _)| axes::footer(x)).fold(0.0, f64::max);
        let shared = figure.shared && figure.plots.len() > 1;
        // Plots that share their axes have numbers at the first of a row only.
        let each = if shared { 0.0 } else { gutter };
        let narrow = if shared { NARROW.0 } else { NARROW.1 };
        let fixed = if shared { gutter } else { 0.0 };
        let fit = ((content - fixed + GAP) / (narrow + GAP)).floor().max(1.0) as usize;
        let columns = full_rows(figure.plots.len(), fit);
        let free = content - fixed - GAP * (columns - 1) as f64;
        let square = figure.plots.iter().all(|plot| plot.square);
        let side = free / columns as f64 - each;
        let side = if square { side.min(WIDEST) } else { side };
        let height = if square { side } else { (0.62 * side).clamp(150.0, 360.0) };
        let used = fixed + columns as f64 * (side + each) + GAP * (columns - 1) as f64;
        // A picture is as wide as what is in it, but a heading wants room.
        let width = if figure.plots.is_empty() { width } else { (used + 2.0 * MARGIN).max(width.min(420.0)) };
        Self { width, columns, gutter, footer, side, height, shared }
    }

    /// Draws a row of plots from `top`; returns where it ends.
    fn row(
        &self,
        figure: &Figure,
        canvas: &mut Canvas,
        plots: &[Plot],
        row: usize,
        top: f64,
        palette: &'static Palette,
    ) -> Result<f64, Error> {
        let titles: Vec<Vec<String>> =
            plots.iter().map(|plot| PLOT_TITLE.wrap(&plot.title, self.side, 2)).collect();
        let deepest = titles.iter().map(Vec::len).max().unwrap_or(0) as f64;
        let y = top + PLOT_TITLE.line() * deepest + if deepest > 0.0 { 3.0 } else { 0.0 };
        let mut end = y + self.height;
        for (place, (plot, title)) in plots.iter().zip(&titles).enumerate() {
            let step = if self.shared { self.side } else { self.gutter + self.side };
            let x = MARGIN + self.gutter + place as f64 * (step + GAP);
            let area = Area { x, y, width: self.side, height: self.height };
            let title_top = y - 3.0 - PLOT_TITLE.line() * title.len() as f64;
            canvas.lines(x, title_top, Ink::new(PLOT_TITLE, palette.ink), title, &plot.title);
            // The last plot of a column has the numbers, also where the row below it is shorter.
            let is_last = (row + 1) * self.columns + place >= figure.plots.len();
            let written = Written { x: !self.shared || is_last, y: !self.shared || place == 0 };
            draw_plot(canvas, plot, area, written, palette)?;
            let below = y + self.height + if written.x { self.footer } else { 4.0 };
            let below = plot.captions.iter().fold(below, |y, caption| {
                let line = CAPTION.shorten(caption, self.side + 20.0);
                canvas.lines(x, y, Ink::new(CAPTION, palette.quiet), &[line], caption)
            });
            end = end.max(below);
        }
        Ok(end)
    }
}

/// As many plots a row as fit, but rather fewer than a last row that is nearly empty.
fn full_rows(count: usize, fit: usize) -> usize {
    let most = fit.min(count.max(1));
    let empty = |columns: usize| count.div_ceil(columns) * columns - count;
    (1..=most).filter(|&columns| columns > 1 || most == 1).min_by_key(|&c| (empty(c), most - c)).unwrap_or(1)
}

fn draw_plot(
    canvas: &mut Canvas,
    plot: &Plot,
    area: Area,
    written: Written,
    palette: &'static Palette,
) -> Result<(), Error> {
    let (x, y) = (plot.x.drawable(), plot.y.drawable());
    axes::grid(canvas, area, &x, &y, palette);
    // A name made of the measures: pictures inlined in one page share it only with their equals.
    let [left, top, width, height] = [area.x, area.y, area.width, area.height].map(number);
    let name = format!("mercer-clip-{left}-{top}-{width}-{height}").replace('.', "_");
    canvas.element(format_args!(
        "<clipPath id=\"{name}\"><rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\"/></clipPath>\n\
         <g clip-path=\"url(#{name})\">"
    ));
    for mark in &plot.marks {
        marks::draw(canvas, Frame { area, x: &x, y: &y, palette }, mark)?;
    }
    canvas.element("</g>");
    axes::frame(canvas, area, &x, &y, written, palette);
    Ok(())
}

/// The picture in words.
fn description(figure: &Figure) -> String {
    let mut words = Vec::new();
    if !figure.subtitle.is_empty() {
        words.push(figure.subtitle.clone());
    }
    for plot in &figure.plots {
        let name = if plot.title.is_empty() { "Plot".to_owned() } else { format!("\"{}\"", plot.title) };
        if !plot.x.label.is_empty() {
            words.push(format!("{name}: {} against {}", plot.y.label, plot.x.label));
        }
        words.extend(plot.captions.iter().cloned());
    }
    words.extend(figure.legend.iter().map(|key| key.text.clone()));
    words.extend(figure.notes.iter().cloned());
    words.join(". ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_full_where_they_can_be() {
        assert_eq!([1, 2, 3, 4, 5, 6].map(|count| full_rows(count, 3)), [1, 2, 3, 2, 3, 3]);
        assert_eq!([1, 2, 4, 6].map(|count| full_rows(count, 1)), [1, 1, 1, 1]);
        assert_eq!(full_rows(0, 4), 1);
    }
}

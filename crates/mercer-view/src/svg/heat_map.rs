//! A heat map as SVG, from top to bottom: titles, rows of panels, the shared scale, notes.

use super::canvas::{Area, Canvas, Ink};
use super::groups::Sides;
use super::palette::Palette;
use super::panel::{self, Frame};
use super::scale_bar::{self, NUMBERS};
use super::text::Font;
use crate::{Error, HeatMap, Look, MOST_COLUMNS, Panel, Scale, View};

const TITLE: Font = Font::bold(17.0);
const SUBTITLE: Font = Font::new(12.5);
const NOTE: Font = Font::new(11.0);

/// Empty paper around the picture.
const MARGIN: f64 = 20.0;
/// Between two panels of a row.
const GAP: f64 = 20.0;
/// Between two rows, and between the rows and the scale.
const ROW_GAP: f64 = 20.0;
/// The narrowest panel.
const NARROW: f64 = 120.0;
/// The longest shared scale.
const BAR: f64 = 280.0;
const BAR_THICKNESS: f64 = 11.0;

impl View for HeatMap {
    fn svg(&self) -> Result<String, Error> {
        check_groups(self)?;
        let palette = Palette::of(self.theme);
        let frame = frame(self, palette);
        let content = frame.left + frame.columns as f64 * (frame.side + GAP) - GAP - MARGIN;
        let width = content + 2.0 * MARGIN;

        let mut canvas = Canvas::default();
        let mut y = headings(self, &mut canvas, content, palette);
        for (row, panels) in self.panels.chunks(frame.columns).enumerate() {
            y = panel::draw_row(&mut canvas, self, &frame, panels, row, y)? + ROW_GAP;
        }
        if self.panels.is_empty() {
            y = canvas.lines(MARGIN, y, Ink::new(SUBTITLE, palette.quiet), &["no panels".into()], "")
                + ROW_GAP;
        }
        y = shared_scale(self, &mut canvas, &frame, width, y);
        y = notes(self, &mut canvas, &frame, content, y);
        let height = (y + MARGIN - 6.0).ceil();

        let mut whole = Canvas::default();
        let ground = Area { x: 0.0, y: 0.0, width, height };
        whole.rect(ground, &format!("fill=\"{}\"", palette.ground));
        if self.panels.iter().any(|panel| panel.matrix.missing() > 0) {
            whole.element(panel::hatch(palette));
        }
        whole.append(canvas);
        Ok(whole.document(width, height, &self.title, &description(self)))
    }
}

fn check_groups(view: &HeatMap) -> Result<(), Error> {
    let counted = view.groups.iter().map(|group| group.count).sum();
    match view.panels.iter().position(|panel| panel.matrix.rows() != counted) {
        Some(place) if !view.groups.is_empty() => Err(Error::GroupCount {
            panel: place + 1,
            title: view.panels[place].title.clone(),
            counted,
            rows: view.panels[place].matrix.rows(),
        }),
        _ => Ok(()),
    }
}

/// The measures all panels share.
fn frame(view: &HeatMap, palette: &'static Palette) -> Frame {
    let count = view.panels.len();
    // Before the panels have a size their labels are taken to be as wide as they get.
    let room = view.width.map(|width| Look::wide(width).held() - 2.0 * MARGIN - Sides::MOST);
    let fit = room.map_or(MOST_COLUMNS, |room| ((room + GAP) / (NARROW + GAP)).floor().max(1.0) as usize);
    let columns = view.columns.unwrap_or(balanced(count)).min(fit).clamp(1, MOST_COLUMNS).min(count.max(1));
    let aim = match columns {
        1 => 400.0,
        2 => 280.0,
        3 | 4 => 200.0,
        _ => 160.0,
    };
    let aim = room.map_or(aim, |room| ((room + GAP) / columns as f64 - GAP).min(aim));
    let side = view.panels.first().map_or(aim, |panel| whole_pixels(panel.matrix.side(), aim));
    let sides =
        view.panels.first().map_or_else(Sides::none, |panel| Sides::new(&view.groups, &panel.matrix, side));
    let left = MARGIN + sides.gutter();
    Frame { columns, side, left, gap: GAP, sides, palette }
}

/// Columns that leave the rows about equally full.
fn balanced(count: usize) -> usize {
    match count {
        0..=4 => count.max(1),
        5 | 6 | 9 => 3,
        7 | 8 | 11 | 12 => 4,
        10 => 5,
        _ => MOST_COLUMNS,
    }
}

/// A side near `aim` at which a cell is a whole number of half units (pixels of the PNG), if there is one.
fn whole_pixels(cells: usize, aim: f64) -> f64 {
    let cells = cells.max(1) as f64;
    let snapped = (2.0 * aim / cells).round().max(1.0) * cells / 2.0;
    if (snapped - aim).abs() <= 0.13 * aim { snapped } else { aim }
}

fn headings(view: &HeatMap, canvas: &mut Canvas, content: f64, palette: &Palette) -> f64 {
    let title = TITLE.wrap(&view.title, content, 2);
    let subtitle = SUBTITLE.wrap(&view.subtitle, content, 3);
    let y = canvas.lines(MARGIN, MARGIN - 4.0, Ink::new(TITLE, palette.ink), &title, &view.title);
    let below = canvas.lines(MARGIN, y + 2.0, Ink::new(SUBTITLE, palette.quiet), &subtitle, &view.subtitle);
    if title.is_empty() && subtitle.is_empty() { MARGIN } else { below + 12.0 }
}

/// The scale of the panels that share one, and what hatching means.
fn shared_scale(view: &HeatMap, canvas: &mut Canvas, frame: &Frame, width: f64, y: f64) -> f64 {
    let range = view.range.drawable();
    let missing = view.panels.iter().any(|panel| panel.matrix.missing() > 0);
    let shared = |panel: &Panel| panel.scale == Scale::Shared || view.range_of(panel) == range;
    let drawn = view.panels.is_empty() || view.panels.iter().any(shared);
    if !drawn && !missing {
        return y;
    }
    let reserved = if missing { 56.0 + NUMBERS.width("not finite") } else { 0.0 };
    let length = if drawn { BAR.min(width - MARGIN - frame.left - reserved) } else { 0.0 };
    let bar = Area { x: frame.left, y, width: length, height: BAR_THICKNESS };
    if drawn {
        scale_bar::draw(canvas, bar, range, (MARGIN - 10.0, width - MARGIN + 10.0), frame.palette);
    }
    if missing {
        let x = frame.left + length + if drawn { 32.0 } else { 0.0 };
        let swatch = Area { x, width: 18.0, ..bar };
        canvas.rect(swatch, &panel::hatched(frame.palette));
        canvas.text(x + 24.0, y + BAR_THICKNESS - 1.5, Ink::new(NUMBERS, frame.palette.quiet), "not finite");
    }
    y + scale_bar::height(BAR_THICKNESS)
}

fn notes(view: &HeatMap, canvas: &mut Canvas, frame: &Frame, content: f64, top: f64) -> f64 {
    let mut notes = view.notes();
    notes.extend(unnamed_groups(view, frame));
    let ink = Ink::new(NOTE, frame.palette.quiet);
    let start = if notes.is_empty() { top } else { top + 8.0 };
    notes.iter().fold(start, |y, note| canvas.lines(MARGIN, y, ink, &NOTE.wrap(note, content, 3), note))
}

/// A remark in place of labels that did not fit.
fn unnamed_groups(view: &HeatMap, frame: &Frame) -> Option<String> {
    let groups = view.groups.iter().filter(|group| group.count > 0).count();
    let named = groups < 2 || !frame.sides.left.is_empty();
    let ticks = if frame.sides.across { 1 } else { frame.sides.stride };
    match (named, ticks) {
        (true, _) => None,
        (false, 1) => Some(format!("rows in {groups} groups, in order")),
        (false, _) => Some(format!("rows in {groups} groups, in order; a tick every {ticks} groups")),
    }
}

/// The picture in words.
fn description(view: &HeatMap) -> String {
    let mut words = view.subtitle.clone();
    if !words.is_empty() {
        words += ". ";
    }
    for panel in &view.panels {
        let matrix = &panel.matrix;
        words += &format!("Heat map \"{}\" of {} × {} entries", panel.title, matrix.rows(), matrix.rows());
        if !panel.captions.is_empty() {
            words += &format!(": {}", panel.captions.join(", "));
        }
        words += ". ";
    }
    let range = view.range.drawable();
    words += &format!("Colours run from {} to {}. ", range.low, range.high);
    words + &view.notes().join(". ")
}

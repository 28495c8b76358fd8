//! How wide text is, and where it breaks.
//!
//! SVG does not break lines, so lines are broken here, from the advance widths of DejaVu Sans, the widest of the
//! fonts in the stack: what fits with it fits with the others. Characters beyond ASCII are taken as wide as the
//! widest of their kind.

/// A size and weight of type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Font {
    pub(super) size: f64,
    pub(super) bold: bool,
}

impl Font {
    pub(super) const fn new(size: f64) -> Self {
        Self { size, bold: false }
    }

    pub(super) const fn bold(size: f64) -> Self {
        Self { size, bold: true }
    }

    /// From one baseline to the next.
    pub(super) fn line(&self) -> f64 {
        (self.size * 1.35).round()
    }

    /// The width of a line.
    pub(super) fn width(&self, text: &str) -> f64 {
        text.chars().map(|letter| self.advance(letter)).sum()
    }

    fn advance(&self, letter: char) -> f64 {
        let table = if self.bold { &BOLD } else { &REGULAR };
        let thousandths = match letter {
            ' '..='~' => table[letter as usize - ' ' as usize],
            '\u{300}'..='\u{36f}' => 0,
            '²' | '³' | '¹' | '·' | '\u{2070}'..='\u{209c}' => 450,
            '\u{a1}'..='\u{2bf}' | '\u{370}'..='\u{3ff}' if letter.is_lowercase() => 720,
            '−' | '×' | '≤' | '≥' => 838,
            '\u{a0}'..='\u{10ff}' => 900,
            _ => 1050,
        };
        self.size * f64::from(thousandths) / 1000.0
    }

    /// The text, or as much of it as fits with an ellipsis.
    pub(super) fn shorten(&self, text: &str, width: f64) -> String {
        if self.width(text) <= width {
            return text.to_owned();
        }
        let room = width - self.advance('…');
        let fitting = &text[..self.fitting(text, room)];
        format!("{}…", fitting.trim_end())
    }

    /// The text in at most `lines` lines; what is left over at the last one makes room for an ellipsis.
    pub(super) fn wrap(&self, text: &str, width: f64, lines: usize) -> Vec<String> {
        let mut wrapped = Vec::new();
        let mut rest = text.trim();
        while !rest.is_empty() && wrapped.len() < lines {
            if wrapped.len() + 1 == lines {
                wrapped.push(self.shorten(rest, width));
                break;
            }
            let (line, after) = rest.split_at(self.break_at(rest, width));
            wrapped.push(line.trim_end().to_owned());
            rest = after.trim_start();
        }
        wrapped
    }

    /// The bytes of the first line: up to the last good place to break, or to what fits.
    fn break_at(&self, text: &str, width: f64) -> usize {
        let fitting = self.fitting(text, width);
        if fitting == text.len() {
            return fitting;
        }
        if text[fitting..].starts_with(' ') {
            return fitting;
        }
        let after = |place: &str| text[..fitting].rfind(|letter| place.contains(letter)).map(|at| at + 1);
        // A break inside an expression beats a line that is a third empty.
        let full = |at: &usize| 3 * at >= 2 * fitting;
        let first = text.chars().next().map_or(0, char::len_utf8);
        let good = after(" ").filter(full).or(after(",;+*/|)").filter(full)).or(after(" "));
        good.unwrap_or(fitting).max(first)
    }

    /// The bytes of the longest start of `text` that fits.
    fn fitting(&self, text: &str, width: f64) -> usize {
        let mut used = 0.0;
        for (at, letter) in text.char_indices() {
            used += self.advance(letter);
            if used > width {
                return at;
            }
        }
        text.len()
    }
}

/// Advance widths of ASCII from the space on, in thousandths of the size.
#[rustfmt::skip]
const REGULAR: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838,
];

/// The same in bold.
#[rustfmt::skip]
const BOLD: [u16; 95] = [
    348, 456, 521, 838, 696, 1002, 872, 306, 457, 457, 523, 838, 380, 415, 380, 365, 696, 696, 696,
    696, 696, 696, 696, 696, 696, 696, 400, 400, 838, 838, 838, 580, 1000, 774, 762, 734, 830, 683,
    683, 821, 837, 372, 372, 775, 637, 995, 837, 850, 733, 850, 770, 720, 682, 812, 774, 1103, 771,
    724, 725, 457, 365, 457, 838, 500, 500, 675, 716, 593, 716, 678, 435, 716, 712, 343, 343, 665,
    343, 1042, 712, 687, 716, 716, 493, 595, 478, 712, 652, 924, 645, 652, 582, 712, 365, 712, 838,
];

#[cfg(test)]
mod tests {
    use super::*;

    const FONT: Font = Font::new(12.0);

    #[test]
    fn lines_fit_and_lose_nothing() {
        let text =
            "normalize(0.5*rbf(sigma=0.25)+0.25*polynomial(degree=3,offset=1)) on the two moons, ordered";
        let lines = FONT.wrap(text, 180.0, 9);
        assert!(lines.len() > 2 && lines.iter().all(|line| FONT.width(line) <= 180.0), "{lines:?}");
        let without_spaces = |text: &str| text.replace(' ', "");
        assert_eq!(without_spaces(&lines.concat()), without_spaces(text));
    }

    #[test]
    fn what_is_left_over_ends_in_an_ellipsis() {
        let lines = FONT.wrap(&"word ".repeat(60), 180.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…') && FONT.width(&lines[1]) <= 180.0);
        assert!(!lines[0].contains('…'));
        assert_eq!(FONT.shorten("short", 180.0), "short");
        assert_eq!(FONT.wrap("  ", 180.0, 2), Vec::<String>::new());
    }

    #[test]
    fn letters_of_any_width_end() {
        for text in ["😀😀😀😀", "ααααααα", "WWWWWW", "αβ γδ"] {
            for width in [0.0, 1.0, 20.0] {
                let lines = FONT.wrap(text, width, 50);
                assert!(!lines.is_empty() && lines.len() <= 7, "{lines:?}");
            }
        }
    }
}

//! The colours of paper and ink.

use crate::colour::series;
use crate::{Theme, Tone};

/// What a theme means in colours.
pub(super) struct Palette {
    /// The theme itself.
    pub(super) theme: Theme,
    /// The paper.
    pub(super) ground: &'static str,
    /// Titles.
    pub(super) ink: &'static str,
    /// Everything else that is read.
    pub(super) quiet: &'static str,
    /// Frames and ticks.
    pub(super) line: &'static str,
    /// The name of the hatch in this theme; pictures inlined in one page share it.
    pub(super) hatch: &'static str,
}

impl Tone {
    /// The colour that a theme gives it, as `#rrggbb`.
    ///
    /// ```
    /// use mercer_view::{Theme, Tone};
    ///
    /// assert_eq!(Tone::Paper.colour(Theme::Light), "#ffffff");
    /// ```
    pub fn colour(self, theme: Theme) -> String {
        Palette::of(theme).tone(self)
    }
}

impl Palette {
    /// The colour of a tone.
    pub(super) fn tone(&self, tone: Tone) -> String {
        match tone {
            Tone::Strong => self.ink.to_owned(),
            Tone::Quiet => self.quiet.to_owned(),
            Tone::Faint => self.line.to_owned(),
            Tone::Paper => self.ground.to_owned(),
            Tone::Series(number) => series(self.theme, number).to_string(),
        }
    }

    pub(super) fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Light => &Self {
                theme: Theme::Light,
                ground: "#ffffff",
                ink: "#15181c",
                quiet: "#4b535c",
                line: "#7d8690",
                hatch: "mercer-hatch-light",
            },
            Theme::Dark => &Self {
                theme: Theme::Dark,
                ground: "#14171c",
                ink: "#f0f2f4",
                quiet: "#b4bcc5",
                line: "#7d8690",
                hatch: "mercer-hatch-dark",
            },
        }
    }
}

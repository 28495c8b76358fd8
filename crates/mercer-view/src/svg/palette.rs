//! The colours of paper and ink.

use crate::Theme;

/// What a theme means in colours.
pub(super) struct Palette {
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

impl Palette {
    pub(super) fn of(theme: Theme) -> &'static Self {
        match theme {
            Theme::Light => &Self {
                ground: "#ffffff",
                ink: "#15181c",
                quiet: "#4b535c",
                line: "#7d8690",
                hatch: "mercer-hatch-light",
            },
            Theme::Dark => &Self {
                ground: "#14171c",
                ink: "#f0f2f4",
                quiet: "#b4bcc5",
                line: "#7d8690",
                hatch: "mercer-hatch-dark",
            },
        }
    }
}

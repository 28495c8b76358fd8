//! How a figure is to look, apart from what it shows.

use serde::Serialize;

use crate::Theme;

/// The theme and the width of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Look {
    /// The colours of paper and ink.
    pub theme: Theme,
    /// The most that a figure is wide, in units (pixels of a plain screen), held to [`Look::LEAST`]…[`Look::MOST`]. Small
    /// multiples take as many columns as fit, and type keeps its size.
    pub width: f64,
}

impl Look {
    /// The narrowest figure.
    pub const LEAST: f64 = 300.0;
    /// The widest figure.
    pub const MOST: f64 = 2400.0;

    /// Light, and so wide.
    pub fn wide(width: f64) -> Self {
        Self { width, ..Self::default() }
    }

    /// The same in another theme.
    pub fn themed(self, theme: Theme) -> Self {
        Self { theme, ..self }
    }

    /// The width, held to what can be drawn.
    pub(crate) fn held(self) -> f64 {
        if self.width.is_finite() { self.width.clamp(Self::LEAST, Self::MOST) } else { Self::default().width }
    }
}

impl Default for Look {
    /// Light, 640 units wide.
    fn default() -> Self {
        Self { theme: Theme::Light, width: 640.0 }
    }
}

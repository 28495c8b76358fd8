//! Colours that tell classes and series apart, for every kind of colour vision: those of M. Okabe and K. Ito (*Color
//! universal design*, 2008), in an order in which the first ones stand out from the paper most.

use super::Rgb;
use crate::Theme;

const fn rgb(code: u32) -> Rgb {
    Rgb { red: (code >> 16) as u8, green: (code >> 8) as u8, blue: code as u8 }
}

/// On white paper; yellow, which hardly shows there, comes last.
const LIGHT: [Rgb; 8] = [
    rgb(0x0072b2),
    rgb(0xd55e00),
    rgb(0x009e73),
    rgb(0xcc79a7),
    rgb(0xe69f00),
    rgb(0x56b4e9),
    rgb(0x4d4d4d),
    rgb(0xd8c800),
];

/// On dark paper; the darker ones come last.
const DARK: [Rgb; 8] = [
    rgb(0x56b4e9),
    rgb(0xe69f00),
    rgb(0x00b887),
    rgb(0xcc79a7),
    rgb(0xf0e442),
    rgb(0x2f8fd0),
    rgb(0xc8ccd0),
    rgb(0xe8702a),
];

/// The colour of a class; after eight they repeat.
pub(crate) fn series(theme: Theme, number: usize) -> Rgb {
    match theme {
        Theme::Light => LIGHT[number % LIGHT.len()],
        Theme::Dark => DARK[number % DARK.len()],
    }
}

/// The paper.
pub(crate) fn ground(theme: Theme) -> Rgb {
    match theme {
        Theme::Light => rgb(0xffffff),
        Theme::Dark => rgb(0x14171c),
    }
}

#[cfg(test)]
mod tests {
    use super::super::oklab::tests::{linear, seen};
    use super::*;

    #[test]
    fn series_stand_out_from_the_paper_and_from_each_other() {
        for theme in [Theme::Light, Theme::Dark] {
            let paper = seen(linear(ground(theme)));
            let all: Vec<_> = (0..8).map(|number| seen(linear(series(theme, number)))).collect();
            for (number, colour) in all.iter().enumerate() {
                assert!((colour.lightness - paper.lightness).abs() > 0.17, "{theme:?} {number}");
                for other in &all[..number] {
                    let apart = (colour.lightness - other.lightness)
                        .hypot(colour.a - other.a)
                        .hypot(colour.b - other.b);
                    assert!(apart > 0.07, "{theme:?} {number}: {apart}");
                }
            }
        }
    }
}

//! OKLab, a colour space in which equal steps look equal (B. Ottosson, *A perceptual color space for image
//! processing*, 2020), to and from 8-bit sRGB.

use super::Rgb;

/// A colour by lightness (0 black, 1 white) and two opponent axes: green–red and blue–yellow.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Oklab {
    pub(super) lightness: f64,
    pub(super) a: f64,
    pub(super) b: f64,
}

impl Oklab {
    /// The nearest 8-bit colour of the same lightness and hue: chroma gives way where the screen has no such
    /// colour.
    pub(super) fn to_rgb(self) -> Rgb {
        let faded = |chroma: f64| Self { a: self.a * chroma, b: self.b * chroma, ..self }.to_linear();
        let fits = |linear: [f64; 3]| linear.iter().all(|part| (-1e-9..=1.0 + 1e-9).contains(part));
        let (mut inside, mut outside) = (0.0, 1.0);
        if fits(faded(1.0)) {
            inside = 1.0;
        }
        while inside < 1.0 && outside - inside > 1e-6 {
            let middle = 0.5 * (inside + outside);
            if fits(faded(middle)) { inside = middle } else { outside = middle }
        }
        let [red, green, blue] = faded(inside).map(|part| (255.0 * encoded(part)).round() as u8);
        Rgb { red, green, blue }
    }

    fn to_linear(self) -> [f64; 3] {
        let Self { lightness, a, b } = self;
        let long = (lightness + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
        let medium = (lightness - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
        let short = (lightness - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
        [
            4.076_741_662_1 * long - 3.307_711_591_3 * medium + 0.230_969_929_2 * short,
            -1.268_438_004_6 * long + 2.609_757_401_1 * medium - 0.341_319_396_5 * short,
            -0.004_196_086_3 * long - 0.703_418_614_7 * medium + 1.707_614_701_0 * short,
        ]
    }
}

/// The sRGB transfer curve.
fn encoded(part: f64) -> f64 {
    let part = part.clamp(0.0, 1.0);
    if part <= 0.003_130_8 { 12.92 * part } else { 1.055 * part.powf(1.0 / 2.4) - 0.055 }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Undoes the sRGB transfer curve.
    pub(in crate::colour) fn linear(colour: Rgb) -> [f64; 3] {
        [colour.red, colour.green, colour.blue].map(|part| {
            let part = f64::from(part) / 255.0;
            if part <= 0.040_45 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// The OKLab colour of linear light.
    pub(in crate::colour) fn seen([red, green, blue]: [f64; 3]) -> Oklab {
        let long = (0.412_221_470_8 * red + 0.536_332_536_3 * green + 0.051_445_992_9 * blue).cbrt();
        let medium = (0.211_903_498_2 * red + 0.680_699_545_1 * green + 0.107_396_956_6 * blue).cbrt();
        let short = (0.088_302_461_9 * red + 0.281_718_837_6 * green + 0.629_978_700_5 * blue).cbrt();
        Oklab {
            lightness: 0.210_454_255_3 * long + 0.793_617_785_0 * medium - 0.004_072_046_8 * short,
            a: 1.977_998_495_1 * long - 2.428_592_205_0 * medium + 0.450_593_709_9 * short,
            b: 0.025_904_037_1 * long + 0.782_771_766_2 * medium - 0.808_675_766_0 * short,
        }
    }

    #[test]
    fn colours_survive_the_round_trip() {
        for (red, green, blue) in [(0, 0, 0), (255, 255, 255), (255, 0, 0), (12, 200, 99), (0, 0, 255)] {
            let colour = Rgb { red, green, blue };
            let back = seen(linear(colour)).to_rgb();
            let off = |x: u8, y: u8| x.abs_diff(y) <= 1;
            assert!(
                off(back.red, red) && off(back.green, green) && off(back.blue, blue),
                "{colour:?} {back:?}"
            );
        }
    }

    #[test]
    fn impossible_colours_keep_their_lightness() {
        let wild = Oklab { lightness: 0.5, a: 0.4, b: -0.4 };
        assert!((seen(linear(wild.to_rgb())).lightness - 0.5).abs() < 0.01);
    }
}

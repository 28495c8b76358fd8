//! SVG to PNG, with the fonts of this crate and no others.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};

use crate::Error;

/// Pixels a unit of the SVG.
const PIXELS: f32 = 2.0;

/// Dots a metre that make a unit of the SVG 1/96 inch, as in a browser.
const DOTS_PER_METRE: u32 = 7559;

static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../assets/mercer-sans.ttf").to_vec());
    fonts.load_font_data(include_bytes!("../assets/mercer-sans-bold.ttf").to_vec());
    Arc::new(fonts)
});

/// The SVG as an opaque PNG.
pub(crate) fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options)?;
    let pixels = |length: f32| (length * PIXELS).ceil() as u32;
    let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
    let mut canvas = Pixmap::new(width, height).ok_or(Error::TooLarge { width, height })?;
    resvg::render(&tree, Transform::from_scale(PIXELS, PIXELS), &mut canvas.as_mut());
    encode(&canvas)
}

/// Every view paints its whole ground, so the alpha channel is dropped.
fn encode(canvas: &Pixmap) -> Result<Vec<u8>, Error> {
    let colours: Vec<u8> = canvas.data().chunks_exact(4).flat_map(|pixel| &pixel[..3]).copied().collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, canvas.width(), canvas.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: DOTS_PER_METRE,
        yppu: DOTS_PER_METRE,
        unit: png::Unit::Meter,
    }));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&colours)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pixels(svg: &str) -> (u32, Vec<u8>) {
        let bytes = png(svg).unwrap();
        let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let frame = reader.next_frame(&mut pixels).unwrap();
        (frame.width, pixels)
    }

    #[test]
    fn text_is_drawn_with_the_embedded_fonts() {
        let draw = |weight: &str, letter: &str| {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='30' height='30'><rect width='30' height='30' \
                 fill='white'/><text x='5' y='25' font-family='Mercer Sans' font-size='24' \
                 font-weight='{weight}'>{letter}</text></svg>"
            );
            let (width, pixels) = pixels(&svg);
            assert_eq!(width, 60);
            pixels.iter().map(|&light| u64::from(255 - light)).sum::<u64>()
        };
        assert!(draw("bold", "M") > draw("normal", "M"));
        for letter in "Aéα‖⟨⟩²³·×−≤≥…✓σᵀ".chars() {
            assert!(draw("normal", &letter.to_string()) > 0, "{letter}");
        }
    }

    #[test]
    fn fonts_are_small() {
        for font in [
            &include_bytes!("../assets/mercer-sans.ttf")[..],
            include_bytes!("../assets/mercer-sans-bold.ttf"),
        ] {
            assert!(font.len() < 60_000);
        }
    }
}

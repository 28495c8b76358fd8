//! A matrix as an image: one pixel a cell, in a palette.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::colour::{STEPS, step};
use crate::{Error, Grid, Range};

/// The matrix as a PNG in a data URI. Cells that are not finite are transparent and show what lies behind.
pub(super) fn data_uri(grid: &Grid, range: Range) -> Result<String, Error> {
    let bytes = encode(grid, range)?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(bytes)))
}

fn encode(grid: &Grid, range: Range) -> Result<Vec<u8>, Error> {
    let missing = STEPS as u8;
    let place = |&cell: &f32| if cell.is_finite() { step(range.fraction(f64::from(cell))) } else { missing };
    let pixels: Vec<u8> = grid.cells().iter().map(place).collect();

    let colours = range.colours().table().iter().flat_map(|colour| [colour.red, colour.green, colour.blue]);
    let palette: Vec<u8> = colours.chain([128; 3]).collect();
    let mut opacity = vec![255; STEPS];
    opacity.push(0);

    // A grid has at most MOST_CELLS cells a side.
    let side = grid.side() as u32;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, side, side);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    if grid.missing() > 0 {
        encoder.set_trns(opacity);
    }
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&pixels)?;
    writer.finish()?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pixel_is_a_cell() {
        let grid = Grid::from_fn(2, |i, j| [[0.0, 1.0], [f64::NAN, 0.5]][i][j]);
        let range = Range::new(0.0, 1.0);
        let mut decoder = png::Decoder::new(std::io::Cursor::new(encode(&grid, range).unwrap()));
        decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let expected = [0.0, 1.0, f64::NAN, 0.5].map(|value| match value.is_finite() {
            true => {
                let colour = range.colours().colour(value);
                [colour.red, colour.green, colour.blue, 255]
            }
            false => [128, 128, 128, 0],
        });
        assert_eq!(pixels, expected.concat());
    }
}

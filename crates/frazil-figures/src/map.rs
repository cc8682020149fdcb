//! Fields as coloured images, PNG in a data URI.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use crate::colour::{MISSING, Map};
use crate::error::Result;

/// Palette entries for values; entry 0 is for missing ones.
const SHADES: usize = 255;

/// The finite values' smallest and largest; `None` where all are missing.
pub(crate) fn range(values: &[f32]) -> Option<(f32, f32)> {
    let finite = values.iter().copied().filter(|value| value.is_finite());
    finite.fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((low.min(value), high.max(value))),
    })
}

/// An image of `columns` x `rows` values given row by row, the first row at the bottom; `range`
/// tells which values have the first and the last colour.
///
/// # Errors
/// The encoder's.
pub(crate) fn image(
    values: &[f32],
    (columns, rows): (u32, u32),
    range: (f32, f32),
    map: Map,
) -> Result<String> {
    let (across, down) = stretch(columns, rows);
    let mut pixels = Vec::new();
    for line in values.chunks(columns.max(1) as usize).rev() {
        let shades = line
            .iter()
            .flat_map(|&value| std::iter::repeat_n(shade(value, range), across as usize));
        let shades: Vec<u8> = shades.collect();
        pixels.extend(std::iter::repeat_n(shades, down as usize).flatten());
    }
    encode(&pixels, (columns * across, rows * down), map)
}

/// Thinner images than this (columns to rows, or rows to columns) are stretched until one can see
/// them.
const THINNEST: u32 = 4;

/// How many pixels a value takes across and down.
fn stretch(columns: u32, rows: u32) -> (u32, u32) {
    let (columns, rows) = (columns.max(1), rows.max(1));
    (
        (rows / columns / THINNEST).max(1),
        (columns / rows / THINNEST).max(1),
    )
}

/// The colours from first to last as an image of one row.
///
/// # Errors
/// The encoder's.
pub(crate) fn bar(map: Map) -> Result<String> {
    let pixels: Vec<u8> = (1..=SHADES as u8).collect();
    encode(&pixels, (SHADES as u32, 1), map)
}

/// The palette entry of a value.
fn shade(value: f32, (low, high): (f32, f32)) -> u8 {
    if !value.is_finite() {
        return 0;
    }
    // In f64, where the span of two f32 cannot overflow.
    let (value, low, high) = (f64::from(value), f64::from(low), f64::from(high));
    let share = match high > low {
        true => ((value - low) / (high - low)).clamp(0.0, 1.0),
        false => 0.5,
    };
    1 + (share * (SHADES - 1) as f64).round() as u8
}

fn encode(pixels: &[u8], (columns, rows): (u32, u32), map: Map) -> Result<String> {
    let mut palette = vec![MISSING.r, MISSING.g, MISSING.b];
    for entry in 0..SHADES {
        let colour = map.colour(entry as f64 / (SHADES - 1) as f64);
        palette.extend([colour.r, colour.g, colour.b]);
    }
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, columns, rows);
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header()?;
    writer.write_image_data(pixels)?;
    writer.finish()?;
    Ok(format!("data:image/png;base64,{}", STANDARD.encode(file)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The colours of an image, row by row from the top.
    fn colours(uri: &str) -> Vec<[u8; 3]> {
        let base64 = uri.strip_prefix("data:image/png;base64,").unwrap();
        let file = STANDARD.decode(base64).unwrap();
        let mut decoder = png::Decoder::new(std::io::Cursor::new(file));
        decoder.set_transformations(png::Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        pixels
            .chunks(3)
            .map(|rgb| [rgb[0], rgb[1], rgb[2]])
            .collect()
    }

    fn rgb(colour: colorous::Color) -> [u8; 3] {
        [colour.r, colour.g, colour.b]
    }

    #[test]
    fn the_first_row_is_at_the_bottom_and_missing_is_grey() {
        let values = [0.0, 10.0, f32::NAN, 5.0];
        let uri = image(&values, (2, 2), (0.0, 10.0), Map::Field).unwrap();
        let expected = [
            rgb(MISSING),
            rgb(Map::Field.colour(0.5)),
            rgb(Map::Field.colour(0.0)),
            rgb(Map::Field.colour(1.0)),
        ];
        assert_eq!(colours(&uri), expected);
    }

    #[test]
    fn thin_images_are_stretched() {
        let values: Vec<f32> = (0..32).map(|value| value as f32).collect();
        let wide = colours(&image(&values, (16, 2), (0.0, 31.0), Map::Field).unwrap());
        assert_eq!(wide.len(), 16 * 4);
        assert_eq!(wide[0], wide[16]);
        assert_ne!(wide[16], wide[32]);
        let tall = colours(&image(&values, (2, 16), (0.0, 31.0), Map::Field).unwrap());
        assert_eq!(tall.len(), 4 * 16);
        assert_eq!(tall[0], tall[1]);
        assert_ne!(tall[1], tall[2]);
    }

    #[test]
    fn one_value_and_the_widest_range_have_colours() {
        assert_eq!(shade(3.0, (3.0, 3.0)), 128);
        assert_eq!(shade(f32::MAX, (f32::MIN, f32::MAX)), 255);
        assert_eq!(shade(f32::INFINITY, (0.0, 1.0)), 0);
        assert_eq!(
            range(&[f32::NAN, 2.0, -1.0, f32::INFINITY]),
            Some((-1.0, 2.0))
        );
        assert_eq!(range(&[f32::NAN]), None);
    }

    #[test]
    fn a_bar_has_every_shade_once() {
        let colours = colours(&bar(Map::Difference).unwrap());
        assert_eq!(colours.len(), SHADES);
        assert_eq!(colours[0], rgb(Map::Difference.colour(0.0)));
        assert_eq!(colours[SHADES - 1], rgb(Map::Difference.colour(1.0)));
    }
}

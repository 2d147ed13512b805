//! Writes a small image as PNG with a palette of at most 256 colours.

use super::field::Image;
use ::png::{BitDepth, ColorType, Compression, Encoder, Filter};

/// Size of a palette.
const COLOURS: usize = 256;
/// Bytes per pixel: red, green, blue, opacity.
const PIXEL: usize = 4;

/// Encodes the image as a file. Beyond 256 colours, a pixel of a further colour takes the colour of
/// the previous pixel.
pub(super) fn png(image: &Image) -> Vec<u8> {
    let mut palette: Vec<u8> = Vec::new();
    let mut indices: Vec<u8> = Vec::with_capacity(image.width * image.height);
    let (mut last, mut index): (&[u8], u8) = (&[], 0);
    for pixel in image.bytes.chunks_exact(PIXEL) {
        if pixel != last {
            let colour = pixel.get(..PIXEL - 1).unwrap_or_default();
            let known = palette.chunks_exact(PIXEL - 1).position(|known| known == colour);
            let place = known.unwrap_or(palette.len() / (PIXEL - 1));
            if place < COLOURS {
                if known.is_none() {
                    palette.extend_from_slice(colour);
                }
                index = place as u8;
            }
            last = pixel;
        }
        indices.push(index);
    }
    let mut file = Vec::new();
    let mut encoder = Encoder::new(&mut file, image.width as u32, image.height as u32);
    encoder.set_color(ColorType::Indexed);
    encoder.set_depth(BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_compression(Compression::Balanced);
    // Differences from the row above.
    encoder.set_filter(Filter::Up);
    // Writing to memory cannot fail, and an image has at least one node by one.
    let _ = encoder.write_header().and_then(|mut writer| writer.write_image_data(&indices));
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::png::{Decoder, Transformations};
    use std::io::Cursor;

    /// Creates an image whose pixels have these colours in turn.
    fn image(width: usize, height: usize, colours: impl Iterator<Item = usize>) -> Image {
        let pixel = |colour: usize| [colour as u8, (colour >> 8) as u8, 7, u8::MAX];
        let mut image = Image::default();
        (image.width, image.height) = (width, height);
        image.bytes = colours.take(width * height).flat_map(pixel).collect();
        image
    }

    /// Decodes size and pixels (red, green, blue) with another decoder.
    fn read(file: Vec<u8>) -> ((usize, usize), Vec<u8>) {
        let mut decoder = Decoder::new(Cursor::new(file));
        decoder.set_transformations(Transformations::EXPAND);
        let mut reader = decoder.read_info().unwrap();
        assert_eq!(reader.info().color_type, ColorType::Indexed);
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let size = reader.next_frame(&mut pixels).unwrap();
        ((size.width as usize, size.height as usize), pixels)
    }

    fn colours(image: &Image) -> Vec<u8> {
        image.bytes.chunks_exact(PIXEL).flat_map(|pixel| &pixel[..PIXEL - 1]).copied().collect()
    }

    #[test]
    fn an_image_has_its_size_and_colours() {
        for (width, height, count) in [(1, 1, 1), (2, 2, 2), (189, 93, 256), (40, 3, 17)] {
            // Some in runs.
            let image = image(width, height, (0..).map(|place| if place % 7 < 3 { 0 } else { place % count }));
            assert_eq!(read(png(&image)), ((width, height), colours(&image)), "{count} colours");
        }
    }

    #[test]
    fn a_colour_too_many_is_that_of_the_pixel_before() {
        let expected = image(300, 1, (0..).map(|place| place.min(COLOURS - 1)));
        assert_eq!(read(png(&image(300, 1, 0..))).1, colours(&expected));
    }
}

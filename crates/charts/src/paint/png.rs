//! Writes a small image as PNG with a palette of at most 256 colours, each row as differences from
//! the row above. The `png` crate would do the same but adds 39 KB to the download, and [`chunk`]
//! is needed in any case, for the text chunk of files that the browser writes.

use super::field::Image;
use engine::share::carried::{PNG, chunk};
use miniz_oxide::deflate::compress_to_vec_zlib;

/// Size of a palette.
const COLOURS: usize = 256;
/// Bytes per pixel: red, green, blue, opacity.
const PIXEL: usize = 4;
/// DEFLATE effort out of 10: zlib's default.
const EFFORT: u8 = 6;

/// Encodes the image as a file. Beyond 256 colours, a pixel of a further colour takes that of the
/// previous pixel.
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
    let mut rows = Vec::with_capacity(indices.len() + image.height);
    let mut above = vec![0; image.width];
    for row in indices.chunks_exact(image.width.max(1)) {
        // Filter 2: difference from the byte above.
        rows.push(2);
        rows.extend(row.iter().zip(&above).map(|(byte, above)| byte.wrapping_sub(*above)));
        above.copy_from_slice(row);
    }
    let mut header = Vec::new();
    header.extend_from_slice(&(image.width as u32).to_be_bytes());
    header.extend_from_slice(&(image.height as u32).to_be_bytes());
    // Eight bits per pixel, a palette, and the defaults for compression, filter and interlacing.
    header.extend_from_slice(&[8, 3, 0, 0, 0]);
    let mut file = PNG.to_vec();
    chunk(&mut file, *b"IHDR", &header);
    chunk(&mut file, *b"PLTE", &palette);
    chunk(&mut file, *b"IDAT", &compress_to_vec_zlib(&rows, EFFORT));
    chunk(&mut file, *b"IEND", &[]);
    file
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::png::{ColorType, Decoder, Transformations};
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

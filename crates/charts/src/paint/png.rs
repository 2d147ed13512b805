//! A small image as PNG with a palette of at most 256 colours, each row as differences from the row
//! above. The `png` crate would do the same, but adds 39 KB to the download of the page, and
//! [`chunk`] is needed all the same: files of the browser get a chunk of text.

use super::field::Image;
use engine::share::carried::{PNG, chunk};
use miniz_oxide::deflate::compress_to_vec_zlib;

/// Colours of a palette.
const COLOURS: usize = 256;
/// Bytes of a pixel: red, green, blue, opacity.
const PIXEL: usize = 4;
/// How hard DEFLATE tries, of 10: what zlib does unless told otherwise.
const EFFORT: u8 = 6;

/// The image as a file. Where it has more than 256 colours, the rest are that of the pixel before.
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
        // Filter 2: less the byte above.
        rows.push(2);
        rows.extend(row.iter().zip(&above).map(|(byte, above)| byte.wrapping_sub(*above)));
        above.copy_from_slice(row);
    }
    let mut header = Vec::new();
    header.extend_from_slice(&(image.width as u32).to_be_bytes());
    header.extend_from_slice(&(image.height as u32).to_be_bytes());
    // Eight bits a pixel, a palette, and the one method there is of packing, of filters, of order.
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

    /// An image whose pixels have these colours in turn.
    fn image(width: usize, height: usize, colours: impl Iterator<Item = usize>) -> Image {
        let pixel = |colour: usize| [colour as u8, (colour >> 8) as u8, 7, u8::MAX];
        let mut image = Image::default();
        (image.width, image.height) = (width, height);
        image.bytes = colours.take(width * height).flat_map(pixel).collect();
        image
    }

    /// Size and pixels, red, green and blue, as another program reads them.
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

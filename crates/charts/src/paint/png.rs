//! A small image as PNG, of at most 256 colours: rows as differences from the row above, runs of the same byte packed.

use super::field::Image;
use engine::share::carried::{PNG, chunk};

/// Colours of a palette.
const COLOURS: usize = 256;
/// Bytes of a pixel: red, green, blue, opacity.
const PIXEL: usize = 4;

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
    chunk(&mut file, *b"IDAT", &packed(&rows));
    chunk(&mut file, *b"IEND", &[]);
    file
}

/// Bits, the lowest of each byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    open: u32,
    count: u32,
}

impl Bits {
    /// Adds the lowest `count` bits, the lowest first.
    fn push(&mut self, bits: u32, count: u32) {
        self.open |= bits << self.count;
        self.count += count;
        while self.count >= 8 {
            self.bytes.push(self.open as u8);
            self.open >>= 8;
            self.count -= 8;
        }
    }

    /// Adds a code of so many bits, the highest first, as DEFLATE does.
    fn code(&mut self, code: u32, count: u32) {
        self.push(code.reverse_bits() >> (32 - count), count);
    }

    /// A byte or a length in DEFLATE's fixed code (RFC 1951, section 3.2.6).
    fn symbol(&mut self, symbol: u32) {
        match symbol {
            0..144 => self.code(0x30 + symbol, 8),
            144..256 => self.code(0x190 + symbol - 144, 9),
            256..280 => self.code(symbol - 256, 7),
            _ => self.code(0xc0 + symbol - 280, 8),
        }
    }
}

/// The longest run of one symbol.
const LONGEST: usize = 258;
/// The longest run whose symbol needs no more bits.
const SHORT: usize = 10;

/// A zlib stream (RFC 1950) in which only runs of the same byte are packed.
fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut bits = Bits { bytes: vec![0x78, 0x01], ..Bits::default() };
    // The last block, in the fixed code.
    bits.push(0b011, 3);
    for run in bytes.chunk_by(|one, other| one == other) {
        let byte = run.first().copied().unwrap_or_default();
        bits.symbol(u32::from(byte));
        let mut left = run.len() - 1;
        while left > 2 {
            let (length, symbol) = if left >= LONGEST {
                (LONGEST, 285)
            } else {
                let short = left.min(SHORT);
                (short, 254 + short as u32)
            };
            bits.symbol(symbol);
            // One byte back.
            bits.code(0, 5);
            left -= length;
        }
        for _ in 0..left {
            bits.symbol(u32::from(byte));
        }
    }
    bits.symbol(256);
    // Fills the last byte.
    bits.push(0, 7);
    let (low, high) = bytes.iter().fold((1, 0), |(low, high), byte| {
        let low = (low + u32::from(*byte)) % 65_521;
        (low, (high + low) % 65_521)
    });
    let mut stream = bits.bytes;
    stream.extend_from_slice(&((high << 16) | low).to_be_bytes());
    stream
}

/// Bytes as letters, for a data URL.
pub(super) fn base64(bytes: &[u8], text: &mut String) {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for three in bytes.chunks(3) {
        let at = |place: usize| u32::from(three.get(place).copied().unwrap_or_default());
        let all = (at(0) << 16) | (at(1) << 8) | at(2);
        for place in 0..4 {
            let letter = LETTERS.get((all >> (18 - 6 * place)) as usize & 63).copied().unwrap_or_default();
            text.push(if place <= three.len() { char::from(letter) } else { '=' });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::share::carried::checksum;

    /// Unpacks what [`packed`] packs: fixed codes, runs of the byte before.
    fn unpacked(stream: &[u8]) -> Vec<u8> {
        let bits: Vec<u32> =
            stream[2..].iter().flat_map(|byte| (0..8).map(move |bit| u32::from(byte >> bit & 1))).collect();
        let mut at = 3;
        let mut take = |count: usize| {
            at += count;
            bits[at - count..at].iter().fold(0, |code, bit| 2 * code + bit)
        };
        let mut bytes = Vec::new();
        loop {
            let seven = take(7);
            let symbol = if seven < 0x18 {
                256 + seven
            } else {
                let eight = 2 * seven + take(1);
                match eight {
                    0x30..0xc0 => eight - 0x30,
                    0xc0..0xc8 => 280 + eight - 0xc0,
                    _ => 144 + 2 * eight + take(1) - 0x190,
                }
            };
            match symbol {
                256 => return bytes,
                257.. => {
                    assert_eq!(take(5), 0);
                    let length = if symbol == 285 { 258 } else { symbol - 254 };
                    bytes.extend(vec![*bytes.last().unwrap(); length as usize]);
                }
                byte => bytes.push(byte as u8),
            }
        }
    }

    #[test]
    fn what_is_packed_is_unpacked_to_the_same() {
        for length in [0, 1, 2, 3, 4, 10, 11, 12, 13, 258, 259, 260, 700] {
            let mut bytes = vec![7; length];
            bytes.extend((0..=255).chain([255, 255, 255, 0, 0]));
            assert_eq!(unpacked(&packed(&bytes)), bytes);
        }
    }

    #[test]
    fn checksums_are_those_of_the_standards() {
        // The check values of CRC-32 and of Adler-32 ("Wikipedia").
        assert_eq!(checksum(b"123456789"), 0xcbf4_3926);
        let stream = packed(b"Wikipedia");
        assert_eq!(stream[stream.len() - 4..], 0x11e6_0398_u32.to_be_bytes());
        let mut text = String::new();
        base64(b"ab", &mut text);
        base64(b"abc", &mut text);
        assert_eq!(text, "YWI=YWJj");
    }

    #[test]
    fn an_image_has_its_size_and_colours() {
        let bytes = [[1, 2, 3, 255], [1, 2, 3, 255], [9, 8, 7, 255], [1, 2, 3, 255]].concat();
        let file = png(&{
            let mut image = Image::default();
            (image.width, image.height, image.bytes) = (2, 2, bytes);
            image
        });
        assert_eq!(file[16..26], [0, 0, 0, 2, 0, 0, 0, 2, 8, 3]);
        let palette = file.windows(4).position(|name| name == b"PLTE").unwrap();
        assert_eq!(file[palette + 4..palette + 10], [1, 2, 3, 9, 8, 7]);
        let data = file.windows(4).position(|name| name == b"IDAT").unwrap();
        assert_eq!(unpacked(&file[data + 4..]), [2, 0, 0, 2, 1, 0]);
    }
}

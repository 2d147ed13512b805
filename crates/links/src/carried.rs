//! The link inside a saved file, by which the scenario can be restored: in the `metadata` of an
//! SVG, in a text chunk of a PNG, under `link` in a JSON report, in a comment of a CSV.

use crc::{CRC_32_ISO_HDLC, Crc, NoTable};
use serde_json::Value;

/// The start of every PNG file.
pub const PNG: [u8; 8] = [137, 80, 78, 71, 13, 10, 26, 10];
/// Bytes of a chunk besides its data: length and name before it, checksum after it.
const AROUND: usize = 12;
/// End of the first chunk, which holds the picture's size in 13 bytes.
const AFTER_SIZE: usize = PNG.len() + AROUND + 13;
/// Start of an iTXt chunk: the keyword, two bytes that mean uncompressed, then an empty language
/// and an empty translated keyword.
const TEXT_HEAD: &[u8] = b"Comment\0\0\0\0\0";
/// The CRC of a chunk. It is computed without a table, which would enlarge the download.
const CHECKSUM: Crc<u32, NoTable> = Crc::<u32, NoTable>::new(&CRC_32_ISO_HDLC);

/// Returns a PNG file with a link in it; any other file is returned unchanged.
pub fn in_png(file: &[u8], link: &str) -> Vec<u8> {
    let (Some(head), Some(rest)) = (file.get(..AFTER_SIZE), file.get(AFTER_SIZE..)) else { return file.to_vec() };
    let mut whole = head.to_vec();
    chunk(&mut whole, *b"iTXt", &[TEXT_HEAD, link.as_bytes()].concat());
    whole.extend_from_slice(rest);
    whole
}

/// Whether a file is a PNG.
pub fn is_png(file: &[u8]) -> bool {
    file.starts_with(&PNG)
}

/// Returns the link in a PNG file: the first text chunk that holds one.
pub fn link_in_png(file: &[u8]) -> Option<String> {
    let mut rest = file.strip_prefix(&PNG)?;
    loop {
        let (length, after) = rest.split_first_chunk::<4>()?;
        let (name, after) = after.split_first_chunk::<4>()?;
        let (data, after) = after.split_at_checked(u32::from_be_bytes(*length) as usize)?;
        if matches!(name, b"iTXt" | b"tEXt")
            && let Some(link) = data.rsplit(|byte| *byte == 0).next().and_then(|text| core::str::from_utf8(text).ok())
            && is_link(link)
        {
            return Some(link.to_owned());
        }
        // Skip the checksum.
        rest = after.get(4..)?;
    }
}

/// Returns the link in an SVG.
pub fn link_in_svg(text: &str) -> Option<String> {
    let inside = between(text, "<metadata", "</metadata>")?;
    let link = inside.split_once('>')?.1.trim();
    let link = link.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    is_link(&link).then_some(link)
}

/// Returns the link in a JSON report: an address or a fragment.
pub fn link_in_json(json: &Value) -> Option<&str> {
    json.get("link")?.as_str().filter(|link| is_link(link))
}

/// Returns a link in plain text, or in the last line of a CSV.
pub fn link_in_text(text: &str) -> Option<&str> {
    let last = text.trim().rsplit('\n').next()?.trim();
    let link = last.strip_prefix("# ").unwrap_or(last);
    (is_link(link) && !link.contains([' ', '{', '<', '"'])).then_some(link)
}

/// Whether a text is an address with a scenario in its fragment, or such a fragment.
fn is_link(text: &str) -> bool {
    let fragment = text.split_once('#').map_or(text, |(_, fragment)| fragment);
    fragment.split('&').any(|pair| pair.starts_with("v="))
}

/// Returns the text between two delimiters.
fn between<'a>(text: &'a str, from: &str, to: &str) -> Option<&'a str> {
    text.split_once(from)?.1.split_once(to).map(|(inside, _)| inside)
}

/// Appends a chunk to a PNG file.
pub fn chunk(file: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    file.extend_from_slice(&(data.len() as u32).to_be_bytes());
    let start = file.len();
    file.extend_from_slice(&name);
    file.extend_from_slice(data);
    let check = CHECKSUM.checksum(file.get(start..).unwrap_or_default());
    file.extend_from_slice(&check.to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const LINK: &str = "https://example.org/a/?map=gpus.mem&x=1..2#v=1&gpus=128&pin=1&gpus=64";

    /// The link in `carried/saved.png`.
    const OF_SAVED: &str =
        "https://example.org/shardwise/?map=gpus.mem#v=1&rev=2&cluster=dgx-h100&gpus=256&pin=1&gpus=512";

    /// A picture with a single chunk: its size.
    fn picture() -> Vec<u8> {
        let mut file = PNG.to_vec();
        chunk(&mut file, *b"IHDR", &[0, 0, 0, 1, 0, 0, 0, 1, 8, 3, 0, 0, 0]);
        chunk(&mut file, *b"IEND", &[]);
        file
    }

    #[test]
    fn a_picture_carries_its_link_and_is_still_one() {
        let (plain, file) = (picture(), in_png(&picture(), LINK));
        assert!(is_png(&file) && link_in_png(&plain).is_none());
        assert_eq!(link_in_png(&file).as_deref(), Some(LINK));
        assert_eq!(file[..AFTER_SIZE], plain[..AFTER_SIZE]);
        assert!(file.ends_with(&plain[AFTER_SIZE..]));
        // The link is found even if another program moves the text chunk to the end.
        let mut moved = plain[..AFTER_SIZE].to_vec();
        chunk(&mut moved, *b"IDAT", &[0; 9]);
        chunk(&mut moved, *b"tEXt", &[b"Comment\0", LINK.as_bytes()].concat());
        assert_eq!(link_in_png(&moved).as_deref(), Some(LINK));
        // A truncated file has no link and causes no panic.
        for end in 0..file.len() {
            let found = link_in_png(&file[..end]);
            assert!(found.is_none() || found.as_deref() == Some(LINK));
        }
        assert_eq!(in_png(b"short", LINK), b"short");
    }

    #[test]
    fn another_program_reads_the_picture_and_its_link() {
        let saved = include_bytes!("carried/saved.png");
        let plain = [&saved[..AFTER_SIZE], &saved[AFTER_SIZE + AROUND + TEXT_HEAD.len() + OF_SAVED.len()..]].concat();
        // Files saved by the first version of the page stay readable.
        assert_eq!(link_in_png(saved).as_deref(), Some(OF_SAVED));
        assert_eq!(in_png(&plain, OF_SAVED), saved);
        let mut reader = png::Decoder::new(std::io::Cursor::new(saved)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let [text] = &reader.info().utf8_text[..] else { panic!("{:?}", reader.info()) };
        assert_eq!((text.keyword.as_str(), text.get_text().unwrap().as_str()), ("Comment", OF_SAVED));
    }

    #[test]
    fn texts_that_carry_a_link_are_told_from_others() {
        let svg = format!("<svg><title>a &amp; b</title><metadata>{}</metadata></svg>", LINK.replace('&', "&amp;"));
        assert_eq!(link_in_svg(&svg).as_deref(), Some(LINK));
        assert_eq!(link_in_svg("<svg><metadata>Inkscape</metadata></svg>"), None);
        assert_eq!(link_in_svg("<svg/>"), None);
        assert_eq!(link_in_text(&format!("a,b\n1,2\n# {LINK}\n")), Some(LINK));
        assert_eq!(link_in_text(LINK), Some(LINK));
        assert_eq!(link_in_text("v=1"), Some("v=1"));
        for other in ["", "a,b\n1,2\n", "{\"v=\": 1}", "https://example.org/", "see v=1"] {
            assert_eq!(link_in_text(other), None, "{other}");
        }
        assert_eq!(link_in_json(&json!({ "link": LINK })), Some(LINK));
        assert_eq!(link_in_json(&json!({ "link": "up" })), None);
    }
}

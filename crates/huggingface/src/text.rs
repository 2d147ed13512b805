//! Decodes the text of a file in UTF-8 or UTF-16.

/// The byte order marks of UTF-8 and of both kinds of UTF-16.
const UTF_8: [u8; 3] = [0xef, 0xbb, 0xbf];
const UTF_16_LE: [u8; 2] = [0xff, 0xfe];
const UTF_16_BE: [u8; 2] = [0xfe, 0xff];

/// Decodes a file as UTF-8, or by its byte order mark, which is removed. PowerShell's `>` writes
/// UTF-16, and many editors on Windows put a mark before UTF-8. `None` if the bytes are not text.
///
/// ```
/// use huggingface::text_of;
///
/// assert_eq!(text_of(b"\xef\xbb\xbf{}".to_vec()).as_deref(), Some("{}"));
/// assert_eq!(text_of(b"\xff\xfe{\0}\0".to_vec()).as_deref(), Some("{}"));
/// assert_eq!(text_of(b"\xfe\xff\0{\0}".to_vec()).as_deref(), Some("{}"));
/// assert_eq!(text_of(vec![0xff, 0x00]), None);
/// ```
pub fn text_of(file: Vec<u8>) -> Option<String> {
    if let Some(bytes) = file.strip_prefix(&UTF_16_LE) {
        utf_16(bytes, u16::from_le_bytes)
    } else if let Some(bytes) = file.strip_prefix(&UTF_16_BE) {
        utf_16(bytes, u16::from_be_bytes)
    } else if let Some(bytes) = file.strip_prefix(&UTF_8) {
        String::from_utf8(bytes.to_vec()).ok()
    } else {
        String::from_utf8(file).ok()
    }
}

fn utf_16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Option<String> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units: Vec<u16> = pairs.iter().map(|pair| unit(*pair)).collect();
    if rest.is_empty() { String::from_utf16(&units).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::text_of;

    const TEXT: &str = "{\"_name_or_path\": \"modèle 🦙\"}";

    #[test]
    fn a_file_of_windows_is_read() {
        let (mut little, mut big) = (vec![0xff, 0xfe], vec![0xfe, 0xff]);
        for unit in TEXT.encode_utf16() {
            little.extend(unit.to_le_bytes());
            big.extend(unit.to_be_bytes());
        }
        let marked = [b"\xef\xbb\xbf", TEXT.as_bytes()].concat();
        for file in [TEXT.as_bytes().to_vec(), marked, little.clone(), big] {
            assert_eq!(text_of(file).as_deref(), Some(TEXT));
        }
        // A file cut in the middle of a character is not text, and neither is half of a surrogate
        // pair.
        little.pop();
        assert_eq!(text_of(little), None);
        assert_eq!(text_of(vec![0xff, 0xfe, 0x00, 0xd8]), None);
    }
}

//! Texts that are read after a click: help, sources, explanations. The library holds them; the page fetches them once its first
//! picture stands, as one file that the library writes ([`crate::export::words`]), so that nobody waits for them.

use core::fmt;

/// A text that is read after a click. It has one line.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Words {
    /// FNV-1a of the text: its name in the file.
    key: u32,
    #[cfg(not(all(target_arch = "wasm32", feature = "web")))]
    text: &'static str,
}

/// Letters of a key in the file.
const DIGITS: usize = 8;

impl Words {
    /// The words of a text; in a constant nothing of the text itself reaches the page's module.
    pub const fn new(text: &'static str) -> Self {
        Self {
            key: key_of(text),
            #[cfg(not(all(target_arch = "wasm32", feature = "web")))]
            text,
        }
    }

    /// The text.
    #[cfg(not(all(target_arch = "wasm32", feature = "web")))]
    pub const fn text(self) -> &'static str {
        self.text
    }

    /// The text; nothing until the file has arrived.
    #[cfg(all(target_arch = "wasm32", feature = "web"))]
    pub fn text(self) -> &'static str {
        FILE.get().and_then(|file| find(file, self.key)).unwrap_or_default()
    }

    /// Its line in the file.
    #[cfg(not(all(target_arch = "wasm32", feature = "web")))]
    pub fn line(self) -> String {
        let key: String = hex(self.key).into_iter().map(char::from).collect();
        format!("{key} {}\n", self.text)
    }
}

impl fmt::Debug for Words {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.text())
    }
}

/// The file, once it has arrived.
static FILE: std::sync::OnceLock<String> = std::sync::OnceLock::new();

/// Takes the file; the first one counts.
pub fn arrive(file: String) {
    let _ = FILE.set(file);
}

/// The text of a key in a file.
#[cfg_attr(not(all(target_arch = "wasm32", feature = "web")), cfg_attr(not(test), allow(dead_code)))]
fn find(file: &str, key: u32) -> Option<&str> {
    let key = hex(key);
    let line = file.lines().find(|line| line.as_bytes().starts_with(&key))?;
    line.get(DIGITS + 1..)
}

/// A key as it stands in the file.
fn hex(key: u32) -> [u8; DIGITS] {
    let mut digits = [0; DIGITS];
    for (place, digit) in digits.iter_mut().enumerate() {
        let four = (key >> (4 * (DIGITS - 1 - place)) & 0xf) as u8;
        *digit = if four < 10 { b'0' + four } else { b'a' + four - 10 };
    }
    digits
}

const fn key_of(text: &str) -> u32 {
    let bytes = text.as_bytes();
    let (mut key, mut place) = (0x811c_9dc5_u32, 0);
    while place < bytes.len() {
        #[expect(clippy::indexing_slicing, reason = "below the length; iterators are not const")]
        let byte = bytes[place] as u32;
        key = (key ^ byte).wrapping_mul(0x0100_0193);
        place += 1;
    }
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_fnv_1a() {
        // Test vectors of the FNV reference code.
        assert_eq!(key_of(""), 0x811c_9dc5);
        assert_eq!(key_of("a"), 0xe40c_292c);
        assert_eq!(key_of("foobar"), 0xbf9c_f968);
    }

    #[test]
    fn a_text_is_found_in_the_file_again() {
        let [one, two] = [Words::new("First."), Words::new("Second: β.")];
        let file = one.line() + &two.line();
        assert_eq!(find(&file, two.key), Some("Second: β."));
        assert_eq!(find(&file, one.key), Some("First."));
        assert_eq!(find(&file, 0), None);
        assert_eq!(find("", one.key), None);
    }
}

//! What texts and files bring.

use engine::share;
use files::brought::{self, Item};

use crate::json;

/// Reads texts and files for a scenario: `{"Ok": …}` with a [`files::brought::Brought`], or `{"Err": …}` with a sentence. An empty name is that of a
/// text that has no file.
pub fn bring(scenario: &str, files: impl Iterator<Item = (String, Vec<u8>)>) -> String {
    let items = files.map(|(name, bytes)| Item { name: Some(name).filter(|name| !name.is_empty()), bytes });
    json(&brought::bring(&items.collect::<Vec<_>>(), &share::decode(scenario).scenario))
}

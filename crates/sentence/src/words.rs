//! Vocabulary of sentences: the rows of `data/sentence.toml`.

use crate::Kind;

/// A pattern, its topic and its meaning.
pub(crate) type Row = (&'static str, Kind, &'static str);

include!(concat!(env!("OUT_DIR"), "/words.rs"));

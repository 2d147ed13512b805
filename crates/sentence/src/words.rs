//! Vocabulary of sentences: the rows of `data/sentence.toml`.

use crate::Topic;

/// A pattern, its topic and its meaning.
pub(crate) type Row = (&'static str, Topic, &'static str);

include!(concat!(env!("OUT_DIR"), "/words.rs"));

//! Link to scenario and back. Decoding never fails: it gives a scenario and what could not be read.
//!
//! A link's fragment is readable: `v=1&rev=2&cluster=dgx-h100&model=llama-3-8b&gpus=256&seq=8k`. It holds the version of
//! the format, the revision of the catalog, and what differs from a starting point that is frozen with the version (see
//! [`v1`]), so that a published link means the same scenario for as long as there are links.
//!
//! - [`decode::decode_link`] takes a whole address, a fragment with or without `#`, or nothing; [`decode::decode`] a JSON object
//!   with the same keys as well.
//! - [`encode::encode`] writes the fragment, [`encode::encode_with`] that of a scenario with others pinned beside it, [`encode::to_json`] all values under the same keys.
//! - [`carried`]: the link in a file that was saved, and out of it.
//!
//! It does not know the page: presentation (`embed`, `view`, `theme`) stands in the address's query.

pub mod carried;
pub mod decode;
pub mod encode;
mod json;
mod pairs;
pub mod v1;

pub use decode::{Decoded, decode, decode_json, decode_link};
pub use encode::{encode, encode_with, to_json};
pub use v1::set as set_typed;

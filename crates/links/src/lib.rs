//! Converts links to scenarios and back. Decoding never fails: it returns a scenario and a list of
//! issues.
//!
//! The fragment of a link is readable:
//! `v=1&cluster=dgx-h100&model=llama-3-8b&gpus=256&seq=8k`. It holds the version of the
//! format, the revision of the catalog, and the differences from a starting point that is frozen
//! with the version (see [`v1`]), so that a published link always means the same scenario.
//!
//! A link fixes choices, data sheets and the program's release. It does not fix calibration.
//!
//! - [`decode::decode_link`] reads an address or a fragment; [`decode::decode`] also reads JSON.
//! - [`encode::encode`] writes the fragment, [`encode::encode_with`] also writes pinned scenarios,
//!   [`encode::to_json`] writes all values under the same keys.
//! - [`carried`] writes the link into saved files and finds it there.
//!
//! Presentation (`embed`, `view`, `theme`) is in the query of the address and is not part of this
//! module.

pub mod carried;
pub mod decode;
pub mod effect;
pub mod encode;
mod following;
mod json;
mod keys;
mod pairs;
mod put;
pub mod release;
pub mod spelling;
pub mod v1;
mod values;

pub use decode::{Decoded, decode, decode_in_node, decode_json, decode_link};
pub use effect::without_effect;
pub use encode::{encode, encode_with, to_json};
pub use put::put;
pub use values::set as set_typed;

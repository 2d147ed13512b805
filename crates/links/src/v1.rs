//! Version 1 of the link format. It is frozen: the meaning of a published link must not change. A
//! change of meaning is version 2.
//!
//! The keys, in this order, each only if it differs from the starting point:
//!
//! 1. `v`, the version: always present. `rev`, the revision of the data sheets that the link means,
//!    once a sheet has changed since the first release ([`catalog::revisions`]). A text
//!    without `v`, which somebody wrote by hand, means today's sheets.
//! 2. `cluster`: a cluster of the catalog, with its GPU and network; `custom` for a custom network.
//! 3. `gpu`: a GPU of the catalog other than the cluster's; `custom` for a custom GPU.
//!    `generation`: the silicon of a custom GPU, if it differs from the cluster's GPU.
//! 4. `model`: a model of the catalog; `custom` for a custom shape; without it (or with `ladder`)
//!    `size` applies. `scale`: the size of a named or custom model along its family, in parameters,
//!    if it is not its own.
//! 5. `release`: a training program with its release, whose own settings are the ones that the
//!    following start from.
//! 6. Every parameter under its key, in the unit of links: those of GPU and network if they differ
//!    from the picked entries, all others if they differ from [`start`].
//!
//! A custom model's shape always holds `layers`, `hidden`, `heads`, `ffn` and `vocab`; `kv` and
//! `headdim` if they are not `heads` and `hidden / heads`; and the rest where it differs from
//! [`CUSTOM_SHAPE`].
//!
//! # Pinned scenarios
//!
//! After the scenario, a link may hold up to [`MOST_PINS`](engine::scenario::pins::MOST_PINS)
//! others to compare it with. Each starts with the pair `pin`, whose value is its number and is
//! ignored; the pairs up to the next `pin` or the end belong to it:
//!
//! - If they include a `v`, they are a complete link, and nothing is taken from the scenario on
//!   screen.
//! - Otherwise they override the pairs of the scenario on screen; pairs that do not apply to the
//!   pin are dropped (the shape of a custom model if the pin names another model).
//!
//! `v=1&cluster=a100-40gb-200g&size=7B&pin=1&size=65B&pin=2&v=1&model=llama-3-8b` pins
//! the same run of 65B, and Llama 3 8B on the starting point's cluster. A pin with an unreadable
//! pair is left out, with a sentence: half a scenario cannot be compared.

mod pins;
mod read;
mod write;

pub use super::keys::{
    BATCH_KEY, BLOCKS_KEY, CLUSTER_KEY, GENERATION_KEY, GPU_KEY, GPUS_KEY, MODEL_KEY, NODES_KEY, PIN_KEY, RELEASE_KEY,
    REVISION_KEY, SCALE_KEY, VERSION_KEY, is_key,
};
pub(super) use pins::{read_pin, write_pin};
pub(super) use read::{check_versions, read_scenario};
pub(super) use write::{presets, value_text, would_write, write, write_all};

use engine::model::transformer::{Architecture, LLAMA_STYLE};
use engine::params::ParamId;
use engine::scenario::Scenario;

/// The version number of the format.
pub const VERSION: u32 = 1;
/// The keys that the link of a custom model always holds.
const REQUIRED_OF_A_SHAPE: [ParamId; 5] =
    [ParamId::Layers, ParamId::HiddenSize, ParamId::AttentionHeads, ParamId::MlpWidth, ParamId::VocabSize];

/// Returns the starting point: the scenario of an empty link, which is the first visit's. A change
/// of the first visit's scenario needs a frozen copy here.
pub fn start() -> Scenario {
    catalog::default_scenario()
}

/// The starting point of a custom model: the shape of Llama 2 7B.
pub const CUSTOM_SHAPE: Architecture = Architecture {
    num_hidden_layers: 32,
    hidden_size: 4096,
    num_attention_heads: 32,
    num_key_value_heads: 32,
    head_dim: 128,
    intermediate_size: 11_008,
    vocab_size: 32_000,
    ..LLAMA_STYLE
};

/// Derives the key and value heads and the head dimension from the rest of the shape.
fn with_derived_heads(mut shape: Architecture) -> Architecture {
    shape.num_key_value_heads = shape.num_attention_heads;
    shape.head_dim = shape.hidden_size.checked_div(shape.num_attention_heads).unwrap_or(0).max(1);
    shape
}

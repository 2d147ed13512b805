//! Parameters that only one family has and that no field of a shape counts, from its dimensions.

use engine::model::transformer::{Architecture, ExtraParams};

/// The dimensions of a shape as doubles, which hold every count of parameters exactly and never
/// overflow.
pub(super) struct Dims {
    /// Layers.
    pub(super) layers: f64,
    /// Width of the residual stream, H.
    pub(super) hidden: f64,
    /// Width of the MLP, F.
    pub(super) mlp: f64,
    /// Entries of the vocabulary, V.
    pub(super) vocab: f64,
    /// Query heads.
    pub(super) heads: f64,
    /// Key and value heads.
    pub(super) kv: f64,
    /// Width of a head.
    pub(super) dim: f64,
}

impl Dims {
    pub(super) fn from_shape(shape: &Architecture) -> Self {
        Self {
            layers: shape.num_hidden_layers.into(),
            hidden: shape.hidden_size.into(),
            mlp: shape.intermediate_size.into(),
            vocab: shape.vocab_size.into(),
            heads: shape.num_attention_heads.into(),
            kv: shape.num_key_value_heads.into(),
            dim: shape.head_dim.into(),
        }
    }
}

/// Returns the shape with further parameters, in all layers together and outside of layers.
pub(super) fn plus(shape: Architecture, layers: f64, outside: f64) -> Architecture {
    let extra = ExtraParams {
        layers: shape.extra.layers.saturating_add(layers as i64),
        outside: shape.extra.outside.saturating_add(outside as i64),
    };
    Architecture { extra, ..shape }
}

/// Returns the shape with this total number of parameters; the difference is counted in the layers.
pub(super) fn with_total(shape: Architecture, total: f64) -> Architecture {
    let plain = Architecture { extra: ExtraParams::NONE, ..shape };
    Architecture { extra: ExtraParams { layers: (total - plain.params() as f64) as i64, outside: 0 }, ..shape }
}

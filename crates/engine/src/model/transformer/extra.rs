//! Parameters that no field of an [`Architecture`] describes.

use super::Architecture;

/// Parameters that no other field of an [`Architecture`] describes, of single families. Negative if
/// a family has fewer parameters than its fields add up to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtraParams {
    /// In all layers together: matrices, which every token passes.
    pub layers: i64,
    /// Outside the layers: tables that are looked up, and vectors.
    pub outside: i64,
}

impl ExtraParams {
    /// No extra parameters.
    pub const NONE: Self = Self { layers: 0, outside: 0 };
}

/// Limits a negative difference to half of a count, as users may type extreme shapes.
fn at_most_half_missing(extra: i64, counted: impl Fn() -> u64) -> i64 {
    if extra >= 0 { extra } else { extra.max(-i64::try_from(counted() / 2).unwrap_or(i64::MAX)) }
}

impl Architecture {
    /// Returns the parameters that all layers would have if each had the smallest block alone, on
    /// every GPU: extra parameters are even over layers, whatever their kind.
    fn least_layer_params(&self) -> u64 {
        let blocks = self.blocks();
        let kinds = [
            (blocks.attention, self.attention_params_per_layer()),
            (blocks.recurrent, self.recurrent_params_per_layer()),
            (blocks.dense, self.mlp_params_per_layer()),
            (blocks.experts, self.router_and_shared_params_per_layer()),
        ];
        let least = kinds.into_iter().filter(|&(layers, params)| layers > 0 && params > 0).map(|(_, params)| params);
        least.min().unwrap_or(0).saturating_mul(u64::from(self.num_hidden_layers))
    }

    /// Returns [`ExtraParams::layers`], of which at most half of each layer's smallest block may be
    /// missing.
    pub fn extra_layer_params(&self) -> i64 {
        at_most_half_missing(self.extra.layers, || self.least_layer_params())
    }

    /// Returns [`ExtraParams::outside`], of which at most half of the embedding may be missing.
    pub fn extra_outer_params(&self) -> i64 {
        at_most_half_missing(self.extra.outside, || self.embedding_params())
    }
}

//! Parameters that no field of an [`Architecture`] describes.

use super::Architecture;
use core::num::Saturating;

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
    /// Returns the parameters of all layers that one token uses, without extra parameters.
    fn used_matrix_params(&self) -> u64 {
        (Saturating(self.all_mixer_params()) + Saturating(self.all_mlp_params(self.experts.top_k()))).0
    }

    /// Returns [`ExtraParams::layers`], of which at most half of the described parameters may be
    /// missing.
    pub fn extra_layer_params(&self) -> i64 {
        at_most_half_missing(self.extra.layers, || self.used_matrix_params())
    }

    /// Returns [`ExtraParams::outside`], of which at most half of the embedding may be missing.
    pub fn extra_outer_params(&self) -> i64 {
        at_most_half_missing(self.extra.outside, || self.embedding_params())
    }
}

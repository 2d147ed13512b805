//! Parameters that no field of an [`Architecture`] counts.

use super::Architecture;
use core::num::Saturating;

/// Parameters that no other field of an [`Architecture`] counts: what one family alone has.
/// Negative where a family has fewer than the fields say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExtraParams {
    /// Of all layers together: matrices, which every token passes.
    pub layers: i64,
    /// Outside the layers: tables that are looked up, and vectors.
    pub outside: i64,
}

impl ExtraParams {
    /// None.
    pub const NONE: Self = Self { layers: 0, outside: 0 };
}

/// A difference from a count of which no more than half is missing: a shape typed by hand may be
/// absurd.
fn at_most_half_missing(extra: i64, counted: impl Fn() -> u64) -> i64 {
    if extra >= 0 { extra } else { extra.max(-i64::try_from(counted() / 2).unwrap_or(i64::MAX)) }
}

impl Architecture {
    /// Those that one token uses, without what no other field counts.
    fn used_matrix_params(&self) -> u64 {
        (Saturating(self.all_mixer_params()) + Saturating(self.all_mlp_params(self.experts.top_k()))).0
    }

    /// [`ExtraParams::layers`]: of a model that has fewer than its fields say, at most half of
    /// these are missing.
    pub fn extra_layer_params(&self) -> i64 {
        at_most_half_missing(self.extra.layers, || self.used_matrix_params())
    }

    /// [`ExtraParams::outside`], at most half of the embedding missing.
    pub fn extra_outer_params(&self) -> i64 {
        at_most_half_missing(self.extra.outside, || self.embedding_params())
    }
}

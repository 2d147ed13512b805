//! Attention between its projections: what its kernel reads and writes.

use super::Products;
use crate::model::transformer::Architecture;

/// The widths of attention's kernel and of what stands around it, in elements per token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Core {
    /// Heads of queries.
    pub heads: f64,
    /// Heads of keys and values, as the kernel reads them.
    pub key_heads: f64,
    /// Width of a head's queries and keys.
    pub head: f64,
    /// Width of a head's values, and of its output.
    pub value: f64,
    /// Elements kept between the kernel's output and the output projection.
    pub after: f64,
    /// Outputs of projections to low ranks; 0 without ranks.
    pub ranks: f64,
    /// The part of `ranks` that norms read.
    pub normed_ranks: f64,
    /// Elements that generation caches instead of keys and values; 0 if it caches those.
    pub cached: f64,
}

impl Core {
    /// Whether queries, keys and values come through low ranks.
    pub fn has_ranks(&self) -> bool {
        self.ranks > 0.0
    }

    /// Returns the width of all heads' queries.
    pub fn query(&self) -> f64 {
        self.heads * self.head
    }

    /// Returns the width of all heads' outputs.
    pub fn output(&self) -> f64 {
        self.heads * self.value
    }

    /// Returns the mean width of keys and values.
    pub fn key_value(&self) -> f64 {
        self.key_heads * self.mean_head()
    }

    /// Returns the mean width of keys and values on one of `tp` GPUs that split the heads: whole
    /// heads, at least one.
    pub fn key_value_over(&self, tp: f64) -> f64 {
        (self.key_value() / tp).max(self.mean_head())
    }

    /// Returns the elements that generation caches for a token on one of `tp` GPUs.
    pub fn cached_over(&self, tp: f64) -> f64 {
        if self.cached > 0.0 { self.cached } else { 2.0 * self.key_value_over(tp) }
    }

    const fn mean_head(&self) -> f64 {
        f64::midpoint(self.head, self.value)
    }
}

/// A kind of attention. Everything that is counted for attention follows from its products, its
/// core and the parameters of its norms.
pub(super) struct Kind {
    /// Whether a shape has this kind.
    pub(super) is_of: fn(&Architecture) -> bool,
    /// The products on one of a number of GPUs.
    pub(super) products: fn(&Architecture, f64) -> Products,
    /// The widths of the kernel.
    pub(super) core: fn(&Architecture) -> Core,
    /// Elements of vectors, without biases.
    pub(super) vectors: fn(&Architecture) -> f64,
    /// Parameters of the norms inside, besides those of queries and keys.
    pub(super) norms: fn(&Architecture) -> f64,
}

/// Returns what a gate as wide as the output keeps: the gate before its sigmoid, and the gated
/// output.
pub(super) fn of_gate(shape: &Architecture, output: f64) -> f64 {
    if shape.gated_attention { 2.0 * output } else { 0.0 }
}

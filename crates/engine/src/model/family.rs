//! Models scaled along their own family: the shape that a family would have at a size that is not
//! published (docs/book/model/parameters.md).
//!
//! Vocabulary, head width, grouping of keys, ratio of MLP to width, experts and all other
//! properties of a family stay; layers and width grow. Only `+ - * / sqrt` and rounding are used,
//! so that every platform finds the same whole numbers.

mod steps;

use super::transformer::Architecture;
use steps::{Mlp, Steps};

/// A published size of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The key of the member's catalog entry.
    pub id: &'static str,
    /// The member's shape.
    pub architecture: Architecture,
}

/// A family of models that differ in size.
#[derive(Clone, Copy)]
pub struct Family {
    /// The name that the members share, such as `Llama 3.1`.
    pub name: &'static str,
    /// The published sizes, the smallest first.
    pub members: &'static [Member],
    /// Whether unpublished sizes are those of the ladder ([`super::ladder`]).
    pub on_ladder: bool,
}

/// Families are identified by their names.
impl PartialEq for Family {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl core::fmt::Debug for Family {
    fn fmt(&self, formatter: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        formatter.write_str(self.name)
    }
}

impl Family {
    /// Returns the largest published member below a number of parameters, and the smallest one at
    /// or above it.
    pub fn around(&self, size: f64) -> (Option<&'static Member>, Option<&'static Member>) {
        let above = self.members.iter().position(|member| params(&member.architecture) >= size);
        let below = above.unwrap_or(self.members.len()).checked_sub(1);
        (below.and_then(|at| self.members.get(at)), above.and_then(|at| self.members.get(at)))
    }
}

/// Returns the shape at a size between two published sizes.
///
/// Width and ratio of MLP to width are interpolated geometrically, `H = H_a^(1-t) H_b^t` with `t =
/// ln(P / P_a) / ln(P_b / P_a)`; the number of layers follows from P, and the MLP absorbs the
/// rounding to whole layers, so that the shape has P parameters within a percent. Properties that
/// differ between the two are those of the size nearer in ratio. If both have equal numbers of key
/// and value heads, the number stays (Llama 3.1: 8 at every size); otherwise the grouping stays.
pub fn between(low: &Architecture, high: &Architecture, size: f64) -> Architecture {
    let ends = (params(low), params(high));
    let style = if size * size < ends.0 * ends.1 { low } else { high };
    let along = |of: fn(&Architecture) -> f64| geometric(ends, size, (of(low), of(high)), of(style));
    let mlp = Mlp {
        dense: along(|shape| Mlp::from_shape(shape).dense),
        expert: along(|shape| Mlp::from_shape(shape).expert),
        shared: along(|shape| Mlp::from_shape(shape).shared),
    };
    let kept = low.num_key_value_heads == high.num_key_value_heads;
    let steps = Steps::new(style, kept, mlp);
    steps.shape(steps.nearest(along(|shape| f64::from(shape.hidden_size))), size)
}

/// Returns the shape at a size beyond a published one, or of a model without a family: layers and
/// width keep their ratio, as in published families (width over layers is 128, 102 and 130 in Llama
/// 3.1 8B, 70B and 405B: arXiv 2407.21783, Table 3; loss hardly depends on it: arXiv 2001.08361,
/// Figure 5).
///
/// ```
/// # use engine::model::family::beyond;
/// let llama = catalog::model("llama-3.1-8b").unwrap().architecture;
/// assert_eq!(beyond(&llama, llama.params() as f64), llama);
/// ```
pub fn beyond(published: &Architecture, size: f64) -> Architecture {
    let steps = Steps::new(published, false, Mlp::from_shape(published));
    steps.shape(steps.step_of_nearest_aspect(size), size)
}

/// Returns the parameters as a floating-point number.
pub fn params(architecture: &Architecture) -> f64 {
    architecture.params() as f64
}

/// Halvings of the interval, after which its width in the exponent is below one in 10¹².
const HALVINGS: u32 = 40;

/// Interpolates geometrically between `values`, at the position of `at` between `ends`; returns
/// `fallback` if a value is not positive.
fn geometric(ends: (f64, f64), at: f64, values: (f64, f64), fallback: f64) -> f64 {
    if !(values.0 > 0.0 && values.1 > 0.0) {
        return fallback;
    }
    let (mut low, mut high) = ((ends.0, values.0), (ends.1, values.1));
    for _ in 0..HALVINGS {
        let middle = ((low.0 * high.0).sqrt(), (low.1 * high.1).sqrt());
        if at < middle.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    low.1
}

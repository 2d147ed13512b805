//! Models scaled along their own family: what a family would publish at a size that it does not
//! (docs/book/model/parameters.md).
//!
//! Vocabulary, head width, grouping of keys, ratio of MLP to width, experts and everything else
//! that a family keeps stay; layers and width grow. Only `+ - * / sqrt` and rounding, so that every
//! platform finds the same whole numbers.

mod steps;

use super::transformer::Architecture;
use steps::{Mlp, Steps};

/// A published size of a family.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    /// The key of its catalog entry.
    pub id: &'static str,
    /// Its shape.
    pub architecture: Architecture,
}

/// Models that differ in size.
#[derive(Clone, Copy)]
pub struct Family {
    /// The name that its members share, such as `Llama 3.1`.
    pub name: &'static str,
    /// Its published sizes, the smallest first.
    pub members: &'static [Member],
    /// Whether its other sizes are those of the ladder ([`super::ladder`]).
    pub on_ladder: bool,
}

/// Families are told apart by their names.
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
    /// Returns the largest published size up to a number of parameters, and the smallest one from
    /// there on.
    pub fn around(&self, size: f64) -> (Option<&'static Member>, Option<&'static Member>) {
        let above = self.members.iter().position(|member| params(&member.architecture) >= size);
        let below = above.unwrap_or(self.members.len()).checked_sub(1);
        (below.and_then(|at| self.members.get(at)), above.and_then(|at| self.members.get(at)))
    }
}

/// Returns the shape at a size between two published ones.
///
/// Width and ratio of MLP to width are geometric between both, `H = H_a^(1-t) H_b^t` with `t =
/// ln(P / P_a) / ln(P_b / P_a)`; layers are as many as reach P, and the MLP then takes up what
/// whole layers leave, so that the shape has P parameters within a percent. What both do not share
/// is that of the size nearer in ratio. Where both have as many heads of keys and values, those
/// stay (Llama 3.1: 8 at every size); else their grouping does.
pub fn between(low: &Architecture, high: &Architecture, size: f64) -> Architecture {
    let ends = (params(low), params(high));
    let style = if size * size < ends.0 * ends.1 { low } else { high };
    let along = |of: fn(&Architecture) -> f64| geometric(ends, size, (of(low), of(high)), of(style));
    let mlp = Mlp {
        dense: along(|shape| Mlp::of(shape).dense),
        expert: along(|shape| Mlp::of(shape).expert),
        shared: along(|shape| Mlp::of(shape).shared),
    };
    let kept = low.num_key_value_heads == high.num_key_value_heads;
    let steps = Steps::of(style, kept, mlp);
    steps.shape(steps.nearest(along(|shape| f64::from(shape.hidden_size))), size)
}

/// Returns the shape at a size beyond a published one, or of a model without a family: layers and
/// width keep their ratio, as families do (width over layers is 128, 102 and 130 in Llama 3.1 8B,
/// 70B and 405B: arXiv 2407.21783, Table 3; loss hardly depends on it: arXiv 2001.08361, Figure 5).
///
/// ```
/// # use engine::model::family::beyond;
/// let llama = catalog::model("llama-3.1-8b").unwrap().architecture;
/// assert_eq!(beyond(&llama, llama.params() as f64), llama);
/// ```
pub fn beyond(published: &Architecture, size: f64) -> Architecture {
    let steps = Steps::of(published, false, Mlp::of(published));
    steps.shape(steps.of_the_same_aspect(size), size)
}

/// Parameters, as a number to compute with.
pub fn params(architecture: &Architecture) -> f64 {
    architecture.params() as f64
}

/// Halvings of the interval: its width in the exponent is then below one in 10¹².
const HALVINGS: u32 = 40;

/// Returns what lies between two values as `at` lies between `ends`, by ratios; `fallback` where a
/// value is not positive.
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

//! The possible widths of a family's shapes: whole groups of heads, and MLPs in round numbers.

use super::params;
use crate::model::transformer::recurrent::RecurrentKind;
use crate::model::transformer::{Architecture, Experts, Recurrent};

/// Widths of the MLPs over the width of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mlp {
    /// MLP of dense layers.
    pub(super) dense: f64,
    /// MLP of one expert.
    pub(super) expert: f64,
    /// MLP of the shared experts.
    pub(super) shared: f64,
}

impl Mlp {
    /// Returns the widths of a shape.
    pub(super) fn from_shape(shape: &Architecture) -> Self {
        let over = |width: u32| f64::from(width) / f64::from(shape.hidden_size.max(1));
        let Experts { moe_intermediate_size, shared_intermediate_size, .. } = shape.experts;
        Self {
            dense: over(shape.intermediate_size),
            expert: over(moe_intermediate_size),
            shared: over(shared_intermediate_size),
        }
    }
}

/// Shapes that keep the style of one shape, at multiples of a step of width.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps<'a> {
    style: &'a Architecture,
    mlp: Mlp,
    /// Query heads of one step.
    heads: u32,
    /// Whether the number of key and value heads stays constant; otherwise their grouping does.
    kept: bool,
}

/// Upper limits of layers, width, query heads, and widths of an MLP and of an expert: the bounds of
/// a custom model in the table of parameters, as a scaled model can become custom.
const MOST_LAYERS: f64 = 2048.0;
const MOST_HIDDEN: f64 = 262_144.0;
const MOST_HEADS: u32 = 4096;
const MOST_MLP: (u32, u32) = (2_097_152, 2_000_000);
/// Upper limits of a recurrent mixer's heads and of its other widths.
const MOST_STATE: (u32, u32) = (50_000, 200_000);
/// Layers over which the parameters of one layer are measured, times the distance between expert
/// layers.
const SPAN: u32 = 16;
/// Limits by which an MLP may deviate from the family's ratio, to absorb the rounding to whole
/// layers.
const STRETCH: (f64, f64) = (0.8, 1.25);
/// The largest step of an MLP's width, and the least number of steps in a width.
const ROUND: (u32, u32) = (256, 100);

impl<'a> Steps<'a> {
    /// Returns the steps in a style; `kept` is whether the number of key and value heads stays
    /// constant, which is always so for multi-query attention.
    pub(super) fn new(style: &'a Architecture, kept: bool, mlp: Mlp) -> Self {
        let (heads, pairs) = (style.num_attention_heads.max(1), style.num_key_value_heads.max(1));
        let whole = heads.is_multiple_of(pairs);
        let kept = whole && (kept || pairs == 1);
        let step = match (whole, kept) {
            (true, true) => pairs,
            (true, false) => heads / pairs,
            (false, _) => 1,
        };
        // Without grouping one head is a step.
        Self { style, mlp, heads: if heads == pairs { 1 } else { step }, kept: kept && heads != pairs }
    }

    /// Returns the step nearest to a width.
    pub(super) fn nearest(&self, hidden: f64) -> u32 {
        let one = f64::from(self.heads) * self.head_share();
        ((hidden / one).round() as u32).clamp(1, self.most())
    }

    /// Returns the largest step of width.
    fn most(&self) -> u32 {
        let one = f64::from(self.heads) * self.head_share();
        (MOST_HEADS / self.heads.max(1)).min((MOST_HIDDEN / one) as u32).max(1)
    }

    /// Returns the width of the model over its query heads.
    fn head_share(&self) -> f64 {
        f64::from(self.style.hidden_size.max(1)) / f64::from(self.style.num_attention_heads.max(1))
    }

    /// Returns the step at which a model of `size` parameters has a ratio of layers to width
    /// nearest to the style's.
    pub(super) fn step_of_nearest_aspect(&self, size: f64) -> u32 {
        let deep = |step: u32| {
            let wide = self.wide(step);
            let layers = self.layers(&wide, size) / f64::from(self.style.num_hidden_layers.max(1));
            layers / (f64::from(wide.hidden_size) / f64::from(self.style.hidden_size.max(1)))
        };
        // Finds the first step at which the ratio of layers to width is no larger than the style's,
        // as layers fall with the width.
        let (mut low, mut high) = (0, self.most());
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            if deep(middle) <= 1.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        // Of the two steps, the nearer by ratio.
        if low > 0 && deep(low) * deep(high) < 1.0 { low } else { high }
    }

    /// Returns the shape with a number of parameters at a step of width: layers are chosen first,
    /// then the MLP absorbs the rest.
    pub(super) fn shape(&self, step: u32, size: f64) -> Architecture {
        let wide = self.wide(step);
        let layers = self.whole(self.layers(&wide, size));
        let shape = Architecture { num_hidden_layers: layers as u32, ..wide };
        let mlp = shape.all_mlp_params();
        let stretch = 1.0 + (size - params(&shape)) / mlp;
        let stretch = if stretch.is_finite() { stretch.clamp(STRETCH.0, STRETCH.1) } else { 1.0 };
        self.with_mlp(shape, stretch)
    }

    /// Rounds to whole layers; if not every layer has experts, the layers differ from the style's
    /// by a multiple of the distance between expert layers.
    fn whole(&self, layers: f64) -> f64 {
        let own = f64::from(self.style.num_hidden_layers);
        let regular = self.style.has_experts() && !self.style.pattern.is_used();
        let step = if regular { f64::from(self.style.experts.moe_layer_step.max(1)) } else { 1.0 };
        let least = f64::from(self.fewest_layers());
        // Leading dense layers and a large distance between expert layers may exceed the limit.
        (own + ((layers - own) / step).round() * step).max(least).min(MOST_LAYERS)
    }

    /// Returns the style at a step of width.
    fn wide(&self, step: u32) -> Architecture {
        let style = self.style;
        let heads = self.heads.saturating_mul(step).max(1);
        let pairs = if self.kept {
            style.num_key_value_heads
        } else if style.num_attention_heads.is_multiple_of(style.num_key_value_heads.max(1)) {
            heads / (style.num_attention_heads / style.num_key_value_heads.max(1)).max(1)
        } else {
            style.num_key_value_heads.min(heads)
        };
        let hidden = (f64::from(heads) * self.head_share()).round() as u32;
        let wide = Architecture {
            hidden_size: hidden.max(1),
            num_attention_heads: heads,
            num_key_value_heads: pairs.max(1),
            recurrent: self.recurrent(hidden),
            experts: Experts { latent_size: self.in_proportion(style.experts.latent_size, hidden), ..style.experts },
            ..*style
        };
        self.with_mlp(wide, 1.0)
    }

    /// Scales a width of the style in proportion to the hidden size.
    fn in_proportion(&self, own: u32, hidden: u32) -> u32 {
        let ratio = f64::from(hidden) / f64::from(self.style.hidden_size.max(1));
        if own == 0 { 0 } else { ((ratio * f64::from(own)).round() as u32).clamp(1, MOST_STATE.1.max(own)) }
    }

    /// Scales the recurrent mixer: more heads, or, for a mixer with one head, a wider one. Groups
    /// of Mamba-2 stay, other keys grow with the values.
    fn recurrent(&self, hidden: u32) -> Recurrent {
        let own = self.style.recurrent;
        if own.heads <= 1 {
            let rank = self.in_proportion(own.rank, hidden);
            return Recurrent { head_dim: self.in_proportion(own.head_dim, hidden), rank, ..own };
        }
        let groups = own.key_heads.max(1);
        if own.kind == RecurrentKind::Mamba2 || !own.heads.is_multiple_of(groups) {
            let heads = self.in_proportion(own.heads, hidden).min(MOST_STATE.0.max(own.heads));
            return Recurrent { heads, ..own };
        }
        let each = own.heads / groups;
        let most = (MOST_STATE.0 / each.max(1)).max(groups);
        let key_heads = self.in_proportion(groups, hidden).min(most);
        let heads = key_heads.saturating_mul(each);
        Recurrent { heads, key_heads: if own.key_heads == 0 { 0 } else { key_heads }, ..own }
    }

    /// Returns the shape with MLPs in the family's ratio to its width, times `stretch`.
    fn with_mlp(&self, shape: Architecture, stretch: f64) -> Architecture {
        let (dense, expert) = MOST_MLP;
        let width = |ratio: f64, style: u32| rounded(stretch * ratio * f64::from(shape.hidden_size), style);
        let Experts { moe_intermediate_size, shared_intermediate_size, .. } = self.style.experts;
        Architecture {
            intermediate_size: width(self.mlp.dense, self.style.intermediate_size).min(dense),
            experts: Experts {
                moe_intermediate_size: width(self.mlp.expert, moe_intermediate_size).min(expert),
                shared_intermediate_size: width(self.mlp.shared, shared_intermediate_size).min(expert),
                ..shape.experts
            },
            ..shape
        }
    }

    /// Returns the layers with which a shape has a number of parameters; not rounded, and not
    /// positive if the embedding alone has more.
    fn layers(&self, wide: &Architecture, size: f64) -> f64 {
        let few = self.fewest_layers();
        if wide.pattern.is_used() {
            return listed_layers(wide, size);
        }
        let span = SPAN.saturating_mul(wide.experts.moe_layer_step.max(1));
        let at = |layers: u32| params(&Architecture { num_hidden_layers: layers, ..*wide });
        let (low, high) = (at(few), at(few.saturating_add(span)));
        f64::from(few) + (size - low) / ((high - low) / f64::from(span))
    }

    /// Returns the leading dense layers and one more, up to the first layer with experts if there
    /// are any.
    fn fewest_layers(&self) -> u32 {
        if self.style.pattern.is_used() {
            return first_with_experts(self.style);
        }
        let Experts { num_experts, first_k_dense_replace, moe_layer_step, .. } = self.style.experts;
        if num_experts == 0 { 1 } else { first_k_dense_replace.saturating_add(moe_layer_step.max(1)) }
    }
}

/// Returns the layers with which a shape with a list of layers has a number of parameters,
/// interpolated between the whole numbers below and above.
fn listed_layers(wide: &Architecture, size: f64) -> f64 {
    let at = |layers: u32| params(&Architecture { num_hidden_layers: layers, ..*wide });
    let (mut low, mut high) = (0, MOST_LAYERS as u32);
    while high - low > 1 {
        let middle = u32::midpoint(low, high);
        if at(middle) <= size {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::from(low) + (size - at(low)) / (at(high) - at(low))
}

/// Returns the layers of a list up to the first with experts, if any.
fn first_with_experts(style: &Architecture) -> u32 {
    let has = |layers: &u32| style.blocks_among(*layers).experts > 0;
    (1..=style.num_hidden_layers.max(1)).find(has).unwrap_or(1)
}

/// Rounds the width of an MLP to a step that divides the published width: a power of two, and a
/// small part of the width.
fn rounded(width: f64, published: u32) -> u32 {
    if published == 0 {
        return 0;
    }
    let mut step = ROUND.0;
    while step > 1 && (!published.is_multiple_of(step) || f64::from(step) * f64::from(ROUND.1) > width) {
        step /= 2;
    }
    ((width / f64::from(step)).round() * f64::from(step)).max(1.0) as u32
}

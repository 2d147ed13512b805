//! The widths that a family's shapes can have: whole groups of heads, and MLPs in round numbers.

use super::params;
use crate::model::transformer::recurrent::RecurrentKind;
use crate::model::transformer::{Architecture, Experts, Recurrent};

/// Widths of the MLPs over the width of the model.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mlp {
    /// Of dense layers.
    pub(super) dense: f64,
    /// Of one expert.
    pub(super) expert: f64,
    /// Of the shared experts.
    pub(super) shared: f64,
}

impl Mlp {
    /// Those of a shape.
    pub(super) fn of(shape: &Architecture) -> Self {
        let over = |width: u32| f64::from(width) / f64::from(shape.hidden_size.max(1));
        let Experts { moe_intermediate_size, shared_intermediate_size, .. } = shape.experts;
        Self {
            dense: over(shape.intermediate_size),
            expert: over(moe_intermediate_size),
            shared: over(shared_intermediate_size),
        }
    }
}

/// Shapes in the style of one, a step of width apart.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps<'a> {
    style: &'a Architecture,
    mlp: Mlp,
    /// Query heads of one step.
    heads: u32,
    /// Whether heads of keys and values stay as many; else each serves as many query heads.
    kept: bool,
}

/// Layers, width, query heads and widths of an MLP and of an expert at most: what the table of
/// parameters lets a custom model have, as a scaled one may become that.
const MOST_LAYERS: f64 = 2048.0;
const MOST_HIDDEN: f64 = 262_144.0;
const MOST_HEADS: u32 = 4096;
const MOST_MLP: (u32, u32) = (2_097_152, 2_000_000);
/// Heads of a state mixer, and its other widths, at most.
const MOST_STATE: (u32, u32) = (50_000, 200_000);
/// Layers over which the parameters of one are measured, times those from one with experts to the
/// next.
const SPAN: u32 = 16;
/// How far an MLP may leave the family's ratio, to take up what whole layers leave.
const STRETCH: (f64, f64) = (0.8, 1.25);
/// The roundest step of an MLP's width, and the fewest steps in it.
const ROUND: (u32, u32) = (256, 100);

impl<'a> Steps<'a> {
    /// The steps in a style; `kept` says whether heads of keys and values stay as many, as
    /// multi-query attention's always do.
    pub(super) fn of(style: &'a Architecture, kept: bool, mlp: Mlp) -> Self {
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

    /// The step nearest to a width.
    pub(super) fn nearest(&self, hidden: f64) -> u32 {
        let one = f64::from(self.heads) * self.head_share();
        ((hidden / one).round() as u32).clamp(1, self.most())
    }

    /// Steps of width at most.
    fn most(&self) -> u32 {
        let one = f64::from(self.heads) * self.head_share();
        (MOST_HEADS / self.heads.max(1)).min((MOST_HIDDEN / one) as u32).max(1)
    }

    /// Width of the model over its query heads.
    fn head_share(&self) -> f64 {
        f64::from(self.style.hidden_size.max(1)) / f64::from(self.style.num_attention_heads.max(1))
    }

    /// The step at which layers and width are most nearly in the style's ratio, at a number of
    /// parameters.
    pub(super) fn of_the_same_aspect(&self, size: f64) -> u32 {
        let deep = |step: u32| {
            let wide = self.wide(step);
            let layers = self.layers(&wide, size) / f64::from(self.style.num_hidden_layers.max(1));
            layers / (f64::from(wide.hidden_size) / f64::from(self.style.hidden_size.max(1)))
        };
        // The first step that is no deeper than the style: layers fall with the width.
        let (mut low, mut high) = (0, self.most());
        while high - low > 1 {
            let middle = u32::midpoint(low, high);
            if deep(middle) <= 1.0 {
                high = middle;
            } else {
                low = middle;
            }
        }
        // By ratios, the nearer of both.
        if low > 0 && deep(low) * deep(high) < 1.0 { low } else { high }
    }

    /// The shape at a step of width with a number of parameters: layers first, then the MLP takes
    /// up the rest.
    pub(super) fn shape(&self, step: u32, size: f64) -> Architecture {
        let wide = self.wide(step);
        let layers = self.whole(self.layers(&wide, size));
        let shape = Architecture { num_hidden_layers: layers as u32, ..wide };
        let mlp = shape.all_mlp_params(shape.experts.num_experts) as f64;
        let stretch = 1.0 + (size - params(&shape)) / mlp;
        let stretch = if stretch.is_finite() { stretch.clamp(STRETCH.0, STRETCH.1) } else { 1.0 };
        self.with_mlp(shape, stretch)
    }

    /// Whole layers: as many more or fewer than the style's as hold one with experts each, where
    /// not every layer has some.
    fn whole(&self, layers: f64) -> f64 {
        let own = f64::from(self.style.num_hidden_layers);
        let regular = self.style.has_experts() && !self.style.pattern.is_used();
        let step = if regular { f64::from(self.style.experts.moe_layer_step.max(1)) } else { 1.0 };
        let least = f64::from(self.fewest_layers());
        // Dense layers first and one with experts in many may ask for more than there can be.
        (own + ((layers - own) / step).round() * step).max(least).min(MOST_LAYERS)
    }

    /// The style at a step of width.
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

    /// A width of the style in the proportion of its widths.
    fn in_proportion(&self, own: u32, hidden: u32) -> u32 {
        let ratio = f64::from(hidden) / f64::from(self.style.hidden_size.max(1));
        if own == 0 { 0 } else { ((ratio * f64::from(own)).round() as u32).clamp(1, MOST_STATE.1.max(own)) }
    }

    /// The mixer with a state: more heads, or where it has one, a wider one; groups of Mamba-2
    /// stay, other keys grow with the values.
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

    /// A shape with MLPs in the family's ratio to its width, times `stretch`.
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

    /// Layers at which a shape has a number of parameters; not whole, and not positive where the
    /// embedding alone has more.
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

    /// The dense layers that come first and one more, with experts where there are any.
    fn fewest_layers(&self) -> u32 {
        if self.style.pattern.is_used() {
            return first_with_experts(self.style);
        }
        let Experts { num_experts, first_k_dense_replace, moe_layer_step, .. } = self.style.experts;
        if num_experts == 0 { 1 } else { first_k_dense_replace.saturating_add(moe_layer_step.max(1)) }
    }
}

/// Layers at which a shape whose layers are a list has a number of parameters, between the whole
/// numbers below and above it.
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

/// Layers of a list up to the first with experts, where it has some.
fn first_with_experts(style: &Architecture) -> u32 {
    let has = |layers: &u32| style.blocks_among(*layers).experts > 0;
    (1..=style.num_hidden_layers.max(1)).find(has).unwrap_or(1)
}

/// Rounds the width of an MLP to a step that the published one is a multiple of: a power of two,
/// and a small part of the width.
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

//! Zamba and Zamba2: state mixers in every layer, and blocks of attention that layers share.

use super::extra::{Dims, with_total};
use super::{Fields, base, rows, through};
use crate::layers::Layers;
use engine::model::transformer::pattern::{Mixer, Mlp};
use engine::model::transformer::recurrent::Recurrent;
use engine::model::transformer::{Architecture, AttentionBias};
use engine::params::ParamId;

/// Returns which layers have the shared block of attention next to their mixer.
fn shared_block(fields: &mut Fields, shape: &Architecture) -> Layers {
    let words = fields.words("layers_block_type").unwrap_or_default();
    let hybrid = |layer: usize| words.get(layer).is_some_and(|word| *word == "hybrid");
    Layers::from_shape(shape)
        .mixing(|layer| if hybrid(layer) { Mixer::Both } else { Mixer::Recurrent })
        .followed(|layer| if hybrid(layer) { Mlp::Dense } else { Mlp::None })
}

/// Blocks of attention and an MLP that the layers of Zamba share; each layer has its own block if
/// the model ties no weights.
struct Shared {
    /// Width of attention's input: twice the residual stream.
    input: f64,
    /// Parameters of one block.
    params: f64,
}

impl Shared {
    fn from_fields(fields: &mut Fields, of: &Dims, biases: f64) -> Self {
        let input = match fields.number(&["attention_hidden_size"]) {
            0.0 => 2.0 * of.hidden,
            wide => wide,
        };
        let wide = of.heads * of.dim;
        let attention = input * (wide + 2.0 * of.kv * of.dim) + wide * of.hidden;
        Self { input, params: attention + 3.0 * of.hidden * of.mlp + biases + input + of.hidden }
    }
}

/// Reads the width of an attention head: twice the residual stream over the number of heads.
fn with_wide_heads(fields: &mut Fields, style: Architecture) -> Architecture {
    let own = fields.number(&["attention_head_dim"]);
    let shape = base(fields, Architecture { head_dim: 1, norms_per_layer: 1, ..style });
    let usual = (2.0 * f64::from(shape.hidden_size) / f64::from(shape.num_attention_heads)).floor();
    let width = if own > 0.0 { own } else { usual };
    Architecture { head_dim: fields.checked("attention_head_dim", width, ParamId::HeadDim), ..shape }
}

/// Returns the shape with this total number of parameters in its layers.
fn with_layers_of(shape: Architecture, layers: f64) -> Architecture {
    let of = Dims::from_shape(&shape);
    let ends = of.vocab * of.hidden * if shape.tie_word_embeddings { 1.0 } else { 2.0 };
    with_total(shape, layers + of.hidden + ends)
}

/// Reads Zamba: one shared block of attention, twice as wide as the residual stream; Mamba with
/// heads.
pub(super) fn zamba(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = with_wide_heads(fields, style);
    let hidden = f64::from(shape.hidden_size);
    let inner = fields.number(&["mamba_expand"]).max(1.0) * hidden;
    let head_dim = fields.checked("The width of the state mixer", inner, ParamId::StateHeadDim);
    let recurrent = Recurrent { head_dim, ..through(rows::mamba, fields, shape).recurrent };
    through(rows::kernels, fields, shape);
    for name in ["attn_layer_offset", "attn_layer_period"] {
        fields.mark(name);
    }
    let shape = Architecture { recurrent, ..shape };
    let layers = shared_block(fields, &shape);
    let of = Dims::from_shape(&shape);
    // Heads split the projections to the step, B and C into blocks: each reads its own channels.
    let heads = fields.number(&["n_mamba_heads"]).max(1.0);
    let rank = f64::from(recurrent.rank) + 2.0 * f64::from(recurrent.key_dim);
    let fewer = (inner - (inner / heads).floor() * heads) * rank;
    let mixer = shape.recurrent_params_per_layer() as f64 - fewer;
    let shared = Shared::from_fields(fields, &of, 0.0);
    let both = layers.attention();
    let blocks = if shape.tie_word_embeddings { both.min(1.0) } else { both };
    let total = of.layers * (mixer + of.hidden) + blocks * shared.params + both * of.hidden * of.hidden;
    with_layers_of(layers.write(fields, shape), total)
}

/// Reads Zamba2: blocks of attention that layers share in turn, with adapters for each; Mamba-2.
pub(super) fn zamba_2(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = with_wide_heads(fields, style);
    let mixer = through(rows::mamba_2, fields, shape).recurrent;
    let biased = fields.flag("add_bias_linear", false);
    let inner = mixer.inner_width();
    let heads = f64::from(mixer.heads).max(1.0);
    let expand = fields.number(&["mamba_expand"]).max(1.0);
    let per_head = (expand * f64::from(shape.hidden_size) / heads).floor();
    // The class ignores the configured width and the configured bias of the convolution, which
    // always exists.
    let head_dim = if inner > 0.0 { fields.checked("mamba_headdim", per_head, ParamId::StateHeadDim) } else { 0 };
    let recurrent = Recurrent { bias: biased, conv_bias: true, head_dim, ..mixer };
    through(rows::kernels, fields, shape);
    for name in ["kv_channels", "num_query_groups", "use_long_context", "attn_layer_offset"] {
        fields.mark(name);
    }
    let shape = Architecture { recurrent, ..shape };
    let layers = shared_block(fields, &shape);
    let of = Dims::from_shape(&shape);
    let turns = fields.number(&["num_mem_blocks"]).max(1.0);
    let rank = fields.number(&["adapter_rank"]);
    let shared = Shared::from_fields(fields, &of, if biased { 2.0 * of.mlp + of.hidden } else { 0.0 });
    let more = fields.flag("use_shared_attention_adapter", false);
    let on_attention = if more { 6.0 * rank * shared.input } else { 0.0 };
    let adapters = rank * (of.hidden + 2.0 * of.mlp) + on_attention;
    let both = layers.attention();
    // A shared block has the adapters of all layers that use the block.
    let ids = fields.numbers("hybrid_layer_ids").map_or(both, |ids| ids.len() as f64);
    let turn = |place: f64| ((ids - place % turns) / turns).ceil();
    let (blocks, all_adapters) = if shape.tie_word_embeddings {
        (turns.min(both), if both > 0.0 { ids } else { 0.0 })
    } else {
        (both, (0..both as u32).map(|place| turn(place.into())).sum())
    };
    let linear = of.hidden * of.hidden + if biased { of.hidden } else { 0.0 };
    let mixer = shape.recurrent_params_per_layer() as f64;
    let total = of.layers * (mixer + of.hidden) + blocks * shared.params + all_adapters * adapters + both * linear;
    let shape = Architecture { attention_bias: AttentionBias::None, ..layers.write(fields, shape) };
    with_layers_of(shape, total)
}

//! State-space models, alone or with layers of attention.

use serde_json::Value;

use super::general::{Dims, base, layers, mixture, plus, with_total};
use super::{Family, Fields, TIED, family};
use crate::catalog::models::LLAMA_STYLE;
use crate::import::layers::Layers;
use crate::model::transformer::pattern::{Mixer, Mlp};
use crate::model::transformer::recurrent::{Recurrent, RecurrentKind};
use crate::model::transformer::{Architecture, AttentionBias};
use crate::params::ParamId;

/// No attention: one head of one channel, in no layer.
const STATE_ONLY: Architecture = Architecture {
    num_attention_heads: 1,
    num_key_value_heads: 1,
    head_dim: 1,
    intermediate_size: 1,
    norms_per_layer: 1,
    ..LLAMA_STYLE
};
const GROUPED: Architecture = Architecture { num_key_value_heads: 8, ..LLAMA_STYLE };
const NEMOTRON: Architecture =
    Architecture { gated_mlp: false, norms_per_layer: 1, num_hidden_layers: 1, head_dim: 128, ..GROUPED };

/// The families, in display order.
pub(super) const FAMILIES: &[Family] = &[
    family("Mamba", &["mamba", "falcon_mamba"], Architecture { tie_word_embeddings: true, ..STATE_ONLY }, mamba),
    family("Mamba-2", &["mamba2"], STATE_ONLY, mamba_2),
    family("Bamba", &["bamba"], GROUPED, bamba),
    family("Falcon-H1", &["falcon_h1"], GROUPED, falcon),
    family("Granite 4", &["granitemoehybrid"], LLAMA_STYLE, granite),
    family("Jamba", &["jamba"], GROUPED, jamba),
    family("Nemotron-H", &["nemotron_h", "nemotron_h_puzzle"], NEMOTRON, nemotron),
    family("Zamba", &["zamba"], TIED, zamba),
    family("Zamba2", &["zamba2"], TIED, zamba_2),
];

/// Reads a whole number that a state mixer has, within its bounds.
pub(super) fn part(fields: &mut Fields, names: &[&'static str], id: ParamId, usual: f64) -> u32 {
    fields.count(names, id, Some(usual as u32))
}

/// Reads the mixer of Mamba; `inner` is its width.
fn state_space(fields: &mut Fields, inner: f64, hidden: f64) -> Recurrent {
    let rank = (hidden / 16.0).ceil();
    // Some configs say "auto".
    let ranks = ["time_step_rank", "mamba_dt_rank"];
    let is_auto = ranks.iter().any(|name| fields.peek(name).is_some_and(Value::is_string));
    if is_auto {
        ranks.iter().for_each(|name| fields.mark(name));
    }
    Recurrent {
        kind: RecurrentKind::Mamba,
        heads: 1,
        head_dim: fields.checked("The width of the state mixer", inner, ParamId::StateHeadDim),
        key_heads: 1,
        key_dim: part(fields, &["state_size", "mamba_d_state"], ParamId::StateKeyDim, 16.0),
        conv_kernel: part(fields, &["conv_kernel", "mamba_d_conv"], ParamId::ConvWidth, 4.0),
        rank: if is_auto { rank as u32 } else { part(fields, &ranks, ParamId::StateRank, rank) },
        chunk: 0,
        conv_bias: fields.flag("use_conv_bias", true) && fields.flag("mamba_conv_bias", true),
        bias: fields.flag("use_bias", false) || fields.flag("mamba_proj_bias", false),
    }
}

/// Reads the mixer of Mamba-2, under the names of its families.
fn state_space_duality(fields: &mut Fields, hidden: f64) -> Recurrent {
    let heads = ["mamba_num_heads", "mamba_n_heads", "n_mamba_heads", "num_heads"];
    let heads = part(fields, &heads, ParamId::StateHeads, 0.0);
    let expand = match fields.number(&["mamba_expand", "expand"]) {
        0.0 => 2.0,
        times => times,
    };
    let inner = match fields.number(&["mamba_d_ssm"]) {
        0.0 => expand * hidden,
        width => width,
    };
    let usual = if heads > 0 { (inner / f64::from(heads)).floor() } else { 0.0 };
    let widths = ["mamba_head_dim", "mamba_d_head", "mamba_headdim"];
    let own = widths.iter().any(|name| fields.peek(name).is_some_and(Value::is_number));
    if !own {
        widths.iter().for_each(|name| fields.mark(name));
    }
    Recurrent {
        kind: RecurrentKind::Mamba2,
        heads,
        head_dim: if own { part(fields, &widths, ParamId::StateHeadDim, usual) } else { usual as u32 },
        key_heads: part(fields, &["n_groups", "mamba_n_groups", "mamba_ngroups"], ParamId::StateKeyHeads, 1.0),
        key_dim: part(fields, &["ssm_state_size", "mamba_d_state", "state_size"], ParamId::StateKeyDim, 128.0),
        conv_kernel: part(fields, &["conv_kernel", "mamba_d_conv"], ParamId::ConvWidth, 4.0),
        rank: 0,
        chunk: part(fields, &["chunk_size", "mamba_chunk_size"], ParamId::StateChunk, 256.0),
        conv_bias: fields.flag("use_conv_bias", true) && fields.flag("mamba_conv_bias", true),
        bias: fields.flag("mamba_proj_bias", false),
    }
}

/// Marks what changes no shape: kernels, bounds of steps, formats.
fn mark_kernels(fields: &mut Fields) {
    for name in [
        "time_step_min",
        "time_step_max",
        "time_step_limit",
        "use_mamba_kernels",
        "use_mambapy",
        "use_associative_scan",
        "residual_in_fp32",
        "mamba_ssm_cache_dtype",
        "rms_norm",
        "num_logits_to_keep",
        "time_step_rank",
        "expand",
        "mamba_expand",
        "attn_rotary_emb",
        "mamba_norm_before_gate",
        "rescale_prenorm_residual",
        "mamba_rms_norm",
        "z_loss_coefficient",
        "use_mem_eff_path",
        "mamba_use_mlp",
        "attention_head_dim",
        "mlp_expansion_factor",
        "use_mamba_rope",
    ] {
        fields.mark(name);
    }
}

fn mamba(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let hidden = f64::from(shape.hidden_size);
    let inner = match fields.number(&["intermediate_size"]) {
        0.0 => fields.number(&["expand"]).max(1.0) * hidden,
        inner => inner,
    };
    let recurrent = state_space(fields, inner, hidden);
    mark_kernels(fields);
    let shape = Architecture { recurrent, intermediate_size: 1, ..shape };
    states_only(fields, shape)
}

fn mamba_2(fields: &mut Fields, style: Architecture) -> Architecture {
    let names = ["head_dim"];
    let width = part(fields, &names, ParamId::StateHeadDim, 64.0);
    let heads = part(fields, &["num_heads"], ParamId::StateHeads, 128.0);
    let shape = base(fields, style);
    let bias = fields.flag("use_bias", false);
    let mixer = state_space_duality(fields, f64::from(shape.hidden_size));
    mark_kernels(fields);
    let recurrent = Recurrent { heads, head_dim: width, bias, ..mixer };
    let shape = Architecture { recurrent, num_attention_heads: 1, num_key_value_heads: 1, head_dim: 1, ..shape };
    states_only(fields, shape)
}

/// A state mixer in every layer, and nothing else.
fn states_only(fields: &mut Fields, shape: Architecture) -> Architecture {
    Layers::of(&shape).mixing(|_| Mixer::Recurrent).followed(|_| Mlp::None).write(fields, shape)
}

fn bamba(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let recurrent = state_space_duality(fields, f64::from(shape.hidden_size));
    mark_kernels(fields);
    let attention = fields.numbers("attn_layer_indices").unwrap_or_default();
    let shape = Architecture { recurrent, ..shape };
    let has = |layer: usize| attention.contains(&(layer as f64));
    Layers::of(&shape).mixing(|layer| if has(layer) { Mixer::Attention } else { Mixer::Recurrent }).write(fields, shape)
}

/// Reads Falcon-H1: attention and Mamba-2 side by side, in most models without a norm inside the mixer.
fn falcon(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let recurrent = state_space_duality(fields, f64::from(shape.hidden_size));
    let normed = fields.flag("mamba_rms_norm", false);
    mark_kernels(fields);
    let projections_biased = fields.flag("projectors_bias", false);
    let shape = Architecture { recurrent, ..shape };
    let of = Dims::of(&shape);
    let biases = match (projections_biased, recurrent.bias) {
        (true, false) => of.hidden,
        (false, true) => -of.hidden,
        _ => 0.0,
    };
    let norm = if normed { 0.0 } else { recurrent.inner_width() };
    let shape = plus(shape, of.layers * (biases - norm), 0.0);
    Layers::of(&shape).mixing(|_| Mixer::Both).write(fields, shape)
}

/// Reads Granite 4: experts, and an MLP that every token passes; that alone where there are no experts.
fn granite(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let recurrent = state_space_duality(fields, f64::from(shape.hidden_size));
    mark_kernels(fields);
    let shape = Architecture { recurrent, ..shape };
    let shape = if fields.number(&["num_local_experts"]) > 0.0 {
        mixture(fields, shape)
    } else {
        fields.mark("num_experts_per_tok");
        let width = fields.count(&["shared_intermediate_size"], ParamId::MlpWidth, Some(1024));
        Architecture { intermediate_size: width, ..shape }
    };
    if fields.peek("layer_types").is_none_or(Value::is_null) {
        return Layers::of(&shape).mixing(|_| Mixer::Recurrent).write(fields, shape);
    }
    layers(fields, &shape).write(fields, shape)
}

/// Reads Jamba: attention and experts at regular distances; norms of the step, B and C.
fn jamba(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    let hidden = f64::from(shape.hidden_size);
    let inner = fields.number(&["mamba_expand"]).max(1.0) * hidden;
    let recurrent = state_space(fields, inner, hidden);
    mark_kernels(fields);
    let mut number =
        |name: &'static str, usual: f64| if fields.peek(name).is_some() { fields.number(&[name]) } else { usual };
    let every = [number("attn_layer_period", 8.0), number("expert_layer_period", 2.0)].map(|every| every.max(1.0));
    let first = [number("attn_layer_offset", 4.0), number("expert_layer_offset", 1.0)];
    let shape = Architecture { recurrent, ..mixture(fields, shape) };
    let is = |which: usize, layer: usize| layer as f64 % every[which] == first[which];
    // A single expert is an MLP.
    let sparse = shape.experts.num_experts > 1;
    let shape = if sparse { shape } else { Architecture { experts: style.experts, ..shape } };
    let layers = Layers::of(&shape)
        .mixing(|layer| if is(0, layer) { Mixer::Attention } else { Mixer::Recurrent })
        .followed(|layer| if sparse && is(1, layer) { Mlp::Experts } else { Mlp::Dense });
    let norms = f64::from(recurrent.rank) + 2.0 * f64::from(recurrent.key_dim);
    let shape = plus(shape, layers.recurrent() * norms, 0.0);
    layers.write(fields, shape)
}

/// Reads Nemotron-H: each layer is one block, by a list of words or letters (M Mamba-2, * attention, - MLP, E experts).
fn nemotron(fields: &mut Fields, style: Architecture) -> Architecture {
    let letters = fields.peek("hybrid_override_pattern").and_then(Value::as_str).unwrap_or_default();
    fields.mark("hybrid_override_pattern");
    let words = fields.words("layers_block_type").unwrap_or_default();
    let blocks: Vec<char> = if words.is_empty() {
        letters.chars().filter(|letter| "M*-E".contains(*letter)).collect()
    } else {
        let letter = |word: &&str| match *word {
            "mamba" | "linear_attention" => 'M',
            "attention" | "full_attention" => '*',
            "moe" => 'E',
            _ => '-',
        };
        words.iter().map(letter).collect()
    };
    let mut shape = base(fields, style);
    if !blocks.is_empty() {
        shape.num_hidden_layers =
            fields.checked("The length of the list of layers", blocks.len() as f64, ParamId::Layers);
    }
    let mut recurrent = state_space_duality(fields, f64::from(shape.hidden_size));
    recurrent.bias |= fields.flag("use_bias", false);
    mark_kernels(fields);
    for name in [
        "mtp_layers_block_type",
        "mtp_hybrid_override_pattern",
        "moe_shared_expert_overlap",
        "num_nextn_predict_layers",
    ] {
        fields.mark(name);
    }
    if blocks.contains(&'E') {
        shape = mixture(fields, shape);
        let shared = fields.number(&["moe_shared_expert_intermediate_size"]);
        fields.mark("n_shared_experts");
        shape.experts.shared_intermediate_size =
            fields.checked("moe_shared_expert_intermediate_size", shared, ParamId::SharedExpertWidth);
        shape.experts.latent_size = fields.count(&["moe_latent_size"], ParamId::ExpertLatentSize, Some(0));
        shape.experts.expert_bias = shape.mlp_bias;
    } else {
        for name in [
            "n_routed_experts",
            "num_experts_per_tok",
            "moe_intermediate_size",
            "n_shared_experts",
            "n_group",
            "topk_group",
            "moe_shared_expert_intermediate_size",
            "moe_latent_size",
        ] {
            fields.mark(name);
        }
    }
    // The class does not tie its head.
    let shape = Architecture { recurrent, tie_word_embeddings: false, ..shape };
    let block = |layer: usize| blocks.get(layer).copied().unwrap_or('M');
    let layers = Layers::of(&shape)
        .mixing(|layer| match block(layer) {
            'M' => Mixer::Recurrent,
            '*' => Mixer::Attention,
            _ => Mixer::None,
        })
        .followed(|layer| match block(layer) {
            '-' => Mlp::Dense,
            'E' => Mlp::Experts,
            _ => Mlp::None,
        });
    layers.write(fields, shape)
}

/// Which layers have the shared block of attention beside their mixer.
fn shared_block(fields: &mut Fields, shape: &Architecture) -> Layers {
    let words = fields.words("layers_block_type").unwrap_or_default();
    let hybrid = |layer: usize| words.get(layer).is_some_and(|word| *word == "hybrid");
    Layers::of(shape)
        .mixing(|layer| if hybrid(layer) { Mixer::Both } else { Mixer::Recurrent })
        .followed(|layer| if hybrid(layer) { Mlp::Dense } else { Mlp::None })
}

/// The blocks of attention and an MLP that the layers of Zamba share; each layer has its own where the model ties no weights.
struct Shared {
    /// Width of what attention reads: twice the stream.
    input: f64,
    /// Parameters of one block.
    params: f64,
}

impl Shared {
    fn read(fields: &mut Fields, of: &Dims, biases: f64) -> Self {
        let input = match fields.number(&["attention_hidden_size"]) {
            0.0 => 2.0 * of.hidden,
            wide => wide,
        };
        let wide = of.heads * of.dim;
        let attention = input * (wide + 2.0 * of.kv * of.dim) + wide * of.hidden;
        Self { input, params: attention + 3.0 * of.hidden * of.mlp + biases + input + of.hidden }
    }
}

/// Reads the width of a head of attention: twice the stream over the heads.
fn with_wide_heads(fields: &mut Fields, style: Architecture) -> Architecture {
    let own = fields.number(&["attention_head_dim"]);
    let shape = base(fields, Architecture { head_dim: 1, norms_per_layer: 1, ..style });
    let usual = (2.0 * f64::from(shape.hidden_size) / f64::from(shape.num_attention_heads)).floor();
    let width = if own > 0.0 { own } else { usual };
    Architecture { head_dim: fields.checked("attention_head_dim", width, ParamId::HeadDim), ..shape }
}

/// The shape with this many parameters in its layers, all counted.
fn with_layers_of(shape: Architecture, layers: f64) -> Architecture {
    let of = Dims::of(&shape);
    let ends = of.vocab * of.hidden * if shape.tie_word_embeddings { 1.0 } else { 2.0 };
    with_total(shape, layers + of.hidden + ends)
}

/// Reads Zamba: one block of attention, twice as wide as the stream, that its layers share; Mamba with heads.
fn zamba(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = with_wide_heads(fields, style);
    let hidden = f64::from(shape.hidden_size);
    let inner = fields.number(&["mamba_expand"]).max(1.0) * hidden;
    let recurrent = state_space(fields, inner, hidden);
    mark_kernels(fields);
    for name in ["attn_layer_offset", "attn_layer_period"] {
        fields.mark(name);
    }
    let shape = Architecture { recurrent, ..shape };
    let layers = shared_block(fields, &shape);
    let of = Dims::of(&shape);
    // Heads are blocks of the products to the step, B and C: each reads its own channels.
    let heads = fields.number(&["n_mamba_heads"]).max(1.0);
    let rank = f64::from(recurrent.rank) + 2.0 * f64::from(recurrent.key_dim);
    let fewer = (inner - (inner / heads).floor() * heads) * rank;
    let mixer = shape.recurrent_params_per_layer() as f64 - fewer;
    let shared = Shared::read(fields, &of, 0.0);
    let both = layers.attention();
    let blocks = if shape.tie_word_embeddings { both.min(1.0) } else { both };
    let total = of.layers * (mixer + of.hidden) + blocks * shared.params + both * of.hidden * of.hidden;
    with_layers_of(layers.write(fields, shape), total)
}

/// Reads Zamba2: blocks of attention that layers share in turn, with adapters for each; Mamba-2.
fn zamba_2(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = with_wide_heads(fields, style);
    let mixer = state_space_duality(fields, f64::from(shape.hidden_size));
    let biased = fields.flag("add_bias_linear", false);
    let inner = mixer.inner_width();
    let heads = f64::from(mixer.heads).max(1.0);
    let expand = fields.number(&["mamba_expand"]).max(1.0);
    let per_head = (expand * f64::from(shape.hidden_size) / heads).floor();
    // The class ignores both that and the bias of the convolution, which it has.
    let head_dim = if inner > 0.0 { fields.checked("mamba_headdim", per_head, ParamId::StateHeadDim) } else { 0 };
    let recurrent = Recurrent { bias: biased, conv_bias: true, head_dim, ..mixer };
    mark_kernels(fields);
    for name in ["kv_channels", "num_query_groups", "use_long_context", "attn_layer_offset"] {
        fields.mark(name);
    }
    let shape = Architecture { recurrent, ..shape };
    let layers = shared_block(fields, &shape);
    let of = Dims::of(&shape);
    let turns = fields.number(&["num_mem_blocks"]).max(1.0);
    let rank = fields.number(&["adapter_rank"]);
    let shared = Shared::read(fields, &of, if biased { 2.0 * of.mlp + of.hidden } else { 0.0 });
    let on_attention = match fields.flag("use_shared_attention_adapter", false) {
        true => 6.0 * rank * shared.input,
        false => 0.0,
    };
    let adapters = rank * (of.hidden + 2.0 * of.mlp) + on_attention;
    let both = layers.attention();
    // The block of a layer has the adapters of all layers whose turn it is.
    let ids = fields.numbers("hybrid_layer_ids").map_or(both, |ids| ids.len() as f64);
    let turn = |place: f64| ((ids - place % turns) / turns).ceil();
    let (blocks, all_adapters) = if shape.tie_word_embeddings {
        (turns.min(both), ids)
    } else {
        (both, (0..both as u32).map(|place| turn(place.into())).sum())
    };
    let linear = of.hidden * of.hidden + if biased { of.hidden } else { 0.0 };
    let mixer = shape.recurrent_params_per_layer() as f64;
    let total = of.layers * (mixer + of.hidden) + blocks * shared.params + all_adapters * adapters + both * linear;
    let shape = Architecture { attention_bias: AttentionBias::None, ..layers.write(fields, shape) };
    with_layers_of(shape, total)
}

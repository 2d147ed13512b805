//! State-space models, alone or with layers of attention.

use serde_json::Value;

use super::extra::{Dims, plus};
use super::general::{base, layers, mixture};
use super::{Family, Fields, family};
use crate::config::layers::Layers;
use engine::catalog::models::LLAMA_STYLE;
use engine::model::transformer::Architecture;
use engine::model::transformer::pattern::{Mixer, Mlp};
use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
use engine::params::ParamId;

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
];

/// Reads a whole number that a state mixer has, within its bounds.
pub(super) fn part(fields: &mut Fields, names: &[&'static str], id: ParamId, usual: f64) -> u32 {
    fields.count(names, id, Some(usual as u32))
}

/// Reads the mixer of Mamba; `inner` is its width.
pub(super) fn state_space(fields: &mut Fields, inner: f64, hidden: f64) -> Recurrent {
    let rank = (hidden / 16.0).ceil();
    // Some configs say "auto".
    let ranks = ["time_step_rank", "mamba_dt_rank"];
    let is_auto = ranks.iter().any(|name| fields.peek(name).is_some_and(Value::is_string));
    if is_auto {
        for name in ranks {
            fields.mark(name);
        }
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
pub(super) fn state_space_duality(fields: &mut Fields, hidden: f64) -> Recurrent {
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
        for name in widths {
            fields.mark(name);
        }
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
pub(super) fn mark_kernels(fields: &mut Fields) {
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
    let attention = (number("attn_layer_offset", 4.0), number("attn_layer_period", 8.0).max(1.0));
    let experts = (number("expert_layer_offset", 1.0), number("expert_layer_period", 2.0).max(1.0));
    let shape = Architecture { recurrent, ..mixture(fields, shape) };
    let is = |(first, every): (f64, f64), layer: usize| layer as f64 % every == first;
    // A single expert is an MLP.
    let sparse = shape.experts.num_experts > 1;
    let shape = if sparse { shape } else { Architecture { experts: style.experts, ..shape } };
    let layers = Layers::of(&shape)
        .mixing(|layer| if is(attention, layer) { Mixer::Attention } else { Mixer::Recurrent })
        .followed(|layer| if sparse && is(experts, layer) { Mlp::Experts } else { Mlp::Dense });
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

//! Hybrids with their own format of layer lists: Kimi Linear, Nemotron-H, RecurrentGemma.

use serde_json::Value;

use super::extra::plus;
use super::{Fields, base, layers, mixture, rows, through};
use crate::layers::Layers;
use engine::model::transformer::pattern::{Mixer, Mlp};
use engine::model::transformer::recurrent::{Recurrent, RecurrentKind};
use engine::model::transformer::{Architecture, AttentionBias, ExtraParams};
use engine::params::ParamId;

/// Reads Kimi Linear. Moonshot's published configuration lists the attention layers in
/// `linear_attn_config`.
pub(super) fn kimi(fields: &mut Fields, style: Architecture) -> Architecture {
    let shape = base(fields, style);
    // The class does not tie the head.
    let mut shape = Architecture { tie_word_embeddings: false, ..mixture(fields, shape) };
    // Kimi K3's experts read and write a narrower stream.
    shape.experts.latent_size = fields.count(&["routed_expert_hidden_size"], ParamId::ExpertLatentSize, Some(0));
    let mut recurrent = through(rows::kimi_delta, fields, shape).recurrent;
    recurrent.rank = recurrent.head_dim;
    let nested = fields.object("linear_attn_config");
    let number = |name: &str| nested.and_then(|entries| entries.get(name)).and_then(Value::as_f64);
    let mut set = |value: Option<f64>, id: ParamId, field: fn(&mut Recurrent) -> Vec<&mut u32>| {
        if let Some(value) = value {
            let value = fields.checked("linear_attn_config", value, id);
            for place in field(&mut recurrent) {
                *place = value;
            }
        }
    };
    set(number("num_heads"), ParamId::StateHeads, |mixer| vec![&mut mixer.heads, &mut mixer.key_heads]);
    set(number("head_dim"), ParamId::StateHeadDim, |mixer| {
        vec![&mut mixer.head_dim, &mut mixer.key_dim, &mut mixer.rank]
    });
    set(number("short_conv_kernel_size"), ParamId::ConvWidth, |mixer| vec![&mut mixer.conv_kernel]);
    let shape = Architecture { recurrent, ..shape };
    let full = nested.and_then(|entries| entries.get("full_attn_layers")).and_then(Value::as_array);
    let Some(full) = full else {
        let layers = layers(fields, &shape);
        let shape = scale_to_attention_layers(&layers, shape);
        return layers.write(fields, shape);
    };
    // The list counts layers from 1.
    let has = |layer: usize| full.iter().any(|place| *place == (layer + 1) as f64);
    let layers = layers(fields, &shape).mixing(|layer| if has(layer) { Mixer::Attention } else { Mixer::Recurrent });
    let shape = scale_to_attention_layers(&layers, shape);
    layers.write(fields, shape)
}

/// Scales the extra parameters of latent attention, counted for every layer, to the attention
/// layers.
fn scale_to_attention_layers(layers: &Layers, shape: Architecture) -> Architecture {
    let share = layers.attention() / f64::from(shape.num_hidden_layers);
    let extra = ExtraParams { layers: (shape.extra.layers as f64 * share).round() as i64, ..shape.extra };
    Architecture { extra, ..shape }
}

/// Reads Nemotron-H: each layer is one block, by a list of words or letters (M Mamba-2, *
/// attention, - MLP, E experts).
pub(super) fn nemotron(fields: &mut Fields, style: Architecture) -> Architecture {
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
    let mut recurrent = through(rows::mamba_2, fields, shape).recurrent;
    recurrent.bias |= fields.flag("use_bias", false);
    through(rows::kernels, fields, shape);
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
    let layers = Layers::from_shape(&shape)
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

/// Reads RecurrentGemma: repeated blocks, an MLP of half of `intermediate_size`, a bias on
/// attention's output.
pub(super) fn griffin(fields: &mut Fields, style: Architecture) -> Architecture {
    let window = fields.count(&["attention_window_size"], ParamId::SlidingWindow, Some(2048));
    let shape = base(fields, style);
    let width = match fields.number(&["lru_width"]) {
        0.0 => f64::from(shape.hidden_size),
        width => width,
    };
    let heads = shape.num_attention_heads;
    let recurrent = Recurrent {
        kind: RecurrentKind::RgLru,
        heads,
        head_dim: fields.checked(
            "lru_width over heads",
            (width / f64::from(heads)).floor().max(1.0),
            ParamId::StateHeadDim,
        ),
        conv_kernel: fields.count(&["conv1d_width"], ParamId::ConvWidth, Some(4)),
        conv_bias: true,
        bias: true,
        ..Recurrent::NONE
    };
    let shape = Architecture {
        recurrent,
        sliding_window: window,
        intermediate_size: (shape.intermediate_size / 2).max(1),
        mlp_bias: true,
        logit_softcap: true,
        ..shape
    };
    fields.mark("logits_soft_cap");
    let blocks = fields.words("block_types").or_else(|| fields.words("_block_types")).unwrap_or_default();
    let usual = ["recurrent", "recurrent", "attention"];
    let blocks = if blocks.is_empty() { usual.to_vec() } else { blocks };
    let has = |layer: usize| blocks.get(layer % blocks.len()) == Some(&"attention");
    let layers = Layers::from_shape(&shape).mixing(|layer| if has(layer) { Mixer::Window } else { Mixer::Recurrent });
    let shape = match shape.attention_bias {
        AttentionBias::None => plus(shape, layers.attention() * f64::from(shape.hidden_size), 0.0),
        _ => shape,
    };
    layers.write(fields, shape)
}

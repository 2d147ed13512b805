//! The shape of a custom model. Rows read the shape of any model but only write to a custom one,
//! except for the number of experts and of experts per token: changing these turns a mixture of
//! experts of the catalog into a custom model.

use super::{AxisUse, Choice, ChoiceOption, Group, Kind, Number, Param, Scale, Unit, option, position, whole};
use crate::model::transformer::{Architecture, AttentionBias, FusedProjections, Norm, QkNorm};
use crate::scenario::{Model, Scenario};

/// For rows that only apply to a custom model.
fn is_custom(scenario: &Scenario) -> bool {
    matches!(scenario.model, Model::Custom { .. })
}

/// Returns the shape that a row may change.
fn custom(scenario: &mut Scenario) -> Option<&mut Architecture> {
    match &mut scenario.model {
        Model::Custom { architecture } => Some(architecture),
        Model::Preset { .. } | Model::Ladder { .. } | Model::Scaled { .. } => None,
    }
}

/// Expands to the last field of a path.
macro_rules! last {
    ($only:ident) => {
        stringify!($only)
    };
    ($first:ident . $last:ident) => {
        stringify!($last)
    };
}

/// A row that counts something.
macro_rules! count {
    (
        $(#[$doc:meta])* $name:ident, $($field:ident).+, $key:literal, $label:literal, $min:literal ..= $max:literal,
        $([$($special:ident($($value_of:expr),*)),*],)? $help:literal
    ) => {
        count!(
            $(#[$doc])* $name, $($field).+, custom, $key, $label, $min..=$max,
            [$($($special($($value_of),*)),*)?], $help
        );
    };
    (
        $(#[$doc:meta])* $name:ident, $($field:ident).+, $writable:ident, $key:literal, $label:literal,
        $min:literal ..= $max:literal, [$($special:ident($($value_of:expr),*)),*], $help:literal
    ) => {
        $(#[$doc])*
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: last!($($field).+),
            group: Group::Architecture,
            help: $help,
            kind: Kind::Number(Number {
                unit: Unit::None,
                min: $min,
                max: $max,
                // A slider of doublings cannot start at 0.
                scale: if $min > 0.0 { Scale::PowersOfTwo } else { Scale::Linear },
                integer: true,
                bounds: None,
                get: |scenario| f64::from(scenario.model.architecture().$($field).+),
                set: |scenario, value| {
                    if let Some(architecture) = $writable(scenario) {
                        architecture.$($field).+ = whole(value);
                    }
                },
            }),
            applies: is_custom,
            axis: AxisUse::Never,
            ..Param::DEFAULT
        }
        $(.$special($($value_of),*))*;
    };
}

/// A row with named options.
macro_rules! named {
    (
        $(#[$doc:meta])* $name:ident, $($field:ident).+, $key:literal, $label:literal, $all:expr, $options:expr,
        $([$($special:ident($($value_of:expr),*)),*],)? $help:literal
    ) => {
        $(#[$doc])*
        pub(in crate::params) const $name: Param = Param {
            key: $key,
            label: $label,
            csv: last!($($field).+),
            group: Group::Architecture,
            help: $help,
            kind: Kind::Choice(Choice {
                options: $options,
                get: |scenario| position($all, &scenario.model.architecture().$($field).+),
                set: |scenario, index| {
                    if let (Some(architecture), Some(&value)) = (custom(scenario), $all.get(index)) {
                        architecture.$($field).+ = value;
                    }
                },
            }),
            applies: is_custom,
            axis: AxisUse::Never,
            ..Param::DEFAULT
        }
        $($(.$special($($value_of),*))*)?;
    };
}

pub(in crate::params) mod experts;
pub(in crate::params) mod latent;
pub(in crate::params) mod recurrent;
pub(in crate::params) mod tower;

/// The values of a yes-or-no row.
const NO_YES: &[bool] = &[false, true];

/// The options of a yes-or-no row.
const NO_YES_OPTIONS: &[ChoiceOption] = &[option("no", "No", "It has none."), option("yes", "Yes", "It has them.")];

count!(
    /// Decoder layers.
    LAYERS, num_hidden_layers, "layers", "Layers", 1.0..=2048.0,
    "Decoder layers (num_hidden_layers in config.json)."
);
count!(
    /// Width of the residual stream.
    HIDDEN, hidden_size, "hidden", "Hidden size", 1.0..=262_144.0,
    "Width of the residual stream (hidden_size in config.json)."
);
count!(
    /// Query heads.
    HEADS, num_attention_heads, "heads", "Attention heads", 1.0..=4096.0,
    "Query heads of attention (num_attention_heads in config.json)."
);
count!(
    /// Key and value heads.
    KV_HEADS, num_key_value_heads, "kv", "Key and value heads", 1.0..=4096.0,
    "Heads of keys and values (num_key_value_heads in config.json): fewer than query heads with grouped-query attention."
);
count!(
    /// Width of one head.
    HEAD_DIM, head_dim, "headdim", "Head dimension", 1.0..=262_144.0,
    "Width of one attention head (head_dim in config.json), usually the hidden size divided by the heads."
);
count!(
    /// Width of the MLP.
    INTERMEDIATE, intermediate_size, "ffn", "MLP width", 1.0..=2_097_152.0,
    "Width of the MLP between its two projections (intermediate_size in config.json)."
);
count!(
    /// Entries of the vocabulary.
    VOCAB, vocab_size, "vocab", "Vocabulary size", 1.0..=16_777_216.0,
    "Entries of the vocabulary (vocab_size in config.json)."
);
named!(
    /// Gated or plain MLP.
    MLP, gated_mlp, "mlp", "MLP kind", &[true, false],
    &[
        option("gated", "Gated", "SwiGLU or GeGLU: three matrices."),
        option("plain", "Plain", "One activation function between two matrices."),
    ],
    "Whether the MLP is gated (three matrices) or plain (two)."
);
named!(
    /// The kind of norm.
    NORM, norm, "norm", "Norm", &[Norm::Rms, Norm::Layer, Norm::LayerNoBias],
    &[
        option("rms", "RMSNorm", "One weight a channel."),
        option("layer", "LayerNorm", "A weight and a bias a channel."),
        option("layer-nobias", "LayerNorm without bias", "A weight a channel."),
    ],
    "How hidden states are normalised."
);
count!(
    /// Norms in one layer.
    NORMS_PER_LAYER, norms_per_layer, "norms", "Norms per layer", 0.0..=8.0,
    "Norms of hidden width in one layer: 2 in most models, 1 in parallel blocks, 4 with norms after the blocks too."
);
named!(
    /// Norms of queries and keys.
    QK_NORM, qk_norm, "qknorm", "Query and key norms", &[QkNorm::None, QkNorm::PerHead, QkNorm::Full],
    &[
        option("no", "No", "Neither is normalised."),
        option("yes", "Per head", "One weight a channel of a head (Qwen 3)."),
        option("full", "Whole width", "One weight a channel of all heads (OLMo 2)."),
    ],
    "Whether and how queries and keys are normalised."
);
named!(
    /// Biases of attention.
    ATTENTION_BIAS, attention_bias, "bias", "Attention bias",
    &[AttentionBias::None, AttentionBias::Qkv, AttentionBias::All],
    &[
        option("none", "None", "No projection has a bias (Llama)."),
        option("qkv", "Query, key, value", "Query, key and value have one (Qwen 2)."),
        option("all", "All", "All four projections have one (GPT-2, OPT)."),
    ],
    "Which attention projections carry a bias."
);
named!(
    /// Fused projections.
    FUSED_PROJECTIONS, fused_projections, "fusedqkv", "Fused projections",
    &[FusedProjections::None, FusedProjections::Attention, FusedProjections::All],
    &[
        option("none", "None", "Query, key and value are matrices of their own (Llama)."),
        option("attention", "Attention", "Query, key and value are one matrix (GPT-2, Falcon, Qwen 1)."),
        option("all", "Attention and MLP", "So are gate and up (Phi-3, GLM)."),
    ],
    "Which matrices that read the same input are one in the model's code: they share a LoRA adapter."
);
named!(
    /// Capped logits.
    LOGIT_SOFTCAP, logit_softcap, "softcap", "Capped logits", NO_YES, NO_YES_OPTIONS,
    "Whether a tanh caps the output's logits (Gemma 2's final_logit_softcapping)."
);
named!(
    /// Biases of the MLP.
    MLP_BIAS, mlp_bias, "mlpbias", "MLP bias", NO_YES, NO_YES_OPTIONS,
    "Whether the MLP's matrices carry a bias."
);
named!(
    /// Tied embeddings.
    TIED, tie_word_embeddings, "tied", "Tied embeddings", NO_YES, NO_YES_OPTIONS,
    "Whether the output head shares the embedding's weights (tie_word_embeddings in config.json)."
);
named!(
    /// Biases of the head.
    HEAD_BIAS, head_bias, "headbias", "Head bias", NO_YES, NO_YES_OPTIONS,
    "Whether the output head carries a bias (lm_head_bias in config.json)."
);
count!(
    /// Learned positions.
    POSITIONS, learned_positions, "pos", "Learned positions", 0.0..=16_777_216.0,
    "Learned position embeddings (GPT-2, OPT): the longest sequence, or 0 for rotary or ALiBi positions."
);
named!(
    /// A norm after the embedding.
    EMBEDDING_NORM, embedding_norm, "embnorm", "Embedding norm", NO_YES, NO_YES_OPTIONS,
    "Whether a norm follows the embedding (BLOOM)."
);
count!(
    /// Width of the sliding window.
    SLIDING_WINDOW, sliding_window, "window", "Sliding window", 0.0..=16_777_216.0,
    "Keys that a query of a local layer sees at most (sliding_window in config.json); 0 for the whole sequence."
);
count!(
    /// Distance between global layers.
    GLOBAL_EVERY, global_every, "globalevery", "Global layers, one in", 0.0..=100.0,
    "Of how many layers one sees the whole sequence where the others slide (Gemma 2: 2, Gemma 3: 6); 0 where all slide."
);
named!(
    /// Chunks instead of a window.
    CHUNKED, attention_chunks, "chunked", "Attention in chunks", NO_YES, NO_YES_OPTIONS,
    "Whether local layers cut the sequence into chunks as wide as the window (attention_chunk_size in config.json, Llama 4)."
);
named!(
    /// Sinks.
    SINKS, attention_sinks, "sinks", "Attention sinks", NO_YES, NO_YES_OPTIONS,
    "Whether each query head has a learned sink in its softmax (gpt-oss)."
);
named!(
    /// A gate on attention's output.
    GATED_ATTENTION, gated_attention, "attngate", "Gated attention", NO_YES, NO_YES_OPTIONS,
    "Whether a gate as wide as the queries scales attention's output (attn_output_gate in config.json, Qwen3-Next)."
);

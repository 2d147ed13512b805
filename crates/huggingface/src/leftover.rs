//! Fields of a config that were not understood and might matter.

use serde_json::Value;

use super::fields::Fields;

/// Substrings of field names that change no shape: tokens and tasks, positions without parameters,
/// constants of norms and activations, losses, formats and loading.
const IRRELEVANT: [&str; 77] = [
    "token",
    "drop",
    "eps",
    "rope",
    "rotary",
    "dtype",
    "version",
    "initializer",
    "init_",
    "_act",
    "activation",
    "act_",
    "aux_loss",
    "seq_aux",
    "router_aux",
    "router_jitter",
    "cache",
    "return",
    "output_",
    "label",
    "softcap",
    "norm_topk",
    "scal",
    "multiplier",
    "summary",
    "quant",
    "task",
    "auto_map",
    "pretraining_tp",
    "max_position",
    "max_seq",
    "seq_length",
    "n_ctx",
    "context_length",
    "scoring_func",
    "topk_method",
    "ep_size",
    "swiglu_limit",
    "parallel_residual",
    "clip_qkv",
    "problem_type",
    "is_decoder",
    "torchscript",
    "pruned",
    "attn_implementation",
    "attn_temperature",
    "alibi",
    "checkpointing",
    "fused",
    "flash",
    "architectures",
    "model_type",
    "hidden_size_per",
    "img_processor",
    "interpolate",
    "softmax_in_fp32",
    "fp32",
    "time_step_",
    "alpha_factor",
    "beta_factor",
    "lambda_std",
    "swiglu_alpha",
    "coef_clip",
    "n_positions",
    "num_nextn_predict",
    "dim_model_base",
    "afn",
    "grouped_topk",
    "use_nope",
    "position_embedding_type",
    "normalization_function",
    "layernorm_",
    "ignore_index",
    "mtp_",
    "spatial_pool",
    "bidirectional_attention",
    "drop_path",
];

/// The keys of nested language model configs.
const TEXT_PARTS: [&str; 3] = ["text_config", "llm_config", "language_config"];

/// Returns the names of unused fields whose value might matter.
pub(super) fn not_understood(fields: &Fields) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (name, value) in fields.unused() {
        let known =
            name.starts_with('_') || TEXT_PARTS.contains(&name) || IRRELEVANT.iter().any(|part| name.contains(part));
        if !known && !says_nothing(value) && !names.iter().any(|named| named == name) {
            names.push(engine::params::quantity::shorten(name));
        }
    }
    names
}

/// Whether a value enables nothing: `null`, `false`, zero or empty.
pub(super) fn says_nothing(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => true,
        Value::Bool(true) | Value::String(_) => false,
        Value::Number(_) => *value == 0.0,
        Value::Array(values) => values.is_empty(),
        Value::Object(entries) => entries.is_empty(),
    }
}

//! The Byte Latent Transformer (arXiv 2412.09871): a transformer of patches between two
//! transformers of bytes, and a transformer that splits bytes into patches.

use serde_json::{Map, Value};

use super::Fields;
use crate::tower::NestedConfig;
use engine::model::transformer::{Architecture, ExtraParams};
use engine::params::ParamId;

/// One of the transformers.
struct Stack {
    layers: f64,
    hidden: f64,
    heads: f64,
    kv: f64,
    dim: f64,
    mlp: f64,
    vocab: f64,
    /// Number of byte vectors that a patch vector is split into.
    cut: f64,
    /// Layers of attention between bytes and patches.
    crossings: f64,
}

impl Stack {
    fn new(given: &Map<String, Value>, usual: &str) -> Self {
        let part = NestedConfig::new(given, usual);
        let hidden = part.number("hidden_size");
        let heads = part.number_or("num_attention_heads", 1.0);
        Self {
            layers: part.number("num_hidden_layers"),
            hidden,
            heads,
            kv: part.number_or("num_key_value_heads", heads),
            dim: part.number_or("head_dim", (hidden / heads).floor()),
            mlp: part.number_or("intermediate_size", (8.0 * hidden / 3.0).floor()),
            vocab: part.number_or("vocab_size", 260.0),
            cut: part.number_or("cross_attn_k", 2.0),
            crossings: if part.flag("cross_attn_all_layers") { part.number("num_hidden_layers") } else { 1.0 },
        }
    }

    /// Returns the parameters of attention: queries, keys, values, outputs.
    fn attention(&self) -> f64 {
        2.0 * self.hidden * self.dim * (self.heads + self.kv)
    }

    /// Returns the parameters of the layers.
    fn params(&self) -> f64 {
        self.layers * (self.attention() + 3.0 * self.hidden * self.mlp + 2.0 * self.hidden)
    }

    /// Returns the parameters of one layer of attention between bytes and patches, with its two
    /// norms.
    fn crossing(&self) -> f64 {
        self.attention() + 2.0 * self.hidden
    }
}

/// Reads the transformer of patches as the model, and the others as extra parameters.
pub(super) fn blt(fields: &mut Fields, style: Architecture) -> Architecture {
    let empty = Map::new();
    let mut stack = |name: &'static str, usual: &str| Stack::new(fields.object(name).unwrap_or(&empty), usual);
    let patches = stack("global_config", "blt_global_transformer");
    let encoder = stack("encoder_config", "blt_local_encoder");
    let decoder = stack("decoder_config", "blt_local_decoder");
    let patcher = stack("patcher_config", "blt_patcher");
    let cut = fields.number(&["cross_attn_k"]).max(1.0);
    let functions = fields.number(&["encoder_hash_byte_group_nb_functions"]);
    let sizes = fields.numbers("encoder_hash_byte_group_size").unwrap_or_default().len() as f64;
    let hashes = functions * sizes * fields.number(&["encoder_hash_byte_group_vocab"]);
    let vocab = fields.count(&["vocab_size"], ParamId::VocabSize, Some(260));
    let tie = fields.flag("tie_word_embeddings", false);
    let cuts = fields.flag("patch_in_forward", true);
    for name in [
        "patching_mode",
        "patching_threshold",
        "patching_batch_size",
        "patch_size",
        "local_attention_window_len",
        "max_patch_length",
        "patching_device",
        "realtime_patching",
    ] {
        fields.mark(name);
    }
    let embedding = if tie { 0.0 } else { encoder.vocab * encoder.hidden };
    let in_encoder = encoder.params()
        + encoder.cut * encoder.hidden * encoder.hidden
        + encoder.crossings * encoder.crossing()
        + embedding;
    let in_decoder = decoder.params()
        + patches.hidden * decoder.cut * decoder.hidden
        + decoder.hidden
        + decoder.crossings * decoder.crossing()
        + f64::from(vocab) * decoder.hidden;
    let in_patcher = patcher.params() + 2.0 * patcher.vocab * patcher.hidden + patcher.hidden;
    let bridge = cut * encoder.hidden;
    let widened = if bridge == patches.hidden { 0.0 } else { bridge * patches.hidden };
    let total = patches.params()
        + widened
        + in_encoder
        + in_decoder
        + hashes * encoder.hidden
        + if cuts { in_patcher } else { 0.0 };
    let mut whole = |name: &str, value: f64, id: ParamId| fields.checked(name, value, id);
    let shape = Architecture {
        num_hidden_layers: whole("num_hidden_layers of global_config", patches.layers, ParamId::Layers),
        hidden_size: whole("hidden_size of global_config", patches.hidden, ParamId::HiddenSize),
        num_attention_heads: whole("num_attention_heads of global_config", patches.heads, ParamId::AttentionHeads),
        num_key_value_heads: whole("num_key_value_heads of global_config", patches.kv, ParamId::KvHeads),
        head_dim: whole("head_dim of global_config", patches.dim, ParamId::HeadDim),
        intermediate_size: whole("intermediate_size of global_config", patches.mlp, ParamId::MlpWidth),
        vocab_size: vocab,
        tie_word_embeddings: tie,
        ..style
    };
    let outside = (total - shape.params() as f64) as i64;
    Architecture { extra: ExtraParams { layers: 0, outside }, ..shape }
}

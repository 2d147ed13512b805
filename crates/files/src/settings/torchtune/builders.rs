//! torchtune's builders of models, with their tokenizers and checkpoints.

use crate::settings::context::ExportContext;
use crate::settings::notes;
use engine::model::transformer::{AttentionBias, Norm, QkNorm};

/// A builder of torchtune, with and without adapters.
pub(super) struct Builder {
    /// The module under `torchtune.models`.
    pub(super) module: &'static str,
    /// The function in the module; prefixed with `lora_` if there are adapters.
    pub(super) function: &'static str,
    /// The key of the checkpointer.
    pub(super) model_type: &'static str,
    /// The tokenizer, and the keys of its files.
    pub(super) tokenizer: &'static str,
    pub(super) files: &'static [(&'static str, &'static str)],
    /// Whether the file contains the shape, as torchtune has no builder for the model.
    pub(super) is_general: bool,
}

/// A tokenizer with its files.
type Tokenizer = (&'static str, &'static [(&'static str, &'static str)]);

const LLAMA_2: Tokenizer = ("llama2.llama2_tokenizer", &[("path", "tokenizer.model")]);
const LLAMA_3: Tokenizer = ("llama3.llama3_tokenizer", &[("path", "original/tokenizer.model")]);
const MISTRAL: Tokenizer = ("mistral.mistral_tokenizer", &[("path", "tokenizer.model")]);
const GEMMA: Tokenizer = ("gemma.gemma_tokenizer", &[("path", "tokenizer.model")]);
const PHI_3: Tokenizer = ("phi3.phi3_mini_tokenizer", &[("path", "tokenizer.model")]);
const PHI_4: Tokenizer = ("phi4.phi4_tokenizer", &[("vocab_path", "vocab.json"), ("merges_path", "merges.txt")]);
const QWEN_2: Tokenizer = ("qwen2.qwen2_tokenizer", &[("path", "vocab.json"), ("merges_file", "merges.txt")]);
const QWEN_2_5: Tokenizer = ("qwen2_5.qwen2_5_tokenizer", &[("path", "vocab.json"), ("merges_file", "merges.txt")]);

/// Models of the catalog that torchtune has: the module, the function, the checkpoint's key, the
/// tokenizer.
const BUILDERS: [(&str, &str, &str, &str, Tokenizer); 31] = [
    ("llama-2-7b", "llama2", "llama2_7b", "LLAMA2", LLAMA_2),
    ("llama-2-13b", "llama2", "llama2_13b", "LLAMA2", LLAMA_2),
    ("llama-2-70b", "llama2", "llama2_70b", "LLAMA2", LLAMA_2),
    ("llama-3-8b", "llama3", "llama3_8b", "LLAMA3", LLAMA_3),
    ("llama-3-70b", "llama3", "llama3_70b", "LLAMA3", LLAMA_3),
    ("llama-3.1-8b", "llama3_1", "llama3_1_8b", "LLAMA3", LLAMA_3),
    ("llama-3.1-70b", "llama3_1", "llama3_1_70b", "LLAMA3", LLAMA_3),
    ("llama-3.1-405b", "llama3_1", "llama3_1_405b", "LLAMA3", LLAMA_3),
    ("llama-3.2-1b", "llama3_2", "llama3_2_1b", "LLAMA3_2", LLAMA_3),
    ("llama-3.2-3b", "llama3_2", "llama3_2_3b", "LLAMA3_2", LLAMA_3),
    ("llama-3.3-70b", "llama3_3", "llama3_3_70b", "LLAMA3", LLAMA_3),
    ("mistral-7b", "mistral", "mistral_7b", "MISTRAL", MISTRAL),
    ("gemma-2b", "gemma", "gemma_2b", "GEMMA", GEMMA),
    ("gemma-7b", "gemma", "gemma_7b", "GEMMA", GEMMA),
    ("gemma-2-2b", "gemma2", "gemma2_2b", "GEMMA2", GEMMA),
    ("gemma-2-9b", "gemma2", "gemma2_9b", "GEMMA2", GEMMA),
    ("gemma-2-27b", "gemma2", "gemma2_27b", "GEMMA2", GEMMA),
    ("phi-3-mini", "phi3", "phi3_mini", "PHI3_MINI", PHI_3),
    ("phi-4", "phi4", "phi4_14b", "PHI4", PHI_4),
    ("qwen-2-1.5b", "qwen2", "qwen2_1_5b", "QWEN2", QWEN_2),
    ("qwen-2-7b", "qwen2", "qwen2_7b", "QWEN2", QWEN_2),
    ("qwen-2.5-0.5b", "qwen2_5", "qwen2_5_0_5b", "QWEN2", QWEN_2_5),
    ("qwen-2.5-1.5b", "qwen2_5", "qwen2_5_1_5b_base", "QWEN2", QWEN_2_5),
    ("qwen-2.5-3b", "qwen2_5", "qwen2_5_3b", "QWEN2", QWEN_2_5),
    ("qwen-2.5-7b", "qwen2_5", "qwen2_5_7b_base", "QWEN2", QWEN_2_5),
    ("qwen-2.5-14b", "qwen2_5", "qwen2_5_14b_base", "QWEN2", QWEN_2_5),
    ("qwen-2.5-32b", "qwen2_5", "qwen2_5_32b_base", "QWEN2", QWEN_2_5),
    ("qwen-2.5-72b", "qwen2_5", "qwen2_5_72b_base", "QWEN2", QWEN_2_5),
    // Models with the shape and weights of another model's builder.
    ("llama-1-7b", "llama2", "llama2_7b", "LLAMA2", LLAMA_2),
    ("llama-1-13b", "llama2", "llama2_13b", "LLAMA2", LLAMA_2),
    ("mistral-7b-v0.2", "mistral", "mistral_7b", "MISTRAL", MISTRAL),
];

impl Builder {
    /// Returns the builder of a scenario's model: Llama 3.1's with explicit sizes if torchtune has
    /// none.
    pub(super) fn select(context: &ExportContext) -> Self {
        let id = context.model_name();
        let known = BUILDERS.iter().find(|(own, ..)| *own == id);
        let (module, function, model_type, (tokenizer, files)) = known
            .map_or(("llama3_1", "llama3_1", "LLAMA3", LLAMA_3), |(_, module, function, model_type, tokenizer)| {
                (*module, *function, *model_type, *tokenizer)
            });
        Self { module, function, model_type, tokenizer, files, is_general: known.is_none() }
    }
}

/// Adds notes about models without a builder.
pub(super) fn add_notes(context: &mut ExportContext) {
    if !Builder::select(context).is_general {
        return;
    }
    let shape = context.setup.architecture;
    let is_other = !shape.gated_mlp
        || shape.norm != Norm::Rms
        || shape.norms_per_layer != 2
        || shape.qk_norm != QkNorm::None
        || shape.attention_bias != AttentionBias::None
        || shape.mlp_bias
        || shape.tie_word_embeddings
        || shape.head_bias
        || shape.learned_positions > 0
        || shape.embedding_norm
        || shape.attention_sinks
        || shape.has_experts()
        || shape.latent.is_used()
        || shape.head_dim.saturating_mul(shape.num_attention_heads) != shape.hidden_size;
    context.note_if(true, notes::TUNE_MODEL);
    context.note_if(is_other, notes::TUNE_SHAPE);
    context.note_if(shape.has_experts(), notes::TUNE_EXPERTS);
    context.note_if(shape.sliding_window > 0, notes::TITAN_WINDOW);
}

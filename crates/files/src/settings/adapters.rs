//! Low-rank adapters in PEFT's terms: modules by the names in Hugging Face's models, rank, scale,
//! and further trained weights.

use super::context::ExportContext;
use catalog::hub;
use engine::model::trained::{Method, TargetModules, Trained};
use engine::model::transformer::{Architecture, FusedProjections};
use engine::scenario::Model;

/// Probability of dropout before adapters, if enabled.
const DROPOUT: &str = "0.05";
/// Placeholder for a model without a repository.
const NO_REPOSITORY: &str = "path/to/model";

/// The adapters of a scenario.
pub(super) struct Adapters {
    /// The rank.
    pub(super) rank: u32,
    /// The scale: twice the rank.
    pub(super) alpha: u32,
    /// The probability of dropout.
    pub(super) dropout: &'static str,
    /// Whether the scale falls with the square root of the rank.
    pub(super) rslora: bool,
    /// Whether the adapters have magnitudes (DoRA).
    pub(super) dora: bool,
    /// The modules with adapters.
    pub(super) modules: Vec<&'static str>,
    /// The parameters with adapters: experts are no modules in transformers.
    pub(super) parameters: Vec<&'static str>,
    /// Whether the modules are all linear ones.
    pub(super) all_linear: bool,
    /// The embedding and the head, if they are trained.
    pub(super) saved: Vec<&'static str>,
    /// Whether the embedding and the head are one matrix.
    pub(super) is_tied: bool,
    /// The layers with adapters, if not all: from the first to before the last.
    pub(super) layers: Option<[u32; 2]>,
    /// Whether weights are stored transposed (GPT-2's `Conv1D`).
    pub(super) transposed: bool,
}

impl Adapters {
    /// Returns the adapters of a scenario, if it has any.
    pub(super) fn from_context(context: &ExportContext) -> Option<Self> {
        let (setup, trained) = (&context.setup, &context.setup.trained);
        if !trained.has_adapters() {
            return None;
        }
        let (names, shape) = (Names::for_context(context), &setup.architecture);
        let (targets, dora) = (trained.targets.modules(), trained.method == Method::Dora);
        let has_parameters = shape.has_experts() && targets.mlp && !dora;
        let layers = shape.num_hidden_layers;
        Some(Self {
            rank: trained.rank,
            alpha: trained.rank.saturating_mul(2),
            // PEFT refuses dropout before parameters.
            dropout: if trained.dropout && !has_parameters { DROPOUT } else { "0.0" },
            rslora: trained.method == Method::RsLora,
            dora,
            modules: names.targeted(targets, shape),
            parameters: if has_parameters { vec!["experts.gate_up_proj", "experts.down_proj"] } else { Vec::new() },
            all_linear: targets == ALL && !shape.has_experts(),
            saved: if trained.embeddings { names.ends.to_vec() } else { Vec::new() },
            is_tied: shape.tie_word_embeddings,
            layers: (trained.frozen_layers > 0).then_some([trained.frozen_layers.min(layers), layers]),
            transposed: names.transposed,
        })
    }

    /// Returns the indices of the layers with adapters, if not all have some.
    pub(super) fn layers_to_transform(&self) -> Option<Vec<u32>> {
        self.layers.map(|[first, end]| (first..end).collect())
    }
}

/// Every module.
const ALL: TargetModules = TargetModules { query_value: true, key: true, output: true, mlp: true };

/// Names of modules in Hugging Face's class of a model.
pub(super) struct Names {
    attention: [&'static [&'static str]; 3],
    mlp: &'static [&'static str],
    /// The embedding and the head.
    pub(super) ends: [&'static str; 2],
    transposed: bool,
}

/// Llama's names, which most later models use.
const LLAMA: Names = Names {
    attention: [&["q_proj", "v_proj"], &["k_proj"], &["o_proj"]],
    mlp: &["gate_proj", "up_proj", "down_proj"],
    ends: ["embed_tokens", "lm_head"],
    transposed: false,
};
/// GPT-NeoX's names.
const NEOX: Names = Names {
    attention: [&["query_key_value"], &[], &["dense"]],
    mlp: &["dense_h_to_4h", "dense_4h_to_h"],
    ends: ["embed_in", "embed_out"],
    transposed: false,
};
/// Prefixes of the catalog's identifiers, with the names of their classes.
const NAMES: [(&str, Names); 15] = [
    (
        "gpt-2",
        Names {
            attention: [&["c_attn"], &[], &["c_proj"]],
            mlp: &["c_fc", "c_proj"],
            ends: ["wte", "lm_head"],
            transposed: true,
        },
    ),
    ("pythia", NEOX),
    ("gpt-neox", NEOX),
    ("stablelm-alpha", NEOX),
    ("bloom", Names { ends: ["word_embeddings", "lm_head"], ..NEOX }),
    ("falcon-3", LLAMA),
    ("falcon", Names { ends: ["word_embeddings", "lm_head"], ..NEOX }),
    ("chatglm", Names { ends: ["embedding.word_embeddings", "output_layer"], ..NEOX }),
    ("glm-4-9b-chat", Names { ends: ["embedding.word_embeddings", "output_layer"], ..NEOX }),
    ("opt", Names { attention: [&["q_proj", "v_proj"], &["k_proj"], &["out_proj"]], mlp: &["fc1", "fc2"], ..LLAMA }),
    ("phi-1.5", PHI),
    ("phi-2", PHI),
    (
        "mpt",
        Names {
            attention: [&["Wqkv"], &[], &["out_proj"]],
            mlp: &["up_proj", "down_proj"],
            ends: ["wte", "lm_head"],
            transposed: false,
        },
    ),
    (
        "qwen-1-",
        Names {
            attention: [&["c_attn"], &[], &["c_proj"]],
            mlp: &["w1", "w2", "c_proj"],
            ends: ["wte", "lm_head"],
            transposed: false,
        },
    ),
    ("starcoder-2", Names { mlp: &["c_fc", "c_proj"], ..LLAMA }),
];
/// Phi's names.
const PHI: Names = Names { attention: [&["q_proj", "v_proj"], &["k_proj"], &["dense"]], mlp: &["fc1", "fc2"], ..LLAMA };
/// Phi-3's names.
const FUSED: Names =
    Names { attention: [&["qkv_proj"], &[], &["o_proj"]], mlp: &["gate_up_proj", "down_proj"], ..LLAMA };
/// DeepSeek's, with and without a rank of queries.
const LATENT: Names =
    Names { attention: [&["q_a_proj", "q_b_proj", "kv_a_proj_with_mqa", "kv_b_proj"], &[], &["o_proj"]], ..LLAMA };
const LATENT_KEYS: Names =
    Names { attention: [&["q_proj", "kv_a_proj_with_mqa", "kv_b_proj"], &[], &["o_proj"]], ..LLAMA };

/// The order in which unfused projections are written.
const ORDER: [&str; 3] = ["q_proj", "k_proj", "v_proj"];

impl Names {
    /// Returns the names of a scenario's model; Llama's for a custom shape.
    pub(super) fn for_context(context: &ExportContext) -> &'static Self {
        let shape = &context.setup.architecture;
        if shape.latent.is_used() {
            return if shape.latent.q_lora_rank > 0 { &LATENT } else { &LATENT_KEYS };
        }
        let id = context.model_name();
        let usual = match shape.fused_projections {
            FusedProjections::All => &FUSED,
            FusedProjections::None | FusedProjections::Attention => &LLAMA,
        };
        NAMES.iter().find(|(start, _)| id.starts_with(start)).map_or(usual, |(_, names)| names)
    }

    /// Returns the modules with adapters, each once, without routed experts, which are parameters.
    fn targeted(&self, targets: TargetModules, shape: &Architecture) -> Vec<&'static str> {
        let [query_value, key, output] = self.attention;
        let experts_alone = shape.has_experts()
            && shape.experts.shared_intermediate_size == 0
            && shape.experts.first_k_dense_replace == 0
            && shape.experts.moe_layer_step <= 1;
        let wanted = [
            (targets.query_value, query_value),
            (targets.key, key),
            (targets.output, output),
            (targets.mlp && !experts_alone, self.mlp),
        ];
        let mut names: Vec<&'static str> = Vec::new();
        for name in wanted.into_iter().filter(|(is, _)| *is).flat_map(|(_, names)| names) {
            if !names.contains(name) {
                names.push(name);
            }
        }
        let place = |name: &str| ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len());
        names.sort_by_key(|name| place(name));
        names
    }
}

/// Returns the scale for a framework that divides it by the rank: twice the rank; with rsLoRA also
/// times the square root of the rank.
pub(super) fn alpha_over_rank(trained: &Trained) -> String {
    let twice = 2.0 * f64::from(trained.rank);
    let alpha = if trained.method == Method::RsLora { twice * f64::from(trained.rank).sqrt() } else { twice };
    format!("{}", (alpha * 1000.0).round() / 1000.0)
}

impl ExportContext {
    /// Returns the repository of the model, or a placeholder.
    pub(super) fn repository(&self) -> &'static str {
        match self.scenario.model {
            Model::Preset { id, .. } => hub::repository(id),
            Model::Ladder { .. } | Model::Custom { .. } | Model::Scaled { .. } => None,
        }
        .unwrap_or(NO_REPOSITORY)
    }

    /// Whether the model has no repository.
    pub(super) fn lacks_repository(&self) -> bool {
        self.repository() == NO_REPOSITORY
    }
}

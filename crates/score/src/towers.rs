//! Rows of training steps of models that read images, traced tensor by tensor (`tests/towers/trace.py`): Hugging Face's own code on fake
//! tensors, with the bytes alive at the peak.

use super::LeftOut;
use super::text;
use engine::catalog;
use engine::model::images::{Images, TowerTraining};
use engine::model::report::MemoryReport;
use engine::model::software::{AttentionKernel, Framework, Kernels, Loss, NormKernel};
use engine::model::training::{OptimizerKernel, PrecisionPolicy, Recompute};
use engine::model::transformer::{Architecture, AttentionBias, ExtraParams, QkNorm, Tower};
use engine::scenario::{Model, Scenario, Strategy};

/// A traced step.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// The row.
    pub id: String,
    /// The model, in words.
    pub model: String,
    /// The scenario of the step.
    pub scenario: Scenario,
    /// Parameters of the model as the library builds it.
    pub params: f64,
    /// Bytes alive at the peak.
    pub allocated: f64,
}

impl Traced {
    /// What the engine says.
    pub fn predicted(&self) -> MemoryReport {
        self.scenario.report().memory
    }

    /// Error of the bytes alive at the peak: predicted over traced, less one.
    pub fn error(&self) -> f64 {
        self.predicted().allocated.get() / self.allocated - 1.0
    }
}

/// Reads a row from its named columns.
///
/// # Errors
///
/// The name of the missing column, or what is not followed.
pub fn read<'a>(column: impl Fn(&str) -> Option<&'a str>) -> Result<Traced, LeftOut> {
    let raw = |name: &str| column(name).unwrap_or_default().trim();
    let need = |name: &str| text::count(raw(name)).ok_or_else(|| LeftOut::missing(name));
    let number = |name: &str| text::number(raw(name)).ok_or_else(|| LeftOut::missing(name));
    let recompute = match raw("activation_checkpointing") {
        "none" => Recompute::None,
        "full" => Recompute::Full,
        other => return Err(LeftOut::because("a kind of recomputation that is not modelled").about(other)),
    };
    let params = number("params")?;
    let start = catalog::default_scenario();
    let scenario = Scenario {
        model: Model::Custom { architecture: architecture(&need, &number, params)? },
        gpus: need("gpus")?,
        seq_len: need("seq")?,
        micro_batch_size: need("micro_batch")?,
        strategy: Strategy::FullShard,
        recompute,
        recipe: if raw("param_storage") == "fp32" {
            PrecisionPolicy::Fsdp2MixedBf16
        } else {
            PrecisionPolicy::PureBf16
        },
        optimizer_kernel: OptimizerKernel::ForEach,
        framework: Framework::Transformers,
        kernels: Kernels {
            attention: AttentionKernel::Flash,
            loss: Loss::Standard,
            norms: NormKernel::Upcast,
            ..start.kernels
        },
        images: Images {
            per_sequence: need("images")?,
            resolution: 0,
            // Transformers 5: checkpointing makes the patches require gradients.
            tower: match (raw("tower"), recompute) {
                ("trained", _) => TowerTraining::Trained,
                (_, Recompute::Full) => TowerTraining::Passed,
                _ => TowerTraining::Frozen,
            },
            trains_projector: raw("projector") == "trained",
        },
        ..start
    };
    let allocated = number("peak_allocated_bytes")?;
    Ok(Traced { id: raw("row_id").to_owned(), model: raw("model").to_owned(), scenario, params, allocated })
}

/// The shape of a row; parameters of the language model that its columns do not name (biases) are what `params` has more.
fn architecture(
    need: &impl Fn(&str) -> Result<u32, LeftOut>,
    number: &impl Fn(&str) -> Result<f64, LeftOut>,
    params: f64,
) -> Result<Architecture, LeftOut> {
    let style = catalog::model("llama-2-7b").ok_or_else(|| LeftOut::because("the catalog lacks Llama 2"))?;
    let or_none = |name: &str| need(name).unwrap_or(0);
    let tower = Tower {
        layers: need("tower_layers")?,
        hidden_size: need("tower_hidden")?,
        heads: need("tower_heads")?,
        mlp_width: need("tower_ffn")?,
        patch_size: need("patch")?,
        image_size: need("image_size")?,
        merge: need("merge")?,
        fixed_tokens: or_none("image_tokens"),
        params: number("tower_params")? as u64,
        projector_params: number("projector_params")? as u64,
        ..Tower::NONE
    };
    let counted = Architecture {
        num_hidden_layers: need("layers")?,
        hidden_size: need("hidden")?,
        num_attention_heads: need("heads")?,
        num_key_value_heads: need("kv_heads")?,
        head_dim: need("head_dim")?,
        intermediate_size: need("ffn")?,
        vocab_size: need("vocab")?,
        norms_per_layer: need("norms")?,
        qk_norm: if or_none("qk_norm") == 1 { QkNorm::PerHead } else { QkNorm::None },
        attention_bias: AttentionBias::None,
        sliding_window: or_none("window"),
        global_every: or_none("global_every"),
        tower,
        ..style.architecture
    };
    let more = params - counted.params() as f64;
    Ok(Architecture { extra: ExtraParams { layers: more as i64, ..ExtraParams::NONE }, ..counted })
}

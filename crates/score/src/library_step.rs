//! A training step of a library's own code, traced on fake tensors: columns shared by all kinds of
//! models.

use super::LeftOut;
use super::cells::Cells;
use engine::model::choices::Choices;
use engine::model::report::MemoryReport;
use engine::model::software::{AttentionKernel, Framework, Kernels, Loss, NormKernel};
use engine::model::training::{OptimizerKernel, PrecisionPolicy, Recompute};
use engine::model::transformer::{Architecture, ExtraParams, QkNorm};
use engine::scenario::{Model, Scenario, Strategy};

/// A traced step.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryStep {
    /// Identifier of the row.
    pub id: String,
    /// Description of the model.
    pub model: String,
    /// Scenario of the step.
    pub scenario: Scenario,
    /// Number of parameters of the model as built by the library.
    pub params: f64,
    /// Bytes alive at the peak.
    pub allocated: f64,
}

impl LibraryStep {
    /// Returns the prediction of the engine.
    pub fn predicted(&self) -> MemoryReport {
        self.scenario.report().memory
    }

    /// Returns the relative error of the bytes alive at the peak: predicted over traced, less one.
    pub fn error(&self) -> f64 {
        self.predicted().allocated.get() / self.allocated - 1.0
    }

    /// Returns the share of the parameters that no column of the row accounts for.
    pub fn unnamed(&self) -> f64 {
        self.scenario.model.architecture().extra.layers as f64 / self.params
    }
}

/// Cells of a traced step.
impl Cells<'_> {
    /// Returns the scenario of a step with the model's shape, as transformers runs it: FSDP2, SDPA,
    /// norms that upcast, PyTorch's loss, AdamW with `foreach`.
    pub(super) fn scenario(&self, architecture: Architecture) -> Result<Scenario, LeftOut> {
        let (recompute, keep_fraction) = match self.get("activation_checkpointing") {
            "none" => (Recompute::None, 1.0),
            "full" => (Recompute::Full, 0.0),
            other => return Err(LeftOut::because("a kind of recomputation that is not modelled").about(other)),
        };
        let start = catalog::default_scenario();
        Ok(Scenario {
            model: Model::Custom { architecture },
            gpus: self.need("gpus")?,
            seq_len: self.need("seq")?,
            micro_batch_size: self.need("micro_batch")?,
            strategy: Strategy::FullShard,
            choices: Choices {
                recompute,
                keep_fraction,
                recipe: match self.get("param_storage") {
                    "fp32" => PrecisionPolicy::Fsdp2MixedBf16,
                    _ => PrecisionPolicy::PureBf16,
                },
                optimizer_kernel: OptimizerKernel::ForEach,
                framework: Framework::Transformers,
                kernels: Kernels {
                    attention: AttentionKernel::Flash,
                    loss: Loss::Standard,
                    norms: NormKernel::Upcast,
                    ..start.kernels
                },
                ..start.choices
            },
            ..start
        })
    }

    /// Returns the traced step of a scenario.
    pub(super) fn step(&self, scenario: Scenario) -> Result<LibraryStep, LeftOut> {
        Ok(LibraryStep {
            id: self.get("row_id").to_owned(),
            model: self.get("model").to_owned(),
            scenario,
            params: self.number("params")?,
            allocated: self.number("peak_allocated_bytes")?,
        })
    }

    /// Returns the decoder described by the columns shared by all kinds of models, without the MLP
    /// and norms, which other columns describe.
    pub(super) fn decoder(&self) -> Result<Architecture, LeftOut> {
        let plain = catalog::model("llama-2-7b").ok_or_else(|| LeftOut::because("the catalog lacks Llama 2"))?;
        Ok(Architecture {
            num_hidden_layers: self.need("layers")?,
            hidden_size: self.need("hidden")?,
            num_attention_heads: self.need("heads")?,
            num_key_value_heads: self.need("kv_heads")?,
            head_dim: self.need("head_dim")?,
            vocab_size: self.need("vocab")?,
            qk_norm: if self.is_yes("qk_norm") { QkNorm::PerHead } else { QkNorm::None },
            sliding_window: self.count("window"),
            ..plain.architecture
        })
    }

    /// Adds the parameters that no column accounts for (biases, norms of ranks) to a shape.
    pub(super) fn with_unnamed(&self, counted: Architecture) -> Result<Architecture, LeftOut> {
        let more = self.number("params")? - counted.params() as f64;
        Ok(Architecture { extra: ExtraParams { layers: more as i64, ..ExtraParams::NONE }, ..counted })
    }
}

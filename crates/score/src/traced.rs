//! Reads training steps traced tensor by tensor: real code on fake tensors, with the peak by
//! category, its moment and operator, and the reserved bytes of a simulated allocator.

pub mod score;

use super::LeftOut;
use super::cells::Cells;
use engine::model::choices::Choices;
use engine::model::software::{
    AttentionKernel, Communication, Framework, GradientSync, Kernels, Loss, NormKernel, RepeatedHeads, RootUnit,
};
use engine::model::stages::stages;
use engine::model::trained::{BaseFormat, Method, Targets, Trained};
use engine::model::training::{OptimizerKernel, PrecisionPolicy, Recompute};
use engine::model::transformer::{Architecture, AttentionBias, Experts, FusedProjections, Norm, QkNorm};
use engine::scenario::{Model, Scenario, Strategy};
use trace::{Category, Moment, Peak, Phase, Place, Trace};

/// A traced step.
#[derive(Clone, Debug, PartialEq)]
pub struct Traced {
    /// Identifier of the row.
    pub id: String,
    /// Origin of the traced code.
    pub source: String,
    /// Scenario of the step.
    pub scenario: Scenario,
    /// Whether only the norms train, which a scenario cannot express.
    pub norms_alone: bool,
    /// Traced values.
    pub measured: Figures,
}

/// Values of a trace.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Bytes alive at the peak.
    pub allocated: f64,
    /// Reserved bytes of the simulated allocator, with fixed segments and with expandable segments.
    pub reserved: [f64; 2],
    /// Moment of the peak, such as `backward layer 4`.
    pub moment: String,
    /// Operator of the last allocation before the peak.
    pub operator: String,
    /// Bytes at the peak, by column of the category.
    pub by: Vec<(&'static str, f64)>,
}

/// Returns a value for each column of a category.
fn columns(of: impl Fn(Category, &'static str) -> f64) -> Vec<(&'static str, f64)> {
    let columns = Category::ALL.into_iter().filter_map(|category| Some((category, column_of(category)?)));
    columns.map(|(category, column)| (column, of(category, column))).collect()
}

/// Returns the column of a category; `None` if no traced step has such tensors.
pub fn column_of(category: Category) -> Option<&'static str> {
    Some(match category {
        Category::Parameter => "peak_param",
        Category::Gradient => "peak_grad",
        Category::Optimizer => "peak_optimizer",
        Category::Activation => "peak_activation",
        Category::Logits => "peak_logits",
        Category::UnshardedParameter => "peak_unsharded_param",
        Category::UnshardedGradient => "peak_unsharded_grad",
        Category::Communication => "peak_comm",
        Category::Temporary => "peak_temp",
        Category::OptimizerTemporary => "peak_optimizer_temp",
        Category::Buffer => "peak_buffer",
        Category::Input => "peak_input",
        Category::OtherModel => return None,
    })
}

/// Describes a moment in the words of the rows.
pub fn moment(moment: Moment) -> String {
    let phase = match moment.phase {
        Phase::Rest => return "rest".to_owned(),
        Phase::Optimizer => return "optimizer".to_owned(),
        Phase::Forward | Phase::Loss => "forward",
        Phase::Backward => "backward",
    };
    match moment.place {
        Place::Embedding => format!("{phase} embed"),
        Place::Layer(layer) => format!("{phase} layer {layer}"),
        Place::Head => format!("{phase} head"),
        Place::Loss => format!("loss {phase}"),
    }
}

impl Traced {
    /// Predicts the step by playing its trace.
    pub fn predicted(&self) -> Figures {
        use trace::allocator::Segments;
        let setup = self.scenario.setup();
        let first = stages(&setup).first;
        let trace = if self.norms_alone { Trace::record_norms(&setup, &first) } else { Trace::record(&setup, &first) };
        let Peak { allocated, by, moment: at, operator } = trace.peak();
        Figures {
            allocated: allocated as f64,
            reserved: [Segments::Fixed, Segments::Expandable].map(|segments| trace.reserved(segments) as f64),
            moment: moment(at),
            operator: operator.to_owned(),
            by: columns(|category, _| by[category] as f64),
        }
    }
}

/// Reads a row from its cells.
///
/// # Errors
///
/// Returns the name of the missing column, or the unsupported value.
pub fn read_traced_step(cells: &Cells<'_>) -> Result<Traced, LeftOut> {
    let raw = |name: &str| cells.get(name);
    let bytes = |name: &str| cells.number(name).unwrap_or(0.0);
    let torchtitan = raw("source_code") == "torchtitan";
    let trained = trained(cells)?;
    let norms_alone = raw("frozen_base") == NORMS;
    let (recompute, keep_fraction) = match raw("activation_checkpointing") {
        "none" => (Recompute::None, 1.0),
        "full" => (Recompute::Full, 0.0),
        "selective op" => (Recompute::Selective, 1.0),
        "every 2 layers" => (Recompute::Fraction, 0.5),
        other => return Err(LeftOut::because("a kind of recomputation that is not modelled").about(other)),
    };
    let tp = cells.need("tp")?;
    let architecture = architecture(cells)?;
    // Layers of torchtitan's traces stay gathered, except in rows whose values show resharding.
    let shown =
        !raw("peak_unsharded_param").is_empty() && !stays_gathered(&architecture, tp, bytes("peak_unsharded_param"));
    let reshards = cells.is_yes("reshard_after_forward") && (!torchtitan || shown);
    let start = catalog::default_scenario();
    let scenario = Scenario {
        model: Model::Custom { architecture },
        gpus: cells.need("gpus")?,
        tp,
        seq_len: cells.need("seq")?,
        micro_batch_size: cells.need("micro_batch")?,
        grad_accum_steps: cells.need("grad_accum")?,
        strategy: if reshards { Strategy::FullShard } else { Strategy::ShardGradOp },
        choices: Choices {
            tensor: engine::model::parallel::TensorParallel { sequence_parallel: tp > 1, ..start.tensor },
            recompute,
            keep_fraction,
            recipe: recipe(cells),
            optimizer_kernel: if raw("optimizer").contains("foreach") {
                OptimizerKernel::ForEach
            } else {
                OptimizerKernel::Fused
            },
            communication: Communication {
                gradient_sync: if cells.is_yes("no_sync") {
                    GradientSync::LastMicroBatch
                } else {
                    GradientSync::EveryMicroBatch
                },
                root_unit: if torchtitan { RootUnit::KeptWithLast } else { RootUnit::Freed },
                ..start.communication
            },
            framework: if torchtitan { Framework::Torchtitan } else { Framework::Transformers },
            kernels: Kernels {
                attention: if raw("attention") == "eager" { AttentionKernel::Unfused } else { AttentionKernel::Flash },
                loss: loss(cells),
                norms: NormKernel::Upcast,
                repeated_heads: if torchtitan { RepeatedHeads::Yes } else { RepeatedHeads::Default },
                ..start.kernels
            },
            trained,
            ..start.choices
        },
        ..start
    };
    let measured = Figures {
        allocated: bytes("peak_allocated_bytes"),
        reserved: [bytes("simulated_reserved"), bytes("simulated_reserved_expandable")],
        moment: raw("moment").to_owned(),
        operator: raw("moment_op").to_owned(),
        by: columns(|_, column| bytes(column)),
    };
    Ok(Traced { id: raw("row_id").to_owned(), source: raw("source_code").to_owned(), scenario, norms_alone, measured })
}

/// Returns the recipe of a traced step.
fn recipe(cells: &Cells<'_>) -> PrecisionPolicy {
    let raw = |name: &str| cells.get(name);
    // PEFT creates adapters in the format of the base, and by default casts 16-bit adapters to
    // fp32.
    let storage = if raw("adapter_dtype") == "fp32" { "fp32" } else { raw("param_storage") };
    match (storage, raw("compute"), raw("reduce_dtype")) {
        ("fp32", "bf16", "bf16") => PrecisionPolicy::Fsdp2MixedBf16Reduce16,
        ("fp32", "bf16", _) => PrecisionPolicy::Fsdp2MixedBf16,
        ("fp32", "autocast bf16", _) => PrecisionPolicy::AutocastBf16,
        ("fp32", _, _) => PrecisionPolicy::Fp32,
        ("bf16", _, "fp32") => PrecisionPolicy::PureBf16Reduce32,
        _ => PrecisionPolicy::PureBf16,
    }
}

/// Returns the loss of a traced step.
fn loss(cells: &Cells<'_>) -> Loss {
    let kept = cells.is_yes("logits_kept");
    match (cells.get("loss").starts_with("bf16"), kept) {
        (false, false) => Loss::Standard,
        (false, true) => Loss::KeptLogits,
        (true, false) => Loss::Bf16,
        (true, true) => Loss::Bf16Kept,
    }
}

/// Name of a model in which only the norms train.
const NORMS: &str = "norms only";

/// Returns the trained part of a row.
fn trained(cells: &Cells<'_>) -> Result<Trained, LeftOut> {
    let base = if cells.get("param_storage") == "fp32" { BaseFormat::Fp32 } else { BaseFormat::Bf16 };
    let targets = match (cells.get("lora_targets"), cells.get("frozen_base")) {
        ("", "") => return Ok(Trained::ALL),
        ("", NORMS) => return Ok(Trained { method: Method::Layers, base, ..Trained::ALL }),
        ("attn", "lora only") => Targets::Attention,
        ("all-linear", "lora only") => Targets::AllLinear,
        (other, _) => return Err(LeftOut::because("targets of adapters that are not modelled").about(other)),
    };
    let rank = cells.need("lora_rank")?;
    Ok(Trained { method: Method::Lora, rank, targets, base, ..Trained::ALL })
}

/// Returns whether a trace shows more gathered weights than those of the root and one layer.
///
/// torchtitan's rows state that layers reshard after the forward pass. However, except for the
/// first row of each run of the tracer, their values show that all layers stay gathered. The values
/// take precedence; a row without values counts as gathered.
fn stays_gathered(architecture: &Architecture, tp: u32, gathered: f64) -> bool {
    const HALF: f64 = 2.0;
    const LAYERS: f64 = 1.5;
    let layers = f64::from(architecture.num_hidden_layers);
    let layer = (architecture.params() as f64 - 2.0 * architecture.embedding_params() as f64) / layers.max(1.0);
    let root = 2.0 * architecture.embedding_params() as f64;
    gathered > HALF * (root + LAYERS * layer) / f64::from(tp.max(1))
}

/// Returns the shape of a row, with properties of the model's family.
fn architecture(cells: &Cells<'_>) -> Result<Architecture, LeftOut> {
    let style = catalog::model("llama-2-7b").ok_or_else(|| LeftOut::because("the catalog lacks Llama 2"))?;
    let family = cells.get("model").to_lowercase();
    let is = |name: &str| family.starts_with(name);
    let heads = cells.need("heads")?;
    let hidden = cells.need("hidden")?;
    let plain = Architecture {
        num_hidden_layers: cells.need("layers")?,
        hidden_size: hidden,
        num_attention_heads: heads,
        num_key_value_heads: cells.need("kv_heads").unwrap_or(heads),
        head_dim: cells.need("head_dim").unwrap_or(hidden / heads.max(1)),
        intermediate_size: cells.count("ffn"),
        vocab_size: cells.need("vocab")?,
        tie_word_embeddings: cells.is_yes("tied_embeddings"),
        ..style.architecture
    };
    let experts = Experts {
        num_experts: cells.count("experts"),
        num_experts_per_tok: cells.count("top_k").max(1),
        moe_intermediate_size: cells.count("moe_ffn"),
        ..Experts::NONE
    };
    Ok(if is("gpt2") {
        Architecture {
            gated_mlp: false,
            norm: Norm::Layer,
            attention_bias: AttentionBias::All,
            fused_projections: FusedProjections::Attention,
            mlp_bias: true,
            learned_positions: 1024,
            ..plain
        }
    } else if is("gemma") {
        let qk_norm = if is("gemma-3") { QkNorm::PerHead } else { QkNorm::None };
        Architecture { norms_per_layer: 4, qk_norm, logit_softcap: is("gemma-2"), ..plain }
    } else if is("olmo-2") {
        Architecture { qk_norm: QkNorm::Full, ..plain }
    } else if is("phi-3") {
        Architecture { fused_projections: FusedProjections::All, ..plain }
    } else if is("qwen3") {
        Architecture { qk_norm: QkNorm::PerHead, experts, ..plain }
    } else if is("qwen2") {
        Architecture { attention_bias: AttentionBias::Qkv, ..plain }
    } else {
        Architecture { experts, ..plain }
    })
}

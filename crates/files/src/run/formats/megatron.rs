//! Megatron-LM's arguments (megatron/training/arguments.py), as flags, in the YAML of its tests,
//! and in files of Accelerate, NeMo and Megatron-Bridge.

mod hybrid;
mod layers;
mod layout;
mod options;

pub(super) use layers::shape;
pub(super) use options::{dropout, recomputation};

use catalog::low_precision::Library;
use catalog::programs::Program;
use engine::model::software::{Framework, Kernels};
use engine::params::ParamId;

use super::args::Args;
use super::{low_precision, shared};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};
use programs::keys::Table;

/// The day from which Megatron-FSDP shards everything where the arguments do not say what.
const SHARDED_FSDP: &str = "2026-04-01";

/// Sets the degree of tensor parallelism of experts where no argument does: that of the other
/// layers, unless the program has a default of its own.
pub(super) fn expert_tensor_parallel(args: &mut Args, draft: &mut Draft) {
    if args.table.usual.get("etp").is_none() {
        draft.set_number(ParamId::Etp, f64::from(draft.scenario.tp));
    }
}

/// Reads groups of context-parallel GPUs that exchange heads, chunks of a stage, and the layout.
pub(super) fn stages(args: &mut Args, draft: &mut Draft) {
    if let Some(found) = args.list(&["hierarchical_context_parallel_sizes"])
        && let Some(heads) = found.value.first().and_then(|first| first.parse::<u32>().ok())
    {
        draft.number(Some(found.with(heads)), ParamId::SequenceHeads);
    }
    let layers = draft.scenario.model.architecture().num_hidden_layers;
    let per_stage = layers / draft.scenario.pp.max(1);
    let chunks = args.count(&["num_virtual_stages_per_pipeline_rank", "virtual_pipeline_model_parallel_size"]);
    let of_layers = args.count(&["num_layers_per_virtual_pipeline_stage"]).map(|found| {
        let chunks = (per_stage / found.value).max(1);
        found.with(chunks)
    });
    if let Some(found) = chunks.or(of_layers).filter(|found| found.value > 1) {
        draft.set_option_from(&found, ParamId::PipelineSchedule, "interleaved");
        draft.number(Some(found), ParamId::VirtualStages);
    }
    layout::read_pipeline_layout(args, draft);
}

/// Reads the sharding of PyTorch's and of Megatron's FSDP.
pub(super) fn fsdp(args: &mut Args, draft: &mut Draft) {
    let is_torch = args.is_on("use_torch_fsdp2");
    let is_fsdp = is_torch || args.is_on("use_megatron_fsdp") || args.is_on("use_custom_fsdp");
    let sharding = args.word(&["data_parallel_sharding_strategy"]);
    if !is_fsdp {
        return;
    }
    draft.scenario.framework = Framework::MegatronFsdp;
    let option = match sharding.as_ref().map(|found| found.value.as_str()) {
        Some("no_shard") => "ddp",
        Some("optim") => "zero1",
        Some("optim_grads") => "zero2",
        None if !is_torch && draft.is_before(Program::MegatronLm, SHARDED_FSDP) => "ddp",
        _ => "full-shard",
    };
    if let Some(found) = &sharding {
        draft.set_option_from(found, ParamId::Strategy, option);
    } else {
        let label = draft.set_option(ParamId::Strategy, option);
        // Megatron-Bridge's recipes say it for themselves.
        if draft.has(Program::MegatronLm) {
            draft.assume(format!("What FSDP shards is not said: {label}, Megatron-LM's default."));
        }
    }
}

/// Reads the formats of states and products.
pub(super) fn precision(args: &mut Args, draft: &mut Draft) {
    let [bf16, fp16] = ["bf16", "fp16"].map(|name| args.flag(&[name]).filter(|found| found.value));
    let in_16 = args.is_on("grad_reduce_in_bf16");
    let in_32 = args.flag(&["accumulate_allreduce_grads_in_fp32"]).filter(|found| found.value);
    let recipe = match (&bf16, &fp16) {
        (None, None) => "fp32",
        (Some(_), _) if in_16 => "zero-mixed",
        (Some(_), _) => "megatron-mixed",
        (None, Some(_)) if in_32.is_some() => "megatron-mixed",
        (None, Some(_)) => "zero-mixed",
    };
    if let Some(found) = bf16.or(fp16) {
        draft.set_option_from(&found, ParamId::Recipe, recipe);
    } else {
        draft.set_option(ParamId::Recipe, recipe);
        draft.assume("The arguments name no 16-bit format: everything is in fp32.");
    }
}

/// Arguments of products in 8 or in 4 bits.
struct FewBits {
    format: [&'static str; 2],
    recipe: &'static str,
    gathers: [&'static str; 2],
    /// Option of the format, and the option with weights gathered in that format.
    options: [&'static str; 2],
}

impl FewBits {
    fn apply(self, args: &mut Args, draft: &mut Draft) {
        let is_set = |found: &KeyedValue<String>| !matches!(found.value.as_str(), "false" | "none" | "null");
        let is_gathered = args.flag(&self.gathers).is_some_and(|found| found.value);
        let recipe = args.word(&[self.recipe]).filter(|found| is_set(found) && found.value != "custom");
        let Some(found) = args.word(&self.format).filter(is_set) else { return };
        let [usual, gathered] = self.options;
        draft.set_option_from(&found, ParamId::ComputeFormat, if is_gathered { gathered } else { usual });
        if let Some(found) = recipe {
            low_precision::recipe(&found, Library::TransformerEngine, is_gathered, draft);
        }
    }
}

/// Reads products in 8 or 4 bits: the format enables them, the recipe selects the scaling
/// (`--fp8-format`, `--fp8-recipe`).
pub(super) fn low_precision(args: &mut Args, draft: &mut Draft) {
    let in_8_bits = FewBits {
        format: ["fp8_format", "fp8"],
        recipe: "fp8_recipe",
        gathers: ["fp8_param_gather", "fp8_param"],
        options: ["fp8", "fp8-gather"],
    };
    let in_4_bits = FewBits {
        format: ["fp4_format", "fp4"],
        recipe: "fp4_recipe",
        gathers: ["fp4_param_gather", "fp4_param"],
        options: ["fp4", "fp4"],
    };
    in_8_bits.apply(args, draft);
    in_4_bits.apply(args, draft);
    args.skip(&[
        "fp8_amax_history_len",
        "fp8_amax_compute_algo",
        "fp8_margin",
        "fp8_interval",
        "reuse_grad_buf_for_mxfp8_param_ag",
    ]);
    let without = args.flag(&["fp8_wgrad"]).map(|found| found.map(|on| !on));
    if let Some(found) = without.or_else(|| args.flag(&["no_fp8_wgrad"])).filter(|found| found.value) {
        draft.set_flag(Some(found), ParamId::GradientsIn16Bits);
    }
    if let Some(found) = args.flag(&["first_last_layers_bf16"]).filter(|found| found.value) {
        let mut of = |name| args.number(&[name]).map_or(1.0, |found| found.value);
        let layers = of("num_layers_at_start_in_bf16") + of("num_layers_at_end_in_bf16");
        draft.number(Some(found.with(layers)), ParamId::LayersIn16Bits);
    }
}

/// Sets Megatron-Core's kernels on Transformer Engine, for a section of Accelerate's file.
fn kernels(keys: &Keys, draft: &mut Draft) {
    draft.scenario.framework = Framework::Megatron;
    draft.scenario.kernels = Kernels::USUAL;
    draft.program(Program::Accelerate, keys);
    shared::tuned_attention(draft);
    draft.scenario.tensor.sequence_parallel = false;
}

/// Reads the Megatron-LM section of Accelerate's file.
pub(super) fn read_accelerate_section(keys: &mut Keys, draft: &mut Draft) {
    kernels(keys, draft);
    let Some(table) = Table::find(Program::MegatronLm) else { return };
    let mut args = Args::new(keys, table);
    let mut args = args.below("megatron_lm_config.megatron_lm_");
    for (names, id) in [
        (["tp_degree"], ParamId::Tp),
        (["pp_degree"], ParamId::Pp),
        (["context_parallel_size"], ParamId::Cp),
        (["expert_model_parallel_size"], ParamId::Ep),
        (["expert_tensor_parallel_size"], ParamId::Etp),
    ] {
        draft.number(args.count(&names), id);
    }
    draft.set_flag(args.flag(&["sequence_parallelism"]), ParamId::SequenceParallel);
    let accum = args.count(&["num_micro_batches"]);
    draft.batch.accum = draft.batch.accum.take().or(accum);
    if let Some(found) = args.flag(&["use_distributed_optimizer"]) {
        draft.set_option_from(&found, ParamId::Strategy, if found.value { "zero1" } else { "ddp" });
        draft.has_strategy = true;
    }
    draft.set_flag(args.flag(&["optimizer_cpu_offload"]), ParamId::OffloadOptimizer);
    // Goes with it (megatron/training/arguments.py), and without it keeps the moments in fp32.
    if let Some(found) = args.flag(&["use_precision_aware_optimizer"]) {
        draft.record(&found, "Moments in fp32, or on the host");
    }
    draft.number(args.count(&["decoder_last_pipeline_num_layers"]), ParamId::LastLayers);
    recomputation(&mut args, draft);
    if draft.scenario.recipe != engine::model::training::PrecisionPolicy::Fp32 {
        draft.set_option(ParamId::Recipe, "megatron-mixed");
    }
    if let Some(found) = args.number(&["hidden_dropout"]) {
        draft.set_option_from(&found, ParamId::Dropout, if found.value > 0.0 { "yes" } else { "no" });
    }
    args.skip(&["attention_dropout"]);
    keys.skip_below("megatron_lm_config");
}

//! Megatron-LM's arguments (megatron/training/arguments.py), as flags, in the YAML of its tests,
//! and in files of Accelerate, NeMo and Megatron-Bridge.

mod hybrid;
mod layers;
mod layout;
mod options;

pub(super) use layers::shape;
pub(super) use options::{experts, options, recomputation};

use catalog::low_precision::Library;
use catalog::programs::Program;
use engine::model::software::{Framework, Kernels};
use engine::params::ParamId;

use super::{low_precision, shared};
use crate::run::draft::Draft;
use crate::run::keys::{KeyedValue, Keys};

/// Access to arguments below some prefixes of paths.
pub(super) struct Args<'k, 'a> {
    pub(super) keys: &'k mut Keys<'a>,
    pub(super) places: &'static [&'static str],
}

macro_rules! getters {
    ($($name:ident -> $kind:ty;)*) => {
        impl Args<'_, '_> {
            $(
                /// Reads the first of some arguments that has a value.
                pub(super) fn $name(&mut self, names: &[&str]) -> Option<KeyedValue<$kind>> {
                    for name in names {
                        let paths: Vec<String> = self.places.iter().map(|place| format!("{place}{name}")).collect();
                        let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
                        if let Some(found) = self.keys.$name(&paths) {
                            return Some(found);
                        }
                    }
                    None
                }
            )*
        }
    };
}
getters! {
    count -> u32;
    number -> f64;
    flag -> bool;
    word -> String;
    text -> String;
    list -> Vec<String>;
}

impl Args<'_, '_> {
    /// Whether a switch is on.
    pub(super) fn is_on(&mut self, name: &str) -> bool {
        self.flag(&[name]).is_some_and(|found| found.value)
    }

    /// Marks arguments as known, without reading them.
    pub(super) fn skip(&mut self, names: &[&str]) {
        for name in names {
            for place in self.places {
                self.keys.skip(&[&format!("{place}{name}")]);
            }
        }
    }
}

/// The day from which Megatron-FSDP shards everything where the arguments do not say what.
const SHARDED_FSDP: &str = "2026-04-01";

const PLACES: &[&str] = &["", "model_args.__"];

/// Reads a script or a file of arguments.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    kernels(Program::MegatronLm, keys, draft);
    let mut args = Args { keys, places: PLACES };
    layers::shape(&mut args, draft);
    shared::micro(args.count(&["micro_batch_size"]), draft);
    draft.batch.global = args.count(&["global_batch_size"]);
    draft.batch.steps = args.number(&["train_iters"]);
    draft.batch.samples = args.number(&["train_samples"]);
    draft.length(args.count(&["seq_length", "encoder_seq_length"]));
    degrees(&mut args, draft);
    states(&mut args, draft);
    precision(&mut args, draft);
    recomputation(&mut args, draft);
    experts(&mut args, draft);
    options(&mut args, draft);
}

/// Sets Megatron-Core's kernels on Transformer Engine.
pub(super) fn kernels(program: Program, keys: &Keys, draft: &mut Draft) {
    draft.scenario.framework = Framework::Megatron;
    draft.scenario.kernels = Kernels::USUAL;
    draft.program(program, keys);
    shared::tuned_attention(draft);
    draft.scenario.tensor.sequence_parallel = false;
}

/// Reads degrees of parallelism and their communication.
pub(super) fn degrees(args: &mut Args, draft: &mut Draft) {
    draft.number(args.count(&["tensor_model_parallel_size", "model_parallel_size"]), ParamId::Tp);
    draft.number(args.count(&["context_parallel_size"]), ParamId::Cp);
    draft.number(args.count(&["pipeline_model_parallel_size"]), ParamId::Pp);
    draft.number(args.count(&["expert_model_parallel_size"]), ParamId::Ep);
    // `expert_tensor_parallel_size` defaults to the tensor-parallel degree in Megatron-LM, and to 1
    // in recipes.
    let usual = if args.places == PLACES { draft.scenario.tp } else { 1 };
    draft.set_number(ParamId::Etp, f64::from(usual));
    draft.number(args.count(&["expert_tensor_parallel_size"]), ParamId::Etp);
    if let Some(found) = args.flag(&["sequence_parallel"]) {
        draft.set_flag(Some(found), ParamId::SequenceParallel);
    }
    draft.set_flag(args.flag(&["tp_comm_overlap"]), ParamId::AsyncTp);
    if let Some(found) = args.word(&["cp_comm_type"]) {
        let words = [
            ("p2p", "ring"),
            ("all_gather", "allgather"),
            ("allgather", "allgather"),
            ("a2a", "alltoall"),
            ("a2a+p2p", "mixed"),
        ];
        draft.one_of(Some(found), ParamId::ContextExchange, &words);
    }
    if let Some(found) = args.list(&["hierarchical_context_parallel_sizes"])
        && let Some(heads) = found.value.first().and_then(|first| first.parse::<u32>().ok())
    {
        draft.number(Some(found.with(heads)), ParamId::SequenceHeads);
    }
    stages(args, draft);
}

fn stages(args: &mut Args, draft: &mut Draft) {
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
    for (names, id) in [
        (["decoder_first_pipeline_num_layers", "num_layers_in_first_pipeline_stage"], ParamId::FirstLayers),
        (["decoder_last_pipeline_num_layers", "num_layers_in_last_pipeline_stage"], ParamId::LastLayers),
    ] {
        draft.number(args.count(&names), id);
    }
    layout::read_pipeline_layout(args, draft);
}

/// Reads the sharding of optimizer states, and the optimizer.
pub(super) fn states(args: &mut Args, draft: &mut Draft) {
    draft.has_strategy = true;
    draft.set_option(ParamId::Strategy, "ddp");
    if let Some(found) = args.flag(&["use_distributed_optimizer", "distributed_optimizer"]) {
        draft.set_option_from(&found, ParamId::Strategy, if found.value { "zero1" } else { "ddp" });
    }
    let instances = args.count(&["num_distributed_optimizer_instances"]).filter(|found| found.value > 1);
    let is_torch = args.is_on("use_torch_fsdp2");
    let is_fsdp = is_torch || args.is_on("use_megatron_fsdp") || args.is_on("use_custom_fsdp");
    let sharding = args.word(&["data_parallel_sharding_strategy"]);
    if is_fsdp {
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
    // Number of groups of GPUs, within which states are sharded.
    if let Some(found) = instances {
        draft.world.replicate = Some(found);
    }
    let overlap = args.flag(&["overlap_grad_reduce"]);
    let gather = args.flag(&["overlap_param_gather"]);
    match overlap.or(gather) {
        Some(found) => {
            draft.set_flag(Some(found), ParamId::GradientOverlap);
        }
        None => {
            draft.set_option(ParamId::GradientOverlap, "no");
        }
    }
    if let Some(found) = args.text(&["optimizer"]).filter(|found| !found.value.contains('(')) {
        shared::optimizer(Some(found), draft);
        if let Some(momentum) = args
            .number(&["sgd_momentum"])
            .filter(|_| draft.scenario.optimizer == engine::model::training::Optimizer::Sgd)
        {
            draft.set_option_from(
                &momentum,
                ParamId::Optimizer,
                if momentum.value > 0.0 { "sgd-momentum" } else { "sgd" },
            );
        }
    }
    args.skip(&["sgd_momentum", "use_precision_aware_optimizer"]);
    if let Some(found) = args.word(&["exp_avg_dtype"]) {
        args.skip(&["exp_avg_sq_dtype"]);
        match found.value.trim_start_matches("torch.") {
            "fp16" | "bf16" | "float16" | "bfloat16" => {
                draft.set_option_from(&found, ParamId::Optimizer, "adamw-16bit");
            }
            "fp8" => draft.set_option_from(&found, ParamId::Optimizer, "adamw-8bit"),
            _ => draft.record(&found, "Moments in fp32"),
        }
    }
    draft.set_flag(args.flag(&["optimizer_cpu_offload"]), ParamId::OffloadOptimizer);
    let offloads = args.flag(&["fine_grained_activation_offloading", "cpu_offloading"]);
    if let Some(found) = offloads {
        args.skip(&["offload_modules", "cpu_offloading_num_layers"]);
        draft.set_flag(Some(found), ParamId::OffloadActivations);
    }
    draft.set_flag(args.flag(&["init_model_with_meta_device"]), ParamId::DeferredInit);
    if let Some(found) = args.word(&["ckpt_format", "dist_ckpt_format"]) {
        draft.set_option_from(&found, ParamId::ShardedCheckpoint, if found.value == "torch" { "no" } else { "yes" });
    }
}

/// Reads the formats of states and products.
fn precision(args: &mut Args, draft: &mut Draft) {
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
    eight_bits(args, draft);
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
pub(super) fn eight_bits(args: &mut Args, draft: &mut Draft) {
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

/// Reads the Megatron-LM section of Accelerate's file.
pub(super) fn read_accelerate_section(keys: &mut Keys, draft: &mut Draft) {
    kernels(Program::Accelerate, keys, draft);
    let mut args = Args { keys, places: &["megatron_lm_config.megatron_lm_"] };
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
    draft.number(args.count(&["decoder_last_pipeline_num_layers"]), ParamId::LastLayers);
    recomputation(&mut args, draft);
    if draft.scenario.recipe != engine::model::training::PrecisionPolicy::Fp32 {
        draft.set_option(ParamId::Recipe, "megatron-mixed");
    }
    if let Some(found) = args.number(&["hidden_dropout"]) {
        draft.set_option_from(&found, ParamId::Dropout, if found.value > 0.0 { "yes" } else { "no" });
    }
    keys.skip_below("megatron_lm_config");
}

//! Megatron-LM's arguments (megatron/training/arguments.py), as flags, as YAML of its tests, and as Accelerate, NeMo and
//! Megatron-Bridge have them.

mod layers;

pub(super) use layers::shape;

use engine::model::software::{Framework, Kernels};
use engine::model::training::{Recompute, RecomputeModules};
use engine::params::ParamId;

use super::shared;
use crate::run::draft::Draft;
use crate::run::keys::{Found, Keys};

/// Where arguments stand: behind each of these.
pub(super) struct Args<'k, 'a> {
    pub(super) keys: &'k mut Keys<'a>,
    pub(super) places: &'static [&'static str],
}

macro_rules! getters {
    ($($name:ident -> $kind:ty;)*) => {
        impl Args<'_, '_> {
            $(
                /// The first of some arguments that has a value.
                pub(super) fn $name(&mut self, names: &[&str]) -> Option<Found<$kind>> {
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

    /// Marks arguments.
    pub(super) fn skip(&mut self, names: &[&str]) {
        for name in names {
            for place in self.places {
                self.keys.skip(&[&format!("{place}{name}")]);
            }
        }
    }
}

const PLACES: &[&str] = &["", "model_args.__"];

/// Reads a script or a file of arguments.
pub(super) fn read(keys: &mut Keys, draft: &mut Draft) {
    kernels(draft);
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

/// Megatron-Core's kernels on Transformer Engine.
pub(super) fn kernels(draft: &mut Draft) {
    draft.scenario.framework = Framework::Megatron;
    draft.scenario.kernels = Kernels::USUAL;
    shared::tuned_attention(draft);
    draft.scenario.tensor.sequence_parallel = false;
}

/// Degrees of parallelism and how they exchange.
pub(super) fn degrees(args: &mut Args, draft: &mut Draft) {
    draft.number(args.count(&["tensor_model_parallel_size", "model_parallel_size"]), ParamId::Tp);
    draft.number(args.count(&["context_parallel_size"]), ParamId::Cp);
    draft.number(args.count(&["pipeline_model_parallel_size"]), ParamId::Pp);
    draft.number(args.count(&["expert_model_parallel_size"]), ParamId::Ep);
    // `expert_tensor_parallel_size` is the tensor-parallel degree where Megatron-LM's arguments do not say it; recipes say one.
    let usual = if args.places == PLACES { draft.scenario.tp } else { 1 };
    draft.put(ParamId::Etp, f64::from(usual));
    draft.number(args.count(&["expert_tensor_parallel_size"]), ParamId::Etp);
    if let Some(found) = args.flag(&["sequence_parallel"]) {
        draft.yes(Some(found), ParamId::SequenceParallel);
    }
    draft.yes(args.flag(&["tp_comm_overlap"]), ParamId::AsyncTp);
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
        draft.choose(&found, ParamId::PipelineSchedule, "interleaved");
        draft.number(Some(found), ParamId::VirtualStages);
    }
    for (names, id) in [
        (["decoder_first_pipeline_num_layers", "num_layers_in_first_pipeline_stage"], ParamId::FirstLayers),
        (["decoder_last_pipeline_num_layers", "num_layers_in_last_pipeline_stage"], ParamId::LastLayers),
    ] {
        draft.number(args.count(&names), id);
    }
}

/// How optimizer states are sharded, and the optimizer.
pub(super) fn states(args: &mut Args, draft: &mut Draft) {
    draft.has_strategy = true;
    draft.pick(ParamId::Strategy, "ddp");
    if let Some(found) = args.flag(&["use_distributed_optimizer", "distributed_optimizer"]) {
        draft.choose(&found, ParamId::Strategy, if found.value { "zero1" } else { "ddp" });
    }
    let instances = args.count(&["num_distributed_optimizer_instances"]).filter(|found| found.value > 1);
    let is_fsdp = args.is_on("use_megatron_fsdp") || args.is_on("use_custom_fsdp") || args.is_on("use_torch_fsdp2");
    let sharding = args.word(&["data_parallel_sharding_strategy"]);
    if is_fsdp {
        draft.scenario.framework = Framework::MegatronFsdp;
        let option = match sharding.as_ref().map(|found| found.value.as_str()) {
            Some("no_shard") => "ddp",
            Some("optim") => "zero1",
            Some("optim_grads") => "zero2",
            _ => "full-shard",
        };
        match &sharding {
            Some(found) => draft.choose(found, ParamId::Strategy, option),
            None => {
                draft.pick(ParamId::Strategy, option);
            }
        }
    }
    // Groups of the GPUs over which states are sharded.
    if let Some(found) = instances {
        draft.world.replicate = Some(found);
    }
    let overlap = args.flag(&["overlap_grad_reduce"]);
    let gather = args.flag(&["overlap_param_gather"]);
    match overlap.or(gather) {
        Some(found) => {
            draft.yes(Some(found), ParamId::GradientOverlap);
        }
        None => {
            draft.pick(ParamId::GradientOverlap, "no");
        }
    }
    if let Some(found) = args.text(&["optimizer"]).filter(|found| !found.value.contains('(')) {
        shared::optimizer(Some(found), draft);
        if let Some(momentum) = args
            .number(&["sgd_momentum"])
            .filter(|_| draft.scenario.optimizer == engine::model::training::Optimizer::Sgd)
        {
            draft.choose(&momentum, ParamId::Optimizer, if momentum.value > 0.0 { "sgd-momentum" } else { "sgd" });
        }
    }
    args.skip(&["sgd_momentum", "use_precision_aware_optimizer"]);
    if let Some(found) = args.word(&["exp_avg_dtype"]) {
        args.skip(&["exp_avg_sq_dtype"]);
        match found.value.trim_start_matches("torch.") {
            "fp16" | "bf16" | "float16" | "bfloat16" => draft.choose(&found, ParamId::Optimizer, "adamw-16bit"),
            "fp8" => draft.choose(&found, ParamId::Optimizer, "adamw-8bit"),
            _ => draft.note(&found, "Moments in fp32"),
        }
    }
    draft.yes(args.flag(&["optimizer_cpu_offload"]), ParamId::OffloadOptimizer);
    let offloads = args.flag(&["fine_grained_activation_offloading", "cpu_offloading"]);
    if let Some(found) = offloads {
        args.skip(&["offload_modules", "cpu_offloading_num_layers"]);
        draft.yes(Some(found), ParamId::OffloadActivations);
    }
    draft.yes(args.flag(&["init_model_with_meta_device"]), ParamId::DeferredInit);
    if let Some(found) = args.word(&["ckpt_format", "dist_ckpt_format"]) {
        draft.choose(&found, ParamId::ShardedCheckpoint, if found.value == "torch" { "no" } else { "yes" });
    }
}

/// Formats of states and products.
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
    match bf16.or(fp16) {
        Some(found) => draft.choose(&found, ParamId::Recipe, recipe),
        None => {
            draft.pick(ParamId::Recipe, recipe);
            draft.assume("The arguments name no 16-bit format: everything is in fp32.");
        }
    }
    eight_bits(args, draft);
}

/// Products in 8 or 4 bits.
pub(super) fn eight_bits(args: &mut Args, draft: &mut Draft) {
    let gather = args.flag(&["fp8_param_gather", "fp8_param"]).filter(|found| found.value);
    if let Some(found) =
        args.word(&["fp8_format", "fp8"]).filter(|found| !matches!(found.value.as_str(), "false" | "none"))
    {
        draft.choose(&found, ParamId::ComputeFormat, if gather.is_some() { "fp8-gather" } else { "fp8" });
        args.skip(&[
            "fp8_recipe",
            "fp8_amax_history_len",
            "fp8_amax_compute_algo",
            "fp8_margin",
            "fp8_interval",
            "fp8_wgrad",
        ]);
    }
    if let Some(found) = args.word(&["fp4_format", "fp4"]) {
        draft.choose(&found, ParamId::ComputeFormat, "fp4");
        args.skip(&["fp4_recipe"]);
    }
    if let Some(found) = args.flag(&["first_last_layers_bf16"]).filter(|found| found.value) {
        let mut of = |name| args.number(&[name]).map_or(1.0, |found| found.value);
        let layers = of("num_layers_at_start_in_bf16") + of("num_layers_at_end_in_bf16");
        draft.number(Some(found.with(layers)), ParamId::LayersIn16Bits);
    }
}

/// What is recomputed.
pub(super) fn recomputation(args: &mut Args, draft: &mut Draft) {
    let layers = args.count(&["recompute_num_layers", "activations_checkpoint_num_layers"]);
    let method = args.word(&["recompute_method", "activations_checkpoint_method"]);
    let modules = args.list(&["recompute_modules"]);
    if let Some(found) = args.flag(&["recompute_activations", "checkpoint_activations"]).filter(|found| found.value) {
        draft.choose(&found, ParamId::Recompute, "attention");
    }
    let Some(found) = args.word(&["recompute_granularity", "activations_checkpoint_granularity"]) else { return };
    match found.value.as_str() {
        "full" => {
            let stage = draft.scenario.model.architecture().num_hidden_layers / draft.scenario.pp.max(1);
            let block = method.as_ref().is_some_and(|method| method.value == "block");
            match layers.filter(|layers| block && layers.value < stage) {
                Some(layers) => {
                    draft.choose(&found, ParamId::Recompute, "fraction");
                    let kept = 100.0 * (1.0 - f64::from(layers.value) / f64::from(stage.max(1)));
                    draft.number(Some(layers.with(kept)), ParamId::KeepFraction);
                }
                None => draft.choose(&found, ParamId::Recompute, "full"),
            }
            if let Some(method) = method {
                draft.note(&method, "How layers are recomputed");
            }
        }
        "selective" => {
            let named = modules.as_ref().map(|found| found.value.clone()).unwrap_or_default();
            let only_core = named.is_empty() || named.iter().all(|name| name == "core_attn");
            draft.choose(&found, ParamId::Recompute, if only_core { "attention" } else { "modules" });
            if let Some(modules) = &modules {
                selected(modules, draft);
            }
        }
        _ => draft.unknown(&found, ParamId::Recompute),
    }
}

fn selected(found: &Found<Vec<String>>, draft: &mut Draft) {
    let has = |name: &str| found.value.iter().any(|module| module == name);
    draft.scenario.recompute_modules = RecomputeModules {
        core_attn: has("core_attn"),
        mlp: has("mlp"),
        moe: has("moe"),
        moe_act: has("moe_act"),
        layernorm: has("layernorm"),
        mla_up_proj: has("mla_up_proj"),
        shared_experts: has("shared_experts"),
    };
    if draft.scenario.recompute == Recompute::AttentionCore {
        draft.scenario.recompute_modules = RecomputeModules::USUAL;
    }
    draft.note(found, "These modules are recomputed");
}

/// How experts run.
pub(super) fn experts(args: &mut Args, draft: &mut Draft) {
    draft.pick(ParamId::GroupedExperts, "no");
    draft.yes(args.flag(&["moe_grouped_gemm"]), ParamId::GroupedExperts);
    if let Some(found) = args.word(&["moe_token_dispatcher_type"]) {
        let words =
            [("flex", "fused"), ("alltoall", "alltoall"), ("alltoall_seq", "alltoall"), ("allgather", "alltoall")];
        draft.one_of(Some(found), ParamId::TokenDispatcher, &words);
    }
    if args.is_on("moe_enable_deepep") {
        draft.pick(ParamId::TokenDispatcher, "fused");
    }
    args.skip(&[
        "moe_flex_dispatcher_backend",
        "moe_pad_expert_input_to_capacity",
        "moe_permute_fusion",
        "moe_router_load_balancing_type",
        "moe_aux_loss_coeff",
        "moe_z_loss_coeff",
        "moe_router_dtype",
        "moe_router_fusion",
        "moe_router_pre_softmax",
        "moe_router_topk_scaling_factor",
        "moe_router_bias_update_rate",
    ]);
    draft.number(
        args.number(&["moe_expert_capacity_factor"]).filter(|found| found.value >= 1.0),
        ParamId::CapacityFactor,
    );
    draft.yes(args.flag(&["overlap_moe_expert_parallel_comm"]), ParamId::ExpertOverlap);
    draft.yes(args.flag(&["use_transformer_engine_op_fuser"]), ParamId::FusedExperts);
}

/// Kernels and dropout.
pub(super) fn options(args: &mut Args, draft: &mut Draft) {
    if let Some(found) = args.word(&["attention_backend"]) {
        let kernel = match found.value.trim_start_matches("attnbackend.") {
            "auto" | "fused" => "cudnn".to_owned(),
            other => other.to_owned(),
        };
        shared::attention(Some(found.with(kernel)), draft);
    }
    if let Some(found) = args.flag(&["fp8_dot_product_attention"]).filter(|found| found.value) {
        draft.choose(&found, ParamId::AttentionKernel, "flash-fp8");
    }
    args.skip(&["use_flash_attn", "no_rope_fusion", "attention_softmax_in_fp32"]);
    let kind = args.word(&["cross_entropy_fusion_impl"]);
    if let Some(found) = args.flag(&["cross_entropy_loss_fusion"]) {
        let native = kind.is_some_and(|kind| kind.value == "native");
        // Megatron-Core's own writes the exponentials beside fp32 logits; Transformer Engine's does not.
        let option = match (found.value, native) {
            (true, true) => "fp32-logits",
            (true, false) => "fused",
            (false, _) => "standard",
        };
        draft.choose(&found, ParamId::Loss, option);
    }
    let mut drops = |name| args.number(&[name]);
    let (hidden, attention) = (drops("hidden_dropout"), drops("attention_dropout"));
    // Both are 0.1 where they are not said.
    let is_on = |found: &Option<Found<f64>>| found.as_ref().is_none_or(|found| found.value > 0.0);
    let drops = is_on(&hidden) || is_on(&attention);
    match hidden.or(attention) {
        Some(found) => draft.choose(&found, ParamId::Dropout, if drops { "yes" } else { "no" }),
        None => {
            draft.pick(ParamId::Dropout, "yes");
            draft.assume("Dropout of 0.1, Megatron-LM's default.");
        }
    }
    if let Some(found) = args.word(&["cuda_graph_impl"]) {
        let whole = args
            .list(&["cuda_graph_scope"])
            .is_some_and(|scope| scope.value.iter().any(|name| name.contains("full_iteration")));
        let option = match found.value.as_str() {
            "none" => "none",
            "full_iteration" => "step",
            _ if whole => "step",
            _ => "layers",
        };
        draft.choose(&found, ParamId::CudaGraphs, option);
        args.skip(&["cuda_graph_modules", "cuda_graph_scope", "cuda_graph_warmup_steps"]);
    } else if let Some(found) = args.flag(&["enable_cuda_graph", "external_cuda_graph"]).filter(|found| found.value) {
        draft.choose(&found, ParamId::CudaGraphs, "layers");
    }
    draft.number(args.count(&["mtp_num_layers"]), ParamId::MultiTokenPrediction);
}

/// The section of Accelerate's file for Megatron-LM.
pub(super) fn of_accelerate(keys: &mut Keys, draft: &mut Draft) {
    kernels(draft);
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
    draft.yes(args.flag(&["sequence_parallelism"]), ParamId::SequenceParallel);
    let accum = args.count(&["num_micro_batches"]);
    draft.batch.accum = draft.batch.accum.take().or(accum);
    if let Some(found) = args.flag(&["use_distributed_optimizer"]) {
        draft.choose(&found, ParamId::Strategy, if found.value { "zero1" } else { "ddp" });
        draft.has_strategy = true;
    }
    draft.yes(args.flag(&["optimizer_cpu_offload"]), ParamId::OffloadOptimizer);
    draft.number(args.count(&["decoder_last_pipeline_num_layers"]), ParamId::LastLayers);
    recomputation(&mut args, draft);
    if draft.scenario.recipe != engine::model::training::PrecisionPolicy::Fp32 {
        draft.pick(ParamId::Recipe, "megatron-mixed");
    }
    if let Some(found) = args.number(&["hidden_dropout"]) {
        draft.choose(&found, ParamId::Dropout, if found.value > 0.0 { "yes" } else { "no" });
    }
    keys.skip_below("megatron_lm_config");
}

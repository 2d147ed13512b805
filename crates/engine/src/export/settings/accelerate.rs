//! Accelerate: the YAML that `accelerate launch --config_file` reads.

use super::asked::{Asked, Lines, either, number};
use super::{notes, stages};
use crate::model::parallel::{ContextExchange, Schedule};
use crate::model::software::{Graphs, Loss, NormKernel};
use crate::model::training::{ComputeFormat, Optimizer, Recipe, Recompute, Reshard, Sharding};
use crate::scenario::Strategy;

/// What Accelerate hands the work to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Backend {
    One,
    Ddp,
    Fsdp,
    DeepSpeed,
    Megatron,
}

/// FSDP2 where it shards something and nothing else is asked, Megatron-LM for what only it can do.
fn backend(asked: &Asked) -> Backend {
    let mesh = asked.setup.mesh;
    let (shards, inside) = (asked.is_fsdp() && mesh.shard_group() > 1, mesh.tp * mesh.cp > 1);
    if mesh.gpus() == 1 {
        Backend::One
    } else if mesh.pp > 1
        || mesh.ep * mesh.etp > 1
        || (inside && (!shards || mesh.dp_shard == 1 && mesh.dp_replicate > 1))
    {
        Backend::Megatron
    } else if shards {
        Backend::Fsdp
    } else if asked.is(Strategy::Ddp) || asked.is_fsdp() {
        Backend::Ddp
    } else {
        Backend::DeepSpeed
    }
}

/// The file and its notes.
pub(super) fn write(mut asked: Asked) -> (String, Vec<&'static str>) {
    let backend = backend(&asked);
    note(&mut asked, backend);
    let (setup, mut text) = (asked.setup, Lines::default());
    text.add(&[
        "# accelerate launch --config_file accelerate.yaml --machine_rank RANK --main_process_ip ADDRESS train.py",
    ]);
    let [accumulated, micro, length] =
        [setup.batch.grad_accum_steps, setup.batch.micro_batch_size, setup.batch.seq_len].map(number);
    text.add(&[
        "# In the script: Accelerator(gradient_accumulation_steps=",
        &accumulated,
        "), batches of ",
        &micro,
        " x ",
        &length,
        " tokens.",
    ]);
    text.0.push_str(&asked.comments());
    text.add(&["compute_environment: LOCAL_MACHINE"]);
    let kind = match backend {
        Backend::One => "\"NO\"",
        Backend::Ddp => "MULTI_GPU",
        Backend::Fsdp => "FSDP",
        Backend::DeepSpeed => "DEEPSPEED",
        Backend::Megatron => "MEGATRON_LM",
    };
    text.add(&["distributed_type: ", kind]);
    let [nodes, _] = asked.nodes();
    text.add(&["num_machines: ", &number(nodes), "\nnum_processes: ", &number(setup.mesh.gpus())]);
    let is_fp8 = matches!(setup.compute_format, ComputeFormat::Fp8 | ComputeFormat::Fp8Gather);
    let pure = asked.is_fp32() || setup.recipe == Recipe::PureBf16;
    let half = either(asked.is_volta(), ["fp16", "bf16"]);
    let precision = if is_fp8 {
        "fp8"
    } else if pure {
        "\"no\""
    } else {
        half
    };
    text.add(&["mixed_precision: ", precision]);
    if is_fp8 {
        let gather = either(setup.compute_format == ComputeFormat::Fp8Gather, ["true", "false"]);
        text.add(&["fp8_config:\n  fp8_backend: AO\n  fp8_enable_fsdp_float8_all_gather: ", gather]);
    }
    if setup.kernels.compile {
        let mode = either(setup.kernels.graphs == Graphs::Layers, ["reduce-overhead", "default"]);
        text.add(&["dynamo_config:\n  dynamo_backend: INDUCTOR\n  dynamo_mode: ", mode]);
        text.add(&["  dynamo_use_regional_compilation: true"]);
    }
    match backend {
        Backend::One | Backend::Ddp => {}
        Backend::Fsdp => fsdp(&asked, &mut text),
        Backend::DeepSpeed => deepspeed(&asked, &mut text),
        Backend::Megatron => megatron(&asked, &mut text),
    }
    (text.0, asked.notes)
}

fn note(asked: &mut Asked, backend: Backend) {
    let (setup, mesh, kernels) = (asked.setup, asked.setup.mesh, asked.setup.kernels);
    let (fsdp, megatron) = (backend == Backend::Fsdp, backend == Backend::Megatron);
    asked.note(megatron, notes::ACCELERATE_MEGATRON);
    asked.note(fsdp && asked.is(Strategy::ReshardTo), notes::ACCELERATE_RESHARD);
    asked.note(asked.is(Strategy::Zero1Group), notes::ACCELERATE_ZERO1_GROUP);
    asked.note(
        megatron && matches!(setup.sharding, Sharding::Zero2 | Sharding::Fsdp(_)),
        notes::ACCELERATE_MEGATRON_FSDP,
    );
    asked.note(mesh.tp > 1 && fsdp, notes::ACCELERATE_TP);
    asked.note(mesh.tp > 1 && fsdp && setup.tensor.sequence_parallel, notes::ACCELERATE_SP);
    asked.note(mesh.tp > 1 && setup.tensor.asynchronous, notes::ACCELERATE_ASYNC_TP);
    asked.note(mesh.cp > 1 && megatron && setup.context != ContextExchange::Ring, notes::ACCELERATE_CP);
    let schedule = setup.pipeline.schedule != Schedule::OneForwardOneBackward;
    asked.note(mesh.pp > 1 && schedule, notes::ACCELERATE_SCHEDULE);
    asked.note(mesh.pp > 1 && setup.pipeline.first_stage_layers > 0, notes::ACCELERATE_STAGES);
    asked.note(setup.recipe == Recipe::PureBf16, notes::ACCELERATE_PURE);
    asked.note(
        !matches!(setup.recipe, Recipe::Fsdp2MixedBf16 | Recipe::PureBf16 | Recipe::Fp32),
        notes::ACCELERATE_RECIPE,
    );
    asked.note(setup.optimizer != Optimizer::AdamW, notes::ACCELERATE_OPTIMIZER);
    let several = setup.batch.grad_accum_steps > 1;
    asked.note(several && asked.sync.reduce_each, notes::ACCELERATE_SYNC);
    let no_switch = !asked.is_fsdp() && !setup.communication.overlap;
    asked.note(no_switch, notes::ALWAYS_OVERLAPS);
    let offload = setup.offload;
    asked.note(fsdp && offload.optimizer && !offload.parameters, notes::FSDP2_OFFLOAD);
    asked.note(
        (offload.optimizer || offload.parameters) && matches!(backend, Backend::One | Backend::Ddp),
        notes::ACCELERATE_NO_OFFLOAD,
    );
    asked.note(offload.parameters && megatron, notes::MEGATRON_OFFLOAD);
    asked.note(offload.activations, notes::ACCELERATE_OFFLOAD);
    let recomputed = !matches!(setup.recompute, Recompute::None);
    asked.note(recomputed && !matches!(backend, Backend::Fsdp | Backend::Megatron), notes::ACCELERATE_RECOMPUTE);
    let partly = !matches!(setup.recompute, Recompute::None | Recompute::Full);
    asked.note(partly && fsdp, notes::ACCELERATE_FULL_ONLY);
    asked.note(
        matches!(setup.recompute, Recompute::Selective | Recompute::Fraction(_)) && megatron,
        notes::ACCELERATE_MEGATRON_RECOMPUTE,
    );
    asked.note(setup.compute_format == ComputeFormat::Fp4, notes::NO_FP4);
    asked.note(
        kernels.graphs == Graphs::Step || (kernels.graphs == Graphs::Layers && !kernels.compile),
        notes::GRAPHS_BY_COMPILE,
    );
    asked.note(kernels.attention != crate::model::software::AttentionKernel::Flash, notes::ATTENTION_IN_MODEL);
    asked.note(kernels.loss != Loss::Standard, notes::LOSS_IN_CODE);
    asked.note(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    asked.note(kernels.dropout && !megatron, notes::DROPOUT_IN_MODEL);
    if asked.has_experts() {
        notes::experts(asked);
        asked.note(setup.experts.dispatcher == crate::model::experts::Dispatcher::Fused, notes::DISPATCHER_IN_MODEL);
        asked.note(!setup.experts.grouped, notes::GROUPED_IN_MODEL);
    }
}

fn fsdp(asked: &Asked, text: &mut Lines) {
    let (setup, mesh) = (&asked.setup, asked.setup.mesh);
    let flag = |holds| either(holds, ["true", "false"]);
    let kept = setup.sharding == Sharding::Fsdp(Reshard::Never);
    text.add(&["fsdp_config:\n  fsdp_version: 2"]);
    text.add(&["  fsdp_reshard_after_forward: ", flag(!kept)]);
    text.add(&["  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP"]);
    text.add(&["  fsdp_offload_params: ", flag(setup.offload.parameters || setup.offload.optimizer)]);
    text.add(&["  fsdp_activation_checkpointing: ", flag(!matches!(setup.recompute, Recompute::None))]);
    text.add(&["  fsdp_cpu_ram_efficient_loading: ", flag(asked.scenario.run.deferred_init)]);
    // The launcher's check of the flag above asks for it; FSDP2 itself does not read it.
    text.add_if(asked.scenario.run.deferred_init, &["  fsdp_sync_module_states: true"]);
    let state = either(asked.scenario.run.sharded_checkpoint, ["SHARDED_STATE_DICT", "FULL_STATE_DICT"]);
    text.add(&["  fsdp_state_dict_type: ", state]);
    text.add(&["parallelism_config:"]);
    let degrees = [("dp_replicate", mesh.dp_replicate), ("dp_shard", mesh.dp_shard), ("cp", mesh.cp), ("tp", mesh.tp)];
    for (name, degree) in degrees {
        text.add(&["  parallelism_config_", name, "_size: ", &number(degree)]);
    }
    let exchange = either(setup.context == ContextExchange::Ring, ["alltoall", "allgather"]);
    text.add_if(mesh.cp > 1, &["  parallelism_config_cp_comm_strategy: ", exchange]);
}

fn deepspeed(asked: &Asked, text: &mut Lines) {
    let setup = &asked.setup;
    text.add(&["deepspeed_config:\n  zero_stage: ", either(setup.sharding == Sharding::Zero2, ["2", "1"])]);
    text.add(&["  gradient_accumulation_steps: ", &number(setup.batch.grad_accum_steps)]);
    text.add(&["  gradient_clipping: 1.0"]);
    text.add(&["  offload_optimizer_device: ", either(setup.offload.optimizer, ["cpu", "none"])]);
    text.add(&["  zero3_init_flag: false"]);
}

fn megatron(asked: &Asked, text: &mut Lines) {
    let (setup, mesh) = (&asked.setup, asked.setup.mesh);
    let flag = |holds| either(holds, ["true", "false"]);
    text.add(&["megatron_lm_config:"]);
    let mut put = |name: &str, value: &str| text.add(&["  megatron_lm_", name, ": ", value]);
    put("tp_degree", &number(mesh.tp));
    put("pp_degree", &number(mesh.pp));
    put("context_parallel_size", &number(mesh.cp));
    if asked.has_experts() {
        put("expert_model_parallel_size", &number(mesh.ep));
        put("expert_tensor_parallel_size", &number(mesh.etp));
    }
    put("num_micro_batches", &number(setup.batch.grad_accum_steps));
    put("gradient_clipping", "1.0");
    put("sequence_parallelism", flag(mesh.tp > 1 && setup.tensor.sequence_parallel));
    put("use_distributed_optimizer", flag(setup.sharding != Sharding::Ddp));
    if mesh.pp > 1 && setup.pipeline.last_stage_layers > 0 {
        let last = stages::layers_of_gpus(setup).last().copied().unwrap_or_default();
        put("decoder_last_pipeline_num_layers", &number(last));
    }
    match setup.recompute {
        Recompute::None => {}
        Recompute::AttentionCore | Recompute::Selective => put("recompute_activations", "true"),
        Recompute::Full | Recompute::Fraction(_) => {
            put("recompute_granularity", "full");
            put("recompute_method", "uniform");
            put("recompute_num_layers", "1");
        }
    }
    if setup.offload.optimizer {
        put("optimizer_cpu_offload", "true");
        put("use_precision_aware_optimizer", "true");
    }
    let dropout = either(setup.kernels.dropout, ["0.1", "0.0"]);
    put("attention_dropout", dropout);
    put("hidden_dropout", dropout);
}

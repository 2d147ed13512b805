//! PyTorch FSDP2: a Python file with functions for the mesh, the model, the optimizer and a step.

mod model;
mod step;

use super::asked::{Asked, Lines, either, number};
use super::notes;
use crate::model::experts::Dispatcher;
use crate::model::parallel::{Mesh, Schedule};
use crate::model::software::{Graphs, Loss, NormKernel};
use crate::model::training::{ComputeFormat, Optimizer, Recipe, Recompute, Reshard, Sharding};
use crate::scenario::Strategy;

/// The file and its notes.
pub(super) fn write(mut asked: Asked) -> (String, Vec<&'static str>) {
    note(&mut asked);
    let (mesh, batch) = (asked.setup.mesh, asked.setup.batch);
    let mut text = Lines::default();
    text.add(&["# ", &asked.torchrun(), " train_fsdp2.py"]);
    text.add(&["# The model has embed_tokens, layers, norm and lm_head, as Hugging Face's LlamaModel names them."]);
    text.0.push_str(&asked.comments());
    imports(&asked, &mut text);
    text.add(&["\nSEQ_LEN = ", &number(batch.seq_len)]);
    text.add(&["MICRO_BATCH_SIZE = ", &number(batch.micro_batch_size)]);
    text.add(&["GRAD_ACCUM_STEPS = ", &number(batch.grad_accum_steps)]);
    text.add(&["GLOBAL_BATCH_SIZE = ", &asked.global_batch(), "  # sequences"]);
    text.add(&["TRAIN_STEPS = ", &asked.steps().to_string()]);
    mesh_of(&mesh, &mut text);
    model::parallelize(&asked, &mut text);
    if mesh.pp > 1 {
        model::stages(&asked, &mut text);
    } else {
        model::build(&asked, &mut text);
    }
    step::optimizer(&asked, &mut text);
    step::step(&asked, &mut text);
    step::save(&asked, &mut text);
    (text.0, asked.notes)
}

fn note(asked: &mut Asked) {
    let setup = asked.setup;
    let (mesh, kernels) = (setup.mesh, setup.kernels);
    asked.note(asked.is(Strategy::Ddp), notes::FSDP2_DDP);
    let unsharded = !asked.is_fsdp() && !asked.is(Strategy::Ddp);
    asked.note(unsharded, notes::FSDP2_ZERO);
    asked.note(asked.is(Strategy::ReshardTo) && mesh.tp > 1, notes::FSDP2_RESHARD_TP);
    asked.note(asked.is(Strategy::Ddp) && mesh.cp > 1, notes::FSDP2_CP_SHARDS);
    asked.note(!asked.is_fsdp() && !setup.communication.overlap, notes::ALWAYS_OVERLAPS);
    if asked.has_experts() {
        asked.note(true, notes::FSDP2_EXPERTS);
        notes::experts(asked);
        asked.note(setup.experts.dispatcher == Dispatcher::Fused, notes::DISPATCHER_IN_MODEL);
        asked.note(!setup.experts.grouped, notes::GROUPED_IN_MODEL);
    }
    asked.note(asked.has_experts() && mesh.ep * mesh.etp > 1, notes::FSDP2_EP);
    asked.note(matches!(setup.recipe, Recipe::ZeroMixed | Recipe::MegatronMixed), notes::FP32_SHARDS);
    asked.note(asked.is_volta() && !asked.is_fp32(), notes::LOSS_SCALE);
    asked.note(setup.recompute == Recompute::AttentionCore, notes::ATTENTION_MODULE);
    asked.note(matches!(setup.recompute, Recompute::Fraction(_)), notes::FRACTION_LAYERS);
    asked.note(setup.offload.optimizer && !setup.offload.parameters, notes::FSDP2_OFFLOAD);
    asked.note(matches!(setup.optimizer, Optimizer::AdamW16bit), notes::NO_ADAMW_16);
    asked.note(matches!(setup.optimizer, Optimizer::Lion), notes::NO_LION);
    asked.note(matches!(setup.optimizer, Optimizer::Adafactor | Optimizer::Muon), notes::FSDP2_OPTIMIZER);
    asked.note(setup.tensor.asynchronous && mesh.tp > 1 && !kernels.compile, notes::ASYNC_COMPILES);
    asked.note(setup.compute_format == ComputeFormat::Fp4, notes::NO_FP4);
    asked.note(setup.compute_format == ComputeFormat::Fp8Gather && mesh.tp > 1, notes::FP8_TP);
    asked.note(
        kernels.graphs == Graphs::Step || (kernels.graphs == Graphs::Layers && !kernels.compile),
        notes::GRAPHS_BY_COMPILE,
    );
    asked.note(kernels.loss == Loss::Fused, notes::LOSS_IN_CODE);
    asked.note(kernels.loss == Loss::Chunked, notes::LOSS_CHUNKED);
    asked.note(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    asked.note(kernels.dropout, notes::DROPOUT_IN_MODEL);
    let few = setup.batch.grad_accum_steps < mesh.pp.saturating_mul(setup.chunks());
    asked.note(few && mesh.pp > 1, notes::FEW_MICRO_BATCHES);
    asked.note(setup.pipeline.schedule == Schedule::ZeroBubble && mesh.pp > 1, notes::ZB_INTERLEAVED);
}

/// Only what the rest of the file uses.
fn imports(asked: &Asked, text: &mut Lines) {
    let (setup, mesh) = (asked.setup, asked.setup.mesh);
    text.add_if(mesh.pp > 1, &["import copy\n"]);
    text.add(&["import torch"]);
    text.add(&["import torch.distributed.checkpoint as dcp"]);
    let wraps = !matches!(setup.recompute, Recompute::None);
    text.add_if(wraps, &["from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper"]);
    text.add(&["from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict"]);
    text.add(&["from torch.distributed.device_mesh import init_device_mesh"]);
    let (offload, mixed) = (setup.offload.parameters || setup.offload.optimizer, is_mixed(asked));
    let names = [(offload, "CPUOffloadPolicy"), (mixed, "MixedPrecisionPolicy"), (true, "fully_shard")];
    text.add(&["from torch.distributed.fsdp import ", &super::asked::listed(&names)]);
    if mesh.pp > 1 {
        text.add(&["from torch.distributed.pipelining import PipelineStage, ", schedule(setup.pipeline.schedule)]);
    }
    if mesh.cp > 1 {
        text.add(&["from torch.distributed.tensor.experimental import context_parallel"]);
        text.add(&["from torch.distributed.tensor.experimental._attention import set_rotate_method"]);
    }
    if mesh.tp > 1 {
        let split = setup.tensor.sequence_parallel;
        text.add(&["from torch.distributed.tensor import Replicate", either(split, [", Shard", ""])]);
        let names = [
            (true, "ColwiseParallel"),
            (split, "PrepareModuleInput"),
            (true, "RowwiseParallel"),
            (split, "SequenceParallel"),
            (true, "parallelize_module"),
        ];
        text.add(&["from torch.distributed.tensor.parallel import ", &super::asked::listed(&names)]);
    }
    text.add(&["from torch.nn.attention import SDPBackend, sdpa_kernel"]);
    if setup.recompute == Recompute::Selective {
        text.add(&["from torch.utils.checkpoint import CheckpointPolicy, create_selective_checkpoint_contexts"]);
    }
    if matches!(setup.compute_format, ComputeFormat::Fp8 | ComputeFormat::Fp8Gather) {
        text.add(&["from torchao.float8 import Float8LinearConfig, convert_to_float8_training"]);
    }
    text.add_if(setup.optimizer == Optimizer::AdamW8bit, &["from torchao.optim import AdamW8bit"]);
}

/// Whether weights are gathered in another format than they are stored in.
fn is_mixed(asked: &Asked) -> bool {
    !matches!(asked.setup.recipe, Recipe::Fp32 | Recipe::PureBf16)
}

/// What becomes of gathered weights.
fn reshard(sharding: Sharding, tp: u32) -> String {
    match sharding {
        Sharding::Fsdp(Reshard::To(group)) if tp == 1 => number(group),
        Sharding::Fsdp(Reshard::Always | Reshard::To(_)) => "True".to_owned(),
        Sharding::Fsdp(Reshard::Never) | Sharding::Ddp | Sharding::Zero1 | Sharding::Zero2 => "False".to_owned(),
    }
}

/// The class of a schedule.
fn schedule(schedule: Schedule) -> &'static str {
    match schedule {
        Schedule::GPipe => "ScheduleGPipe",
        Schedule::OneForwardOneBackward => "Schedule1F1B",
        Schedule::Interleaved => "ScheduleInterleaved1F1B",
        Schedule::ZeroBubble => "ScheduleInterleavedZeroBubble",
        Schedule::ZeroBubbleV => "ScheduleZBVZeroBubble",
    }
}

/// The mesh: its product is the number of GPUs.
fn mesh_of(mesh: &Mesh, text: &mut Lines) {
    let axes = axes(mesh);
    let degrees: Vec<String> = axes.iter().map(|axis| number(axis.1)).collect();
    let names: Vec<String> = axes.iter().map(|axis| ["\"", axis.0, "\""].concat()).collect();
    let comma = either(axes.len() > 1, ["", ","]);
    text.add(&["\n\ndef make_mesh(device_type=\"cuda\"):"]);
    let (degrees, names) = (degrees.join(", "), names.join(", "));
    text.add(&[
        "    mesh = init_device_mesh(device_type, (",
        &degrees,
        comma,
        "), mesh_dim_names=(",
        &names,
        comma,
        "))",
    ]);
    text.add_if(mesh.cp > 1, &["    mesh[\"dp_shard\", \"cp\"]._flatten(\"fsdp\")"]);
    text.add(&["    return mesh"]);
}

/// The axes that there are, the outermost first.
fn axes(mesh: &Mesh) -> Vec<(&'static str, u32)> {
    let all = [
        ("pp", mesh.pp),
        ("dp_replicate", mesh.dp_replicate),
        ("dp_shard", mesh.dp_shard),
        ("cp", mesh.cp),
        ("tp", mesh.tp),
    ];
    all.into_iter().filter(|axis| axis.1 > 1 || axis.0 == "dp_shard").collect()
}

/// The part of the mesh over which weights are sharded, and replicated.
fn fsdp_mesh(mesh: &Mesh) -> String {
    let replicated = either(mesh.dp_replicate > 1, ["\"dp_replicate\", ", ""]);
    let sharded = either(mesh.cp > 1, ["\"fsdp\"", "\"dp_shard\""]);
    ["mesh[", replicated, sharded, "]"].concat()
}

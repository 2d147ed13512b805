//! torchtitan: a Python file whose function returns the trainer's configuration, as torchtitan 0.3 takes it.

mod model;

use super::asked::{Asked, Lines, either, number};
use super::{notes, stages};
use crate::model::parallel::{Mesh, Schedule, common_divisor};
use crate::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use crate::model::training::{ComputeFormat, Optimizer, Recipe, Recompute, Reshard, Sharding};
use crate::scenario::Strategy;

/// The file and its notes.
pub(super) fn write(mut asked: Asked) -> (String, Vec<&'static str>) {
    note(&mut asked);
    model::note(&mut asked);
    let (setup, mesh) = (asked.setup, asked.setup.mesh);
    let mut text = Lines::default();
    text.add(&["# ", &asked.torchrun(), " -m torchtitan.train --module shardwise_config --config shardwise"]);
    text.0.push_str(&asked.comments());
    imports(&asked, &mut text);
    text.add(&["\n\ndef shardwise() -> Trainer.Config:"]);
    model::write(&asked, &mut text);
    text.add(&["    return Trainer.Config(\n        model_spec=spec,"]);
    let chunked = setup.kernels.loss == Loss::Chunked;
    let cross_entropy =
        ["CrossEntropyLoss.Config(global_vocab_size=", &number(setup.architecture.vocab_size), ")"].concat();
    let loss =
        if chunked { ["ChunkedLossWrapper.Config(loss_fn=", &cross_entropy, ")"].concat() } else { cross_entropy };
    text.add(&["        loss=", &loss, ","]);
    text.add(&["        optimizer=", optimizer(setup.optimizer), ","]);
    training(&asked, &mut text);
    parallelism(&asked, &mut text);
    text.add(&["        activation_checkpoint=", &recompute(&asked), ","]);
    let asynchronous = setup.tensor.asynchronous && mesh.tp > 1 && setup.kernels.compile;
    let together = either(asynchronous, [", enable_async_tensor_parallel=True", ""]);
    text.add_if(setup.kernels.compile, &["        compile=CompileConfig(enable=True", together, "),"]);
    text.add(&["        dataloader=HuggingFaceTextDataLoader.Config(dataset=\"c4\"),\n    )"]);
    (text.0, asked.notes)
}

fn imports(asked: &Asked, text: &mut Lines) {
    let setup = &asked.setup;
    let chunked = either(setup.kernels.loss == Loss::Chunked, ["ChunkedLossWrapper, ", ""]);
    text.add_if(setup.optimizer == Optimizer::AdamW16bit, &["import dataclasses\n"]);
    text.add(&["from torchtitan.components.loss import ", chunked, "CrossEntropyLoss"]);
    text.add(&["from torchtitan.components.optimizer import default_adamw"]);
    model::imports(asked, text);
    let compiled = either(setup.kernels.compile, ["CompileConfig, ", ""]);
    text.add(&["from torchtitan.config import ", compiled, "ParallelismConfig, TrainingConfig"]);
    let policy = recompute(asked);
    if let Some((class, _)) = policy.split_once('.') {
        text.add(&["from torchtitan.distributed.activation_checkpoint import ", class]);
    }
    text.add(&["from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataLoader"]);
    text.add(&["from torchtitan.trainer import Trainer"]);
}

fn note(asked: &mut Asked) {
    let (setup, mesh, kernels) = (asked.setup, asked.setup.mesh, asked.setup.kernels);
    asked.note(matches!(setup.sharding, Sharding::Zero1 | Sharding::Zero2), notes::TITAN_ZERO);
    asked.note(matches!(setup.sharding, Sharding::Fsdp(Reshard::To(_))), notes::TITAN_RESHARD);
    asked.note(asked.is(Strategy::Ddp) && mesh.cp > 1, notes::FSDP2_CP_SHARDS);
    asked.note(!asked.is_fsdp() && !setup.communication.overlap, notes::ALWAYS_OVERLAPS);
    asked.note(matches!(setup.recipe, Recipe::ZeroMixed | Recipe::MegatronMixed), notes::FP32_SHARDS);
    asked.note(setup.recipe == Recipe::Fsdp2MixedBf16Reduce16, notes::TITAN_REDUCES_32);
    asked.note(asked.is_volta() && !asked.is_fp32(), notes::TITAN_FP16);
    asked.note(!matches!(setup.optimizer, Optimizer::AdamW | Optimizer::AdamW16bit), notes::TITAN_OPTIMIZER);
    asked.note(setup.offload.optimizer && !setup.offload.parameters, notes::FSDP2_OFFLOAD);
    asked.note(asked.cuts_unevenly(), notes::SEQUENCE_PARTS);
    asked.note(setup.offload.activations, notes::TITAN_OFFLOAD);
    asked.note(setup.recompute == Recompute::AttentionCore, notes::TITAN_ATTENTION_CORE);
    let fraction = matches!(setup.recompute, Recompute::Fraction(_));
    asked.note(fraction && kernels.compile, notes::TITAN_BUDGET);
    asked.note(fraction && !kernels.compile, notes::TITAN_FRACTION);
    asked.note(setup.tensor.asynchronous && mesh.tp > 1 && !kernels.compile, notes::ASYNC_COMPILES);
    asked.note(setup.context != crate::model::parallel::ContextExchange::AllGather && mesh.cp > 1, notes::TITAN_CP);
    let experts = asked.has_experts();
    asked.note(experts && setup.mesh.etp > 1, notes::TITAN_ETP);
    asked.note(experts && expert_parallel(&mesh) != mesh.ep, notes::TITAN_EP);
    let several = setup.batch.grad_accum_steps > 1 && mesh.pp == 1;
    asked.note(several && asked.sync.reduce_each != asked.is_fsdp(), notes::TITAN_SYNC);
    let zero_bubble = setup.pipeline.schedule == Schedule::ZeroBubble && mesh.pp > 1;
    asked.note(zero_bubble, notes::ZB_INTERLEAVED);
    asked.note(kernels.graphs == Graphs::Layers, notes::TITAN_GRAPHS);
    asked.note(kernels.graphs == Graphs::Step && !graphs(asked), notes::TITAN_NO_GRAPHS);
    asked.note(kernels.attention != AttentionKernel::Flash, notes::TITAN_ATTENTION);
    asked.note(kernels.loss == Loss::Fused, notes::LOSS_IN_CODE);
    asked.note(kernels.norms == NormKernel::Upcast, notes::NORMS_IN_MODEL);
    asked.note(kernels.dropout, notes::DROPOUT_IN_MODEL);
    asked.note(setup.compute_format == ComputeFormat::Fp8Gather, notes::TITAN_FP8_GATHER);
    asked.note(!asked.scenario.run.sharded_checkpoint, notes::ALWAYS_SHARDED);
    asked.note(!asked.scenario.run.deferred_init, notes::ALWAYS_DEFERRED);
}

fn optimizer(optimizer: Optimizer) -> &'static str {
    match optimizer {
        Optimizer::AdamW16bit => {
            "dataclasses.replace(default_adamw(lr=3e-4), implementation=\"fused_opt_states_bf16\")"
        }
        _ => "default_adamw(lr=3e-4)",
    }
}

/// Whether the whole step is launched at once: neither a pipeline nor experts on several GPUs may be in it.
fn graphs(asked: &Asked) -> bool {
    let mesh = &asked.setup.mesh;
    asked.setup.kernels.graphs == Graphs::Step && mesh.pp == 1 && (!asked.has_experts() || expert_parallel(mesh) == 1)
}

fn training(asked: &Asked, text: &mut Lines) {
    let setup = &asked.setup;
    let pipelined = setup.mesh.pp > 1;
    text.add(&["        training=TrainingConfig("]);
    let local = if pipelined { asked.local_batch() } else { number(setup.batch.micro_batch_size) };
    text.add(&["            local_batch_size=", &local, ","]);
    text.add(&["            global_batch_size=", &asked.global_batch(), ","]);
    text.add(&["            seq_len=", &number(setup.batch.seq_len), ","]);
    text.add(&["            steps=", &asked.steps().to_string(), ","]);
    text.add_if(setup.recipe == Recipe::PureBf16, &["            dtype=\"bfloat16\","]);
    text.add_if(asked.is_fp32(), &["            mixed_precision_param=\"float32\","]);
    let offload = setup.offload.parameters || setup.offload.optimizer;
    text.add_if(offload, &["            enable_cpu_offload=True,"]);
    text.add_if(!graphs(asked), &["            disable_cuda_graphs=True,"]);
    text.add(&["        ),"]);
}

/// Degrees: those of a stage multiply to its GPUs.
fn parallelism(asked: &Asked, text: &mut Lines) {
    let (setup, mesh) = (&asked.setup, asked.setup.mesh);
    text.add(&["        parallelism=ParallelismConfig("]);
    let degrees = [
        ("data_parallel_replicate_degree", mesh.dp_replicate),
        ("data_parallel_shard_degree", mesh.dp_shard),
        ("context_parallel_degree", mesh.cp),
        ("tensor_parallel_degree", mesh.tp),
        ("pipeline_parallel_degree", mesh.pp),
        ("expert_parallel_degree", expert_parallel(&mesh)),
    ];
    for (name, degree) in degrees {
        text.add(&["            ", name, "=", &number(degree), ","]);
    }
    let always = matches!(setup.sharding, Sharding::Fsdp(Reshard::Always | Reshard::To(_)));
    text.add(&["            fsdp_reshard_after_forward=\"", either(always, ["always", "never"]), "\","]);
    text.add_if(mesh.tp > 1 && !setup.tensor.sequence_parallel, &["            enable_sequence_parallel=False,"]);
    if mesh.pp > 1 {
        let schedule = match setup.pipeline.schedule {
            Schedule::GPipe => "GPipe",
            Schedule::OneForwardOneBackward => "1F1B",
            Schedule::Interleaved => "Interleaved1F1B",
            Schedule::ZeroBubble => "InterleavedZeroBubble",
            Schedule::ZeroBubbleV => "ZBVZeroBubble",
        };
        text.add(&["            pipeline_parallel_schedule=\"", schedule, "\","]);
        text.add(&["            pipeline_parallel_microbatch_size=", &number(setup.batch.micro_batch_size), ","]);
        text.add(&["            module_fqns_per_model_part=parts([", &layers(asked), "]),"]);
    }
    text.add(&["        ),"]);
}

/// Layers of the stages.
fn layers(asked: &Asked) -> String {
    stages::layers(&asked.setup).into_iter().map(number).collect::<Vec<_>>().join(", ")
}

/// Expert parallelism, of the GPUs over which torchtitan takes it: those of a shard group and its tensor-parallel neighbours.
fn expert_parallel(mesh: &Mesh) -> u32 {
    common_divisor(mesh.ep, mesh.dp_shard.saturating_mul(mesh.cp).saturating_mul(mesh.tp))
}

fn recompute(asked: &Asked) -> String {
    match asked.setup.recompute {
        Recompute::None | Recompute::AttentionCore => "None".to_owned(),
        Recompute::Full => "FullAC.Config()".to_owned(),
        Recompute::Fraction(kept) if asked.setup.kernels.compile => {
            ["MemoryBudgetAC.Config(memory_budget=", &kept.to_string(), ")"].concat()
        }
        Recompute::Selective | Recompute::Fraction(_) => "SelectiveAC.Config()".to_owned(),
    }
}

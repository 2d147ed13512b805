//! Megatron-LM: the flags of its training script.

mod model;

use super::asked::{Asked, Lines, either, number};
use super::{notes, stages};
use crate::model::parallel::{ContextExchange, Schedule};
use crate::model::software::{AttentionKernel, Graphs, Loss, NormKernel};
use crate::model::training::{ComputeFormat, Optimizer, Recipe, Recompute, Sharding};
use crate::scenario::Strategy;

/// The file and its notes.
pub(super) fn write(mut asked: Asked) -> (String, Vec<&'static str>) {
    note(&mut asked);
    model::note(&mut asked);
    let mut text = Lines::default();
    text.add(&["#!/bin/bash"]);
    text.0.push_str(&asked.comments());
    let mesh = asked.setup.mesh;
    // Without it communication of tensor parallelism is queued behind compute; FSDP wants more than one queue.
    text.add_if(mesh.tp * mesh.cp > 1 && !is_sharded(&asked), &["export CUDA_DEVICE_MAX_CONNECTIONS=1"]);
    text.add_if(offloads_activations(&asked), &["export NVTE_CPU_OFFLOAD_V1=1"]);
    text.add(&["ARGS=("]);
    model::write(&asked, &mut text);
    let mut flags = Flags(&mut text);
    batch(&asked, &mut flags);
    parallelism(&asked, &mut flags);
    sharding(&asked, &mut flags);
    precision(&asked, &mut flags);
    recompute(&asked, &mut flags);
    kernels(&asked, &mut flags);
    text.add(&[")\n", &asked.torchrun(), " pretrain_gpt.py \"${ARGS[@]}\""]);
    (text.0, asked.notes)
}

/// The flags, a line each.
struct Flags<'a>(&'a mut Lines);

impl Flags<'_> {
    fn set(&mut self, flag: &str) {
        self.0.add(&["    --", flag]);
    }

    fn set_if(&mut self, holds: bool, flag: &str) {
        if holds {
            self.set(flag);
        }
    }

    fn put(&mut self, flag: &str, value: &str) {
        self.0.add(&["    --", flag, " ", value]);
    }

    fn count(&mut self, flag: &str, value: u32) {
        self.put(flag, &number(value));
    }
}

/// ZeRO-2 and FSDP are Megatron-FSDP's.
fn is_sharded(asked: &Asked) -> bool {
    matches!(asked.setup.sharding, Sharding::Zero2 | Sharding::Fsdp(_))
}

/// Whether whole layers are recomputed.
fn recomputes_whole(asked: &Asked) -> bool {
    asked.recomputed(asked.setup.architecture.num_hidden_layers) > 0
}

/// Fine-grained offloading takes what is not recomputed as a whole.
fn offloads_activations(asked: &Asked) -> bool {
    asked.setup.offload.activations && !recomputes_whole(asked)
}

fn note(asked: &mut Asked) {
    let (setup, mesh, kernels) = (asked.setup, asked.setup.mesh, asked.setup.kernels);
    let pipelined = mesh.pp > 1;
    asked.note(asked.cuts_unevenly(), notes::SEQUENCE_PARTS);
    asked.note(asked.is(Strategy::ShardGradOp), notes::MEGATRON_RESHARDS);
    asked.note(asked.is(Strategy::ReshardTo), notes::MEGATRON_NO_GROUP);
    let other = !matches!(setup.pipeline.schedule, Schedule::OneForwardOneBackward | Schedule::Interleaved);
    asked.note(pipelined && other, notes::MEGATRON_SCHEDULE);
    let interleaved = setup.pipeline.schedule == Schedule::Interleaved && setup.chunks() > 1;
    let round = setup.batch.grad_accum_steps.is_multiple_of(mesh.pp);
    asked.note(pipelined && interleaved && !round, notes::MEGATRON_ROUNDS);
    asked.note(mesh.tp > 1 && setup.tensor.asynchronous && !setup.tensor.sequence_parallel, notes::MEGATRON_OVERLAP_SP);
    let several = setup.batch.grad_accum_steps > 1;
    asked.note(several && asked.sync.reduce_each != is_sharded(asked), notes::MEGATRON_SYNC);
    asked.note(matches!(setup.recipe, Recipe::Fsdp2MixedBf16 | Recipe::Fsdp2MixedBf16Reduce16), notes::MEGATRON_MASTER);
    asked.note(setup.recipe == Recipe::PureBf16, notes::MEGATRON_PURE);
    asked.note(setup.optimizer == Optimizer::Adafactor, notes::MEGATRON_ADAFACTOR);
    let emerging = matches!(setup.optimizer, Optimizer::Lion | Optimizer::Muon);
    asked.note(emerging && is_sharded(asked), notes::MEGATRON_FSDP_OPTIMIZER);
    asked.note(setup.offload.parameters, notes::MEGATRON_OFFLOAD);
    asked.note(setup.offload.activations && !offloads_activations(asked), notes::MEGATRON_OFFLOAD_ACTIVATIONS);
    asked.note(setup.recompute == Recompute::Selective, notes::MEGATRON_SELECTIVE);
    asked.note(matches!(setup.recompute, Recompute::Fraction(_)), notes::FRACTION_LAYERS);
    asked.note(kernels.compile, notes::MEGATRON_COMPILE);
    asked.note(kernels.graphs == Graphs::Layers && recomputes_whole(asked), notes::MEGATRON_GRAPHS);
    asked.note(kernels.loss == Loss::Chunked, notes::LOSS_CHUNKED);
    asked.note(kernels.norms == NormKernel::Upcast, notes::ALWAYS_FUSED_NORMS);
    asked.note(setup.compute_format == ComputeFormat::Fp8Gather && !keeps_8bit(asked), notes::MEGATRON_FP8_GATHER);
    asked.note(asked.is(Strategy::Ddp) && setup.offload.optimizer, notes::MEGATRON_OFFLOAD_DDP);
}

/// Weights in 8 bits need an optimizer with copies of its own.
fn keeps_8bit(asked: &Asked) -> bool {
    asked.setup.sharding != Sharding::Ddp
}

fn batch(asked: &Asked, flags: &mut Flags) {
    let batch = &asked.setup.batch;
    flags.count("seq-length", batch.seq_len);
    flags.count("micro-batch-size", batch.micro_batch_size);
    flags.put("global-batch-size", &asked.global_batch());
    let sequences = asked.steps() * f64::from(asked.setup.mesh.replicas());
    let samples = sequences * f64::from(batch.micro_batch_size) * f64::from(batch.grad_accum_steps);
    flags.put("train-samples", &samples.to_string());
    flags.put("lr", "3e-4");
}

fn parallelism(asked: &Asked, flags: &mut Flags) {
    let (setup, mesh) = (&asked.setup, asked.setup.mesh);
    flags.count("tensor-model-parallel-size", mesh.tp);
    flags.set_if(mesh.tp > 1 && setup.tensor.sequence_parallel, "sequence-parallel");
    flags.set_if(mesh.tp > 1 && setup.tensor.sequence_parallel && setup.tensor.asynchronous, "tp-comm-overlap");
    flags.count("context-parallel-size", mesh.cp);
    if mesh.cp > 1 {
        flags.put("cp-comm-type", either(setup.context == ContextExchange::Ring, ["p2p", "allgather"]));
    }
    flags.count("pipeline-model-parallel-size", mesh.pp);
    if asked.has_experts() {
        flags.count("expert-model-parallel-size", mesh.ep);
        flags.count("expert-tensor-parallel-size", mesh.etp);
    }
    if mesh.pp == 1 {
        return;
    }
    let layers = if interleaves(asked) { stages::layers(setup) } else { stages::layers_of_gpus(setup) };
    if !stages::are_even(&layers) {
        // The embedding goes before the first layer, the loss after the last.
        let last = layers.len().saturating_sub(1);
        let of = |(place, layers): (usize, &u32)| {
            let (first, end) = (either(place == 0, ["E", ""]), either(place == last, ["L", ""]));
            let held = if *layers > 0 { ["t*", &number(*layers)].concat() } else { String::new() };
            [first, &held, end].concat()
        };
        let layout: Vec<String> = layers.iter().enumerate().map(of).collect();
        flags.put("pipeline-model-parallel-layout", &["\"", &layout.join("|"), "\""].concat());
    } else if interleaves(asked) {
        flags.count("num-virtual-stages-per-pipeline-rank", setup.chunks());
    }
}

/// Whether GPUs hold several chunks: Megatron has no V.
fn interleaves(asked: &Asked) -> bool {
    asked.setup.pipeline.schedule == Schedule::Interleaved && asked.setup.chunks() > 1
}

fn sharding(asked: &Asked, flags: &mut Flags) {
    let (setup, mesh) = (&asked.setup, asked.setup.mesh);
    let groups = mesh.dp_replicate > 1 && setup.sharding != Sharding::Ddp;
    if is_sharded(asked) {
        flags.set("use-megatron-fsdp");
        let all = matches!(setup.sharding, Sharding::Fsdp(_));
        flags.put("data-parallel-sharding-strategy", either(all, ["optim_grads_params", "optim_grads"]));
        flags.set("no-gradient-accumulation-fusion");
    }
    flags.set_if(setup.sharding != Sharding::Ddp, "use-distributed-optimizer");
    if groups {
        flags.count("num-distributed-optimizer-instances", mesh.dp_replicate);
    }
    flags.set_if(asked.sync.overlap, "overlap-grad-reduce");
    flags.set_if(asked.sync.overlap && setup.sharding != Sharding::Ddp, "overlap-param-gather");
    let deferred = asked.scenario.run.deferred_init && is_sharded(asked);
    flags.set_if(deferred, "init-model-with-meta-device");
    let sharded = either(asked.scenario.run.sharded_checkpoint, ["torch_dist", "torch"]);
    flags.put("ckpt-format", if is_sharded(asked) { "fsdp_dtensor" } else { sharded });
}

fn precision(asked: &Asked, flags: &mut Flags) {
    let setup = &asked.setup;
    if !asked.is_fp32() {
        flags.set(either(asked.is_volta(), ["fp16", "bf16"]));
        let in_16 = matches!(setup.recipe, Recipe::Fsdp2MixedBf16Reduce16 | Recipe::ZeroMixed | Recipe::PureBf16);
        flags.set_if(in_16 && !asked.is_volta(), "grad-reduce-in-bf16");
        flags.set_if(!in_16, "accumulate-allreduce-grads-in-fp32");
    }
    let (name, aware) = match setup.optimizer {
        Optimizer::AdamW | Optimizer::Adafactor => ("adam", ""),
        Optimizer::AdamW16bit => ("adam", "bf16"),
        Optimizer::AdamW8bit => ("adam", "fp8"),
        Optimizer::Sgd | Optimizer::SgdMomentum => ("sgd", ""),
        Optimizer::Lion => (either(is_sharded(asked), ["adam", "lion"]), ""),
        Optimizer::Muon => (either(is_sharded(asked), ["adam", "muon"]), ""),
    };
    flags.put("optimizer", name);
    if name == "sgd" {
        flags.put("sgd-momentum", either(setup.optimizer == Optimizer::Sgd, ["0.0", "0.9"]));
    }
    let offload = setup.offload.optimizer;
    flags.set_if(offload, "optimizer-cpu-offload");
    flags.set_if(offload || !aware.is_empty(), "use-precision-aware-optimizer");
    if !aware.is_empty() {
        flags.put("exp-avg-dtype", aware);
        flags.put("exp-avg-sq-dtype", aware);
    }
    match setup.compute_format {
        ComputeFormat::Recipe => {}
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => {
            flags.put("fp8-format", "hybrid");
            // Delayed scaling is what an optimizer on the host can follow.
            flags.put("fp8-recipe", either(offload, ["delayed", "tensorwise"]));
            let gathered = setup.compute_format == ComputeFormat::Fp8Gather && keeps_8bit(asked);
            flags.set_if(gathered, "fp8-param-gather");
        }
        ComputeFormat::Fp4 => flags.put("fp4-format", "e2m1"),
    }
}

fn recompute(asked: &Asked, flags: &mut Flags) {
    let setup = &asked.setup;
    let held = setup.architecture.num_hidden_layers
        / setup.mesh.pp.max(1)
        / if interleaves(asked) { setup.chunks() } else { 1 };
    match setup.recompute {
        Recompute::None => {}
        Recompute::AttentionCore => {
            flags.put("recompute-granularity", "selective");
            flags.put("recompute-modules", "core_attn");
        }
        Recompute::Selective => {
            flags.put("recompute-granularity", "selective");
            let act = asked.has_experts() && setup.experts.grouped;
            flags.put("recompute-modules", either(act, ["layernorm moe_act", "layernorm mlp"]));
        }
        Recompute::Full => {
            flags.put("recompute-granularity", "full");
            flags.put("recompute-method", "uniform");
            flags.put("recompute-num-layers", "1");
        }
        Recompute::Fraction(_) => {
            let layers = asked.recomputed(held);
            if layers > 0 {
                flags.put("recompute-granularity", "full");
                flags.put("recompute-method", "block");
                flags.count("recompute-num-layers", layers);
            }
        }
    }
    if offloads_activations(asked) {
        flags.set("fine-grained-activation-offloading");
        flags.put("offload-modules", "attn_norm qkv_linear core_attn attn_proj mlp_norm");
    }
}

fn kernels(asked: &Asked, flags: &mut Flags) {
    let kernels = &asked.setup.kernels;
    let attention = match kernels.attention {
        AttentionKernel::Unfused => "unfused",
        AttentionKernel::Flash => "flash",
        AttentionKernel::FlashTuned => "fused",
    };
    flags.put("attention-backend", attention);
    flags.set_if(kernels.loss == Loss::Fused, "cross-entropy-loss-fusion");
    let dropout = either(kernels.dropout, ["0.1", "0.0"]);
    flags.put("attention-dropout", dropout);
    flags.put("hidden-dropout", dropout);
    match kernels.graphs {
        Graphs::Layers if recomputes_whole(asked) => {}
        Graphs::None => {}
        Graphs::Layers => {
            flags.put("cuda-graph-impl", "transformer_engine");
            let routed = asked.setup.architecture.has_experts();
            flags.put("cuda-graph-modules", either(routed, ["attn moe_router", "attn mlp"]));
        }
        Graphs::Step => {
            flags.put("cuda-graph-impl", "full_iteration");
            flags.set("no-check-for-nan-in-loss-and-grad");
        }
    }
    flags.put("tokenizer-type", "NullTokenizer");
    flags.set("mock-data");
}

//! Tests the reader on rows in the form that sources publish.

use analysis::published::MemoryKind;
use engine::model::software::{AttentionKernel, Framework};
use engine::model::training::{ComputeFormat, PrecisionPolicy, Recompute};
use engine::scenario::{Scenario, Strategy};
use score::LeftOut;
use score::predict;
use score::prediction::Prediction;
use score::row::Row;

/// Returns the row of a plain run with these columns set; an empty text blanks a column.
fn row(changes: &[(&str, &str)]) -> Row {
    const PLAIN: [(&str, &str); 14] = [
        ("row_id", "T-1"),
        ("gpu", "H100-80GB"),
        ("gpus_per_node", "8"),
        ("num_gpus", "64"),
        ("framework", "torchtitan (PyTorch FSDP2)"),
        ("sharding", "FULL_SHARD"),
        ("dp", "64"),
        ("tp", "1"),
        ("pp", "1"),
        ("model", "Llama 3.1 8B"),
        ("seq_len", "8192"),
        ("micro_batch_seqs", "1"),
        ("grad_accum", "1"),
        ("act_ckpt", "full"),
    ];
    let all: Vec<(&str, &str)> = changes.iter().chain(&PLAIN).copied().collect();
    Row::read(|name| all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
}

fn predict(changes: &[(&str, &str)]) -> Result<Prediction, LeftOut> {
    predict::predict(&row(changes))
}

fn scenario(changes: &[(&str, &str)]) -> Scenario {
    predict(changes).unwrap().scenario
}

fn reason(changes: &[(&str, &str)]) -> String {
    predict(changes).unwrap_err().to_string()
}

#[test]
fn degrees_that_follow_are_derived() {
    let derived = scenario(&[("dp", ""), ("tp", "8")]);
    assert_eq!((derived.tp, derived.pp, derived.degrees().dp), (8, 1, 8));
    let alone = predict(&[("dp", ""), ("tp", ""), ("pp", "")]).unwrap();
    assert_eq!(alone.scenario.degrees().dp, 64);
    assert!(alone.notes.iter().any(|note| note.contains("data parallelism alone")));
    // Replicas are counted separately from shards.
    let mesh = scenario(&[("dp", "8"), ("dp_shard", "8"), ("dp_replicate", "8"), ("sharding", "HYBRID_SHARD")]);
    assert_eq!((mesh.strategy, mesh.shard_size, mesh.degrees().dp), (Strategy::HybridShard, 8, 64));
    assert_eq!(reason(&[("tp", "4")]), "dp tp pp cp do not multiply to the GPUs: 64 x 4 x 1 x ? on 64");
    assert_eq!(reason(&[("num_gpus", ""), ("dp", "")]), "num_gpus is missing");
}

#[test]
fn the_missing_part_of_a_batch_follows_from_the_others() {
    let accum = scenario(&[("grad_accum", ""), ("global_batch_seqs", "256")]);
    assert_eq!((accum.micro_batch_size, accum.grad_accum_steps), (1, 4));
    let micro = scenario(&[("micro_batch_seqs", ""), ("grad_accum", "2"), ("global_batch_tokens", "2097152")]);
    assert_eq!((micro.micro_batch_size, micro.grad_accum_steps), (2, 2));
    assert_eq!(
        reason(&[("micro_batch_seqs", ""), ("grad_accum", ""), ("global_batch_seqs", "256")]),
        "micro_batch_seqs is missing"
    );
    // The last of 7 micro-batches has fewer sequences, so the step is shorter than 7 full ones.
    let changes = [("micro_batch_seqs", "20"), ("grad_accum", "7"), ("global_batch_seqs", "8192"), ("seq_len", "2048")];
    let uneven = predict(&changes).unwrap();
    let full = uneven.report.time.step.get();
    assert!((uneven.step_time_s / full - 8192.0 / (64.0 * 140.0)).abs() < 1e-12);
}

#[test]
fn a_step_time_comes_from_the_first_column_that_has_one() {
    let of = |changes: &[(&str, &str)]| predict(changes).unwrap().measured.step_time_s.unwrap();
    let batch = ("global_batch_seqs", "64");
    assert_eq!(of(&[batch, ("step_time_s", "1.5"), ("tokens_per_s_per_gpu", "1")]), 1.5);
    assert_eq!(of(&[batch, ("tokens_per_s_per_gpu", "~4096")]), 2.0);
    let by_tflops = of(&[batch, ("tflops_per_gpu", "400"), ("tflops_kind", "model TFLOP/s")]);
    let by_mfu = of(&[batch, ("mfu_pct", "40.43")]);
    assert!((by_tflops / by_mfu - 1.0).abs() < 1e-3, "400 of 989.4 TFLOP/s are 40.43 %");
}

#[test]
fn memory_is_compared_in_kind() {
    let of = |kind: &str| {
        let prediction = predict(&[("peak_mem_gib", "50"), ("mem_kind", kind)]).unwrap();
        (prediction.measured.kind, prediction.peak_mem_gib)
    };
    let (allocated, least) = of("torch max_memory_allocated");
    let (reserved, more) = of("torch max_memory_reserved peak");
    let (process, most) = of("nvidia-smi memory.used (MiB in source)");
    assert_eq!((allocated, reserved, process), (MemoryKind::Allocated, MemoryKind::Reserved, MemoryKind::Process));
    assert!(least < more && more < most);
    // A PyTorch counter keeps its meaning, even with the word “device”.
    assert_eq!(of("max_memory_allocated of each device").0, MemoryKind::Allocated);
    assert_eq!(of("max memory used by the first node").0, MemoryKind::Process);
    // torchtitan prints reserved memory in GiB with the share of the GPU's memory.
    let torchtitan = predict(&[("peak_mem_gib", "50"), ("mem_kind", "GiB (%)")]).unwrap();
    assert_eq!(torchtitan.measured.kind, MemoryKind::Reserved);
    assert_eq!(torchtitan.peak_mem_gib, torchtitan.reserved_gib);
    assert!(torchtitan.allocated_gib < torchtitan.reserved_gib);
}

#[test]
fn software_follows_the_stack() {
    let foundry = [("framework", "PyTorch FSDP1 via MosaicML Composer (llm-foundry)"), ("precision", "amp_bf16")];
    assert_eq!(scenario(&foundry).recipe, PrecisionPolicy::Fsdp2MixedBf16Reduce16);
    let float8 = scenario(&[("precision", "float8 (linears) + fp8 all-gather")]);
    assert_eq!(float8.compute_format, ComputeFormat::Fp8Gather);
    let megatron = [("framework", "Megatron-Core r0.8.0"), ("sharding", "distributed optimizer"), ("act_ckpt", "")];
    let megatron = predict(&megatron).unwrap();
    assert_eq!((megatron.scenario.framework, megatron.scenario.strategy), (Framework::Megatron, Strategy::Zero1));
    assert!(megatron.notes.iter().any(|note| note.contains("checkpointing")));
    assert_eq!(scenario(&[("act_ckpt", "selective (op)")]).recompute, Recompute::Selective);
    assert!(reason(&[("act_ckpt", "every third Tuesday")]).starts_with("a kind of recomputation"));
}

#[test]
fn hardware_is_completed_with_a_note() {
    let blank = predict(&[]).unwrap();
    assert!(blank.notes.iter().any(|note| note.contains("assumed")), "{:?}", blank.notes);
    let said = predict(&[("inter_node_bw", "8x200 Gb/s HDR IB per node")]).unwrap();
    assert_eq!(said.scenario.network.values.inter_node.gbit_per_s(), 200.0);
    assert!(said.notes.iter().all(|note| !note.contains("network")), "{:?}", said.notes);
    let rack = scenario(&[("gpu", "GB200"), ("gpus_per_node", "4")]);
    assert_eq!(rack.network.values.gpus_per_node, 72, "an NVLink domain holds the run, though its trays hold four");
    assert_eq!(reason(&[("gpu", "Abacus 3000")]), "the GPU is not in the catalog: Abacus 3000");
}

#[test]
fn what_is_not_modelled_is_left_out() {
    for (changes, reason_starts) in [
        ([("trainable", "adapter")], "adapters other than LoRA"),
        ([("trainable", "full (PPO, 4 models)")], "several models at once"),
        ([("model", "T5-11B")], "not a decoder-only transformer"),
        ([("model", "Llama 9 8B")], "the model is not in the catalog"),
        ([("model", "")], "model is missing"),
        ([("seq_len", "0")], "seq_len is missing"),
    ] {
        assert!(reason(&changes).starts_with(reason_starts), "{changes:?}: {}", reason(&changes));
    }
}

#[test]
fn a_pipeline_longer_than_the_model_does_not_run() {
    let changes = [("dp", "1"), ("pp", "64"), ("grad_accum", "64"), ("sharding", "ZeRO-0")];
    assert!(!predict(&changes).unwrap().fits, "32 layers cannot fill 64 stages");
}

/// FlashAttention-2 and SDPA use instructions of Ampere, so they are tuned on Ampere but not on
/// Hopper.
#[test]
fn kernels_are_tuned_to_the_generation_that_runs_them() {
    let kernel = |gpu, framework| scenario(&[("gpu", gpu), ("framework", framework)]).kernels.attention;
    assert_eq!(kernel("A100-80GB", "torchtitan (PyTorch FSDP2)"), AttentionKernel::FlashTuned);
    assert_eq!(kernel("H100-80GB", "torchtitan (PyTorch FSDP2)"), AttentionKernel::Flash);
    assert_eq!(kernel("H100-80GB", "Megatron-Core r0.8.0"), AttentionKernel::FlashTuned);
    let said = scenario(&[("gpu", "H100-80GB"), ("attention", "cuDNN flash (TE)")]);
    assert_eq!(said.kernels.attention, AttentionKernel::FlashTuned);
}

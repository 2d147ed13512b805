//! What a dense row says of its kernels, formats, schedule and network, in the words of its source.

use engine::model::hardware::Topology;
use engine::model::lengths::Batching;
use engine::model::parallel::Schedule;
use engine::model::software::{AttentionKernel, Framework, Loss};
use engine::model::trained::Targets;
use engine::model::training::{OptimizerKernel, PrecisionPolicy, Recompute};
use score::LeftOut;
use score::predict;
use score::row::Row;

use crate::silent::{predicted, read, says};

/// A dense run over PyTorch's FSDP on two machines, with these columns set.
fn dense(changes: &[(&str, &str)]) -> Row {
    const PLAIN: [(&str, &str); 14] = [
        ("framework", "PyTorch FSDP"),
        ("gpu", "H100-80GB"),
        ("gpus_per_node", "8"),
        ("num_gpus", "16"),
        ("sharding", "FULL_SHARD"),
        ("dp", "16"),
        ("tp", "1"),
        ("pp", "1"),
        ("model", "Llama 3.1 8B"),
        ("seq_len", "8192"),
        ("micro_batch_seqs", "1"),
        ("grad_accum", "1"),
        ("precision", "bf16"),
        ("act_ckpt", "full"),
    ];
    read(&PLAIN, changes)
}

#[test]
fn an_interleaved_schedule_without_chunks_has_two_or_is_left_out() {
    let stages = [("framework", "torchtitan (PyTorch FSDP2)"), ("pp", "2"), ("dp", "8"), ("grad_accum", "4")];
    let all: Vec<(&str, &str)> = stages.iter().copied().chain([("notes", "Interleaved 1F1B")]).collect();
    let prediction = predicted(&dense(&all));
    let pipeline = prediction.scenario.pipeline;
    assert_eq!((pipeline.schedule, pipeline.virtual_stages), (Schedule::Interleaved, 2));
    assert!(says(&prediction, "2 chunks a stage assumed"));
    let megatron: Vec<(&str, &str)> = [("framework", "Megatron-Core")]
        .into_iter()
        .chain(all.iter().copied().filter(|(name, _)| *name != "framework"))
        .collect();
    assert_eq!(predict::predict(&dense(&megatron)).unwrap_err(), LeftOut::missing("vpp"));
}

#[test]
fn formats_kernels_and_recomputation_are_read_in_their_sources_words() {
    let scenario = |changes: &[(&str, &str)]| predicted(&dense(changes)).scenario;
    assert_eq!(scenario(&[]).recipe, PrecisionPolicy::Fsdp2MixedBf16);
    for sixteen in [("precision_detail", "bfSixteen"), ("framework", "fms-fsdp (PyTorch FSDP)")] {
        assert_eq!(scenario(&[sixteen]).recipe, PrecisionPolicy::Fsdp2MixedBf16Reduce16, "{sixteen:?}");
    }
    assert_eq!(scenario(&[("attention", "flash 3")]).kernels.attention, AttentionKernel::FlashTuned);
    assert_eq!(scenario(&[("attention", "flash_attention_2")]).kernels.attention, AttentionKernel::Flash);
    assert_eq!(scenario(&[("compile", "thunder_cat_cudnn")]).kernels.attention, AttentionKernel::FlashTuned);
    assert_eq!(scenario(&[("optimizer", "AdamW (torch)")]).optimizer_kernel, OptimizerKernel::ForEach);
    let offloaded = scenario(&[("act_ckpt", "full, checkpoints offloaded to host")]);
    assert!(offloaded.recompute == Recompute::Full && offloaded.offload.activations);
    let nanogpt = [("framework", "PyTorch DDP (modded-nanogpt)"), ("compile", "yes"), ("sharding", "DDP")];
    assert_eq!(scenario(&nanogpt).kernels.loss, Loss::Fused);
}

#[test]
fn the_launcher_of_2022_is_megatron_of_then() {
    let launcher = |gpu: &str| {
        let changes =
            [("source_key", "NeMo Megatron Launcher README"), ("framework", "Megatron-LM via NeMo"), ("gpu", gpu)];
        let scenario = predicted(&dense(&changes)).scenario;
        (scenario.framework, scenario.kernels.attention)
    };
    assert_eq!(launcher("A100-80GB"), (Framework::MegatronLegacy, AttentionKernel::Unfused));
    assert_eq!(launcher("H100-80GB").0, Framework::Megatron);
}

#[test]
fn nemo_tunes_on_packed_sequences_with_adapters_at_query_key_and_value() {
    let changes = [
        ("source_key", "NVIDIA DGX Cloud benchmarking recipes 25.04.01"),
        ("framework", "Megatron-Core via NeMo 2"),
        ("sharding", "distributed optimizer"),
        ("trainable", "lora"),
    ];
    let scenario = predicted(&dense(&changes)).scenario;
    assert_eq!((scenario.trained.targets, scenario.texts.batching), (Targets::QueryKeyValue, Batching::Packed));
}

#[test]
fn a_network_that_is_not_known_widens_the_range() {
    let known = predicted(&dense(&[("inter_node_bw", "8x400 Gb/s InfiniBand a node")]));
    let short = |bandwidth: &str| predicted(&dense(&[("inter_node_bw", bandwidth), ("seq_len", "1024")]));
    let (silent, bare) = (short(""), short("200 Gb/s InfiniBand"));
    assert!(!says(&known, "the network is not known"));
    for unsure in [&silent, &bare] {
        assert!(says(unsure, "the network is not known"));
        assert!(unsure.step_band.high > short("8x400 Gb/s InfiniBand a node").step_band.high);
    }
}

#[test]
fn a_warning_of_a_rate_does_not_spoil_the_time() {
    let step = ("step_time_s", "2");
    let rated = predicted(&dense(&[step, ("mfu_pct", "90"), ("notes", "CAUTION MFU accounting differs")]));
    assert_eq!(rated.measured.step_time_s, Some(2.0));
    assert!(rated.measured.mfu.unwrap() < 0.9);
    assert!(predict::predict(&dense(&[step, ("notes", "CAUTION slower than others")])).is_err());
}

#[test]
fn proxies_are_their_models_with_fewer_layers() {
    let shape = |changes: &[(&str, &str)]| predicted(&dense(changes)).scenario.model.architecture();
    let cut =
        shape(&[("model", "Llama 3.1 8B (proxy, 8 layers)"), ("layers", "8"), ("hidden", "4096"), ("heads", "32")]);
    let whole = shape(&[]);
    assert_eq!((cut.num_hidden_layers, cut.vocab_size), (8, whole.vocab_size));
}

#[test]
fn flat_networks_are_of_deepspeed_on_many_machines_before_hopper() {
    let topology = |changes: &[(&str, &str)]| {
        let all = [&[("sharding", "ZeRO-3"), ("micro_batch_seqs", "4")], changes].concat();
        predicted(&dense(&all)).scenario.topology
    };
    let deepspeed = ("framework", "DeepSpeed");
    assert_eq!(topology(&[deepspeed, ("gpu", "A100-80GB")]), Topology::Flat);
    assert_eq!(topology(&[deepspeed]), Topology::Aware);
    assert_eq!(topology(&[deepspeed, ("gpu", "A100-80GB"), ("num_gpus", "8"), ("dp", "8")]), Topology::Aware);
    assert_eq!(topology(&[("framework", "a loop of our own"), ("gpu", "A100-80GB")]), Topology::Aware);
}

//! Tests how words of a source set kernels, formats, schedule and network of a row.

use engine::model::parallel::Schedule;
use engine::model::software::{AttentionKernel, Loss};
use engine::model::training::{OptimizerKernel, PrecisionPolicy, Recompute};
use score::LeftOut;
use score::predict;
use score::prediction::Prediction;
use score::row::Row;

/// Returns a mixture of Megatron-Bridge's tables on GB200, with these columns set.
fn mixture(changes: &[(&str, &str)]) -> Row {
    const PLAIN: [(&str, &str); 19] = [
        ("source_key", "NVIDIA Megatron-Bridge performance summary"),
        ("framework", "Megatron-Core via NeMo/Megatron-Bridge"),
        ("gpu", "GB200"),
        ("gpus_per_node", "4"),
        ("num_gpus", "64"),
        ("sharding", "distributed optimizer"),
        ("dp", "64"),
        ("tp", "1"),
        ("pp", "1"),
        ("cp", "1"),
        ("ep", "64"),
        ("model", "Qwen3 30B-A3B"),
        ("seq_len", "4096"),
        ("micro_batch_seqs", "4"),
        ("grad_accum", "2"),
        ("global_batch_seqs", "512"),
        ("precision", "MXFP8"),
        ("step_time_s", "4"),
        ("row_id", "S-1"),
    ];
    read(&PLAIN, changes)
}

fn read(plain: &[(&str, &str)], changes: &[(&str, &str)]) -> Row {
    let all: Vec<(&str, &str)> = changes.iter().chain(plain).copied().collect();
    Row::read(|name| all.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
}

fn predicted(row: &Row) -> Prediction {
    predict::predict(row).unwrap()
}

fn says(prediction: &Prediction, words: &str) -> bool {
    prediction.notes.iter().any(|note| note.contains(words))
}

#[test]
fn a_degree_of_experts_outside_data_parallelism_is_read_where_it_multiplies() {
    let prediction = predicted(&mixture(&[("dp", "8"), ("ep", "8"), ("grad_accum", "2"), ("release", "26.06")]));
    assert_eq!((prediction.scenario.degrees().dp, prediction.scenario.ep), (64, 8));
    assert!(says(&prediction, "data-parallel GPUs for all else"));
    let error = predict::predict(&mixture(&[("dp", "16"), ("ep", "8")])).unwrap_err();
    assert!(error.reason.contains("do not multiply"), "{error}");
}

/// Returns a dense run with PyTorch's FSDP on two machines, with these columns set.
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
    let all: Vec<(&str, &str)> = stages.iter().copied().chain([("sharding", "FULL_SHARD, interleaved 1F1B")]).collect();
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
    for sixteen in [("precision", "bf16, bfSixteen"), ("precision", "bf16 reduce")] {
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
fn proxies_are_their_models_with_fewer_layers() {
    let shape = |changes: &[(&str, &str)]| predicted(&dense(changes)).scenario.model.architecture();
    let cut =
        shape(&[("model", "Llama 3.1 8B (proxy, 8 layers)"), ("layers", "8"), ("hidden", "4096"), ("heads", "32")]);
    let whole = shape(&[]);
    assert_eq!((cut.num_hidden_layers, cut.vocab_size), (8, whole.vocab_size));
}

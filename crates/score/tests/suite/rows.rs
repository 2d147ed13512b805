//! The reader of rows, on rows as sources publish them.

use engine::model::software::{AttentionKernel, Framework, Loss, Offload, RootUnit};
use engine::model::trained::{BaseFormat, Method, ProductsKeep, Targets, Trained};
use engine::model::training::{ComputeFormat, PrecisionPolicy, Recompute, RecomputeModules};
use engine::published::MemoryKind;
use engine::scenario::{Scenario, Strategy};
use score::LeftOut;
use score::predict::{self, Prediction};
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
    // A counter of PyTorch is what it is, whosever device it counts.
    assert_eq!(of("max_memory_allocated of each device").0, MemoryKind::Allocated);
    assert_eq!(of("max memory used by the first node").0, MemoryKind::Process);
    // torchtitan prints GiB and the share of the GPU's memory, of the reserved bytes.
    let torchtitan = predict(&[("peak_mem_gib", "50"), ("mem_kind", "GiB (%)")]).unwrap();
    assert_eq!(torchtitan.measured.kind, MemoryKind::Reserved);
    assert_eq!(torchtitan.peak_mem_gib, torchtitan.reserved_gib);
    assert!(torchtitan.allocated_gib < torchtitan.reserved_gib);
}

#[test]
fn software_follows_the_stack() {
    let foundry = [("framework", "PyTorch FSDP1 via MosaicML Composer (llm-foundry)"), ("precision", "amp_bf16")];
    let pure = [foundry[0], foundry[1], ("precision_detail", "FSDP mixed_precision=PURE")];
    let default = [foundry[0], foundry[1], ("precision_detail", "FSDP mixed_precision=DEFAULT")];
    assert_eq!(scenario(&pure).recipe, PrecisionPolicy::Fsdp2MixedBf16Reduce16);
    assert_eq!(scenario(&default).recipe, PrecisionPolicy::Fsdp2MixedBf16);
    let float8 = scenario(&[("precision", "float8 (linears) + fp8 all-gather")]);
    assert_eq!(float8.compute_format, ComputeFormat::Fp8Gather);
    let megatron = [("framework", "Megatron-Core r0.8.0"), ("sharding", "distributed optimizer"), ("act_ckpt", "")];
    let megatron = predict(&megatron).unwrap();
    assert_eq!((megatron.scenario.framework, megatron.scenario.strategy), (Framework::Megatron, Strategy::Zero1));
    assert!(megatron.notes.iter().any(|note| note.contains("recomputation")));
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
        ([("notes", "CAUTION: degrees do not multiply")], "the source contradicts itself"),
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

/// Returns a line of Megatron-Bridge's tables.
fn bridge<'a>(release: &'a str, model: &'a str, gpu: &'a str, precision: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("source_key", "NVIDIA Megatron-Bridge performance summary"),
        ("framework", "Megatron-Core via NeMo/Megatron-Bridge"),
        ("sharding", "DDP+distributed optimizer (FSDP=0)"),
        ("notes", release),
        ("model", model),
        ("gpu", gpu),
        ("precision", precision),
        ("act_ckpt", ""),
        ("seq_len", "4096"),
        ("ep", "8"),
        ("grad_accum", ""),
        ("global_batch_seqs", "2048"),
    ]
}

/// scripts/performance/configs/*/*workload_base_configs.py of Megatron-Bridge: v0.2.0 to v0.5.0.
#[test]
fn recomputation_is_completed_from_the_recipe_of_the_release() {
    let none = RecomputeModules::NONE;
    let core = (Recompute::AttentionCore, RecomputeModules::USUAL);
    let by = |modules| (Recompute::Modules, modules);
    let up = RecomputeModules { mla_up_proj: true, ..none };
    for (release, model, gpu, precision, expected) in [
        ("25.11", "GPT OSS 120B", "GB200", "BF16", by(RecomputeModules { layernorm: true, moe_act: true, ..none })),
        ("26.02", "GPT OSS 120B", "GB300", "BF16", core),
        ("25.09", "DeepSeekV3 (dropless)", "H100-80GB", "FP8", by(RecomputeModules { mlp: true, ..up })),
        ("25.11", "DeepSeekV3", "GB300", "BF16", by(RecomputeModules { moe_act: true, ..none })),
        ("26.02.01", "DeepSeekV3", "GB300", "MXFP8", by(up)),
        ("26.04", "DeepSeekV3", "GB200", "MXFP8", by(RecomputeModules { mlp: true, ..none })),
        ("26.06", "DeepSeekV3", "GB300", "MXFP8", core),
        ("26.06", "DeepSeekV3", "B300", "MXFP8", by(up)),
        ("26.04", "Kimi_K2", "GB300", "MXFP8", by(up)),
        ("26.02", "Qwen3_235B_a22B", "GB200", "BF16", core),
    ] {
        let container = format!("container {release} NeMo Container");
        let found = predict(&bridge(&container, model, gpu, precision)).unwrap();
        let again = (found.scenario.recompute, found.scenario.recompute_modules);
        assert_eq!(again, expected, "{release} {model} {gpu} {precision}");
        assert!(found.notes.iter().any(|note| note.contains("published recipe")), "{:?}", found.notes);
    }
    // Five of the 32 layers as a whole; the row's own word counts first.
    let line = bridge("container 26.02 NeMo Container", "LLAMA3_8B", "H100-80GB", "FP8");
    let layers = scenario(&line);
    assert_eq!((layers.recompute, layers.keep_fraction), (Recompute::Fraction, 27.0 / 32.0));
    let said: Vec<_> = [("act_ckpt", "selective: mla_up_proj+mlp")].into_iter().chain(line).collect();
    assert_eq!(scenario(&said).recompute_modules, RecomputeModules { mlp: true, ..up });
}

/// docs/performance-summary.md of Megatron-Bridge, 25.11: MBS 4 and GA 2 beside 512 sequences on 16 replicas.
#[test]
fn a_line_that_contradicts_itself_is_read_as_its_recipe() {
    let line = bridge("container 25.11 NeMo Container", "GPT OSS 120B", "H100-80GB", "BF16");
    let printed =
        [("dp", "16"), ("pp", "4"), ("micro_batch_seqs", "4"), ("grad_accum", "8"), ("global_batch_seqs", "512")];
    let changes: Vec<_> = printed.into_iter().chain(line.iter().copied()).collect();
    let found = predict(&changes).unwrap();
    assert_eq!((found.scenario.micro_batch_size, found.scenario.grad_accum_steps), (1, 32));
    assert!(found.notes.iter().any(|note| note.contains("contradicts itself")), "{:?}", found.notes);
    // The next release prints one sequence.
    let next: Vec<_> = [("notes", "container 26.02 NeMo Container")].into_iter().chain(changes).collect();
    assert_eq!(scenario(&next).micro_batch_size, 4);
}

/// conf/peft/llama/sft.yaml and examples/peft/llama/h100/70b_2node.sh of NeMo's launcher 24.07; the benchmark files of AutoModel.
#[test]
fn states_and_chunks_are_completed_from_the_recipe() {
    let of = |source: &'static str, framework: &'static str, model: &'static str, notes: &'static str| {
        [("source_key", source), ("framework", framework), ("model", model), ("notes", notes), ("act_ckpt", "")]
    };
    let layout = [("dp", "1"), ("tp", "4"), ("pp", "4"), ("num_gpus", "16"), ("sharding", "DDP/dist-opt")];
    let nemo = |model, notes| {
        let line = of("NVIDIA NeMo performance summary", "NeMo / Megatron-Core", model, notes);
        let tuned: Vec<_> = line.into_iter().chain(layout).chain([("grad_accum", "32")]).collect();
        let found = scenario(&tuned);
        (found.recipe, found.setup().chunks())
    };
    assert_eq!(nemo("LLAMA2-70B", "SFT (packed sequences)"), (PrecisionPolicy::PureBf16, 20));
    assert_eq!(nemo("LLAMA2-70B", "FP8 pre-training"), (PrecisionPolicy::ZeroMixed, 1));
    assert_eq!(nemo("Nemotron-340B", "FP8 pre-training; container 24.12 page").0, PrecisionPolicy::ZeroMixed);
    let line = of("NVIDIA NeMo AutoModel performance summary", "NeMo AutoModel (PyTorch FSDP2)", "Llama3 70B", "");
    let found = scenario(&line);
    assert_eq!((found.recompute, found.recipe), (Recompute::Full, PrecisionPolicy::PureBf16Reduce32));
    assert!(found.kernels.compile);
}

/// Returns the columns of a fine-tuning run on one GPU, with these set.
fn tuned<'a>(changes: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    let plain = [
        ("gpu", "A100-80GB"),
        ("gpus_per_node", ""),
        ("num_gpus", "1"),
        ("num_nodes", "1"),
        ("sharding", "none"),
        ("dp", "1"),
        ("model", "Llama 2 7B"),
        ("seq_len", "512"),
        ("trainable", "lora"),
        ("act_ckpt", ""),
    ];
    changes.iter().copied().chain(plain).collect()
}

/// config_hub/finetune/llama-2-7b/qlora.yaml of `LitGPT`: rank 32 beside query and value, dropout 0.05, bnb.nf4. Qwen's finetune.py has
/// rank 64, and its finetune_qlora_single_gpu.sh runs on DeepSpeed's ZeRO-2.
#[test]
fn adapters_are_completed_from_the_code_of_the_source() {
    let hub = scenario(&tuned(&[
        ("source_key", "LitGPT config hub"),
        ("framework", "LitGPT (Lightning Fabric)"),
        ("trainable", "qlora"),
        ("quantized_base", "bnb.nf4"),
    ]));
    let Trained { method, rank, targets, dropout, base, .. } = hub.trained;
    assert_eq!((method, rank, targets), (Method::Lora, 32, Targets::QueryValue));
    assert!(dropout && base == BaseFormat::Nf4);
    assert_eq!((hub.framework, hub.recompute), (Framework::Torchtitan, Recompute::None));
    assert_eq!((hub.recipe, hub.kernels.loss), (PrecisionPolicy::PureBf16, Loss::Fused));
    let qwen = |trainable, base, precision| {
        scenario(&tuned(&[
            ("source_key", "Qwen README profiling"),
            ("framework", "HF Trainer + PEFT + DeepSpeed"),
            ("trainable", trainable),
            ("quantized_base", base),
            ("lora_targets", "c_attn,c_proj,w1,w2"),
            ("precision", precision),
            ("model", "Qwen-14B"),
        ]))
    };
    let (lora, quantized) = (qwen("lora", "", "bf16"), qwen("qlora", "gptq int4 (Qwen-Chat-Int4)", "fp16"));
    assert_eq!((lora.framework, lora.recipe), (Framework::Transformers, PrecisionPolicy::AutocastBf16));
    assert_eq!((quantized.framework, quantized.strategy), (Framework::DeepSpeed, Strategy::Zero2));
    assert_eq!((lora.trained.rank, quantized.trained.base), (64, BaseFormat::Int4));
    assert_eq!(quantized.trained.products_keep, ProductsKeep::Matrices);
    assert_eq!((lora.kernels.loss, quantized.kernels.loss), (Loss::Fp32Logits, Loss::Bf16Kept));
}

/// conf/megatron_gpt_peft_tuning_config.yaml and config_DGXH100_1x8x4xtp4pp1cp1.sh of NVIDIA's submission to `MLPerf` Training 4.0.
#[test]
fn submissions_are_read_with_their_configurations() {
    let of = |gpu: &'static str| {
        tuned(&[
            ("source_key", "mlperf"),
            ("source_location", "mlcommons/training_results_v4.0@6fe9543 GigaComputing/results"),
            ("gpu", gpu),
            ("gpus_per_node", "8"),
            ("num_gpus", "8"),
            ("framework", "PyTorch"),
            ("sharding", ""),
            ("dp", ""),
            ("tp", ""),
            ("pp", ""),
            ("model", "Llama 2 70B LoRA"),
            ("seq_len", "8192"),
            ("micro_batch_seqs", ""),
            ("grad_accum", "4"),
            ("global_batch_seqs", "8"),
            ("trainable", ""),
        ])
    };
    let read = scenario(&of("H100-80GB"));
    assert_eq!((read.tp, read.cp, read.degrees().dp, read.micro_batch_size), (4, 1, 2, 1));
    assert!(read.tensor.sequence_parallel);
    assert_eq!((read.trained.rank, read.trained.targets, read.trained.base), (16, Targets::Attention, BaseFormat::Fp8));
    assert_eq!(read.kernels.attention, AttentionKernel::Flash8bit);
    assert_eq!(scenario(&of("MI300X")).kernels.attention, AttentionKernel::FlashTuned);
    assert_eq!(reason(&of("B300")), "precision is missing");
}

/// A line of NeMo's tables of long sequences, with its measured step time.
fn long(gpu: &str, model: &str, [kilotokens, gpus, tp, cp]: [u32; 4], tflops: &str) -> Prediction {
    let [gpus, tp, cp, sequence] = [gpus, tp, cp, kilotokens * 1024].map(|number| number.to_string());
    let columns = [
        ("source_key", "NVIDIA NeMo long-sequence performance"),
        ("framework", "NeMo / Megatron-Core"),
        ("gpu", gpu),
        ("model", model),
        ("num_gpus", gpus.as_str()),
        ("seq_len", sequence.as_str()),
        ("tp", tp.as_str()),
        ("cp", cp.as_str()),
        ("tflops_per_gpu", tflops),
        ("precision", "FP8"),
    ];
    let blank = ["sharding", "dp", "micro_batch_seqs", "grad_accum", "act_ckpt"].map(|column| (column, ""));
    predict(&[columns.as_slice(), blank.as_slice()].concat()).unwrap()
}

#[test]
fn lines_of_long_sequences_are_completed() {
    let line = long("H100-80GB", "LLAMA2-7B", [256, 256, 4, 8], "549");
    let scenario = line.scenario;
    assert_eq!((scenario.degrees().dp, scenario.micro_batch_size, scenario.grad_accum_steps), (8, 1, 2));
    assert!(line.notes.iter().any(|note| note.contains("4M tokens a step")));
}

/// Both tables (NeMo docs/source/performance/performance_long_sequence.md, containers 24.03.01 and 25.04) from 16K to 1M tokens:
/// FlashAttention-2 on Hopper, of 2024, and cuDNN's on Blackwell, at one rate each. Degrees and replicas of the second make a quarter of the GPUs that it prints.
#[test]
fn long_sequences_take_what_nemo_measured() {
    let hopper =
        [([16, 16, 2, 1], "660"), ([32, 32, 2, 2], "610"), ([128, 128, 4, 4], "555"), ([1024, 1024, 8, 32], "536")];
    let blackwell =
        [([16, 4, 1, 1], "1717"), ([64, 16, 1, 4], "1600"), ([256, 64, 4, 4], "1590"), ([1024, 256, 4, 16], "1608")];
    for (gpu, model, lines) in [("H100-80GB", "LLAMA2-7B", hopper), ("B200", "LLAMA3-8B", blackwell)] {
        for (line, tflops) in lines {
            let error = long(gpu, model, line, tflops).step_error().unwrap();
            assert!(error.abs() < 0.15, "{gpu} {line:?}: {error}");
        }
    }
}

/// ALST's largest sequences on H100 (arXiv 2506.13996, sections 5.3 to 5.5; ArcticTraining's configurations): Llama 3.1 8B with 8M tokens
/// on 16 GPUs, and Qwen3 32B and Llama 3.1 70B on up to 64, fit; none of them does without tiles.
#[test]
fn the_longest_sequences_of_alst_fit() {
    let of = |model: &str, gpus: u32, tokens: &str, tiled: bool| {
        let gpus = gpus.to_string();
        let columns = [
            ("framework", "ArcticTraining (ALST: Ulysses SP + tiled MLP + activation offload) on DeepSpeed"),
            ("sharding", "ZeRO-3 with optimizer CPU offload"),
            ("gpu", "H100-80GB"),
            ("model", model),
            ("num_gpus", gpus.as_str()),
            ("cp", gpus.as_str()),
            ("dp", "1"),
            ("seq_len", tokens),
            ("act_ckpt", "full, checkpoints offloaded to host"),
            ("attention", "FlashAttention 2"),
            ("notes", if tiled { "tiled MLP" } else { "" }),
        ];
        predict(&columns).unwrap()
    };
    let runs = [("Llama 3.1 8B", 8, "3700000"), ("Llama 3.1 8B", 16, "8000000"), ("Llama 3.1 8B", 32, "15000000")];
    for (model, gpus, tokens) in runs {
        let (run, without) = (of(model, gpus, tokens, true), of(model, gpus, tokens, false));
        assert!(run.fits, "{model} on {gpus}: {} GiB", run.peak_mem_gib);
        assert!(!without.fits, "{model} on {gpus}: {} GiB", without.peak_mem_gib);
    }
}

/// FlashAttention-2 and SDPA run the instructions of Ampere: tuned there, and not on Hopper.
#[test]
fn kernels_are_tuned_to_the_generation_that_runs_them() {
    let kernel = |gpu, framework| scenario(&[("gpu", gpu), ("framework", framework)]).kernels.attention;
    assert_eq!(kernel("A100-80GB", "torchtitan (PyTorch FSDP2)"), AttentionKernel::FlashTuned);
    assert_eq!(kernel("H100-80GB", "torchtitan (PyTorch FSDP2)"), AttentionKernel::Flash);
    assert_eq!(kernel("H100-80GB", "Megatron-Core r0.8.0"), AttentionKernel::FlashTuned);
    let said = scenario(&[("gpu", "H100-80GB"), ("attention", "cuDNN flash (TE)")]);
    assert_eq!(said.kernels.attention, AttentionKernel::FlashTuned);
}

#[test]
fn peaks_copied_from_a_log_keep_its_unit() {
    let peak = |framework: &str, kind: &str| {
        predict(&[("framework", framework), ("mem_kind", kind), ("peak_mem_gib", "31.39")]).unwrap().measured.peak_gib
    };
    let copied = peak("torchtitan", "Peak Memory (GB) 33.71 in source (GB assumed 1e9)").unwrap();
    assert!((copied - 33.71).abs() < 0.01, "{copied}");
    assert_eq!(peak("torchtitan", "torch max_memory_reserved"), Some(31.39));
    assert_eq!(peak("llm-foundry", "33.71 GB in source (GB assumed 1e9)"), Some(31.39));
}

#[test]
fn the_root_unit_is_the_one_of_torchtitans_date() {
    let of = |location: &str| scenario(&[("source_location", location)]).communication.root_unit;
    assert_eq!(of(""), RootUnit::KeptWithLast);
    assert_eq!(of("benchmarks/llama3_h100_202412_torchtitan.md"), RootUnit::KeptWithLast);
    assert_eq!(of("https://github.com/pytorch/torchtitan/pull/2253"), RootUnit::Head);
}

#[test]
fn llmqs_flags_are_its_settings() {
    let plain = [
        ("framework", "llm.q (CUDA/C++, IST-DASLab)"),
        ("model", "Qwen2.5-14B"),
        ("gpu", "RTX 4090"),
        ("num_gpus", "4"),
        ("dp", "4"),
        ("gpus_per_node", "4"),
        ("intra_node_link", "PCIe"),
        ("sharding", "ZeRO-1 (default of llm.q)"),
        ("act_ckpt", "recompute-block"),
    ];
    let with = |notes: &'static str| [&plain[..], &[("notes", notes)]].concat();
    let one = scenario(&with("flags: ; bf16 weights"));
    assert_eq!((one.strategy, one.recipe, one.offload), (Strategy::Zero1, PrecisionPolicy::PureBf16, Offload::NONE));
    assert_eq!(one.kernels.loss, Loss::Chunked);
    let flags = "flags: --lmhead-chunks=8 --shard-weights --offload-opt-m --offload-opt-v --offload-residual";
    let all = scenario(&with(flags));
    assert_eq!((all.strategy, all.kernels.loss), (Strategy::FullShard, Loss::FusedLinear));
    assert_eq!(all.offload, Offload { optimizer: true, activations: true, ..Offload::NONE });
    assert_eq!(reason(&with("flags: none given; total batch")), "llm.q's options are not given");
}

#[test]
fn atorchs_example_runs_under_autocast() {
    let of = |trainable: &str| {
        scenario(&[
            ("framework", "atorch PyTorch FSDP"),
            ("source_key", "atorch Llama2-7B README"),
            ("model", "Llama-2-7B"),
            ("trainable", trainable),
        ])
    };
    let whole = of("");
    assert_eq!((whole.framework, whole.recipe), (Framework::Fsdp1, PrecisionPolicy::AutocastBf16));
    assert_eq!(whole.kernels.loss, Loss::Fp32Logits);
    assert_eq!(of("lora").trained.base, BaseFormat::Fp32);
}

#[test]
fn gpt_bigcode_beside_a_quantized_base_has_the_loss_of_autocast() {
    let loss = |base: &'static str, notes: &'static str| {
        scenario(&[
            ("source_key", "IBM fms-acceleration benchmark references"),
            ("framework", "HF Trainer/TRL SFT via fms-hf-tuning"),
            ("model", "SantaCoder 1.1B (gpt_bigcode)"),
            ("trainable", "lora"),
            ("quantized_base", base),
            ("notes", notes),
        ])
        .kernels
        .loss
    };
    assert_eq!(loss("", "packed"), Loss::Bf16Kept);
    assert_eq!(loss("bnb nf4 4-bit", "packed"), Loss::Fp32Logits);
    assert_eq!(loss("bnb nf4 4-bit", "fused ops (cross-entropy)"), Loss::KeptLogits);
}

#[test]
fn paddles_pipelines_recompute_nothing() {
    let of = |pp: &'static str, sharding: &'static str| {
        scenario(&[
            ("source_key", "FlagPerf training cases"),
            ("framework", "PaddlePaddle 2.5.1 (PaddleNLP)"),
            ("sharding", sharding),
            ("model", "LLaMA 13B"),
            ("gpu", "A100-80GB"),
            ("num_gpus", "8"),
            ("dp", "2"),
            ("tp", if pp == "1" { "4" } else { "2" }),
            ("pp", pp),
            ("precision", "fp16 (O2)"),
        ])
    };
    let piped = of("2", "sharding stage1, degree 1");
    assert_eq!((piped.recompute, piped.framework), (Recompute::None, Framework::Megatron));
    assert_eq!(of("1", "sharding stage1, degree 2").recompute, Recompute::Full);
    assert_ne!(of("1", "sharding stage2, degree 2").framework, Framework::Megatron);
}

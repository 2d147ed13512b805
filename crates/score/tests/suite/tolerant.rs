//! Tests how the reader completes rows of fine-tuning and users' runs.

use engine::model::software::{Framework, Loss};
use engine::model::trained::{BaseFormat, Targets};
use engine::model::training::{Optimizer, PrecisionPolicy, Recompute};
use engine::scenario::{Scenario, Strategy};
use score::predict;
use score::prediction::Prediction;
use score::row::Row;
use score::summary::{self, Entry};

fn read(columns: &[(&str, &str)]) -> Row {
    Row::read(|name| columns.iter().find(|(known, _)| *known == name).map(|(_, value)| *value))
}

fn predict(columns: &[(&str, &str)]) -> Prediction {
    predict::predict(&read(columns)).unwrap()
}

fn scenario(columns: &[(&str, &str)]) -> Scenario {
    predict(columns).scenario
}

fn says(prediction: &Prediction, text: &str) -> bool {
    prediction.notes.iter().any(|note| note.contains(text))
}

#[test]
fn a_persons_run_is_read_from_the_little_that_it_says() {
    let run = predict(&[
        ("case_id", "C-1"),
        ("framework", "LLaMA-Factory + DeepSpeed"),
        ("sharding", "ZeRO-3"),
        ("model", "Qwen/Qwen2.5-32B-Instruct"),
        ("trainable", "full"),
        ("outcome", "oom"),
        ("peak_mem_gib", "79"),
    ]);
    assert_eq!((run.scenario.gpus, run.scenario.seq_len, run.scenario.micro_batch_size), (8, 2048, 1));
    assert_eq!((run.scenario.strategy, run.scenario.recompute), (Strategy::FullShard, Recompute::Full));
    assert_eq!(run.measured.peak_gib, None, "what a failed run had taken is no peak");
    for note in ["GPU is not stated", "8 GPUs", "tokens a sequence", "micro-batches of 1", "checkpointing"] {
        assert!(says(&run, note), "{note}: {:?}", run.notes);
    }
}

#[test]
fn adapters_without_a_rank_have_the_usual_one() {
    let tuned = predict(&[
        ("gpu", "A100-80GB"),
        ("num_gpus", "1"),
        ("framework", "HF Trainer + PEFT"),
        ("sharding", "none"),
        ("model", "lmsys/vicuna-13b-v1.5"),
        ("trainable", "qlora"),
        ("seq_len", "64"),
        ("micro_batch", "4"),
        ("peak_mem_gib", "12"),
        ("notes", ""),
    ]);
    let trained = tuned.scenario.trained;
    assert_eq!((trained.rank, trained.targets, trained.base), (16, Targets::AllLinear, BaseFormat::Nf4Double));
    // Equal number of tokens in sequences of minimum length.
    assert_eq!((tuned.scenario.seq_len, tuned.scenario.micro_batch_size), (128, 2));
    assert_eq!(tuned.scenario.model.architecture().hidden_size, 5120);
    assert!(says(&tuned, "rank 16") && says(&tuned, "shape of LLaMA 13B"), "{:?}", tuned.notes);
}

#[test]
fn a_gpu_without_an_entry_is_the_nearest_by_memory() {
    let card = predict(&[
        ("gpu", "Abacus 3000"),
        ("gpu_mem_gb", "16"),
        ("num_gpus", "2"),
        ("framework", "HF Trainer"),
        ("sharding", "DDP"),
        ("model", "Qwen2.5-0.5B"),
        ("trainable", "full"),
        ("seq_len", "512"),
        ("micro_batch", "1"),
        ("notes", ""),
    ]);
    assert_eq!(card.scenario.accelerator.values.memory.gib(), 16.0);
    assert!(says(&card, "by its memory"), "{:?}", card.notes);
}

#[test]
fn degrees_are_the_smallest_that_hold_the_state() {
    let of = |model: &str, sharding: &str| {
        scenario(&[
            ("gpu", "H100-80GB"),
            ("gpus_per_node", "8"),
            ("num_gpus", "64"),
            ("framework", "Megatron-LM (core 0.9)"),
            ("sharding", sharding),
            ("attention", "flash"),
            ("model", model),
            ("trainable", "full"),
            ("seq_len", "4096"),
            ("micro_batch", "1"),
        ])
    };
    let large = of("Llama 3.1 70B", "distributed optimizer");
    assert_eq!((large.tp, large.pp), (8, 2));
    let small = of("Llama 3.2 1B", "distributed optimizer");
    assert_eq!((small.tp, small.pp), (1, 1));
}

#[test]
fn a_size_alone_is_the_nearest_model_and_a_guess() {
    let sized = predict(&[
        ("gpu", "H100-80GB"),
        ("num_gpus", "8"),
        ("framework", "TRL + DeepSpeed"),
        ("sharding", "ZeRO-3"),
        ("model", "32B"),
        ("trainable", "full"),
        ("seq_len", "2048"),
        ("micro_batch", "1"),
        ("offload", "optimizer CPU"),
    ]);
    assert!(says(&sized, "a guess: shape of Qwen2.5 32B"), "{:?}", sized.notes);
    assert!(sized.scenario.offload.optimizer && !sized.scenario.offload.parameters);
}

/// Returns the columns of a user's full fine-tuning on one A100, with further columns.
fn case<'a>(columns: &[(&'a str, &'a str)]) -> Vec<(&'a str, &'a str)> {
    const USUAL: [(&str, &str); 9] = [
        ("gpu", "A100-80GB"),
        ("gpu_mem_gb", "80"),
        ("num_gpus", "1"),
        ("model", "Llama 2 7B"),
        ("trainable", "full"),
        ("seq_len", "2048"),
        ("micro_batch", "1"),
        ("outcome", "ran"),
        ("sharding", ""),
    ];
    columns.iter().copied().chain(USUAL).collect()
}

#[test]
fn programs_tell_formats_and_losses() {
    let torchtune = scenario(&case(&[("framework", "torchtune")]));
    assert_eq!((torchtune.optimizer, torchtune.kernels.loss), (Optimizer::AdamW8bit, Loss::Chunked));
    assert!(torchtune.recipe.is_pure_bf16() && torchtune.offload.paged);
    // DeepSpeed is recognized by ZeRO alone; the loss of a model's own code from 2023 stays in 16
    // bits.
    let zero = |model| {
        let columns = [("framework", "LLaMA-Factory"), ("sharding", "ZeRO-3"), ("num_gpus", "8"), ("model", model)];
        scenario(&case(&columns))
    };
    let standard = zero("Llama 2 7B");
    assert_eq!((standard.framework, standard.recipe), (Framework::DeepSpeed, PrecisionPolicy::ZeroMixed));
    assert_eq!(standard.kernels.loss, Loss::Standard);
    assert_eq!(zero("Qwen-7B").kernels.loss, Loss::Bf16Kept);
    let paddle = scenario(&case(&[
        ("framework", "PaddlePaddle 2.5.1 (PaddleNLP)"),
        ("sharding", "sharding stage2, degree 8"),
        ("num_gpus", "8"),
        ("outcome", ""),
        ("notes", ""),
        ("peak_mem_gib", "30"),
    ]));
    assert_eq!((paddle.strategy, paddle.recipe), (Strategy::Zero2, PrecisionPolicy::ZeroMixed));
    let replicas = scenario(&case(&[("framework", "TRL GRPO"), ("num_gpus", "4")]));
    assert_eq!(replicas.strategy, Strategy::Ddp, "neither FSDP nor DeepSpeed is named");
}

#[test]
fn words_for_no_checkpointing_are_none() {
    for (words, expected) in [("none", Recompute::None), ("full without RMSNorm", Recompute::Full)] {
        let read = scenario(&case(&[("framework", "PEFT"), ("act_ckpt", words)]));
        assert_eq!(read.recompute, expected, "{words}");
    }
}

#[test]
fn runs_are_counted_by_how_they_ended() {
    let entry = |columns: &[(&str, &str)]| Entry::new("cases.csv", read(&case(columns)));
    let offloaded = [("framework", "DeepSpeed"), ("sharding", "ZeRO-3"), ("offload", "optimizer+params CPU")];
    let entries = [
        // 18 bytes per parameter for 7 billion parameters on one GPU.
        entry(&[("framework", "llama-recipes"), ("outcome", "oom")]),
        entry(&[("framework", "PEFT"), ("trainable", "qlora")]),
        // The state of 70 billion parameters exceeds the memory of a machine with one GPU.
        entry(&[&offloaded[..], &[("model", "Llama 2 70B"), ("outcome", "oom")]].concat()),
        entry(&[("framework", "PEFT"), ("model", "not named")]),
    ];
    let called = summary::called(&entries);
    assert_eq!((called.failed, called.failed_called), (2, 2));
    assert_eq!((called.ran, called.ran_called, called.left_out), (1, 1, 1));
}

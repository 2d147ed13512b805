//! Tests of what training programs do by default, by release: the figures are derived by hand, or
//! quoted from the program's own source.

use engine::model::software::Loss;
use engine::model::training::{PrecisionPolicy, Recompute};
use engine::params::ParamId;
use engine::scenario::Scenario;
use files::run::{Base, File, Run, read_run};

/// Reads a file at a release on eight H100.
fn read_at(release: &str, name: &str, text: &str) -> Run {
    let scenario = links::decode::decode("cluster=dgx-h100&gpus=8").scenario;
    let over = if release.is_empty() { Vec::new() } else { vec![("release".to_owned(), release.to_owned())] };
    read_run(&[File::new(name, text)], Base { scenario, over }).unwrap()
}

fn scenario_at(release: &str, text: &str) -> Scenario {
    read_at(release, "", text).scenario
}

/// The format in which TRL loads a model counts also where the command leaves bf16 to TRL
/// (`create_model_from_path` in trl/trainer/utils.py).
#[test]
fn a_model_that_trl_loads_in_bf16_trains_in_bf16() {
    let needs = |dtype: &str| {
        let run = read_at("", "", &format!("trl sft --model_name_or_path Qwen/Qwen3-8B {dtype}"));
        (run.scenario.recipe, run.scenario.report().memory.needed.gib())
    };
    // 8.19 billion parameters: 16-bit weights, gradients, DDP's buckets and two moments are 10 bytes
    // each, 76.3 GiB; fp32 ones are 20 bytes. Before, both were read as the second.
    let (recipe, in_16) = needs("--dtype bfloat16");
    assert!(recipe == PrecisionPolicy::PureBf16 && (76.3..90.0).contains(&in_16), "{recipe:?} {in_16}");
    let (recipe, in_32) = needs("--dtype float32");
    assert!(recipe == PrecisionPolicy::AutocastBf16 && (152.6..170.0).contains(&in_32), "{recipe:?} {in_32}");
    assert_eq!(needs(""), (recipe, in_32));
    assert_eq!(needs("--model_init_kwargs '{\"dtype\": \"bfloat16\"}'").1, in_16);
    let yaml = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 8\nmax_length: 1024\n\
                model_init_kwargs:\n  torch_dtype: bfloat16\n";
    assert_eq!(scenario_at("", yaml).report().memory.needed.gib(), in_16);
}

/// `max_completion_length` of `GRPOConfig` and `RLOOConfig` is 256 in the wheel of TRL 1.9.0, 512
/// in that of 1.10.0; prompts have 512 tokens.
#[test]
fn trl_completes_512_tokens_from_august_2026_on() {
    for command in ["grpo", "rloo"] {
        let command = format!("trl {command} --model_name_or_path Qwen/Qwen3-8B");
        let read = |release: &str| {
            let scenario = scenario_at(release, &command);
            (ParamId::Objective.option(&scenario), scenario.seq_len)
        };
        assert_eq!(read("trl-2026-06"), ("grpo", 768), "{command}");
        assert_eq!(read("trl-2026-08"), ("grpo", 1024), "{command}");
    }
}

/// `add_fused_lm_head` of TRL 1.15.0 is in `{sft,dpo,kto,grpo,rloo}_trainer.py`, and not in
/// experimental/orpo.
#[test]
fn trl_fuses_head_and_loss_from_october_2026_on() {
    let loss = |release: &str, command: &str| {
        scenario_at(release, &format!("trl {command} --model_name_or_path Qwen/Qwen3-8B")).kernels.loss
    };
    for command in ["sft --loss_type nll", "sft --loss_type dft", "dpo", "kto", "grpo", "rloo"] {
        assert_eq!(loss("trl-2026-06", command), Loss::Standard, "{command}");
        assert_eq!(loss("", command), Loss::FusedLinear, "{command}");
    }
    assert_eq!(loss("trl-2026-06", "sft"), Loss::FusedLinear);
    let orpo = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\nmax_prompt_length: 512\n";
    assert_eq!(read_at("", "orpo.yaml", orpo).scenario.kernels.loss, Loss::Standard);
    // fp32 logits of 16,384 tokens and 151,936 entries are 9.3 GiB, and the loss holds three of them.
    let needs = |release: &str| {
        let command = "trl sft --model_name_or_path Qwen/Qwen3-8B --loss_type nll --fsdp full_shard \
                       --max_length 4096 --per_device_train_batch_size 4";
        scenario_at(release, command).report().memory.needed.gib()
    };
    let saved = needs("trl-2026-06") - needs("");
    assert!((20.0..30.0).contains(&saved), "{saved}");
}

#[test]
fn files_of_dpo_and_kto_are_told_by_their_keys() {
    for (key, task) in
        [("beta: 0.1", "dpo"), ("precompute_ref_log_probs: true", "dpo"), ("desirable_weight: 1.0", "kto")]
    {
        let text = format!("model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\n{key}\n");
        let run = read_at("", "config.yaml", &text);
        // Before, the Trainer's supervised run of 4,096 tokens. `max_length` is 1,024 in TRL.
        assert_eq!(run.formats, [catalog::programs::Program::Trl], "{key}");
        assert_eq!((ParamId::Objective.option(&run.scenario), run.scenario.seq_len), (task, 1024), "{key}");
    }
}

/// TRL's policy saves attention and recomputes the rest
/// (trl/models/selective_activation_checkpointing.py).
#[test]
fn selective_checkpointing_of_trl_is_said() {
    let text = "model_name_or_path: Qwen/Qwen3-8B\nper_device_train_batch_size: 1\nmax_length: 4096\n\
                gradient_checkpointing_kwargs:\n  selective: true\n";
    let run = read_at("", "sft.yaml", text);
    assert_eq!(run.scenario.recompute, Recompute::Full);
    assert!(run.assumed.iter().any(|said| said.starts_with("Attention is computed as recomputed")), "{run:?}");
}

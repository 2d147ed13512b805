//! Values that programs refuse (`programs/<name>/refusals.toml`).

use files::run::{Base, File, lint, read_run, write_back};
use links::decode;

const RUNS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/runs");

fn contradictions(name: &str, text: &str) -> Vec<String> {
    read_run(&[File::new(name, text)], &decode("cluster=dgx-h100&gpus=8").scenario).unwrap().contradictions
}

fn recorded(path: &str) -> File {
    File::new(path.rsplit('/').next().unwrap(), std::fs::read_to_string(format!("{RUNS}/{path}")).unwrap())
}

#[test]
fn what_a_program_refuses_is_a_contradiction() {
    let axolotl = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_accumulation_steps: 1\n";
    let tune = "model:\n  _component_: torchtune.models.llama3_1.llama3_1_8b\nbatch_size: 2\noptimizer_in_bwd: true\n";
    for (name, text, says) in [
        ("a.yml", format!("{axolotl}optimizer: paged_adamw_8bit\ntensor_parallel_size: 2\n"), "tensor_parallel_size"),
        ("a.yml", format!("{axolotl}activation_offloading: true\n"), "activation_offloading needs"),
        ("a.yml", format!("{axolotl}batch_size: 64\n"), "batch_size does not go"),
        ("a.yaml", format!("{tune}gradient_accumulation_steps: 4\n"), "optimizer_in_bwd"),
    ] {
        let found = contradictions(name, &text);
        assert!(found.iter().any(|said| said.contains(says) && said.contains("refuses")), "{text}: {found:?}");
    }
    let fine = format!(
        "{axolotl}optimizer: paged_adamw_8bit\ntensor_parallel_size: 1\nactivation_offloading: true\ngradient_checkpointing: true\n"
    );
    assert!(contradictions("a.yml", &fine).is_empty());
}

/// Programs run the configurations that their makers ship.
#[test]
fn no_shipped_configuration_is_refused() {
    let refused = include_str!("../../../../../tests/runs/recorded.jsonl")
        .lines()
        .filter(|line| line.contains(" refuses this: "));
    assert_eq!(refused.count(), 0);
}

/// This file was given `tensor_parallel_size: 2` beside `paged_adamw_8bit`.
#[test]
fn a_fix_is_none_that_the_program_refuses() {
    let file = recorded("axolotl/llama-3-fft-8b.yaml");
    let base = Base::from(&decode("cluster=dgx-a100-80&gpus=8").scenario);
    let run = read_run(std::slice::from_ref(&file), &base).unwrap();
    let findings = lint(&run, std::slice::from_ref(&file), &base);
    assert!(findings.iter().any(|finding| !finding.fix.is_empty()), "{findings:?}");
    for finding in findings.iter().filter(|finding| !finding.fix.is_empty()) {
        let fixed = File::new(file.name.clone(), write_back(&file, &finding.fix));
        let said = read_run(&[fixed], &base).unwrap().contradictions;
        assert!(said.is_empty(), "{said:?}: {finding:?}");
    }
}

/// A flag of argparse's `store_true` has no value.
#[test]
fn a_flag_is_left_out_and_not_set_to_false() {
    let file = recorded("openrlhf/train_sft.sh");
    let base = Base::from(&decode("cluster=dgx-b200&gpus=8").scenario);
    let run = read_run(std::slice::from_ref(&file), &base).unwrap();
    let fixes = lint(&run, std::slice::from_ref(&file), &base).into_iter().flat_map(|finding| finding.fix);
    let flags: Vec<_> = fixes.filter(|change| change.key.ends_with("gradient_checkpointing_enable")).collect();
    assert!(!flags.is_empty() && flags.iter().all(|change| change.to.is_empty()), "{flags:?}");
}

/// Each of these is refused by the program's own validation; the second text lacks what
/// contradicts.
#[test]
fn programs_refuse_what_their_validation_refuses() {
    let megatron = "torchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length 4096 --max-position-embeddings 4096 --micro-batch-size 1 --global-batch-size 64 --bf16";
    let swift = "megatron sft --model Qwen/Qwen3-8B --micro_batch_size 1 --global_batch_size 16 --max_length 4096";
    let factory =
        "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\ncutoff_len: 2048\nper_device_train_batch_size: 1\n";
    let titan = "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = 1\nseq_len = 8192\n";
    let trl = "model_name_or_path: Qwen/Qwen2.5-1.5B\nper_device_train_batch_size: 16\nmax_completion_length: 512\n";
    let deepspeed = r#"{"train_micro_batch_size_per_gpu": 1, "zero_optimization": {"stage": 3}, "fp16": {"enabled": true}, "bf16": {"enabled": BF16}}"#;
    for (name, refused, fine, says) in [
        (
            "a.sh",
            format!("{megatron} --optimizer-cpu-offload\n"),
            format!("{megatron} --optimizer-cpu-offload --use-precision-aware-optimizer\n"),
            "use_precision_aware_optimizer",
        ),
        (
            "a.sh",
            format!("{megatron} --cuda-graph-impl full_iteration\n"),
            format!("{megatron} --cuda-graph-impl full_iteration --no-check-for-nan-in-loss-and-grad\n"),
            "no_check_for_nan",
        ),
        (
            "a.sh",
            format!("{megatron} --tensor-model-parallel-size 2 --tp-comm-overlap\n"),
            format!("{megatron} --tensor-model-parallel-size 2 --tp-comm-overlap --sequence-parallel\n"),
            "sequence_parallel",
        ),
        (
            "a.sh",
            format!("{megatron} --recompute-granularity full\n"),
            format!("{megatron} --recompute-granularity full --recompute-method uniform --recompute-num-layers 1\n"),
            "recompute_method",
        ),
        (
            "a.sh",
            format!("{swift} --recompute_granularity selective --recompute_num_layers 1\n"),
            format!("{swift} --recompute_granularity full --recompute_method uniform\n"),
            "recompute_num_layers",
        ),
        (
            "a.yaml",
            format!("{factory}finetuning_type: full\nquantization_bit: 4\n"),
            format!("{factory}finetuning_type: lora\nquantization_bit: 4\n"),
            "quantization_bit",
        ),
        (
            "a.yaml",
            format!(
                "{factory}finetuning_type: full\npure_bf16: true\ndeepspeed: examples/deepspeed/ds_z3_config.json\n"
            ),
            format!(
                "{factory}finetuning_type: full\npure_bf16: true\ndeepspeed: examples/deepspeed/ds_z2_config.json\n"
            ),
            "pure_bf16",
        ),
        (
            "a.toml",
            format!("{titan}[parallelism]\nenable_async_tensor_parallel = true\n"),
            format!("{titan}[parallelism]\nenable_async_tensor_parallel = true\n[compile]\nenable = true\n"),
            "compile.enable",
        ),
        ("a.yaml", format!("{trl}num_generations: 1\n"), format!("{trl}num_generations: 8\n"), "num_generations"),
        ("ds.json", deepspeed.replace("BF16", "true"), deepspeed.replace("BF16", "false"), "fp16 and bf16"),
    ] {
        let is_it = |text: &str| {
            contradictions(name, text).iter().any(|said| said.contains(" refuses this: ") && said.contains(says))
        };
        assert!(
            is_it(&refused) && !is_it(&fine),
            "{refused}: {:?}, {:?}",
            contradictions(name, &refused),
            contradictions(name, &fine)
        );
    }
}

/// Fixes of the recorded files, as they are and with larger micro-batches, are accepted.
#[test]
fn no_fix_of_a_recorded_file_is_refused() {
    let base = Base::from(&decode("cluster=dgx-h100&gpus=8").scenario);
    let said =
        |file: &File| read_run(std::slice::from_ref(file), &base).map(|run| run.contradictions).unwrap_or_default();
    for path in [
        "megatron-lm/gpt-gpt3_7b_tp4_pp1_memory_speed.yaml",
        "megatron-lm/mixtral-train_mixtral_8x7b_distributed.sh",
        "megatron-swift/sft.sh",
        "slime/run_qwen2.5_3B.sh",
        "openrlhf/train_dpo_llama.sh",
        "ms-swift/qwen2_5_32b.sh",
        "verl/run_qwen3moe-30b_megatron_96gb.sh",
        "torchtitan/llama3-llama3_8b.toml",
    ] {
        let file = recorded(path);
        let run = read_run(std::slice::from_ref(&file), &base).unwrap();
        for finding in lint(&run, std::slice::from_ref(&file), &base).iter().filter(|finding| !finding.fix.is_empty()) {
            let fixed = File::new(file.name.clone(), write_back(&file, &finding.fix));
            let refused: Vec<_> = said(&fixed).into_iter().filter(|said| said.contains(" refuses this: ")).collect();
            assert!(refused.is_empty(), "{path}: {refused:?}: {finding:?}");
        }
    }
}

/// Hydra has no flags, and the YAML of Megatron-LM's tests has flags as keys.
#[test]
fn added_keys_are_spelled_as_the_program_reads_them() {
    let add = |path: &str, key: &str, to: &str| {
        let file = recorded(path);
        let change = files::run::Change { file: 0, key: key.into(), from: None, to: to.into() };
        write_back(&file, &[change])
    };
    let key = "actor_rollout_ref.actor.megatron.override_transformer_config.recompute_granularity";
    let text = add("verl/run_qwen3moe-30b_megatron_96gb.sh", key, "selective");
    assert!(text.contains(&format!(" ++{key}=selective")) && !text.contains("--actor"), "{text}");
    // This run has no Megatron.
    assert_eq!(add("verl/run_qwen3-8b.sh", key, "selective"), recorded("verl/run_qwen3-8b.sh").text);
    let text = add("openrlhf/train_sft.sh", "ds.tensor_parallel_size", "2");
    assert!(text.contains(" --ds.tensor_parallel_size 2"), "{text}");
    let text = add("megatron-lm/gpt-gpt3_7b_tp4_pp1_memory_speed.yaml", "MODEL_ARGS.--sequence-parallel", "true");
    assert!(text.contains("\n  --sequence-parallel: true\n"), "{text}");
}

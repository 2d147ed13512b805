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
    let base = Base::from(&decode("cluster=dgx-h100&gpus=8").scenario);
    let run = read_run(std::slice::from_ref(&file), &base).unwrap();
    let fixes = lint(&run, std::slice::from_ref(&file), &base).into_iter().flat_map(|finding| finding.fix);
    let flags: Vec<_> = fixes.filter(|change| change.key.ends_with("gradient_checkpointing_enable")).collect();
    assert!(!flags.is_empty() && flags.iter().all(|change| change.to.is_empty()), "{flags:?}");
}

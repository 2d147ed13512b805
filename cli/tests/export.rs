//! Tests of `shardwise export`.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where its data is wrong")]

use std::fs;
use std::process::{Command, Output};

use serde_json::Value;

const RUN: &str = "model=llama-3.1-8b&cluster=dgx-h100&gpus=16&seq=8k&mbs=1&train=lora";

fn export(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shardwise")).arg("export").args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the keys that `export list` prints.
fn programs() -> Vec<String> {
    text(&export(&["list"]).stdout).lines().map(str::to_owned).collect()
}

#[test]
fn standard_output_is_the_file_of_each_program() {
    let programs = programs();
    assert!(programs.len() >= 15 && programs.iter().any(|program| program == "axolotl"), "{programs:?}");
    for program in programs {
        let made = export(&[&program, RUN]);
        assert_eq!(made.status.code(), Some(0), "{}", text(&made.stderr));
        let own: Value = serde_json::from_str(&api::export(&RUN.into(), &program).unwrap()).unwrap();
        let files = own["files"].as_object().unwrap();
        let printed = text(&made.stdout);
        assert!(files.values().any(|file| file.as_str() == Some(printed.as_str())), "{program}");
        // Notes are comments on standard error.
        let said = text(&made.stderr);
        assert!(said.lines().all(|line| line.starts_with("# ")), "{said}");
        for note in own["notes"].as_array().unwrap() {
            let note = note.as_str().unwrap().replace(['\u{2009}', '\u{202f}', '\u{a0}'], " ");
            assert!(said.contains(&note), "{program}: {note}\n{said}");
        }
        let json: Value = serde_json::from_slice(&export(&[&program, RUN, "--json"]).stdout).unwrap();
        assert_eq!(json, own);
    }
}

#[test]
fn an_unknown_program_is_refused_and_what_is_missing_is_asked() {
    let unknown = export(&["axolotel", RUN]);
    assert!(unknown.status.code() == Some(2) && unknown.stdout.is_empty());
    assert!(text(&unknown.stderr).contains("Did you mean “axolotl”?"), "{}", text(&unknown.stderr));
    let missing = export(&["axolotl", "model=llama-3.1-8b"]);
    assert!(missing.status.code() == Some(2) && text(&missing.stderr).contains("GPUs"), "{}", text(&missing.stderr));
    assert!(export(&["axolotl", "model=llama-3.1-8b", "--assume"]).status.success());
    let none = export(&["axolotl"]);
    assert!(none.status.code() == Some(2) && text(&none.stderr).contains("No run was given"));
}

#[test]
fn a_file_becomes_the_settings_of_another_program() {
    let config = format!("{}/../tests/runs/axolotl/llama-3-fft-8b.yaml", env!("CARGO_MANIFEST_DIR"));
    let made = export(&["torchtitan", &config, "--set", "cluster=dgx-h100", "--set", "gpus=8", "--assume"]);
    assert!(text(&made.stdout).contains("torchtitan.train"), "{}", text(&made.stderr));
}

#[test]
fn a_file_that_exists_stays_without_force() {
    let folder = std::env::temp_dir().join(format!("shardwise-export-{}", std::process::id()));
    let place = folder.to_str().unwrap();
    let written = export(&["accelerate", RUN, "--write", place]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let file = folder.join("accelerate.yaml");
    let first = fs::read_to_string(&file).unwrap();
    assert!(text(&written.stdout).contains("accelerate.yaml was written"));
    fs::write(&file, "mine").unwrap();
    let refused = export(&["accelerate", RUN, "--write", place]);
    assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains("already exists"));
    assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    assert!(export(&["accelerate", RUN, "--write", place, "--force"]).status.success());
    assert_eq!(fs::read_to_string(&file).unwrap(), first);
    fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_job_comes_with_the_settings_of_its_program() {
    let folder = std::env::temp_dir().join(format!("shardwise-job-{}", std::process::id()));
    let place = folder.to_str().unwrap();
    let made = export(&["slurm", RUN, "--program", "axolotl", "--limit", "12", "--write", place]);
    assert!(made.status.success(), "{}", text(&made.stderr));
    let script = fs::read_to_string(folder.join("job.sbatch")).unwrap();
    assert!(script.contains("#SBATCH --nodes=2\n") && script.contains("axolotl train axolotl.yaml"), "{script}");
    assert!(fs::read_to_string(folder.join("axolotl.yaml")).unwrap().contains("micro_batch_size: 1"));
    fs::remove_dir_all(&folder).unwrap();
    // On standard output is the job alone.
    let printed = export(&["slurm", RUN, "--program", "axolotl"]);
    assert!(text(&printed.stdout).starts_with("#!/bin/bash\n#SBATCH"));
    assert!(text(&printed.stderr).contains("axolotl.yaml belongs to it"), "{}", text(&printed.stderr));
    let refused = export(&["axolotl", RUN, "--limit", "12"]);
    assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains("no job"), "{}", text(&refused.stderr));
    let tpu = export(&["kubernetes", "gpu=tpu-v5p&model=llama-3-8b&gpus=8&seq=8k&mbs=1"]);
    assert!(tpu.status.code() == Some(2) && text(&tpu.stderr).contains("TPU v5p"), "{}", text(&tpu.stderr));
}

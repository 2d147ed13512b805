//! The commands, as one types them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where its data is wrong")]

use std::process::{Command, Output};

use serde_json::Value;

fn shardwise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shardwise")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// A file of the repository.
fn file(name: &str) -> String {
    format!("{}/../tests/{name}", env!("CARGO_MANIFEST_DIR"))
}

const FITS: &str = "v=1&cluster=dgx-h100&model=llama-3-8b&gpus=64";

#[test]
fn an_estimate_says_yes_or_no_by_its_status() {
    let yes = shardwise(&["estimate", FITS]);
    let said = text(&yes.stdout);
    assert_eq!(yes.status.code(), Some(0), "{said}");
    assert!(said.contains("Fits") && said.contains("MFU") && said.contains("model=llama-3-8b"), "{said}");
    let no = shardwise(&["estimate", FITS, "--set", "gpus=1", "--set", "strategy=ddp"]);
    assert_eq!(no.status.code(), Some(1));
    assert!(text(&no.stdout).contains("no, by "), "{}", text(&no.stdout));
}

#[test]
fn the_report_is_that_of_the_engine() {
    let json = shardwise(&["estimate", "--json", FITS]);
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    let own: Value = serde_json::from_str(&api::estimate(FITS)).unwrap();
    assert_eq!(report, own);
    assert!(own["mfu"].as_f64().unwrap() > 0.1);
}

#[test]
fn files_become_the_scenario() {
    let config = file("configs/llama-3.1-8b.json");
    let said = shardwise(&["estimate", FITS, &config, "--set", "seq=32k"]);
    let said = text(&said.stdout);
    assert!(said.contains("of the catalog: 32 layers") && said.contains("seq=32768"), "{said}");
}

#[test]
fn the_best_layouts_come_first() {
    let ranked = shardwise(&["rank", "--json", "--top", "3", FITS]);
    assert_eq!(ranked.status.code(), Some(0));
    let ranked: Value = serde_json::from_slice(&ranked.stdout).unwrap();
    let layouts = ranked["layouts"].as_array().unwrap();
    let mfu: Vec<f64> = layouts.iter().map(|layout| layout["report"]["mfu"].as_f64().unwrap()).collect();
    assert!(mfu.len() == 3 && mfu.is_sorted_by(|first, next| first >= next), "{mfu:?}");
    let link = layouts[0]["link"].as_str().unwrap();
    let again: Value = serde_json::from_str(&api::estimate(link)).unwrap();
    assert_eq!(again["mfu"], layouts[0]["report"]["mfu"]);
    let table = text(&shardwise(&["rank", FITS]).stdout);
    assert!(table.contains("divide evenly and fit") && table.contains("Best: v=1"), "{table}");
    let none = shardwise(&["rank", "model=llama-3-70b&gpus=1&seq=128k"]);
    assert_eq!(none.status.code(), Some(1));
}

#[test]
fn parameters_of_models_are_lines_of_json() {
    let [config, none] = [file("configs/llama-3.1-8b.json"), file("no-such-file.json")];
    let counted = shardwise(&["params", &config, &none]);
    assert_eq!(counted.status.code(), Some(0));
    let lines: Vec<Value> = text(&counted.stdout).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["params"], 8_030_261_248_u64);
    assert!(lines[1]["error"].as_str().unwrap().contains("could not be read"));
    assert_eq!(shardwise(&["params", &none]).status.code(), Some(1));
}

#[test]
fn what_cannot_be_read_is_a_sentence_and_status_2() {
    for (arguments, said) in [
        (&["estimate", "no-such-file.yaml"][..], "There is no file no-such-file.yaml"),
        (&["estimate", "--set", "gpus"], "write KEY=VALUE"),
        (&["no-such-command"], "unrecognized subcommand"),
    ] {
        let output = shardwise(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
    let unknown = shardwise(&["estimate", "--set", "gpu=no-such", "--set", "strange=1"]);
    assert_eq!(unknown.status.code(), Some(1));
    let said = text(&unknown.stdout);
    assert!(said.contains("no gpu “no-such”") && said.contains("“strange” is no key"), "{said}");
}

#[test]
fn the_linter_is_a_gate() {
    let folder = std::env::temp_dir().join(format!("shardwise-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let run = folder.join("run.yaml");
    let text = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_accumulation_steps: 8\n\
                gradient_checkpointing: true  # keep\nflash_attention: true\nbf16: true\nadapter: lora\nlora_r: 16\n";
    std::fs::write(&run, text).unwrap();
    let base = "cluster=dgx-h100&gpus=8";
    let found = shardwise(&["lint", base, run.to_str().unwrap()]);
    let said = crate::text(&found.stdout);
    assert_eq!(found.status.code(), Some(1), "{said}");
    assert!(said.starts_with("A run of Axolotl") && said.contains("% faster"), "{said}");
    // It writes the change where it is asked to, and the comment stays.
    let fixed = shardwise(&["lint", "--fix", base, run.to_str().unwrap()]);
    assert!(crate::text(&fixed.stdout).contains("Written into run.yaml"));
    let written = std::fs::read_to_string(&run).unwrap();
    assert!(written != text && written.contains("# keep"), "{written}");
    std::fs::remove_dir_all(folder).unwrap();
    let config = file("configs/llama-3.1-8b.json");
    assert_eq!(shardwise(&["lint", &config]).status.code(), Some(2));
    let read = crate::text(&shardwise(&["read", &config]).stdout);
    assert!(read.contains("32 layers"), "{read}");
}

/// A folder of its own, with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("shardwise-{name}-{}", std::process::id()));
    std::fs::create_dir_all(folder.join("configs")).unwrap();
    for (file, text) in files {
        std::fs::write(folder.join(file), text).unwrap();
    }
    folder
}

const RUN: &str = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nmicro_batch_size: 1\ngradient_accumulation_steps: 8\n\
                   gradient_checkpointing: true  # keep\nflash_attention: true\nbf16: true\nadapter: lora\nlora_r: 16\n";

/// The step of the GitHub Action, as GitHub runs it: paths with globs, values, annotations, the status.
#[test]
fn the_action_annotates_the_lines_of_configurations() {
    let folder =
        folder("action", &[("configs/run.yaml", RUN), ("configs/other.txt", "no run"), ("configs/more.yaml", RUN)]);
    let script = format!("{}/../.github/actions/lint/lint.sh", env!("CARGO_MANIFEST_DIR"));
    let binary = std::path::Path::new(env!("CARGO_BIN_EXE_shardwise")).parent().unwrap().to_owned();
    let path = std::env::join_paths(
        core::iter::once(binary).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let path = path.unwrap();
    let lint = |files: &str, fail: &str| {
        let mut bash = Command::new("bash");
        bash.arg(&script).current_dir(&folder).env("PATH", &path);
        bash.env("FILES", files).env("SET", "cluster=dgx-h100\ngpus=8").env("FAIL", fail).output().unwrap()
    };
    let found = lint("configs/*.yaml", "findings");
    let said = text(&found.stdout);
    assert_eq!(found.status.code(), Some(1), "{said}");
    assert!(said.contains("::warning file=configs/run.yaml,line=") && said.contains("%25 faster"), "{said}");
    assert!(
        said.contains("file=configs/more.yaml") && said.contains("2 files: 2 with findings, 0 could not be read."),
        "{said}"
    );
    assert_eq!(lint("configs/*.yaml", "never").status.code(), Some(0));
    assert_eq!(lint("configs/*.yaml", "unreadable").status.code(), Some(0));
    let unreadable = lint("configs/*.txt", "unreadable");
    assert_eq!(unreadable.status.code(), Some(1));
    let said = text(&unreadable.stderr) + &text(&unreadable.stdout);
    assert!(said.contains("::error file=configs/other.txt::"), "{said}");
    let none = lint("configs/*.json", "findings");
    assert!(none.status.code() == Some(2) && text(&none.stdout).contains("No file matches configs/*.json"));
    // What stands in the input is a pattern of names and nothing that bash runs.
    assert!(text(&lint("$(touch${IFS}owned)", "findings").stderr).contains("::error"));
    assert!(!folder.join("owned").exists());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_plan_answers_by_its_status() {
    let own = "v=1&rev=7&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8&tokens=1T";
    let asked = ["plan", "cheapest", own, "--days", "30", "--cluster", "own", "--cluster", "dgx-h200"];
    let yes = shardwise(&asked);
    let said = text(&yes.stdout);
    assert_eq!(yes.status.code(), Some(0), "{said}");
    assert!(said.contains("DGX H200") && said.contains("(yours)") && said.contains("Best: v=1"), "{said}");
    let json = shardwise(&[&asked[..], &["--json"]].concat());
    let plan: Value = serde_json::from_slice(&json.stdout).unwrap();
    let ids = ["own".to_owned(), "dgx-h200".to_owned()];
    let same = api::plan::Asked { question: "cheapest", limit: Some(30.0), clusters: &ids, most: 10 };
    assert_eq!(text(&json.stdout).trim(), api::plan(own, &same).unwrap());
    let best = &plan["answers"][0];
    let report: Value = serde_json::from_str(&api::estimate(best["link"].as_str().unwrap())).unwrap();
    assert_eq!((&report["mfu"], &report["run"]["cost_usd"]), (&best["mfu"], &best["cost_usd"]));
    let no = shardwise(&["plan", "fastest", own, "--budget", "10", "--cluster", "own"]);
    assert_eq!(no.status.code(), Some(1));
    assert!(text(&no.stdout).contains("The nearest is "), "{}", text(&no.stdout));
    for (arguments, said) in [
        (&["plan", "batch", own, "--cluster", "dgx-h200"][..], "is asked of the scenario's own GPUs"),
        (&["plan", "fewest", own, "--cluster", "no-such"], "no cluster “no-such”"),
        (&["plan", "fewest", own, "--days", "3"], "--days is of `plan cheapest`"),
        (&["plan", "cheapest", own, "--days", "soon"], "write a number above 0"),
    ] {
        let output = shardwise(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}

#[test]
fn a_memory_snapshot_is_read() {
    let said =
        shardwise(&["read", "--set", "model=llama-3.2-1b", "--set", "mbs=2", &file("snapshots/refused-2.pickle")]);
    let out = text(&said.stdout);
    assert!(out.starts_with("Refused at event 507 of 507") && out.contains("logits, in fp32"), "{out}");
    let broken = shardwise(&["read", &file("snapshots/make.py")]);
    assert_eq!(broken.status.code(), Some(2));
}

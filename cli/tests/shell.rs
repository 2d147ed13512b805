//! Tests of the commands as a user types them.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where its data is wrong")]

use std::process::{Command, Output};

use serde_json::Value;

fn shardwise(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_shardwise")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

/// Returns the report of the engine.
fn own_report(scenario: &str) -> String {
    api::estimate(&api::Given::from(scenario)).unwrap()
}

/// Returns the path of a file in the tests folder of the repository.
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
    assert!(text(&no.stdout).contains("no: under 5 % of such runs fit"), "{}", text(&no.stdout));
}

#[test]
fn the_report_is_that_of_the_engine() {
    let json = shardwise(&["estimate", "--json", FITS]);
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    let own: Value = serde_json::from_str(&own_report(FITS)).unwrap();
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
fn one_run_takes_two_kinds_of_gpus() {
    let run = "model=llama-3.1-8b&cluster=dgx-h100&gpus=16&seq=4096&mbs=2&accum=4&recompute=full";
    let table = text(&shardwise(&["mixed", run, "--others", "cluster=dgx-a100-80&gpus=8"]).stdout);
    for said in ["8 H100 SXM", "8 A100 80 GB", "Best: ", "training loop of your own"] {
        assert!(table.contains(said), "{table}");
    }
    let json = shardwise(&["mixed", run, "--others", "cluster=dgx-a100-80", "--others", "gpus=8", "--json"]).stdout;
    let json: Value = serde_json::from_slice(&json).unwrap();
    assert!(json["best"]["step_time_s"].as_f64() < json["equal"]["step_time_s"].as_f64());
    let refused = shardwise(&["mixed", run, "--others", "cluster=mi300x-platform&gpus=8"]);
    assert!(refused.status.code() == Some(2) && text(&refused.stderr).contains("not modelled"));
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
    let again: Value = serde_json::from_str(&own_report(link)).unwrap();
    assert_eq!(again["mfu"], layouts[0]["report"]["mfu"]);
    let table = text(&shardwise(&["rank", FITS]).stdout);
    assert!(
        table.contains("offload where nothing is sure without) are valid and fit")
            && table.contains("Odds to fit")
            && table.contains("Best: v=1"),
        "{table}"
    );
    let tight = "model=falcon-h1-7b&cluster=dgx-h100&gpus=8&seq=8k&mbs=1&recompute=selective";
    let odds = |sure: &'static str| shardwise(&["estimate", tight, "--sure", sure]).status.code();
    assert_eq!([odds("40"), odds("99")], [Some(0), Some(1)]);
    let best = |sure: &'static str| shardwise(&["rank", tight, "--sure", sure]).status.code();
    assert_eq!([best("80"), best("100")], [Some(0), Some(1)]);
    let none = shardwise(&["rank", "model=llama-3-70b&cluster=dgx-a100-40gb&gpus=1&seq=128k"]);
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
    assert_eq!(shardwise(&["params", &none]).status.code(), Some(2));
}

#[test]
fn what_cannot_be_read_is_a_sentence_and_status_2() {
    for (arguments, said) in [
        (&["estimate", "no-such-file.yaml"][..], "no-such-file.yaml is neither a file"),
        (&["estimate", "--set", "gpus"], "write KEY=VALUE"),
        (&["estimate", "--set", "gpu=no-such", "--set", "strange=1"], "“strange” is not a key"),
        (&["no-such-command"], "unrecognized subcommand"),
    ] {
        let output = shardwise(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(text(&output.stderr).contains(said), "{}", text(&output.stderr));
    }
}

/// A typo never describes another run: every command prints only a sentence with the right
/// spelling.
#[test]
fn a_typo_is_refused_with_the_right_spelling() {
    for command in ["estimate", "rank", "read", "lint", "plan"] {
        let question: &[&str] = if command == "plan" { &["plan", "fewest"] } else { &[command] };
        for (typed, right) in [
            ("modle=llama-3-8b", "Did you mean “model”?"),
            ("model=llama-3-8c", "“llama-3-8b”"),
            ("cluster=dgx-h10", "“dgx-h100”"),
            ("strategy=ful-shard", "“full-shard”"),
            ("gpus=abc", "“abc” is not a number"),
            ("gpus=-3", "at least 1"),
            ("batch_size=8", "global_batch_size"),
        ] {
            for way in [vec![typed], vec![FITS, "--set", typed]] {
                let output = shardwise(&[question, &way].concat());
                let said = text(&output.stderr);
                assert_eq!(output.status.code(), Some(2), "{command} {way:?}: {said}");
                assert!(output.stdout.is_empty() && said.contains(right), "{command} {way:?}: {said}");
            }
        }
    }
    let forgiven = shardwise(&["estimate", "--lenient", "gpus=8&colour=red&model=llama-3-8b"]);
    assert!(text(&forgiven.stdout).contains("“colour” is not a key"), "{}", text(&forgiven.stdout));
}

/// Missing values that decide the answer are requested, for both text and JSON output.
#[test]
fn what_is_missing_is_asked_for() {
    let file = file("runs/accelerate/accelerate_fsdp.yaml");
    for (arguments, asked) in [
        (vec!["cluster=dgx-h100&gpus=8&seq=4k&mbs=1"], "Which model?"),
        (vec!["cluster=dgx-h100&model=llama-3-8b&seq=4k&mbs=1"], "On how many GPUs?"),
        (vec![file.as_str(), "--set", "cluster=dgx-h100"], "Which model?"),
    ] {
        for json in [&["estimate"][..], &["estimate", "--json"]] {
            let output = shardwise(&[json, &arguments].concat());
            let said = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {said}");
            assert!(output.stdout.is_empty() && said.contains(asked) && said.contains("--assume"), "{said}");
        }
        let assumed = shardwise(&[&["estimate", "--assume"][..], &arguments].concat());
        let said = text(&assumed.stdout);
        assert!(said.starts_with("Assumed, as not given:"), "{said}");
    }
}

/// Needed, cached and free memory add up to the capacity; nvidia-smi shows the first two.
#[test]
fn memory_adds_up() {
    let said = text(&shardwise(&["estimate", FITS]).stdout);
    let numbers = |line: &str| -> Vec<f64> {
        let line = said.lines().find(|said| said.starts_with(line)).unwrap();
        line.split([' ', ',']).filter_map(|word| word.parse().ok()).collect()
    };
    let memory = numbers("Memory needed");
    let [needed, capacity, cache, free, shown] = memory[..] else { panic!("{said}") };
    assert_eq!(capacity, 79.1, "{said}");
    assert!((needed + cache + free - capacity).abs() < 0.11, "{said}");
    assert!((needed + cache - shown).abs() < 0.11, "{said}");
    // The output has plain spaces, which users type when they search.
    assert!(!said.contains('\u{2009}'), "{said}");
}

#[test]
fn scenarios_and_files_come_by_any_way() {
    let folder = folder("ways", &[("sc.json", r#"{"model": "llama-3-8b", "num_gpus": 64, "cluster": "dgx-h100"}"#)]);
    let path = folder.join("sc.json");
    let read = shardwise(&["estimate", "--json", path.to_str().unwrap()]);
    assert_eq!(read.stdout, shardwise(&["estimate", "--json", "model=llama-3-8b&gpus=64&cluster=dgx-h100"]).stdout);
    assert_eq!(read.status.code(), Some(0), "{}", text(&read.stderr));
    let ran = |script: &str| Command::new("bash").args(["-c", script]).output().unwrap();
    let program = env!("CARGO_BIN_EXE_shardwise");
    let [piped, pipe, endless] = [
        format!("{program} estimate --json - < {}", path.display()),
        format!("{program} estimate --json <(cat {})", path.display()),
        format!("ulimit -v 3000000; {program} read - < /dev/zero"),
    ]
    .map(|script| ran(&script));
    assert_eq!((&piped.stdout, &pipe.stdout), (&read.stdout, &read.stdout));
    assert!(text(&endless.stderr).contains("64 MiB"), "{}", text(&endless.stderr));
    let directory = shardwise(&["read", folder.to_str().unwrap()]);
    assert!(directory.status.code() == Some(2) && text(&directory.stderr).contains("is a directory"));
    std::fs::remove_dir_all(folder).unwrap();
}

/// All commands read a run as the same scenario, and explicit values take precedence.
#[test]
fn commands_agree_on_the_scenario() {
    let folder = folder("agree", &[("run.yaml", RUN)]);
    let run = folder.join("run.yaml");
    let run = run.to_str().unwrap();
    for set in [&["--set", "gpus=8"][..], &["--set", "gpus=8", "--set", "seq_len=8k"]] {
        let scenario = |command: &str| {
            let given = [&[command, run, "--set", "cluster=dgx-h100"], set].concat();
            let said = text(&shardwise(&given).stdout);
            let line = said.lines().find(|line| line.starts_with("Scenario")).unwrap_or_default();
            line.trim_start_matches("Scenario").trim_start_matches(':').trim().to_owned()
        };
        let own = scenario("estimate");
        assert!(own.starts_with("v=1&"), "{own}");
        assert_eq!((scenario("read"), scenario("lint")), (own.clone(), own));
    }
    std::fs::remove_dir_all(folder).unwrap();
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
    // What runs well passes, and says that there is more on request.
    let passed = shardwise(&["lint", base, run.to_str().unwrap()]);
    let said = crate::text(&passed.stdout);
    assert!(passed.status.success() && said.contains("more suggestions: --suggest."), "{said}");
    let found = shardwise(&["lint", "--suggest", base, run.to_str().unwrap()]);
    let said = crate::text(&found.stdout);
    assert_eq!(found.status.code(), Some(1), "{said}");
    assert!(said.starts_with("A run of Axolotl") && said.contains("% faster"), "{said}");
    // The change is written on request, and the comment is kept.
    let fixed = shardwise(&["lint", "--fix", "--suggest", base, run.to_str().unwrap()]);
    assert!(crate::text(&fixed.stdout).contains(&format!("{} was written.", run.display())));
    let written = std::fs::read_to_string(&run).unwrap();
    assert!(written != text && written.contains("# keep"), "{written}");
    std::fs::remove_dir_all(folder).unwrap();
    let config = file("configs/llama-3.1-8b.json");
    assert_eq!(shardwise(&["lint", &config]).status.code(), Some(2));
    let read = crate::text(&shardwise(&["read", &config]).stdout);
    assert!(read.contains("32 layers"), "{read}");
}

/// Creates a folder with these files.
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

/// Tests the script of the GitHub Action as GitHub runs it: paths with globs, values, annotations,
/// and the status.
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
    let lint = |files: &str, fail: &str, select: &str| {
        let mut bash = Command::new("bash");
        bash.arg(&script).current_dir(&folder).env("PATH", &path).env("SELECT", select);
        bash.env("FILES", files).env("SET", "cluster=dgx-h100\ngpus=8").env("FAIL", fail).output().unwrap()
    };
    // Both runs fit; what would be faster is asked for.
    assert_eq!(lint("configs/*.yaml", "findings", "").status.code(), Some(0));
    let found = lint("configs/*.yaml", "findings", "ALL");
    let said = text(&found.stdout);
    assert_eq!(found.status.code(), Some(1), "{said}");
    for file in ["run", "more"] {
        assert!(said.contains(&format!("::warning file=configs/{file}.yaml,line=")), "{said}");
    }
    assert!(said.contains("%25 faster"), "{said}");
    assert_eq!(lint("configs/*.yaml", "never", "ALL").status.code(), Some(0));
    assert_eq!(lint("configs/*.yaml", "unreadable", "ALL").status.code(), Some(0));
    for files in ["configs/*.txt", "configs/*.json", "$(touch${IFS}owned)"] {
        let none = lint(files, "unreadable", "");
        assert_eq!(none.status.code(), Some(2), "{files}");
        assert!(
            text(&none.stderr).contains("no configuration of a run") || text(&none.stderr).contains("neither a file"),
            "{files}"
        );
    }
    // The input is a pattern of file names, and bash does not execute it.
    assert!(!folder.join("owned").exists());
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn findings_have_codes_that_are_explained_and_left_out() {
    let said = shardwise(&["lint", "--explain", "sw101"]);
    assert_eq!(said.status.code(), Some(0), "{}", text(&said.stderr));
    assert!(text(&said.stdout).starts_with("SW101, does not fit (error): "), "{}", text(&said.stdout));
    for arguments in [&["lint", "--explain", "SW999"][..], &["lint", "--ignore", "SW2,SW999", "no.yaml"]] {
        let unknown = shardwise(arguments);
        assert_eq!(unknown.status.code(), Some(2), "{arguments:?}");
        let said = text(&unknown.stderr);
        assert!(said.contains("“SW999”") && said.contains("SW101") && said.contains("SW305"), "{said}");
    }
    let folder = folder("codes", &[("run.yaml", RUN)]);
    let run = folder.join("run.yaml");
    let lint = |more: &[&str]| {
        let given = ["lint", run.to_str().unwrap(), "--set", "cluster=dgx-h100", "--set", "gpus=8"];
        shardwise(&[&given[..], more].concat())
    };
    let codes = |output: &Output| -> Vec<String> {
        let json: Value = serde_json::from_slice(&output.stdout).unwrap();
        json["runs"][0]["findings"]
            .as_array()
            .unwrap()
            .iter()
            .map(|offer| offer["code"].as_str().unwrap().to_owned())
            .collect()
    };
    let found = lint(&["--json", "--suggest"]);
    let all = codes(&found);
    assert!(found.status.code() == Some(1) && all.contains(&"SW201".to_owned()), "{all:?}");
    let plain = text(&lint(&["--suggest"]).stdout);
    assert!(all.iter().all(|code| plain.contains(&format!("- {code} "))), "{plain}");
    let without = lint(&["--json", "--select", "all", "--ignore", "sw201"]);
    let left: Vec<String> = all.iter().filter(|code| *code != "SW201").cloned().collect();
    assert_eq!(codes(&without), left);
    // A contradiction between two files is reported once, with both names.
    let stage = folder.join("ds.json");
    std::fs::write(&stage, "{\"train_micro_batch_size_per_gpu\": 4, \"zero_optimization\": {\"stage\": 2}}").unwrap();
    for command in ["lint", "read"] {
        let inputs = [command, run.to_str().unwrap(), stage.to_str().unwrap(), "--set", "cluster=8xH100"];
        let said = text(&shardwise(&inputs).stdout);
        assert!(said.contains("- SW102 micro_batch_size (") && said.contains("run.yaml) is 1 and"), "{said}");
        assert_eq!(said.matches("ds.json) is 4").count(), 1, "{said}");
    }
    // With all findings ignored, the status is 0 and nothing is written.
    let none = lint(&["--suggest", "--ignore", "SW1,SW2", "--ignore", "SW3", "--fix"]);
    assert_eq!(none.status.code(), Some(0), "{}", text(&none.stdout));
    assert_eq!(std::fs::read_to_string(&run).unwrap(), RUN);
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_plan_answers_by_its_status() {
    let own = "v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8&tokens=1T";
    let asked = ["plan", "cheapest", own, "--days", "30", "--cluster", "own", "--cluster", "dgx-h200"];
    let yes = shardwise(&asked);
    let said = text(&yes.stdout);
    assert_eq!(yes.status.code(), Some(0), "{said}");
    assert!(said.contains("DGX H200") && said.contains("(yours)") && said.contains("Best: v=1"), "{said}");
    let json = shardwise(&[&asked[..], &["--json"]].concat());
    let plan: Value = serde_json::from_slice(&json.stdout).unwrap();
    let ids = ["own".to_owned(), "dgx-h200".to_owned()];
    let same = api::plan::PlanRequest {
        question: "cheapest",
        limit: Some(30.0),
        batch: None,
        sure: None,
        clusters: &ids,
        hold: &[],
        most: 10,
    };
    assert_eq!(text(&json.stdout).trim(), api::plan(&api::Given::from(own), &same).unwrap());
    let best = &plan["answers"][0];
    let report: Value = serde_json::from_str(&own_report(best["link"].as_str().unwrap())).unwrap();
    assert_eq!((&report["mfu"], &report["run"]["cost_usd"]), (&best["mfu"], &best["cost_usd"]));
    let no = shardwise(&["plan", "fastest", own, "--budget", "10", "--cluster", "own"]);
    assert_eq!(no.status.code(), Some(1));
    assert!(text(&no.stdout).contains("The nearest is "), "{}", text(&no.stdout));
    for (arguments, said) in [
        (&["plan", "batch", own, "--cluster", "dgx-h200"][..], "is about the scenario's GPUs"),
        (&["plan", "fewest", own, "--cluster", "no-such"], "no cluster “no-such”"),
        (&["plan", "fewest", own, "--days", "3"], "Give --days only to `plan cheapest`"),
        (&["plan", "cheapest", own, "--days", "soon"], "write a number above 0"),
        (&["plan", "cheapest", own, "--batch", "0"], "write a number above 0"),
        (&["plan", "cheapest", own, "--sure", "120"], "write a percentage"),
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

/// A sentence is a command. Its interpretation is printed first, and unknown words are refused.
#[test]
fn a_sentence_is_an_estimate_or_a_plan() {
    let run = shardwise(&["llama 3.1 8b qlora on 2x4090, 4k, gradient checkpointing"]);
    let said = text(&run.stdout);
    assert_eq!(run.status.code(), Some(0), "{said}{}", text(&run.stderr));
    assert!(
        said.contains("“2x4090”: 2 GPUs, RTX 4090.") && said.contains("Assumed: ") && said.contains("Fits"),
        "{said}"
    );
    let same = shardwise(&["estimate", "llama 3.1 8b qlora on 2x4090, 4k, gradient checkpointing"]);
    assert_eq!(text(&same.stdout), said);
    let plan = shardwise(&["7B, 300B tokens, 30 days on H100, cheapest"]);
    let said = text(&plan.stdout);
    assert!(said.contains("Asked for: the cheapest run within 30 days.") && said.contains("Best: v=1"), "{said}");
    let unread = shardwise(&["llama 3.1 8b on 8 H100 with hyperdrive"]);
    assert_eq!(unread.status.code(), Some(2));
    assert!(text(&unread.stderr).contains("“hyperdrive” was not understood."), "{}", text(&unread.stderr));
    assert_eq!(shardwise(&["estimate", "does it fit?"]).status.code(), Some(2));
    assert!(text(&shardwise(&["estimate", "nofile.yml"]).stderr).starts_with("nofile.yml is neither a file"));
}

#[test]
fn an_input_without_a_command_is_estimated() {
    let link = "v=1&cluster=dgx-h100&model=llama-3-8b&gpus=64";
    let estimated = text(&shardwise(&["estimate", link]).stdout);
    let json = own_report(link);
    for input in [link, &format!("https://example.org/#{link}"), json.as_str()] {
        assert_eq!(text(&shardwise(&[input]).stdout), estimated, "{input}");
    }
    let run = file("runs/axolotl/llama-3-lora-8b.yaml");
    let said = text(&shardwise(&[&run, "--set", "cluster=8xH100"]).stdout);
    assert!(said.starts_with("A run of Axolotl") && said.contains("Fits"), "{said}");
    assert_eq!(text(&shardwise(&["estimate", &run, "--set", "cluster=8xH100"]).stdout), said);
    assert!(text(&shardwise(&["nofile.yml"]).stderr).starts_with("nofile.yml is neither a file"));
    assert!(text(&shardwise(&["estmate"]).stderr).contains("'estimate'"));
}

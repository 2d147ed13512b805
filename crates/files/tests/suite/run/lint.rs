//! Tests of the linter's findings: codes, combined changes, duplicates.

use engine::model::report::Report;
use engine::scenario::Scenario;
use files::brought::{Item, import_items};
use files::run::{
    Changes, File, Finding, RULES, Severity, explain, lint, prefixes, read_run, rule, rules_table, write_back,
};
use links::decode::decode;

/// The page of the book that lists the codes.
const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/book/lint.md");

fn file(name: &str, text: &str) -> File {
    File::new(name, text)
}

fn base() -> Scenario {
    decode("cluster=dgx-h100&gpus=8").scenario
}

fn linted(files: &[File]) -> Vec<Finding> {
    let run = read_run(files, &base()).unwrap();
    lint(&run, files, &base())
}

/// Writes a fix into the files and returns the scenario read from them.
fn fixed(files: &[File], finding: &Finding) -> Scenario {
    let written: Vec<File> = files
        .iter()
        .enumerate()
        .map(|(place, file)| {
            let changes: Vec<_> = finding.fix.iter().filter(|change| change.file == place).cloned().collect();
            File::new(file.name.clone(), write_back(file, &changes))
        })
        .collect();
    read_run(&written, &base()).unwrap().scenario
}

fn expected(report: &Report) -> f64 {
    report.update.tokens_per_s_per_gpu * report.odds()
}

fn sequences(scenario: &Scenario) -> u32 {
    scenario.micro_batch_size * scenario.grad_accum_steps * scenario.degrees().dp
}

#[test]
fn every_code_is_explained() {
    assert!(RULES.is_sorted_by(|one, other| one.code < other.code), "codes are unique and in order");
    for entry in &RULES {
        let ends = entry.explanation.matches(". ").count() + 1;
        assert!((2..=4).contains(&ends), "{}: {ends} sentences", entry.code);
        assert!(entry.explanation.ends_with('.') && !entry.explanation.contains(['|', '\n']), "{}", entry.code);
        let severity = match entry.code.get(..3) {
            Some("SW1") => Severity::Error,
            Some("SW2") => Severity::Warning,
            _ => Severity::Note,
        };
        assert_eq!(entry.severity, severity, "{}", entry.code);
        let said = explain(&entry.code.to_lowercase()).unwrap();
        assert!(said.starts_with(entry.code) && said.contains(entry.explanation), "{said}");
    }
    let said = explain("SW999").unwrap_err();
    assert!(said.contains("SW999") && RULES.iter().all(|rule| said.contains(rule.code)) && said.ends_with('.'));
    let lists = ["SW201, sw3".to_owned(), "SW1,".to_owned()];
    assert_eq!(prefixes(&lists).unwrap(), ["SW201", "SW3", "SW1"]);
    assert!(prefixes(&["SW201,SW9".to_owned()]).unwrap_err().contains("“SW9”"));
}

#[test]
fn the_book_has_the_table_of_codes() {
    let page = std::fs::read_to_string(PAGE).unwrap();
    let table = rules_table();
    let (before, rest) = page.split_once("| code |").unwrap();
    let after = rest.split_once("\n\n").map_or("", |(_, after)| after);
    let right = format!("{before}{table}\n{after}");
    expect_test::expect_file![PAGE].assert_eq(&right);
}

/// Adapters whose micro-batch of 32 needs a terabyte; 32 micro-batches of one sequence make an
/// equal step.
const LARGE_MICRO_BATCH: &str = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nsample_packing: true\n\
                                 flash_attention: true\nbf16: auto\nadapter: lora\nlora_r: 16\nlora_target_linear: true\n\
                                 micro_batch_size: 32\ngradient_accumulation_steps: 1\ngradient_checkpointing: false\n\
                                 datasets:\n  - path: x\n";

#[test]
fn settings_come_before_another_training() {
    let files = [file("fix_order.yml", LARGE_MICRO_BATCH)];
    let findings = linted(&files);
    assert_eq!((findings[0].code, findings[0].severity), ("SW101", Severity::Error));
    let before = read_run(&files, &base()).unwrap().scenario;
    let fixes = &findings[1..];
    assert!(!fixes.is_empty());
    for finding in fixes {
        assert!(finding.changes < Changes::Training && finding.code.starts_with("SW2"), "{finding:?}");
        assert!(fixed(&files, finding).report().fits(), "{finding:?}");
    }
    let first = fixed(&files, &fixes[0]);
    assert_eq!((first.seq_len, sequences(&first)), (before.seq_len, sequences(&before)));
    // The fix with the fewest settings is offered too.
    let alone = |finding: &&Finding| {
        let changes: Vec<_> = finding.fix.iter().map(|change| (change.key.as_str(), change.to.as_str())).collect();
        changes == [("micro_batch_size", "1"), ("gradient_accumulation_steps", "32")]
    };
    assert!(fixes.iter().any(|finding| finding.code == "SW202" && alone(&finding)), "{fixes:?}");
}

/// Returns files of a run that trains all weights of an 8B model, which no single key makes fit.
fn joint_files(micro: u32, accum: u32, checkpointing: bool, liger: bool, stage: u32, offload: &str) -> [File; 2] {
    let yaml = format!(
        "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\ndo_train: true\nfinetuning_type: full\ncutoff_len: 8192\n\
         packing: true\nper_device_train_batch_size: {micro}\ngradient_accumulation_steps: {accum}\nbf16: true\n\
         disable_gradient_checkpointing: {}\nenable_liger_kernel: {liger}\ndeepspeed: ds.json\n",
        !checkpointing
    );
    let json = format!(
        "{{\n  \"train_micro_batch_size_per_gpu\": \"auto\",\n  \"bf16\": {{\"enabled\": true}},\n  \"zero_optimization\": {{\n    \
         \"stage\": {stage},\n    \"offload_optimizer\": {{\"device\": \"{offload}\"}}\n  }}\n}}\n"
    );
    [file("sft.yaml", &yaml), file("ds.json", &json)]
}

#[test]
fn what_no_key_does_alone_is_searched_together() {
    let files = joint_files(8, 2, false, false, 1, "none");
    let before = read_run(&files, &base()).unwrap().scenario;
    assert!(!before.report().fits());
    let findings = linted(&files);
    let first = findings.iter().find(|finding| !finding.fix.is_empty()).unwrap();
    assert!(first.fix.len() > 1 && first.changes == Changes::Nothing, "{findings:?}");
    // Every combination of these keys, tried by hand: no single key fits, and none is worth more.
    let offered = fixed(&files, first);
    assert_eq!(sequences(&offered), sequences(&before));
    let mut fitting = 0;
    let mut best = 0.0_f64;
    for (micro, accum) in [(16, 1), (8, 2), (4, 4), (2, 8), (1, 16)] {
        for (checkpointing, liger) in [(false, false), (false, true), (true, false), (true, true)] {
            for (stage, offload) in (0..4).flat_map(|stage| [(stage, "none"), (stage, "cpu")]) {
                let tried = joint_files(micro, accum, checkpointing, liger, stage, offload);
                let run = read_run(&tried, &base()).unwrap();
                let report = run.scenario.report();
                if !report.fits() || !run.contradictions.is_empty() {
                    continue;
                }
                let groups = [micro != 8, checkpointing, liger, stage != 1, offload != "none"];
                let changed = groups.iter().filter(|changed| **changed).count();
                assert!(changed > 1, "{micro} {checkpointing} {liger} {stage} {offload} fits alone");
                fitting += 1;
                best = best.max(expected(&report));
            }
        }
    }
    assert!(fitting > 10, "{fitting}");
    assert!(expected(&offered.report()) > 0.96 * best, "{} {best} {first:?}", expected(&offered.report()));
}

#[test]
fn a_finding_has_the_code_of_what_it_changes() {
    let toml = |mode: &str, local: u32, global: u32| {
        format!(
            "[model]\nname = \"llama3\"\nflavor = \"8B\"\n[training]\nlocal_batch_size = {local}\nglobal_batch_size = {global}\n\
             seq_len = 4096\n[parallelism]\ndata_parallel_shard_degree = 8\n[activation_checkpoint]\nmode = \"{mode}\"\n"
        )
    };
    let recomputed = linted(&[file("train.toml", &toml("full", 1, 8))]);
    assert!(recomputed.iter().any(|finding| finding.code == "SW201" && finding.gain.is_some()), "{recomputed:?}");
    for finding in &recomputed {
        let severity = rule(finding.code).unwrap().severity;
        assert_eq!(finding.severity, severity, "{finding:?}");
    }
    // The finding's JSON and the offer have code and severity.
    let json = serde_json::to_value(&recomputed[0]).unwrap();
    assert_eq!((&json["code"], &json["severity"]), (&recomputed[0].code.into(), &"warning".into()));
    let item = Item { name: Some("train.toml".into()), bytes: toml("full", 1, 8).into_bytes() };
    let offers = import_items(&[item], &base()).unwrap().offers;
    let codes: Vec<_> = offers.iter().map(|offer| offer.code.as_deref().unwrap()).collect();
    assert_eq!(codes, recomputed.iter().map(|finding| finding.code).collect::<Vec<_>>());
}

#[test]
fn a_contradiction_of_two_files_names_both_and_is_said_once() {
    let yaml = "model_name_or_path: meta-llama/Llama-3.1-8B\nstage: sft\nfinetuning_type: lora\ncutoff_len: 2048\n\
                per_device_train_batch_size: 4\ngradient_accumulation_steps: 2\nbf16: true\ndeepspeed: ds.json\n";
    let json = "{\"train_micro_batch_size_per_gpu\": 8, \"gradient_accumulation_steps\": 4, \"zero_optimization\": {\"stage\": 2}}";
    let findings = linted(&[file("sft.yaml", yaml), file("ds.json", json)]);
    let said: Vec<_> = findings.iter().filter(|finding| finding.code == "SW102").collect();
    for keys in [
        ["per_device_train_batch_size", "train_micro_batch_size_per_gpu"],
        ["gradient_accumulation_steps", "gradient_accumulation_steps"],
    ] {
        let both = |finding: &&&Finding| {
            let what = &finding.what;
            what.contains(&format!("{} (sft.yaml)", keys[0])) && what.contains(&format!("{} (ds.json)", keys[1]))
        };
        assert_eq!(said.iter().filter(both).count(), 1, "{said:?}");
    }
    for (place, finding) in findings.iter().enumerate() {
        assert!(!findings[..place].iter().any(|other| other.what == finding.what && other.fix == finding.fix));
    }
    // A single file needs no name.
    let alone = "num_layers: 32\nhidden_size: 4096\nseq_length: 2048\nmicro_batch_size: 3\nglobal_batch_size: 64\n";
    let findings = linted(&[file("alone.yaml", alone)]);
    assert!(findings.iter().any(|finding| finding.code == "SW102"), "{findings:?}");
    assert!(findings.iter().all(|finding| !finding.what.contains("alone.yaml")), "{findings:?}");
}

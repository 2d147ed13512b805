//! `lint --fix` loses no data: if writing fails, files are unchanged, and otherwise only the named
//! values change.
#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test stops where its data is wrong")]

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown, symlink};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A run that fits on eight GPUs with a smaller micro-batch and an unchanged global batch.
const RUN: &str = "base_model: &model meta-llama/Llama-3.1-8B  # the base\nsequence_len: 4096\nsample_packing: true\n\
                   flash_attention: true\nbf16: auto\nadapter: lora\nlora_r: 16\nlora_target_linear: true\n\
                   micro_batch_size: 32  # of one GPU\ngradient_accumulation_steps: 1\ngradient_checkpointing: false\n\
                   tokenizer: *model\ndatasets:\n  - path: texts\n";
/// A run that no safe change makes fit: its sequence is too long.
const LONG: &str = "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 262144\nmicro_batch_size: 1\nadapter: lora\n\
                    lora_r: 16\nchunked_cross_entropy: true\ngradient_accumulation_steps: 1\ngradient_checkpointing: true\n\
                    bf16: true\nsample_packing: true\nflash_attention: true\n";

/// Creates an empty folder for a test.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("shardwise-fix-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn fix_with(folder: &Path, arguments: &[&str], stop: &str) -> Output {
    let mut lint = Command::new(env!("CARGO_BIN_EXE_shardwise"));
    lint.current_dir(folder).args(["lint", "--fix", "--suggest", "--set", "cluster=dgx-h100", "--set", "gpus=8"]);
    lint.args(arguments).env("SHARDWISE_STOP", stop).output().unwrap()
}

fn fix(folder: &Path, arguments: &[&str]) -> Output {
    fix_with(folder, arguments, "")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Lists temporary files left in a folder.
fn left_over(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned());
    names.filter(|name| Path::new(name).extension().is_some_and(|end| end == "tmp")).collect()
}

#[test]
fn a_fix_keeps_the_training_and_everything_else_of_the_file() {
    let folder = folder("keeps");
    let run = folder.join("run.yml");
    fs::write(&run, RUN).unwrap();
    fs::set_permissions(&run, fs::Permissions::from_mode(0o640)).unwrap();
    let output = fix(&folder, &["run.yml"]);
    assert!(said(&output).contains("run.yml was written."), "{}", said(&output));
    let written = fs::read_to_string(&run).unwrap();
    // Global batch and sequence length are unchanged; comments and anchors are kept.
    let number = |key: &str| -> u32 {
        let line = written.lines().find(|line| line.starts_with(key)).unwrap();
        line.split([':', '#']).nth(1).unwrap().trim().parse().unwrap()
    };
    assert_eq!(number("micro_batch_size") * number("gradient_accumulation_steps"), 32, "{written}");
    assert_eq!(number("sequence_len"), 4096);
    assert!(
        written.contains("# of one GPU") && written.contains("&model meta") && written.contains("*model"),
        "{written}"
    );
    let changed = RUN.lines().zip(written.lines()).filter(|(before, after)| before != after).count();
    assert!((1..=3).contains(&changed), "{written}");
    // What is added comes after all that was there.
    let added: Vec<&str> = written.lines().skip(RUN.lines().count()).collect();
    assert!(added.iter().all(|line| line.contains(": ")) && added.len() <= 4, "{written}");
    assert_eq!(fs::metadata(&run).unwrap().permissions().mode() & 0o777, 0o640);
    // The run fits now, and a second fix changes nothing.
    assert!(!said(&fix(&folder, &["run.yml"])).contains("does not fit"));
    let again = fs::read_to_string(&run).unwrap();
    fix(&folder, &["run.yml"]);
    assert_eq!(fs::read_to_string(&run).unwrap(), again);
    assert_eq!(left_over(&folder), [""; 0]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_trained_changes_only_where_it_is_asked_for() {
    let folder = folder("unsafe");
    fs::write(folder.join("run.yml"), LONG).unwrap();
    // A single GPU has no alternative layouts.
    let output = fix(&folder, &["run.yml", "--set", "gpus=1"]);
    assert!(said(&output).contains("--unsafe-fixes writes them"), "{}", said(&output));
    assert_eq!(fs::read_to_string(folder.join("run.yml")).unwrap(), LONG);
    let output = fix(&folder, &["--unsafe-fixes", "run.yml", "--set", "gpus=1"]);
    assert!(said(&output).contains("run.yml was written."), "{}", said(&output));
    assert_ne!(fs::read_to_string(folder.join("run.yml")).unwrap(), LONG);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn two_files_of_one_name_are_told_apart() {
    let folder = folder("same");
    for name in ["a", "b"] {
        fs::create_dir(folder.join(name)).unwrap();
    }
    fs::write(folder.join("a/run.yml"), RUN).unwrap();
    let stage = "{\"zero_optimization\": {\"stage\": 2}, \"train_micro_batch_size_per_gpu\": \"auto\"}\n";
    fs::write(folder.join("b/run.yml"), stage).unwrap();
    let output = fix(&folder, &["b/run.yml", "a/run.yml"]);
    let (one, other) =
        (fs::read_to_string(folder.join("a/run.yml")).unwrap(), fs::read_to_string(folder.join("b/run.yml")).unwrap());
    assert!(one.starts_with("base_model") && other.starts_with("{\"zero_optimization\""), "{}", said(&output));
    // Two runs stay separate: neither is written into the other.
    fs::write(folder.join("b/run.yml"), RUN.replace("8B", "70B")).unwrap();
    let output = fix(&folder, &["b/run.yml", "a/run.yml"]);
    assert!(said(&output).contains("2 runs: "), "{}", said(&output));
    for (name, size) in [("a", "-8B"), ("b", "-70B")] {
        let text = fs::read_to_string(folder.join(name).join("run.yml")).unwrap();
        assert!(text.starts_with("base_model") && text.contains(size), "{text}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn every_failure_leaves_every_byte() {
    let folder = folder("failures");
    let run = folder.join("run.yml");
    // If the program is killed at any step, the file is either the old or the new one.
    for step in ["created", "half written", "synced", "renamed"] {
        fs::write(&run, RUN).unwrap();
        let output = fix_with(&folder, &["run.yml"], step);
        assert!(output.status.code().is_none(), "{step}: {}", said(&output));
        let left = fs::read_to_string(&run).unwrap();
        if step == "renamed" {
            assert!(left.contains("base_model") && left != RUN && left.contains("path: texts\n"), "{left}");
        } else {
            assert_eq!(left, RUN, "{step}");
        }
    }
    for name in left_over(&folder) {
        fs::remove_file(folder.join(name)).unwrap();
    }
    // The disk is full.
    fs::write(&run, RUN).unwrap();
    let script = format!(
        "trap '' XFSZ; ulimit -f 0; {} lint --fix --suggest run.yml --set cluster=8xH100",
        env!("CARGO_BIN_EXE_shardwise")
    );
    let full = Command::new("bash").current_dir(&folder).args(["-c", &script]).output().unwrap();
    assert_eq!(full.status.code(), Some(2), "{}", said(&full));
    assert_eq!((fs::read_to_string(&run).unwrap(), left_over(&folder)), (RUN.to_owned(), vec![]), "{}", said(&full));
    // The file is read-only.
    fs::set_permissions(&run, fs::Permissions::from_mode(0o444)).unwrap();
    let output = fix(&folder, &["run.yml"]);
    assert!(output.status.code() == Some(2) && said(&output).contains("is read-only"), "{}", said(&output));
    assert_eq!(fs::read_to_string(&run).unwrap(), RUN);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn encodings_line_ends_and_links_stay() {
    let folder = folder("encodings");
    let run = folder.join("run.yml");
    let utf_16 = |write: fn(u16) -> [u8; 2], text: &str| text.encode_utf16().flat_map(write).collect::<Vec<u8>>();
    let windows = RUN.replace('\n', "\r\n");
    let little = |text: &str| [&[0xff, 0xfe][..], &utf_16(u16::to_le_bytes, text)].concat();
    let big = |text: &str| [&[0xfe, 0xff][..], &utf_16(u16::to_be_bytes, text)].concat();
    let marked = |text: &str| [&[0xef, 0xbb, 0xbf][..], text.as_bytes()].concat();
    fs::write(&run, RUN).unwrap();
    fix(&folder, &["run.yml"]);
    let plain = fs::read_to_string(&run).unwrap();
    assert_ne!(plain, RUN);
    for (before, after) in [
        (little(RUN), little(&plain)),
        (big(RUN), big(&plain)),
        (marked(RUN), marked(&plain)),
        (windows.as_bytes().to_vec(), plain.replace('\n', "\r\n").into_bytes()),
        (RUN.trim_end().as_bytes().to_vec(), plain.trim_end().as_bytes().to_vec()),
    ] {
        fs::write(&run, &before).unwrap();
        let output = fix(&folder, &["run.yml"]);
        assert_eq!(fs::read(&run).unwrap(), after, "{}", said(&output));
    }
    // A link stays a link, and its target is written.
    fs::write(&run, RUN).unwrap();
    symlink("run.yml", folder.join("link.yml")).unwrap();
    fix(&folder, &["link.yml"]);
    assert!(fs::symlink_metadata(folder.join("link.yml")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&run).unwrap(), plain);
    fs::remove_dir_all(folder).unwrap();
}

/// A user without rights.
const NOBODY: u32 = 65534;

/// Fixes `run.yml` as a user without rights: root may write everywhere.
fn fix_as_nobody(folder: &Path) -> Output {
    let mut lint = Command::new(folder.join("shardwise"));
    lint.current_dir(folder).args([
        "lint",
        "--fix",
        "--suggest",
        "--set",
        "cluster=dgx-h100",
        "--set",
        "gpus=8",
        "run.yml",
    ]);
    if is_root() {
        lint.uid(NOBODY).gid(NOBODY);
    }
    lint.output().unwrap()
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0)
}

#[test]
fn owner_mode_and_attributes_stay() {
    let folder = folder("owner");
    let run = folder.join("run.yml");
    fs::write(&run, RUN).unwrap();
    if is_root() {
        chown(&run, Some(1000), Some(1001)).unwrap();
    }
    fs::set_permissions(&run, fs::Permissions::from_mode(0o604)).unwrap();
    // Not every file system has attributes.
    let has_attributes = xattr::set(&run, "user.note", b"x").is_ok();
    let before = fs::metadata(&run).unwrap();
    let output = fix(&folder, &["run.yml"]);
    assert!(said(&output).contains("run.yml was written."), "{}", said(&output));
    let after = fs::metadata(&run).unwrap();
    assert_ne!(fs::read_to_string(&run).unwrap(), RUN);
    assert_eq!((after.uid(), after.gid(), after.mode()), (before.uid(), before.gid(), before.mode()));
    assert!(after.ino() != before.ino(), "the file was replaced");
    let note = xattr::get(&run, "user.note").ok().flatten();
    assert_eq!(note.as_deref(), has_attributes.then_some(&b"x"[..]));
    assert_eq!(left_over(&folder), [""; 0]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_with_two_names_is_written_in_place() {
    let folder = folder("names");
    let (run, other) = (folder.join("run.yml"), folder.join("other.yml"));
    fs::write(&run, RUN).unwrap();
    fs::hard_link(&run, &other).unwrap();
    // The program is killed: the old text is in the file or in a copy.
    for step in ["copied", "synced", "half overwritten", "renamed"] {
        fs::write(&run, RUN).unwrap();
        let output = fix_with(&folder, &["run.yml"], step);
        assert!(output.status.code().is_none(), "{step}: {}", said(&output));
        let is_old = fs::read_to_string(&run).unwrap() == RUN;
        assert!(is_old || matches!(step, "half overwritten" | "renamed"), "{step}");
        assert!(!is_old || step != "renamed");
        let copies = left_over(&folder);
        if step == "renamed" {
            assert_eq!(copies, [""; 0]);
        } else {
            assert_eq!(copies.len(), 1, "{step}: {copies:?}");
            assert_eq!(fs::read_to_string(folder.join(&copies[0])).unwrap(), RUN, "{step}");
        }
        for name in &copies {
            fs::remove_file(folder.join(name)).unwrap();
        }
    }
    // A shorter text leaves nothing of the longer one.
    fs::write(&run, RUN.replace("gradient_accumulation_steps: 1\n", "gradient_accumulation_steps: 0000000001\n"))
        .unwrap();
    let output = fix(&folder, &["run.yml"]);
    assert!(said(&output).contains("run.yml was written."), "{}", said(&output));
    let written = fs::read_to_string(&run).unwrap();
    assert!(written != RUN && written.contains("path: texts\n"), "{written}");
    assert_eq!(fs::read_to_string(&other).unwrap(), written);
    assert_eq!(left_over(&folder), [""; 0]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_is_written_in_place_where_nothing_may_be_created_or_its_owner_cannot_be_set() {
    let folder = folder("closed");
    let run = folder.join("run.yml");
    for (of_folder, owner) in [(0o555, NOBODY), (0o777, 1000)] {
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        let _ = fs::remove_file(&run);
        fs::write(&run, RUN).unwrap();
        fs::set_permissions(&run, fs::Permissions::from_mode(0o666)).unwrap();
        if is_root() {
            chown(&run, Some(owner), Some(owner)).unwrap();
        }
        let before = fs::metadata(&run).unwrap();
        // The folder of the build may be closed to others. A copy by this process could not be run
        // while a process that another test started holds it open.
        let copied = Command::new("cp").arg(env!("CARGO_BIN_EXE_shardwise")).arg(folder.join("shardwise")).status();
        assert!(copied.unwrap().success());
        fs::set_permissions(&folder, fs::Permissions::from_mode(of_folder)).unwrap();
        let output = fix_as_nobody(&folder);
        assert!(said(&output).contains("run.yml was written."), "{}", said(&output));
        let after = fs::metadata(&run).unwrap();
        assert_ne!(fs::read_to_string(&run).unwrap(), RUN);
        assert_eq!((after.uid(), after.mode()), (before.uid(), before.mode()));
        assert!(after.ino() == before.ino() || !is_root(), "the file was replaced");
    }
    // Whoever may not write the file does not replace it either.
    fs::write(&run, RUN).unwrap();
    fs::set_permissions(&run, fs::Permissions::from_mode(0o644)).unwrap();
    if is_root() {
        let output = fix_as_nobody(&folder);
        assert!(output.status.code() == Some(2) && said(&output).contains("is unchanged"), "{}", said(&output));
        assert_eq!(fs::read_to_string(&run).unwrap(), RUN);
    }
    assert_eq!(left_over(&folder), [""; 0]);
    fs::remove_dir_all(folder).unwrap();
}

/// Runs whose first finding leads to a second one.
const SECOND: [&str; 3] = [
    "torchtitan/llama3-llama3_70b.toml",
    "llama-factory/extras-adam_mini-qwen2_full_sft.yaml",
    "megatron-lm/gptoss-02_train.sh",
];

#[test]
fn what_is_fixed_is_fixed_once() {
    let folder = folder("once");
    for path in SECOND {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/runs").join(path);
        let before = fs::read_to_string(from).unwrap();
        let name = Path::new(path).file_name().unwrap().to_str().unwrap();
        let run = folder.join(name);
        fs::write(&run, &before).unwrap();
        let output = fix(&folder, &[name]);
        let once = fs::read_to_string(&run).unwrap();
        assert_ne!(once, before, "{}", said(&output));
        let output = fix(&folder, &[name]);
        assert_eq!(fs::read_to_string(&run).unwrap(), once, "{}", said(&output));
    }
    fs::remove_dir_all(folder).unwrap();
}

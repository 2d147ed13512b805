//! Runs the examples of README, book and help unchanged.

#![allow(clippy::unwrap_used, reason = "a test stops where its data is wrong")]

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output};

/// Input files of the examples, with the names used in the documentation.
const FILES: [(&str, &str); 4] = [
    (
        "axolotl.yaml",
        "base_model: meta-llama/Llama-3.1-8B\nsequence_len: 4096\nsample_packing: true\nmicro_batch_size: 1\n\
         gradient_accumulation_steps: 8\ngradient_checkpointing: true\nbf16: true\ndeepspeed: ds_config.json\n",
    ),
    ("ds_config.json", "{\"zero_optimization\": {\"stage\": 3}, \"train_micro_batch_size_per_gpu\": \"auto\"}\n"),
    (
        "error.txt",
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 7.81 GiB. GPU 0 has a total capacity of 79.10 GiB of which \
         3.10 GiB is free.\n",
    ),
    ("config.json", include_str!("../../tests/configs/llama-3.1-8b.json")),
];

/// Returns the commands in a text: lines that begin with the program's name.
fn commands(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with("shardwise ")).collect()
}

/// A temporary folder with the input files, in which commands run.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("shardwise-{name}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in FILES {
            fs::write(folder.join(file), text).unwrap();
        }
        Self(folder)
    }

    /// Runs lines of a shell with the program in the path. They must leave standard error empty,
    /// and end with status 0 or 1: 1 means that the run does not fit, or that there are findings.
    fn ran(&self, lines: &str) -> String {
        let program = std::path::Path::new(env!("CARGO_BIN_EXE_shardwise")).parent().unwrap().to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let path = std::env::join_paths(core::iter::once(program).chain(std::env::split_paths(&path))).unwrap();
        let mut command = Command::new("bash");
        command.current_dir(&self.0).env("PATH", path).args(["-c", lines]);
        let Output { status, stdout, stderr } = command.output().unwrap();
        let said = String::from_utf8_lossy(&stderr);
        assert!(matches!(status.code(), Some(0 | 1)) && said.is_empty(), "{lines}: {status:?} {said}");
        assert!(!stdout.is_empty(), "{lines}");
        String::from_utf8(stdout).unwrap()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays is no failure of a test.
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_examples_of_the_documentation_run() {
    let folder = Folder::new("docs");
    let help = folder.ran("shardwise --help");
    let texts = [
        include_str!("../../README.md"),
        include_str!("../README.md"),
        include_str!("../../docs/book/programs.md"),
        include_str!("../../docs/book/lint.md"),
        help.as_str(),
    ];
    let all: BTreeSet<&str> = texts.iter().flat_map(|text| commands(text)).collect();
    assert!(all.len() >= 7, "{all:?}");
    for line in all {
        folder.ran(line);
    }
}

/// Pages whose blocks of commands are followed by some of the lines that they print.
const SHOWN: [&str; 5] = ["faq.md", "jobs.md", "tutorials/agents.md", "tutorials/ci.md", "tutorials/shell.md"];

/// Returns the printed line that a shown line was taken from: itself, or the one that begins alike.
fn taken_from<'a>(shown: &str, printed: &'a str) -> &'a str {
    let alike = |line: &str| line.chars().zip(shown.chars()).take_while(|(one, other)| one == other).count();
    let best = printed.lines().max_by_key(|line| (*line == shown, alike(line)));
    best.filter(|line| *line == shown || alike(line) >= 4).unwrap_or("NOT PRINTED")
}

/// Holds the shown lines against what is printed; `UPDATE_EXPECT=1` writes them anew.
#[test]
fn the_blocks_of_the_book_run_and_print_the_lines_below_them() {
    let mut shown = 0;
    for name in SHOWN {
        let path = format!("{}/../docs/book/{name}", env!("CARGO_MANIFEST_DIR"));
        let page = fs::read_to_string(&path).unwrap();
        let folder = Folder::new("blocks");
        let mut printed = String::new();
        let parts = page.split("```").enumerate().map(|(place, part)| match part.split_once('\n') {
            Some(("sh", text)) if place % 2 == 1 && !text.starts_with("pip install") => {
                printed = folder.ran(text);
                part.to_owned()
            }
            Some(("text", text)) if place % 2 == 1 => {
                shown += text.lines().count();
                let lines: Vec<&str> = text.lines().map(|line| taken_from(line, &printed)).collect();
                format!("text\n{}\n", lines.join("\n"))
            }
            _ => part.to_owned(),
        });
        let now = parts.collect::<Vec<_>>().join("```");
        expect_test::expect_file![path].assert_eq(&now);
    }
    assert!(shown > 15, "{shown} lines");
}

/// The book shows part of the output for a sentence.
#[test]
fn the_book_shows_what_a_sentence_prints() {
    let book = include_str!("../../docs/book/programs.md");
    let (_, after) = book.split_once("```text\nAssumed: ").unwrap();
    let (shown, _) = after.split_once("\n```").unwrap();
    let sentence = "llama 3.1 8b qlora on 2x4090, 8k";
    let output = Command::new(env!("CARGO_BIN_EXE_shardwise")).arg(sentence).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    for line in format!("Assumed: {shown}").lines() {
        assert!(printed.lines().any(|one| one == line), "{line} is not printed:\n{printed}");
    }
}

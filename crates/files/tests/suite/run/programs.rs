//! Tests of detection: each recorded file belongs to its program and to no other, and files of
//! programs without a reader are refused by name.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use catalog::default_scenario;
use catalog::programs::Program;
use files::brought::{Import, ImportKind, Item, import_items};
use files::run::{File, read_run};

const TESTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests");

/// Returns the files below a folder, if there is one.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found.extend(below(&entry.path()));
        } else {
            found.push(entry.path());
        }
    }
    found.sort();
    found
}

fn file(path: &Path) -> File {
    File::new(path.file_name().unwrap().to_string_lossy(), std::fs::read_to_string(path).unwrap())
}

fn brought(name: Option<&str>, text: &str) -> Result<Import, String> {
    import_items(&[Item { name: name.map(str::to_owned), bytes: text.into() }], &default_scenario())
}

#[test]
fn every_recorded_run_is_of_its_own_program() {
    let mut count = 0;
    for program in Program::ALL {
        let folder = format!("{TESTS}/runs/{}", program.key());
        for path in below(Path::new(&folder)) {
            let file = file(&path);
            let run = read_run(std::slice::from_ref(&file), &default_scenario());
            assert_eq!(run.map(|run| run.formats[0]), Ok(program), "{}", path.display());
            count += 1;
            // A pasted file has no name and is detected too.
            if count % 8 > 0 {
                continue;
            }
            let pasted = brought(None, &file.text).unwrap_or_else(|said| panic!("{}: {said}", path.display()));
            assert!(
                pasted.said.starts_with(&format!("A run of {}", program.name())),
                "{}: {}",
                path.display(),
                pasted.said
            );
        }
    }
    assert!(count > 250, "{count}");
}

#[test]
fn every_exported_file_and_every_model_is_of_its_own_kind() {
    let mut formats: Vec<&str> = Vec::new();
    for path in below(Path::new(&format!("{TESTS}/exports/expected"))) {
        let file = file(&path);
        // No reader accepts scripts of PyTorch.
        if let Ok(run) = read_run(&[file], &default_scenario()) {
            formats.push(run.formats[0].name());
        }
    }
    assert!(formats.len() >= 5, "{formats:?}");
    for path in below(Path::new(&format!("{TESTS}/configs"))) {
        let file = file(&path);
        if path.extension().is_none_or(|end| end != "json") {
            continue;
        }
        let brought = brought(Some(&file.name), &file.text);
        assert!(
            matches!(brought.as_ref().map(|brought| brought.kind), Ok(ImportKind::Model | ImportKind::Adapter)),
            "{}: {brought:?}",
            path.display()
        );
    }
}

/// Returns the blocks of a recorded file: the lines after `source` and `scenario`.
fn blocks(path: &str) -> Vec<String> {
    let text = std::fs::read_to_string(format!("{TESTS}/{path}")).unwrap();
    let blocks = text.split("\n\n").filter(|block| block.starts_with("source"));
    let said = |line: &&str| !line.starts_with("source ") && !line.starts_with("scenario ");
    blocks.map(|block| block.lines().filter(said).collect::<Vec<_>>().join("\n")).collect()
}

#[test]
fn every_recorded_log_and_error_is_of_its_own_kind() {
    for (path, kind, least) in [
        ("logs/lines.txt", ImportKind::Measured, 10),
        ("logs/links.txt", ImportKind::Links, 3),
        ("errors/messages.txt", ImportKind::Error, 40),
    ] {
        let blocks = blocks(path);
        assert!(blocks.len() >= least, "{path}: {}", blocks.len());
        for block in blocks {
            let brought = brought(None, &block).map(|brought| brought.kind);
            assert_eq!(brought, Ok(kind), "{path}: {block}");
        }
    }
    for block in blocks("errors/others.txt") {
        let said = brought(None, &block).map_or_else(|said| said, |brought| brought.said);
        assert!(said.contains("This is an error"), "{block}: {said}");
    }
}

/// Parts of the sentences about a configuration of another program and about a notebook.
const NOT_READ: [&str; 2] = [", which shardwise does not read. ", " that is known. "];

/// Returns the files of `tests/runs/refused.txt`: the program, the name of the file, its text.
fn refused() -> Vec<(String, String, String)> {
    let text = std::fs::read_to_string(format!("{TESTS}/runs/refused.txt")).unwrap();
    let block = |block: &str| {
        let (heading, text) = block.split_once('\n').unwrap();
        let (program, name) = heading.split_once(" | ").unwrap();
        (program.to_owned(), name.to_owned(), text.trim_end().to_owned() + "\n")
    };
    text.split("\n=== ").skip(1).map(block).collect()
}

#[test]
fn files_of_programs_without_a_reader_are_refused_by_name() {
    let (mut programs, mut wrong) = (BTreeSet::new(), Vec::new());
    for (program, name, text) in refused().into_iter().filter(|(program, ..)| program != "nothing") {
        for name in [Some(name.as_str()), None] {
            let said = brought(name, &text).map_or_else(|said| said, |brought| brought.said);
            let is_notebook = program == "jupyter";
            if (!is_notebook && !said.contains(&program))
                || !said.contains(NOT_READ[usize::from(is_notebook)])
                || !said.ends_with('.')
            {
                wrong.push(format!("{program} {name:?}: {said}"));
            }
        }
        programs.insert(program);
    }
    assert!(wrong.is_empty() && programs.len() >= 36, "{}: {wrong:#?}", programs.len());
}

#[test]
fn files_of_no_program_that_trains_are_refused() {
    let nothing: Vec<_> = refused().into_iter().filter(|(program, ..)| program == "nothing").collect();
    assert!(nothing.len() >= 9);
    for (_, name, text) in nothing {
        for name in [Some(name.as_str()), None] {
            let said = brought(name, &text).map(|brought| brought.said).expect_err(&text);
            assert!(said.ends_with('.'), "{text}: {said}");
        }
    }
}

/// Files with common keys belong to no program, and the missing keys are named.
#[test]
fn common_keys_are_of_no_program_and_what_is_missing_is_said() {
    for (text, missing) in [
        ("micro_batch_size: 2\ngradient_accumulation_steps: 4\nlearning_rate: 1e-4\n", "base_model"),
        ("num_layers: 24\nhidden_size: 2048\nlearning_rate: 1e-4\n", "num_attention_heads"),
        ("model_name_or_path: gpt2\nmax_length: 512\ngradient_accumulation_steps: 2\n", "per_device_train_batch_size"),
        (
            "gradient_accumulation_steps: 4\ngradient_checkpointing: true\noptim: adamw\nnum_train_epochs: 3\n",
            "no configuration",
        ),
        ("batch_size: 8\nepochs: 3\nlr: 0.1\nmodel: resnet50\n", "no configuration"),
        ("python train.py --batch_size 8 --lr 1e-4 --bf16 --num_layers 12\n", "hidden_size"),
    ] {
        let said = read_run(&[File::new("", text)], &default_scenario()).unwrap_err();
        assert!(said.contains(missing) && said.ends_with('.'), "{text}: {said}");
    }
}

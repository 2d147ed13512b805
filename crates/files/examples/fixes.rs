//! Writes each recorded file that the linter changes, as it is and as changed, which
//! `tests/exports/fixes.py` reads with the programs' own validation:
//! `cargo run -p files --example fixes [FOLDER]`.
//! Files are taken as they are, and with micro-batches 8 times larger, which often do not fit.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use files::run::{Base, Change, File, lint, read_run, write_back};
use links::decode;

/// Default output folder.
const FOLDER: &str = "target/exports/fixes";
/// Programs whose validation `tests/exports/fixes.py` runs.
const PROGRAMS: [&str; 4] = ["axolotl", "deepspeed", "llama-factory", "trl"];
/// Keys of micro-batches.
const KEYS: [&str; 3] = ["micro_batch_size", "per_device_train_batch_size", "train_micro_batch_size_per_gpu"];
/// Factor of the larger micro-batches.
const LARGER: u32 = 8;

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = std::env::args().nth(1).map_or_else(|| root.join(FOLDER), PathBuf::from);
    match write(&root.join("tests/runs"), &folder) {
        Ok(count) => {
            println!("{count} changed files in {}", folder.display());
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("`{}` could not be written: {error}.", folder.display());
            ExitCode::FAILURE
        }
    }
}

/// Writes `PROGRAM/NAME/before` and `PROGRAM/NAME/after` for each file, and returns their number.
fn write(runs: &Path, folder: &Path) -> std::io::Result<usize> {
    let mut count = 0;
    for program in PROGRAMS {
        for entry in std::fs::read_dir(runs.join(program))?.flatten() {
            let Ok(text) = std::fs::read_to_string(entry.path()) else { continue };
            let name = entry.file_name().to_string_lossy().into_owned();
            let file = File::new(name.clone(), text);
            for (kind, file) in [("as-it-is", Some(file.clone())), ("larger", larger(&file))] {
                let Some((file, fixed)) = file.and_then(|file| Some((file.clone(), fixed(&file)?))) else { continue };
                let own = folder.join(program).join(format!("{name}-{kind}"));
                std::fs::create_dir_all(&own)?;
                std::fs::write(own.join("before"), file.text)?;
                std::fs::write(own.join("after"), fixed)?;
                count += 1;
            }
        }
    }
    Ok(count)
}

/// Returns a file with larger micro-batches; `None` if it says none.
fn larger(file: &File) -> Option<File> {
    let change = |line: &str| {
        let (key, value) = line.split_once(':')?;
        let is_micro = KEYS.contains(&key.trim().trim_matches('"'));
        let size: u32 = value.trim().trim_end_matches(',').parse().ok().filter(|_| is_micro)?;
        Some(Change {
            file: 0,
            key: key.trim().trim_matches('"').to_owned(),
            from: Some(size.to_string()),
            to: size.saturating_mul(LARGER).to_string(),
        })
    };
    let changes: Vec<Change> = file.text.lines().filter_map(change).collect();
    (!changes.is_empty()).then(|| File::new(file.name.clone(), write_back(file, &changes)))
}

/// Returns the text of a file with the first fix of the linter, on 8 H100.
fn fixed(file: &File) -> Option<String> {
    let base = Base::from(&decode("cluster=dgx-h100&gpus=8").scenario);
    let files = std::slice::from_ref(file);
    let run = read_run(files, &base).ok()?;
    let finding = lint(&run, files, &base).into_iter().find(|finding| !finding.fix.is_empty())?;
    Some(write_back(file, &finding.fix))
}

//! `cargo xtask fuzz`: runs the targets under `fuzz/`, each for a given time.
//!
//! libFuzzer comes with its crate, and stable Rust has the LLVM pass that counts edges, so neither
//! nightly nor cargo-fuzz is needed, only a C++ compiler. The address sanitizer would need nightly,
//! but the project has no `unsafe`.

use anyhow::{Context as _, Result, anyhow, bail};
use std::path::PathBuf;
use std::time::Duration;

use crate::shell::{cargo, output, program, root, run as run_program, step};

/// Default time for each target.
pub const USUAL: Duration = Duration::from_secs(60);

/// The compiler flags of cargo-fuzz, without the sanitizer.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

fn folder() -> PathBuf {
    root().join("fuzz")
}

/// Returns the names of the targets, which are those of the files in `fuzz/fuzz_targets`.
///
/// # Errors
/// When the folder does not exist.
pub fn targets() -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder().join("fuzz_targets")).context("fuzz/fuzz_targets is missing")?;
    let files = entries.flatten().map(|entry| entry.path());
    let rust = files.filter(|file| file.extension().is_some_and(|kind| kind == "rs"));
    let mut names: Vec<String> = rust.filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect();
    names.sort();
    Ok(names)
}

/// Runs one target, or all of them one after another, each for this time.
///
/// # Errors
/// When the target does not exist or does not compile, or an input makes it fail: libFuzzer prints
/// the input and writes it to `fuzz/artifacts`.
pub fn run(target: Option<&str>, time: Duration) -> Result<()> {
    let all = targets()?;
    let wanted: Vec<&String> = all.iter().filter(|name| target.is_none_or(|target| target == *name)).collect();
    if wanted.is_empty() {
        let unknown = target.unwrap_or_default();
        bail!("`{unknown}` is not a fuzz target; these are: {}.", all.join(", "));
    }
    wanted.into_iter().try_for_each(|name| run_target(name, time))
}

fn run_target(name: &str, time: Duration) -> Result<()> {
    let host = output(program("rustc").args(["--print", "host-tuple"]))
        .ok_or_else(|| anyhow!("rustc does not say which machine this is."))?;
    let (corpus, artifacts) = (folder().join("corpus").join(name), folder().join("artifacts").join(name));
    for place in [&corpus, &artifacts] {
        std::fs::create_dir_all(place).with_context(|| format!("{} could not be made", place.display()))?;
    }
    step(&format!("Fuzzing {name} for {} s", time.as_secs()));
    // With an explicit target triple, the flags apply to the project but not to build scripts.
    let mut fuzz =
        cargo(&["run", "--quiet", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", host.trim()]);
    fuzz.args(["--target-dir", "target/fuzz", "--bin", name, "--"]);
    fuzz.arg(corpus).arg(format!("-max_total_time={}", time.as_secs())).arg("-print_final_stats=1");
    fuzz.arg(format!("-artifact_prefix={}/", artifacts.display()));
    run_program(fuzz.env("RUSTFLAGS", FLAGS))
}

//! `cargo xtask fuzz`: the targets under `fuzz/`, each for a while.
//!
//! libFuzzer comes by its crate, and the compiler counts edges by a pass of LLVM that stable Rust has too: neither nightly nor
//! cargo-fuzz is needed, a C++ compiler is. The address sanitizer would need nightly; the project has no `unsafe`.

use anyhow::{Context as _, Result, anyhow, bail};
use std::path::PathBuf;
use std::time::Duration;

use crate::shell::{cargo, output, program, root, run as run_program, step};

/// How long each target runs where nobody says.
pub const USUAL: Duration = Duration::from_secs(60);

/// What cargo-fuzz asks of the compiler, but for the sanitizer.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

fn folder() -> PathBuf {
    root().join("fuzz")
}

/// The names of the targets, which are those of the files in `fuzz/fuzz_targets`.
///
/// # Errors
/// When there is no such folder.
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
/// When there is no such target, it does not compile, or an input breaks it: libFuzzer says which, and writes it to `fuzz/artifacts`.
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
    // With a target named, the flags are for the project and not for what runs while it compiles.
    let mut fuzz =
        cargo(&["run", "--quiet", "--release", "--manifest-path", "fuzz/Cargo.toml", "--target", host.trim()]);
    fuzz.args(["--target-dir", "target/fuzz", "--bin", name, "--"]);
    fuzz.arg(corpus).arg(format!("-max_total_time={}", time.as_secs())).arg("-print_final_stats=1");
    fuzz.arg(format!("-artifact_prefix={}/", artifacts.display()));
    fuzz.env("RUSTFLAGS", FLAGS).env("CARGO_PROFILE_RELEASE_LTO", "off");
    fuzz.env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", "true").env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", "true");
    run_program(&mut fuzz)
}

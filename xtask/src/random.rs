//! Random inputs: the fuzz targets under `fuzz/`, and randomized tests with many seeds.
//!
//! The crate of libFuzzer includes the library, and stable Rust has the LLVM pass that counts
//! edges, so this needs neither nightly nor cargo-fuzz, only a C++ compiler. The address sanitizer
//! would need nightly, but the project has no `unsafe`.

use anyhow::{Context as _, Result, anyhow, bail};
use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde_json::Value;

use crate::engine::{ANALYSIS, DIAGNOSE, ENGINE, FILES, HUGGINGFACE, LINKS};
use crate::shell::{
    cargo, entries, files_with_extension, fresh, make, output, program, read_text, root, run, step, target, write,
};

/// Compiler flags of cargo-fuzz, without the sanitizer.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// Largest number of inputs in a saved corpus.
const INPUTS: usize = 150;
/// Largest length of a saved input in bytes, so that a corpus can be reviewed.
const LENGTH: usize = 200;

#[path = "../../fuzz/src/corpus.rs"]
pub mod corpus;

/// Returns the names of the fuzz targets, which are the file names in `fuzz/fuzz_targets`.
fn targets() -> Result<Vec<String>> {
    let files = files_with_extension(&root().join("fuzz").join("fuzz_targets"), "rs")?;
    Ok(files.iter().filter_map(|file| Some(file.file_stem()?.to_str()?.to_owned())).collect())
}

/// Runs one target, or all targets one after another, for `time` each, from its saved corpus on.
/// With `saving`, writes the saved corpus anew.
///
/// # Errors
/// When the target does not exist or does not compile, or an input makes it fail: libFuzzer prints
/// the input and writes it to `target/fuzz/artifacts`.
pub fn fuzz(target: Option<&str>, time: Duration, saving: bool) -> Result<()> {
    let all = targets()?;
    let wanted: Vec<&String> = all.iter().filter(|name| target.is_none_or(|target| target == *name)).collect();
    if wanted.is_empty() {
        let unknown = target.unwrap_or_default();
        bail!("`{unknown}` is not a fuzz target; these are: {}.", all.join(", "));
    }
    wanted.into_iter().try_for_each(|name| run_target(name, time, saving))
}

fn run_target(name: &str, time: Duration, saving: bool) -> Result<()> {
    let artifacts = target().join("fuzz").join("artifacts").join(name);
    let found = target().join("fuzz").join("corpus").join(name);
    make(&artifacts)?;
    unpack(&saved(name)?, &found)?;
    step(&format!("Fuzzing {name} for {} s", time.as_secs()));
    let mut fuzz = executable(name)?;
    fuzz.arg(&found).arg(format!("-max_total_time={}", time.as_secs())).arg("-print_final_stats=1");
    // Grows inputs sooner than by default: fewer reach as much.
    fuzz.arg("-len_control=10");
    run(fuzz.arg(format!("-artifact_prefix={}/", artifacts.display())))?;
    if saving { save(name, &found) } else { Ok(()) }
}

/// Returns the command that compiles and runs a target, with libFuzzer's arguments to follow.
fn executable(name: &str) -> Result<Command> {
    let host = output(program("rustc").args(["--print", "host-tuple"]))
        .ok_or_else(|| anyhow!("rustc does not say which machine this is."))?;
    // With an explicit target triple, the flags apply to the project but not to build scripts.
    let mut command = cargo(&["run", "--quiet", "--profile", "fuzz", "--package", "shardwise-fuzz"]);
    command.args(["--target", host.trim()]).arg("--target-dir").arg(target().join("fuzz"));
    command.args(["--bin", name, "--"]).env("RUSTFLAGS", FLAGS);
    Ok(command)
}

/// Returns the file with the saved corpus of a target.
fn file(name: &str) -> PathBuf {
    root().join("fuzz").join("corpora").join(format!("{name}.txt"))
}

/// Returns the saved corpus of a target; of a new target there is none.
fn saved(name: &str) -> Result<Vec<Vec<u8>>> {
    let file = file(name);
    let text = if file.exists() { read_text(&file)? } else { String::new() };
    corpus::read(&text).with_context(|| format!("{} has a line that is not hexadecimal", file.display()))
}

/// Writes each input to a file of its own, as libFuzzer reads them.
fn unpack(inputs: &[Vec<u8>], folder: &Path) -> Result<()> {
    make(folder)?;
    inputs.iter().enumerate().try_for_each(|(place, input)| write(&folder.join(format!("saved-{place}")), input))
}

/// Saves the fewest inputs found that reach all code reached so far. Of too many, it saves the
/// longest, which reach most.
fn save(name: &str, found: &Path) -> Result<()> {
    let cover = target().join("fuzz").join("cover").join(name);
    fresh(&cover)?;
    // How often an edge is taken is not counted, so that each edge needs one input.
    let mut merge = executable(name)?;
    merge.args(["-set_cover_merge=1", "-use_counters=0"]).arg(format!("-max_len={LENGTH}"));
    run(merge.arg(&cover).arg(found))?;
    let inputs = entries(&cover)?.iter().map(std::fs::read).collect::<Result<Vec<_>, _>>();
    let mut inputs = inputs.context("An input could not be read")?;
    inputs.sort_by_key(|input| Reverse(input.len()));
    inputs.truncate(INPUTS);
    write(&file(name), corpus::write(inputs))
}

/// Environment variable from which proptest reads its seed.
const SEED: &str = "PROPTEST_RNG_SEED";
/// Number of seeds per day, so that different days use different seeds.
const OF_A_DAY: u64 = 1_000;
/// Modules with randomized tests, which filter test names.
const MODULES: [&str; 13] = [
    "laws",
    "pins",
    "experts",
    "waterfall",
    "links",
    "relevance",
    "plan",
    "run::bytes",
    "snapshots",
    "errors",
    "config",
    "families",
    "logs",
];

/// Returns the first seed of the current day.
pub fn first_seed() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs() / (24 * 60 * 60) * OF_A_DAY
}

/// Packages whose suites have randomized tests.
pub const ALL: [&str; 6] = [ENGINE, LINKS, ANALYSIS, DIAGNOSE, FILES, HUGGINGFACE];
/// The package with most laws, whose suite takes seconds.
pub const OFTEN: [&str; 1] = [ENGINE];

/// Runs the laws of packages with `number` seeds from `first` on. `PROPTEST_CASES` is the number of
/// cases per law.
///
/// # Errors
/// When a test does not compile, or fails; the error lists the failing seeds.
pub fn laws(number: u64, first: u64, packages: &[&str]) -> Result<()> {
    let suites = suites(packages)?;
    let mut failed = Vec::new();
    for seed in (first..).take(usize::try_from(number)?) {
        let start = Instant::now();
        let mut names = Vec::new();
        for (folder, suite) in &suites {
            let mut command = program(suite);
            command.current_dir(folder).arg("--quiet").args(MODULES).env(SEED, seed.to_string());
            let output = command.output().context("The tests could not be started")?;
            if !output.status.success() {
                let said = String::from_utf8_lossy(&output.stdout);
                println!("{said}{}", String::from_utf8_lossy(&output.stderr));
                names.extend(failures(&said).into_iter().map(str::to_owned));
            }
        }
        let result = if names.is_empty() { "nothing fails".to_owned() } else { names.join(", ") };
        step(&format!("Seed {seed}: {result} ({} s)", start.elapsed().as_secs()));
        if !names.is_empty() {
            failed.push(format!("{seed} ({})", names.join(", ")));
        }
    }
    if let Some(one) = failed.first().and_then(|seed| seed.split(' ').next()) {
        let all = failed.join(", ");
        let again = format!("`{SEED}={one} cargo test --workspace --test suite`");
        bail!("{} of {number} seeds fail: {all}. One of them again: {again}.", failed.len());
    }
    println!("{number} seeds from {first} on: nothing fails.");
    Ok(())
}

/// Compiles the suites of packages, selected as all tests are, and returns each with the folder of
/// its package.
fn suites(packages: &[&str]) -> Result<Vec<(PathBuf, PathBuf)>> {
    let built = output(&mut cargo(&["test", "--quiet", "--workspace", "--no-run", "--message-format", "json"]));
    let built = built.ok_or_else(|| anyhow!("The tests do not compile: cargo test --workspace --no-run"))?;
    let found = built.lines().filter_map(|line| suite(&serde_json::from_str(line).ok()?, packages));
    let found: Vec<_> = found.collect();
    if found.len() != packages.len() {
        bail!("Of {} packages, {} have a suite of tests.", packages.len(), found.len());
    }
    Ok(found)
}

/// Returns the folder of the package and the program, if a message of cargo is about the suite of
/// one of these packages.
fn suite(message: &Value, packages: &[&str]) -> Option<(PathBuf, PathBuf)> {
    let folder = Path::new(message.get("manifest_path")?.as_str()?).parent()?;
    let is_suite = message.pointer("/target/name")? == "suite";
    let is_wanted = packages.iter().any(|package| folder.ends_with(Path::new("crates").join(package)));
    let executable = message.get("executable")?.as_str()?;
    (is_suite && is_wanted).then(|| (folder.to_owned(), executable.into()))
}

/// Returns the names of failed tests in the output of libtest.
fn failures(said: &str) -> Vec<&str> {
    // "failures:" precedes the output of failed tests, and again the list of their names.
    let lists = said.split("\nfailures:\n").filter_map(|part| {
        let names: Vec<&str> = part.lines().take_while(|line| !line.is_empty()).collect();
        names.iter().all(|name| name.starts_with("    ")).then_some(names)
    });
    lists.flatten().map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::{failures, suite};
    use serde_json::json;
    use std::path::Path;

    #[test]
    fn the_suite_of_a_package_is_found_among_cargo_s_messages() {
        let message = |folder: &str, target: &str| json!({ "manifest_path": format!("/x/crates/{folder}/Cargo.toml"), "target": { "name": target }, "executable": "/y" });
        let found = suite(&message("engine", "suite"), &["engine"]).unwrap();
        assert_eq!(found, (Path::new("/x/crates/engine").to_owned(), Path::new("/y").to_owned()));
        for (folder, target) in [("links", "suite"), ("engine", "engine")] {
            assert_eq!(suite(&message(folder, target), &["engine"]), None);
        }
    }

    #[test]
    fn failed_tests_are_named() {
        let said = "running 2 tests\n\nfailures:\n\n---- laws::a stdout ----\npanicked\n\n\nfailures:\n    laws::a\n    \
                    plan::b\n\ntest result: FAILED. 1 passed; 2 failed\n\nrunning 1 test\n\nfailures:\n\n---- logs::c \
                    stdout ----\n\n\nfailures:\n    logs::c\n\ntest result: FAILED.\n";
        assert_eq!(failures(said), ["laws::a", "plan::b", "logs::c"]);
    }
}

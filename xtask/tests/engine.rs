//! The `cargo xtask` commands print exactly the output of the engine's examples.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test stops where something is missing")]

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Replacement for cargo: prints its folder, arguments and input to standard output, and a line to
/// standard error like a build.
const CARGO: &str = "#!/bin/sh\necho Compiling >&2\npwd\nprintf '%s\\n' \"$@\"\ncat\nexit 2\n";

/// Runs `cargo xtask` with these words and this input in a folder where [`CARGO`] replaces cargo.
fn xtask(folder: &Path, words: &[&str], input: &str) -> Output {
    let cargo = folder.join("cargo");
    std::fs::write(&cargo, CARGO).unwrap();
    std::fs::set_permissions(&cargo, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(words).current_dir(folder).env("CARGO", &cargo).stdin(Stdio::piped());
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

#[test]
fn standard_output_input_and_exit_code_are_those_of_the_example() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("engine");
    std::fs::create_dir_all(&folder).unwrap();
    let here = folder.canonicalize().unwrap();
    for (name, words, input) in [
        ("estimate", &["v=1&gpus=8 \u{e4}"][..], ""),
        ("estimate", &[], "v=1&gpus=8\nno line end"),
        ("catalog", &[], ""),
        ("score", &["a b.csv", "../c.csv", "--json"], ""),
        ("calibrate", &["--help", "a.csv"], ""),
    ] {
        let example = xtask::engine::command(name);
        let words_of_cargo = example.get_args().map(|word| word.to_str().unwrap());
        let here = here.to_str().unwrap();
        let lines: Vec<&str> = std::iter::once(here).chain(words_of_cargo).chain(words.iter().copied()).collect();
        let expected = format!("{}\n{input}", lines.join("\n"));
        let all: Vec<&str> = std::iter::once(name).chain(words.iter().copied()).collect();
        let output = xtask(&folder, &all, input);
        assert_eq!(String::from_utf8(output.stdout).unwrap(), expected, "{name}");
        assert_eq!(String::from_utf8(output.stderr).unwrap(), "Compiling\n", "{name}");
        assert_eq!(output.status.code(), Some(2), "{name}");
    }
}

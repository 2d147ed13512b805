//! Writes the page of each rule of the linter from its row and its example (`data/lint.toml`).

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test stops where its data is wrong")]

use std::fs;
use std::process::Command;

use files::run::{RULES, Rule};
use serde::Deserialize;

#[derive(Deserialize)]
struct Examples {
    rule: Vec<Example>,
}

/// A configuration in which a rule finds something.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Example {
    code: String,
    #[serde(default)]
    file: String,
    #[serde(default)]
    hardware: String,
    #[serde(default, rename = "example")]
    text: String,
    /// Why there is no example.
    why: Option<String>,
}

/// Runs the linter on an example; returns the command and the line with the code.
fn found(example: &Example) -> (String, String) {
    let folder = std::env::temp_dir().join(format!("shardwise-rule-{}-{}", example.code, std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(&example.file), &example.text).unwrap();
    let set: Vec<&str> = example.hardware.split_whitespace().flat_map(|value| ["--set", value]).collect();
    let words = [&["lint", &example.file][..], &set, &["--suggest"]].concat();
    let mut lint = Command::new(env!("CARGO_BIN_EXE_shardwise"));
    let output = lint.current_dir(&folder).args(&words).arg("--isolated").output().unwrap();
    fs::remove_dir_all(folder).unwrap();
    let said = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
    let begin = format!("- {} ", example.code);
    let line = said.lines().find(|line| line.starts_with(&begin));
    let line = line.unwrap_or_else(|| panic!("{} is not found:\n{said}", example.code));
    (format!("shardwise {}", words.join(" ")), line.trim_start_matches("- ").to_owned())
}

/// Returns the page of a rule.
fn page(rule: &Rule, example: &Example) -> String {
    let Rule { code, name, severity, explanation } = rule;
    let body = if let Some(why) = &example.why {
        format!("There is no example: {why}")
    } else {
        let (command, line) = found(example);
        let (file, text) = (&example.file, example.text.trim());
        let language = file.rsplit('.').next().unwrap();
        format!(
            "## Example\n\n`{file}`:\n\n```{language}\n{text}\n```\n\n```sh\n{command}\n```\n\nprints among others\n\n\
             ```text\n{line}\n```"
        )
    };
    format!(
        "# {code}: {name}\n\nKind: {}. {explanation}\n\n{body}\n\n## Leave it out\n\n\
         `--ignore {code}`, `ignore = [\"{code}\"]` in `shardwise.toml`, or in the file\n\
         `# shardwise: ignore-file[{code}]` ([Lint runs](../lint.md)).\n",
        severity.name()
    )
}

#[test]
fn every_rule_has_its_page() {
    let root = format!("{}/..", env!("CARGO_MANIFEST_DIR"));
    let examples: Examples =
        toml_edit::de::from_str(&fs::read_to_string(format!("{root}/data/lint.toml")).unwrap()).unwrap();
    let summary = fs::read_to_string(format!("{root}/docs/book/SUMMARY.md")).unwrap();
    for rule in &RULES {
        let example = examples.rule.iter().find(|example| example.code == rule.code);
        let example = example.unwrap_or_else(|| panic!("data/lint.toml has no {}", rule.code));
        let path = format!("{root}/docs/book/lint/{}.md", rule.code);
        expect_test::expect_file![path].assert_eq(&page(rule, example));
        let entry = format!("  - [{} {}](lint/{}.md)", rule.code, rule.name, rule.code);
        assert!(summary.contains(&entry), "SUMMARY.md lacks {entry}");
    }
    assert_eq!(examples.rule.len(), RULES.len());
}

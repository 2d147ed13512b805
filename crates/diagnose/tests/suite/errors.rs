//! Out-of-memory messages that users posted: each is explained as recorded, or recorded as
//! unexplained.

use diagnose::error::{Explained, MOST_BYTES, explain, other};
use links::decode;
use proptest::prelude::*;
use std::fmt::Write;

const MESSAGES: &str = include_str!("../../../../tests/errors/messages.txt");
const OTHERS: &str = include_str!("../../../../tests/errors/others.txt");

struct Case<'a> {
    source: &'a str,
    scenario: &'a str,
    text: &'a str,
}

fn cases() -> Vec<Case<'static>> {
    let blocks = MESSAGES.split("\n\n").filter(|block| block.starts_with("source "));
    let case = |block: &'static str| {
        let (source, rest) = block.split_once('\n').unwrap();
        let (scenario, text) = rest.split_once('\n').unwrap();
        Case {
            source: source.strip_prefix("source ").unwrap(),
            scenario: scenario.strip_prefix("scenario ").unwrap(),
            text,
        }
    };
    blocks.map(case).collect()
}

fn written(case: &Case, explained: &Explained) -> String {
    let mut text = format!("source {}\n", case.source);
    let how = if explained.is_explained() { "explained" } else { "not explained" };
    writeln!(text, "{how}: {}", explained.sentence).unwrap();
    for other in &explained.candidates {
        let exact = if other.exact { "" } else { " (another batch)" };
        writeln!(text, "  {} [{}]: {}{exact}", other.tensor, other.part, other.formula).unwrap();
    }
    for remark in explained.other_gpu.iter().chain(&explained.remarks) {
        writeln!(text, "  {remark}").unwrap();
    }
    for change in explained.changes.iter().take(1) {
        writeln!(text, "  {}: {:.3e} bytes instead of {:.3e}", change.change, change.needed.1, change.needed.0)
            .unwrap();
    }
    text
}

#[test]
fn messages_are_explained_as_recorded() {
    let mut all = Vec::new();
    let mut explained = 0;
    let mut wrong: Vec<String> = Vec::new();
    for case in cases() {
        let decoded = decode(case.scenario);
        wrong.extend(decoded.issues.iter().map(|issue| format!("{}: {}", case.source, issue.message)));
        let found = explain(case.text, &decoded.scenario).unwrap_or_else(|error| panic!("{}: {error}", case.source));
        explained += usize::from(found.is_explained());
        assert!(found.sentence.ends_with('.') && found.remarks.iter().all(|remark| remark.ends_with('.')));
        // The type is sent between workers.
        let json = serde_json::to_string(&found).unwrap();
        assert_eq!(serde_json::from_str::<Explained>(&json).unwrap(), found);
        all.push(written(&case, &found));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let text = format!("{explained} of {} explained\n\n{}", all.len(), all.join("\n"));
    assert!(all.len() >= 40);
    expect_test::expect_file!["../../../../tests/errors/explained.txt"].assert_eq(&text);
}

#[test]
fn other_errors_are_told_from_those_of_memory() {
    let scenario = decode("").scenario;
    let blocks = OTHERS.split("\n\n").filter(|block| block.starts_with("source "));
    let said = blocks.map(|block| {
        let (source, text) = block.split_once('\n').unwrap();
        assert!(explain(text, &scenario).is_err(), "{source}");
        format!("{source}\n{}\n", other(text).unwrap_or_else(|| panic!("{source}")))
    });
    let said: Vec<String> = said.collect();
    assert!(said.len() >= 10);
    expect_test::expect_file!["../../../../tests/errors/others_told.txt"].assert_eq(&said.join("\n"));
}

#[test]
fn texts_without_a_message_are_answered_by_a_sentence() {
    let scenario = decode("").scenario;
    let long = "x".repeat(MOST_BYTES + 1);
    for text in ["", "  \n", "Segmentation fault", "\u{0}\u{fffd}", &long] {
        let error = explain(text, &scenario).unwrap_err();
        assert!(error.ends_with('.'), "{error}");
    }
}

#[test]
fn the_changes_lower_the_part_that_is_blamed() {
    let scenario = decode("model=gemma-2-9b&seq=8192&gpus=8").scenario;
    let found =
        explain("CUDA out of memory. Tried to allocate 7.81 GiB. GPU 0 has a total capacity of 79.15 GiB", &scenario);
    let found = found.unwrap();
    assert_eq!(found.candidates[0].part, "logits");
    assert!(!found.changes.is_empty());
    for change in &found.changes {
        assert!(change.part.1 < change.part.0 && change.needed.1 < change.needed.0, "{change:?}");
        let changed = decode(&change.link).scenario;
        assert_eq!(changed.report().memory.needed.get(), change.needed.1, "{change:?}");
    }
}

proptest! {
    #![proptest_config(crate::cases::cases(256))]

    #[test]
    fn any_text_is_answered(text in ".{0,200}", cut in 0..2000_usize) {
        let scenario = decode("").scenario;
        for text in [format!("CUDA out of memory. Tried to allocate {text}"), format!("RESOURCE_EXHAUSTED: {text}"), text] {
            if let Ok(found) = explain(&text, &scenario) {
                prop_assert!(found.sentence.ends_with('.'));
            }
        }
        let real: String = MESSAGES.chars().skip(cut).take(600).collect();
        let _ = explain(&real, &scenario);
    }
}

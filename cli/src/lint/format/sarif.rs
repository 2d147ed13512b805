//! Findings as SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format").

use engine::json;
use files::brought::{Severity, SuggestedChange};
use files::run::RULES;
use serde_json::{Value, json};

use super::super::judge::Judged;
use super::{code, file, fingerprint, severity};
use crate::table::plain;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

pub(super) fn printed(runs: &[Judged]) -> String {
    let rules: Vec<Value> = RULES
        .iter()
        .map(|rule| {
            json!({
                "id": rule.code,
                "name": rule.name,
                "shortDescription": { "text": rule.name },
                "fullDescription": { "text": rule.explanation },
                "defaultConfiguration": { "level": rule.severity.name() },
            })
        })
        .collect();
    let results: Vec<Value> =
        runs.iter().flat_map(|run| run.findings().iter().map(|finding| result(run, finding))).collect();
    let unjudged: Vec<Value> = runs
        .iter()
        .filter_map(|run| {
            let problem = run.verdict.as_ref().err()?;
            Some(json!({ "level": "error", "message": { "text": problem }, "locations": [location(run.name(), None)] }))
        })
        .collect();
    json::pretty(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "shardwise", "version": env!("CARGO_PKG_VERSION"), "rules": rules } },
            "invocations": [{
                "executionSuccessful": unjudged.is_empty(),
                "toolExecutionNotifications": unjudged,
            }],
            "results": results,
        }],
    }))
}

fn result(run: &Judged, finding: &SuggestedChange) -> Value {
    let code = code(finding);
    let level = match severity(finding) {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Note => "note",
    };
    json!({
        "ruleId": code,
        "ruleIndex": RULES.iter().position(|rule| rule.code == code),
        "level": level,
        "message": { "text": plain(&finding.what) },
        "locations": [location(&file(run, finding), finding.line)],
        "partialFingerprints": { "shardwise/v1": fingerprint(run, finding) },
    })
}

fn location(file: &str, line: Option<usize>) -> Value {
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(file) },
            "region": { "startLine": line.unwrap_or(1) },
        },
    })
}

/// Returns a path as a relative reference of RFC 3986.
fn uri(path: &str) -> String {
    path.bytes().fold(String::new(), |uri, byte| {
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~/+@".contains(&byte);
        if is_plain { uri + &char::from(byte).to_string() } else { uri + &format!("%{byte:02X}") }
    })
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_path_is_a_reference() {
        assert_eq!(super::uri("runs/8b full.yaml"), "runs/8b%20full.yaml");
        assert_eq!(super::uri("a:b%é"), "a%3Ab%25%C3%A9");
    }
}

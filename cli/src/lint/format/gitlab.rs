//! Findings as GitLab's code quality report, of the format of Code Climate
//! (docs.gitlab.com, "Code Quality", "Code Quality report format").

use engine::json;
use files::brought::Severity;
use serde_json::{Value, json};

use super::super::judge::Judged;
use super::{code, file, fingerprint, severity};
use crate::table::plain;

pub(super) fn printed(runs: &[Judged]) -> String {
    let of_run = |run: &Judged| -> Vec<Value> {
        let findings = run.findings().iter().map(|finding| {
            let level = match severity(finding) {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Note => "info",
            };
            issue(
                code(finding),
                &plain(&finding.what),
                &fingerprint(run, finding),
                level,
                &file(run, finding),
                finding.line,
            )
        });
        let problem = run.verdict.as_ref().err();
        let problem = problem.map(|problem| {
            issue("unjudged", problem, &format!("{}:unjudged", run.name()), "critical", run.name(), None)
        });
        findings.chain(problem).collect()
    };
    json::pretty(&runs.iter().flat_map(of_run).collect::<Value>())
}

fn issue(name: &str, text: &str, fingerprint: &str, level: &str, path: &str, line: Option<usize>) -> Value {
    json!({
        "check_name": name,
        "description": text,
        "fingerprint": fingerprint,
        "severity": level,
        "location": { "path": path, "lines": { "begin": line.unwrap_or(1) } },
    })
}

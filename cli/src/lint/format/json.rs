//! Findings as JSON, a list of runs.

use engine::json;
use serde_json::{Value, json};

use super::super::judge::Judged;
use super::{code, file, rule_name, severity};
use crate::table::plain;
use files::brought::{Changes, SuggestedChange};

pub(super) fn printed(runs: &[Judged]) -> String {
    let runs: Vec<Value> = runs.iter().map(run).collect();
    json::pretty(&json!({ "shardwise": env!("CARGO_PKG_VERSION"), "runs": runs }))
}

fn run(run: &Judged) -> Value {
    match &run.verdict {
        Err(problem) => json!({ "files": run.files, "problem": plain(problem), "findings": [] }),
        Ok(verdict) => {
            let account = verdict.brought.account();
            let findings: Vec<Value> = verdict.brought.offers.iter().map(|one| finding(run, one)).collect();
            json!({
                "files": run.files,
                "problem": null,
                "findings": findings,
                "more_suggestions": verdict.more,
                "link": verdict.brought.scenario,
                "assumed": account.assumed,
                "understood": account.understood,
                "ignored": account.ignored,
                "unread": account.unread,
            })
        }
    }
}

fn finding(run: &Judged, finding: &SuggestedChange) -> Value {
    let fix = (!finding.files.is_empty()).then(|| {
        json!({
            "applicability": if finding.changes == Changes::Nothing { "safe" } else { "unsafe" },
            "changes": finding.changes,
            "edits": finding.edits,
            "link": finding.scenario,
        })
    });
    json!({
        "code": code(finding),
        "name": rule_name(finding),
        "severity": severity(finding).name(),
        "message": plain(&finding.what),
        "file": file(run, finding),
        "line": finding.line,
        "gain": finding.gain,
        "link": finding.scenario,
        "fix": fix,
    })
}

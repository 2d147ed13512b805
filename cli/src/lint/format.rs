//! Formats of the linter's output.

mod github;
mod gitlab;
mod json;
mod junit;
mod sarif;
mod text;

use files::brought::{Severity, SuggestedChange};
use files::run::rule;

use super::Format;
use super::fix::Mended;
use super::judge::Judged;

/// Prints judged runs.
pub(super) fn printed(format: Format, runs: &[Judged], written: &[Mended]) -> String {
    match format {
        Format::Text => text::printed(runs, written),
        Format::Json => json::printed(runs),
        Format::Github => github::printed(runs),
        Format::Gitlab => gitlab::printed(runs),
        Format::Sarif => sarif::printed(runs),
        Format::Junit => junit::printed(runs),
    }
}

/// Returns the code of a finding.
fn code(finding: &SuggestedChange) -> &str {
    finding.code.as_deref().unwrap_or_default()
}

/// Returns the short name of a finding's code.
fn rule_name(finding: &SuggestedChange) -> &'static str {
    rule(code(finding)).map_or("", |rule| rule.name)
}

/// Returns the severity of a finding.
fn severity(finding: &SuggestedChange) -> Severity {
    finding.severity.unwrap_or(Severity::Warning)
}

/// Returns the file of a finding, as programs on other systems write it.
fn file<'a>(run: &'a Judged, finding: &'a SuggestedChange) -> String {
    let name = if finding.file.is_empty() { run.name() } else { &finding.file };
    files::run::split_function(name).0.trim_start_matches("./").replace('\\', "/")
}

/// Returns a name of a finding that stays the same while its place and its figures change.
fn fingerprint(run: &Judged, finding: &SuggestedChange) -> String {
    let keys: Vec<&str> = finding.edits.iter().map(|edit| edit.key.as_str()).collect();
    // A demand, or settings that change, before the figures.
    let about = finding.what.split_once(". Predicted").or(finding.what.split_once(": ")).map_or("", |(about, _)| about);
    [file(run, finding).as_str(), code(finding), &keys.join(","), about].join(":")
}

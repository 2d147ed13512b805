//! Formats findings as GitHub annotations, which a review shows at a line of a file:
//! `::warning file=…,line=…::…`.
//!
//! The syntax follows workflow commands (docs.github.com, "Workflow commands for GitHub Actions"):
//! `%` and line ends are escaped, and in properties also `:` and `,`.

use files::brought::Severity;

use super::super::judge::Judged;
use super::{file, severity};
use crate::read::coded;
use crate::table::{lines, plain};

pub(super) fn printed(runs: &[Judged]) -> String {
    let of_run = |run: &Judged| -> Vec<String> {
        let findings = run
            .findings()
            .iter()
            .map(|finding| annotation(severity(finding), Some(&file(run, finding)), finding.line, &coded(finding)));
        let problem = run.verdict.as_ref().err();
        let problem = problem.map(|problem| annotation(Severity::Error, Some(run.name()), None, problem));
        findings.chain(problem).collect()
    };
    lines(runs.iter().flat_map(of_run))
}

/// Formats an annotation at a line of a file.
fn annotation(severity: Severity, file: Option<&str>, line: Option<usize>, text: &str) -> String {
    let level = match severity {
        Severity::Error => "error",
        Severity::Note => "notice",
        Severity::Warning => "warning",
    };
    let file = file.filter(|file| !file.is_empty() && *file != "-");
    let place = file.map(|file| {
        let line = line.map(|line| format!(",line={line}")).unwrap_or_default();
        format!(" file={}{line}", property(file))
    });
    format!("::{level}{}::{}", place.unwrap_or_default(), message(&plain(text)))
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_stands_beside_its_line() {
        let annotated = annotation(Severity::Warning, Some("a,b/run.yaml"), Some(2), "22 % faster\nso");
        assert_eq!(annotated, "::warning file=a%2Cb/run.yaml,line=2::22 %25 faster%0Aso");
        assert_eq!(annotation(Severity::Error, Some("x"), None, "No."), "::error file=x::No.");
        assert_eq!(annotation(Severity::Note, Some("-"), Some(3), "No."), "::notice::No.");
    }
}

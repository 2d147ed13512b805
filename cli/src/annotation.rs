//! Formats findings as GitHub annotations, which a review shows at a line of a file:
//! `::warning file=…,line=…::…`.
//!
//! The syntax follows workflow commands (docs.github.com, "Workflow commands for GitHub Actions"):
//! `%` and line ends are escaped, and in properties also `:` and `,`.

use files::brought::{Severity, SuggestedChange};

/// Formats a finding at the first line that its change affects. A finding without a change is
/// placed at the first file.
pub(crate) fn annotated(offer: &SuggestedChange, given: &[(String, String)]) -> String {
    let changed = offer.files.first();
    let original = changed.and_then(|(name, _)| given.iter().find(|(path, _)| is_named(path, name))).or(given.first());
    let line = changed.zip(original).map(|((_, after), (_, before))| first_change(before, after));
    let file = original.map(|(path, _)| format!(" file={}", property(path))).unwrap_or_default();
    let line = line.map(|line| format!(",line={line}")).unwrap_or_default();
    let level = match offer.severity {
        Some(Severity::Error) => "error",
        Some(Severity::Note) => "notice",
        Some(Severity::Warning) | None => "warning",
    };
    format!("::{level}{file}{line}::{}", message(&coded(offer)))
}

/// Formats an error for a file that could not be read.
pub(crate) fn error(path: Option<&str>, problem: &str) -> String {
    let place = path.map(|path| format!(" file={}", property(path))).unwrap_or_default();
    format!("::error{place}::{}", message(problem))
}

/// Returns whether a path equals a name.
fn is_named(path: &str, name: &str) -> bool {
    path == name
}

/// Returns the number of the first changed line of a text, from 1; for lines appended at the end,
/// the last line.
fn first_change(before: &str, after: &str) -> usize {
    let same = before.lines().zip(after.lines()).take_while(|(one, other)| one == other).count();
    (same + 1).min(before.lines().count().max(1))
}

fn message(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    message(text).replace(':', "%3A").replace(',', "%2C")
}

/// Returns the description of an offer, prefixed with its code.
pub(crate) fn coded(offer: &SuggestedChange) -> String {
    offer.code.iter().map(String::as_str).chain([offer.what.as_str()]).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_finding_stands_beside_the_line_that_it_changes() {
        let given = vec![("a,b/run.yaml".to_owned(), "x: 1\ny: 2\nz: 3\n".to_owned())];
        let offer = |files| SuggestedChange {
            code: Some("SW201".into()),
            severity: Some(Severity::Warning),
            what: "22 % faster\nso".into(),
            scenario: None,
            files,
            changes: files::brought::Changes::Nothing,
            gain: None,
            edits: Vec::new(),
        };
        let changed = vec![("run.yaml".to_owned(), "x: 1\ny: 4\nz: 3\n".to_owned())];
        assert_eq!(
            annotated(&offer(changed), &given),
            "::warning file=a%2Cb/run.yaml,line=2::SW201 22 %25 faster%0Aso"
        );
        assert_eq!(annotated(&offer(vec![]), &given), "::warning file=a%2Cb/run.yaml::SW201 22 %25 faster%0Aso");
        assert_eq!(annotated(&offer(vec![]), &[]), "::warning::SW201 22 %25 faster%0Aso");
        for (severity, level) in [(Severity::Error, "::error::"), (Severity::Note, "::notice::")] {
            let offer = SuggestedChange { severity: Some(severity), ..offer(vec![]) };
            assert!(annotated(&offer, &[]).starts_with(level), "{severity:?}");
        }
        assert_eq!(first_change("a\n", "a\nb\n"), 1);
        assert_eq!(error(Some("x"), "No."), "::error file=x::No.");
    }
}

//! Findings as JUnit's XML: a suite of tests for each run, a test for each finding, and one test
//! that passes for a run without findings.

use super::super::judge::Judged;
use super::{code, file, rule_name};
use crate::table::plain;

pub(super) fn printed(runs: &[Judged]) -> String {
    let tests: usize = runs.iter().map(|run| run.findings().len().max(1)).sum();
    let failures: usize = runs.iter().map(|run| run.findings().len()).sum();
    let errors = runs.iter().filter(|run| run.verdict.is_err()).count();
    let suites: String = runs.iter().map(suite).collect();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites name=\"shardwise\" tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\">\n{suites}</testsuites>\n"
    )
}

fn suite(run: &Judged) -> String {
    let name = escaped(run.name());
    let findings = run.findings();
    let cases: Vec<String> = match &run.verdict {
        Err(problem) => {
            vec![case(&name, "judged", &format!("<error message=\"{}\"/>", escaped(problem)))]
        }
        Ok(_) if findings.is_empty() => vec![case(&name, "no findings", "")],
        Ok(_) => findings
            .iter()
            .map(|finding| {
                let line = finding.line.map_or_else(String::new, |line| format!(":{line}"));
                let place = escaped(&format!("{}{line}", file(run, finding)));
                let text = escaped(&plain(&finding.what));
                let failure = format!("<failure type=\"{}\" message=\"{text}\">{place}</failure>", code(finding));
                case(&name, &format!("{} {}", code(finding), rule_name(finding)), &failure)
            })
            .collect(),
    };
    format!(
        "  <testsuite name=\"{name}\" tests=\"{}\" failures=\"{}\" errors=\"{}\">\n{}  </testsuite>\n",
        cases.len(),
        findings.len(),
        u8::from(run.verdict.is_err()),
        cases.concat()
    )
}

fn case(run: &str, name: &str, outcome: &str) -> String {
    format!("    <testcase classname=\"{run}\" name=\"{name}\">{outcome}</testcase>\n")
}

/// Escapes a text for XML; signs that XML cannot hold are left out.
fn escaped(text: &str) -> String {
    text.chars().fold(String::with_capacity(text.len()), |mut out, sign| {
        match sign {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(' '),
            sign if sign.is_control() => {}
            sign => out.push(sign),
        }
        out
    })
}

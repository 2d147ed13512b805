//! The judgement of one run: what was read, and what was found.

use export::assertion::Assertion;
use export::report_json::report_json;
use files::brought::{CONTRADICTS, Import, ImportKind, Item, SuggestedChange};
use files::run::ASSERTION;

use super::discover::RunFiles;
use super::instructions::Instructions;
use crate::input::{HINT, Input};

/// Selected codes and demands.
pub(super) struct Rules {
    /// Beginnings of codes.
    pub(super) select: Vec<String>,
    pub(super) ignore: Vec<String>,
    pub(super) assertions: Vec<Assertion>,
    /// A link for what no file says.
    pub(super) scenario: Option<String>,
    /// Values that count more than files.
    pub(super) set: Vec<String>,
    pub(super) assume: bool,
    pub(super) lenient: bool,
}

/// A run with its judgement.
pub(super) struct Judged {
    /// Its files, as typed or found.
    pub(super) files: RunFiles,
    /// The result, or why there is no verdict.
    pub(super) verdict: Result<Verdict, String>,
}

/// Files that were read, with their findings.
pub(super) struct Verdict {
    /// The import; its offers are the findings that were selected.
    pub(super) brought: Import,
    /// The read files, with those that they name.
    pub(super) items: Vec<Item>,
    /// Number of changes that were found and not selected.
    pub(super) more: usize,
}

impl Judged {
    /// Returns the findings.
    pub(super) fn findings(&self) -> &[SuggestedChange] {
        self.verdict.as_ref().map_or(&[], |verdict| &verdict.brought.offers)
    }

    /// Returns the name of the run: that of its first file.
    pub(super) fn name(&self) -> &str {
        self.files.first().map_or("", String::as_str)
    }
}

/// Judges a run.
///
/// # Errors
///
/// A sentence if an instruction in its files is none.
pub(super) fn judge(files: &RunFiles, base: &[String], rules: &Rules) -> Result<Judged, String> {
    let verdict = |verdict| Judged { files: files.clone(), verdict };
    // Standard input can be read once.
    let own = read_instructions(files)?;
    let inline: Vec<String> = own.iter().flat_map(|file| file.scenario.iter().cloned()).collect();
    let inputs = [&files[..], base, &rules.scenario.iter().cloned().collect::<Vec<_>>(), &inline].concat();
    let input = Input::new(inputs, rules.set.clone(), rules.assume, rules.lenient);
    let (mut brought, items) = match input.import_files() {
        Ok(read) => read,
        Err(problem) => return Ok(verdict(Err(problem))),
    };
    if brought.kind != ImportKind::Run {
        return Ok(verdict(Err("This is not the configuration of a run: `shardwise read` describes it.".to_owned())));
    }
    if !brought.missing.is_empty() {
        return Ok(verdict(Err(brought.missing.join(" ") + HINT)));
    }
    brought.sections.retain(|section| section.title != CONTRADICTS);
    let demanded = failed(&brought, &own, &rules.assertions, files);
    brought.offers.splice(0..0, demanded);
    let starts = |offer: &SuggestedChange, prefixes: &[String]| {
        let code = offer.code.as_deref().unwrap_or_default();
        prefixes.iter().any(|prefix| code.starts_with(prefix.as_str()))
    };
    brought.offers.retain(|offer| !starts(offer, &rules.ignore) && !own.iter().any(|file| file.ignores(offer)));
    let found = brought.offers.len();
    // What mends an error is said with it.
    let is_wrong = brought.offers.iter().any(|offer| starts(offer, &rules.select) && is_misfit(offer));
    brought.offers.retain(|offer| is_wrong || starts(offer, &rules.select));
    let more = found - brought.offers.len();
    Ok(verdict(Ok(Verdict { brought, items, more })))
}

/// Whether a finding is that the run does not fit.
fn is_misfit(finding: &SuggestedChange) -> bool {
    finding.code.as_deref() == Some("SW101")
}

/// Reads the instructions of files.
fn read_instructions(files: &RunFiles) -> Result<Vec<Instructions>, String> {
    let read = files.iter().filter_map(|name| {
        let bytes = std::fs::read(files::run::split_function(name).0).ok()?;
        Some(Instructions::read(&Item { name: Some(name.clone()), bytes }))
    });
    read.collect()
}

/// Returns a finding for each demand that does not hold.
fn failed(brought: &Import, own: &[Instructions], assertions: &[Assertion], files: &RunFiles) -> Vec<SuggestedChange> {
    let demands = || assertions.iter().map(|demand| (demand, None)).chain(own.iter().flat_map(Instructions::demands));
    if demands().next().is_none() {
        return Vec::new();
    }
    let scenario = links::decode(&brought.scenario).scenario;
    let report = report_json(&scenario, &scenario.report(), &[]);
    let first = files.first().cloned().unwrap_or_default();
    let checked = demands().map(|(demand, place)| (demand.check(&report), place));
    let failed = checked.filter(|(checked, _)| !checked.holds).map(|(checked, place)| {
        let (file, line) =
            place.map_or((first.clone(), None), |(file, line): (&str, usize)| (file.to_owned(), Some(line)));
        SuggestedChange { file, line, ..SuggestedChange::new(Some(ASSERTION), checked.sentence) }
    });
    failed.collect()
}

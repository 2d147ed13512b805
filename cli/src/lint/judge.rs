//! The judgement of one run: what was read, and what was found.

use export::assertion::Assertion;
use export::report_json::report_json;
use files::brought::{CONTRADICTS, Import, ImportKind, Item, MissingValue, SuggestedChange};
use files::run::{ASSERTION, DOES_NOT_FIT, TIGHT};

use super::discover::RunFiles;
use super::instructions::Instructions;
use crate::input::{HINT, Input, Options};

/// Selected codes and demands.
pub(super) struct Rules {
    /// Beginnings of codes.
    pub(super) select: Vec<String>,
    pub(super) ignore: Vec<String>,
    pub(super) assertions: Vec<Assertion>,
    /// A link for what no file says.
    pub(super) scenario: Option<String>,
    /// Values that count more than files, of the configuration.
    pub(super) configured: Vec<String>,
    /// Options of the command line; its values count most.
    pub(super) options: Options,
}

/// A run with its judgement.
pub(super) struct Judged {
    /// Its files, as typed or found.
    pub(super) files: Vec<String>,
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

/// Judges a run; `None` for files that a search found and that are no run of their own.
pub(super) fn judge(run: &RunFiles, base: &[String], rules: &Rules) -> Option<Judged> {
    let judged = |verdict| Judged { files: run.files.clone(), verdict };
    match verdict(run, base, rules) {
        Ok(Some(verdict)) => Some(judged(Ok(verdict))),
        Ok(None) => None,
        Err(problem) => Some(judged(Err(problem))),
    }
}

fn verdict(run: &RunFiles, base: &[String], rules: &Rules) -> Result<Option<Verdict>, String> {
    let own = read_instructions(&run.files)?;
    let inline: Vec<String> = own.iter().flat_map(|file| file.set.iter().cloned()).collect();
    let set = layered(&[&rules.configured, &inline, &rules.options.set]);
    let inputs = [&run.files[..], base, &rules.scenario.iter().cloned().collect::<Vec<_>>()].concat();
    let input = Input::new(inputs, Options { set, ..rules.options.clone() });
    let read = input.import_files();
    let (mut brought, items) = match read {
        // A file of a program that a search found, without the settings of a run.
        Err(_) if run.is_found => return Ok(None),
        read => read?,
    };
    let names_no_model = brought.open.contains(&MissingValue::Model) && brought.unknown_model.is_none();
    if run.is_found && (brought.kind != ImportKind::Run || names_no_model) {
        return Ok(None);
    }
    if brought.kind != ImportKind::Run {
        return Err("This is not the configuration of a run: `shardwise read` describes it.".to_owned());
    }
    if !brought.missing.is_empty() {
        return Err(brought.missing.join(" ") + HINT);
    }
    let unlikely = brought.spread.as_ref().filter(|spread| spread.disagrees() && spread.share() < LIKELY);
    if let Some(spread) = unlikely.filter(|_| !rules.options.assume) {
        return Err(format!("It depends on values that no file has. {}{HINT}", spread.said.join(" ")));
    }
    brought.sections.retain(|section| section.title != CONTRADICTS);
    let demanded = failed(&brought, &own, &rules.assertions, &run.files)?;
    brought.offers.splice(0..0, demanded);
    let starts = |offer: &SuggestedChange, prefixes: &[String]| {
        let code = offer.code.as_deref().unwrap_or_default();
        prefixes.iter().any(|prefix| code.starts_with(prefix.as_str()))
    };
    brought.offers.retain(|offer| !starts(offer, &rules.ignore) && !own.iter().any(|file| file.ignores(offer)));
    let found = brought.offers.len();
    // What mends a finding is said with it.
    let is_wrong = brought.offers.iter().any(|offer| starts(offer, &rules.select) && is_misfit(offer));
    brought.offers.retain(|offer| is_wrong || starts(offer, &rules.select));
    let more = found - brought.offers.len();
    Ok(Some(Verdict { brought, items, more }))
}

/// Share of the likely runs from which on a run counts as one that fits, if files leave open what
/// decides.
const LIKELY: f64 = 0.5;

/// Joins values, of which later layers count more: a key of one takes those of the layers before
/// away.
fn layered(layers: &[&[String]]) -> Vec<String> {
    let keys = |pair: &String| -> Vec<String> {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        links::spelling::spell(key, value).pairs.into_iter().map(|(key, _)| key).collect()
    };
    let mut joined: Vec<String> = Vec::new();
    for layer in layers {
        let new: Vec<String> = layer.iter().flat_map(keys).collect();
        joined.retain(|pair| !keys(pair).iter().any(|key| new.contains(key)));
        joined.extend(layer.iter().cloned());
    }
    joined
}

/// Whether a finding is that the run does not fit.
fn is_misfit(finding: &SuggestedChange) -> bool {
    finding.code.as_deref() == Some(DOES_NOT_FIT) || finding.code.as_deref() == Some(TIGHT)
}

/// Reads the instructions of files.
fn read_instructions(files: &[String]) -> Result<Vec<Instructions>, String> {
    // Standard input can be read once.
    let read = files.iter().filter_map(|name| {
        let bytes = std::fs::read(files::run::split_function(name).0).ok()?;
        Some(Instructions::read(&Item { name: Some(name.clone()), bytes }))
    });
    read.collect()
}

/// Returns a finding for each demand that does not hold.
///
/// # Errors
///
/// A sentence for a demand on the whole run whose length nobody said.
fn failed(
    brought: &Import,
    own: &[Instructions],
    assertions: &[Assertion],
    files: &[String],
) -> Result<Vec<SuggestedChange>, String> {
    let demands = || assertions.iter().map(|demand| (demand, None)).chain(own.iter().flat_map(Instructions::demands));
    if demands().next().is_none() {
        return Ok(Vec::new());
    }
    let decoded = links::decode(&brought.scenario);
    let has_length = decoded.keys.iter().any(|key| LENGTHS.contains(&key.as_str()));
    if let Some((demand, _)) = demands().find(|(demand, _)| demand.is_of_run() && !has_length) {
        return Err(format!(
            "“{demand}” is about the whole training, and no file says how long it is: set tokens=…, as in --set tokens=100B."
        ));
    }
    let report = report_json(&decoded.scenario, &decoded.scenario.report(), &[]);
    let first = files.first().cloned().unwrap_or_default();
    let checked = demands().map(|(demand, place)| (demand.check(&report), place));
    let failed = checked.filter(|(checked, _)| !checked.holds).map(|(checked, place)| {
        let (file, line) =
            place.map_or((first.clone(), None), |(file, line): (&str, usize)| (file.to_owned(), Some(line)));
        SuggestedChange { file, line, ..SuggestedChange::new(Some(ASSERTION), checked.sentence) }
    });
    Ok(failed.collect())
}

/// Keys of links that say how long the training is.
const LENGTHS: [&str; 3] = ["tokens", "examples", "epochs"];

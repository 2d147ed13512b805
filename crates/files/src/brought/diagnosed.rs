//! Errors, logs, measured links and rates, compared with the current scenario.

use catalog::default_scenario;
use engine::format;
use engine::scenario::Scenario;
use engine::units::{Bytes, Seconds};
use std::borrow::Cow;

use super::{Import, ImportKind, Section, SuggestedChange, machine, words};
use crate::run::{Changes, change_code};
use diagnose::error::{self, Explained, Removal, bytes};
use diagnose::log::{self, Comparison, Measured, Reason, links};
use diagnose::rates::{self, AppliedRates};
use diagnose::snapshot::{self, SnapshotAnalysis};

/// Imports an error or a measurement; `None` if the text is neither.
pub(super) fn diagnosed(text: &str, scenario: &Scenario) -> Option<Result<Import, String>> {
    if let Some(taken) = rates::read_rates(text, scenario) {
        return Some(taken.map(import_rates));
    }
    if let Some(machine) = machine::import(text, scenario) {
        return Some(machine);
    }
    if snapshot::is_json(text) {
        return Some(import_snapshot(snapshot::read_json(text, scenario), scenario));
    }
    let printed = without_comments(text);
    if let Ok(explained) = error::explain(&printed, scenario) {
        return Some(Ok(import_error(&explained, &printed, scenario)));
    }
    // nccl-tests names the collective in comments, so the whole text is read.
    if links::is_table(text) {
        let points = match links::parse_points(text) {
            Ok(points) => points,
            Err(said) => return Some(Err(said)),
        };
        // Links are those of the GPUs that the table lists.
        let own = machine::of_table(text).filter(|gpus| !gpus.are_of(scenario));
        let scenario = own.map_or(*scenario, |gpus| gpus.applied(scenario));
        return Some(links::fit(&points, &scenario).map(|fitted| {
            let lines = fitted.changes;
            let sections = vec![Section { title: "Changes by the measured links".into(), lines }];
            let read = own.map_or_else(String::new, |gpus| {
                format!("The table was measured on {}: the scenario has them now.", gpus.named())
            });
            Import { sections, ..Import::new(ImportKind::Links, fitted.link, fitted.sentence, read) }
        }));
    }
    let measured = log::parse_log(&printed).ok()?;
    let comparison = log::compare(&measured, scenario);
    let read = match measured.steps {
        0 => format!("Read: {}, which times no step.", measured.writer),
        1 => format!("Read: 1 step of {}.", measured.writer),
        steps => format!("Read: {steps} steps of {}.", measured.writer),
    };
    let is_alone = scenario.model == default_scenario().model;
    let mut brought =
        if is_alone { import_log_alone(&measured, &read, scenario) } else { import_log(&comparison, &read, scenario) };
    if let Some(said) = error::other(&last_lines(&printed, ENDING)) {
        brought.said = format!("{} {said}", brought.said);
    }
    Some(Ok(brought))
}

/// Lines at the end of a log in which the error stands that ended its run, with and without steps
/// that could be read.
const ENDING: usize = 40;
const LAST_LINES: usize = 200;

/// Returns at most so many lines of the end of a text.
fn last_lines(text: &str, most: usize) -> String {
    let lines = text.lines().count();
    text.split_inclusive('\n').skip(lines.saturating_sub(most)).collect()
}

/// Imports an error that is neither of memory nor of NCCL; `None` if the text is none, or a script.
pub(super) fn other_error(text: &str, file: Option<&str>, scenario: &Scenario) -> Option<Import> {
    if file.is_some_and(words::is_script) {
        return None;
    }
    // A log goes on after an error that did not end its run.
    let most = if words::is_log(text) { LAST_LINES } else { usize::MAX };
    let said = error::other(&without_comments(&last_lines(text, most)))?;
    Some(Import::new(ImportKind::Error, ::links::encode(scenario), said, String::new()))
}

/// Imports a log without a run to compare it with: what it says, and the question for the run.
fn import_log_alone(measured: &Measured, read: &str, scenario: &Scenario) -> Import {
    let time = |seconds: f64| format::seconds(Seconds::new(seconds));
    let size = |bytes: f64| format::bytes(Bytes::new(bytes));
    let figures = [
        measured.step_seconds.map(|seconds| format!("{} a step", time(seconds))),
        measured.tokens_per_s_per_gpu.map(|rate| format!("{} tokens/s on each GPU", format::count(rate.round()))),
        measured.tflops_per_gpu.map(|rate| format!("{rate:.0} TFLOP/s on each GPU, as the log counts")),
        measured.mfu.map(|mfu| format!("an MFU of {}, as the log counts", format::percent(mfu))),
        measured.batch.map(|batch| format!("{} sequences a step", format::count(batch))),
        measured.peak_allocated.map(|bytes| format!("at most {} allocated", size(bytes))),
        measured.peak_reserved.map(|bytes| format!("at most {} reserved", size(bytes))),
    ];
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    let said = format!("The log says: {}. No run was given to hold it against.", figures.join(", "));
    let mut brought = Import::new(ImportKind::Measured, ::links::encode(scenario), said, read.to_owned());
    brought.ask(vec![
        "Which model, on which GPUs and how many, was it? Give its files with the log, or set them (model=, gpu=, gpus=).".to_owned(),
    ]);
    brought
}

/// Removes comment lines, as nothing in a comment was printed by a run.
fn without_comments(text: &str) -> Cow<'_, str> {
    let is_comment = |line: &str| line.trim_start().starts_with('#');
    if !text.lines().any(is_comment) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.split_inclusive('\n').filter(|line| !is_comment(line)).collect())
}

/// Returns the sections that have lines.
fn filled(sections: impl IntoIterator<Item = (&'static str, Vec<String>)>) -> Vec<Section> {
    let filled = sections.into_iter().filter(|(_, lines)| !lines.is_empty());
    filled.map(|(title, lines)| Section { title: title.to_owned(), lines }).collect()
}

/// Imports measured rates into the scenario.
fn import_rates(taken: AppliedRates) -> Import {
    let sections = filled(taken.sections);
    let offers = taken.offer.iter().map(|(what, scenario)| SuggestedChange {
        scenario: Some(::links::encode(scenario)),
        ..SuggestedChange::new(None, what.clone())
    });
    Import {
        offers: offers.collect(),
        sections,
        ..Import::new(ImportKind::Rates, ::links::encode(&taken.scenario), taken.said, taken.read)
    }
}

fn import_error(explained: &Explained, text: &str, scenario: &Scenario) -> Import {
    let tensors = explained.candidates.iter().map(|one| {
        let doubt = if one.likely { "" } else { " (has the size, but explains it less)" };
        format!("{}: {} = {}, in “{}”{doubt}", one.tensor, one.formula, bytes(one.bytes), one.part_name)
    });
    let mut remarks = explained.remarks.clone();
    remarks.extend(log::unused(text).map(log::fragmentation));
    let remarks = ("What else the message says", remarks);
    let own = default_scenario().model;
    // The failed tensor and the remedies depend on the model and the GPU.
    let has_model = scenario.model != own || !explained.is_of_gpu();
    let question = (!has_model).then(|| which_model(text));
    let questions: Vec<String> = question.into_iter().chain(explained.other_gpu.clone()).collect();
    let (said, tensors_of) = if has_model {
        (explained.sentence.clone(), "Tensors of this size")
    } else {
        let params = format::params(own.architecture().params() as f64);
        let said = format!(
            "No model was given: sizes are compared with those of the calculator's own, of {params} parameters. Give the run's \
             model to know which tensor it was."
        );
        (said, "Tensors of this size in that model")
    };
    let tensors = (tensors_of, tensors.collect());
    let sections = if has_model { [tensors, remarks] } else { [remarks, tensors] };
    let mut brought = Import {
        offers: offers(&explained.changes, scenario),
        sections: filled(sections),
        ..Import::new(ImportKind::Error, ::links::encode(scenario), said, String::new())
    };
    brought.ask(questions);
    brought
}

/// Returns a question for the model, with the family that a traceback names.
fn which_model(text: &str) -> String {
    let family = text.match_indices("modeling_").find_map(|(at, start)| {
        let rest = text.get(at + start.len()..)?;
        let end = rest.find(".py")?;
        rest.get(..end).filter(|name| name.chars().all(|letter| letter.is_ascii_alphanumeric() || letter == '_'))
    });
    match family {
        Some(family) => format!("Which model was it? The traceback names modeling_{family}.py."),
        None => "Which model was it?".to_owned(),
    }
}

/// Returns remedies with the memory that the run then needs.
fn offers(changes: &[Removal], scenario: &Scenario) -> Vec<SuggestedChange> {
    let offer = |change: &Removal| {
        let fits = if change.fits { "fits" } else { "still does not fit" };
        let needed = format!("{} → {}", bytes(change.needed.0), bytes(change.needed.1));
        let pace = format::percent(change.gain.abs());
        let pace = if change.gain < 0.0 { format!("{pace} slower") } else { format!("{pace} faster") };
        let after = ::links::decode(&change.link).scenario;
        let code = change_code(scenario, &after);
        SuggestedChange {
            scenario: Some(change.link.clone()),
            changes: Changes::between(scenario, &after),
            ..SuggestedChange::new(Some(code), format!("{}: the run needs {needed} and {fits}, {pace}.", change.change))
        }
    };
    let mut offers: Vec<SuggestedChange> = changes.iter().map(offer).collect();
    // Equal offers are listed once.
    offers.dedup();
    offers
}

/// Imports a memory snapshot.
pub(super) fn import_snapshot(
    found: Result<SnapshotAnalysis, Cow<'static, str>>,
    scenario: &Scenario,
) -> Result<Import, String> {
    let found = found?;
    Ok(Import {
        offers: offers(&found.changes, scenario),
        sections: filled([
            ("Alive at that moment, by part of the memory", found.parts),
            ("The largest tensors", found.largest),
            ("What else the snapshot says", found.remarks),
        ]),
        ..Import::new(ImportKind::Error, ::links::encode(scenario), found.sentence, found.read)
    })
}

fn import_log(comparison: &Comparison, read: &str, scenario: &Scenario) -> Import {
    let reasons = |reasons: &[Reason], amount: fn(f64) -> String| -> Vec<String> {
        let line = |one: &Reason| {
            format!("{}: would be {}, explains {}", one.what, amount(one.predicted), format::percent(one.explains))
        };
        reasons.iter().map(line).collect()
    };
    let memory = comparison.memory.as_ref().map_or(&[][..], |memory| &memory.reasons);
    let offers = comparison.corrected.iter().map(|link| SuggestedChange {
        scenario: Some(link.clone()),
        ..SuggestedChange::new(
            None,
            "Correct the predictions near this run by what it measured; the link carries the correction.".into(),
        )
    });
    Import {
        offers: offers.collect(),
        sections: filled([
            ("What would explain the time", reasons(&comparison.reasons, |time| format::seconds(Seconds::new(time)))),
            ("What would explain the memory", reasons(memory, |bytes| format::bytes(Bytes::new(bytes)))),
            ("To know", comparison.remarks.clone()),
        ]),
        ..Import::new(ImportKind::Measured, ::links::encode(scenario), comparison.sentence.clone(), read.to_owned())
    }
}

//! Errors, logs, measured links and rates, compared with the current scenario.

use catalog::default_scenario;
use engine::format;
use engine::scenario::Scenario;
use engine::units::{Bytes, Seconds};
use std::borrow::Cow;

use super::{Brought, Kind, Offer, Section};
use crate::run::{Changes, of_change, rule};
use diagnose::error::{self, Explained, Removal, bytes};
use diagnose::log::{self, Comparison, Reason, links};
use diagnose::rates::{self, Taken};
use diagnose::snapshot::{self, Found};

/// Imports an error or a measurement; `None` if the text is neither.
pub(super) fn diagnosed(text: &str, scenario: &Scenario) -> Option<Result<Brought, String>> {
    if let Some(taken) = rates::read(text, scenario) {
        return Some(taken.map(of_rates));
    }
    if snapshot::is_json(text) {
        return Some(of_snapshot(snapshot::of_json(text, scenario), scenario));
    }
    let printed = without_comments(text);
    if let Ok(explained) = error::explain(&printed, scenario) {
        return Some(Ok(of_error(&explained, &printed, scenario)));
    }
    // nccl-tests names the collective in comments, so the whole text is read.
    if links::is_table(text) {
        let points = match links::read(text) {
            Ok(points) => points,
            Err(said) => return Some(Err(said)),
        };
        return Some(links::fit(&points, scenario).map(|fitted| {
            let lines = fitted.changes;
            let sections = vec![Section { title: "Changes by the measured links".into(), lines }];
            Brought { sections, ..Brought::new(Kind::Links, fitted.link, fitted.sentence, String::new()) }
        }));
    }
    let measured = log::read(&printed).ok()?;
    let comparison = log::compare(&measured, scenario);
    let read = match measured.steps {
        0 => format!("Read: {}, which times no step.", measured.writer),
        1 => format!("Read: 1 step of {}.", measured.writer),
        steps => format!("Read: {steps} steps of {}.", measured.writer),
    };
    Some(Ok(of_log(&comparison, &read, scenario)))
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
fn of_rates(taken: Taken) -> Brought {
    let sections = filled(taken.sections);
    let offers = taken.offer.iter().map(|(what, scenario)| Offer {
        code: None,
        severity: None,
        what: what.clone(),
        scenario: Some(::links::encode(scenario)),
        files: Vec::new(),
        changes: Changes::Nothing,
    });
    Brought {
        offers: offers.collect(),
        sections,
        ..Brought::new(Kind::Rates, ::links::encode(&taken.scenario), taken.said, taken.read)
    }
}

fn of_error(explained: &Explained, text: &str, scenario: &Scenario) -> Brought {
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
    let mut brought = Brought {
        offers: offers(&explained.changes, scenario),
        sections: filled(sections),
        ..Brought::new(Kind::Error, ::links::encode(scenario), said, String::new())
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
fn offers(changes: &[Removal], scenario: &Scenario) -> Vec<Offer> {
    let offer = |change: &Removal| {
        let fits = if change.fits { "fits" } else { "still does not fit" };
        let needed = format!("{} → {}", bytes(change.needed.0), bytes(change.needed.1));
        let pace = format::percent(change.gain.abs());
        let pace = if change.gain < 0.0 { format!("{pace} slower") } else { format!("{pace} faster") };
        let after = ::links::decode(&change.link).scenario;
        let code = of_change(scenario, &after);
        Offer {
            code: Some(code.to_owned()),
            severity: rule(code).map(|rule| rule.severity),
            what: format!("{}: the run needs {needed} and {fits}, {pace}.", change.change),
            scenario: Some(change.link.clone()),
            files: Vec::new(),
            changes: Changes::between(scenario, &after),
        }
    };
    let mut offers: Vec<Offer> = changes.iter().map(offer).collect();
    // Equal offers are listed once.
    offers.dedup();
    offers
}

/// Imports a memory snapshot.
pub(super) fn of_snapshot(found: Result<Found, Cow<'static, str>>, scenario: &Scenario) -> Result<Brought, String> {
    let found = found?;
    Ok(Brought {
        offers: offers(&found.changes, scenario),
        sections: filled([
            ("Alive at that moment, by part of the memory", found.parts),
            ("The largest tensors", found.largest),
            ("What else the snapshot says", found.remarks),
        ]),
        ..Brought::new(Kind::Error, ::links::encode(scenario), found.sentence, found.read)
    })
}

fn of_log(comparison: &Comparison, read: &str, scenario: &Scenario) -> Brought {
    let reasons = |reasons: &[Reason], amount: fn(f64) -> String| -> Vec<String> {
        let line = |one: &Reason| {
            format!("{}: would be {}, explains {}", one.what, amount(one.predicted), format::percent(one.explains))
        };
        reasons.iter().map(line).collect()
    };
    let memory = comparison.memory.as_ref().map_or(&[][..], |memory| &memory.reasons);
    let offers = comparison.corrected.iter().map(|link| Offer {
        code: None,
        severity: None,
        what: "Correct the predictions near this run by what it measured; the link carries the correction.".into(),
        scenario: Some(link.clone()),
        files: Vec::new(),
        changes: Changes::Nothing,
    });
    Brought {
        offers: offers.collect(),
        sections: filled([
            ("What would explain the time", reasons(&comparison.reasons, |time| format::seconds(Seconds::new(time)))),
            ("What would explain the memory", reasons(memory, |bytes| format::bytes(Bytes::new(bytes)))),
            ("To know", comparison.remarks.clone()),
        ]),
        ..Brought::new(Kind::Measured, ::links::encode(scenario), comparison.sentence.clone(), read.to_owned())
    }
}

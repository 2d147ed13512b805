//! Findings of the linter: suggested changes as keys of the files. Each fix is written into the
//! files, read again and evaluated before the finding is returned.

mod joint;
mod rules;

use std::collections::HashMap;

use analysis::advice::{advise, is_worth_the_odds};
use analysis::layouts::LayoutSearch;
use engine::format::{bytes_of, odds};
use engine::model::choices::Choices;
use engine::model::odds::SURE;
use engine::model::report::Report;
use engine::model::software::{Loss, NormKernel};
use engine::model::trained::Trained;
use engine::model::training::{HalfFormat, Recompute};
use engine::params::ParamId;
use engine::scenario::{Model, Scenario};
use serde::{Deserialize, Serialize};

use super::alternatives::LENGTHS;
use super::difference::difference;
use super::edit::{Change, write_back};
use super::key_values::{KeyValue, key_values};
use super::refusals::is_absent;
use super::sharding::as_zero3;
use super::tree::Tree;
use super::{Base, File, MissingValue, Run, keys, read_run, tree};
use catalog::programs::Program;
pub(crate) use rules::change_code;
pub use rules::{ASSERTION, DOES_NOT_FIT, RULES, Rule, Severity, TIGHT, explain, prefixes, rule, rules_table};

/// A possible improvement, or an error.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// Code of the rule, of [`RULES`].
    pub code: &'static str,
    /// Severity.
    pub severity: Severity,
    /// A sentence.
    pub what: String,
    /// Relative gain in tokens per second: 0.1 is 10 % faster. `None` if the run does not fit now,
    /// or nothing is gained.
    pub gain: Option<f64>,
    /// Changes of the files; empty if their format has no key for it.
    pub fix: Vec<Change>,
    /// Effect of the change on the training.
    pub changes: Changes,
}

impl Finding {
    /// Creates a finding of a rule, without a fix.
    fn new(code: &'static str, what: String) -> Self {
        let severity = rules::severity(code);
        Self { code, severity, what, gain: None, fix: Vec::new(), changes: Changes::Nothing }
    }
}

/// Effect of a change on the training, from the least.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Changes {
    /// None: model, data, length, effective batch and mathematics are equal.
    #[default]
    Nothing,
    /// Numerics: precision, optimizer, bits of frozen weights.
    Numerics,
    /// The training itself: model, length, data, effective batch, trained weights.
    Training,
}

impl Changes {
    /// Returns the effect of a change from one scenario to another.
    pub(crate) fn between(before: &Scenario, after: &Scenario) -> Self {
        let what = |scenario: &Scenario| {
            let Scenario { seq_len, texts, choices: Choices { objective, trained, images, mtp, .. }, .. } = *scenario;
            // The bits of frozen weights are numerics.
            let trained = Trained { base: before.trained.base, ..trained };
            (unpadded(scenario), seq_len, texts, objective, trained, images, mtp)
        };
        let how = |scenario: &Scenario| {
            let Choices { recipe, compute_format, optimizer, galore_rank, gradients_in_16_bits, kernels, .. } =
                scenario.choices;
            (
                recipe,
                compute_format,
                optimizer,
                galore_rank,
                gradients_in_16_bits,
                scenario.trained.base,
                kernels.dropout,
            )
        };
        if sequences(before) != sequences(after) || what(before) != what(after) {
            Self::Training
        } else if how(before) != how(after) {
            Self::Numerics
        } else {
            Self::Nothing
        }
    }
}

/// Returns the model without its vocabulary size, which programs pad by the tensor-parallel degree:
/// a padded model is not another model.
fn unpadded(scenario: &Scenario) -> Model {
    match scenario.model {
        Model::Custom { mut architecture } => {
            architecture.vocab_size = 0;
            Model::Custom { architecture }
        }
        named => named,
    }
}

/// Returns the sequences of a step.
fn sequences(scenario: &Scenario) -> u64 {
    let step = [scenario.micro_batch_size, scenario.grad_accum_steps, scenario.degrees().dp];
    step.iter().map(|factor| u64::from(*factor)).product()
}

/// Least gain of a finding.
const LEAST_GAIN: f64 = 0.02;
/// Least gain of another layout, which changes several keys.
const LEAST_GAIN_OF_LAYOUT: f64 = 0.05;
/// Largest fall in the odds of fitting, the model's own error in them.
const MOST_ODDS: f64 = 0.05;
/// Most findings, not counting contradictions.
const MOST: usize = 6;
/// Most findings without a key in the files.
const MOST_WITHOUT: usize = 2;
/// Layouts evaluated per step of the search.
const AT_ONCE: usize = 4096;

/// The files of a run, parsed once, to which each candidate is compared.
struct Source<'a> {
    run: &'a Run,
    files: &'a [File],
    base: &'a Base,
    /// Parsed files in order; `None` for a file that does not parse alone.
    trees: Vec<Option<Tree>>,
}

impl<'a> Source<'a> {
    fn new(run: &'a Run, files: &'a [File], base: &'a Base) -> Self {
        Self { run, files, base, trees: files.iter().map(|file| tree::parse_file(file).ok()).collect() }
    }
}

/// A change that was written into the files, read back and evaluated.
#[derive(Clone)]
struct Candidate {
    scenario: Scenario,
    report: Report,
    gain: f64,
    changes: Changes,
    fix: Vec<Change>,
}

/// Whether a run that does not fit as assumed may fit as its launcher or its texts are.
fn may_fit(run: &Run) -> bool {
    let scenario = &run.scenario;
    let is_sharded = run.assumes_ddp && as_zero3(scenario).report().fits();
    let is_short = || run.open.contains(&MissingValue::Length) && shortest(scenario).report().fits();
    is_sharded || is_short()
}

/// Returns the run with the shortest of the likely texts.
fn shortest(scenario: &Scenario) -> Scenario {
    Scenario { seq_len: LENGTHS[0].min(scenario.seq_len), ..*scenario }
}

/// Finding of a run that fits if all texts are short.
const CUT_OFF: &str = "With texts as long as the cut-off, the run does not fit";

/// Returns findings that would make the run of these files fit or faster. `files` and `base` are
/// those given to [`read_run`].
///
/// Contradictions and a run that does not fit come first; then changes that the files have keys
/// for, the best first; each finding once. Another training or other hardware is not suggested if
/// settings make the run fit.
pub fn lint(run: &Run, files: &[File], base: impl Into<Base>) -> Vec<Finding> {
    let base = &base.into();
    let scenario = &run.scenario;
    let report = scenario.report();
    let mut findings: Vec<Finding> =
        run.contradictions.iter().map(|what| Finding::new(rules::CONTRADICTION, what.clone())).collect();
    // A launcher's file may shard the run, or its texts be so short, that it fits: nothing is to be
    // mended before that is said.
    if !report.fits() && may_fit(run) {
        return findings;
    }
    if !report.fits() {
        let engine = report.rollout.as_ref().filter(|rollout| !rollout.fits());
        let engine = engine.and_then(|_| {
            scenario
                .issues()
                .into_iter()
                .find(|issue| issue.key == Some(ParamId::EngineMemory.key()))
                .map(|issue| issue.message)
        });
        let is_tight = engine.is_none() && report.memory.is_within();
        let code = if is_tight { rules::TIGHT } else { rules::DOES_NOT_FIT };
        let what = engine.map_or_else(
            || {
                let subject = if is_tight {
                    "The run may not fit"
                } else if run.has_cut_off && shortest(scenario).report().fits() {
                    CUT_OFF
                } else {
                    "The run does not fit"
                };
                format!(
                    "{subject}: it needs {} on {}, and {} of such runs fit.",
                    bytes_of(report.memory.needed, report.memory.capacity),
                    accelerator(scenario),
                    odds(report.odds())
                )
            },
            |engine| format!("The run does not fit. {engine}"),
        );
        findings.push(Finding::new(code, what));
    }
    let source = &Source::new(run, files, base);
    let (mut found, mut without) = candidates(source, &report);
    let code = |candidate: &Candidate| change_code(scenario, &candidate.scenario);
    if report.fits() {
        // A run that fits needs no shorter texts, no other batch and no other training.
        found.retain(|one| one.changes < Changes::Training && !rules::is_last_resort(code(one)));
        without.retain(|one| one.changes < Changes::Training && !rules::is_last_resort(one.code));
    } else {
        let is_setting = |changes: Changes, code: &str| changes < Changes::Training && is_repair(code);
        let is_mended = found.iter().any(|one| is_setting(one.changes, code(one)))
            || without.iter().any(|one| is_setting(one.changes, one.code));
        if is_mended {
            found.retain(|one| is_setting(one.changes, code(one)));
            without.retain(|one| is_setting(one.changes, one.code));
        }
    }
    if let Some(first) = found.first_mut() {
        let shortest = first.clone();
        follow(source, &report, first);
        // A repair is offered without what only makes it faster, too.
        if !report.fits() && first.scenario != shortest.scenario {
            found.insert(1, shortest);
        }
    }
    let mut seen: Vec<Scenario> = Vec::new();
    found.retain(|candidate| {
        let is_new = !seen.contains(&candidate.scenario);
        seen.push(candidate.scenario);
        is_new
    });
    findings.extend(found.into_iter().map(|candidate| write_finding(scenario, &report, candidate)));
    findings.extend(without.into_iter().take(MOST_WITHOUT));
    let most = MOST + run.contradictions.len();
    let mut unique: Vec<Finding> = Vec::with_capacity(findings.len());
    for finding in findings {
        if unique.len() < most && unique.iter().all(|other| (&other.what, &other.fix) != (&finding.what, &finding.fix))
        {
            unique.push(finding);
        }
    }
    unique
}

/// Whether a code concerns settings, and neither the training nor the hardware.
fn is_repair(code: &str) -> bool {
    rules::severity(code) != Severity::Note
}

/// Returns helpful changes that the files have keys for, the best first, and findings without a
/// key.
fn candidates(source: &Source, report: &Report) -> (Vec<Candidate>, Vec<Finding>) {
    let scenario = &source.run.scenario;
    let mut found: Vec<Candidate> = Vec::new();
    let mut without: Vec<Finding> = Vec::new();
    let add = |found: &mut Vec<Candidate>, candidate: Candidate| {
        if found.iter().all(|other| other.scenario != candidate.scenario && other.fix != candidate.fix) {
            found.push(candidate);
        }
    };
    if !report.fits() {
        for candidate in joint::joint(source, report) {
            add(&mut found, candidate);
        }
    }
    for wanted in wanted(scenario, report) {
        match apply_or_refuse(source, &wanted, report) {
            Ok(candidate) if helps(&candidate, report) => add(&mut found, candidate),
            Ok(_) => {}
            Err(refusal) => without.extend(suggestion_without_fix(scenario, report, &wanted, refusal.as_deref())),
        }
    }
    // Order: unchanged training first, then the fastest, then the fewest changed keys.
    if report.fits() {
        found.sort_by(|a, b| {
            a.changes.cmp(&b.changes).then(b.gain.total_cmp(&a.gain)).then(a.fix.len().cmp(&b.fix.len()))
        });
    } else {
        // A narrow fit lowers the worth of a candidate; among about equal worth, the fewest keys
        // win.
        let worth = |one: &Candidate| joint::worth(&one.report, joint::added(&one.fix));
        let best = found.iter().map(worth).fold(0.0, f64::max);
        let order = |one: &Candidate| {
            let is_bought = rules::is_hardware(scenario, &one.scenario);
            (one.changes, is_bought, !is_sure(&one.report), joint::steps_below(best, worth(one)), one.fix.len())
        };
        found.sort_by(|a, b| order(a).cmp(&order(b)).then(b.gain.total_cmp(&a.gain)));
    }
    (found, without)
}

fn accelerator(scenario: &Scenario) -> String {
    catalog::accelerator(scenario.accelerator.id).map_or_else(|| "the GPU".to_owned(), |entry| entry.name.to_owned())
}

/// Returns scenarios to try: the engine's advice, settings that the advice leaves to the framework,
/// the fastest layouts.
fn wanted(scenario: &Scenario, report: &Report) -> Vec<Scenario> {
    let mut wanted: Vec<Scenario> = Vec::new();
    if scenario.accelerator.values.emulates_bf16() && scenario.half != HalfFormat::Fp16 {
        wanted.push(Scenario { choices: Choices { half: HalfFormat::Fp16, ..scenario.choices }, ..*scenario });
    }
    if report.fits() {
        for mode in [Recompute::None, Recompute::AttentionCore, Recompute::Selective] {
            if scenario.recompute == Recompute::Full {
                wanted.push(Scenario { choices: Choices { recompute: mode, ..scenario.choices }, ..*scenario });
            }
        }
        // An equal step in fewer, larger micro-batches.
        let mut parts = 2;
        while parts <= 16 && scenario.grad_accum_steps.is_multiple_of(parts) && scenario.pp == 1 {
            wanted.push(Scenario {
                micro_batch_size: scenario.micro_batch_size.saturating_mul(parts),
                grad_accum_steps: scenario.grad_accum_steps / parts,
                ..*scenario
            });
            parts *= 2;
        }
    }
    if scenario.kernels.loss.is_unfused() {
        let mut fused = *scenario;
        (fused.kernels.loss, fused.kernels.norms) = (Loss::FusedLinear, NormKernel::Fused);
        wanted.push(fused);
        let mut chunked = *scenario;
        chunked.kernels.loss = Loss::Chunked;
        wanted.push(chunked);
    }
    let advice = advise(scenario, report).into_iter().filter(|advice| advice.lack.is_none());
    wanted.extend(advice.map(|advice| advice.scenario));
    let mut search = LayoutSearch::new(scenario);
    while !search.advance(AT_ONCE) {}
    let layouts = search.offered(report).filter(|layout| layout.lack.is_none());
    let is_enough = |best: &Report| !report.fits() || gain(report, best) >= LEAST_GAIN_OF_LAYOUT;
    wanted.extend(layouts.into_iter().filter(|layout| is_enough(&layout.report)).map(|layout| layout.scenario));
    // If no layout fits: the best layout combined with the first memory saver that makes it fit.
    if !report.fits() {
        wanted.extend(search.also().filter(|(_, layout)| layout.lack.is_none()).map(|(_, layout)| layout.scenario));
    }
    wanted
}

/// Whether all keys of a file except those of a fix keep their values.
fn keeps_others(old: &Tree, new: &File, place: usize, fix: &[Change]) -> bool {
    let Ok(new) = tree::parse_file(new) else { return false };
    let own = |path: &str| {
        fix.iter().any(|change| {
            change.file == place
                && (change.key == path || change.key.split('.').next_back() == path.split('.').next_back())
        })
    };
    // The variable that a changed key refers to is changed instead of the key.
    let referred: Vec<String> = old
        .entries
        .iter()
        .filter(|entry| own(&entry.path))
        .filter_map(|entry| Some(entry.value.shown().strip_prefix("${")?.strip_suffix('}')?.to_owned()))
        .collect();
    let is_referred = |path: &str| referred.iter().any(|name| path == name || path.ends_with(&format!(".{name}")));
    let [before, after] = [old, &new].map(first_values);
    let mut others = before.keys().filter(|path| !own(path) && !is_referred(path));
    others.all(|path| before.get(path) == after.get(path))
}

/// Returns the first value of each path.
fn first_values(tree: &Tree) -> HashMap<&str, String> {
    tree.entries.iter().rev().map(|entry| (entry.path.as_str(), entry.value.shown())).collect()
}

fn gain(before: &Report, after: &Report) -> f64 {
    let speed = |report: &Report| report.whole().tokens_per_s_per_gpu;
    if speed(before) > 0.0 { speed(after) / speed(before) - 1.0 } else { 0.0 }
}

/// Whether a run surely fits.
fn is_sure(report: &Report) -> bool {
    report.odds() >= SURE
}

fn helps(candidate: &Candidate, before: &Report) -> bool {
    candidate.report.fits() && (!before.fits() || is_worth_it(before, &candidate.report))
}

/// Whether a run that fits is faster by enough, and fits about as surely as before: who asks for
/// findings asks for no risk.
fn is_worth_it(before: &Report, after: &Report) -> bool {
    let gain = gain(before, after);
    let is_safe = after.odds() >= before.odds() - MOST_ODDS;
    gain >= LEAST_GAIN && is_safe && is_worth_the_odds(gain, before.odds(), after.odds())
}

/// Extends a candidate: further findings in the fixed files become part of the fix, so that one
/// pass is enough.
fn follow(source: &Source, before: &Report, candidate: &mut Candidate) {
    for _ in 0..MOST {
        let next = wanted(&candidate.scenario, &candidate.report).into_iter();
        let next = next.filter_map(|wanted| apply_and_evaluate(source, &wanted, before)).filter(|next| {
            next.report.fits()
                && (is_sure(&next.report) || !is_sure(&candidate.report))
                && next.changes <= candidate.changes
                && is_worth_it(&candidate.report, &next.report)
        });
        let Some(next) = next.max_by(|a, b| a.gain.total_cmp(&b.gain)) else { return };
        *candidate = next;
    }
}

/// Returns the keys of the files that differ between the run and a scenario.
fn changes(source: &Source, wanted: &Scenario) -> Vec<Change> {
    let mut changes = Vec::new();
    for (place, tree) in source.trees.iter().enumerate() {
        let Some(tree) = tree else { continue };
        // Scripts inside a notebook or a job are not written back.
        if tree.inner.is_some() {
            continue;
        }
        let Some(program) = source.run.formats.get(place).copied() else { continue };
        let before = key_values(program, &source.run.scenario);
        for mut key_value in key_values(program, wanted) {
            if key_value.is_flag && tree.syntax == tree::Syntax::Shell && key_value.value == "false" {
                key_value.value = String::new();
            }
            let same = before.iter().find(|other| other.keys == key_value.keys);
            // A key that is added only now says what another value of the file said before.
            let is_said =
                |other: &KeyValue| other.value == key_value.value && other.only_present == key_value.only_present;
            if same.is_some_and(is_said) || (same.is_none() && key_value.value.is_empty()) {
                continue;
            }
            let present = key_value.keys.split('|').find_map(|key| keys::place(tree, key));
            let entry = present.and_then(|place| tree.entries.get(place));
            // Fields of torchtitan's Python configurations differ between releases.
            let is_typed = program == Program::Torchtitan && tree.syntax == tree::Syntax::Python;
            if entry.is_none()
                && (is_typed || key_value.only_present || key_value.value.is_empty() || key_value.value == "false")
            {
                continue;
            }
            if entry.is_none() && key_value.keys.split('|').next().is_some_and(|key| is_absent(program, key)) {
                continue;
            }
            let from = entry.map(|entry| entry.value.shown());
            if key_value.is_item {
                // Another list would have to be extended: nothing is written then.
                match &from {
                    Some(list) if list.contains(key_value.value.trim_matches(['[', ']'])) => continue,
                    Some(_) => return Vec::new(),
                    None => {}
                }
            }
            let has_capitals = |text: &String| text.chars().any(char::is_uppercase) && *text == text.to_uppercase();
            let value =
                if from.as_ref().is_some_and(has_capitals) { key_value.value.to_uppercase() } else { key_value.value };
            // The file has this value already, and another value overruled it.
            if from.as_ref() == Some(&value) {
                continue;
            }
            // `auto` refers to a value of another file.
            if from.as_deref() == Some("auto") {
                continue;
            }
            let key = entry.map_or_else(|| added_path(tree, key_value.keys), |entry| entry.path.clone());
            changes.push(Change { file: place, key, from, to: value });
        }
    }
    changes
}

/// Returns the path of an added key: its first spelling, or among the flags of a YAML file that has
/// flags as keys.
fn added_path(tree: &Tree, keys: &str) -> String {
    let first = keys.split('|').next().unwrap_or_default();
    let flags = tree.entries.iter().filter(|_| tree.syntax == tree::Syntax::Yaml);
    let section = flags.filter_map(|entry| entry.path.split_once(".--")).map(|(section, _)| section).next();
    section.map_or_else(|| first.to_owned(), |section| format!("{section}.--{}", first.replace('_', "-")))
}

/// Writes the differences to a scenario into the files, reads them and evaluates the result; `None`
/// if nothing changes or the fix has side effects.
fn apply_and_evaluate(source: &Source, wanted: &Scenario, before: &Report) -> Option<Candidate> {
    apply_or_refuse(source, wanted, before).ok()
}

/// Writes the differences to a scenario into the files as [`apply_and_evaluate`] does.
///
/// # Errors
///
/// The first contradiction that the changed files have and these do not; `None` if nothing can be
/// written.
fn apply_or_refuse(source: &Source, wanted: &Scenario, before: &Report) -> Result<Candidate, Option<String>> {
    let Source { run, files, base, trees } = source;
    let fix = changes(source, wanted);
    if fix.is_empty() {
        return Err(None);
    }
    let changed: Vec<File> = files
        .iter()
        .enumerate()
        .map(|(place, file)| {
            let of_file: Vec<Change> = fix.iter().filter(|change| change.file == place).cloned().collect();
            File { name: file.name.clone(), text: write_back(file, &of_file) }
        })
        .collect();
    let now = read_run(&changed, *base).map_err(|_| None)?;
    let report = now.scenario.report();
    // A fix adds no contradiction and changes no other key.
    if now.contradictions.len() > run.contradictions.len() {
        return Err(now.contradictions.into_iter().find(|said| !run.contradictions.contains(said)));
    }
    let keeps = files.iter().zip(trees).zip(&changed).enumerate().all(|(place, ((old, tree), new))| {
        old == new || tree.as_ref().is_some_and(|tree| keeps_others(tree, new, place, &fix))
    });
    if now.scenario == run.scenario || !keeps {
        return Err(None);
    }
    let changes = Changes::between(&run.scenario, &now.scenario);
    Ok(Candidate { gain: gain(before, &report), scenario: now.scenario, report, changes, fix })
}

fn write_finding(scenario: &Scenario, before: &Report, candidate: Candidate) -> Finding {
    let what = difference(scenario, &candidate.scenario).join("; ");
    let report = &candidate.report;
    let memory = bytes_of(report.memory.needed, report.memory.capacity);
    let odds = odds(report.odds());
    let (what, gain) = if before.fits() {
        let percent = (candidate.gain * 100.0).round();
        (format!("{what}: {percent} % faster, needs {memory}; {odds} of such runs fit."), Some(candidate.gain))
    } else {
        (format!("{what}: needs {memory}; {odds} of such runs fit."), None)
    };
    let code = change_code(scenario, &candidate.scenario);
    Finding { gain, fix: candidate.fix, changes: candidate.changes, ..Finding::new(code, what) }
}

/// Returns a finding for a change that the files have no key for, or that would contradict their
/// other keys.
fn suggestion_without_fix(
    scenario: &Scenario,
    before: &Report,
    wanted: &Scenario,
    refusal: Option<&str>,
) -> Option<Finding> {
    let report = wanted.report();
    let gain = gain(before, &report);
    if !report.fits() || (before.fits() && !is_worth_it(before, &report)) {
        return None;
    }
    let what = difference(scenario, wanted).join("; ");
    if what.is_empty() {
        return None;
    }
    let effect = if before.fits() { format!("{} % faster", (gain * 100.0).round()) } else { "it would fit".to_owned() };
    Some(Finding {
        gain: before.fits().then_some(gain),
        changes: Changes::between(scenario, wanted),
        ..Finding::new(
            change_code(scenario, wanted),
            format!("{what}: {effect}; {}", refusal.unwrap_or("no key of this file is written for it.")),
        )
    })
}

//! Reads a file of settings back: its differences from the scenario.

use catalog::programs::{Part, Program};
use diagnose::difference::{Difference, differences};
use engine::params::ParamId;
use engine::scenario::Scenario;

use super::context::ExportContext;
use super::{Settings, named_in};
use crate::run::{File, read_run};

/// Parameters that no file of a program carries: the program itself, and what follows from others.
const APART: [ParamId; 3] = [ParamId::Framework, ParamId::TrainingTokens, ParamId::GpuHourPrice];

/// Returns a sentence about the parameters that differ from the scenario when the file is read;
/// `None` if there are none, or the file is not one that is read. Of a file that is a part of a
/// run, only what it says itself counts.
pub(super) fn difference(program: Program, settings: &Settings, scenario: &Scenario) -> Option<String> {
    let mut files = vec![File::new(settings.file_name.clone(), settings.body.clone())];
    let named = named_in(program, &settings.body);
    files.extend(named.map(|(_, name, write)| File::new(name, write(ExportContext::new(scenario)).0)));
    let run = read_run(&files, scenario).ok()?;
    let is_whole = program.part() == Part::Run;
    let is_said = |label: &str| {
        let of = |meaning: &str| meaning.strip_prefix(label).is_some_and(|rest| rest.starts_with([':', ' ']));
        run.understood.iter().any(|line| of(&line.meaning))
    };
    let differs = differences(&run.scenario, scenario, |value| value).filter(|one| {
        let is_default = one.to.ends_with("default");
        !is_default
            && !APART.contains(&one.param.id)
            && (one.param.applies)(&run.scenario)
            && (is_whole || is_said(one.param.label))
    });
    let said: Vec<String> =
        differs.map(|Difference { param, from, to }| format!("{}: {from} in place of {to}", param.label)).collect();
    (!said.is_empty()).then(|| format!("As {} runs this file: {}.", program.name(), said.join("; ")))
}

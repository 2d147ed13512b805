//! The traits of published runs, as a table that is compiled in: the links of all rows
//! ([`crate::published`]) are ten times as long.
//!
//! A line has the trait values in the order of [`HEADER`], options by their keys; a blank is the
//! value of the line before. `cargo test -p score` holds the table against `tests/measured`.

use catalog::accelerator;
use engine::params::ParamId;
use engine::scenario::Scenario;

use crate::similar_runs::Traits;

/// The table.
pub(super) const ROWS: &str = include_str!("measured.csv");

/// A published run.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// Its traits.
    pub traits: Traits,
    /// Whether its step time was measured.
    pub step_time: bool,
    /// Whether its peak of memory was measured.
    pub peak: bool,
}

/// Columns of the table. `measured` is `t` for a step time, `m` for a peak of memory, `tm` for
/// both.
const HEADER: &str = "gpu,framework,strategy,recompute,compute,recipe,attnkernel,experts,all,params,gpus,seq,mbs,tp,cp,\
                      pp,ep,measured";

/// Choices that are traits, in the order of the columns.
const CHOICES: [ParamId; 6] = [
    ParamId::Framework,
    ParamId::Strategy,
    ParamId::Recompute,
    ParamId::ComputeFormat,
    ParamId::Recipe,
    ParamId::AttentionKernel,
];

/// Writes the table of measured runs: scenarios, whether their step time was measured, and whether
/// their peak was. Runs with the same traits become one line, runs on custom accelerators none.
pub fn write<'a>(runs: impl IntoIterator<Item = (&'a Scenario, bool, bool)>) -> String {
    let mut rows: Vec<(Vec<String>, bool, bool)> = Vec::new();
    // Accelerators whose numbers a row edited are of no catalog entry.
    for (scenario, time, peak) in runs.into_iter().filter(|of| accelerator(of.0.accelerator.id).is_some()) {
        let cells = cells(scenario);
        match rows.iter_mut().find(|row| row.0 == cells) {
            Some(row) => (row.1, row.2) = (row.1 || time, row.2 || peak),
            None => rows.push((cells, time, peak)),
        }
    }
    rows.sort();
    let mut text = format!("{HEADER}\n");
    let mut last: Vec<String> = Vec::new();
    for (mut cells, time, peak) in rows {
        cells.push([(time, "t"), (peak, "m")].into_iter().filter(|of| of.0).map(|of| of.1).collect());
        let shown = cells.iter().enumerate().map(
            |(place, cell)| {
                if last.get(place) == Some(cell) { "" } else { cell.as_str() }
            },
        );
        text.push_str(&shown.collect::<Vec<_>>().join(","));
        text.push('\n');
        last = cells;
    }
    text
}

/// Returns the cells of a scenario, all but the last.
fn cells(scenario: &Scenario) -> Vec<String> {
    let option = |id: ParamId| {
        let choice = id.param().choice();
        choice.and_then(|choice| choice.options.get((choice.get)(scenario))).map_or("", |option| option.key).to_owned()
    };
    let (shape, mesh) = (scenario.model.architecture(), scenario.degrees());
    let yes = |is: bool| u64::from(is);
    let numbers = [yes(shape.has_experts()), yes(scenario.trained.is_all()), shape.params()];
    let counts = [scenario.gpus, scenario.seq_len, scenario.micro_batch_size, mesh.tp, mesh.cp, mesh.pp, mesh.ep];
    let numbers = numbers.into_iter().chain(counts.map(u64::from)).map(|number| number.to_string());
    core::iter::once(scenario.accelerator.id.to_owned()).chain(CHOICES.map(option)).chain(numbers).collect()
}

/// Reads the table; a line that cannot be read is left out.
pub(super) fn parse(text: &str) -> Vec<Measurement> {
    let mut last: Vec<&str> = Vec::new();
    let rows = text.lines().skip(1).filter_map(|line| {
        let cells = line.split(',').enumerate();
        last = cells.map(|(place, cell)| if cell.is_empty() { last.get(place).unwrap_or(&"") } else { cell }).collect();
        row(&last)
    });
    rows.collect()
}

fn row(cells: &[&str]) -> Option<Measurement> {
    let (choices, numbers) = cells.get(1..)?.split_at_checked(CHOICES.len())?;
    let mut scenario = catalog::default_scenario();
    scenario.accelerator = accelerator(cells.first()?)?.pick();
    for (id, key) in CHOICES.iter().zip(choices) {
        let choice = id.param().choice()?;
        (choice.set)(&mut scenario, choice.options.iter().position(|option| option.key == *key)?);
    }
    let (measured, numbers) = numbers.split_last()?;
    let numbers: Vec<f64> = numbers.iter().map(|number| number.parse().ok()).collect::<Option<_>>()?;
    let &[experts, all, params, gpus, seq, mbs, tp, cp, pp, ep] = numbers.as_slice() else { return None };
    let shape = (params, experts != 0.0, all != 0.0);
    let traits = Traits::from_scenario(&scenario).with_numbers(shape, [gpus, seq, mbs], [tp, cp, pp, ep]);
    Some(Measurement { traits, step_time: measured.contains('t'), peak: measured.contains('m') })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_read() {
        let all = parse(ROWS);
        assert_eq!(all.len(), ROWS.lines().count() - 1);
        let count = |is: fn(&Measurement) -> bool| all.iter().filter(|row| is(row)).count();
        assert!(count(|row| row.step_time) > 500 && count(|row| row.peak) > 500, "{}", all.len());
        assert!(all.iter().all(|row| row.step_time || row.peak));
    }

    #[test]
    fn a_run_survives_the_table() {
        let links =
            ["v=1", "v=1&cluster=dgx-h100&model=mixtral-8x7b&ep=8&recompute=full", "v=1&train=lora&tp=2&gpus=512"];
        let scenarios = links.map(|link| links::decode(link).scenario);
        let text = write(scenarios.iter().chain(&scenarios).map(|of| (of, true, false)));
        let read = parse(&text);
        assert_eq!(read.len(), links.len(), "{text}");
        for scenario in &scenarios {
            let own = Traits::from_scenario(scenario);
            assert!(read.iter().any(|row| row.traits == own && row.step_time && !row.peak), "{text}");
        }
        assert_eq!(parse("gpu\nno-such-gpu,torchtitan\n"), []);
    }
}

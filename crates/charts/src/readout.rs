//! The readout of a figure at one place: the text next to the pointer and the keyboard crosshair.

mod amount;
mod lanes;
mod stack;

use super::layout::share;
use super::spec::{Axis, AxisKey, Cell, ChartSpec, Fall, Field, LineRole, Mark, Polyline};
use super::views::at_place;
use super::{marks, names};
use analysis::boundary::bilinear;
use engine::format;
use engine::model::report::Limiter;
use engine::params::{ParamId, Unit};
use engine::scenario::Scenario;
use engine::units::Bytes;

/// Text for a scenario that does not fit.
const DOES_NOT_FIT: &str = "does not fit";
/// One hundred percent.
const PERCENT: f64 = 100.0;

/// One name with its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name.
    pub name: String,
    /// The value with its unit, or the reason why there is none.
    pub value: String,
    /// The line of the value, if any, for its colour and dashes.
    pub role: Option<LineRole>,
}

/// The readout of a figure at one place.
#[derive(Clone, Debug, PartialEq)]
pub struct Readout {
    /// The place: `Sequence length 8,192 tokens`, and y in the same form over a field.
    pub place: Vec<Entry>,
    /// The values at the place.
    pub entries: Vec<Entry>,
    /// The whole readout as one sentence, for the status line.
    pub sentence: String,
}

/// Reads a figure at a place in data units. A map is evaluated there, on the scenario that it is
/// of, so that the readout says what a click would give; everything else is read off the figure.
pub fn readout_of(spec: &ChartSpec, scenario: &Scenario, (x, y): (f64, f64)) -> Readout {
    let cell = if marks::nearest(spec, (x, y)).is_none() { at_place(spec, scenario, (x, y)) } else { None };
    match (&spec.field, cell) {
        (Some(field), Some(cell)) => {
            let place = vec![on_axis(&spec.x, spec.x.settled(x)), on_axis(&spec.y, spec.y.settled(y))];
            build_readout(place, in_cell(spec, field, &cell))
        }
        _ => readout(spec, x, y),
    }
}

/// Writes a place on an axis.
fn on_axis(axis: &Axis, value: f64) -> Entry {
    Entry { name: axis.label.clone(), value: format::value(axis.unit, value), role: None }
}

/// Reads a figure at a place in data units; a map between its nodes is interpolated.
pub fn readout(spec: &ChartSpec, x: f64, y: f64) -> Readout {
    if let Some(mark) = marks::nearest(spec, (x, y)).and_then(|at| spec.marks.get(at)) {
        return on_mark(spec, mark);
    }
    if let Some(moment) = spec.course.as_ref().and_then(|course| course.nearest(x)) {
        return stack::at_moment(spec, moment);
    }
    if let Some(fall) = spec.falls.as_ref().and_then(|falls| falls.bars.get(falls.at(y)?)) {
        return on_fall(fall);
    }
    let x = if spec.lanes.is_some() { x } else { spec.x.settled(x) };
    let y = if spec.field.is_some() { spec.y.settled(y) } else { y };
    let across = on_axis(&spec.x, x);
    let (place, entries) = match (&spec.field, &spec.lanes) {
        (Some(field), _) => (vec![across, on_axis(&spec.y, y)], in_field(spec, field, x, y)),
        (None, Some(lanes)) => (vec![across], lanes::on_lanes(lanes, x, y)),
        (None, None) => (vec![across], spec.lines.iter().map(|line| on_line(spec, line, x)).collect()),
    };
    build_readout(place, entries)
}

/// Builds a readout with its sentence.
fn build_readout(place: Vec<Entry>, entries: Vec<Entry>) -> Readout {
    let list = |entries: &[Entry]| {
        let texts: Vec<String> =
            entries
                .iter()
                .map(|entry| {
                    if entry.value.is_empty() { entry.name.clone() } else { format!("{} {}", entry.name, entry.value) }
                })
                .collect();
        texts.join(", ")
    };
    let sentence = format!("{}: {}.", list(&place), list(&entries));
    Readout { place, entries, sentence }
}

/// Reads a bar of a waterfall: its time in a step, its fraction of the step, and its cost over the
/// run.
fn on_fall(fall: &Fall) -> Readout {
    let entry = |name: &str, value: String| Entry { name: name.to_string(), value, role: None };
    let values = vec![
        entry("Time", format::seconds(fall.time)),
        entry("Share of the step", format::percent(fall.share / 100.0)),
        entry("Of the run’s price", format::dollars(fall.cost)),
    ];
    build_readout(vec![entry(names::step_part(fall.part), String::new())], values)
}

/// Reads a mark: its name, its place, its value, and the lines above or below it.
fn on_mark(spec: &ChartSpec, mark: &Mark) -> Readout {
    let entry = |name: &str, value: String| Entry { name: name.to_string(), value, role: None };
    let (x, y) = mark.at;
    let mut entries = vec![
        entry(&spec.x.label, format::value(spec.x.unit, x)),
        entry(&spec.y.label, format::value(spec.y.unit, y)),
        entry(spec.value.label, format::value(spec.value.unit, mark.value)),
    ];
    if !mark.fits {
        entries.push(entry(DOES_NOT_FIT, String::new()));
    }
    let with_values = spec.lines.iter().filter(|line| !line.role.is_guide());
    entries.extend(with_values.map(|line| on_line(spec, line, x)));
    build_readout(vec![entry(&mark.name, String::new())], entries)
}

/// Rounds the value of a parameter that only has whole numbers.
pub(super) fn whole(key: Option<AxisKey>, value: f64) -> f64 {
    let number = key.and_then(AxisKey::param).and_then(ParamId::number);
    if number.is_some_and(|number| number.integer) { value.round() } else { value }
}

/// Reads a field between its nodes: values are interpolated, the limiter is that of the nearest
/// node that fits.
fn in_field(spec: &ChartSpec, field: &Field, x: f64, y: f64) -> Vec<Entry> {
    let at = |share: f64, count: usize| share.clamp(0.0, 1.0) * count.saturating_sub(1) as f64;
    let node = (at(share(&spec.x, x), field.columns), at(share(&spec.y, y), field.rows));
    let size = (field.columns, field.rows);
    let mixed = |of: fn(&Cell) -> f64| bilinear(size, node, |column, row| field.cell(column, row).map_or(f64::NAN, of));
    let nearest = field.cell(node.0.round() as usize, node.1.round() as usize).map(|cell| cell.limiter);
    let beside = || field.cell(node.0 as usize, node.1 as usize).map(|cell| cell.limiter);
    let fits = |limiter: &Limiter| *limiter != Limiter::Memory;
    let limiter = nearest.filter(fits).or_else(|| beside().filter(fits)).unwrap_or(Limiter::Memory);
    let [value, free, margin] = [mixed(|cell| cell.value), mixed(|cell| cell.free), mixed(|cell| cell.margin)];
    in_cell(spec, field, &Cell { value, limiter, free, margin })
}

/// Writes a cell: its value, the limiter, and the free or missing memory.
fn in_cell(spec: &ChartSpec, field: &Field, cell: &Cell) -> Vec<Entry> {
    let entry = |name: &str, value: String| Entry { name: name.to_string(), value, role: None };
    // As on the tiles, with three digits.
    let value = match spec.value.unit {
        Unit::Percent => format::percent(cell.value / PERCENT),
        unit => format::value(unit, cell.value),
    };
    if cell.margin < 0.0 {
        let missing = format!("by {}", format::bytes(Bytes::new(-cell.margin.min(cell.free))));
        return vec![entry(DOES_NOT_FIT, missing), entry(&format!("{} if it did", field.label), value)];
    }
    let mut entries = vec![entry(&field.label, value)];
    if cell.limiter != Limiter::Memory {
        entries.push(entry("limited by", names::limiter(cell.limiter).to_string()));
    }
    entries.push(entry("headroom", format::bytes(Bytes::new(cell.free))));
    entries
}

/// Reads the height of a curve.
fn on_line(spec: &ChartSpec, line: &Polyline, x: f64) -> Entry {
    let ideal = spec.lines.iter().find(|other| other.role == LineRole::Ideal && line.role != LineRole::Ideal);
    let share = |y: f64| {
        let ideal = ideal.and_then(|ideal| ideal.at(x)).filter(|ideal| ideal.0 > 0.0);
        ideal.map_or(String::new(), |ideal| format!(" ({} of linear)", format::percent(y / ideal.0)))
    };
    let value = match line.at(x) {
        Some((y, true)) => format::value(spec.y.unit, y) + &share(y),
        Some((_, false)) => DOES_NOT_FIT.to_string(),
        None => "no value".to_string(),
    };
    Entry { name: line.name.clone(), value, role: Some(line.role) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::value;
    use crate::views::{Metric, Scratch, feasible_region, mfu_curve};
    use analysis::answer::Answer;
    use catalog::default_scenario;

    #[test]
    fn the_region_says_speed_limiter_and_memory_or_what_is_missing() {
        let spec = feasible_region(
            &default_scenario(),
            ParamId::SequenceLength,
            ParamId::ModelSize,
            false,
            &mut Scratch::default(),
        );
        let fits = readout(&spec, 1024.0, 2e9);
        assert_eq!(fits.place[0].value, "1,024\u{2009}tokens");
        assert_eq!(fits.entries[0].name, "MFU");
        assert!(fits.sentence.contains("limited by"), "{}", fits.sentence);
        let not = readout(&spec, 131_072.0, 310e9);
        assert!(not.sentence.contains("does not fit by "), "{}", not.sentence);
    }

    /// Thirty places of three maps: what is said there is the answer to the scenario set there.
    #[test]
    fn a_map_says_the_answer_at_the_very_place() {
        let mut fitting = 0;
        for (link, x_id, y_id) in [
            ("", ParamId::SequenceLength, ParamId::ModelSize),
            ("cluster=dgx-h200&model=llama-3.1-8b&gpus=8&cp=8", ParamId::SequenceLength, ParamId::GpuMemory),
            ("cluster=dgx-h100&model=mixtral-8x7b&gpus=64&ep=8", ParamId::MicroBatchSize, ParamId::Gpus),
        ] {
            let scenario = links::decode(link).scenario;
            let spec = feasible_region(&scenario, x_id, y_id, false, &mut Scratch::with_grid(16, 12));
            for place in 0..10 {
                let on = |axis: &Axis, step: usize| value(axis, ((place * step) % 10) as f64 / 9.0);
                let (x, y) = (on(&spec.x, 1), on(&spec.y, 3));
                let said = readout_of(&spec, &scenario, (x, y));
                let mut there = scenario;
                for (id, axis, at) in [(x_id, &spec.x, x), (y_id, &spec.y, y)] {
                    analysis::sweep::assign(&mut there, id.number().unwrap(), axis.settled(at));
                }
                let report = there.report();
                let answer = Answer::new(&there, &report);
                let mfu = answer.figures().mfu;
                let entry = |name: &str| said.entries.iter().find(|entry| entry.name == name).map(|entry| &entry.value);
                if report.fits() {
                    fitting += 1;
                    assert_eq!(entry("MFU"), Some(&mfu), "{link}: {}", said.sentence);
                    assert_eq!(entry("headroom"), Some(&format::bytes(report.memory.headroom())), "{link}");
                } else {
                    assert_eq!(entry("MFU if it did"), Some(&mfu), "{link}: {}", said.sentence);
                }
            }
        }
        assert!((5..25).contains(&fitting), "{fitting}");
    }

    #[test]
    fn the_curve_says_every_strategy() {
        let spec = mfu_curve(&default_scenario(), ParamId::SequenceLength, Metric::Mfu, false, &mut Scratch::default());
        let all = readout(&spec, 4096.0, 0.0);
        assert_eq!(all.entries.len(), spec.lines.len());
        assert!(all.entries.iter().all(|entry| entry.value != "no value"));
    }
}

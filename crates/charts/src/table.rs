//! Figures as a table for people (few rows, formatted) and as CSV (every value, at full precision).

mod course;

use super::layout::value;
use super::readout::{readout, whole};
use super::spec::{Axis, AxisKey, BarSpec, ChartSpec, Falls, Field, Mark, PinnedBar};
use super::timeline::Lanes;
use crate::names;
use core::fmt::Write;
use engine::format;
use engine::model::report::Limiter;
use engine::model::report::MemoryPart;
use engine::params::Unit;
use engine::params::quantity::unit_label;
use engine::scenario::pins::pin_letter;
use engine::units::Bytes;
use export::csv::quoted;

/// Largest number of value columns in the table of a field.
const COLUMNS: usize = 10;
/// Largest number of value rows in a table.
const ROWS: usize = 9;
/// Largest number of marks in a table.
const MARKS: usize = 48;

/// A table for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// The caption.
    pub caption: String,
    /// The names of the columns.
    pub header: Vec<String>,
    /// Rows as long as the header; the first text names the row.
    pub rows: Vec<Vec<String>>,
}

/// Returns the table of a chart: a field thinned to at most 10 by 9 values, time by kind of work,
/// marks, or the curves at 9 places.
pub fn chart(spec: &ChartSpec) -> Table {
    if !spec.marks.is_empty() {
        return tabulate_marks(spec);
    }
    if let Some(course) = &spec.course {
        return course::tabulate_course(spec, course);
    }
    if let Some(falls) = &spec.falls {
        return tabulate_falls(spec, falls);
    }
    match (&spec.field, &spec.lanes) {
        (Some(field), _) => tabulate_field(spec, field),
        (None, Some(lanes)) => tabulate_lanes(lanes),
        (None, None) => tabulate_curves(spec),
    }
}

/// Tabulates time by kind of work over the whole step, and its fraction of the step.
fn tabulate_lanes(lanes: &Lanes) -> Table {
    let row = |name: &str, time| vec![name.to_string(), format::seconds(time), format::percent(time / lanes.step)];
    let kinds = lanes.sums.iter().map(|&(work, time)| row(names::work(work), time));
    Table {
        caption: "Time by kind of work; lanes overlap, so shares add up to more than the step.".into(),
        header: ["Work", "Time", "Share of the step"].map(str::to_string).into(),
        rows: kinds.chain([row("Step", lanes.step)]).collect(),
    }
}

/// Tabulates the bars of a waterfall, and the step that they add up to.
fn tabulate_falls(spec: &ChartSpec, falls: &Falls) -> Table {
    let row = |name: &str, time, share: f64, cost| {
        vec![name.to_string(), format::seconds(time), format::percent(share / 100.0), format::dollars(cost)]
    };
    let bars = falls.bars.iter().map(|fall| row(names::step_part(fall.part), fall.time, fall.share, fall.cost));
    let step = falls.bars.iter().map(|fall| fall.time).sum();
    let whole = row(
        "Step",
        step,
        falls.bars.iter().map(|fall| fall.share).sum(),
        falls.bars.iter().map(|fall| fall.cost).sum(),
    );
    Table {
        caption: spec.title.clone(),
        header: ["Part", "Time", "Share of the step", "Of the run’s price"].map(str::to_string).into(),
        rows: bars.chain([whole]).collect(),
    }
}

/// Tabulates the marks, up to [`MARKS`].
fn tabulate_marks(spec: &ChartSpec) -> Table {
    let row = |mark: &Mark| {
        let (x, y) = mark.at;
        let moot = if mark.fits { "" } else { " (does not fit)" };
        vec![
            format!("{}{moot}", mark.name),
            format::value(spec.x.unit, x),
            format::value(spec.y.unit, y),
            format::value(spec.value.unit, mark.value),
        ]
    };
    let all = spec.marks.len();
    let some = if all > MARKS { format!(": {MARKS} of {all}; the CSV has all") } else { String::new() };
    Table {
        caption: format!("{}{some}", spec.title),
        header: ["Name", &spec.x.label, &spec.y.label, spec.value.label].map(str::to_string).into(),
        rows: spec.marks.iter().take(MARKS).map(row).collect(),
    }
}

fn tabulate_field(spec: &ChartSpec, field: &Field) -> Table {
    let columns = nodes(field.columns, COLUMNS);
    let unit = match unit_label(spec.x.unit) {
        "" => String::new(),
        unit => format!(" ({unit})"),
    };
    let corner = format!("{} \\ {}{unit}", spec.y.label, spec.x.label);
    let head = columns.iter().map(|&column| format::value(bare(spec.x.unit), at_node(&spec.x, column, field.columns)));
    let cell = |column: usize, row: usize| {
        field.cell(column, row).map_or(String::new(), |cell| {
            if cell.margin < 0.0 {
                format!("{}{}", format::MINUS, format::value(Unit::None, Bytes::new(-cell.margin).gib()))
            } else {
                format!(
                    "{} {}",
                    format::value(spec.value.unit, cell.value),
                    engine::names::limiter(cell.limiter).letter
                )
            }
        })
    };
    let row = |row: usize| {
        let name = format::value(spec.y.unit, at_node(&spec.y, row, field.rows));
        core::iter::once(name).chain(columns.iter().map(|&column| cell(column, row))).collect()
    };
    Table {
        caption: format!(
            "{}: {} and what limits it ({}); {}x: x GiB of memory are missing.",
            spec.title,
            field.label,
            key(),
            format::MINUS
        ),
        header: core::iter::once(corner).chain(head).collect(),
        rows: nodes(field.rows, ROWS).into_iter().map(row).collect(),
    }
}

/// Explains the letters of limiters. Memory has no letter: a cell that does not fit shows the
/// missing memory.
fn key() -> String {
    let limiters = Limiter::ALL.into_iter().filter(|&limiter| limiter != Limiter::Memory);
    let entries: Vec<String> = limiters
        .map(|limiter| format!("{} = {}", engine::names::limiter(limiter).letter, names::limiter(limiter)))
        .collect();
    entries.join(", ")
}

fn tabulate_curves(spec: &ChartSpec) -> Table {
    let header = core::iter::once(spec.x.label.clone()).chain(spec.lines.iter().map(|line| line.name.clone()));
    let row = |at: usize| {
        let x = value(&spec.x, at as f64 / (ROWS - 1) as f64);
        let said = readout(spec, x, 0.0);
        said.place.into_iter().chain(said.entries).map(|entry| entry.value).collect()
    };
    Table { caption: spec.title.clone(), header: header.collect(), rows: (0..ROWS).map(row).collect() }
}

/// Returns the table of a bar: part, bytes, fraction of the capacity.
pub fn bar(spec: &BarSpec) -> Table {
    let size = |bytes: f64| format::bytes(Bytes::new(bytes));
    // Each pinned scenario has a column.
    let row = |name: &str, bytes: f64, of_pin: &dyn Fn(&PinnedBar) -> f64| {
        let own = [name.to_string(), size(bytes), format::percent(bytes / spec.capacity)];
        own.into_iter().chain(spec.pins.iter().map(|pin| size(of_pin(pin)))).collect::<Vec<_>>()
    };
    let needed = spec.parts.iter().filter(|part| part.0 != MemoryPart::Cache);
    let parts = needed.map(|&(part, bytes)| row(spec.name(part), bytes, &|pin| pin.part(part)));
    let header = ["Part", "Memory", "Share of capacity"].map(str::to_string).into_iter();
    Table {
        caption: spec.title.clone(),
        header: header.chain(spec.pins.iter().map(|pin| pin.name.clone())).collect(),
        rows: parts
            .chain([
                row("Needed", spec.needed(), &PinnedBar::needed),
                row(spec.name(MemoryPart::Cache), spec.cache(), &|pin| pin.part(MemoryPart::Cache)),
                row("Free", spec.free(), &PinnedBar::free),
                row("Usable capacity", spec.capacity, &|pin| pin.capacity),
            ])
            .collect(),
    }
}

/// Returns at most `most` of `count` nodes, evenly spaced, including both ends.
fn nodes(count: usize, most: usize) -> Vec<usize> {
    let last = count.saturating_sub(1);
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|at| at * last / (most - 1)).collect()
}

/// Returns the value at a node of an axis.
fn at_node(axis: &Axis, node: usize, count: usize) -> f64 {
    let share = node as f64 / count.saturating_sub(1).max(1) as f64;
    whole(axis.key, value(axis, share))
}

/// Returns the unit to write next to a number whose column names the unit: none, except for model
/// sizes.
fn bare(unit: Unit) -> Unit {
    if unit == Unit::Params { unit } else { Unit::None }
}

/// Writes every value of a chart, one per line: series, x, y, and for a field the value, the
/// limiter and free bytes.
pub fn csv(spec: &ChartSpec) -> String {
    let value_name = snake(&format!("{} {}", spec.value.label, unit_label(spec.value.unit)));
    let mut text = format!("series,fits,{},{},{value_name},limiter,free_bytes\n", column(&spec.x), column(&spec.y));
    if let Some(field) = &spec.field {
        for (index, cell) in field.cells.iter().enumerate() {
            let at = |node: usize, count: usize| node as f64 / count.saturating_sub(1).max(1) as f64;
            let columns = field.columns.max(1);
            let x = value(&spec.x, at(index % columns, field.columns));
            let y = value(&spec.y, at(index / columns, field.rows));
            let limiter = names::limiter(cell.limiter);
            let fits = cell.margin >= 0.0;
            // Writing to a string cannot fail.
            let [x, y, value, free] = [x, y, cell.value, cell.free].map(|number| number.to_string());
            let _ = writeln!(text, "field,{fits},{x},{y},{value},{limiter},{free}");
        }
    }
    for (lanes, mark) in spec.lanes.iter().flat_map(|lanes| lanes.marks.iter().map(move |mark| (lanes, mark))) {
        let (name, lane) = (quoted(&mark.name()), quoted(names::lane(mark.lane)));
        // A bar: start and length on a lane.
        let (start, length) = (lanes.x(mark.start).to_string(), mark.length().ms().to_string());
        let _ = writeln!(text, "{name},true,{start},{lane},{length},,");
    }
    for fall in spec.falls.iter().flat_map(|falls| &falls.bars) {
        // A bar: share of the step, start, time.
        let _ = writeln!(
            text,
            "{},true,{},{},{},,",
            quoted(names::step_part(fall.part)),
            fall.share,
            fall.from,
            fall.time.get()
        );
    }
    for moment in spec.course.iter().flat_map(|course| &course.moments) {
        let _ = writeln!(text, "moment,true,{},{},,,", moment.x, quoted(&moment.name));
    }
    for pin in &spec.pins {
        let [x, y] = [pin.at.0, pin.at.1].map(|number| number.to_string());
        let _ = writeln!(text, "pin {},{},{x},{y},,,", pin_letter(pin.place), pin.own);
    }
    for mark in &spec.marks {
        let (name, [x, y, value]) =
            (quoted(&mark.name), [mark.at.0, mark.at.1, mark.value].map(|number| number.to_string()));
        let _ = writeln!(text, "{name},{},{x},{y},{value},,", mark.fits);
    }
    for line in &spec.lines {
        for (pieces, fits) in [(&line.segments, true), (&line.infeasible, false)] {
            for (x, y) in pieces.iter().flatten() {
                let _ = writeln!(text, "{},{fits},{},{},,,", quoted(&line.name), x, y);
            }
        }
    }
    text
}

/// Writes every part of a bar, in bytes.
pub fn bar_csv(spec: &BarSpec) -> String {
    let mut text = String::from("part,bytes");
    for pin in &spec.pins {
        let _ = write!(text, ",{}", quoted(&pin.name));
    }
    let mut row = |name: &str, bytes: f64, of_pin: &dyn Fn(&PinnedBar) -> f64| {
        let _ = write!(text, "\n{},{}", quoted(name), bytes);
        for pin in &spec.pins {
            let _ = write!(text, ",{}", of_pin(pin));
        }
    };
    for &(part, bytes) in &spec.parts {
        row(spec.name(part), bytes, &|pin| pin.part(part));
    }
    row("Free", spec.free(), &PinnedBar::free);
    row("Capacity", spec.capacity, &|pin| pin.capacity);
    text.push('\n');
    text
}

/// Returns the CSV header of an axis: the header of its parameter, else its label.
fn column(axis: &Axis) -> String {
    let own = axis.key.and_then(AxisKey::param).map(|id| id.param().csv.to_string());
    own.unwrap_or_else(|| snake(&format!("{} {}", axis.label, unit_label(axis.unit))))
}

/// Converts a label to snake case.
fn snake(label: &str) -> String {
    let mut text = String::new();
    for letter in label.trim().chars() {
        match letter {
            '%' => text += "percent",
            ' ' => text.push('_'),
            letter if letter.is_ascii_alphanumeric() || "-/_".contains(letter) => {
                text.push(letter.to_ascii_lowercase());
            }
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::{Metric, Scratch, feasible_region, memory_bar, mfu_curve};
    use catalog::default_scenario;
    use engine::params::ParamId;

    #[test]
    fn a_field_is_thinned_and_a_row_is_as_long_as_the_header() {
        let mut scratch = Scratch::default();
        let scenario = default_scenario();
        let region =
            chart(&feasible_region(&scenario, ParamId::SequenceLength, ParamId::ModelSize, true, &mut scratch));
        assert_eq!((region.header.len(), region.rows.len()), (11, 9));
        let curve = chart(&mfu_curve(&scenario, ParamId::GpuMemory, Metric::TokensPerSecond, true, &mut scratch));
        for table in [region, curve, bar(&memory_bar(&scenario.report()))] {
            assert!(table.rows.iter().all(|row| row.len() == table.header.len() && !row[0].is_empty()));
        }
    }

    #[test]
    fn the_csv_holds_every_node_at_full_precision() {
        let mut scratch = Scratch::with_grid(7, 5);
        let spec =
            feasible_region(&default_scenario(), ParamId::SequenceLength, ParamId::ModelSize, false, &mut scratch);
        let text = csv(&spec);
        assert!(text.starts_with("series,fits,seq_len_tokens,model_params,mfu_percent,limiter,free_bytes\n"), "{text}");
        let rows: Vec<Vec<&str>> =
            text.lines().filter(|line| line.starts_with("field")).map(|line| line.split(',').collect()).collect();
        assert_eq!(rows.len(), 35);
        for (row, cell) in rows.iter().zip(&spec.field.unwrap().cells) {
            assert_eq!(row[4].parse::<f64>().unwrap(), cell.value);
            assert_eq!(row[6].parse::<f64>().unwrap(), cell.free);
        }
    }

    #[test]
    fn the_bar_adds_up() {
        let spec = memory_bar(&default_scenario().report());
        let sum: f64 = bar_csv(&spec)
            .lines()
            .skip(1)
            .filter(|line| !line.starts_with("Capacity"))
            .map(|line| line.rsplit(',').next().unwrap().parse::<f64>().unwrap())
            .sum();
        assert!((sum / spec.capacity - 1.0).abs() < 1e-9, "{sum} {}", spec.capacity);
    }
}

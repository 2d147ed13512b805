//! Scenarios as CSV: a row per scenario, a column for every parameter and every result, at full
//! precision.
//!
//! The columns of parameters have the headers of the table of parameters, which name the units. The
//! columns of results have the paths of the report ([`super::report_json`]): `time_s.forward`,
//! `memory_bytes.parts.weights`. A cell is empty if the scenario has no such value.

use serde_json::Value;

use super::report_json::report_json;
use engine::json::compact;
use engine::params::{every, is_held};
use engine::scenario::Scenario;
use engine::scenario::pins::pin_letter;
use links::{encode, to_json};

/// Keys of a report without numbers of the step or the run.
const LEFT_OUT: [&str; 7] = ["shardwise", "revision", "link", "strategies", "issues", "scenario", "pins"];
/// The keys of a scenario that come before its parameters.
const ENTRIES: [&str; 3] = ["cluster", "gpu", "model"];

/// Parts of a report that some scenarios lack; their cells are empty. An infinite number is `null`.
const OPTIONAL: [&str; 3] = ["experts", "rollout", "bounds.best"];

/// A row: the names of its columns and their cells.
type Row = Vec<(String, String)>;

/// Writes the scenario on screen and the pinned ones. The last line is a comment with `link`, which
/// opens all of them.
pub fn csv(screen: &Scenario, pins: &[Scenario], link: &str) -> String {
    let rows: Vec<Row> = core::iter::once(screen)
        .chain(pins)
        .enumerate()
        .map(|(place, scenario)| {
            let name = place.checked_sub(1).map_or("screen", pin_letter);
            row(name, scenario)
        })
        .collect();
    // A column that only some rows have keeps its position among their other columns.
    let mut columns: Vec<&str> = Vec::new();
    for row in &rows {
        let mut last = 0;
        for (name, _) in row {
            let place = columns.iter().position(|column| column == name);
            if place.is_none() {
                columns.insert(last, name);
            }
            last = place.unwrap_or(last) + 1;
        }
    }
    let mut text = line(columns.iter().copied());
    for row in &rows {
        let cell = |column: &&str| row.iter().find(|(name, _)| name == column).map_or("", |(_, value)| value.as_str());
        text += &line(columns.iter().map(cell));
    }
    with_link(text, link)
}

fn row(name: &str, scenario: &Scenario) -> Row {
    let mut row = vec![("scenario".to_owned(), name.to_owned()), ("link".to_owned(), encode(scenario))];
    let values = to_json(scenario);
    let value = |key: &str| values.get(key).map(text).unwrap_or_default();
    row.extend(ENTRIES.map(|key| (key.to_owned(), value(key))));
    let held = every().filter(|param| is_held(param, scenario));
    row.extend(held.map(|param| (param.csv.to_owned(), value(param.key))));
    let report = report_json(scenario, &scenario.report(), &[]);
    for (key, value) in report.as_object().into_iter().flatten() {
        if !LEFT_OUT.contains(&key.as_str()) {
            add_values(key, value, &mut row);
        }
    }
    row
}

/// Adds the values of an object to a row, each under its path.
fn add_values(path: &str, value: &Value, row: &mut Row) {
    match value.as_object() {
        Some(entries) => entries.iter().for_each(|(key, value)| add_values(&format!("{path}.{key}"), value, row)),
        None if value.is_null() && OPTIONAL.contains(&path) => row.push((path.to_owned(), String::new())),
        None => row.push((path.to_owned(), text(value))),
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => compact(other),
    }
}

fn line<'a>(cells: impl Iterator<Item = &'a str>) -> String {
    let mut text = String::new();
    for cell in cells {
        if !text.is_empty() {
            text.push(',');
        }
        text += &quoted(cell);
    }
    text + "\n"
}

/// Appends the link that opens the scenario, as a comment in the last line.
pub fn with_link(mut csv: String, link: &str) -> String {
    csv += "# ";
    csv += link;
    csv.push('\n');
    csv
}

/// Quotes a text as a CSV field.
pub fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_string() }
}

#[cfg(test)]
mod tests {
    use links::{decode, encode_with};

    fn rows(text: &str) -> Vec<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new().has_headers(false).comment(Some(b'#')).from_reader(text.as_bytes());
        reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
    }

    #[test]
    fn every_number_is_read_back_to_the_bit() {
        let decoded = decode("v=1&cluster=dgx-h100&model=llama-3-70b&gpus=256&tp=8&pin=1&model=mixtral-8x7b&tp=1");
        let [pin] = decoded.pins[..] else { panic!("{decoded:?}") };
        let link = encode_with(&decoded.scenario, &decoded.pins);
        let text = super::csv(&decoded.scenario, &decoded.pins, &link);
        assert!(text.ends_with(&format!("\n# {link}\n")));
        let rows = rows(&text);
        assert_eq!(rows.len(), 3);
        let column = |name: &str| rows[0].iter().position(|column| column == name).unwrap_or_else(|| panic!("{name}"));
        for (scenario, row) in [&decoded.scenario, &pin].into_iter().zip(&rows[1..]) {
            assert_eq!(row.len(), rows[0].len());
            assert_eq!(decode(&row[column("link")]).scenario, *scenario);
            let report = scenario.report();
            let expected = [
                ("mfu", report.whole().mfu),
                ("time_s.step", report.whole().time.get()),
                ("memory_bytes.peak", report.memory.peak.get()),
                ("run.energy_kwh", scenario.run_report().energy.kwh()),
                ("gpus", f64::from(scenario.gpus)),
                ("seq_len_tokens", f64::from(scenario.seq_len)),
                ("gpu_memory_gib", scenario.accelerator.values.memory.gib()),
            ];
            for (name, value) in expected {
                assert_eq!(row[column(name)].parse::<f64>().unwrap().to_bits(), value.to_bits(), "{name}");
            }
        }
        // A value that only one row has stays empty in the other, and keeps its position.
        assert_eq!((rows[1][column("experts.chunks")].as_str(), rows[2][column("experts.chunks")].as_str()), ("", "1"));
        assert_eq!((rows[1][0].as_str(), rows[2][0].as_str()), ("screen", "A"));
        assert!(column("experts.chunks") < column("bounds.mfu_max"));
    }

    #[test]
    fn infinite_numbers_are_null_and_missing_parts_are_empty() {
        let scenario = decode("v=1&size=310B&gpus=16384&tokens=1000T&mtbf=100").scenario;
        let rows = rows(&super::csv(&scenario, &[], ""));
        let cell = |name: &str| rows[1][rows[0].iter().position(|column| column == name).unwrap()].as_str();
        assert_eq!((cell("run.time_s"), cell("experts")), ("null", ""));
    }
}

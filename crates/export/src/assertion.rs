//! Demands on a report, such as `odds >= 0.95`, `mfu >= 38 %` or `cost <= 200k`.

use core::fmt;
use core::str::FromStr;

use engine::digits::{rounded, shortest};
use engine::nearest::{did_you_mean, nearest};
use serde_json::Value;

use crate::report_json::report_json;

/// A demand on a number, a name or a yes of a report.
#[derive(Clone, Debug, PartialEq)]
pub struct Assertion {
    /// The demand as written.
    text: String,
    /// Field of the report's JSON, its parts separated by dots.
    field: String,
    comparison: Comparison,
    /// The value in the field's unit.
    wanted: Value,
}

/// Whether a demand holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// Whether it holds. It does not where the report has no value, as the time of a run that never
    /// ends.
    pub holds: bool,
    /// The demand and the prediction, in a sentence.
    pub sentence: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    AtLeast,
    AtMost,
    Above,
    Below,
    Equal,
    Other,
}

/// Comparisons by their signs; longer signs before those that they begin with.
const COMPARISONS: [(&str, Comparison); 8] = [
    (">=", Comparison::AtLeast),
    ("<=", Comparison::AtMost),
    ("==", Comparison::Equal),
    ("!=", Comparison::Other),
    ("≥", Comparison::AtLeast),
    ("≤", Comparison::AtMost),
    (">", Comparison::Above),
    ("<", Comparison::Below),
];

/// Short names of fields.
const NAMES: [(&str, &str); 15] = [
    ("odds", "fit_odds"),
    ("step_time", "step_time_s"),
    ("tokens_per_s", "tokens_per_s_per_gpu"),
    ("memory", "needed_memory_bytes"),
    ("needed", "needed_memory_bytes"),
    ("peak_memory", "peak_memory_bytes"),
    ("headroom", "headroom_memory_bytes"),
    ("tflops", "tflops_per_gpu"),
    ("cost", "run.cost_usd"),
    ("time", "run.time_s"),
    ("gpu_hours", "run.gpu_hours"),
    ("energy", "run.energy_kwh"),
    ("emissions", "run.emissions_gco2"),
    ("goodput", "run.goodput"),
    ("host_memory", "run.host_memory_bytes"),
];

/// Units by the end of a field's name, each with its factor to the field's unit.
const UNITS: [(&str, &[(&str, f64)]); 5] = [
    (
        "_s",
        &[("ms", 1e-3), ("s", 1.0), ("min", 60.0), ("h", 3600.0), ("days", 86400.0), ("day", 86400.0), ("d", 86400.0)],
    ),
    (
        "_bytes",
        &[
            ("KiB", 1024.0),
            ("MiB", 1_048_576.0),
            ("GiB", 1_073_741_824.0),
            ("TiB", 1_099_511_627_776.0),
            ("kB", 1e3),
            ("MB", 1e6),
            ("GB", 1e9),
            ("TB", 1e12),
            ("B", 1.0),
        ],
    ),
    ("_usd", &[("k", 1e3), ("K", 1e3), ("m", 1e6), ("M", 1e6), ("USD", 1.0)]),
    ("_kwh", &[("kWh", 1.0), ("MWh", 1e3), ("GWh", 1e6)]),
    ("", &[("%", 0.01), ("k", 1e3), ("M", 1e6), ("B", 1e9)]),
];

impl FromStr for Assertion {
    type Err = String;

    /// Parses a demand: a field of the report's JSON or its short name, a comparison, a value with
    /// or without a unit.
    ///
    /// ```
    /// use export::assertion::Assertion;
    /// use serde_json::json;
    ///
    /// let demand: Assertion = "step_time < 12 s".parse().unwrap();
    /// assert!(demand.check(&json!({ "step_time_s": 11.5 })).holds);
    /// assert!(!demand.check(&json!({ "step_time_s": null })).holds);
    /// assert!("mfuu > 0.4".parse::<Assertion>().unwrap_err().contains("“mfu”"));
    /// ```
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let example = "Write a demand as odds >= 0.95, step_time < 12 s or cost <= 200k.";
        let first = COMPARISONS.iter().filter_map(|row| Some((text.find(row.0)?, row)));
        let Some((at, (sign, comparison))) = first.min_by_key(|(at, (sign, _))| (*at, core::cmp::Reverse(sign.len())))
        else {
            return Err(format!("“{text}” has no comparison (>=, <=, >, <, ==, !=). {example}"));
        };
        let (name, value) = text.split_at(at);
        let (name, value) = (name.trim(), value.get(sign.len()..).unwrap_or_default().trim());
        if name.is_empty() || value.is_empty() {
            return Err(format!("“{text}” lacks a name or a value. {example}"));
        }
        let field = NAMES.iter().find(|(short, _)| *short == name).map_or(name, |(_, field)| field).to_owned();
        if !has_field(&field) {
            return Err(format!("“{name}” in “{text}” is no value of a report.{}", near(name)));
        }
        let wanted = wanted(&field, value);
        if RATIOS.contains(&field.as_str()) && wanted.as_f64().is_some_and(|number| number > 1.0) {
            return Err(format!(
                "“{name}” in “{text}” is at most 1, or 100 %: write {value} %, or a number from 0 to 1."
            ));
        }
        let is_ordered = !matches!(comparison, Comparison::Equal | Comparison::Other);
        if is_ordered && !wanted.is_number() {
            return Err(format!("“{value}” in “{text}” is not a number{}. {example}", units_of(&field)));
        }
        Ok(Self { text: text.to_owned(), field, comparison: *comparison, wanted })
    }
}

/// Significant digits of a predicted number.
const DIGITS: usize = 3;
/// Parts of a report that only some scenarios have.
const OPTIONAL: [&str; 3] = ["experts.", "rollout.", "limiter_time_s"];

/// Whether reports have a single value of this name.
fn has_field(field: &str) -> bool {
    let scenario = catalog::default_scenario();
    let report = report_json(&scenario, &scenario.report(), &[]);
    let found = field.split('.').try_fold(&report, |value, key| value.get(key));
    OPTIONAL.iter().any(|name| field.starts_with(name))
        || found.is_some_and(|value| !value.is_object() && !value.is_array())
}

/// Returns a question with names near one that is none.
fn near(name: &str) -> String {
    let scenario = catalog::default_scenario();
    let report = report_json(&scenario, &scenario.report(), &[]);
    let fields: Vec<&String> = report.as_object().into_iter().flat_map(serde_json::Map::keys).collect();
    let names = NAMES.iter().map(|(name, _)| *name).chain(fields.iter().map(|name| name.as_str()));
    did_you_mean(&nearest(name, names))
}

/// Returns the units that a field's values may have, in words.
fn units_of(field: &str) -> String {
    let names: Vec<&str> = units(field).iter().map(|(name, _)| *name).collect();
    format!(" with one of the units {}", names.join(", "))
}

fn units(field: &str) -> &'static [(&'static str, f64)] {
    UNITS.iter().find(|(end, _)| field.ends_with(end)).map_or(&[], |(_, units)| units)
}

/// Reads a value in the unit of a field: a number, a yes or no, or a name.
fn wanted(field: &str, value: &str) -> Value {
    let plain: String = value.chars().filter(|sign| !matches!(sign, ',' | '$' | '_' | '"')).collect();
    let number = units(field)
        .iter()
        .find_map(|(unit, factor)| plain.strip_suffix(unit)?.trim().parse::<f64>().ok().map(|number| number * factor))
        .or_else(|| plain.trim().parse().ok())
        .filter(|number: &f64| number.is_finite());
    match (number, plain.as_str()) {
        (Some(number), _) => number.into(),
        (None, "true" | "yes") => true.into(),
        (None, "false" | "no") => false.into(),
        (None, name) => name.into(),
    }
}

/// Fields that are shares of one.
const RATIOS: [&str; 4] = ["fit_odds", "mfu", "hfu", "run.goodput"];

impl Assertion {
    /// Whether the demand is on the whole training, which depends on its length.
    pub fn is_of_run(&self) -> bool {
        const OF_LENGTH: [&str; 8] = [
            "steps",
            "ideal_time_s",
            "time_s",
            "gpu_hours",
            "cost_usd",
            "energy_kwh",
            "emissions_gco2",
            "interruptions",
        ];
        self.field.strip_prefix("run.").is_some_and(|field| OF_LENGTH.contains(&field))
    }

    /// Checks the demand on a report of [`crate::report_json::report_json`].
    pub fn check(&self, report: &Value) -> Checked {
        let found = self.field.split('.').try_fold(report, |value, key| value.get(key));
        let found = found.unwrap_or(&Value::Null);
        let holds = match (found.as_f64(), self.wanted.as_f64()) {
            (Some(found), Some(wanted)) => match self.comparison {
                Comparison::AtLeast => found >= wanted,
                Comparison::AtMost => found <= wanted,
                Comparison::Above => found > wanted,
                Comparison::Below => found < wanted,
                Comparison::Equal => found == wanted,
                Comparison::Other => found != wanted,
            },
            _ => match self.comparison {
                Comparison::Equal => *found == self.wanted,
                Comparison::Other => *found != self.wanted,
                _ => false,
            },
        };
        let predicted = found.as_f64().map_or_else(|| shown(found), |number| self.in_unit(number));
        Checked { holds, sentence: format!("Demanded: {}. Predicted: {predicted}.", self.text) }
    }

    /// Writes a number in the unit of the demand.
    fn in_unit(&self, number: f64) -> String {
        let unit = units(&self.field).iter().find(|(unit, _)| {
            let before = self.text.strip_suffix(unit).map(str::trim_end);
            before.is_some_and(|before| before.ends_with(|sign: char| sign.is_ascii_digit()))
        });
        let (name, factor) = unit.copied().unwrap_or(("", 1.0));
        let gap = if name.len() > 1 { " " } else { "" };
        format!("{}{gap}{name}", shortest(rounded(number / factor, DIGITS)))
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Null => "no value".to_owned(),
        Value::String(name) => name.clone(),
        other => other.to_string(),
    }
}

impl fmt::Display for Assertion {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        to.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn demands_are_read_with_their_units() {
        let report = json!({
            "fit_odds": 0.97, "mfu": 0.41, "step_time_s": 0.5, "needed_memory_bytes": 75e9, "fits": true,
            "limiter": "compute", "run": { "cost_usd": 150_000.0, "time_s": 259_200.0, "energy_kwh": 900.0 },
        });
        let holds = [
            "odds >= 0.95",
            "odds>=95%",
            "mfu > 38 %",
            "step_time <= 500 ms",
            "memory < 70 GiB",
            "needed<76GB",
            "cost <= $150k",
            "cost <= 150,000",
            "time <= 3 days",
            "time == 72 h",
            "fits == yes",
            "limiter != network",
            "run.energy_kwh < 1 MWh",
        ];
        for text in holds {
            let checked = text.parse::<Assertion>().unwrap().check(&report);
            assert!(checked.holds, "{text}: {checked:?}");
        }
        for (text, said) in [
            ("odds >= 0.98", "Predicted: 0.97."),
            ("step_time < 400 ms", "Predicted: 500 ms."),
            ("cost < 100k", "Predicted: 150k."),
            ("limiter == network", "Predicted: compute."),
        ] {
            let checked = text.parse::<Assertion>().unwrap().check(&report);
            assert!(!checked.holds && checked.sentence.contains(said), "{text}: {checked:?}");
        }
        for text in [
            "",
            "mfu",
            ">= 3",
            "mfu >=",
            "mfu >= much",
            "step_time < 3 parsec",
            "mfu > NaN",
            "mfuu > 1",
            "run > 1",
            "odds >= 95",
        ] {
            assert!(text.parse::<Assertion>().is_err(), "{text}");
        }
    }
}

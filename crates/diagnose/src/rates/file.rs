//! Reads the JSON of the measuring script and checks each row.

mod row;

use engine::params::quantity::shorten;
use serde_json::{Map, Value};

use crate::log::links::Point;
pub(super) use row::{Attention, Product};
use row::{MOST_RANKS, Row, rows};

/// Key that identifies the script's JSON; its value is the version.
const MARK: &str = "shardwise_measure";
/// Supported version.
const VERSION: u64 = 1;
/// Maximum number of skipped measurements that are listed.
const MOST_SAID: usize = 6;

/// Content of a file of measurements.
pub(super) struct File {
    /// GPU name reported by the driver.
    pub(super) name: String,
    /// Number of processes.
    pub(super) ranks: f64,
    /// Versions of PyTorch and the libraries below it.
    pub(super) versions: Vec<String>,
    pub(super) usable_bytes: Option<f64>,
    pub(super) sustained: Vec<Product>,
    pub(super) products: Vec<Product>,
    /// Format and FLOP/s of each rank.
    pub(super) of_ranks: Vec<(String, f64)>,
    pub(super) attention: Vec<Attention>,
    /// Operator and bytes per second.
    pub(super) streams: Vec<(String, f64)>,
    /// Operator and host time in microseconds.
    pub(super) launches: Vec<(String, f64)>,
    /// Direction and GB/s.
    pub(super) host_link: Vec<(String, f64)>,
    /// Stage of the script, and the bytes in use after the stage.
    pub(super) memory: Vec<(String, f64)>,
    pub(super) points: Vec<Point>,
    /// Measurements that the script skipped, in its own words.
    pub(super) skipped: Vec<String>,
    /// Rows that could not be read, with the reason.
    pub(super) unreadable: Vec<String>,
}

/// Finds the script's JSON in a text; output of NCCL may precede the JSON.
pub(super) fn json(text: &str) -> Option<Result<Map<String, Value>, String>> {
    let mark = format!("\"{MARK}\"");
    let at = text.find(&mark)?;
    let problem = match serde_json::from_str::<Value>(text.trim()) {
        Ok(Value::Object(json)) => return json.contains_key(MARK).then(|| versioned(json)),
        Ok(_) => return None,
        Err(problem) => problem,
    };
    let before = text.get(..at)?.trim_end().strip_suffix('{')?;
    let begins_a_line =
        before.trim_matches([' ', '\t']).is_empty() || before.trim_end_matches([' ', '\t']).ends_with('\n');
    if !begins_a_line || before.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text.get(before.len()..)?).into_iter::<Value>();
    Some(match values.next() {
        Some(Ok(Value::Object(json))) => versioned(json),
        _ if problem.is_eof() => Err(format!(
            "This file of `shardwise measure` is incomplete: {problem}. Take the whole file, or run the script again \
             with --out."
        )),
        _ => Err(format!(
            "This file of `shardwise measure` is not valid JSON: {problem}. Run the script again with --out."
        )),
    })
}

fn versioned(json: Map<String, Value>) -> Result<Map<String, Value>, String> {
    match json.get(MARK) {
        Some(version) if version.as_u64() == Some(VERSION) => Ok(json),
        version => Err(format!(
            "“{MARK}” is {}, but this release reads version {VERSION}: run the script of this release (`shardwise \
             measure`, or the page's static/measure.py) again.",
            version.map_or_else(String::new, |version| shorten(&version.to_string()))
        )),
    }
}

impl File {
    /// Reads the rows.
    ///
    /// # Errors
    ///
    /// Returns a sentence if the device is not a GPU, or if there are no measurements.
    pub(super) fn from_json(json: &Map<String, Value>) -> Result<Self, String> {
        let text = |of: &str, key: &str| json.get(of).and_then(|of| of.get(key)).and_then(Value::as_str).map(shorten);
        let missing = |what: &str| format!("This file of `shardwise measure` lacks {what}: run the script again.");
        let kind = text("device", "type").ok_or_else(|| missing("“type” in “device”"))?;
        let name = text("device", "name").ok_or_else(|| missing("“name” in “device”"))?;
        if kind == "cpu" {
            return Err(format!(
                "This was measured on a processor ({name}), without a GPU in PyTorch, so it does not describe a \
                 cluster. Run the script on a node with GPUs."
            ));
        }
        let mut unreadable = Vec::new();
        let pair = |row: &Row<'_>, word: &str, number: &str| Ok((row.word(word)?, row.number(number)?));
        let file = Self {
            ranks: json
                .get("ranks")
                .and_then(Value::as_f64)
                .filter(|ranks| (1.0..=MOST_RANKS).contains(ranks))
                .unwrap_or(1.0),
            versions: [("torch", "PyTorch"), ("cuda", "CUDA"), ("hip", "HIP"), ("nccl", "NCCL"), ("driver", "driver")]
                .iter()
                .filter_map(|(key, name)| Some(format!("{name} {}", text("versions", key)?)))
                .collect(),
            usable_bytes: json.get("device").and_then(|device| device.get("usable_bytes")).and_then(Value::as_f64),
            sustained: rows(json, "sustained", &mut unreadable, |row| row.product("seconds")),
            products: rows(json, "products", &mut unreadable, |row| row.product("seconds_alone")),
            of_ranks: rows(json, "of_ranks", &mut unreadable, |row| {
                let (format, rate) = pair(row, "format", "tflop_per_s")?;
                Ok((format, rate * 1e12))
            }),
            attention: rows(json, "attention", &mut unreadable, row::attention),
            streams: rows(json, "streams", &mut unreadable, |row| {
                Ok((row.word("operator")?, row.number("moved_bytes")? / row.number("seconds")?))
            }),
            launches: rows(json, "launches", &mut unreadable, |row| {
                let with = row.cells.get("autograd").and_then(Value::as_bool).unwrap_or(false);
                let (operator, micros) = pair(row, "operator", "host_us")?;
                Ok((operator + if with { " with autograd" } else { "" }, micros))
            }),
            host_link: rows(json, "host_link", &mut unreadable, |row| pair(row, "direction", "gb_per_s")),
            memory: rows(json, "memory", &mut unreadable, |row| pair(row, "after", "used_bytes")),
            points: rows(json, "collectives", &mut unreadable, row::point),
            skipped: json.get("skipped").and_then(Value::as_array).map_or_else(Vec::new, |lines| {
                lines.iter().take(MOST_SAID).filter_map(Value::as_str).map(sentence).collect()
            }),
            name,
            unreadable,
        };
        if file.has_rates() {
            return Ok(file);
        }
        let problem = file.unreadable.first().map_or_else(String::new, |problem| format!(" {problem}"));
        Err(format!("This file of `shardwise measure` has no readable rate: run the script again.{problem}"))
    }

    fn has_rates(&self) -> bool {
        !(self.sustained.is_empty()
            && self.products.is_empty()
            && self.attention.is_empty()
            && self.streams.is_empty()
            && self.host_link.is_empty()
            && self.points.is_empty())
    }
}

/// Normalizes a message of the script to one line of limited length.
fn sentence(line: &str) -> String {
    const LONGEST: usize = 240;
    let line: String = line.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= LONGEST { line } else { line.chars().take(LONGEST).chain(['…']).collect() }
}

//! Reads a row of a user's own table. A column is named as a key of links, by any name that links
//! read ([`links::spelling`]); the cells make a link. Measured values have columns of their own. A
//! cell that is no value of its key leaves out the row.

use super::cells::Cells;
use super::{LeftOut, Notes};
use engine::params;
use engine::scenario::Scenario;
use engine::scenario::issue::{Cause, Issue, Severity};
use links::spelling::{advice, spell};
use links::{decode, decode_in_node, encode, to_json};

/// Columns that are not settings: descriptions, and measured values.
const APART: [&str; 33] = [
    "row_id",
    "case_id",
    "source",
    "source_key",
    "source_location",
    "provenance",
    "quote",
    "notes",
    "ambiguity",
    "date",
    "licence",
    "license",
    "url",
    "link",
    "completed",
    "left_out",
    "set",
    "ended",
    "outcome",
    "peak_kind",
    "peak_stage",
    "batch_share",
    "slowest_link_gbit",
    "measured_step_time_s",
    "measured_mfu",
    "measured_peak_gib",
    "step_time_s",
    "tokens_per_s",
    "tokens_per_s_per_gpu",
    "tflops_per_gpu",
    "mfu_pct",
    "hfu_pct",
    "peak_mem_gib",
];

/// Keys of links that a row needs, with the name of the column.
const NEEDED: [(&str, &str); 3] = [("model", "model"), ("gpu", "gpu"), ("gpus", "num_gpus")];

/// Keys that are noted with the value of a link without them.
const NOTED: [&str; 9] =
    ["cluster", "seq", "mbs", "accum", "strategy", "recompute", "recipe", "optimizer", "framework"];

/// Keys that follow from another key.
const FOLLOWING: [(&str, &str); 3] = [("gpu", "cluster"), ("gpus", "nodes"), ("accum", "batch")];

/// A row as its columns state it.
pub(crate) struct Stated {
    /// Fragment of the scenario's link.
    pub(crate) link: String,
    /// Values that were completed.
    pub(crate) notes: Notes,
    /// Time of a step in seconds.
    pub(crate) step_time_s: Option<f64>,
    /// MFU as a fraction.
    pub(crate) mfu: Option<f64>,
    /// Peak memory in GiB.
    pub(crate) peak_gib: Option<f64>,
}

/// Reads a row whose steps have `batch_share` of the tokens of full micro-batches.
///
/// # Errors
///
/// Returns the column that is blank or cannot be read.
pub(crate) fn read_stated(cells: &Cells<'_>, batch_share: f64) -> Result<Stated, LeftOut> {
    let settings: Vec<(&str, &str)> = apart(cells).filter(|(name, cell)| is_setting(name, cell)).collect();
    let pairs: Vec<String> = settings.iter().map(|(name, cell)| pair(name, cell)).collect();
    let decoded = decode_in_node(&pairs.join("&"));
    let states = |wanted: &str| {
        let is_wanted = |key: &str| key == wanted || FOLLOWING.contains(&(wanted, key));
        decoded.keys.iter().any(|key| is_wanted(key))
    };
    if let Some((_, column)) = NEEDED.into_iter().find(|(key, _)| !states(key)) {
        return Err(LeftOut::missing(column));
    }
    let scenario = decoded.scenario;
    let contradictions = engine::validate::issues(&scenario).into_iter().filter(|one| one.severity == Severity::Error);
    let mut notes = checked(decoded.issues.into_iter().chain(contradictions), &settings, &scenario)?;
    let json = to_json(&scenario);
    for key in NOTED.into_iter().filter(|key| !states(key)) {
        let value = json.get(key).map(|value| value.as_str().map_or_else(|| value.to_string(), str::to_owned));
        notes.add(format!("{key} is not stated: {}, the default of links", value.unwrap_or_default()));
    }
    let peak_gib = cells.measured("peak_mem_gib")?;
    if peak_gib.is_some() && cells.get("peak_kind").is_empty() {
        notes.add("peak_kind is not stated: reserved");
    }
    let mfu = cells.measured("mfu_pct")?.map(|percent| percent / 100.0);
    let step_time_s = step_time(cells, &scenario, batch_share, mfu)?;
    Ok(Stated { link: encode(&scenario), notes, step_time_s, mfu, peak_gib })
}

/// Returns the notes among issues; any other issue leaves out the row under the name of its column.
fn checked(
    issues: impl Iterator<Item = Issue>,
    settings: &[(&str, &str)],
    scenario: &Scenario,
) -> Result<Notes, LeftOut> {
    let mut notes = Notes::default();
    for issue in issues {
        let key = issue.key.unwrap_or_default();
        let column = settings.iter().find(|(name, cell)| spell(name, cell).pairs.iter().any(|pair| pair.0 == key));
        if issue.severity == Severity::Note && matches!(issue.cause, Cause::Scenario | Cause::Assumed) {
            notes.add(issue.text());
        } else if !column.is_some_and(|(_, cell)| is_as_named(&issue, cell, scenario)) {
            let column = column.map_or(key, |(name, _)| name);
            return Err(LeftOut::because(format!("column `{column}` cannot be used")).about(issue.message));
        }
    }
    Ok(notes)
}

/// Lists the columns of a row that are not read, in sentences; none for a row with a link.
pub fn unread(cells: &Cells<'_>) -> Vec<String> {
    let is_linked = ["link", "left_out"].iter().any(|name| !cells.get(name).is_empty());
    let unread = apart(cells).filter(|(name, cell)| !is_linked && !is_setting(name, cell));
    let because = |name| advice(name).map(|advice| format!(": it {advice}")).unwrap_or_default();
    unread.map(|(name, _)| format!("column `{name}` is not read{}.", because(name))).collect()
}

/// Iterates over the cells that may be settings.
fn apart<'a>(cells: &Cells<'a>) -> impl Iterator<Item = (&'a str, &'a str)> {
    cells.iter().filter(|(name, _)| !APART.contains(name))
}

/// Returns whether a column names a key of links.
fn is_setting(name: &str, cell: &str) -> bool {
    decode(&pair(name, cell)).issues.iter().all(|issue| issue.cause != Cause::UnknownKey)
}

/// Writes a pair of a link.
fn pair(name: &str, cell: &str) -> String {
    const SPECIAL: [(char, &str); 5] = [('%', "%25"), ('&', "%26"), ('#', "%23"), ('=', "%3D"), (':', "%3A")];
    let [name, cell] =
        [name, cell].map(|text| SPECIAL.iter().fold(text.to_owned(), |text, (from, to)| text.replace(*from, to)));
    format!("{name}={cell}")
}

/// Returns whether an issue is about a dimension that the named model has anyway.
fn is_as_named(issue: &Issue, cell: &str, scenario: &Scenario) -> bool {
    let number = issue.key.and_then(params::find).and_then(|param| param.number());
    let own = number.map(|number| (number.get)(scenario));
    issue.cause == Cause::LeftOut && own.is_some() && cell.parse().ok() == own
}

/// Returns the measured time of a step, from the first column that gives it.
fn step_time(cells: &Cells<'_>, scenario: &Scenario, share: f64, mfu: Option<f64>) -> Result<Option<f64>, LeftOut> {
    if let Some(time) = cells.measured("step_time_s")? {
        return Ok(Some(time));
    }
    let report = scenario.report();
    let gpus = f64::from(scenario.gpus);
    let of_all = cells.measured("tokens_per_s")?.map(|rate| rate / gpus);
    if let Some(rate) = cells.measured("tokens_per_s_per_gpu")?.or(of_all) {
        return Ok(Some(report.tokens_per_step * share / (rate * gpus)));
    }
    let whole = report.whole();
    let time = whole.time.get() * share;
    let tflops = cells.measured("tflops_per_gpu")?.map(|rate| report.update.model_flops_per_gpu.get() / (rate * 1e12));
    Ok(tflops.or(mfu.map(|mfu| whole.mfu / mfu)).map(|slower| slower * time))
}

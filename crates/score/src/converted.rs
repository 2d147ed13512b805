//! A measured row as a link: what the reader of words made of a row, written beside it, and read instead of the words from then on.
//!
//! The columns: `link`, the scenario; `completed`, what the source leaves open and what was taken; `left_out`, why a row has no
//! prediction; and the measured values as they compare with the scenario.

use super::row::Row;
use super::silicon::Table;
use super::summary::Entry;
use super::{LeftOut, dated, expert_layer, release};
use engine::catalog::releases::{self, Known, RELEASES};
use engine::model::trained::{BaseFormat, ProductsKeep};
use engine::published::{MemoryKind, MemoryStage};
use engine::scenario::Scenario;
use engine::share::{decode, encode};

/// The columns, in the order in which they are written.
pub const COLUMNS: [&str; 12] = [
    "link",
    "completed",
    "left_out",
    "set",
    "ended",
    "measured_step_time_s",
    "measured_mfu",
    "measured_peak_gib",
    "peak_kind",
    "peak_stage",
    "batch_share",
    "slowest_link_gbit",
];

const KINDS: [(&str, MemoryKind); 3] =
    [("allocated", MemoryKind::Allocated), ("reserved", MemoryKind::Reserved), ("process", MemoryKind::Process)];
const STAGES: [(&str, MemoryStage); 3] =
    [("most", MemoryStage::Most), ("first", MemoryStage::First), ("last", MemoryStage::Last)];

/// What a row is about.
fn set(entry: &Entry) -> &'static str {
    if Table::of(&entry.row).is_some() {
        "silicon"
    } else if entry.is_fine_tuned() {
        "tuned"
    } else if expert_layer::is_one(&entry.row) {
        "layer"
    } else if entry.is_mixture() {
        "mixture"
    } else {
        "dense"
    }
}

/// How a run ended, where the row tells it.
fn ended(row: &Row) -> &'static str {
    match (row.failed(), row.succeeded(), row.mem_kind.contains("boundary")) {
        (true, ..) if row.notes.contains("status=FAILED") => "failed, untold",
        (true, ..) => "out of memory",
        (_, true, true) => "ran at its limit",
        (_, true, false) => "ran",
        _ => "",
    }
}

fn word<T: PartialEq>(words: &[(&'static str, T)], of: &T) -> String {
    words.iter().find(|(_, known)| known == of).map_or_else(String::new, |(word, _)| (*word).to_owned())
}

/// Returns the release of the program at the date that the row bears.
fn dated_release(row: &Row, scenario: &Scenario) -> Option<Known> {
    let framework = row.framework.to_ascii_lowercase().replace([' ', '_'], "-");
    let named = RELEASES.iter().map(releases::Release::program_key).filter(|key| framework.contains(key));
    let program = named.max_by_key(|key| key.len())?;
    let of_nvidia = || {
        let release = release::said(row)?;
        let (year, month) = (release.trunc(), (100.0 * release.fract()).round());
        Some((2000 + year as u32, month as u32))
    };
    let (year, month) = dated::of(row).or_else(of_nvidia)?;
    // What was measured in a month was measured before its last commits.
    let release = releases::find(&format!("{program}-{year}-{month:02}-15"))?;
    let option = engine::params::ParamId::Framework.option(scenario);
    release.runs_on(option).then_some(Known(release))
}

/// Returns the link of a row's scenario, which gives it back to the last bit.
fn faithful(scenario: Scenario, row: &Row) -> Result<String, String> {
    let mut scenario = scenario;
    // What only some formats' kernels keep, links say of these alone.
    if !matches!(scenario.trained.base, BaseFormat::Int4 | BaseFormat::Nf4 | BaseFormat::Nf4Double) {
        scenario.trained.products_keep = ProductsKeep::Nothing;
    }
    // Nobody measured a price.
    let hardware = format!("cluster={}&gpu={}", scenario.network.id, scenario.accelerator.id);
    scenario.run.price_per_gpu_hour = decode(&hardware).scenario.run.price_per_gpu_hour;
    scenario.release = dated_release(row, &scenario);
    let link = encode(&scenario);
    let read = decode(&link);
    let same = Scenario { release: scenario.release, ..read.scenario };
    if same == scenario && read.issues.is_empty() {
        return Ok(link);
    }
    let [found, wanted] = [same, scenario].map(|scenario| format!("{scenario:#?}"));
    let differing = found.lines().zip(wanted.lines()).find(|(found, wanted)| found != wanted);
    Err(format!("{}: {link}\n{:?} {differing:?}", row.row_id, read.issues))
}

/// Returns the cells of an entry, in the order of [`COLUMNS`].
///
/// # Errors
///
/// What of the scenario its link would not give back.
pub fn cells(entry: &Entry) -> Result<[String; 12], String> {
    let mut cells: [String; 12] = Default::default();
    let [link, completed, left_out, about, end, step, mfu, peak, kind, stage, share, slowest] = &mut cells;
    set(entry).clone_into(about);
    ended(&entry.row).clone_into(end);
    match &entry.outcome {
        Err(_) if set(entry) == "layer" => {
            let layer = expert_layer::predict(&entry.row).map_err(|left_out| left_out.to_string())?;
            let scenario = expert_layer::scenario(&entry.row).map_err(|left_out| left_out.to_string())?;
            *link = faithful(scenario, &entry.row)?;
            *step = format!("{:?}", layer.measured_s);
            if let Some(gib) = layer.measured_gib {
                (*peak, *kind) = (format!("{gib:?}"), word(&KINDS, &MemoryKind::Allocated));
            }
        }
        Err(LeftOut { reason, detail }) => (*left_out, *completed) = (reason.clone(), detail.clone()),
        Ok(prediction) => {
            *link = faithful(prediction.scenario, &entry.row)?;
            *completed = prediction.notes.iter().collect::<Vec<_>>().join("; ");
            let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:?}"));
            *step = number(prediction.measured.step_time_s);
            *mfu = number(prediction.measured.mfu);
            *peak = number(prediction.measured.peak_gib);
            // What a peak would include, and where, says what is predicted beside it.
            let (memory_kind, memory_stage) = (prediction.measured.kind, prediction.measured.stage);
            if prediction.measured.peak_gib.is_some() || memory_kind != MemoryKind::Reserved {
                *kind = word(&KINDS, &memory_kind);
            }
            if prediction.measured.peak_gib.is_some() || memory_stage != MemoryStage::Most {
                *stage = word(&STAGES, &memory_stage);
            }
            if prediction.batch_share != 1.0 {
                *share = number(Some(prediction.batch_share));
            }
            *slowest = number(prediction.slowest.map(engine::units::BytesPerSecond::gbit_per_s));
        }
    }
    Ok(cells)
}

//! Sets measured rates in the scenario and describes each change.

use catalog::names::{Named, gpu_named};
use catalog::{AcceleratorEntry, accelerator, pick};
use engine::digits::rounded;
use engine::format;
use engine::params::ParamId;
use engine::params::quantity::with_unit;
use engine::scenario::{CUSTOM, Scenario};

use super::file::File;
use super::found::{MeasuredParam, found};
use super::words::{self, kept_as_words, prediction};
use crate::error::differences;
use crate::log::links;

/// Scenario with the measured rates, and a description of the changes.
pub struct AppliedRates {
    /// Scenario with the measured rates.
    pub scenario: Scenario,
    /// Summary of the parameters that were set.
    pub said: String,
    /// Summary of the file that was read.
    pub read: String,
    /// Alternative scenario without the rates of isolated kernels, which whole steps do not reach,
    /// and its description.
    pub offer: Option<(String, Scenario)>,
    /// Changes under headings.
    pub sections: Vec<(&'static str, Vec<String>)>,
}

/// Significant digits of a rate: one more than is reproducible between runs.
const DIGITS: usize = 3;
/// Significant digits of usable memory, where smaller differences matter.
const DIGITS_OF_MEMORY: usize = 4;

/// Sets all measured parameters that are valid.
///
/// # Errors
///
/// Returns a sentence if the GPU is not in the catalog.
pub(super) fn take(file: &File, scenario: &Scenario) -> Result<AppliedRates, String> {
    let (before, mut notes) = on_gpu(file, scenario)?;
    let mut after = before;
    let (mut changed, mut stays) = (Vec::new(), Vec::new());
    let mut count = 0;
    for found in found(file, &before) {
        match put(&found, &mut after) {
            Ok(line) => {
                count += 1;
                changed.push(line);
            }
            Err(line) => stays.push(line),
        }
    }
    let mut of_links = Vec::new();
    if !file.points.is_empty() {
        match links::fit(&file.points, &after) {
            Ok(fitted) => {
                let with = ::links::decode(&fitted.link).scenario;
                of_links = differences(&after, &with);
                count += of_links.len();
                of_links.push(fitted.sentence);
                after = with;
            }
            Err(problem) => stays.push(problem),
        }
    }
    if count == 0 {
        return Err(format!("No value of this file of `shardwise measure` could be used. {}", stays.join(" ")));
    }
    stays.extend(kept_as_words(file, &before));
    stays.extend(file.unreadable.iter().cloned());
    stays.extend(file.skipped.iter().cloned());
    let offer = as_in_steps(&before, &after).map(|kept| (words::offer(&prediction(scenario, &kept)), kept));
    if offer.is_some() {
        notes.push(words::KERNELS_ALONE.to_owned());
    }
    let is = if count == 1 { "is" } else { "are" };
    let said =
        format!("{}: {count} of the cluster's rates {is} now measured. {}", file.name, prediction(scenario, &after));
    let gpus = if file.ranks > 1.0 { format!(" {} processes.", format::count(file.ranks)) } else { String::new() };
    let by: Vec<&str> = core::iter::once("shardwise measure").chain(file.versions.iter().map(String::as_str)).collect();
    let read = format!("Read: {}.{gpus}", by.join(", "));
    Ok(AppliedRates {
        scenario: after,
        said,
        read,
        offer,
        sections: vec![
            ("Measurements and their changes", changed),
            ("Changes by the measured links", of_links),
            ("Notes", notes),
            ("Measured but not used", stays),
        ],
    })
}

/// Parameters whose measured values hold for isolated kernels and are lower in whole steps.
const OF_KERNELS: [ParamId; 5] = [
    ParamId::MatmulEfficiency,
    ParamId::Matmul8BitEfficiency,
    ParamId::HalfSaturationTokens,
    ParamId::AttentionEfficiency,
    ParamId::TunedAttentionEfficiency,
];

/// Returns the scenario with its former efficiencies of products and attention, if these changed.
fn as_in_steps(before: &Scenario, after: &Scenario) -> Option<Scenario> {
    let mut kept = *after;
    for number in OF_KERNELS.iter().filter_map(|id| id.number()) {
        (number.set)(&mut kept, (number.get)(before));
    }
    (kept != *after).then_some(kept)
}

/// Returns the scenario with the GPU that was measured, and remarks about the GPU.
fn on_gpu(file: &File, scenario: &Scenario) -> Result<(Scenario, Vec<String>), String> {
    let mut on = *scenario;
    let Some(named) = known(&file.name) else {
        if scenario.accelerator.id == CUSTOM {
            let note = format!(
                "The catalog has no {}: its rates are used as shares of the peaks of this scenario's GPU.",
                file.name
            );
            return Ok((on, vec![note]));
        }
        return Err(format!(
            "This was measured on “{}”, which is not in the catalog: enter a custom GPU with its peaks (gpu=custom, \
             peak, hbm, mem), then read the file again.",
            file.name
        ));
    };
    let mut notes = Vec::new();
    if named.entry.id != scenario.accelerator.id {
        let name = |id: &str| accelerator(id).map_or("Custom GPU", |entry| entry.name);
        notes.push(format!(
            "The GPU was {}, and the scenario had {}: it now has {0}. The links between GPUs are still those of its cluster.",
            named.entry.name,
            name(scenario.accelerator.id)
        ));
        pick::pick_accelerator(&mut on, named.entry.id);
    }
    if named.is_taken {
        notes.push(format!("“{}” is read as {}.", file.name, named.entry.name));
    }
    Ok((on, notes))
}

/// Finds the GPU of a name. Up to two last words may be the form factor that a driver adds: “NVIDIA
/// B300 SXM6 AC”. A MIG slice has other peaks and is not matched.
fn known(name: &str) -> Option<Named<AcceleratorEntry>> {
    const FORM: usize = 2;
    if name.contains("MIG") {
        return None;
    }
    gpu_named(name).or_else(|| {
        let words: Vec<&str> = name.split(' ').collect();
        let mut shorter = (1..=FORM).filter_map(|form| words.get(..words.len().checked_sub(form)?));
        shorter.find_map(|words| gpu_named(&words.join(" "))).map(|found| Named { is_taken: true, ..found })
    })
}

/// Sets a parameter and describes its former value in the catalog and in the scenario.
fn put(found: &MeasuredParam, scenario: &mut Scenario) -> Result<String, String> {
    let param = found.id.param();
    let Some(number) = found.id.number() else { return Err(found.what.clone()) };
    let digits = if found.id == ParamId::UsableMemory { DIGITS_OF_MEMORY } else { DIGITS };
    let value = rounded(found.value, digits);
    let said = |value: f64| with_unit(number.unit, rounded(value, digits));
    if !(number.min..=number.max).contains(&value) {
        return Err(format!(
            "{}: {} would be {}, outside {} to {}, so it is unchanged. Is the GPU's name right, and was it idle?",
            found.what,
            param.label,
            said(value),
            said(number.min),
            said(number.max)
        ));
    }
    let mut listed = *scenario;
    let in_catalog = pick::pick_accelerator(&mut listed, scenario.accelerator.id) && scenario.accelerator.id != CUSTOM;
    let (catalog, now) = ((number.get)(&listed), (number.get)(scenario));
    let was = match (in_catalog, catalog == now) {
        (true, true) => format!("the catalog has {}", said(catalog)),
        (true, false) => format!("the catalog has {}, this scenario had {}", said(catalog), said(now)),
        (false, _) => format!("this scenario had {}", said(now)),
    };
    (number.set)(scenario, value);
    Ok(format!("{}: {} {}; {was}.", found.what, param.label, said(value)))
}

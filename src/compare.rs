//! Pinned scenarios: their reports, their differences from the scenario on screen, and their names.

use crate::words;
use catalog::accelerators::prices;
use engine::format;
use engine::model::report::Report;
use engine::params::quantity::with_unit;
use engine::params::{Group, Number, Param, ParamId, ParamKind, Unit, every, is_held};
use engine::scenario::pins::pin_letter;
use engine::scenario::{CUSTOM, Id, Model, Scenario};

/// A pinned scenario, compared with the scenario on screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// The scenario.
    pub scenario: Scenario,
    /// The report of its step.
    pub report: Report,
    /// Letter of the pin, and its first differences from the scenario on screen.
    pub name: String,
}

/// Names pinned scenarios by their differences from the scenario on screen.
pub fn compared(scenario: &Scenario, pins: &[Scenario]) -> Vec<Pin> {
    let named = pins.iter().enumerate().map(|(place, pin)| {
        let name = name(place, &differences(scenario, pin));
        Pin { scenario: *pin, report: pin.report(), name }
    });
    named.collect()
}

/// Maximum number of differences in a short name.
const NAMED: usize = 2;

/// One difference between two scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Name of the catalog entry or parameter that differs.
    pub label: &'static str,
    /// Value in the scenario on screen.
    pub here: String,
    /// Value in the pinned scenario.
    pub there: String,
    /// Value in the pinned scenario, in a few words: `64 GPUs`.
    short: String,
}

/// Returns the differences of a pinned scenario from the one on screen: catalog entries, then
/// parameters in the table's order.
pub fn differences(here: &Scenario, there: &Scenario) -> Vec<Difference> {
    let entry = |label, of: &dyn Fn(&Scenario) -> String| {
        let (here, there) = (of(here), of(there));
        Difference { label, short: there.clone(), here, there }
    };
    let model = here.model != there.model && (is_named(&here.model) || is_named(&there.model));
    let gpu = here.accelerator.id != there.accelerator.id;
    let cluster = here.network.id != there.network.id;
    let mut all = Vec::new();
    if model {
        all.push(entry("Model", &|scenario| words::model_name(&scenario.model)));
    }
    if gpu {
        // A name tells the number too.
        let named = entry("GPU", &|scenario| gpu_name(scenario.accelerator.id));
        let short = format!("{} {}", format::count(f64::from(there.gpus)), named.short);
        all.push(Difference { short, ..named });
    }
    // Differences that follow from a different catalog entry are left out.
    let said = |param: &Param| match param.group {
        Group::Architecture => model,
        Group::Hardware => gpu && here.accelerator.id != CUSTOM && there.accelerator.id != CUSTOM,
        Group::Network => {
            cluster && here.network.id != CUSTOM && there.network.id != CUSTOM && param.id != ParamId::Topology
        }
        Group::Run => gpu && param.id == ParamId::GpuHourPrice && [here, there].into_iter().all(is_list_price),
        _ => match param.id {
            ParamId::ModelSize => model,
            ParamId::GpuMemory => gpu && [here, there].into_iter().all(has_its_memory),
            // The host of a node comes with its cluster.
            ParamId::HostMemory
            | ParamId::HostGpus
            | ParamId::HostBandwidth
            | ParamId::NvmeBandwidth
            | ParamId::HostSpeed => cluster,
            _ => false,
        },
    };
    let rows = every().filter(|param| {
        is_held(param, here)
            && is_held(param, there)
            && !said(param)
            && ((param.applies)(here) || (param.applies)(there))
    });
    let of_params = rows.filter_map(|param| {
        let difference = param_difference(param, here, there)?;
        let is_named = gpu && param.id == ParamId::Gpus;
        Some(Difference { short: if is_named { String::new() } else { difference.short.clone() }, ..difference })
    });
    all.extend(of_params);
    if cluster {
        // If anything else differs, such as the links, the short name leaves the cluster out.
        let short = |short: String| if all.is_empty() { short } else { String::new() };
        let one = entry("Cluster", &|scenario| cluster_name(scenario.network.id));
        let short = short(one.short.clone());
        all.push(Difference { short, ..one });
    }
    all
}

fn is_list_price(scenario: &Scenario) -> bool {
    prices::is_of_the_list(scenario.run.price_per_gpu_hour, scenario.accelerator.id, scenario.network.id)
}

/// Whether a GPU has the memory of its data sheet.
fn has_its_memory(scenario: &Scenario) -> bool {
    let sheet = catalog::accelerator(scenario.accelerator.id).map(|entry| entry.values.memory);
    sheet == Some(scenario.accelerator.values.memory)
}

fn is_named(model: &Model) -> bool {
    matches!(model, Model::Preset { .. } | Model::Scaled { .. })
}

fn gpu_name(id: Id) -> String {
    catalog::accelerator(id).map_or(words::CUSTOM, |entry| entry.name).to_owned()
}

fn cluster_name(id: Id) -> String {
    catalog::cluster(id).map_or(words::CUSTOM, |entry| entry.name).to_owned()
}

fn param_difference(param: &'static Param, here: &Scenario, there: &Scenario) -> Option<Difference> {
    let label = param.label;
    let (here, there) = match param.kind {
        ParamKind::Number(number) => {
            let (here, there) = ((number.get)(here), (number.get)(there));
            if here == there {
                return None;
            }
            (amount(&number, here), amount(&number, there))
        }
        ParamKind::Choice(choice) => {
            let (here, there) = ((choice.get)(here), (choice.get)(there));
            if here == there {
                return None;
            }
            let name = |place: usize| choice.options.get(place).map_or("", |option| option.label).to_owned();
            (name(here), name(there))
        }
    };
    let short = match param.id {
        // These values are clear without a label.
        ParamId::ModelSize
        | ParamId::SequenceLength
        | ParamId::LinkBandwidth
        | ParamId::GpuMemory
        | ParamId::Strategy => there.clone(),
        ParamId::Gpus if there == "1" => "1 GPU".to_owned(),
        ParamId::Gpus => format!("{there} GPUs"),
        _ => format!("{label}: {there}"),
    };
    Some(Difference { label, here, there, short })
}

fn amount(number: &Number, value: f64) -> String {
    match number.unit {
        Unit::TrainTokens => with_unit(number.unit, value),
        unit => format::value(unit, value),
    }
}

/// Returns the name of a pinned scenario: its letter, and its first differences from the one on
/// screen.
pub fn name(place: usize, differences: &[Difference]) -> String {
    let named = || differences.iter().filter(|difference| !difference.short.is_empty());
    let mut text = pin_letter(place).to_owned();
    for (at, difference) in named().take(NAMED).enumerate() {
        text += if at == 0 { ": " } else { ", " };
        text += &difference.short;
    }
    match named().count() {
        0 => text + ": as on screen",
        1..=NAMED => text,
        more => format!("{text} and {} more", more - NAMED),
    }
}

/// Returns the name of a pinned scenario without its letter.
pub fn unlettered(name: &str) -> &str {
    name.split_once(": ").map_or(name, |(_, rest)| rest)
}

//! The texts of comparing: how two scenarios differ, and by how much their figures do.

use super::headline;
use charts::spec::PinnedBar;
use engine::catalog;
use engine::catalog::accelerators::prices;
use engine::format::{self, MINUS, THIN_SPACE};
use engine::model::report::Report;
use engine::params::quantity::{group_thousands, with_unit};
use engine::params::{Group, Kind, Number, Param, ParamId, Unit, every, is_held};
use engine::scenario::pins::pin_letter;
use engine::scenario::{CUSTOM, Id, Model, Scenario};
use engine::units::Bytes;

/// The accessible name of the list.
pub const TITLE: &str = "Pinned scenarios";
/// On the button that pins.
pub const PIN: &str = "Pin to compare";
/// Where there is no room for another.
pub const FULL: &str = "Three are pinned, which is the most: remove one to pin another.";
/// On the button that puts a pinned scenario on screen.
pub const SWAP: &str = "Swap";
/// On the button that removes a pinned scenario.
pub const REMOVE: &str = "Remove";
/// After a difference that is better, for screen readers.
pub const BETTER: &str = ", better";
/// After a difference that is worse, for screen readers.
pub const WORSE: &str = ", worse";
/// What the name of a pinned scenario opens.
pub const DIFFERS: &str = "What differs";
/// The most differences in a short name.
const NAMED: usize = 2;

/// On the button that pins, where room is short: the start of its name.
pub fn short_pin(pinned: Option<usize>) -> String {
    pinned.map_or_else(|| "Pin".to_owned(), |place| format!("Pinned as {}", pin_letter(place)))
}

/// On the button that pins, once that is done.
pub fn pinned_as(place: usize) -> String {
    format!("Pinned as {}", pin_letter(place))
}

/// The accessible name of a button that acts on a pinned scenario.
pub fn act_on(act: &str, place: usize) -> String {
    format!("{act} pinned scenario {}", pin_letter(place))
}

/// What swapping does.
pub fn swap_help(place: usize) -> String {
    format!("Puts pinned scenario {0} on screen, and pins what is on screen as {0}", pin_letter(place))
}

/// One difference of two scenarios.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The name of what differs.
    pub label: &'static str,
    /// Its value on screen.
    pub here: String,
    /// Its value in the pinned scenario.
    pub there: String,
    /// The pinned scenario's value in a few words: `64 GPUs`.
    short: String,
}

/// The differences of a pinned scenario from the one on screen: catalog entries, then parameters in
/// the table's order.
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
        all.push(entry("Model", &|scenario| headline::model_name(&scenario.model)));
    }
    if gpu {
        all.push(entry("GPU", &|scenario| gpu_name(scenario.accelerator.id)));
    }
    // What follows from an entry that differs is not said again.
    let said = |param: &Param| match param.group {
        Group::Architecture => model,
        Group::Hardware => gpu && here.accelerator.id != CUSTOM && there.accelerator.id != CUSTOM,
        Group::Network => {
            cluster && here.network.id != CUSTOM && there.network.id != CUSTOM && param.id != ParamId::Topology
        }
        Group::Run => gpu && param.id == ParamId::GpuHourPrice && [here, there].into_iter().all(is_list_price),
        _ => model && param.id == ParamId::ModelSize,
    };
    let rows = every().filter(|param| {
        is_held(param, here)
            && is_held(param, there)
            && !said(param)
            && ((param.applies)(here) || (param.applies)(there))
    });
    all.extend(rows.filter_map(|param| of_param(param, here, there)));
    if cluster {
        // Its links are named already, where they differ.
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

fn is_named(model: &Model) -> bool {
    matches!(model, Model::Preset { .. } | Model::Scaled { .. })
}

fn gpu_name(id: Id) -> String {
    catalog::accelerator(id).map_or(super::CUSTOM, |entry| entry.name).to_owned()
}

fn cluster_name(id: Id) -> String {
    catalog::cluster(id).map_or(super::CUSTOM, |entry| entry.name).to_owned()
}

fn of_param(param: &'static Param, here: &Scenario, there: &Scenario) -> Option<Difference> {
    let label = param.label;
    let (here, there) = match param.kind {
        Kind::Number(number) => {
            let (here, there) = ((number.get)(here), (number.get)(there));
            if here == there {
                return None;
            }
            (amount(&number, here), amount(&number, there))
        }
        Kind::Choice(choice) => {
            let (here, there) = ((choice.get)(here), (choice.get)(there));
            if here == there {
                return None;
            }
            let name = |place: usize| choice.options.get(place).map_or("", |option| option.label).to_owned();
            (name(here), name(there))
        }
    };
    let short = match param.id {
        // Their values say what they are.
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

/// The name of a pinned scenario: its letter, and its first differences from the one on screen.
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

/// How far a figure lies from that of a pinned scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delta {
    /// The difference with its sign and unit.
    pub text: String,
    /// Whether that is for the better; `None` where it is neither.
    pub better: Option<bool>,
    /// What the difference is measured from, after the text.
    pub against: String,
}

/// The differences of the headline figures from those of the first pinned scenario: MFU,
/// throughput, step time, memory needed. More memory is neither better nor worse unless it makes
/// the difference whether the run fits.
pub fn deltas(now: &Report, pinned: &Report) -> [Delta; 4] {
    // Steps of different batches are not better or worse for their time.
    let comparable = now.tokens_per_step == pinned.tokens_per_step;
    let share = |now: f64, then: f64| 1e2 * (now / then - 1.0);
    let percent = |change: f64, up: bool| delta(change, "%", up);
    let crosses = (now.fits() != pinned.fits()).then_some(now.fits());
    let memory = |change: f64| Delta { better: crosses, ..delta(change, "GiB", true) };
    let step = percent(share(now.whole().time.get(), pinned.whole().time.get()), false);
    [
        delta(1e2 * (now.whole().mfu - pinned.whole().mfu), "points", true),
        percent(share(now.whole().tokens_per_s_per_gpu, pinned.whole().tokens_per_s_per_gpu), true),
        Delta { better: step.better.filter(|_| comparable), ..step },
        memory(now.memory.needed.gib() - pinned.memory.needed.gib()),
    ]
}

/// Tenths are shown below this size.
const WHOLE: f64 = 99.95;

/// A change with its sign, to a tenth, from a hundred on to ones; `up` says whether more is better.
pub(super) fn delta(change: f64, unit: &str, up: bool) -> Delta {
    let size = change.abs();
    let text = group_thousands(&format!("{:.*}", usize::from(size < WHOLE), size));
    if text == "0.0" || !change.is_finite() {
        return Delta { text: format!("±0{THIN_SPACE}{unit}"), better: None, against: versus(0) };
    }
    let sign = if change < 0.0 { MINUS } else { '+' };
    Delta { text: format!("{sign}{text}{THIN_SPACE}{unit}"), better: Some((change > 0.0) == up), against: versus(0) }
}

/// After a difference: what it is measured from.
pub fn versus(place: usize) -> String {
    format!(" vs {}", pin_letter(place))
}

/// The name of a pinned scenario without its letter.
pub fn unlettered(name: &str) -> &str {
    name.split_once(": ").map_or(name, |(_, rest)| rest)
}

/// The two values of a difference.
pub fn sides(Difference { here, there, .. }: &Difference, place: usize) -> String {
    format!("{here} on screen, {there} in {}", pin_letter(place))
}

/// The limiter of the first pinned scenario, where it is another one.
pub fn limiter(limiter: &str) -> Delta {
    Delta { text: format!("{}: {limiter}", pin_letter(0)), better: None, against: String::new() }
}

/// Over the thin bar of a pinned scenario.
pub fn bar(pin: &PinnedBar) -> String {
    let [needed, capacity] = [pin.needed(), pin.capacity].map(Bytes::new);
    format!("{}: needs {}", unlettered(&pin.name), format::bytes_of(needed, capacity))
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::share::decode;

    #[test]
    fn more_memory_is_neither_better_nor_worse_while_both_fit() {
        let report = |link: &str| decode(link).scenario.report();
        let here = "cluster=dgx-h100&model=llama-3.1-8b&gpus=8&seq=4096";
        let (selective, full) =
            (report(&[here, "&recompute=selective"].concat()), report(&[here, "&recompute=full"].concat()));
        assert!(selective.fits() && full.fits());
        let [_, _, _, needed] = deltas(&selective, &full);
        assert!(needed.text.starts_with('+') && needed.better.is_none(), "{needed:?}");
        // Whether it fits at all is the difference.
        let long = report(&[here, "&recompute=none&seq=131072"].concat());
        let [_, _, _, needed] = deltas(&long, &full);
        assert_eq!((long.fits(), needed.better), (false, Some(false)));
        let [_, _, _, needed] = deltas(&full, &long);
        assert_eq!(needed.better, Some(true));
    }
}

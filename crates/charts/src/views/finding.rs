//! The finding of a map, as one sentence with the numbers of the scenario.

use super::axes::{self, AxisOf, over_link};
use super::scratch::Scratch;
use crate::names;
use analysis::boundary::change_between;
use analysis::network::{limited_by_link, limits_from, unlimited};
use analysis::sweep::{self, Sample};
use engine::format;
use engine::params::{Param, ParamId};
use engine::rounding;
use engine::scenario::Scenario;

/// Range of an axis where a condition holds.
enum Change {
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
    /// Up to this value.
    UpTo(f64),
    /// From this value on.
    From(f64),
    /// Changes more than once.
    Mixed,
}

/// Writes the finding: `At 13B, sequences up to 14.2k fit; from 9.1k on communication hides behind
/// compute.`
pub(super) fn write_region(scenario: &Scenario, x: &AxisOf, y: &AxisOf, scratch: &mut Scratch) -> String {
    let on_axis = |id| x.param.id == id || y.param.id == id;
    let one_node = on_axis(ParamId::LinkBandwidth) && !on_axis(ParamId::Gpus) && axes::is_one_node(scenario);
    let mut text = along(scenario, x, y, one_node, scratch);
    if one_node {
        text = format!("{text} {}", axes::ONE_NODE);
    }
    if on_axis(ParamId::ModelSize) && axes::is_named(scenario) {
        text += &axes::shapes(scenario);
    }
    text
}

/// Writes the range that fits and the limiters along the horizontal axis.
fn along(scenario: &Scenario, x: &AxisOf, y: &AxisOf, one_node: bool, scratch: &mut Scratch) -> String {
    let over_link = over_link(x, y);
    let at = |value: f64| {
        let sample = sweep::sample_at(scenario, x.number, value);
        if !over_link {
            return sample;
        }
        let anywhere = unlimited(scenario);
        let fast = match x.param.id {
            ParamId::LinkBandwidth => sweep::sample(&anywhere),
            _ => sweep::sample_at(&anywhere, x.number, value),
        };
        limited_by_link(sample, &fast)
    };
    let mut row = core::mem::take(&mut scratch.samples);
    row.clear();
    row.extend(scratch.xs.iter().map(|&value| at(value)));
    let fits = change_in(scenario, (x, &at), &row, (0, row.len()), Sample::fits);
    let feasible = feasible(&row);
    let network = change_in(scenario, (x, &at), &row, feasible, |sample| !sample.network_bound());
    scratch.samples = row;
    let place = place(y.param, &format::value(y.number.unit, y.own(scenario)));
    let noun = if x.param.id == ParamId::Gpus { " GPUs" } else { "" };
    let amount = |value| format!("{}{noun}", format::value(x.number.unit, value));
    let memory = fit_clause(x, &fits, amount);
    if one_node && x.param.id == ParamId::LinkBandwidth {
        return match fits {
            Change::Never => format!("{place}, it does not fit."),
            _ => format!("{place}, it fits."),
        };
    }
    let speed = match (fits, network) {
        (Change::Never, _) => return format!("{place}, {memory}."),
        (_, network) if over_link => match limits_from(scenario).filter(|_| x.param.id == ParamId::LinkBandwidth) {
            Some(from) => from,
            None => by_link(&network, amount),
        },
        (_, Change::Always) => "communication hides behind compute wherever it fits".to_string(),
        (_, Change::Never) => "communication is exposed wherever it fits".to_string(),
        (_, Change::From(value)) => format!("from {} on communication hides behind compute", amount(value)),
        (_, Change::UpTo(value)) => format!("beyond {} communication is exposed", amount(value)),
        (_, Change::Mixed) => "the limit alternates between network and compute".to_string(),
    };
    format!("{place}, {memory}; {speed}.")
}

/// Writes where a faster link would gain less than 1 %, on a map over link bandwidth.
fn by_link(network: &Change, amount: impl Fn(f64) -> String) -> String {
    let [less, more] = ["less", "more"].map(|than| format!("a faster link gains {than} than 1{}%", format::THIN_SPACE));
    match network {
        Change::Always => format!("{less} wherever it fits"),
        Change::Never => format!("{more} wherever it fits"),
        Change::From(value) => format!("from {} on {less}", amount(*value)),
        Change::UpTo(value) => format!("beyond {} {more}", amount(*value)),
        Change::Mixed => "what a faster link gains alternates".to_owned(),
    }
}

/// Writes the scenario's place on the other axis.
fn place(param: &Param, value: &str) -> String {
    match param.id {
        ParamId::GpuMemory => format!("With {value} of GPU memory"),
        ParamId::Gpus => format!("On {value} GPUs"),
        ParamId::SequenceLength => format!("At sequence length {value}"),
        ParamId::MicroBatchSize => format!("With micro-batches of {value}"),
        id @ (ParamId::Experts | ParamId::TopK | ParamId::Ep) => {
            format!("With {}", axes::write_expert_value(id, value))
        }
        ParamId::ModelSize | ParamId::LinkBandwidth => format!("At {value}"),
        _ => format!("With {} at {value}", names::in_sentence(param.label)),
    }
}

/// Writes the range that fits along the axis.
fn fit_clause(x: &AxisOf, fits: &Change, amount: impl Fn(f64) -> String) -> String {
    let label = match x.param.id {
        ParamId::Experts => "number of experts".to_string(),
        ParamId::TopK => "number of experts per token".to_string(),
        ParamId::Ep => "degree of expert parallelism".to_string(),
        _ => names::in_sentence(x.param.label),
    };
    let many = match x.param.id {
        ParamId::SequenceLength => "sequences",
        ParamId::ModelSize => "models",
        ParamId::MicroBatchSize => "micro-batch sizes",
        ParamId::Ep => "degrees",
        ParamId::Experts | ParamId::TopK => "numbers",
        _ => "values",
    };
    if x.param.id == ParamId::Gpus {
        return match fits {
            Change::Always => "it fits on every number of GPUs shown".to_string(),
            Change::Never => "it fits on no number of GPUs shown".to_string(),
            Change::UpTo(value) => format!("it fits on up to {}", amount(*value)),
            Change::From(value) => format!("it fits on {} or more", amount(*value)),
            Change::Mixed => "it fits only on some numbers of GPUs".to_string(),
        };
    }
    if !super::AXES.contains(&x.param.id) {
        return match fits {
            Change::Always => format!("it fits at every {label} shown"),
            Change::Never => format!("it fits at no {label} shown"),
            Change::UpTo(value) => format!("it fits up to {label} {}", amount(*value)),
            Change::From(value) => format!("it fits from {label} {} on", amount(*value)),
            Change::Mixed => format!("it fits only in part of the {label} range"),
        };
    }
    match fits {
        Change::Always => format!("every {label} shown fits"),
        Change::Never => format!("no {label} shown fits"),
        Change::UpTo(value) => format!("{many} up to {} fit", amount(*value)),
        Change::From(value) => format!("it fits from {} on", amount(*value)),
        Change::Mixed => format!("only part of the {label} range fits"),
    }
}

/// Returns the range of samples that fit: first index, and one past the last.
fn feasible(row: &[Sample]) -> (usize, usize) {
    let first = row.iter().position(Sample::fits).unwrap_or(0);
    let last = row.iter().rposition(Sample::fits).map_or(0, |last| last + 1);
    (first, last)
}

/// Rounds a value for a sentence: a small whole number stays, others have three digits, rounded to
/// the side that stays true.
fn round_for_sentence(scenario: &Scenario, x: &AxisOf, value: f64, round: impl Fn(f64) -> f64) -> f64 {
    if !x.number.integer {
        return round(value);
    }
    // The evaluated value: a whole number, or whole nodes of GPUs.
    let mut moved = *scenario;
    sweep::assign(&mut moved, x.number, value);
    let value = (x.number.get)(&moved);
    if value < rounding::EXACT { value } else { round(value) }
}

/// Finds where `holds` changes within a range of the row, located by bisection.
fn change_in(
    scenario: &Scenario,
    (x, at_value): (&AxisOf, &dyn Fn(f64) -> Sample),
    row: &[Sample],
    (first, end): (usize, usize),
    holds: impl Fn(&Sample) -> bool,
) -> Change {
    let stretch = row.get(first..end).unwrap_or_default();
    let Some(start) = stretch.first().map(&holds) else { return Change::Never };
    let mut changes = stretch.windows(2).enumerate().filter(|(_, pair)| match pair {
        [from, to] => holds(from) != holds(to),
        _ => false,
    });
    let Some((at, _)) = changes.next() else {
        return if start { Change::Always } else { Change::Never };
    };
    if changes.next().is_some() {
        return Change::Mixed;
    }
    let position = |share: f64| x.at_node((first + at) as f64 + share, row.len());
    let (low, high) = change_between(start, |share| holds(&at_value(position(share))));
    if start {
        Change::UpTo(round_for_sentence(scenario, x, position(low), rounding::down))
    } else {
        Change::From(round_for_sentence(scenario, x, position(high), rounding::up))
    }
}

//! Rates and latencies under which collectives take as long as measured.

use super::table::{Collective, Point};
use crate::error::differences;
use engine::digits::rounded;
use engine::model::collectives::{AllToAll, Group, all_gather, all_reduce, all_to_all, point_to_point, reduce_scatter};
use engine::model::hardware::Network;
use engine::params::{Number, ParamId};
use engine::scenario::Scenario;
use engine::units::Bytes;
use serde::{Deserialize, Serialize};

/// A point as measured, and as predicted before and after the fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedPoint {
    /// The point.
    pub point: Point,
    /// Bus bandwidth, measured, in GB/s.
    pub measured: f64,
    /// The same as predicted before the fit, and after it.
    pub predicted: (f64, f64),
}

/// A scenario whose links are fitted to points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Parameters that changed.
    pub changes: Vec<String>,
    /// The link of the fitted scenario, without `#`.
    pub link: String,
    /// Root mean square of the times' relative errors before and after.
    pub errors: (f64, f64),
    /// Largest relative error of a time after the fit.
    pub worst: f64,
    /// The points.
    pub points: Vec<FittedPoint>,
    /// The finding, in a sentence.
    pub sentence: String,
}

/// Digits to which a fitted parameter is rounded.
const DIGITS: usize = 3;
/// Rounds over all parameters, and halvings of the step in each.
const ROUNDS: usize = 6;
const HALVINGS: usize = 12;
/// First factor by which a parameter is tried, less 1.
const STEP: f64 = 1.0;
/// What a parameter that is 0 is tried at first.
const SOME: f64 = 0.01;
/// Smallest buffer that counts: below it NCCL's protocols differ, which have no parameter.
const SMALLEST: f64 = 65_536.0;

/// The most GPUs of a host: DGX-2 had as many.
const LARGEST_HOST: u32 = 16;

/// Where the ranks of a point lie on a network.
fn group(network: &Network, point: &Point) -> Group {
    let node = network.gpus_per_node.max(1);
    // A node larger than any host is an NVLink domain of several: they are no network.
    let hosts = point.nodes.filter(|_| node <= LARGEST_HOST);
    let nodes = hosts.unwrap_or_else(|| point.ranks.div_ceil(node)).clamp(1, point.ranks.max(1));
    Group {
        ranks: f64::from(point.ranks),
        ranks_per_node: f64::from(point.ranks) / f64::from(nodes),
        spacing: 1.0,
        ..Group::consecutive(point.ranks, point.ranks, network)
    }
}

/// Seconds that the engine predicts for a point.
fn seconds(network: &Network, point: &Point) -> f64 {
    let (group, size) = (group(network, point), Bytes::new(point.bytes));
    match point.collective {
        Collective::AllReduce => all_reduce(network, group, size),
        Collective::AllGather => all_gather(network, group, size),
        Collective::ReduceScatter => reduce_scatter(network, group, size),
        Collective::AllToAll => all_to_all(network, group, size, AllToAll::Linear),
        Collective::SendRecv => point_to_point(network, group, group.crosses_nodes(), size),
    }
    .get()
}

/// Square of the relative error of a time, the same both ways: `(p - m)^2 / (p m)`, the square of
/// the logarithm of their ratio where they are near.
fn error(network: &Network, point: &Point) -> f64 {
    let (predicted, measured) = (seconds(network, point), point.seconds);
    (predicted - measured) * (predicted - measured) / (predicted * measured)
}

/// Root mean square of the errors.
fn errors(scenario: &Scenario, points: &[Point]) -> f64 {
    let network = network(scenario);
    let sum: f64 = points.iter().map(|point| error(&network, point)).sum();
    (sum / points.len().max(1) as f64).sqrt()
}

fn network(scenario: &Scenario) -> Network {
    let mut network = scenario.network.values;
    network.gpus_per_node = network.gpus_per_node.max(1);
    network.topology = scenario.topology;
    network
}

/// The parameters that may be fitted: rates first.
const PARAMS: [ParamId; 6] = [
    ParamId::IntraNodeEfficiency,
    ParamId::InterNodeEfficiency,
    ParamId::AllReducePasses,
    ParamId::IntraNodeLatency,
    ParamId::InterNodeLatency,
    ParamId::NodeDecay,
];

/// Times of the smallest buffer from which on latencies and rates are told apart; and the size from
/// which on a rate shows.
const SPAN: f64 = 16.0;
const LARGE: f64 = 1_048_576.0;

/// Whether the points can tell a parameter from the others.
fn is_told(id: ParamId, network: &Network, points: &[Point]) -> bool {
    let crosses = |point: &Point| group(network, point).crosses_nodes();
    let sizes = |wanted: bool| points.iter().filter(move |point| crosses(point) == wanted).map(|point| point.bytes);
    let most = |wanted: bool| sizes(wanted).fold(0.0, f64::max);
    let least = |wanted: bool| sizes(wanted).fold(f64::INFINITY, f64::min);
    let has_rate = |wanted: bool| most(wanted) >= LARGE;
    let has_latency = |wanted: bool| least(wanted) < LARGE || most(wanted) >= SPAN * least(wanted);
    match id {
        // Of all-reduces alone, passes and rate are one.
        ParamId::AllReducePasses => {
            let inside = |reduces: bool| {
                points.iter().any(|point| !crosses(point) && (point.collective == Collective::AllReduce) == reduces)
            };
            inside(true) && inside(false)
        }
        ParamId::IntraNodeEfficiency => has_rate(false),
        ParamId::InterNodeEfficiency => has_rate(true),
        ParamId::IntraNodeLatency => has_latency(false),
        ParamId::InterNodeLatency => has_latency(true),
        ParamId::NodeDecay => {
            let mut nodes: Vec<u32> = points
                .iter()
                .filter(|point| crosses(point))
                .map(|point| group(network, point).nodes() as u32)
                .collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes.len() > 1
        }
        _ => true,
    }
}

/// Fits the links of a scenario to points, by least squares of the times' relative errors.
///
/// # Errors
///
/// A sentence if there is no point of at least 64 KiB among two ranks.
pub fn fit(points: &[Point], scenario: &Scenario) -> Result<Fitted, String> {
    let counts = |point: &&Point| point.bytes >= SMALLEST && point.ranks > 1 && point.seconds > 0.0;
    let used: Vec<Point> = points.iter().filter(counts).copied().collect();
    if used.is_empty() {
        return Err(
            "No point of the table has 64 KiB or more and two ranks: smaller ones say nothing about the links' rates."
                .into(),
        );
    }
    let mut fitted = raised(scenario, &used);
    for _ in 0..ROUNDS {
        for id in PARAMS {
            if let Some(number) = id.number().filter(|_| is_told(id, &network(scenario), &used)) {
                descend(&mut fitted, number, &used);
            }
        }
    }
    for id in PARAMS {
        let Some(number) = id.number() else { continue };
        let (was, now) = ((number.get)(scenario), (number.get)(&fitted));
        // What no point depends on stays as it is.
        (number.set)(&mut fitted, if was == now { was } else { rounded(now, DIGITS).clamp(number.min, number.max) });
    }
    Ok(said(&used, scenario, &fitted))
}

/// The scenario with links at least as fast as a point shows: shares of a rate end at 1.
fn raised(scenario: &Scenario, points: &[Point]) -> Scenario {
    let mut raised = *scenario;
    let of = |crosses: bool| {
        let here = points.iter().filter(|point| group(&network(scenario), point).crosses_nodes() == crosses);
        here.map(|point| {
            let group = group(&network(scenario), point);
            let bus = point.bytes * point.collective.factor(group.ranks) / point.seconds;
            if crosses { bus / group.ranks_per_node } else { bus }
        })
        .fold(0.0, f64::max)
    };
    let links = &mut raised.network.values;
    // Switches that reduce pass a byte once, not twice.
    let [inside, between] = [of(false) / 2.0, of(true) / 2.0];
    if inside > links.intra_node.get() {
        links.intra_node = engine::units::BytesPerSecond::new(rounded(inside, DIGITS));
    }
    if between > links.inter_node.get() {
        links.inter_node = engine::units::BytesPerSecond::new(rounded(between, DIGITS));
    }
    raised
}

/// Moves one parameter to where the errors are least, by factors that shrink.
fn descend(scenario: &mut Scenario, number: &Number, points: &[Point]) {
    let mut best = errors(scenario, points);
    let mut step = STEP;
    if (number.get)(scenario) <= 0.0 {
        let mut tried = *scenario;
        (number.set)(&mut tried, SOME.clamp(number.min, number.max));
        let error = errors(&tried, points);
        if error >= best * (1.0 - 1e-6) {
            return;
        }
        (best, *scenario) = (error, tried);
    }
    for _ in 0..HALVINGS {
        loop {
            let now = (number.get)(scenario);
            let tried = [now * (1.0 + step), now / (1.0 + step)].map(|value| {
                let mut tried = *scenario;
                (number.set)(&mut tried, value.clamp(number.min, number.max));
                (errors(&tried, points), tried)
            });
            let [up, down] = tried;
            let (error, changed) = if up.0 <= down.0 { up } else { down };
            // Rounding is no progress.
            if error >= best * (1.0 - 1e-6) {
                break;
            }
            (best, *scenario) = (error, changed);
        }
        step /= 2.0;
    }
}

fn said(points: &[Point], scenario: &Scenario, fitted: &Scenario) -> Fitted {
    let (before, after) = (network(scenario), network(fitted));
    let bus =
        |point: &Point, seconds: f64| point.bytes * point.collective.factor(f64::from(point.ranks)) / seconds / 1e9;
    let of = |point: &Point| FittedPoint {
        point: *point,
        measured: bus(point, point.seconds),
        predicted: (bus(point, seconds(&before, point)), bus(point, seconds(&after, point))),
    };
    let errors = (errors(scenario, points), errors(fitted, points));
    let worst = points.iter().map(|point| error(&after, point).sqrt()).fold(0.0, f64::max);
    let changes = differences(scenario, fitted);
    let percent = engine::format::percent;
    let sentence = format!(
        "{} points: the times are off by {} with the links fitted, {} before, and the worst by {}.",
        points.len(),
        percent(errors.1),
        percent(errors.0),
        percent(worst)
    );
    Fitted { changes, link: links::encode(fitted), errors, worst, points: points.iter().map(of).collect(), sentence }
}

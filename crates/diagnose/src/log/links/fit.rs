//! Fits rates and latencies of links to measured collectives.

use super::table::{Collective, Point};
use crate::error::differences;
use engine::digits::rounded;
use engine::model::collectives::{AllToAll, Group, all_gather, all_reduce, all_to_all, point_to_point, reduce_scatter};
use engine::model::hardware::Network;
use engine::params::{Number, ParamId};
use engine::scenario::Scenario;
use engine::units::Bytes;
use serde::{Deserialize, Serialize};

/// A measured point with predictions before and after the fit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FittedPoint {
    /// The measured point.
    pub point: Point,
    /// Measured bus bandwidth, in GB/s.
    pub measured: f64,
    /// Predicted bus bandwidth before and after the fit, in GB/s.
    pub predicted: (f64, f64),
}

/// A scenario with links fitted to points.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// Parameters that changed.
    pub changes: Vec<String>,
    /// The link of the fitted scenario, without `#`.
    pub link: String,
    /// Root mean square of the relative errors of times, before and after.
    pub errors: (f64, f64),
    /// Largest relative error of a time after the fit.
    pub worst: f64,
    /// The points.
    pub points: Vec<FittedPoint>,
    /// The finding, as a sentence.
    pub sentence: String,
}

/// Significant digits of a fitted parameter.
const DIGITS: usize = 3;
/// Rounds over all parameters, and halvings of the step per parameter and round.
const ROUNDS: usize = 6;
const HALVINGS: usize = 12;
/// Initial relative step of a parameter.
const STEP: f64 = 1.0;
/// Initial value for a parameter that is 0.
const SOME: f64 = 0.01;
/// Smallest buffer used, in bytes. Smaller buffers use other NCCL protocols, which have no
/// parameters.
const SMALLEST: f64 = 65_536.0;

/// Maximum number of GPUs in a host, as in DGX-2.
const LARGEST_HOST: u32 = 16;

/// Returns the placement of a point's ranks on a network.
fn group(network: &Network, point: &Point) -> Group {
    let node = network.gpus_per_node.max(1);
    // A node larger than any host is an NVLink domain of several hosts, so host names do not
    // separate nodes.
    let hosts = point.nodes.filter(|_| node <= LARGEST_HOST);
    let nodes = hosts.unwrap_or_else(|| point.ranks.div_ceil(node)).clamp(1, point.ranks.max(1));
    Group {
        ranks: f64::from(point.ranks),
        ranks_per_node: f64::from(point.ranks) / f64::from(nodes),
        spacing: 1.0,
        ..Group::consecutive(point.ranks, point.ranks, network)
    }
}

/// Returns the predicted seconds of a point.
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

/// Returns the squared relative error of a time, symmetric in prediction and measurement:
/// `(p - m)^2 / (p m)`, which is close to the square of the log ratio for small errors.
fn error(network: &Network, point: &Point) -> f64 {
    let (predicted, measured) = (seconds(network, point), point.seconds);
    (predicted - measured) * (predicted - measured) / (predicted * measured)
}

/// Returns the root mean square of the errors.
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

/// Parameters that may be fitted, rates first.
const PARAMS: [ParamId; 6] = [
    ParamId::IntraNodeEfficiency,
    ParamId::InterNodeEfficiency,
    ParamId::AllReducePasses,
    ParamId::IntraNodeLatency,
    ParamId::InterNodeLatency,
    ParamId::NodeDecay,
];

/// Ratio of the largest to the smallest buffer above which latency and rate can be separated, and
/// the size above which a rate can be fitted, in bytes.
const SPAN: f64 = 16.0;
const LARGE: f64 = 1_048_576.0;

/// Returns whether the points determine a parameter separately from the others.
fn is_told(id: ParamId, network: &Network, points: &[Point]) -> bool {
    let crosses = |point: &Point| group(network, point).crosses_nodes();
    let sizes = |wanted: bool| points.iter().filter(move |point| crosses(point) == wanted).map(|point| point.bytes);
    let most = |wanted: bool| sizes(wanted).fold(0.0, f64::max);
    let least = |wanted: bool| sizes(wanted).fold(f64::INFINITY, f64::min);
    let has_rate = |wanted: bool| most(wanted) >= LARGE;
    let has_latency = |wanted: bool| least(wanted) < LARGE || most(wanted) >= SPAN * least(wanted);
    match id {
        // All-reduces alone cannot separate passes from the rate.
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
/// Returns a sentence if no point has at least 64 KiB and two ranks.
pub fn fit(points: &[Point], scenario: &Scenario) -> Result<Fitted, String> {
    let counts = |point: &&Point| point.bytes >= SMALLEST && point.ranks > 1 && point.seconds > 0.0;
    let used: Vec<Point> = points.iter().filter(counts).copied().collect();
    if used.is_empty() {
        return Err("No point of the table has at least 64 KiB and two ranks, as the links' rates need.".into());
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
        // A parameter that no point depends on keeps its value.
        (number.set)(&mut fitted, if was == now { was } else { rounded(now, DIGITS).clamp(number.min, number.max) });
    }
    Ok(describe_fit(&used, scenario, &fitted))
}

/// Returns the scenario with links at least as fast as the fastest point, because efficiencies are
/// at most 1.
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
    // Switches that reduce in the network transfer each byte once, not twice.
    let [inside, between] = [of(false) / 2.0, of(true) / 2.0];
    if inside > links.intra_node.get() {
        links.intra_node = engine::units::BytesPerSecond::new(rounded(inside, DIGITS));
    }
    if between > links.inter_node.get() {
        links.inter_node = engine::units::BytesPerSecond::new(rounded(between, DIGITS));
    }
    raised
}

/// Minimizes the error over one parameter by multiplicative steps that shrink.
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
            // Changes within rounding are no progress.
            if error >= best * (1.0 - 1e-6) {
                break;
            }
            (best, *scenario) = (error, changed);
        }
        step /= 2.0;
    }
}

fn describe_fit(points: &[Point], scenario: &Scenario, fitted: &Scenario) -> Fitted {
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
        "{} points: the error of the times is {} with fitted links, {} before, and {} at worst.",
        points.len(),
        percent(errors.1),
        percent(errors.0),
        percent(worst)
    );
    Fitted { changes, link: links::encode(fitted), errors, worst, points: points.iter().map(of).collect(), sentence }
}

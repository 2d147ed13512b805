//! Speed, memory or cost against one parameter: one curve per strategy.

use super::axes::{self, AxisOf};
use super::bound;
use super::metric::Metric;
use super::scratch::Scratch;
use crate::layout;
use crate::names;
use crate::spec::{ChartSpec, LineRole, Polyline};
use crate::zoom::VisibleRange;
use analysis::boundary::zero_between;
use analysis::network;
use analysis::refine::Node;
use analysis::sweep::{self, Sample};
use engine::format;
use engine::model::report::Limiter;
use engine::params::ParamId;
use engine::scenario::{Scenario, Strategy};
use engine::units::Bytes;

/// Number of points along the axis.
pub(super) const POINTS: usize = 97;
/// Largest relative error of interpolation while a slider moves: below three significant digits.
const NEAR: f64 = 0.001;
/// Curves closer than this relative distance are drawn as one.
const SAME: f64 = 1e-9;
/// Name of the line of the GPU's capacity.
const CAPACITY: &str = "GPU memory";

/// Returns a metric against a numeric parameter (see [`super::axes_of`]): one curve per strategy,
/// the scenario's own heavier, with the bound of section 8 if `bounds` is set.
pub fn mfu_curve(scenario: &Scenario, x: ParamId, metric: Metric, bounds: bool, scratch: &mut Scratch) -> ChartSpec {
    curve_within(scenario, (x, None), metric, bounds, scratch)
}

/// Returns the figure of [`mfu_curve`] over a part of the axis, if one is given, with an equal
/// number of points.
pub fn curve_within(
    scenario: &Scenario,
    (x_id, part): (ParamId, Option<VisibleRange>),
    metric: Metric,
    bounds: bool,
    scratch: &mut Scratch,
) -> ChartSpec {
    let of_run = metric.is_of_run();
    let Some(x) = axes::axis(scenario, x_id, of_run).or_else(|| axes::axis(scenario, ParamId::SequenceLength, of_run))
    else {
        return ChartSpec::empty();
    };
    let x = x.narrowed(x_id, part);
    axes::settled_positions(&x.axis, POINTS, &mut scratch.xs);
    let mut lines: Vec<Polyline> = Vec::with_capacity(Strategy::ALL.len() + 1);
    for (place, strategy) in Strategy::ALL.into_iter().enumerate() {
        let own = strategy == scenario.strategy;
        // ZeRO-1 in groups nearly coincides with ZeRO-1, so it is only drawn if it is the
        // scenario's strategy.
        if strategy == Strategy::Zero1Group && !own {
            continue;
        }
        let moved = Scenario { strategy, ..*scenario };
        let mut line = curve(&moved, &x, metric, own, scratch);
        // Tables print the scenario itself; between two nodes the line is only near it.
        let here = sweep::sample(&moved);
        line.insert((x.own(scenario), metric.value(&here, &moved)), here.fits());
        line.name = names::strategy(place).to_string();
        line.band = (own && !line.segments.is_empty()).then(|| metric.band(scenario)).flatten();
        line.role = if own { LineRole::Current(place) } else { LineRole::Strategy(place) };
        lines.push(line);
    }
    mark_coinciding(&mut lines);
    if bounds && metric.rises() && bound::holds(scenario) {
        lines.extend(bound::fastest(scenario, &x, metric, POINTS));
    }
    let now = sweep::sample(scenario);
    let y = metric.axis(&lines, now.capacity.gib());
    if metric == Metric::Needed {
        lines.push(capacity(scenario, &x, scratch));
    }
    let quantity = metric.quantity();
    let here = (x.own(scenario), metric.value(&now, scenario));
    ChartSpec {
        title: format!("{} against {}", quantity.label, names::in_sentence(x.param.label)),
        caption: caption(scenario, metric, &now, &lines, &x),
        field: None,
        lanes: None,
        falls: None,
        course: None,
        lines,
        marks: Vec::new(),
        zones: Vec::new(),
        here: (x.shows(here.0) && (y.min..=y.max).contains(&here.1)).then_some(here),
        pins: Vec::new(),
        y,
        value: quantity,
        x: x.axis,
    }
}

/// Returns the line of the GPU's capacity, for figures of memory.
fn capacity(scenario: &Scenario, x: &AxisOf, scratch: &Scratch) -> Polyline {
    let has = |value: &f64| {
        let mut moved = *scenario;
        sweep::assign(&mut moved, x.number, *value);
        (*value, moved.accelerator.values.usable_memory().gib())
    };
    Polyline::new(CAPACITY, LineRole::MemoryFrontier, vec![scratch.xs.iter().map(has).collect()])
}

/// A point of a curve.
#[derive(Clone, Copy, Debug)]
struct Point {
    height: f64,
    slack: f64,
    limiter: Limiter,
}

impl Point {
    fn fits(&self) -> bool {
        self.slack >= 0.0
    }
}

impl Node for Point {
    fn is_beside(&self, other: &Self) -> bool {
        self.fits() == other.fits() && self.limiter == other.limiter
    }

    fn is_near(&self, guess: &Self, _: [&Self; 2]) -> bool {
        (self.height - guess.height).abs() <= NEAR * self.height
    }

    fn blend(&self, other: &Self, share: f64) -> Self {
        Self { height: self.height.blend(&other.height, share), slack: self.slack.blend(&other.slack, share), ..*self }
    }
}

/// Evaluates one strategy's curve: the feasible pieces, and those that would hold if memory were no
/// limit. The caption quotes the scenario's own curve, so that one always has every point.
pub(super) fn curve(scenario: &Scenario, x: &AxisOf, metric: Metric, own: bool, scratch: &Scratch) -> Polyline {
    let points = scratch.points(own, &mut |place| {
        let value = scratch.xs.get(place).copied().unwrap_or(x.axis.min);
        let sample = sweep::sample_at(scenario, x.number, value);
        Point {
            height: metric.at(&sample, scenario, x.number, value),
            slack: sample.slack(),
            limiter: sample.time_limiter,
        }
    });
    let mut line = Polyline::new("", LineRole::Bound, Vec::new());
    let mut piece: Vec<(f64, f64)> = Vec::new();
    let mut last: Option<(f64, &Point)> = None;
    for (&value, point) in scratch.xs.iter().zip(&points) {
        // The cost of a run that makes no progress is infinite.
        if !point.height.is_finite() {
            line.push(core::mem::take(&mut piece), last.is_some_and(|(_, before)| before.fits()));
            last = None;
            continue;
        }
        if let Some((from, before)) = last
            && before.fits() != point.fits()
        {
            let share = zero_between(before.slack, point.slack);
            let (start, end) = (layout::share(&x.axis, from), layout::share(&x.axis, value));
            let place = layout::value(&x.axis, start + share * (end - start));
            let height = if x.is_whole() {
                // There is nothing to evaluate between whole numbers.
                before.height + share * (point.height - before.height)
            } else {
                metric.at(&sweep::sample_at(scenario, x.number, place), scenario, x.number, place)
            };
            piece.push((place, height));
            line.push(core::mem::replace(&mut piece, vec![(place, height)]), before.fits());
        }
        piece.push((value, point.height));
        last = Some((value, point));
    }
    line.push(piece, last.is_some_and(|(_, point)| point.fits()));
    line
}

/// Marks curves that coincide with another; of these the scenario's own is drawn.
fn mark_coinciding(lines: &mut [Polyline]) {
    let own = lines.iter().position(|line| matches!(line.role, LineRole::Current(_)));
    for at in 0..lines.len() {
        let twin = own.into_iter().chain(0..at).find(|&other| {
            other != at
                && own != Some(at)
                && match (lines.get(other), lines.get(at)) {
                    (Some(other), Some(line)) => other.same_as.is_none() && coincide(other, line),
                    _ => false,
                }
        });
        let name = twin.and_then(|twin| lines.get(twin)).map(|line| line.name.clone());
        if let Some(line) = lines.get_mut(at) {
            line.same_as = name;
        }
    }
}

pub(super) fn coincide(one: &Polyline, other: &Polyline) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs());
    let same = |one: &Vec<Vec<(f64, f64)>>, other: &Vec<Vec<(f64, f64)>>| {
        one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| {
                one.len() == other.len() && one.iter().zip(other).all(|(a, b)| near(a.0, b.0) && near(a.1, b.1))
            })
    };
    same(&one.segments, &other.segments) && same(&one.infeasible, &other.infeasible)
}

/// Writes the caption: `FULL_SHARD reaches 43.1 % MFU here and at most 52.0 % at sequence length
/// 14.2k.`
fn caption(scenario: &Scenario, metric: Metric, now: &Sample, lines: &[Polyline], x: &AxisOf) -> String {
    let amount = |value| metric.amount(value);
    let own = lines.iter().find(|line| matches!(line.role, LineRole::Current(_)));
    let name = own.map_or("This strategy", |line| line.name.as_str());
    let points = own.into_iter().flat_map(|line| line.segments.iter().flatten());
    let best = points.copied().reduce(|best, point| {
        let better = if metric.rises() { point.1 > best.1 } else { point.1 < best.1 };
        if better { point } else { best }
    });
    let value_here = metric.value(now, scenario);
    let verb = match metric {
        Metric::Mfu | Metric::TokensPerSecond => "reaches",
        Metric::StepTime | Metric::TimeToTrain => "takes",
        Metric::Needed => "needs",
        Metric::Cost | Metric::RunCost => "costs",
    };
    // A zoomed axis may not include the scenario.
    let (place, among) =
        if x.shows(x.own(scenario)) { ("here", "") } else { ("at the scenario, outside this part,", " in it") };
    let here = if metric.is_of_run() && !value_here.is_finite() {
        format!("{name} never finishes {place}: failures leave no time to catch up")
    } else if now.fits() {
        format!("{name} {verb} {} {place}{}", amount(value_here), in_all(scenario, metric, value_here))
    } else {
        let missing = format::shortage(now.headroom(), now.odds());
        format!("{name} does not fit {place} ({missing})")
    };
    if x.param.id == ParamId::LinkBandwidth && axes::is_one_node(scenario) {
        return format!("{here}. {}", axes::ONE_NODE);
    }
    if x.param.id == ParamId::LinkBandwidth && metric.rises() && now.fits() {
        let threshold = network::limits_from(scenario).map_or(String::new(), |from| format!("; {from}"));
        return format!("{}{threshold}.", here.trim_end_matches(','));
    }
    let label = names::in_sentence(x.param.label);
    let shapes = if x.param.id == ParamId::ModelSize && axes::is_named(scenario) {
        axes::shapes(scenario)
    } else {
        String::new()
    };
    let (most, least) = if metric.rises() { ("at most", "highest") } else { ("at least", "lowest") };
    match best {
        Some((_, value)) if now.fits() && amount(value) == amount(value_here) => {
            format!("{here}, its {least} on this axis.{shapes}")
        }
        Some((at, value)) => {
            let at = format::value(x.number.unit, x.axis.settled(at));
            let at = match x.param.id {
                ParamId::Gpus => format!("on {at} GPUs"),
                id @ (ParamId::Experts | ParamId::TopK | ParamId::Ep) => {
                    format!("with {}", axes::write_expert_value(id, &at))
                }
                _ => format!("at {label} {at}"),
            };
            format!("{here} and {most} {}{among} where it fits, {at}.{shapes}", amount(value))
        }
        None if scenario.strategy == Strategy::Ddp => {
            format!("{here}; nothing on this axis does without sharding.{shapes}")
        }
        None => format!("{here} and nowhere on this axis.{shapes}"),
    }
}

/// Adds the total: the cost of the whole run, or the fraction of the GPU's memory.
fn in_all(scenario: &Scenario, metric: Metric, value: f64) -> String {
    match metric {
        Metric::Cost => {
            let tokens = format::params(scenario.train_tokens());
            format!(" ({} for {tokens})", format::dollars(scenario.run_report().cost.get()))
        }
        Metric::TimeToTrain | Metric::RunCost => format!(" for {} tokens", format::params(scenario.train_tokens())),
        Metric::Needed => {
            let gpu = scenario.accelerator.values;
            let share = Bytes::from_gib(value) / gpu.usable_memory();
            format!(" ({} of {})", format::percent(share), format::usable(gpu.usable_memory(), gpu.memory))
        }
        Metric::Mfu | Metric::TokensPerSecond | Metric::StepTime => String::new(),
    }
}

//! Speed, memory or cost against one parameter: the scenario's own curve, the best layout at each
//! place, and the closed-form bound.

use super::axes::{self, AxisOf, POINTS};
use super::metric::Metric;
use super::region::BOUND;
use super::scratch::Scratch;
use super::{best_layout, bound};
use crate::layout;
use crate::names;
use crate::spec::{ChartSpec, LineRole, Polyline, Zone, ZoneKind};
use crate::zoom::VisibleRange;
use analysis::boundary::zero_between;
use analysis::network::{self, Enough, limited_by_link, unlimited};
use analysis::refine::Node;
use analysis::sweep::{self, Sample};
use engine::format;
use engine::model::report::Limiter;
use engine::params::ParamId;
use engine::rounding;
use engine::scenario::{Scenario, Strategy};
use engine::units::Bytes;

/// Largest relative error of interpolation while a slider moves: below three significant digits.
const NEAR: f64 = 0.001;
/// Curves closer than this relative distance are drawn as one.
const SAME: f64 = 1e-9;
/// Name of the line of the GPU's capacity.
const CAPACITY: &str = "GPU memory";

/// Returns a metric against a numeric parameter (see [`super::axes_of`]): the scenario's own curve,
/// for speeds the best layout at each place, and the bound of section 8 if `bounds` is set.
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
    let now = sweep::sample(scenario);
    let here = (x.own(scenario), metric.value(&now, scenario));
    let mut lines = vec![own_curve(scenario, &x, metric, here, &now, scratch)];
    if best_layout::holds(metric) {
        best_layout::know(scenario, scratch);
        if let Some(mut line) = best_layout::line(scenario, &x, metric, scratch) {
            best_layout::meet(&mut line, scenario, &x, metric, scratch);
            lines.push(line);
        }
    }
    if bounds && metric.rises() && bound::holds(scenario) {
        lines.extend(bound::fastest(scenario, &x, metric, POINTS));
    }
    let y = metric.axis(&lines, now.capacity.gib());
    if metric == Metric::Needed {
        lines.push(capacity(scenario, &x, scratch));
    }
    let quantity = metric.quantity();
    let mut caption = caption(scenario, metric, &now, &lines, &x);
    if best_layout::holds(metric) {
        caption += &best_layout::write_doubled(scenario, metric, scratch);
    }
    if let Some(from) = threshold(scenario, metric, &now, &x) {
        caption.extend([" ", &from, "."]);
    }
    ChartSpec {
        title: format!("{} against {}", quantity.label, names::in_sentence(x.param.label)),
        caption,
        field: None,
        lanes: None,
        falls: None,
        course: None,
        zones: zones(scenario, &x, metric, &lines),
        lines,
        marks: Vec::new(),
        here: (x.shows(here.0) && (y.min..=y.max).contains(&here.1)).then_some(here),
        pins: Vec::new(),
        y,
        value: quantity,
        x: x.axis,
    }
}

/// Returns the scenario's own curve, through the scenario itself, with its range of measurements.
fn own_curve(
    scenario: &Scenario,
    x: &AxisOf,
    metric: Metric,
    here: (f64, f64),
    now: &Sample,
    scratch: &Scratch,
) -> Polyline {
    let place = Strategy::ALL.iter().position(|&strategy| strategy == scenario.strategy).unwrap_or_default();
    let mut line = curve(scenario, x, metric, true, scratch);
    // Tables print the scenario itself; between two nodes the line is only near it.
    line.insert(here, now.fits());
    line.name = names::strategy(place).to_string();
    line.band = if line.segments.is_empty() { None } else { metric.band(scenario) };
    line.role = LineRole::Current(place);
    line
}

/// Returns the parts of the axis: where the run does not fit, and over a link's bandwidth or the
/// memory up to where they limit.
fn zones(scenario: &Scenario, x: &AxisOf, metric: Metric, lines: &[Polyline]) -> Vec<Zone> {
    let (min, max) = (x.axis.min, x.axis.max);
    let zone = |kind, name: &str, reason: String, (from, to): (f64, f64)| {
        let span = (from.max(min), to.min(max));
        (span.0 < span.1).then(|| Zone { kind, name: name.to_string(), reason, span: Some(span) })
    };
    let own = lines.iter().filter(|line| line.role.is_own());
    let misses = own.flat_map(|line| &line.infeasible).filter_map(|piece| Some((piece.first()?.0, piece.last()?.0)));
    let mut zones: Vec<Zone> =
        misses.filter_map(|span| zone(ZoneKind::DoesNotFit, "yours does not fit", String::new(), span)).collect();
    if !metric.rises() {
        return zones;
    }
    let unit = x.number.unit;
    match x.param.id {
        ParamId::LinkBandwidth if !axes::is_one_node(scenario) => {
            let fast = Sample::from_report(&unlimited(scenario).report());
            let then = limited_by_link(fast, &fast).time_limiter;
            let name =
                BOUND.iter().find(|(limiter, _)| *limiter == then).map_or("bound inside nodes", |(_, name)| name);
            let (from, reason) = match network::enough_for(scenario) {
                Enough::Always => (min, String::new()),
                Enough::From(from) => (from, format!("from {}", format::value(unit, rounding::up(from)))),
                Enough::Never => (max, String::new()),
            };
            // What does not fit on a link does not fit on any.
            if zones.is_empty() {
                zones.extend(zone(ZoneKind::NetworkBound, "network-bound", String::new(), (min, from)));
                zones.extend(zone(ZoneKind::ComputeBound, name, reason, (from, max)));
            }
        }
        ParamId::GpuMemory => {
            let best = lines.iter().find(|line| line.role == LineRole::Best);
            let start = best.and_then(|line| line.segments.first()?.first()).map_or(max, |point| point.0);
            if let Some(enough) = best.and_then(best_layout::enough_memory) {
                let reason = format!("up to {}", format::value(unit, rounding::up(enough)));
                let free = zones.iter().filter_map(|zone| zone.span).fold(start, |free, (_, to)| free.max(to));
                zones.extend(zone(ZoneKind::MemoryBound, "memory limits", reason, (free, enough)));
            }
        }
        _ => {}
    }
    zones
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
    if is_bounded_by_link(metric, now, x) {
        return format!("{}.", here.trim_end_matches(','));
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

/// Whether the caption says from which link on the network does not limit.
fn is_bounded_by_link(metric: Metric, now: &Sample, x: &AxisOf) -> bool {
    x.param.id == ParamId::LinkBandwidth && metric.rises() && now.fits()
}

/// Writes from which link on the network does not limit, after what matters more.
fn threshold(scenario: &Scenario, metric: Metric, now: &Sample, x: &AxisOf) -> Option<String> {
    let from = network::limits_from(scenario).filter(|_| is_bounded_by_link(metric, now, x))?;
    let mut letters = from.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect())
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

//! Speed against one parameter: one curve a strategy.

use super::axes::{self, AxisOf};
use super::bound;
use super::region::PERCENT;
use super::scratch::Scratch;
use crate::catalog::accuracy;
use crate::chart::spec::{Axis, ChartSpec, Grain, Line, LineRole, Quantity};
use crate::chart::zoom::Part;
use crate::chart::{format, names};
use crate::params::{Scale, Unit};
use crate::plan::boundary::zero_between;
use crate::plan::sweep::{self, Sample};
use crate::scenario::{Scenario, Strategy};

/// Points along the axis.
const POINTS: usize = 97;
/// Curves closer than this share of their value are one stroke.
const SAME: f64 = 1e-9;

/// What the vertical axis shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// Model FLOPs utilisation.
    #[default]
    Mfu,
    /// Tokens per second and GPU.
    TokensPerSecond,
}

impl Metric {
    /// Its name and unit.
    pub const fn quantity(self) -> Quantity {
        match self {
            Self::Mfu => Quantity { label: "MFU", unit: Unit::Percent },
            Self::TokensPerSecond => Quantity { label: "Tokens per second per GPU", unit: Unit::None },
        }
    }

    pub(super) fn of(self, sample: &Sample) -> f64 {
        match self {
            Self::Mfu => PERCENT * sample.mfu,
            Self::TokensPerSecond => sample.tokens_per_s_per_gpu,
        }
    }
}

/// MFU or throughput against a numeric parameter (see [`super::AXES`]), one curve a strategy, the scenario's own heavier,
/// with the bound of section 8 where `bounds` says so.
pub fn mfu_curve(scenario: &Scenario, x_key: &str, metric: Metric, bounds: bool, scratch: &mut Scratch) -> ChartSpec {
    curve_within(scenario, (x_key, None), metric, bounds, scratch)
}

/// The same over a part of the axis, where one is given: as fine as the whole.
pub fn curve_within(
    scenario: &Scenario,
    (x_key, part): (&str, Option<Part>),
    metric: Metric,
    bounds: bool,
    scratch: &mut Scratch,
) -> ChartSpec {
    let Some(x) = axes::axis(scenario, x_key).or_else(|| axes::axis(scenario, "seq")) else {
        return ChartSpec::empty();
    };
    let x = x.narrowed(x_key, part);
    axes::positions(&x.axis, POINTS, &mut scratch.xs);
    let mut lines: Vec<Line> = Vec::with_capacity(Strategy::ALL.len() + 1);
    for (place, strategy) in Strategy::ALL.into_iter().enumerate() {
        let own = strategy == scenario.strategy;
        // ZeRO-1 in groups lies beside ZeRO-1 nearly everywhere: it is drawn where it is chosen.
        if strategy == Strategy::Zero1Group && !own {
            continue;
        }
        let moved = Scenario { strategy, ..*scenario };
        let mut line = curve(&moved, &x, metric, scratch);
        line.name = names::strategy(place).to_string();
        line.band = (own && !line.segments.is_empty()).then(|| {
            let time = accuracy::step_time(scenario);
            (1.0 / time.high, 1.0 / time.low)
        });
        line.role = if own { LineRole::Current(place) } else { LineRole::Strategy(place) };
        lines.push(line);
    }
    mark_coinciding(&mut lines);
    if bounds && bound::holds(scenario) {
        lines.extend(bound::fastest(scenario, &x, metric, POINTS));
    }
    let top = ceiling(metric, &lines);
    let now = sweep::sample(scenario);
    let quantity = metric.quantity();
    let here = (x.own(scenario), metric.of(&now));
    ChartSpec {
        title: format!("{} against {}", quantity.label, names::in_sentence(x.param.label)),
        caption: caption(scenario, metric, &now, &lines, &x),
        y: Axis {
            label: quantity.label.into(),
            unit: quantity.unit,
            scale: Scale::Linear,
            min: 0.0,
            max: top,
            key: None,
            grain: Grain::Digits,
            own: None,
        },
        field: None,
        lanes: None,
        lines,
        marks: Vec::new(),
        zones: Vec::new(),
        here: (x.shows(here.0) && here.1 <= top).then_some(here),
        value: quantity,
        x: x.axis,
    }
}

/// One strategy's curve: what fits, and what would hold if memory were no limit.
fn curve(scenario: &Scenario, x: &AxisOf, metric: Metric, scratch: &mut Scratch) -> Line {
    sweep::line(scenario, x.number, &scratch.xs, &mut scratch.samples);
    let mut line = Line::new("", LineRole::Bound, Vec::new());
    let mut piece: Vec<(f64, f64)> = Vec::new();
    let mut last: Option<&Sample> = None;
    for (at, (&value, sample)) in scratch.xs.iter().zip(&scratch.samples).enumerate() {
        if let Some(before) = last
            && before.fits() != sample.fits()
        {
            let share = zero_between(before.slack(), sample.slack());
            let edge = x.at_node(at as f64 - 1.0 + share, scratch.xs.len());
            let edge = (edge, metric.of(&sweep::sample_at(scenario, x.number, edge)));
            piece.push(edge);
            line.push(core::mem::replace(&mut piece, vec![edge]), before.fits());
        }
        piece.push((value, metric.of(sample)));
        last = Some(sample);
    }
    line.push(piece, last.is_some_and(Sample::fits));
    line
}

/// Curves that lie on another are named as such: the scenario's own is the one that is drawn.
fn mark_coinciding(lines: &mut [Line]) {
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

fn coincide(one: &Line, other: &Line) -> bool {
    let near = |a: f64, b: f64| (a - b).abs() <= SAME * a.abs().max(b.abs());
    let same = |one: &Vec<Vec<(f64, f64)>>, other: &Vec<Vec<(f64, f64)>>| {
        one.len() == other.len()
            && one.iter().zip(other).all(|(one, other)| {
                one.len() == other.len() && one.iter().zip(other).all(|(a, b)| near(a.0, b.0) && near(a.1, b.1))
            })
    };
    same(&one.segments, &other.segments) && same(&one.infeasible, &other.infeasible)
}

/// The end of the vertical axis: a round number above every curve.
fn ceiling(metric: Metric, lines: &[Line]) -> f64 {
    let of_line = |line: &Line| {
        let points =
            |pieces: &[Vec<(f64, f64)>]| pieces.iter().flatten().fold(0.0_f64, |most, point| most.max(point.1));
        let banded = line.band.map_or(0.0, |band| band.1 * points(&line.segments));
        banded.max(points(&line.segments)).max(points(&line.infeasible))
    };
    let most = lines.iter().map(of_line).fold(0.0_f64, f64::max);
    let step = match metric {
        Metric::Mfu => 10.0,
        Metric::TokensPerSecond => {
            let mut step = 0.5;
            while most > 10.0 * step {
                step *= 2.0;
            }
            step
        }
    };
    ((most / step).ceil() * step).max(step)
}

/// `FULL_SHARD reaches 43.1 % MFU here and at most 52.0 % at sequence length 14.2k.`
fn caption(scenario: &Scenario, metric: Metric, now: &Sample, lines: &[Line], x: &AxisOf) -> String {
    let quantity = metric.quantity();
    let unit_name = if metric == Metric::Mfu { " MFU" } else { " tokens/s per GPU" };
    let amount = |value| format!("{}{unit_name}", format::value(quantity.unit, value));
    let own = lines.iter().find(|line| matches!(line.role, LineRole::Current(_)));
    let name = own.map_or("This strategy", |line| line.name.as_str());
    let points = own.into_iter().flat_map(|line| line.segments.iter().flatten());
    let best = points.copied().reduce(|best, point| if point.1 > best.1 { point } else { best });
    // A part of the axis may leave the scenario out.
    let (place, among) =
        if x.shows(x.own(scenario)) { ("here", "") } else { ("at the scenario, outside this part,", " in it") };
    let here = if now.fits() {
        format!("{name} reaches {} {place}", amount(metric.of(now)))
    } else {
        let missing = format::bytes(-now.free());
        format!("{name} does not fit {place} (by {missing})")
    };
    if x.param.key == "link" && axes::is_one_node(scenario) {
        return format!("{here}. {}", axes::ONE_NODE);
    }
    let label = names::in_sentence(x.param.label);
    let shapes = if x.param.key == "size" && axes::is_named(scenario) {
        axes::shapes(scenario, "curves show")
    } else {
        String::new()
    };
    match best {
        Some((_, value)) if now.fits() && amount(value) == amount(metric.of(now)) => {
            format!("{here}, its highest on this axis.{shapes}")
        }
        Some((at, value)) => {
            let at = format::value(x.number.unit, x.axis.settled(at));
            let at = match x.param.key {
                "gpus" => format!("on {at} GPUs"),
                key @ ("experts" | "topk" | "ep") => format!("with {}", axes::of_experts(key, &at)),
                _ => format!("at {label} {at}"),
            };
            format!("{here} and at most {}{among} where it fits, {at}.{shapes}", amount(value))
        }
        None if scenario.strategy == Strategy::Ddp => {
            format!("{here}; nothing on this axis does without sharding.{shapes}")
        }
        None => format!("{here} and nowhere on this axis.{shapes}"),
    }
}

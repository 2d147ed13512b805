//! The best layout at each place of a curve: what the run could reach if it were laid out anew, by
//! the search of layouts that the whole calculator uses.

use super::axes::{self, AxisOf, POINTS};
use super::metric::{Metric, PERCENT};
use super::scratch::{DrawnLine, KnownLayouts, Scratch};
use crate::spec::{LineRole, Polyline};
use analysis::layout_pool::{LayoutPool, Tried, best};
use analysis::network::{NEARLY_ALL, with_link};
use analysis::sweep;
use engine::format;
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::units::Bytes;

/// Name of the line.
pub(super) const NAME: &str = "best layout";
/// One of this many places of a curve is searched, at rest and while a slider moves.
const EVERY: (usize, usize) = (3, 8);
/// Layouts beyond which a pool is found anew instead of learning more.
const MOST: usize = 160;
/// Gain in percentage points, and in percent, below which nothing is gained.
const NOTHING: f64 = 0.05;

/// Whether a metric has the line: those of speed.
pub(super) fn holds(metric: Metric) -> bool {
    metric.rises()
}

/// Finds the layouts of a scenario. While a slider moves, those that are known have to do: memory
/// and links decide only which of them is the best, and other sliders move them along.
pub(super) fn know(scenario: &Scenario, scratch: &mut Scratch) {
    let of = anywhere(scenario);
    let is_of = |known: &KnownLayouts| known.around.first().is_some_and(|one| anywhere(one) == of);
    let is_known = scratch.known.as_ref().is_some_and(is_of);
    if scratch.searches_nothing() || scratch.known.as_ref().is_some_and(|known| known.around.contains(scenario)) {
        return;
    }
    match scratch.known.as_mut().filter(|known| is_known && known.pool.len() < MOST) {
        Some(known) => {
            known.pool.learn(scenario);
            known.around.push(*scenario);
        }
        None => {
            scratch.known = Some(KnownLayouts { pool: LayoutPool::find(scenario), around: vec![*scenario] });
        }
    }
}

/// Returns the scenario without its memory and its link.
fn anywhere(scenario: &Scenario) -> Scenario {
    let mut anywhere = *scenario;
    for number in [ParamId::GpuMemory, ParamId::LinkBandwidth].into_iter().filter_map(ParamId::number) {
        (number.set)(&mut anywhere, number.min);
    }
    anywhere
}

/// Returns the best layout of a scenario, of those known.
fn best_of(scenario: &Scenario, scratch: &Scratch) -> Option<Tried> {
    let tried = scratch.known.as_ref()?.pool.evaluate(scenario);
    best(&tried, scenario.accelerator.values.usable_memory()).copied()
}

/// Returns the line of the best layout at each place of an axis.
pub(super) fn line(scenario: &Scenario, x: &AxisOf, metric: Metric, scratch: &mut Scratch) -> Option<Polyline> {
    let mut of = *scenario;
    sweep::assign(&mut of, x.number, x.number.min);
    let layouts = scratch.known.as_ref()?.pool.len();
    let same = scratch.best_line.as_ref().filter(|last| {
        last.of == of
            && last.axis == x.axis
            && last.metric == metric
            && last.layouts == layouts
            && (scratch.is_moving() || !last.moving)
    });
    if let Some(last) = same {
        return Some(last.line.clone());
    }
    let by_memory = x.param.id == ParamId::GpuMemory && !scenario.objective.task.generates();
    let pieces =
        if by_memory { over_memory(scenario, x, metric, scratch) } else { along(scenario, x, metric, scratch) };
    let line = Polyline::new(NAME, LineRole::Best, pieces);
    let moving = scratch.is_moving();
    scratch.best_line = Some(DrawnLine { of, axis: x.axis.clone(), metric, layouts, moving, line: line.clone() });
    Some(line)
}

/// Evaluates the layouts at places along an axis.
fn along(scenario: &Scenario, x: &AxisOf, metric: Metric, scratch: &Scratch) -> Vec<Vec<(f64, f64)>> {
    let mut places = Vec::new();
    let every = if scratch.is_moving() { EVERY.1 } else { EVERY.0 };
    axes::settled_positions(&x.axis, POINTS / every + 1, &mut places);
    let mut pieces = vec![Vec::new()];
    for value in places {
        let mut moved = *scenario;
        sweep::assign(&mut moved, x.number, value);
        match (best_of(&moved, scratch), pieces.last_mut()) {
            (Some(best), Some(piece)) => {
                let value = (value, metric.value(&best.sample, &moved));
                piece.push(value);
            }
            _ => pieces.push(Vec::new()),
        }
    }
    pieces.retain(|piece| piece.len() > 1);
    pieces
}

/// Evaluates the layouts once: memory decides only which of them fit, so that the best is another
/// one from the memory on that one fits, or fits surely.
fn over_memory(scenario: &Scenario, x: &AxisOf, metric: Metric, scratch: &Scratch) -> Vec<Vec<(f64, f64)>> {
    let tried = scratch.known.as_ref().map(|known| known.pool.evaluate(scenario)).unwrap_or_default();
    let gpu = scenario.accelerator.values;
    let (usable, nominal) = (gpu.usable_memory() / gpu.memory, gpu.memory / gpu.usable_memory());
    let mut steps: Vec<f64> =
        tried.iter().flat_map(|one| [one.fits_from, one.sure_from]).map(|from| from.gib() * nominal).collect();
    steps.retain(|&step| x.axis.min < step && step < x.axis.max);
    steps.sort_unstable_by(f64::total_cmp);
    // A layout that fits stays possible with more memory, also where the search prefers one with
    // fewer savers or better odds.
    let mut highest = 0.0_f64;
    let mut height = |gib: f64| {
        let found = best(&tried, Bytes::from_gib(gib * usable))?;
        highest = highest.max(metric.value(&found.sample, scenario));
        Some(highest)
    };
    let mut piece: Vec<(f64, f64)> = Vec::new();
    let ends = [x.axis.min].into_iter().chain(steps).chain([x.axis.max]);
    for at in ends {
        // The step itself counts as above it, whatever the last bit says.
        let Some(height) = height(at * (1.0 + f64::EPSILON * 8.0)) else { continue };
        match piece.last().copied() {
            Some((_, before)) if before == height => {}
            Some((_, before)) => piece.extend([(at, before), (at, height)]),
            None => piece.push((at, height)),
        }
    }
    if let Some(&(_, height)) = piece.last() {
        piece.push((x.axis.max, height));
    }
    vec![piece].into_iter().filter(|piece| piece.len() > 1).collect()
}

/// Returns the memory in GiB from which the line is within one percent of its end.
pub(super) fn enough_memory(line: &Polyline) -> Option<f64> {
    let piece = line.segments.last()?;
    let most = piece.last()?.1;
    piece.iter().find(|point| point.1 >= NEARLY_ALL * most).map(|point| point.0)
}

/// Writes what the best layout reaches, and what twice the memory and twice the links would give:
/// ` Best layout: 52.7 %. Twice the memory: +6.1 points; twice the links: +2.0 points.`
pub(super) fn write_doubled(scenario: &Scenario, metric: Metric, scratch: &Scratch) -> String {
    if scratch.known.is_none() {
        return String::new();
    }
    let value = |scenario: &Scenario| best_of(scenario, scratch).map(|best| metric.value(&best.sample, scenario));
    let mut larger = *scenario;
    larger.accelerator.values.memory *= 2.0;
    let faster = with_link(scenario, scenario.network.values.inter_node * 2.0);
    let gain = |from: f64, to: Option<f64>| {
        let gain = match metric {
            Metric::Mfu => to? - from,
            _ => PERCENT * (to? / from - 1.0),
        };
        Some(match (gain >= NOTHING, metric) {
            (false, _) => "nothing".to_owned(),
            (true, Metric::Mfu) => format!("+{gain:.1} points"),
            (true, _) => format!("+{gain:.1}{}%", format::THIN_SPACE),
        })
    };
    let Some(now) = value(scenario) else {
        return match value(&larger) {
            Some(then) => format!(" No layout fits; with twice the memory the best reaches {}.", metric.amount(then)),
            None => " No layout fits, nor with twice the memory.".to_owned(),
        };
    };
    let by_memory = gain(now, value(&larger)).map(|gain| format!("Twice the memory: {gain}"));
    let by_link = gain(now, value(&faster))
        .filter(|_| !axes::is_one_node(scenario))
        .map(|gain| format!("twice the links: {gain}"));
    let both: Vec<String> = by_memory.into_iter().chain(by_link).collect();
    format!(" Best layout: {}. {}.", metric.amount(now), both.join("; "))
}

/// Lets the line pass through what the search finds for the scenario itself, unless a layout for
/// less memory is faster.
pub(super) fn meet(line: &mut Polyline, scenario: &Scenario, x: &AxisOf, metric: Metric, scratch: &Scratch) {
    let own = x.own(scenario);
    if let Some(best) = best_of(scenario, scratch) {
        let value = metric.value(&best.sample, scenario);
        line.insert((own, line.at(own).map_or(value, |(there, _)| value.max(there))), true);
    }
}

//! Days against price: every run of a plan as a mark, and a line through the runs of the Pareto
//! front.

use crate::names;
use crate::spec::{Axis, ChartSpec, Grain, LineRole, Mark, Polyline, Quantity};
use analysis::plan::{FastestLayout, Hardware, Plan, Question, SearchKind};
use analysis::published::Set;
use catalog::accelerators::prices;
use engine::format;
use engine::params::{Scale, Unit};
use engine::scenario::Scenario;

/// Room around the marks, as a factor.
const ROOM: f64 = 1.3;
/// Runs that cost or take more than this multiple of the least are not drawn.
const FAR: f64 = 100.0;
/// Ends of the axes if there is no run.
const NOTHING: (f64, f64) = (1.0, 100.0);

/// Names a place of a plan: `DGX H100, 64 GPUs`.
fn name(plan: &Plan, found: &FastestLayout) -> String {
    let cluster = plan.hardware().get(found.hardware).map_or(String::new(), Hardware::name);
    format!("{cluster}, {}, {}", format::gpus(found.scenario.gpus), names::layout(&found.scenario))
}

/// Returns the figure and the run of each of its marks, by its place in [`Plan::found`]; `own` is
/// the scenario on screen. The deadline or the budget of the question is a line.
pub fn plan_front(plan: &Plan, own: &Scenario, question: Option<Question>) -> (ChartSpec, Vec<usize>) {
    let front: Vec<(f64, f64)> = plan.front().into_iter().map(|found| (found.days(), found.dollars())).collect();
    let runs = || plan.found().iter().enumerate().filter(|(_, found)| plan.has_price(found));
    let least = |of: fn(&FastestLayout) -> f64| runs().map(|(_, found)| of(found)).fold(f64::INFINITY, f64::min);
    let (days, dollars) = (least(FastestLayout::days), least(FastestLayout::dollars));
    let slowest = front.last().map_or(0.0, |last| last.0);
    let is_near = |found: &FastestLayout| found.dollars() <= FAR * dollars && found.days() <= slowest.max(FAR * days);
    let (mut marks, mut places) = (Vec::new(), Vec::new());
    let (mut across, mut up) = ((f64::INFINITY, 0.0), (f64::INFINITY, 0.0));
    let widen = |ends: &mut (f64, f64), value: f64| *ends = (ends.0.min(value), ends.1.max(value));
    for (place, found) in runs().filter(|(_, found)| is_near(found)) {
        let at = (found.days(), found.dollars());
        let role = LineRole::Set(if front.contains(&at) { Set::Fast as usize } else { Set::Slow as usize });
        widen(&mut across, at.0);
        widen(&mut up, at.1);
        marks.push(Mark::new(&name(plan, found), role, at, 1e2 * found.report.whole().mfu));
        places.push(place);
    }
    let here = own_place(own).filter(|(days, dollars)| days.is_finite() && dollars.is_finite());
    if let Some((days, dollars)) = here {
        widen(&mut across, days);
        widen(&mut up, dollars);
    }
    let axis = |label: &str, unit: Unit, (low, high): (f64, f64)| {
        let (min, max) = if low > 0.0 && high.is_finite() && high > 0.0 { (low / ROOM, high * ROOM) } else { NOTHING };
        Axis { label: label.into(), unit, scale: Scale::Log, min, max, key: None, grain: Grain::Digits, own: None }
    };
    let (x, y) = (axis("Time to train", Unit::Days, across), axis("Cost", Unit::Dollars, up));
    let mut lines = vec![Polyline::new("Pareto front", LineRole::Equal, pieces(&front))];
    lines.extend(question.and_then(|question| limit(question, &x, &y)));
    let spec = ChartSpec {
        title: "Days against price".into(),
        caption: caption(plan),
        x,
        y,
        lines,
        marks,
        here,
        value: Quantity { label: "MFU", unit: Unit::Percent },
        ..ChartSpec::empty()
    };
    (spec, places)
}

/// Returns the line of a deadline or a budget, if the line is within the axes.
fn limit(question: Question, x: &Axis, y: &Axis) -> Option<Polyline> {
    let (name, value, axis) = match question {
        Question::Cheapest { days } => ("deadline", days, x),
        Question::Fastest { dollars } => ("budget", dollars, y),
        _ => return None,
    };
    let ends = if matches!(question, Question::Cheapest { .. }) {
        [(value, y.min), (value, y.max)]
    } else {
        [(x.min, value), (x.max, value)]
    };
    let is_in_sight = value > axis.min && value < axis.max;
    is_in_sight.then(|| Polyline::new(name, LineRole::Bound, vec![ends.to_vec()]))
}

/// Returns days and dollars of the scenario on screen, if the run fits.
fn own_place(own: &Scenario) -> Option<(f64, f64)> {
    let report = own.report();
    let run = own.run_of(&report);
    let is_known = prices::known(own).is_some();
    (report.fits() && is_known).then(|| (run.time.hours() / 24.0, run.cost.get()))
}

fn pieces(front: &[(f64, f64)]) -> Vec<Vec<(f64, f64)>> {
    if front.len() > 1 { vec![front.to_vec()] } else { Vec::new() }
}

/// Writes the finding: the two ends of the front.
fn caption(plan: &Plan) -> String {
    if plan.kind() != SearchKind::Runs {
        return String::new();
    }
    let front = plan.front();
    let (Some(fastest), Some(cheapest)) = (front.first(), front.last()) else {
        return "No run with a known price fits.".into();
    };
    let said = |found: &FastestLayout| {
        let (time, cost) = (format::duration(found.run.time), format::dollars(found.dollars()));
        format!("{} ({time}, {cost})", name(plan, found))
    };
    if front.len() == 1 {
        return format!("One run is both the fastest and the cheapest: {}.", said(fastest));
    }
    format!("From the fastest, {}, to the cheapest, {}.", said(fastest), said(cheapest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{describe, table};
    use analysis::plan::Terms;
    use links::decode;

    #[test]
    fn the_front_is_drawn_among_all_runs() {
        let own = decode("v=1&cluster=dgx-h100&model=llama-3.1-8b&gpus=64&accum=8").scenario;
        let mut plan = Plan::over(&own, SearchKind::Runs, Terms::usual(&own), vec![Hardware::own(&own)]);
        plan.advance(usize::MAX);
        let (spec, places) = plan_front(&plan, &own, Some(Question::Cheapest { days: plan.front()[0].days() * 1.5 }));
        assert_eq!(spec.lines.last().map(|line| line.segments[0].len()), Some(2));
        assert_eq!(spec.marks.len(), places.len());
        assert!(spec.here.is_some() && spec.lines[0].segments[0].len() == plan.front().len());
        for mark in &spec.marks {
            assert!((spec.x.min..=spec.x.max).contains(&mark.at.0) && (spec.y.min..=spec.y.max).contains(&mark.at.1));
        }
        for text in [spec.caption.clone(), describe::chart(&spec), table::chart(&spec).rows.concat().concat()] {
            assert!(!text.contains("NaN") && !text.is_empty(), "{text}");
        }
        assert!(spec.caption.starts_with("From the fastest, H100 SXM (yours), "), "{}", spec.caption);
        let nothing = Plan::over(&own, SearchKind::Runs, Terms::usual(&own), Vec::new());
        assert_eq!(plan_front(&nothing, &own, None).1, [0_usize; 0]);
    }
}

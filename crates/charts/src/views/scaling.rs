//! Scaling of the run: total tokens per second on fewer and more GPUs, against linear scaling.

use crate::spec::{Axis, AxisKey, ChartSpec, Grain, LineRole, Polyline, Quantity};
use analysis::scaling::{Point, Scaling, scaling};
use engine::format;
use engine::params::{ParamId, Scale, Unit};
use engine::scenario::Scenario;

/// Room above and below the lines, as a factor.
const ROOM: f64 = 1.6;

/// Returns weak and strong scaling from one replica of the model to many.
pub fn scaling_curves(scenario: &Scenario) -> ChartSpec {
    let points = scaling(scenario);
    let own = f64::from(scenario.gpus);
    let report = scenario.report();
    let speed = report.whole().tokens_per_s_per_gpu * own;
    let (first, last) = (gpus(points.weak.first()), gpus(points.weak.last()));
    let x = axis("GPUs", Unit::None, (first, if last > first { last } else { 2.0 * first }), Grain::Doublings(own));
    let ideal = |gpus: f64| (gpus, speed / own * gpus);
    let lines = vec![
        line("Weak scaling", LineRole::Weak, &points.weak),
        line("Strong scaling", LineRole::Strong, &points.strong),
        Polyline::new("Linear", LineRole::Ideal, vec![vec![ideal(x.min), ideal(own), ideal(x.max)]]),
    ];
    let (mut low, mut high) = (ideal(x.min).1, ideal(x.max).1);
    for point in points.weak.iter().chain(&points.strong) {
        (low, high) = (low.min(point.tokens_per_s), high.max(point.tokens_per_s));
    }
    let quantity = Quantity { label: "Tokens per second, all GPUs", unit: Unit::TokensPerS };
    ChartSpec {
        title: "Scaling".into(),
        caption: caption(
            own,
            &points,
            (!report.fits()).then(|| format::shortage(report.memory.headroom(), report.odds())),
        ),
        y: axis(quantity.label, quantity.unit, (low / ROOM, high * ROOM), Grain::Digits),
        lines,
        here: Some((own, speed)),
        value: quantity,
        x: Axis { key: Some(AxisKey::Param(ParamId::Gpus)), ..x },
        ..ChartSpec::empty()
    }
}

fn gpus(point: Option<&Point>) -> f64 {
    point.map_or(1.0, |point| f64::from(point.gpus))
}

fn axis(label: &str, unit: Unit, (min, max): (f64, f64), grain: Grain) -> Axis {
    let scale = if unit == Unit::None { Scale::PowersOfTwo } else { Scale::Log };
    Axis { label: label.into(), unit, scale, min, max, key: None, grain, own: None }
}

/// Converts points to a line with feasible and infeasible pieces; an infeasible piece continues to
/// the first feasible point.
fn line(name: &str, role: LineRole, points: &[Point]) -> Polyline {
    let mut line = Polyline::new(name, role, Vec::new());
    let mut piece: Vec<(f64, f64)> = Vec::new();
    let mut fitted = None;
    for point in points {
        let at = (f64::from(point.gpus), point.tokens_per_s);
        match fitted {
            Some(true) if !point.fits => {
                let last = piece.last().copied();
                line.push(core::mem::take(&mut piece), true);
                piece.extend(last);
            }
            Some(false) if point.fits => {
                piece.push(at);
                line.push(core::mem::take(&mut piece), false);
            }
            _ => {}
        }
        piece.push(at);
        fitted = Some(point.fits);
    }
    line.push(piece, fitted == Some(true));
    line
}

/// Writes the caption: `From 64 to 512 GPUs weak scaling keeps 91.4 % of linear, strong 90.8 %,
/// whose batch cannot be divided further; weak on 1,024 keeps 72.1 %. It fits on 32 GPUs or more.`
fn caption(own: f64, points: &Scaling, missing: Option<String>) -> String {
    let count = |gpus: f64| format::value(Unit::None, gpus);
    let at = |points: &[Point], gpus: f64| points.iter().copied().find(|point| f64::from(point.gpus) == gpus);
    let each = |point: Point| point.tokens_per_s / f64::from(point.gpus);
    let here = at(&points.weak, own).map_or(1.0, each);
    let kept = |point: Option<Point>| point.map_or(String::new(), |point| format::percent(each(point) / here));
    let (weak_end, strong_end) = (gpus(points.weak.last()), gpus(points.strong.last()));
    let moot = missing.map_or(String::new(), |missing| {
        format!("On {} GPUs it does not fit ({missing}). If memory were no limit: ", count(own))
    });
    let from = if moot.is_empty() { "From" } else { "from" };
    let (weak, strong) = (kept(at(&points.weak, weak_end)), kept(points.strong.last().copied()));
    let both = match (weak_end > own, strong_end > own, strong_end < weak_end) {
        (false, ..) => format!("{from} {} GPUs on, no more can be shown", count(own)),
        (_, true, true) => format!(
            "{from} {} to {} GPUs weak scaling keeps {} of linear and strong {strong}, whose batch cannot be divided further; weak \
             on {} keeps {weak}",
            count(own),
            count(strong_end),
            kept(at(&points.weak, strong_end)),
            count(weak_end)
        ),
        (_, true, false) => format!(
            "{from} {} to {} GPUs weak scaling keeps {weak} of linear, strong {strong}",
            count(own),
            count(weak_end)
        ),
        (_, false, _) => format!(
            "{from} {} to {} GPUs weak scaling keeps {weak} of linear; strong scaling ends at {}, as its batch cannot be divided further",
            count(own),
            count(weak_end),
            count(strong_end)
        ),
    };
    let fits = match (points.weak.iter().find(|point| point.fits), points.weak.first()) {
        (None, _) => " It fits on no number of GPUs shown.".to_string(),
        (Some(least), Some(first)) if least.gpus > first.gpus => {
            format!(" It fits on {} GPUs or more.", count(f64::from(least.gpus)))
        }
        _ => String::new(),
    };
    format!("{moot}{both}.{fits}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readout::readout;
    use crate::{describe, table};
    use catalog::{MODELS, default_scenario};

    fn of(spec: &ChartSpec, role: LineRole) -> &Polyline {
        spec.lines.iter().find(|line| line.role == role).unwrap()
    }

    #[test]
    fn the_lines_meet_here_and_what_does_not_fit_goes_on_dotted() {
        let scenario = Scenario { grad_accum_steps: 8, ..default_scenario() };
        let spec = scaling_curves(&scenario);
        let (own, speed) = spec.here.unwrap();
        for role in [LineRole::Weak, LineRole::Strong, LineRole::Ideal] {
            let (height, fits) = of(&spec, role).at(own).unwrap();
            assert!((height / speed - 1.0).abs() < 1e-9 && fits, "{role:?}");
        }
        let weak = of(&spec, LineRole::Weak);
        assert_eq!(weak.infeasible.len(), 1);
        assert_eq!(weak.infeasible[0].last(), weak.segments[0].first());
        assert!(spec.caption.contains("It fits on 32 GPUs or more."), "{}", spec.caption);
        // On twice the GPUs, the same batch hides less communication than twice the batch.
        let end = of(&spec, LineRole::Strong).segments.last().unwrap().last().unwrap().0;
        assert!(of(&spec, LineRole::Strong).at(end).unwrap().0 < weak.at(end).unwrap().0);
        let said = readout(&spec, 100.0, 0.0);
        assert_eq!(said.place[0].value, "128");
        assert!(said.entries[0].value.ends_with("% of linear)"), "{}", said.entries[0].value);
    }

    #[test]
    fn every_model_has_lines_and_a_sentence() {
        for model in MODELS {
            for scenario in [
                Scenario { ep: 8, ..default_scenario().with_model(model.pick()) },
                Scenario { gpus: 1, ..default_scenario().with_model(model.pick()) },
                Scenario {
                    gpus: 16_384,
                    tp: 8,
                    pp: 16,
                    grad_accum_steps: 64,
                    ..default_scenario().with_model(model.pick())
                },
            ] {
                let spec = scaling_curves(&scenario);
                let weak = of(&spec, LineRole::Weak);
                assert!(!weak.segments.is_empty() || !weak.infeasible.is_empty());
                for text in [spec.caption.clone(), describe::chart(&spec), table::chart(&spec).rows.concat().concat()] {
                    assert!(!text.contains("NaN") && !text.contains("undefined"), "{text}");
                }
                assert!(spec.caption.ends_with('.'));
            }
        }
    }
}

use super::*;
use crate::layout;
use crate::spec::{AxisKey, ChartSpec, LineRole, Polyline};
use analysis::sweep::{Sample, assign, sample};
use catalog::default_scenario;
use engine::params::{Number, ParamId, Scale, Unit};
use engine::scenario::{Model, Scenario};

fn number(key: Option<AxisKey>) -> Number {
    *key.and_then(AxisKey::param).and_then(ParamId::number).unwrap()
}

fn at(spec: &ChartSpec, x: f64, y: f64) -> Sample {
    let mut scenario = default_scenario();
    assign(&mut scenario, &number(spec.y.key), y);
    assign(&mut scenario, &number(spec.x.key), x);
    sample(&scenario)
}

fn points(spec: &ChartSpec, role: LineRole) -> Vec<(f64, f64)> {
    let lines = spec.lines.iter().filter(|line| line.role == role);
    lines.flat_map(|line| line.segments.iter().flatten().copied()).collect()
}

/// A table prints the scenario itself, so its curve must pass through it, and not only near it.
#[test]
fn a_curve_passes_through_the_scenario() {
    let grpo = "cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo";
    for scenario in [default_scenario(), links::decode(grpo).scenario] {
        let report = scenario.report();
        for (id, own) in [(ParamId::SequenceLength, f64::from(scenario.seq_len)), (ParamId::LinkBandwidth, f64::NAN)] {
            let spec = mfu_curve(&scenario, id, Metric::Mfu, false, &mut Scratch::default());
            let own = if own.is_nan() { spec.here.unwrap().0 } else { own };
            let line = spec.lines.iter().find(|line| line.role.is_own()).unwrap();
            let (height, _) = line.at(own).unwrap();
            assert!((height - 100.0 * report.whole().mfu).abs() < 1e-9, "{}: {height}", line.name);
            // No range of rollouts is known.
            assert!(line.band.is_none() || report.rollout.is_none(), "{}", line.name);
        }
    }
}

/// The line of the best layout and the tab of layouts are one search.
#[test]
fn at_the_scenario_the_best_layout_is_that_of_the_search() {
    for link in [
        "",
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=64&seq=8192",
        "cluster=server-8x-4090&model=llama-3.1-8b&gpus=8&method=lora",
    ] {
        let scenario = links::decode(link).scenario;
        let mut search = analysis::layouts::LayoutSearch::new(&scenario);
        while !search.advance(usize::MAX) {}
        let found = 100.0 * search.best().unwrap().report.whole().mfu;
        let mut scratch = Scratch::default();
        for id in [ParamId::GpuMemory, ParamId::LinkBandwidth, ParamId::SequenceLength] {
            let spec = mfu_curve(&scenario, id, Metric::Mfu, false, &mut scratch);
            let best = spec.lines.iter().find(|line| line.role == LineRole::Best).unwrap();
            let said = best.at(spec.here.unwrap().0).unwrap().0;
            assert!((said / found - 1.0).abs() < 0.002, "{link} {id:?}: {said} {found}");
            let own = spec.lines.iter().find(|line| line.role.is_own()).unwrap();
            let fits = own.segments.iter().flatten().filter(|point| point.0 == spec.here.unwrap().0);
            assert!(fits.into_iter().all(|point| point.1 <= said * 1.001), "{link} {id:?}");
        }
    }
}

/// Memory and links decide only which layout is the best, so their sliders search nothing.
#[test]
fn sliders_of_memory_and_links_move_along_the_line_of_the_best_layout() {
    let scenario = default_scenario();
    let mut scratch = Scratch::default();
    let mut best = |scenario: &Scenario, id, moving| {
        scratch.set_moving(moving);
        let spec = mfu_curve(scenario, id, Metric::Mfu, false, &mut scratch);
        (spec.lines.into_iter().find(|line| line.role == LineRole::Best).map(|line| line.segments), spec.caption)
    };
    let (over_memory, caption) = best(&scenario, ParamId::GpuMemory, false);
    assert!(caption.contains("Twice the memory: +") && caption.contains("; twice the links: +"), "{caption}");
    let steps = over_memory.unwrap().swap_remove(0);
    assert!(steps.len() > 8 && steps.is_sorted_by(|one, other| one.0 <= other.0 && one.1 <= other.1), "{steps:?}");
    let mut larger = scenario;
    larger.accelerator.values.memory *= 2.0;
    let (moved, _) = best(&larger, ParamId::GpuMemory, true);
    let height = |steps: &[(f64, f64)], gib: f64| steps.iter().rfind(|step| step.0 <= gib).unwrap().1;
    let moved = moved.unwrap().swap_remove(0);
    for gib in [12.0, 30.0, 50.0, 90.0, 200.0] {
        assert!((height(&moved, gib) - height(&steps, gib)).abs() < 1e-9, "{gib}");
    }
}

#[test]
fn the_lines_of_the_region_lie_where_memory_and_network_say() {
    let spec = feasible_region(
        &default_scenario(),
        ParamId::SequenceLength,
        ParamId::ModelSize,
        false,
        &mut Scratch::default(),
    );
    let frontier = points(&spec, LineRole::MemoryFrontier);
    assert!(frontier.len() > 20);
    for (x, y) in frontier {
        assert!(at(&spec, x, y).slack().abs() < 0.05, "{x} {y}: {}", at(&spec, x, y).slack());
    }
    let boundary = points(&spec, LineRole::NetworkBoundary);
    assert!(boundary.len() > 20);
    for (x, y) in boundary {
        assert!(at(&spec, x, y).pressure.abs() < 0.05, "{x:?} {y:?}");
        assert!(at(&spec, x, y).slack() > -0.05, "{x:?} {y:?}");
    }
}

/// At the scenario's own size the front is where the engine's own bisection finds it, and from size
/// to size it has no teeth, though whole layers and heads do.
#[test]
fn the_frontier_is_the_longest_sequence_and_has_no_teeth() {
    for link in [
        "cluster=dgx-h100&model=llama-3.1-8b&gpus=64",
        "v=1&cluster=mi300x-platform&model=llama-3.1-70b&gpus=64&seq=8k",
        "cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo",
    ] {
        let scenario = links::decode(link).scenario;
        for moving in [false, true] {
            let mut scratch = Scratch::default();
            scratch.set_moving(moving);
            let (x, y) = (ParamId::SequenceLength, ParamId::ModelSize);
            let spec = feasible_region(&scenario, x, y, false, &mut scratch);
            let front = points(&spec, LineRole::MemoryFrontier);
            // Where the line crosses the scenario's size.
            let own = scenario.model.size().ln();
            let crossing =
                front.windows(2).find(|pair| (pair[0].1.ln() - own) * (pair[1].1.ln() - own) <= 0.0).unwrap();
            let share = (own - crossing[0].1.ln()) / (crossing[1].1.ln() - crossing[0].1.ln());
            let at = crossing[0].0.ln() + share * (crossing[1].0.ln() - crossing[0].0.ln());
            let longest = f64::from(analysis::limits::longest_sequence(&scenario).unwrap());
            assert!((at.exp() / longest - 1.0).abs() < 0.01, "{link} {moving}: {} {longest}", at.exp());
            // A longer sequence always means a smaller model.
            let mut sorted = front.clone();
            sorted.sort_by(|one, other| one.0.total_cmp(&other.0));
            assert!(sorted.windows(2).all(|pair| pair[1].1 <= pair[0].1 * 1.001), "{link} {moving}");
        }
    }
}

/// Map, curve and sentence have one threshold of the link bandwidth.
#[test]
fn the_link_that_no_longer_limits_is_the_same_everywhere() {
    let scenario = default_scenario();
    let said = analysis::network::limits_from(&scenario).unwrap();
    let mut scratch = Scratch::default();
    let (link, size) = (ParamId::LinkBandwidth, ParamId::ModelSize);
    let map = feasible_region(&scenario, link, size, false, &mut scratch);
    let curve = mfu_curve(&scenario, link, Metric::Mfu, false, &mut scratch);
    for caption in [&map.caption, &curve.caption] {
        assert!(caption.to_lowercase().contains(&said.to_lowercase()), "{caption} {said}");
    }
    // The boundary crosses the scenario's size there, on either axis.
    let analysis::network::Enough::From(from) = analysis::network::enough_for(&scenario) else { panic!() };
    let turned = feasible_region(&scenario, size, link, false, &mut scratch);
    let own = scenario.model.size();
    let beside = |points: Vec<(f64, f64)>| {
        let near = |size: f64| (size / own).ln().abs();
        points.into_iter().min_by(|one, other| near(one.1).total_cmp(&near(other.1))).unwrap().0
    };
    let swapped = points(&turned, LineRole::NetworkBoundary).into_iter().map(|(size, link)| (link, size)).collect();
    for at in [beside(points(&map, LineRole::NetworkBoundary)), beside(swapped)] {
        assert!((at / from - 1.0).abs() < 0.05, "{at} {from}");
    }
}

/// Returns Mixtral 8x7B on 64 GPUs, with its experts split over eight.
fn mixture() -> Scenario {
    Scenario { ep: 8, ..default_scenario().with_model(catalog::model("mixtral-8x7b").unwrap().pick()) }
}

fn keys(scenario: &Scenario) -> Vec<ParamId> {
    axes_of(scenario, false).into_iter().map(|(_, param)| param.id).collect()
}

#[test]
fn every_pair_of_axes_gives_a_figure_and_parameters_without_an_axis_give_the_usual_one() {
    let mut scratch = Scratch::with_grid(12, 9);
    for scenario in [default_scenario(), mixture()] {
        let axes = keys(&scenario);
        for &x in &axes {
            for &y in axes.iter().filter(|y| **y != x) {
                let spec = feasible_region(&scenario, x, y, true, &mut scratch);
                // The ladder shapes of each size have no experts.
                let apart =
                    |a, b| a == ParamId::ModelSize && [ParamId::Experts, ParamId::TopK, ParamId::Ep].contains(&b);
                let y = if apart(x, y) || apart(y, x) { ParamId::SequenceLength } else { y };
                assert_eq!((spec.x.key, spec.y.key), (Some(AxisKey::Param(x)), Some(AxisKey::Param(y))));
                assert_eq!(spec.field.unwrap().cells.len(), 108);
                assert!(spec.here.is_some(), "{x:?} {y:?}");
                assert!(spec.caption.ends_with('.') && !spec.caption.contains("NaN"), "{}", spec.caption);
            }
        }
        for (x, y) in [
            (ParamId::Strategy, ParamId::Recipe),
            (ParamId::Layers, ParamId::CheckpointInterval),
            (ParamId::ModelSize, ParamId::ModelSize),
        ] {
            let spec = feasible_region(&scenario, x, y, false, &mut scratch);
            assert!(spec.x.key != spec.y.key && spec.field.is_some());
        }
    }
}

#[test]
fn axes_of_experts_are_those_of_mixtures() {
    let dense = default_scenario();
    assert_eq!(
        keys(&dense)[..6],
        [
            ParamId::SequenceLength,
            ParamId::ModelSize,
            ParamId::GpuMemory,
            ParamId::LinkBandwidth,
            ParamId::Gpus,
            ParamId::MicroBatchSize
        ]
    );
    assert_eq!(
        feasible_region(&dense, ParamId::Experts, ParamId::Ep, false, &mut Scratch::default()).x.key,
        Some(AxisKey::Param(ParamId::SequenceLength))
    );
    assert_eq!(keys(&mixture())[..AXES.len()], AXES);
    // A parameter that the engine chooses cannot be an axis.
    let mut chosen = mixture();
    chosen.expert_choice.degrees = true;
    assert!(!keys(&chosen).contains(&ParamId::Ep) && !keys(&dense).contains(&ParamId::CapacityFactor));
}

#[test]
fn a_place_over_experts_is_a_mixture_of_the_users_own() {
    let named = mixture();
    let spec = feasible_region(&named, ParamId::Experts, ParamId::TopK, false, &mut Scratch::default());
    assert_eq!(spec.here, Some((8.0, 2.0)));
    // Readouts and clicks give a whole number of experts per GPU.
    assert_eq!((spec.x.settled(70.0), spec.y.settled(3.4)), (64.0, 3.0));
    let mut own = named;
    assign(&mut own, &number(Some(AxisKey::Param(ParamId::Experts))), 70.0);
    assign(&mut own, &number(Some(AxisKey::Param(ParamId::TopK))), 3.4);
    let shape = own.model.architecture();
    assert_eq!((shape.experts.num_experts, shape.experts.num_experts_per_tok), (64, 3));
    assert!(matches!(own.model, Model::Custom { .. }));
    assert_eq!(shape.hidden_size, named.model.architecture().hidden_size);
    // The degrees are those that divide experts and GPUs.
    let spec = feasible_region(&named, ParamId::Ep, ParamId::SequenceLength, false, &mut Scratch::default());
    assert_eq!((spec.x.min, spec.x.max, spec.x.settled(3.2), spec.x.settled(6.9)), (1.0, 8.0, 2.0, 8.0));
    let mut split = named;
    assign(&mut split, &number(Some(AxisKey::Param(ParamId::Ep))), 3.2);
    assert_eq!(split.ep, 2);
    // More experts need more memory; more experts per token need more time.
    assert!(sample(&own).needed > sample(&named).needed);
    assert!(sample(&own).tokens_per_s_per_gpu < sample(&named).tokens_per_s_per_gpu);
}

#[test]
fn a_second_frame_equals_the_first() {
    let mut scratch = Scratch::with_grid(30, 20);
    let scenario = default_scenario();
    let first = feasible_region(&scenario, ParamId::SequenceLength, ParamId::ModelSize, true, &mut scratch);
    mfu_curve(&scenario, ParamId::Gpus, Metric::Mfu, true, &mut scratch);
    feasible_region(&scenario, ParamId::GpuMemory, ParamId::LinkBandwidth, true, &mut scratch);
    assert_eq!(first, feasible_region(&scenario, ParamId::SequenceLength, ParamId::ModelSize, true, &mut scratch));
}

#[test]
fn the_caption_of_the_region_is_true() {
    let spec = feasible_region(
        &default_scenario(),
        ParamId::SequenceLength,
        ParamId::ModelSize,
        false,
        &mut Scratch::default(),
    );
    assert!(spec.caption.starts_with("At 13B, sequences up to "), "{}", spec.caption);
    let said: String = spec.caption.split(" tokens").next().unwrap().split('\u{2009}').next().unwrap().to_string();
    let digits: String = said.rsplit(' ').next().unwrap().replace(',', "");
    let longest: f64 = digits.parse().unwrap();
    assert!(at(&spec, longest, 13e9).fits());
    assert!(!at(&spec, longest * 1.01, 13e9).fits());
}

#[test]
fn curves_break_where_it_stops_to_fit_and_go_on_as_what_would_be() {
    let spec = mfu_curve(&default_scenario(), ParamId::SequenceLength, Metric::Mfu, false, &mut Scratch::default());
    let own = spec.lines.iter().find(|line| matches!(line.role, LineRole::Current(_))).unwrap();
    let end = *own.segments[0].last().unwrap();
    assert_eq!(own.infeasible[0].first(), Some(&end));
    assert_eq!(own.at(1024.0).map(|at| at.1), Some(true));
    assert_eq!(own.at(100_000.0).map(|at| at.1), Some(false));
    assert!(spec.here.is_some_and(|(x, y)| own.at(x).is_some_and(|(curve, _)| (curve / y - 1.0).abs() < 0.02)));
}

#[test]
fn the_bound_is_above_full_shard_everywhere() {
    for scenario in [1.3e9, 13e9, 175e9]
        .map(|size| Scenario { model: engine::scenario::Model::Ladder { size }, ..default_scenario() })
    {
        for metric in [Metric::Mfu, Metric::TokensPerSecond] {
            for key in [ParamId::SequenceLength, ParamId::LinkBandwidth, ParamId::Gpus] {
                let spec = mfu_curve(&scenario, key, metric, true, &mut Scratch::default());
                let own = spec.lines.iter().find(|line| matches!(line.role, LineRole::Current(_))).unwrap();
                let Some(bound) = spec.lines.iter().find(|line| line.role == LineRole::Bound) else { continue };
                for &(x, y) in own.segments.iter().flatten() {
                    let Some((most, _)) = bound.at(x) else { continue };
                    assert!(y <= most, "{key:?} {x}: {y} above {most}");
                }
            }
        }
    }
}

#[test]
fn curves_that_move_look_like_those_at_rest() {
    let (mut resting, mut moving) = (Scratch::default(), Scratch::default());
    moving.set_moving(true);
    for seq_len in [1024, 8192, 65_536] {
        let scenario = Scenario { seq_len, ..default_scenario() };
        for (key, metric) in [
            (ParamId::LinkBandwidth, Metric::Mfu),
            (ParamId::SequenceLength, Metric::Mfu),
            (ParamId::ModelSize, Metric::TokensPerSecond),
        ] {
            let rest = mfu_curve(&scenario, key, metric, true, &mut resting);
            // Layouts are searched at rest only.
            moving.set_moving(false);
            mfu_curve(&scenario, key, metric, true, &mut moving);
            moving.set_moving(true);
            let moved = mfu_curve(&scenario, key, metric, true, &mut moving);
            assert_eq!((&rest.caption, rest.here), (&moved.caption, moved.here));
            let points = |spec: &ChartSpec| -> Vec<(f64, f64)> {
                let pieces = spec.lines.iter().flat_map(|line| line.segments.iter().chain(&line.infeasible));
                pieces.flatten().copied().collect()
            };
            let (rest_points, moved_points) = (points(&rest), points(&moved));
            assert_eq!(rest_points.len(), moved_points.len(), "{key:?} {seq_len}");
            // The plot is about 260 pixels high.
            let pixel = rest.y.max / 260.0;
            let off = |pair: (&(f64, f64), &(f64, f64))| (pair.0.1 - pair.1.1).abs() / pixel;
            let pairs = || rest_points.iter().zip(&moved_points);
            // Between two equal nodes there is sometimes a different one.
            let far = pairs().filter(|&pair| off(pair) > 1.0).count();
            assert!(100 * far < rest_points.len(), "{key:?} {seq_len}: {far} points");
            assert!(pairs().all(|pair| off(pair) < 2.0), "{key:?} {seq_len}");
        }
    }
}

#[test]
fn a_map_that_moves_has_the_lines_and_the_finding_of_the_map_at_rest() {
    let (mut resting, mut moving) = (Scratch::default(), Scratch::default());
    moving.set_moving(true);
    for gpus in [16, 64, 512] {
        let scenario = Scenario { gpus, ..default_scenario() };
        for y in [ParamId::ModelSize, ParamId::LinkBandwidth, ParamId::GpuMemory] {
            let rest = feasible_region(&scenario, ParamId::SequenceLength, y, true, &mut resting);
            let moved = feasible_region(&scenario, ParamId::SequenceLength, y, true, &mut moving);
            assert_eq!((&rest.caption, rest.here), (&moved.caption, moved.here));
            let nodes = |spec: &ChartSpec| spec.field.as_ref().map(|field| field.rows);
            assert!(nodes(&moved) < nodes(&rest), "{y:?}: {:?} rows", nodes(&moved));
            let roles = |spec: &ChartSpec| spec.lines.iter().map(|line| line.role).collect::<Vec<_>>();
            assert_eq!(roles(&rest), roles(&moved), "{gpus} {y:?}");
            // The plot is about 330 pixels wide and 270 high.
            let spot = |spec: &ChartSpec, (x, y): (f64, f64)| {
                (330.0 * layout::share(&spec.x, x), 270.0 * layout::share(&spec.y, y))
            };
            for (rest_line, moved_line) in rest.lines.iter().zip(&moved.lines) {
                let spots = |spec: &ChartSpec, line: &Polyline| -> Vec<Vec<(f64, f64)>> {
                    let pieces = line.segments.iter();
                    pieces.map(|piece| piece.iter().map(|&point| spot(spec, point)).collect()).collect()
                };
                let lines = spots(&rest, rest_line);
                let far = spots(&moved, moved_line).into_iter().flatten().map(|point| distance(&lines, point));
                let far = far.fold(0.0, f64::max);
                // The gain of a faster link ends in a bend, where the node's own links limit,
                // between two of the coarser rows.
                let bends = y == ParamId::LinkBandwidth && rest_line.role == LineRole::NetworkBoundary;
                let most = if bends { 6.0 } else { 2.0 };
                assert!(far < most, "{gpus} {y:?} {:?}: {far} pixels", rest_line.role);
            }
        }
    }
}

/// Returns the distance of a point from the nearest of some polylines.
fn distance(lines: &[Vec<(f64, f64)>], (x, y): (f64, f64)) -> f64 {
    let to = |pair: &[(f64, f64)]| {
        let [(left, top), (right, bottom)] = [pair[0], pair[1]];
        let (across, down) = (right - left, bottom - top);
        let along = ((x - left) * across + (y - top) * down) / (across * across + down * down).max(f64::MIN_POSITIVE);
        let along = along.clamp(0.0, 1.0);
        (left + along * across - x).hypot(top + along * down - y)
    };
    lines.iter().flat_map(|line| line.windows(2)).map(to).fold(f64::INFINITY, f64::min)
}

#[test]
fn every_metric_over_every_axis_is_a_figure_without_gaps_in_words() {
    for scenario in [default_scenario(), mixture(), Scenario { gpus: 1, ..default_scenario() }] {
        let mut scratch = Scratch::default();
        for metric in Metric::ALL {
            for (_, param) in axes_of(&scenario, metric == Metric::Cost) {
                let spec = mfu_curve(&scenario, param.id, metric, true, &mut scratch);
                assert_eq!(spec.x.key, Some(AxisKey::Param(param.id)), "{}", spec.title);
                assert!(spec.y.min < spec.y.max && spec.y.max.is_finite(), "{}: {:?}", spec.title, spec.y);
                assert!(spec.caption.ends_with('.') && !spec.caption.contains("NaN"), "{}", spec.caption);
                let points = spec.lines.iter().flat_map(|line| line.segments.iter().chain(&line.infeasible)).flatten();
                assert!(
                    points.clone().count() > 0 && points.clone().all(|point| point.1.is_finite()),
                    "{}",
                    spec.title
                );
                let own = spec.lines.iter().find(|line| matches!(line.role, LineRole::Current(_))).unwrap();
                assert_eq!(own.band.is_some(), !own.segments.is_empty());
            }
        }
    }
}

#[test]
fn what_curves_show_is_what_the_report_says() {
    let scenario = default_scenario();
    let (report, run) = (scenario.report(), scenario.run_report());
    let own =
        |metric| mfu_curve(&scenario, ParamId::SequenceLength, metric, false, &mut Scratch::default()).here.unwrap().1;
    assert_eq!(own(Metric::StepTime), report.update.time.step.get());
    assert_eq!(own(Metric::Needed), report.memory.needed.gib());
    assert!((own(Metric::Cost) * scenario.train_tokens() / 1e9 / run.cost.get() - 1.0).abs() < 1e-12);
    assert_eq!(own(Metric::TimeToTrain), run.time.days());
    assert_eq!(own(Metric::RunCost), run.cost.get());
    let memory = mfu_curve(&scenario, ParamId::SequenceLength, Metric::Needed, false, &mut Scratch::default());
    let capacity = memory.lines.last().unwrap();
    assert_eq!((capacity.role, capacity.at(4096.0)), (LineRole::MemoryFrontier, Some((39.5, true))));
    // The curve is solid as long as at least half of such runs fit.
    let curve = memory.lines.iter().find(|line| matches!(line.role, LineRole::Current(_))).unwrap();
    assert!((curve.segments[0].last().unwrap().1 / report.memory.most_needed().gib() - 1.0).abs() < 0.01);
    assert_eq!(curve.band.map(|band| (band.0 < 1.0, band.1 > 1.0)), Some((true, true)));
}

#[test]
fn degrees_stand_where_they_divide_the_gpus() {
    let scenario = Scenario { gpus: 48, ..default_scenario() };
    let spec = mfu_curve(&scenario, ParamId::Tp, Metric::StepTime, false, &mut Scratch::default());
    let own = spec.lines.iter().find(|line| matches!(line.role, LineRole::Current(_))).unwrap();
    let mut places: Vec<f64> = own.segments.iter().chain(&own.infeasible).flatten().map(|point| point.0).collect();
    places.retain(|place| place.fract() == 0.0);
    places.dedup();
    assert_eq!(places, [1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 48.0]);
    let moved = Scenario { tp: 8, ..scenario };
    let step = moved.report().update.time.step.get();
    assert!(own.at(8.0).is_some_and(|at| (at.0 / step - 1.0).abs() < 1e-12));
}

#[test]
fn what_costs_alone_depend_on_is_an_axis_of_costs_alone() {
    let scenario = default_scenario();
    let has = |of_cost: bool, id: ParamId| axes_of(&scenario, of_cost).iter().any(|axis| axis.1.id == id);
    assert!(
        has(true, ParamId::GpuHourPrice)
            && !has(false, ParamId::GpuHourPrice)
            && !has(true, ParamId::GridIntensity)
            && has(false, ParamId::MemoryBandwidth)
    );
    let spec = mfu_curve(&scenario, ParamId::GpuHourPrice, Metric::Mfu, false, &mut Scratch::default());
    assert_eq!(spec.x.key, Some(AxisKey::Param(ParamId::SequenceLength)));
    let cost = mfu_curve(&scenario, ParamId::GpuHourPrice, Metric::Cost, false, &mut Scratch::default());
    assert_eq!(cost.x.key, Some(AxisKey::Param(ParamId::GpuHourPrice)));
    assert!(cost.caption.contains(" for 1T)"), "{}", cost.caption);
}

/// More GPUs take fewer days and more dollars; twice the tokens take twice the days and dollars, on
/// an axis that only figures of the run have.
#[test]
fn days_and_dollars_of_the_run_stand_on_curves_of_any_parameter() {
    let scenario = default_scenario();
    let over = |x, metric| mfu_curve(&scenario, x, metric, true, &mut Scratch::default());
    let own = |spec: &ChartSpec, at: f64| {
        let line = spec.lines.iter().find(|line| matches!(line.role, LineRole::Current(_))).unwrap();
        line.at(at).unwrap().0
    };
    let (days, dollars) = (over(ParamId::Gpus, Metric::TimeToTrain), over(ParamId::Gpus, Metric::RunCost));
    assert!(own(&days, 64.0) > 1.5 * own(&days, 128.0));
    assert!(own(&dollars, 128.0) > own(&dollars, 64.0));
    assert_eq!((days.y.unit, dollars.y.unit, days.y.scale), (Unit::Days, Unit::Dollars, Scale::Log));
    assert!(days.caption.contains(" takes ") && days.caption.contains("days here for 1T tokens"), "{}", days.caption);
    assert!(dollars.caption.contains(" costs $"), "{}", dollars.caption);
    let days = over(ParamId::TrainingTokens, Metric::TimeToTrain);
    assert_eq!(days.x.key, Some(AxisKey::Param(ParamId::TrainingTokens)));
    let here = days.here.unwrap();
    assert!((here.1 / scenario.run_report().time.days() - 1.0).abs() < 1e-12);
    // A run that never ends has no place on the axis, and the caption says so.
    let mut never = scenario;
    never.run.mtbf = engine::units::Seconds::from_hours(1.0);
    let spec = mfu_curve(&never, ParamId::Gpus, Metric::TimeToTrain, false, &mut Scratch::default());
    assert!(spec.here.is_none() && spec.caption.contains("never finishes"), "{}", spec.caption);
}

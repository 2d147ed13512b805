//! A trace as a curve: bytes by category over one step, reduced to the resolution of a figure.

use super::event::{Category, Event, Moment, Phase, Place};
use super::play::{STEPS, WORKSPACE};
use super::step::Trace;
use crate::allocator::{Allocator, BlockId, Segments, Stream};
use enum_map::EnumMap;

/// Points of a curve in addition to its columns: start and end.
const ENDS: usize = 2;

/// A step of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RunStep {
    /// First step, whose update allocates the optimizer state.
    First,
    /// Any step from the third.
    #[default]
    Steady,
}

impl RunStep {
    /// Both steps, in order.
    pub const ALL: [Self; 2] = [Self::First, Self::Steady];

    const fn number(self) -> u32 {
        match self {
            Self::First => 1,
            Self::Steady => STEPS,
        }
    }
}

/// Allocated and reserved bytes at one moment of a step.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// Number of events since the step began.
    pub events: u32,
    /// Allocated bytes.
    pub allocated: u64,
    /// Allocated bytes by category.
    pub by: EnumMap<Category, u64>,
    /// Bytes reserved by the allocator.
    pub reserved: u64,
    /// Moment of the step.
    pub moment: Moment,
    /// Operator of the last allocation.
    pub operator: &'static str,
}

/// A phase of the step on the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Phase of the step.
    pub phase: Phase,
    /// Number of events before the phase.
    pub start: u32,
    /// Number of events until the end of the phase.
    pub end: u32,
}

/// Memory of one step, event by event.
#[derive(Clone, Debug)]
pub struct Curve {
    /// The start of the step, the maximum of each column, and the end of the step, which belongs to
    /// the update.
    pub points: Vec<Point>,
    /// Phases of the step in order, one of each kind per micro-batch. The last is the update, even
    /// if it allocates nothing.
    pub spans: Vec<Span>,
    /// Number of events in the step.
    pub events: u32,
    /// Point of maximum allocated memory.
    pub peak: Point,
    /// Peak reserved bytes up to the end of the step.
    pub reserved: u64,
}

impl Point {
    /// Multiplies all sizes.
    fn scale(&mut self, factor: f64) {
        self.by.values_mut().for_each(|bytes| *bytes = scaled(*bytes, factor));
        self.allocated = self.by.values().sum();
        self.reserved = scaled(self.reserved, factor);
    }
}

fn scaled(bytes: u64, factor: f64) -> u64 {
    (bytes as f64 * factor) as u64
}

impl Curve {
    /// Multiplies all sizes, as a measured run corrects the predicted memory.
    pub(super) fn scale(&mut self, factor: f64) {
        self.points.iter_mut().chain([&mut self.peak]).for_each(|point| point.scale(factor));
        self.reserved = scaled(self.reserved, factor);
    }
}

/// State while a trace is played.
struct Player {
    sizes: Vec<(u64, Category)>,
    blocks: Vec<Option<BlockId>>,
    allocator: Allocator,
    now: Point,
}

impl Player {
    fn new(tensors: usize, segments: Segments) -> Self {
        let mut allocator = Allocator::new(segments);
        allocator.allocate(WORKSPACE, Stream::Compute);
        let moment = Moment { phase: Phase::Rest, place: Place::Embedding };
        let now = Point { events: 0, allocated: 0, by: EnumMap::default(), reserved: 0, moment, operator: "" };
        Self { sizes: vec![(0, Category::Input); tensors], blocks: vec![None; tensors], allocator, now }
    }

    fn play(&mut self, event: &Event) {
        self.now.events += 1;
        match *event {
            Event::Allocate { tensor, bytes, stream, category, operator, moment } => {
                let block = self.allocator.allocate(bytes, stream);
                let index = tensor as usize;
                if let (Some(size), Some(slot)) = (self.sizes.get_mut(index), self.blocks.get_mut(index)) {
                    (*size, *slot) = ((bytes, category), Some(block));
                }
                self.now.allocated += bytes;
                self.now.by[category] += bytes;
                (self.now.moment, self.now.operator) = (moment, operator);
            }
            Event::Free { tensor } => {
                let index = tensor as usize;
                if let Some(block) = self.blocks.get_mut(index).and_then(Option::take) {
                    self.allocator.free(block);
                }
                let (bytes, category) = self.sizes.get(index).copied().unwrap_or((0, Category::Input));
                self.now.allocated -= bytes;
                self.now.by[category] -= bytes;
            }
        }
        self.now.reserved = self.allocator.reserved();
    }
}

impl Trace {
    /// Returns one step as a curve of at most `points` points, but at least one per phase. Each
    /// point is the maximum of an equal number of events of one phase.
    pub fn curve(&self, step: RunStep, segments: Segments, points: usize) -> Curve {
        let mut player = Player::new(self.tensors, segments);
        self.rest.iter().for_each(|event| player.play(event));
        for before in 1..step.number() {
            self.events_of(before).for_each(|event| player.play(&event));
        }
        let spans = self.spans(step);
        let events = spans.last().map_or(0, |span| span.end);
        let columns = u32::try_from(points.saturating_sub(ENDS + spans.len())).unwrap_or(u32::MAX).max(1);
        let column = events.div_ceil(columns).max(1);
        player.now.events = 0;
        player.now.moment = Moment { phase: Phase::Forward, place: Place::Embedding };
        let (mut peak, mut highest) = (player.now, player.now);
        let mut kept = vec![player.now];
        let mut all = self.events_of(step.number());
        for span in &spans {
            for index in 0..span.end - span.start {
                let Some(event) = all.next() else { break };
                player.play(&event);
                let now = player.now;
                if index % column == 0 || now.allocated > highest.allocated {
                    highest = now;
                }
                if now.allocated > peak.allocated {
                    peak = now;
                }
                if (index + 1) % column == 0 || now.events == span.end {
                    kept.push(highest);
                }
            }
        }
        kept.push(Point { moment: Moment { phase: Phase::Optimizer, place: Place::Embedding }, ..player.now });
        Curve { points: kept, spans, events, peak, reserved: player.allocator.peak_reserved() }
    }

    /// Returns the phases of a step. A tensor is freed in the phase of the last allocation.
    fn spans(&self, step: RunStep) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        let (mut phase, mut events) = (Phase::Forward, 0);
        for event in self.events_of(step.number()) {
            if let Event::Allocate { moment, .. } = event {
                phase = moment.phase;
            }
            events += 1;
            match spans.last_mut() {
                Some(span) if span.phase == phase => span.end = events,
                _ => spans.push(Span { phase, start: events - 1, end: events }),
            }
        }
        if spans.last().is_none_or(|span| span.phase != Phase::Optimizer) {
            spans.push(Span { phase: Phase::Optimizer, start: events, end: events });
        }
        spans
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::model::stages::stages;
    use engine::scenario::Scenario;

    /// Points in a figure.
    const POINTS: usize = 600;

    fn trace(scenario: &Scenario) -> Trace {
        let setup = scenario.setup();
        Trace::record(&setup, &stages(&setup).first)
    }

    fn scenarios() -> [Scenario; 3] {
        let start = catalog::default_scenario();
        let several = Scenario { grad_accum_steps: 4, ..start };
        let one = Scenario { gpus: 1, ..start };
        [start, several, one]
    }

    #[test]
    fn a_steady_step_peaks_where_the_trace_does_and_reserves_what_it_does() {
        for scenario in scenarios() {
            let trace = trace(&scenario);
            let of_trace = trace.peak();
            for segments in [Segments::Fixed, Segments::Expandable] {
                let curve = trace.curve(RunStep::Steady, segments, POINTS);
                let highest = curve.points.iter().map(|point| point.allocated).max();
                assert_eq!((highest, curve.peak.allocated), (Some(of_trace.allocated), of_trace.allocated));
                assert_eq!((curve.peak.moment, curve.peak.operator), (of_trace.moment, of_trace.operator));
                assert_eq!(curve.peak.by, of_trace.by);
                assert_eq!(curve.reserved, trace.reserved(segments));
                assert!(curve.points.iter().all(|point| point.allocated <= point.reserved));
            }
        }
    }

    #[test]
    fn a_curve_is_as_long_as_asked_and_every_point_adds_up() {
        let trace = trace(&catalog::default_scenario());
        for (step, points) in [(RunStep::First, 2), (RunStep::First, 50), (RunStep::Steady, POINTS)] {
            let curve = trace.curve(step, Segments::Fixed, points);
            let most = points.max(ENDS + 2 * curve.spans.len());
            assert!(curve.points.len() <= most, "{} points, {most} at most", curve.points.len());
            assert!(curve.points.iter().all(|point| point.by.values().sum::<u64>() == point.allocated));
            assert!(curve.points.windows(2).all(|pair| pair[0].events <= pair[1].events));
            assert_eq!(curve.points.last().map(|point| point.events), Some(curve.events));
        }
        let whole = trace.curve(RunStep::Steady, Segments::Fixed, usize::MAX);
        assert_eq!(whole.points.len(), whole.events as usize + ENDS);
    }

    #[test]
    fn the_first_step_begins_without_optimizer_state_and_ends_with_it() {
        let trace = trace(&catalog::default_scenario());
        let first = trace.curve(RunStep::First, Segments::Fixed, POINTS);
        let steady = trace.curve(RunStep::Steady, Segments::Fixed, POINTS);
        let states = |point: Option<&Point>| point.map(|point| point.by[Category::Optimizer]);
        assert_eq!(states(first.points.first()), Some(0));
        assert_eq!(states(first.points.last()), states(steady.points.first()));
        assert!(first.peak.allocated <= steady.peak.allocated && first.reserved <= steady.reserved);
    }

    #[test]
    fn the_parts_of_a_step_follow_each_other_without_gaps() {
        let [start, several, _] = scenarios();
        for (scenario, parts) in [(start, 4), (several, 7)] {
            let curve = trace(&scenario).curve(RunStep::Steady, Segments::Fixed, POINTS);
            assert_eq!(curve.spans.len(), parts, "{:?}", curve.spans);
            assert!(curve.spans.windows(2).all(|pair| pair[0].end == pair[1].start));
            let ends = (curve.spans.first().map(|span| span.start), curve.spans.last().map(|span| span.end));
            assert_eq!(ends, (Some(0), Some(curve.events)));
            assert_eq!(curve.spans.last().map(|span| span.phase), Some(Phase::Optimizer));
        }
    }
}

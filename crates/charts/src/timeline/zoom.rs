//! The visible part of a step.

use engine::model::report::{Lane, Span};
use engine::model::step::playback::Playback;
use engine::units::Seconds;

/// The two ends of a part, in the axis's unit; for a timeline, in fractions of the step.
pub type VisibleRange = (f64, f64);

/// Visible part of a layer's neighbours on each side, over the layer's length.
const BESIDE: f64 = 0.25;

/// The zoom level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The whole step.
    Step,
    /// One micro-batch.
    MicroBatch,
    /// One pass of one layer, with a little of its neighbours.
    Layer,
}

impl Level {
    /// Every level, from the widest to the closest.
    pub const ALL: [Self; 3] = [Self::Step, Self::MicroBatch, Self::Layer];

    /// Returns the next closer level.
    #[must_use]
    pub fn closer(self) -> Self {
        if self == Self::Step { Self::MicroBatch } else { Self::Layer }
    }
}

/// A zoom level around a place. The place is a fraction of the step, so that it keeps its meaning
/// while a slider moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Zoom {
    /// The zoom level.
    pub level: Level,
    /// The place, 0 to 1.
    pub at: f64,
    /// A selected part of the step, in fractions of the step; the level sets the zero of the axis.
    pub part: Option<VisibleRange>,
}

impl Zoom {
    /// The whole step.
    pub const WHOLE: Self = Self::on(Level::Step, 0.5);

    /// Creates a zoom on the full extent of a level at a place.
    pub const fn on(level: Level, at: f64) -> Self {
        Self { level, at, part: None }
    }

    /// Returns one level closer at a place; a part within one of the micro-batches zooms to a
    /// layer.
    #[must_use]
    pub fn closer(self, at: f64, micro_batches: u32) -> Self {
        let within = self.part.is_some_and(|(from, to)| (to - from) * f64::from(micro_batches) < 1.0);
        Self::on(if within { Level::Layer } else { self.level.closer() }, at)
    }
}

/// The visible part of a step.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Start time.
    pub from: Seconds,
    /// End time.
    pub to: Seconds,
    /// Zero of the axis: the start of the micro-batch or layer.
    pub origin: Seconds,
    /// Label of the axis.
    pub label: String,
}

impl Window {
    /// Returns the window of a zoom.
    pub fn new(zoom: Zoom, playback: &Playback) -> Self {
        let whole = Self::for_level(zoom, playback);
        match zoom.part {
            Some((from, to)) => Self { from: from * playback.end(), to: to * playback.end(), ..whole },
            None => whole,
        }
    }

    fn for_level(zoom: Zoom, playback: &Playback) -> Self {
        let time = zoom.at * playback.end();
        let micro_batch = playback.at(time);
        let named = format!("Time in micro-batch {}", micro_batch + 1);
        match zoom.level {
            Level::Step => {
                Self { from: Seconds::ZERO, to: playback.end(), origin: Seconds::ZERO, label: "Time".to_string() }
            }
            Level::MicroBatch => {
                let (from, to) = (playback.start(micro_batch), playback.start(micro_batch + 1));
                Self { from, to, origin: from, label: named }
            }
            Level::Layer => {
                let (from, to) = layer(playback, micro_batch, time);
                let beside = BESIDE * (to - from);
                let ends = ((from - beside).max(Seconds::ZERO), (to + beside).min(playback.end()));
                Self { from: ends.0, to: ends.1, origin: from, label: "Time from the layer’s start".to_string() }
            }
        }
    }
}

/// Returns start and end of the layer's pass at a time, or of the nearest pass in the micro-batch;
/// those of the micro-batch if there are no layers.
fn layer(playback: &Playback, micro_batch: u32, time: Seconds) -> (Seconds, Seconds) {
    let mut nearest = (playback.start(micro_batch), playback.start(micro_batch + 1));
    let mut least = Seconds::new(f64::INFINITY);
    let mut own: Option<(u32, Seconds, Seconds)> = None;
    playback.micro_batch(micro_batch, &mut |span: Span| {
        if !matches!(span.lane, Lane::Compute | Lane::AllToAll | Lane::Exchange) {
            return;
        }
        // The head runs between the last layer's two passes.
        let Some(layer) = span.layer else {
            own = None;
            return;
        };
        let (from, to) = match own {
            Some((same, from, to)) if same == layer => (from.min(span.start), to.max(span.end)),
            _ => (span.start, span.end),
        };
        own = Some((layer, from, to));
        let away = (from - time).max(time - to).max(Seconds::ZERO);
        if away <= least {
            (least, nearest) = (away, (from, to));
        }
    });
    nearest
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use engine::scenario::Scenario;

    #[test]
    fn every_level_is_within_the_one_before_and_holds_the_place() {
        let setup = Scenario { grad_accum_steps: 5, ..default_scenario() }.setup();
        let playback = Playback::new(&setup);
        let step = playback.end();
        for at in [0.05, 0.1, 0.37, 0.5, 0.83] {
            let [whole, micro_batch, layer] = Level::ALL.map(|level| Window::new(Zoom::on(level, at), &playback));
            assert_eq!((whole.from, whole.to), (Seconds::ZERO, step));
            for (window, least) in [(&micro_batch, 4.0), (&layer, 90.0)] {
                assert!((window.to - window.from) < step / least, "{window:?}");
                assert!(window.from <= window.origin && window.origin < window.to);
            }
            assert!(micro_batch.from <= at * step && at * step <= micro_batch.to);
            assert!(layer.from >= micro_batch.from - (layer.to - layer.from) && layer.to <= micro_batch.to);
        }
    }
}

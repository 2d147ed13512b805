//! Which part of a step is looked at.

use crate::decimal::within;
use crate::model::report::{Lane, Span};
use crate::model::step::playback::Playback;
use crate::units::Seconds;

/// The smallest part of a step that can be looked at.
const LEAST: f64 = 1e-6;
/// What is shown of its neighbours beside a layer, as a share of its length.
const BESIDE: f64 = 0.25;

/// A part of a step, in shares of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// Its start.
    pub from: f64,
    /// Its end.
    pub to: f64,
}

impl Window {
    /// The whole step.
    pub const WHOLE: Self = Self { from: 0.0, to: 1.0 };

    /// A part of this length around a share of the step, moved where it would leave the step.
    fn around(middle: f64, length: f64) -> Self {
        let length = length.clamp(LEAST, 1.0);
        let from = within(middle - length / 2.0, 0.0, 1.0 - length);
        Self { from, to: from + length }
    }

    /// Between two times of a step, if there is time between them.
    fn between(from: Seconds, to: Seconds, step: Seconds) -> Self {
        Self::around(0.5 * (from + to) / step, (to - from) / step)
    }

    /// Its length.
    pub fn length(&self) -> f64 {
        self.to - self.from
    }

    /// Its middle.
    pub fn middle(&self) -> f64 {
        f64::midpoint(self.from, self.to)
    }

    /// The part `factor` times as long that has the same share of the step at the same place.
    #[must_use]
    pub fn scaled(&self, at: f64, factor: f64) -> Self {
        Self::around(at + factor * (self.middle() - at), factor * self.length())
    }

    /// The part of the same length, so much later in its own lengths.
    #[must_use]
    pub fn moved(&self, lengths: f64) -> Self {
        Self::around(self.middle() + lengths * self.length(), self.length())
    }
}

/// How closely one looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The whole step.
    Step,
    /// One micro-batch.
    MicroBatch,
    /// One pass of one layer.
    Layer,
}

impl Level {
    /// Every level, from afar to near.
    pub const ALL: [Self; 3] = [Self::Step, Self::MicroBatch, Self::Layer];
}

/// What is looked at: places are shares of the step, so that they keep their meaning while a slider moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Zoom {
    /// What runs at a place, at a level.
    Near(Level, f64),
    /// A part chosen freely.
    Free(Window),
}

impl Zoom {
    /// The whole step.
    pub const WHOLE: Self = Self::Near(Level::Step, 0.0);

    /// The part of a step.
    pub fn window(self, playback: &Playback) -> Window {
        let step = playback.end();
        match self {
            _ if step <= Seconds::ZERO => Window::WHOLE,
            Self::Free(window) => window,
            Self::Near(Level::Step, _) => Window::WHOLE,
            Self::Near(Level::MicroBatch, at) => {
                let micro_batch = playback.at(at * step);
                Window::between(playback.start(micro_batch), playback.start(micro_batch + 1), step)
            }
            Self::Near(Level::Layer, at) => {
                let (from, to) = layer(playback, at * step);
                let beside = BESIDE * (to - from);
                Window::between(from - beside, to + beside, step)
            }
        }
    }
}

/// When the pass of a layer that runs at a time starts and ends, or that of the layer nearest to it in its micro-batch; the whole
/// micro-batch where it has no layers.
fn layer(playback: &Playback, time: Seconds) -> (Seconds, Seconds) {
    let micro_batch = playback.at(time);
    let mut nearest = (playback.start(micro_batch), playback.start(micro_batch + 1));
    let mut least = Seconds::new(f64::INFINITY);
    let mut own: Option<(u32, Seconds, Seconds)> = None;
    playback.micro_batch(micro_batch, &mut |span: Span| {
        if !matches!(span.lane, Lane::Compute | Lane::AllToAll | Lane::Exchange) {
            return;
        }
        // The head lies between the last layer's passes.
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
    use crate::catalog::default_scenario;
    use crate::scenario::Scenario;

    #[test]
    fn a_window_never_leaves_the_step() {
        let window = Window::WHOLE.scaled(0.9, 0.25);
        assert!((window.from - 0.675).abs() < 1e-12 && (window.to - 0.925).abs() < 1e-12);
        for moved in [window.moved(-40.0), window.moved(40.0), window.scaled(0.7, 1e-30), window.scaled(0.7, 1e30)] {
            assert!(moved.from >= 0.0 && moved.to <= 1.0 + 1e-12 && moved.length() >= LEAST * 0.999, "{moved:?}");
        }
    }

    #[test]
    fn every_level_is_within_the_one_before_and_holds_the_place() {
        let setup = Scenario { grad_accum_steps: 5, ..default_scenario() }.setup();
        let playback = Playback::of(&setup);
        for at in [0.0, 0.1, 0.37, 0.5, 0.93] {
            let [step, micro_batch, layer] = Level::ALL.map(|level| Zoom::Near(level, at).window(&playback));
            assert_eq!(step, Window::WHOLE);
            assert!(micro_batch.length() < 0.25 && micro_batch.from <= at + 1e-9 && at <= micro_batch.to);
            assert!(layer.length() < micro_batch.length() / 20.0, "{layer:?}");
            assert!(layer.from <= at + micro_batch.length() && at - micro_batch.length() <= layer.to);
        }
    }
}

//! Undo and redo: two capped queues around the present.

use std::collections::VecDeque;

use engine::scenario::Scenario;
use engine::scenario::pins::MOST_PINS;

/// Maximum number of undo steps.
const CAP: usize = 200;

/// The pins that a step replaced, and those in their place.
#[derive(Clone, Debug, PartialEq)]
struct PinStep {
    before: Vec<Scenario>,
    after: Vec<Scenario>,
}

/// A committed scenario, and the pins that the step between it and the present side replaced; most
/// steps leave the pins alone.
#[derive(Clone, Debug, PartialEq)]
struct Entry {
    scenario: Scenario,
    pins: Option<Box<PinStep>>,
}

/// The committed scenarios.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct History {
    past: VecDeque<Entry>,
    present: Scenario,
    future: VecDeque<Entry>,
}

impl History {
    pub(super) fn new(present: &Scenario) -> Self {
        Self { past: VecDeque::new(), present: *present, future: VecDeque::new() }
    }

    pub(super) fn present(&self) -> Scenario {
        self.present
    }

    pub(super) fn has_past(&self) -> bool {
        !self.past.is_empty()
    }

    pub(super) fn has_future(&self) -> bool {
        !self.future.is_empty()
    }

    /// Makes a scenario the present; does nothing if it is the present already.
    pub(super) fn commit(&mut self, scenario: &Scenario) {
        if *scenario != self.present {
            self.step(scenario, None);
        }
    }

    /// Makes a scenario the present together with its pins, in one step: what brings pins takes
    /// them along when it is undone.
    pub(super) fn commit_with_pins(&mut self, scenario: &Scenario, before: &[Scenario], after: &[Scenario]) {
        if before == after {
            self.commit(scenario);
        } else {
            self.step(scenario, Some(Box::new(PinStep { before: before.to_vec(), after: after.to_vec() })));
        }
    }

    fn step(&mut self, scenario: &Scenario, pins: Option<Box<PinStep>>) {
        push_capped(&mut self.past, Entry { scenario: self.present, pins });
        self.present = *scenario;
        self.future.clear();
    }

    /// Drops the present, if it directly follows this scenario.
    pub(super) fn withdraw(&mut self, before: &Scenario) {
        if self.past.back().is_some_and(|last| last.scenario == *before)
            && let Some(last) = self.past.pop_back()
        {
            self.present = last.scenario;
        }
    }

    /// Goes back by one step, and puts the pins back that the step replaced.
    pub(super) fn undo(&mut self, pins: &mut Vec<Scenario>) -> Scenario {
        if let Some(Entry { scenario, pins: step }) = self.past.pop_back() {
            if let Some(step) = &step {
                exchange(pins, &step.after, &step.before);
            }
            push_capped(&mut self.future, Entry { scenario: self.present, pins: step });
            self.present = scenario;
        }
        self.present
    }

    /// Goes forward by one step, and replaces the pins as the step did.
    pub(super) fn redo(&mut self, pins: &mut Vec<Scenario>) -> Scenario {
        if let Some(Entry { scenario, pins: step }) = self.future.pop_back() {
            if let Some(step) = &step {
                exchange(pins, &step.before, &step.after);
            }
            push_capped(&mut self.past, Entry { scenario: self.present, pins: step });
            self.present = scenario;
        }
        self.present
    }
}

/// Replaces the pins of one side of a step by those of the other; what the reader pinned since
/// stays while there is room.
fn exchange(pins: &mut Vec<Scenario>, from: &[Scenario], to: &[Scenario]) {
    let own = pins.iter().filter(|pin| !from.contains(pin) && !to.contains(pin)).copied();
    *pins = to.iter().copied().chain(own).take(MOST_PINS).collect();
}

fn push_capped(queue: &mut VecDeque<Entry>, entry: Entry) {
    if queue.len() == CAP {
        queue.pop_front();
    }
    queue.push_back(entry);
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;

    fn with_gpus(gpus: u32) -> Scenario {
        Scenario { gpus, ..default_scenario() }
    }

    #[test]
    fn undo_and_redo_are_inverse() {
        let (mut history, mut pins) = (History::new(&with_gpus(8)), Vec::new());
        history.commit(&with_gpus(16));
        history.commit(&with_gpus(32));
        assert_eq!(history.undo(&mut pins).gpus, 16);
        assert_eq!(history.undo(&mut pins).gpus, 8);
        assert_eq!(history.undo(&mut pins).gpus, 8);
        assert_eq!(history.redo(&mut pins).gpus, 16);
        history.commit(&with_gpus(64));
        assert!(!history.has_future());
    }

    #[test]
    fn a_step_that_brings_pins_takes_them_along_when_it_is_undone() {
        let mut history = History::new(&with_gpus(8));
        let mut pins = vec![with_gpus(1)];
        history.commit_with_pins(&with_gpus(8), &pins, &[with_gpus(16)]);
        pins = vec![with_gpus(16), with_gpus(24)];
        history.undo(&mut pins);
        assert_eq!(pins, [1, 24].map(with_gpus));
        history.redo(&mut pins);
        assert_eq!(pins, [16, 24].map(with_gpus));
        assert!(history.has_past() && !history.has_future());
    }

    #[test]
    fn only_so_many_steps_are_kept() {
        let mut history = History::new(&with_gpus(1));
        for gpus in 2..2000 {
            history.commit(&with_gpus(gpus));
        }
        assert_eq!(history.past.len(), CAP);
    }
}

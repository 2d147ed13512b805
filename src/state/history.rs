//! Undo and redo: two capped queues around the present.

use std::collections::VecDeque;

use engine::scenario::Scenario;

/// Maximum number of undo steps.
const CAP: usize = 200;

/// The committed scenarios.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct History {
    past: VecDeque<Scenario>,
    present: Scenario,
    future: VecDeque<Scenario>,
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
        if *scenario == self.present {
            return;
        }
        push_capped(&mut self.past, &self.present);
        self.present = *scenario;
        self.future.clear();
    }

    /// Drops the present, if it directly follows this scenario.
    pub(super) fn withdraw(&mut self, before: &Scenario) {
        if self.past.back() == Some(before)
            && let Some(before) = self.past.pop_back()
        {
            self.present = before;
        }
    }

    pub(super) fn undo(&mut self) -> Scenario {
        if let Some(scenario) = self.past.pop_back() {
            push_capped(&mut self.future, &self.present);
            self.present = scenario;
        }
        self.present
    }

    pub(super) fn redo(&mut self) -> Scenario {
        if let Some(scenario) = self.future.pop_back() {
            push_capped(&mut self.past, &self.present);
            self.present = scenario;
        }
        self.present
    }
}

fn push_capped(queue: &mut VecDeque<Scenario>, scenario: &Scenario) {
    if queue.len() == CAP {
        queue.pop_front();
    }
    queue.push_back(*scenario);
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
        let mut history = History::new(&with_gpus(8));
        history.commit(&with_gpus(16));
        history.commit(&with_gpus(32));
        assert_eq!(history.undo().gpus, 16);
        assert_eq!(history.undo().gpus, 8);
        assert_eq!(history.undo().gpus, 8);
        assert_eq!(history.redo().gpus, 16);
        history.commit(&with_gpus(64));
        assert!(!history.has_future());
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

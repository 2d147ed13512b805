//! How an action changes parameters of the scenario.

use super::{Draft, Pick, State};
use charts::views::TIME;
use engine::analysis::sweep;
use engine::catalog::{pick, preset};
use engine::params::{self, Group, Kind, Param, quantity, scale};
use engine::scenario::{CUSTOM, Model, Scenario};

impl State {
    /// Moves a slider.
    pub(super) fn slide(&mut self, key: &str, index: u32) {
        self.forget_draft(key);
        if let Some(Kind::Number(number)) = params::find(key).map(|param| param.kind) {
            self.number(key, scale::slider_value(&number, index));
        }
        self.settled = false;
    }

    /// Chooses an option.
    pub(super) fn choose(&mut self, key: &str, index: usize) {
        if let Some(param @ &Param { kind: Kind::Choice(choice), .. }) = params::find(key) {
            self.make_custom(param);
            (choice.set)(&mut self.scenario, index);
        }
        self.settled = true;
    }

    /// Puts a parameter back to its preset.
    pub(super) fn put_back(&mut self, key: &str) {
        self.forget_draft(key);
        if let Some(param) = params::find(key) {
            preset::put_back(param, &mut self.scenario, &self.preset);
        }
        self.settled = true;
    }

    /// Chooses a place in a figure: parameters by their keys, and the time of the timeline.
    pub(super) fn place(&mut self, values: Vec<(&'static str, f64)>) {
        self.placed = Some(self.scenario);
        for (key, value) in values {
            self.forget_draft(key);
            if key == TIME {
                self.view.zoom = self.view.zoom.closer(value, self.scenario.grad_accum_steps);
            }
            if let Some(Kind::Number(number)) = params::find(key).map(|param| param.kind)
                && (number.get)(&self.scenario) != value
            {
                sweep::assign(&mut self.scenario, &number, value);
            }
        }
        self.settled = true;
    }

    /// Ends a gesture.
    pub(super) fn settle(&mut self) {
        self.drafts.retain(|draft| draft.refusal.is_some());
        self.settled = true;
    }

    /// Sets a number.
    fn number(&mut self, key: &str, value: f64) {
        if let Some(param @ &Param { kind: Kind::Number(number), .. }) = params::find(key) {
            self.make_custom(param);
            (number.set)(&mut self.scenario, value);
        }
    }

    /// Before a row of the architecture is set, a named model becomes custom.
    fn make_custom(&mut self, param: &Param) {
        if param.group == Group::Architecture && !matches!(self.scenario.model, Model::Custom { .. }) {
            pick::pick_model(&mut self.scenario, CUSTOM);
        }
    }

    /// Types text into a field; text that is no value keeps the scenario from before the edit.
    pub(super) fn typed(&mut self, key: &'static str, text: String) {
        let before = self.before_the_edit(key);
        self.forget_draft(key);
        let Some(param) = params::find(key) else { return };
        let Kind::Number(number) = param.kind else { return };
        let refusal = match quantity::parse(param.label, &number, &text, (number.get)(&before)) {
            Ok(value) => {
                // The same value in other words changes nothing.
                if value != (number.get)(&self.scenario) {
                    self.make_custom(param);
                    (number.set)(&mut self.scenario, value);
                }
                None
            }
            Err(refusal) => {
                // `1` was a value on the way to `1e99`, and nobody meant it.
                self.scenario = before;
                Some(refusal)
            }
        };
        self.settled = false;
        self.drafts.push(Draft { key, text, refusal, before, after: self.scenario });
    }

    /// The scenario before the text in a field was edited. Whatever else changed the scenario since has ended the edit.
    fn before_the_edit(&self, key: &str) -> Scenario {
        let draft = self.draft(key).filter(|draft| draft.after == self.scenario);
        draft.map_or(self.scenario, |draft| draft.before)
    }

    /// Puts back the scenario before the edit.
    pub(super) fn give_up(&mut self, key: &str) {
        self.scenario = self.before_the_edit(key);
        self.forget_draft(key);
        self.settled = true;
    }

    /// Takes the value that was offered for text that is none.
    pub(super) fn nearest(&mut self, key: &'static str) {
        let nearest = self.draft(key).and_then(|draft| draft.refusal.as_ref()).map(|refusal| refusal.nearest);
        self.forget_draft(key);
        if let Some(value) = nearest {
            self.number(key, value);
        }
        self.settled = true;
    }

    /// Picks an entry of the catalog.
    pub(super) fn pick(&mut self, pick: Pick) {
        match pick {
            Pick::Model(id) => pick::pick_model(&mut self.scenario, id),
            Pick::Ladder => pick::pick_model(&mut self.scenario, pick::LADDER),
            Pick::Accelerator(id) => pick::pick_accelerator(&mut self.scenario, id),
            Pick::Cluster(id) => pick::pick_cluster(&mut self.scenario, id),
        };
        self.drafts.clear();
        self.settled = true;
    }

    fn forget_draft(&mut self, key: &str) {
        self.drafts.retain(|draft| draft.key != key);
    }
}

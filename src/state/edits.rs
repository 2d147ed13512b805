//! Changes of parameters of the scenario.

use super::{Draft, Pick, State};
use analysis::{releases::at, sweep};
use catalog::{pick, preset, releases};
use charts::spec::AxisKey;
use engine::params::{Group, Param, ParamId, quantity, scale};
use engine::scenario::{CUSTOM, Model, Scenario};

impl State {
    /// Moves a slider.
    pub(super) fn slide(&mut self, key: ParamId, index: u32) {
        self.forget_draft(key);
        if let Some(number) = key.number() {
            self.make_custom(key.param());
            sweep::slide(&mut self.scenario, number, index);
        }
        self.settled = false;
    }

    /// Types text into a field; text that is no value restores the scenario from before the edit.
    pub(super) fn type_text(&mut self, key: ParamId, text: String) {
        let before = self.before_the_edit(key);
        self.forget_draft(key);
        let (param, Some(number)) = (key.param(), key.number()) else { return };
        let refusal = match quantity::parse(param.label, &number.within(&before), &text, (number.get)(&before)) {
            Ok(value) => {
                // Another spelling of the present value changes nothing.
                if value != (number.get)(&self.scenario) {
                    self.make_custom(param);
                    (number.set)(&mut self.scenario, value);
                }
                None
            }
            Err(refusal) => {
                // The text may have been a value before, as `1` on the way to `1e99`: drop that
                // value.
                self.scenario = before;
                Some(refusal)
            }
        };
        self.settled = false;
        self.drafts.push(Draft { key, text, refusal, before, after: self.scenario });
    }

    /// Sets the value one step above or below.
    pub(super) fn nudge(&mut self, key: ParamId, up: bool) {
        self.forget_draft(key);
        if let Some(number) = key.number() {
            self.number(key, scale::nudged(number, (number.get)(&self.scenario), up));
        }
        self.settled = false;
    }

    /// Ends a gesture; text that is no value stays in its field.
    pub(super) fn settle(&mut self) {
        self.drafts.retain(|draft| draft.refusal.is_some());
        self.settled = true;
    }

    /// Takes the value that was offered for text that is no value.
    pub(super) fn nearest(&mut self, key: ParamId) {
        let nearest = self.draft(key).and_then(|draft| draft.refusal.as_ref()).map(|refusal| refusal.nearest);
        self.forget_draft(key);
        if let Some(value) = nearest {
            self.number(key, value);
        }
        self.settled = true;
    }

    /// Restores the scenario from before the edit.
    pub(super) fn give_up(&mut self, key: ParamId) {
        self.scenario = self.before_the_edit(key);
        self.forget_draft(key);
        self.settled = true;
    }

    /// Chooses an option.
    pub(super) fn choose(&mut self, key: ParamId, index: usize) {
        if let Some(choice) = key.param().choice() {
            self.make_custom(key.param());
            (choice.set)(&mut self.scenario, index);
        }
        self.settled = true;
    }

    /// Picks an entry of the catalog.
    pub(super) fn pick(&mut self, pick: Pick) {
        match pick {
            Pick::Model(id) => pick::pick_model(&mut self.scenario, id),
            Pick::Ladder => pick::pick_model(&mut self.scenario, pick::LADDER),
            Pick::Accelerator(id) => pick::move_to_accelerator(&mut self.scenario, id),
            // A number of GPUs that the reader chose is kept.
            Pick::Cluster(id) if self.has_gpus => pick::pick_cluster(&mut self.scenario, id),
            Pick::Cluster(id) => pick::move_to_cluster(&mut self.scenario, id),
            Pick::Release(id) => {
                match releases::find(id) {
                    Some(release) => self.scenario = at(&self.scenario, release),
                    None => self.scenario.release = None,
                }
                true
            }
        };
        self.drafts.clear();
        self.settled = true;
    }

    /// Puts a parameter back to its preset.
    pub(super) fn put_back(&mut self, key: ParamId) {
        self.forget_draft(key);
        preset::put_back(key.param(), &mut self.scenario, &self.preset);
        self.settled = true;
    }

    /// Chooses a place in a figure: values of parameters, and the time of the timeline.
    pub(super) fn place(&mut self, values: Vec<(AxisKey, f64)>) {
        self.placed = Some(self.scenario);
        for (key, value) in values {
            let AxisKey::Param(id) = key else {
                self.view.zoom = self.view.zoom.closer(value, self.scenario.grad_accum_steps);
                continue;
            };
            self.forget_draft(id);
            if let Some(number) = id.number()
                && (number.get)(&self.scenario) != value
            {
                sweep::assign(&mut self.scenario, number, value);
            }
        }
        self.settled = true;
    }

    /// Sets a number.
    fn number(&mut self, key: ParamId, value: f64) {
        if let Some(number) = key.number() {
            self.make_custom(key.param());
            (number.set)(&mut self.scenario, value);
        }
    }

    /// Makes a named model custom, before a parameter of its architecture is set.
    fn make_custom(&mut self, param: &Param) {
        if param.group == Group::Architecture && !matches!(self.scenario.model, Model::Custom { .. }) {
            pick::pick_model(&mut self.scenario, CUSTOM);
        }
    }

    /// Returns the scenario before the edit of a field. Any other change of the scenario ends the
    /// edit.
    fn before_the_edit(&self, key: ParamId) -> Scenario {
        let draft = self.draft(key).filter(|draft| draft.after == self.scenario);
        draft.map_or(self.scenario, |draft| draft.before)
    }

    fn forget_draft(&mut self, key: ParamId) {
        self.drafts.retain(|draft| draft.key != key);
    }
}

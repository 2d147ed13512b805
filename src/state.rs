//! The state: every choice of the reader, and how an action changes it. A pure reducer without a
//! browser.

mod action;
mod edits;
mod history;
mod target;

use std::rc::Rc;

pub use action::{Action, Pick};
use history::History;
pub use target::SelectTarget;
use yew::Reducible;

use crate::view::View;
use analysis::neighbour_layouts;
use catalog::preset;
use engine::model::anchor::Anchor;
use engine::params::{ParamId, quantity};
use engine::scenario::issue::Issue;
use engine::scenario::pins::MOST_PINS;
use engine::scenario::{Model, Scenario};

/// Text of a typed field that is not the plain value.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// The parameter.
    pub key: ParamId,
    /// Text of the field.
    pub text: String,
    /// Reason why the text is no value, and the nearest value.
    pub refusal: Option<quantity::TypedError>,
    /// Scenario before the edit, restored if the text is no value or the edit is cancelled.
    before: Scenario,
    /// Scenario after the edit.
    after: Scenario,
}

/// Every choice.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The scenario on screen, also in the middle of a gesture.
    pub scenario: Scenario,
    /// Whether the last gesture is over, so that the scenario may be committed to the link and to
    /// undo.
    pub settled: bool,
    /// The committed scenarios.
    history: History,
    /// Texts in typed fields.
    drafts: Vec<Draft>,
    /// Scenarios pinned for comparison, at most [`MOST_PINS`]. Undo changes only those that came
    /// with what it undoes: a comparison from the box, or a link.
    pub pins: Vec<Scenario>,
    /// Index in the gallery of the opened example, until it is closed or something else is opened.
    pub example: Option<usize>,
    /// Parts of the link that could not be read.
    pub banner: Vec<Issue>,
    /// Axes, panels and other view settings.
    pub view: View,
    /// Whether the reader chose the number of GPUs: another cluster then keeps that number.
    has_gpus: bool,
    /// The reader's own measured run that corrects the prediction, if it was brought to this page:
    /// a link holds the correction alone.
    pub measured: Option<Scenario>,
    /// Scenario before the last action, if that action chose a place in a figure: a double-click
    /// restores this scenario.
    placed: Option<Scenario>,
    /// Scenario that changes are measured against: the catalog's values of the picked entries. It
    /// is state, not derived: for custom values it remembers the entry that they were made from,
    /// which the scenario alone does not hold ([`preset::following`]).
    pub preset: Scenario,
}

impl State {
    /// Creates the state for the scenario of a link.
    pub fn new(scenario: &Scenario, banner: Vec<Issue>, view: View) -> Self {
        let (history, preset) = (History::new(scenario), preset::preset_of(scenario));
        let (view, drafts, pins) = (view.bounded(scenario), Vec::new(), Vec::new());
        Self {
            scenario: *scenario,
            settled: true,
            history,
            drafts,
            pins,
            example: None,
            banner,
            view,
            has_gpus: scenario.gpus != catalog::default_scenario().gpus,
            measured: None,
            placed: None,
            preset,
        }
    }

    /// Pins the scenario on screen; does nothing if it is pinned already, or [`MOST_PINS`] are.
    fn pin(&mut self) {
        if self.pins.len() < MOST_PINS && !self.pins.contains(&self.scenario) {
            self.pins.push(self.scenario);
        }
    }

    /// Exchanges a pinned scenario and the one on screen.
    fn swap(&mut self, place: usize) {
        let now = self.scenario;
        if let Some(pin) = self.pins.get_mut(place) {
            let scenario = core::mem::replace(pin, now);
            self.take(&scenario);
            self.preset = preset::preset_of(&scenario);
        }
    }

    /// Returns the state with these scenarios pinned.
    #[must_use]
    pub fn with_pins(self, pins: Vec<Scenario>) -> Self {
        Self { pins, ..self }
    }

    /// Returns the committed scenario, which is in the link and is the present of undo.
    pub fn committed(&self) -> Scenario {
        self.history.present()
    }

    /// Whether there is something to undo.
    pub fn can_undo(&self) -> bool {
        self.history.has_past() || self.scenario != self.committed()
    }

    /// Whether there is something to redo.
    pub fn can_redo(&self) -> bool {
        self.history.has_future()
    }

    /// Returns the texts in typed fields that are not the plain value.
    pub fn drafts(&self) -> &[Draft] {
        &self.drafts
    }

    /// Returns the text in a typed field, if it is not the plain value.
    pub fn draft(&self, key: ParamId) -> Option<&Draft> {
        self.drafts.iter().find(|draft| draft.key == key)
    }

    /// Replaces the scenario.
    fn take(&mut self, scenario: &Scenario) {
        if scenario.anchor != self.scenario.anchor {
            self.measured = (scenario.anchor != Anchor::NONE).then_some(*scenario);
        }
        self.scenario = *scenario;
        self.drafts.clear();
        self.settled = true;
    }

    fn apply(&mut self, action: Action) {
        let placed = self.placed.take();
        match action {
            Action::Slide { key, index } => self.slide(key, index),
            Action::Type { key, text } => self.type_text(key, text),
            Action::Nudge { key, up } => self.nudge(key, up),
            Action::EndGesture => self.settle(),
            Action::TakeNearest { key } => self.nearest(key),
            Action::CancelEdit { key } => self.give_up(key),
            Action::StepCount { key, value } => self.take(&neighbour_layouts::with_count(&self.scenario, key, value)),
            Action::Choose { key, index } => self.choose(key, index),
            Action::Pick(pick) => self.pick(pick),
            Action::ImportModel(architecture) => {
                let model = Model::Custom { architecture: *architecture };
                self.take(&self.scenario.with_model(model));
                // Later changes are measured against the config.
                self.preset.model = model;
            }
            Action::ResetParam { key } => self.put_back(key),
            Action::ChoosePlace(values) => self.place(values),
            Action::Drag(values) => {
                self.place(values);
                (self.placed, self.settled) = (None, false);
            }
            Action::UndoChosenPlace => {
                if let Some(before) = placed {
                    self.history.withdraw(&before);
                    self.take(&before);
                }
            }
            Action::ReplaceScenario(scenario) => self.take(&scenario),
            Action::Commit => {
                self.placed = placed;
                self.history.commit(&self.scenario);
            }
            Action::Undo => {
                self.history.commit(&self.scenario);
                let scenario = self.history.undo(&mut self.pins);
                self.take(&scenario);
            }
            Action::Redo => {
                self.history.commit(&self.scenario);
                let scenario = self.history.redo(&mut self.pins);
                self.take(&scenario);
            }
            Action::Pin => self.pin(),
            Action::Unpin(place) => {
                if place < self.pins.len() {
                    self.pins.remove(place);
                }
            }
            Action::Swap(place) => self.swap(place),
            Action::OpenLink { scenario, pins, issues } => {
                self.history.commit(&self.scenario);
                self.history.commit_with_pins(&scenario, &self.pins, &pins);
                self.take(&scenario);
                self.pins = pins;
                self.example = None;
                self.preset = preset::preset_of(&scenario);
                self.banner = issues;
            }
            Action::ShowExample(place) => self.example = place,
            Action::DismissBanner => self.banner.clear(),
            Action::ChangeView(view) => {
                self.placed = placed;
                self.view = view.bounded(&self.scenario);
            }
            Action::RestoreView(view) => {
                let View { theme, embed, panels, controls, .. } = self.view;
                self.view = View { theme, embed, panels, controls, ..view }.bounded(&self.scenario);
            }
            Action::OpenExplanation(key) => self.view = self.view.explaining(key),
            Action::FollowExplanation(key) => self.view = self.view.following(key),
        }
    }
}

impl Reducible for State {
    type Action = Action;

    fn reduce(mut self: Rc<Self>, action: Action) -> Rc<Self> {
        let state = Rc::make_mut(&mut self);
        let before = state.scenario;
        let is_picked = matches!(action, Action::Pick(_));
        state.apply(action);
        if !is_picked && state.scenario.gpus != before.gpus {
            state.has_gpus = true;
        }
        if state.scenario != before {
            state.preset = preset::following(&state.scenario, &state.preset);
        }
        self
    }
}

//! What waits for a pause: the commit of a gesture, and the sentence for screen readers.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::state::{Action, State};
use engine::scenario::Scenario;

/// How long a finished gesture stands still before it is committed: with one entry a pause, at most 4 a second.
const COMMIT_MS: u32 = 300;
/// How long a sentence stands still before it is said.
const SPEAK_MS: u32 = 900;
/// How long a scenario stands still before what is below the first screen follows.
const SETTLE_MS: u32 = 80;
/// How long a scenario stands still before what is out of sight follows.
const REST_MS: u32 = 450;

/// Commits the scenario once a gesture is over and nothing more has come for a moment.
#[hook]
pub fn use_commit(state: &State, emit: &Callback<Action>) {
    let due = state.settled && state.scenario != state.committed();
    let emit = emit.clone();
    use_effect_with((due, state.scenario), move |&(due, _)| {
        let timeout = due.then(|| Timeout::new(COMMIT_MS, move || emit.emit(Action::Commit)));
        move || drop(timeout)
    });
}

/// Whether the scenario has stood still for long enough that what is out of sight may follow too.
#[hook]
pub fn use_rested(scenario: &Scenario) -> bool {
    let rested = use_state_eq(|| None);
    use_pause(&Some(*scenario), REST_MS, rested.setter());
    *rested == Some(*scenario)
}

/// The text as it was when it last stood still.
#[hook]
pub fn use_after_pause(text: &AttrValue) -> AttrValue {
    let said = use_state(|| AttrValue::Static(""));
    use_pause(text, SPEAK_MS, said.setter());
    (*said).clone()
}

/// The scenario as it was when it last stood still: for what is below the first screen.
#[hook]
pub fn use_settled(scenario: &Scenario) -> Scenario {
    let settled = use_state_eq(|| *scenario);
    use_pause(scenario, SETTLE_MS, settled.setter());
    *settled
}

/// Sets a value once it has stood still for a while.
#[hook]
fn use_pause<T: Clone + PartialEq + 'static>(value: &T, ms: u32, setter: UseStateSetter<T>) {
    use_effect_with(value.clone(), move |value| {
        let value = value.clone();
        let timeout = Timeout::new(ms, move || setter.set(value));
        move || drop(timeout)
    });
}

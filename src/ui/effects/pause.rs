//! What waits for a pause: the commit of a gesture, and the sentence for screen readers.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::ui::state::{Action, State};

/// How long a finished gesture stands still before it is committed: with one entry a pause, at most 4 a second.
const COMMIT_MS: u32 = 300;
/// How long a sentence stands still before it is said.
const SPEAK_MS: u32 = 900;

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

/// The text as it was when it last stood still.
#[hook]
pub fn use_after_pause(text: &AttrValue) -> AttrValue {
    let said = use_state(|| AttrValue::Static(""));
    let setter = said.setter();
    use_effect_with(text.clone(), move |text| {
        let text = text.clone();
        let timeout = Timeout::new(SPEAK_MS, move || setter.set(text));
        move || drop(timeout)
    });
    (*said).clone()
}

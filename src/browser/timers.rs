//! Timers: actions wait for the next frame, commits and sentences for a pause.
//!
//! One redraw a frame: the first action is applied at once, so that its redraw is ready for the
//! next frame; what follows before that frame waits for it, and is shown together.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::state::{Action, State};
use engine::scenario::Scenario;

/// The pause between the end of a gesture and its commit, which makes at most 4 entries of the
/// history a second.
const COMMIT_MS: u32 = 300;
/// The pause before a sentence is announced to screen readers.
const SPEAK_MS: u32 = 900;
/// The pause before panels below the first screen follow the scenario.
const SETTLE_MS: u32 = 150;
/// The pause before panels out of sight follow the scenario.
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

/// Whether the scenario that stands still has done so for so long that panels out of sight may follow. While a slider moves nothing
/// comes due.
#[hook]
pub fn use_rested(settled: &Scenario, moving: bool) -> bool {
    let rested = use_state_eq(|| None);
    let setter = rested.setter();
    use_effect_with((*settled, moving), move |&(settled, moving)| {
        let timeout = (!moving).then(|| Timeout::new(REST_MS, move || setter.set(Some(settled))));
        move || drop(timeout)
    });
    *rested == Some(*settled)
}

/// The text as it was when it last stood still.
#[hook]
pub fn use_after_pause(text: &AttrValue) -> AttrValue {
    let said = use_state(|| AttrValue::Static(""));
    use_pause(text, SPEAK_MS, said.setter());
    (*said).clone()
}

/// The scenario as it was when it last stood still: for panels below the first screen.
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

/// Actions that wait, and the frame that they wait for.
#[derive(Default)]
struct Queue {
    actions: Vec<Action>,
    frame: Option<AnimationFrame>,
}

/// A callback that applies actions, at most one redraw a frame. Of several positions of one slider
/// only the last counts.
#[hook]
pub fn use_frame_queue(state: &UseReducerHandle<State>) -> Callback<Action> {
    let queue = use_mut_ref(Queue::default);
    let dispatcher = state.dispatcher();
    use_callback((), move |action: Action, ()| {
        let mut waiting = queue.borrow_mut();
        if waiting.frame.is_some() {
            wait(&mut waiting.actions, action);
        } else {
            waiting.frame = Some(next_frame(&queue, &dispatcher));
            drop(waiting);
            dispatcher.dispatch(action);
        }
    })
}

fn wait(actions: &mut Vec<Action>, action: Action) {
    if let (Action::Slide { key, .. }, Some(Action::Slide { key: last, .. })) = (&action, actions.last())
        && key == last
    {
        actions.pop();
    }
    actions.push(action);
}

fn next_frame(queue: &Rc<RefCell<Queue>>, dispatcher: &UseReducerDispatcher<State>) -> AnimationFrame {
    let (queue, dispatcher) = (queue.clone(), dispatcher.clone());
    request_animation_frame(move |_| {
        let actions = std::mem::take(&mut queue.borrow_mut().actions);
        // Nothing waited: the next action is applied at once again.
        let again = (!actions.is_empty()).then(|| next_frame(&queue, &dispatcher));
        queue.borrow_mut().frame = again;
        for action in actions {
            dispatcher.dispatch(action);
        }
    })
}

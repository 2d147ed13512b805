//! Timers: actions are applied on the next frame, commits and announcements after a pause.
//!
//! At most one redraw per frame: the first action is applied at once, so that its redraw is ready
//! for the next frame; actions that follow before that frame are queued and applied together.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::state::{Action, State};
use engine::scenario::Scenario;

/// Milliseconds before a sentence is announced to screen readers.
const SPEAK_MS: u32 = 900;
/// Milliseconds before panels below the first screen follow the scenario.
const SETTLE_MS: u32 = 150;
/// Milliseconds before panels out of sight follow the scenario.
const REST_MS: u32 = 450;

/// Time for which the scenario on screen has been unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// The scenario has just changed: figures are coarse.
    Moving,
    /// Unchanged for 150 ms: panels in sight follow.
    Settled,
    /// Unchanged for 450 ms: panels out of sight, long computations, link and history follow.
    Idle,
}

/// Returns the phase of the scenario on screen, by one timer.
#[hook]
pub fn use_phase(scenario: &Scenario) -> Phase {
    let reached = use_state_eq(|| (*scenario, Phase::Settled));
    let (of, so_far) = *reached;
    let phase = if of == *scenario { so_far } else { Phase::Moving };
    let setter = reached.setter();
    use_effect_with((*scenario, phase), move |&(scenario, phase)| {
        let next = match phase {
            Phase::Moving => Some((SETTLE_MS, Phase::Settled)),
            Phase::Settled => Some((REST_MS - SETTLE_MS, Phase::Idle)),
            Phase::Idle => None,
        };
        let timeout = next.map(|(ms, next)| Timeout::new(ms, move || setter.set((scenario, next))));
        move || drop(timeout)
    });
    phase
}

/// Commits the scenario to link and history once the gesture is over and the scenario is idle.
#[hook]
pub fn use_commit(state: &State, phase: Phase, emit: &Callback<Action>) {
    let due = phase == Phase::Idle && state.settled && state.scenario != state.committed();
    let emit = emit.clone();
    use_effect_with((due, state.scenario), move |&(due, _)| {
        if due {
            emit.emit(Action::Commit);
        }
    });
}

/// Returns the last text that was unchanged for 900 ms; empty at first.
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

/// Queued actions, and the frame that applies them.
#[derive(Default)]
struct Queue {
    actions: Vec<Action>,
    frame: Option<AnimationFrame>,
}

/// Returns a callback that applies actions, with at most one redraw per frame. Of several queued
/// positions of one slider, or of the dragged run, only the last counts.
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
    let replaces = match (&action, actions.last()) {
        (Action::Slide { key, .. }, Some(Action::Slide { key: last, .. })) => key == last,
        (Action::Drag(_), Some(Action::Drag(_))) => true,
        _ => false,
    };
    if replaces {
        actions.pop();
    }
    actions.push(action);
}

fn next_frame(queue: &Rc<RefCell<Queue>>, dispatcher: &UseReducerDispatcher<State>) -> AnimationFrame {
    let (queue, dispatcher) = (queue.clone(), dispatcher.clone());
    request_animation_frame(move |_| {
        let actions = std::mem::take(&mut queue.borrow_mut().actions);
        // Without queued actions, the next action is applied at once again.
        let again = (!actions.is_empty()).then(|| next_frame(&queue, &dispatcher));
        queue.borrow_mut().frame = again;
        for action in actions {
            dispatcher.dispatch(action);
        }
    })
}

//! One redraw a frame: the first action is applied at once, so that its redraw is ready for the next frame; what follows
//! before that frame waits for it, and is shown together.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use yew::prelude::*;

use crate::state::{Action, State};

/// Actions that wait, and the frame that they wait for.
#[derive(Default)]
struct Queue {
    actions: Vec<Action>,
    frame: Option<AnimationFrame>,
}

/// A callback that applies actions, at most one redraw a frame. Of several positions of one slider only the last counts.
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

//! One redraw a frame: actions wait for the next animation frame, and its painting shows them all.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use yew::prelude::*;

use crate::ui::state::{Action, State};

/// Actions that wait, and the frame that they wait for.
#[derive(Default)]
struct Queue {
    actions: Vec<Action>,
    frame: Option<AnimationFrame>,
}

/// A callback that applies actions at the next frame. Of several positions of one slider in a frame only the last counts.
#[hook]
pub fn use_frame_queue(state: &UseReducerHandle<State>) -> Callback<Action> {
    let queue = use_mut_ref(Queue::default);
    let dispatcher = state.dispatcher();
    use_callback((), move |action: Action, ()| {
        let mut waiting = queue.borrow_mut();
        if let (Action::Slide { key, .. }, Some(Action::Slide { key: last, .. })) = (&action, waiting.actions.last())
            && key == last
        {
            waiting.actions.pop();
        }
        waiting.actions.push(action);
        if waiting.frame.is_none() {
            let (queue, dispatcher) = (queue.clone(), dispatcher.clone());
            waiting.frame = Some(request_animation_frame(move |_| flush(&queue, &dispatcher)));
        }
    })
}

fn flush(queue: &Rc<RefCell<Queue>>, dispatcher: &UseReducerDispatcher<State>) {
    let mut waiting = queue.borrow_mut();
    waiting.frame = None;
    let actions = std::mem::take(&mut waiting.actions);
    drop(waiting);
    for action in actions {
        dispatcher.dispatch(action);
    }
}

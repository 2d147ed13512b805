//! What could not be read in a link, and what was used instead; what the browser does not do for
//! the page.

use yew::prelude::*;

use crate::browser::Thread;
use crate::state::Action;
use crate::text;
use engine::scenario::issue::Issue;

/// The list of issues with a button that closes it; nothing without issues.
pub fn banner(issues: &[Issue], emit: &Callback<Action>) -> Html {
    if issues.is_empty() {
        return Html::default();
    }
    shown(issues, emit)
}

/// Says that the page paints map and curves itself.
pub fn without_thread(thread: Thread) -> Html {
    let said = match thread {
        Thread::Refused => text::NO_THREAD,
        Thread::Lost => text::LOST_THREAD,
        _ => return Html::default(),
    };
    html! { <p id="no-thread" class="notice">{ said }</p> }
}

fn shown(issues: &[Issue], emit: &Callback<Action>) -> Html {
    let dismiss = emit.reform(|_: MouseEvent| Action::DismissBanner);
    html! {
        <div id="banner" class="notice" role="alert">
            <div>
                <p>{ text::BANNER }</p>
                <ul>{ for issues.iter().map(|issue| html! { <li>{ &issue.message }</li> }) }</ul>
            </div>
            <button type="button" class="button" onclick={dismiss}>{ text::DISMISS }</button>
        </div>
    }
}

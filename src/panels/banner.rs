//! Issues of a link with the values that were used instead, and a notice if the browser runs no
//! second thread for the page.

use yew::prelude::*;

use crate::browser::Thread;
use crate::components::action_button::ActionButton;
use crate::state::Action;
use crate::words::DISMISS;
use engine::scenario::issue::Issue;

/// Heading of the list of issues of a link.
const BANNER: &str = "Not everything in this link has an effect:";
/// Notice that the second thread was lost, or that the server has another build.
const LOST_THREAD: &str = "The second thread that paints map and curves is lost. The page paints them itself, and \
    sliders answer more slowly: reload the page to have it again.";
/// Notice that no second thread paints.
const NO_THREAD: &str =
    "This browser runs no second thread for the page, which paints map and curves itself: sliders answer more slowly.";

/// Renders the list of issues with a button that closes it; nothing without issues.
pub fn banner(issues: &[Issue]) -> Html {
    if issues.is_empty() {
        return Html::default();
    }
    html! {
        <div id="banner" class="notice" role="alert">
            <div>
                <p>{ BANNER }</p>
                <ul>{ for issues.iter().map(|issue| html! { <li>{ issue.text() }</li> }) }</ul>
            </div>
            <ActionButton action={Action::DismissBanner} class="button">{ DISMISS }</ActionButton>
        </div>
    }
}

/// Renders the notice that the page paints map and curves itself.
pub fn without_thread(thread: Thread) -> Html {
    let said = match thread {
        Thread::Refused => NO_THREAD,
        Thread::Lost => LOST_THREAD,
        _ => return Html::default(),
    };
    html! { <p id="no-thread" class="notice">{ said }</p> }
}

//! What could not be read in a link, and what was used instead.

use yew::prelude::*;

use crate::scenario::issue::Issue;
use crate::ui::state::Action;
use crate::ui::text;

/// What to say, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// What could not be read.
    pub issues: Vec<Issue>,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// A list with a button that closes it; nothing where there is nothing to say.
#[component]
pub fn Banner(props: &Props) -> Html {
    if props.issues.is_empty() {
        return Html::default();
    }
    let dismiss = props.emit.reform(|_: MouseEvent| Action::DismissBanner);
    html! {
        <div id="banner" class="notice" role="alert">
            <div>
                <p>{ text::BANNER }</p>
                <ul>{ for props.issues.iter().map(|issue| html! { <li>{ &issue.message }</li> }) }</ul>
            </div>
            <button type="button" class="button" onclick={dismiss}>{ text::DISMISS }</button>
        </div>
    }
}

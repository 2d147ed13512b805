//! The foot of the page: the glossary, and what the figures are made of.

use yew::prelude::*;

use crate::catalog::{REVISION, SCENARIOS};
use crate::params::PARAMS;
use crate::ui::text;

/// Made once: nothing in it changes.
#[component]
pub fn Colophon() -> Html {
    html! {
        <footer class="colophon">
            <details>
                <summary>{ "Scenarios to look at, each a link" }</summary>
                <dl class="glossary">
                    { for SCENARIOS.iter().map(|entry| html! {
                        <><dt><a href={format!("#{}", entry.link)}>{ entry.name }</a></dt><dd>{ entry.notice }</dd></>
                    }) }
                </dl>
            </details>
            <details>
                <summary>{ "Glossary: every control in a sentence" }</summary>
                <dl class="glossary">
                    { for PARAMS.iter().map(|param| html! { <><dt>{ param.label }</dt><dd>{ param.help }</dd></> }) }
                </dl>
            </details>
            <p>{ text::made_of(REVISION) }</p>
        </footer>
    }
}

//! The examples: a panel of links under the masthead, each with a note on what to notice.

mod claims;

use yew::prelude::*;

use self::claims::both_numbers;
use crate::browser;
use crate::calculator::headline::in_short;
use crate::components::action_button::ActionButton;
use crate::components::sourced::sourced;
use crate::context::PageContext;
use crate::panels::verdict::glance::thumbnail;
use crate::state::Action;
use crate::view::View;
use catalog::{CLAIMS, PLANS, ScenarioEntry};
use links::decode::{Decoded, decode_link};

/// Identifier of the button, which is focused when the panel closes.
pub const BUTTON: &str = "examples";
/// Identifier of the panel.
pub const PANEL: &str = "gallery";
/// Label of the button, and name of the panel.
pub const TITLE: &str = "Examples";
/// Heading of the starting points.
const PLANS_TITLE: &str = "Plan my run";
/// Heading of the claims of papers.
const CLAIMS_TITLE: &str = "What the papers claim";
/// Accessible name of the line about an opened example.
const NOTICE: &str = "What to notice";
/// Label of the buttons that close the panel and the line.
const CLOSE: &str = "Close";

/// Returns the example at an index: starting points first, then claims.
fn example(place: usize) -> Option<&'static ScenarioEntry> {
    PLANS.iter().chain(CLAIMS).nth(place)
}

/// Returns a key handler that closes the panel on Escape.
pub fn leave(close: &Callback<()>) -> Callback<KeyboardEvent> {
    let close = close.clone();
    Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            close.emit(());
        }
    })
}

/// Renders the open panel; `close` closes it.
pub fn gallery(page: &PageContext, close: &Callback<()>) -> Html {
    let group = |title: &'static str, entries: &'static [ScenarioEntry], first: usize| {
        html! {
            <>
                <h2>{ title }</h2>
                <ul>{ for entries.iter().enumerate().map(|(at, entry)| card(entry, first + at, page, close)) }</ul>
            </>
        }
    };
    html! {
        <section id={PANEL} class="gallery" aria-label={TITLE} onkeydown={leave(close)}>
            <button type="button" class="small-button close" onclick={close.reform(|_: MouseEvent| ())}>{ CLOSE }</button>
            { group(PLANS_TITLE, PLANS, 0) }
            { group(CLAIMS_TITLE, CLAIMS, PLANS.len()) }
        </section>
    }
}

/// Renders a link with a note on what to notice. A click opens the link here, or with Ctrl, Command
/// or Shift in a new tab or window.
fn card(entry: &'static ScenarioEntry, place: usize, page: &PageContext, close: &Callback<()>) -> Html {
    let Decoded { scenario, .. } = decode_link(entry.link);
    let report = scenario.report();
    let (page, theme, close) = (page.clone(), page.theme, close.clone());
    let open = Callback::from(move |event: MouseEvent| {
        if event.ctrl_key() || event.meta_key() || event.shift_key() {
            return;
        }
        event.prevent_default();
        open(place, &page);
        close.emit(());
    });
    html! {
        <li>
            <a href={format!("{}#{}", entry.view, entry.link)} onclick={open}>{ entry.name }</a>
            if !entry.say.is_empty() {
                <p class="said-so">{ "“" }{ entry.say }{ "”" }</p>
            }
            { thumbnail(&report, theme) }
            <p class="says">{ in_short(&scenario, &report) }</p>
            <p>{ entry.notice }</p>
            if let Some(beside) = both_numbers(entry) {
                <p class="beside">{ beside }</p>
            }
            <p class="source">{ sourced(entry.source) }</p>
        </li>
    }
}

/// Opens the example at an index: its scenario, its axes, and the note on what to notice; `view` is
/// the present view.
pub fn open(place: usize, PageContext { view, emit, .. }: &PageContext) {
    let Some(entry) = example(place) else { return };
    let Decoded { scenario, pins, issues, .. } = decode_link(entry.link);
    emit.emit(Action::OpenLink { scenario: Box::new(scenario), pins, issues });
    emit.emit(Action::ChangeView(View { theme: view.theme, ..View::from_query(entry.view) }));
    emit.emit(Action::ShowExample(Some(place)));
    browser::to_top();
}

/// Renders the note on what to notice in the opened example.
pub fn notice(example_at: Option<usize>) -> Html {
    let Some(entry) = example_at.and_then(example) else { return Html::default() };
    html! {
        <aside class="notice example" aria-label={NOTICE}>
            <p>
                <b>{ entry.name }</b>{ " – " }{ entry.notice }
                if let Some(beside) = both_numbers(entry) {
                    <span class="beside">{ beside }{ ". " }{ sourced(entry.source) }</span>
                }
            </p>
            <ActionButton action={Action::ShowExample(None)}>{ CLOSE }</ActionButton>
        </aside>
    }
}

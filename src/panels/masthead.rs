//! The masthead: name, examples, undo and redo, theme, link and share menu.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser;
use crate::calculator::Derived;
use crate::components::action_button::ActionButton;
use crate::components::icon::{Icon, drawn};
use crate::components::latest::{Latest, use_flag};
use crate::context::use_page;
use crate::panels::bring;
use crate::panels::finder::{self, Finder};
use crate::panels::gallery;
use crate::panels::share::{self, ShareMenu};
use crate::panels::tabs::{doors, skip};
use crate::snapshot::Snapshot;
use crate::state::Action;
use crate::view::{ThemeChoice, View};
use crate::words::COPIED;

/// The purpose of the page, in two lines.
const TAGLINE: (&str, &str) = ("Does it fit, how fast,", "what limits it?");
/// Accessible name of the doors.
const DOORS: &str = "What to do";
/// Name of the button for files.
const BRING: &str = "Bring a file";
/// Label of the button that copies the link.
const COPY: &str = "Copy link";
/// Label of the link if it could not be copied.
const COPY_BY_HAND: &str = "Copy it from here:";

/// Values to show, and callbacks.
#[derive(PartialEq, Properties)]
pub struct MastheadProps {
    /// Snapshot in the copied link.
    pub shown: Latest<Rc<Snapshot>>,
    /// Settled snapshot, which the share menu uses.
    pub settled: Rc<Snapshot>,
    /// Values derived from the settled scenario.
    pub derived: Rc<Derived>,
    /// Whether there is something to undo.
    pub can_undo: bool,
    /// Whether there is something to redo.
    pub can_redo: bool,
    /// Whether the sheet for files is open.
    pub brings: bool,
    /// Opens or closes the sheet.
    pub set_brings: Callback<bool>,
    /// Reads words that describe a run.
    pub say: Callback<String>,
    /// Content between doors and buttons.
    pub children: Html,
}

/// The outcome of the last copy.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Copied {
    NotYet,
    Done,
    Refused,
}

/// The panel that is open under the masthead.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Nothing,
    Gallery,
    Share,
}

/// The line at the top of the page.
#[component]
pub fn Masthead(props: &MastheadProps) -> Html {
    let page = use_page();
    let (copy_link, by_hand) = use_copy_link(&props.shown, &props.settled);
    let open = use_state_eq(|| Open::Nothing);
    let toggle = |which: Open| {
        let open = open.clone();
        Callback::from(move |_: MouseEvent| open.set(if *open == which { Open::Nothing } else { which }))
    };
    // With `true`, the focus goes back to the button that opened the panel; else it stays.
    let close = |button: &'static str| {
        let setter = open.setter();
        Callback::from(move |back: bool| {
            setter.set(Open::Nothing);
            if back {
                browser::focus(button);
            }
        })
    };
    let (finding, find) = use_flag();
    browser::use_find_key(&find.reform(|()| true));
    let expanded = |which: Open| (*open == which).to_string();
    let close_gallery = close(gallery::BUTTON).reform(|()| true);
    let (brings, set_brings) = (props.brings, &props.set_brings);
    html! {
        <>
        <header class="masthead">
            { skip() }
            <p class="brand">{ "shardwise" }</p>
            <p class="tagline">{ TAGLINE.0 }<br />{ TAGLINE.1 }</p>
            <nav class="doors" aria-label={DOORS}>{ doors(&page) }</nav>
            { props.children.clone() }
            <div class="actions">
                // The two keep their place while there is nothing to undo or redo.
                <span class={classes!("undo", (!props.can_undo && !props.can_redo).then_some("none"))}>
                    <ActionButton action={Action::Undo} class="button icon" label="Undo" title="Undo (Ctrl+Z)" disabled={!props.can_undo}>
                        { drawn(Icon::Undo) }
                    </ActionButton>
                    <ActionButton action={Action::Redo} class="button icon" label="Redo" title="Redo (Ctrl+Shift+Z)" disabled={!props.can_redo}>
                        { drawn(Icon::Redo) }
                    </ActionButton>
                </span>
                <button type="button" id={bring::BUTTON} class="button icon" aria-label={BRING} title={BRING} aria-expanded={brings.to_string()} aria-controls={bring::SHEET}
                    onclick={set_brings.reform(move |_: MouseEvent| !brings)}>{ drawn(Icon::Clip) }</button>
                <button type="button" id={finder::BUTTON} class="button find" title={finder::KEYS} aria-haspopup="dialog"
                    onclick={find.reform(|_: MouseEvent| true)}>{ drawn(Icon::Search) }<span class="word">{ finder::TITLE }</span></button>
                <button type="button" id={gallery::BUTTON} class="button" aria-expanded={expanded(Open::Gallery)} aria-controls={gallery::PANEL}
                    onclick={toggle(Open::Gallery)} onkeydown={gallery::leave(&close_gallery)}>{ drawn(Icon::List) }<span class="word">{ gallery::TITLE }</span></button>
                <span class="theme">{ theme_button(page.view) }</span>
                <span class="split">
                    { copy_link }
                    <button type="button" id={share::BUTTON} class="button primary icon" aria-label={share::OPEN} title={share::OPEN}
                        aria-expanded={expanded(Open::Share)} aria-controls={share::PANEL} onclick={toggle(Open::Share)}
                        onkeydown={gallery::leave(&close(share::BUTTON).reform(|()| true))}>{ drawn(Icon::Down) }</button>
                </span>
                { by_hand }
            </div>
            if *open == Open::Share {
                <ShareMenu snapshot={props.settled.clone()} derived={props.derived.clone()} close={close(share::BUTTON)} />
            }
        </header>
        if finding {
            <Finder scenario={props.settled.scenario} say={props.say.clone()} closed={find.reform(|()| false)} />
        }
        if *open == Open::Gallery {
            { gallery::gallery(&page, &close_gallery) }
        }
        </>
    }
}

/// Returns the button that copies the link and, if the browser refuses to copy, the link itself.
#[hook]
fn use_copy_link(shown: &Latest<Rc<Snapshot>>, settled: &Rc<Snapshot>) -> (Html, Html) {
    let copied = use_state(|| Copied::NotYet);
    let setter = copied.setter();
    // Another scenario has not been copied yet.
    use_effect_with(settled.clone(), move |_| setter.set(Copied::NotYet));
    let (shown, setter) = (shown.clone(), copied.setter());
    let copy = Callback::from(move |_: MouseEvent| {
        let setter = setter.clone();
        let done = Callback::from(move |worked| setter.set(if worked { Copied::Done } else { Copied::Refused }));
        if let Some(snapshot) = shown.get() {
            browser::copy(&browser::full_link(&snapshot), &done);
        }
    });
    let (icon, label) = if *copied == Copied::Done { (Icon::Check, COPIED) } else { (Icon::Link, COPY) };
    let button = html! {
        <button type="button" id="copy-link" class="button primary" onclick={copy}>{ drawn(icon) }<span class="word">{ label }</span></button>
    };
    let by_hand = (*copied == Copied::Refused).then(|| {
        let link = browser::full_link(settled);
        html! { <label class="by-hand">{ COPY_BY_HAND }{ " " }<input type="text" readonly=true value={link} /></label> }
    });
    (button, by_hand.unwrap_or_default())
}

/// Renders the button that changes the theme: system, light, dark, and again.
fn theme_button(view: View) -> Html {
    let (icon, name, next) = match view.theme {
        ThemeChoice::Auto => (Icon::Half, "Theme: as the system", ThemeChoice::Light),
        ThemeChoice::Light => (Icon::Sun, "Theme: light", ThemeChoice::Dark),
        ThemeChoice::Dark => (Icon::Moon, "Theme: dark", ThemeChoice::Auto),
    };
    let action = Action::ChangeView(View { theme: next, ..view });
    html! { <ActionButton {action} class="button icon" label={name} title={name}>{ drawn(icon) }</ActionButton> }
}

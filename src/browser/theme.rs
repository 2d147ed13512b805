//! Light, dark and paper: applies the theme to the page and stores it; reads the system's
//! preference and printing from the browser.

use std::cell::Cell;

use gloo::events::EventListener;
use gloo::utils::{document_element, window};
use yew::prelude::*;

use crate::view::ThemeChoice;
use charts::palette::Theme;

/// The key of the remembered choice in local storage, as plain text; `static/theme.js` reads it
/// before the first painting.
const STORED: &str = "shardwise.theme";

fn dark_query() -> Option<web_sys::MediaQueryList> {
    window().match_media("(prefers-color-scheme: dark)").ok().flatten()
}

/// Returns the theme that the page opened with: the link's, else the one chosen last.
pub fn chosen_theme() -> ThemeChoice {
    let named = document_element().get_attribute("data-theme");
    named.and_then(|name| ThemeChoice::from_key(&name)).unwrap_or_default()
}

/// Applies a choice and returns the resulting theme; with `kept` the choice is stored for the next
/// visit.
#[hook]
pub fn use_theme(choice: ThemeChoice, kept: bool) -> Theme {
    let dark = use_state(|| false);
    let setter = dark.setter();
    use_effect_with((), move |()| {
        let listener = dark_query().map(|query| {
            setter.set(query.matches());
            let again = query.clone();
            EventListener::new(&query, "change", move |_| setter.set(again.matches()))
        });
        move || drop(listener)
    });
    let opened = use_mut_ref(|| true);
    use_effect_with(choice, move |choice| {
        // The page opens in the right theme already, and a theme from a link is not a choice of the
        // reader to store.
        if opened.replace(false) {
            return;
        }
        let root = document_element();
        let storage = kept.then(|| window().local_storage().ok().flatten()).flatten();
        if *choice == ThemeChoice::Auto {
            let _ = root.remove_attribute("data-theme");
            let _ = storage.map(|storage| storage.remove_item(STORED));
        } else {
            let _ = root.set_attribute("data-theme", choice.key());
            let _ = storage.map(|storage| storage.set_item(STORED, choice.key()));
        }
    });
    match choice {
        ThemeChoice::Dark => Theme::Dark,
        ThemeChoice::Auto if *dark => Theme::Dark,
        ThemeChoice::Light | ThemeChoice::Auto => Theme::Light,
    }
}

thread_local! {
    /// Initial value for components that mount while the page is being printed.
    static PRINTING: Cell<bool> = const { Cell::new(false) };
}

/// Whether the page is being printed. Elements that depend on it change before the browser lays out
/// the print.
#[hook]
pub fn use_printing() -> bool {
    let printing = use_state_eq(|| PRINTING.get());
    let setter = printing.setter();
    use_effect_with((), move |()| {
        let on = |event: &'static str, value: bool| {
            let setter = setter.clone();
            EventListener::new(&window(), event, move |_| {
                PRINTING.set(value);
                setter.set(value);
            })
        };
        let both = (on("beforeprint", true), on("afterprint", false));
        move || drop(both)
    });
    *printing
}

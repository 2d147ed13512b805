//! The scenario as settings of a training framework, to copy or to save, and the parts that the
//! framework cannot express.

use std::rc::Rc;

use yew::prelude::*;

use crate::browser;
use crate::words::COPIED;
use catalog::programs::Program;
use engine::scenario::Scenario;
use files::settings::{Settings, programs};

/// Heading of the panel.
const TITLE: &str = "Settings for your framework";
/// Caption under the heading.
const CAPTION: &str =
    "The scenario on screen, as a training framework reads it, and what that framework cannot express.";
/// Name of the row of frameworks.
const FRAMEWORKS: &str = "Program";
/// Status while the module that writes settings is fetched.
const WRITING: &str = "Writing …";
/// Error if the module that writes settings could not be loaded.
const MISSING: &str = "What writes settings could not be loaded. Check the connection and reload the page.";
/// Label of the button that copies.
const COPY: &str = "Copy";
/// Label of the button if the browser does not let the page copy.
const NOT_COPIED: &str = "Select the text to copy it";
/// Label of the button that saves the file.
const SAVE: &str = "Download";

/// Renders the panel.
pub fn settings(scenario: &Scenario) -> Html {
    html! {
        <div id="settings" class="figure wide">
            <div class="figure-head"><h2>{ TITLE }</h2></div>
            <Panel scenario={*scenario} />
        </div>
    }
}

/// Values to show.
#[derive(PartialEq, Properties)]
struct Props {
    /// The settled scenario.
    scenario: Scenario,
}

/// A row of frameworks, the notes of the chosen framework, and its file.
#[component]
fn Panel(props: &Props) -> Html {
    let chosen = use_state_eq(|| Program::Pytorch);
    // The text that was copied; another text is not copied yet.
    let copied = use_state(|| None::<Result<String, ()>>);
    let written = use_written(*chosen, &props.scenario);
    let choice = |program: Program| {
        let pick = {
            let chosen = chosen.setter();
            Callback::from(move |_: MouseEvent| chosen.set(program))
        };
        let pressed = program == *chosen;
        html! {
            <button type="button" class="small-button" aria-pressed={pressed.to_string()} onclick={pick}>{ program.name() }</button>
        }
    };
    let choices = html! {
        <>
        <p class="caption">{ CAPTION }</p>
        <div class="frameworks" role="group" aria-label={FRAMEWORKS}>{ for programs().into_iter().map(choice) }</div>
        </>
    };
    let settings = match written {
        Written::Coming => return html! { <>{ choices }<p role="status">{ WRITING }</p></> },
        Written::Missing => return html! { <>{ choices }<p class="error" role="alert">{ MISSING }</p></> },
        Written::Here(settings) => settings,
    };
    let copy = {
        let (body, copied) = (settings.body.clone(), copied.setter());
        Callback::from(move |_: MouseEvent| {
            let (copied, body) = (copied.clone(), body.clone());
            let done = {
                let body = body.clone();
                Callback::from(move |worked: bool| copied.set(Some(if worked { Ok(body.clone()) } else { Err(()) })))
            };
            browser::copy(&body, &done);
        })
    };
    let save = {
        let (name, body) = (settings.file_name.clone(), settings.body.clone());
        Callback::from(move |_: MouseEvent| browser::save_file(&name, &body))
    };
    let said = match &*copied {
        Some(Ok(body)) if *body == settings.body => COPIED,
        Some(Err(())) => NOT_COPIED,
        _ => COPY,
    };
    html! {
        <>
        { choices }
        if !settings.notes.is_empty() {
            <ul class="set-notes">{ for settings.notes.iter().map(|note| html! { <li>{ note.as_ref() }</li> }) }</ul>
        }
        <div class="set-head">
            <code>{ settings.file_name.as_ref() }</code>
            <button type="button" class="small-button" onclick={copy}>{ said }</button>
            <button type="button" class="small-button" onclick={save}>{ SAVE }</button>
        </div>
        <pre class="code" tabindex="0" role="region" aria-label={settings.file_name.to_string()} data-language={settings.language.to_string()}>{ &settings.body }</pre>
        </>
    }
}

/// The settings, or the state of writing them.
#[derive(Clone, PartialEq)]
enum Written {
    /// The settings are being written.
    Coming,
    /// The module that writes settings could not be loaded.
    Missing,
    /// The last settings that were written.
    Here(Rc<Settings>),
}

/// Returns the settings of a scenario; until they are written, the previous settings.
#[hook]
fn use_written(program: Program, scenario: &Scenario) -> Written {
    let written = use_state(|| Written::Coming);
    let setter = written.setter();
    let last = use_mut_ref(|| None);
    use_effect_with((program, *scenario), move |wanted| {
        let wanted = *wanted;
        *last.borrow_mut() = Some(wanted);
        let link = links::encode(&wanted.1);
        browser::ask("settings", &[link.into(), wanted.0.key().into()], move |settings: Option<Settings>| {
            // An answer may arrive after the next question.
            if *last.borrow() == Some(wanted) {
                setter.set(settings.map_or(Written::Missing, |settings| Written::Here(Rc::new(settings))));
            }
        });
    });
    (*written).clone()
}

//! The import of a `config.json`: pasted, chosen, or dropped anywhere on the page.

use yew::prelude::*;

use crate::import::Imported;
use crate::ui::effects;
use crate::ui::state::Action;
use crate::ui::text::import as words;

/// Where the model goes.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Takes it.
    pub emit: Callback<Action>,
}

/// A button, and the panel that it opens.
#[component]
pub fn Import(props: &Props) -> Html {
    let open = use_state_eq(|| false);
    let outcome = use_state_eq(|| None::<Result<Imported, String>>);
    // Takes a text, or a sentence about why there is none. A whole config counts at once; what is not whole yet is told of
    // only where no more is to come.
    let take = {
        let (emit, open, outcome) = (props.emit.clone(), open.setter(), outcome.setter());
        use_callback((), move |(text, whole): (Result<String, String>, bool), ()| {
            let read = text.and_then(|text| effects::read_config(&text));
            if let Ok(imported) = &read {
                emit.emit(Action::Import(Box::new(imported.architecture)));
            }
            if whole || read.is_ok() {
                open.set(true);
                outcome.set(Some(read));
            } else {
                outcome.set(None);
            }
        })
    };
    effects::use_drop(&take);
    let toggle = {
        let (open, now) = (open.setter(), *open);
        Callback::from(move |_: MouseEvent| open.set(!now))
    };
    let typed = take.reform(|event: InputEvent| {
        let (text, pasted) = effects::area_text(&event);
        (Ok(text), pasted)
    });
    let settled = take.reform(|event: Event| (Ok(effects::settled_text(&event)), true));
    let chosen = {
        let take = take.clone();
        Callback::from(move |event: Event| effects::chosen_file(&event, &take))
    };
    let (name, expanded) = if *open { (words::CLOSE, "true") } else { (words::OPEN, "false") };
    html! {
        <div class="import">
            <button type="button" id="import" class="small-button" aria-expanded={expanded} onclick={toggle}>{ name }</button>
            if *open {
                <div class="notice">
                    <label for="config">{ words::PASTE }</label>
                    <textarea id="config" rows="5" spellcheck="false" autocomplete="off" oninput={typed} onchange={settled} />
                    <label for="config-file">{ words::FILE }</label>
                    <input type="file" id="config-file" accept=".json,application/json" onchange={chosen} />
                    { said(outcome.as_ref()) }
                    <p class="control-help">{ words::LOCAL }</p>
                </div>
            }
        </div>
    }
}

/// What came of it: announced where it is an error, and in the headline's turn where it is not.
fn said(outcome: Option<&Result<Imported, String>>) -> Html {
    match outcome {
        None => Html::default(),
        Some(Err(problem)) => html! { <p class="error" role="alert">{ problem }</p> },
        Some(Ok(imported)) => html! {
            <><p role="status">{ words::imported(imported) }</p><p class="control-help">{ words::used(imported) }</p></>
        },
    }
}

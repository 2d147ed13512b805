//! The import: a model's `config.json`, an adapter's `adapter_config.json`, a list of lengths, a link, or a file that this page saved, pasted, chosen, or
//! dropped anywhere on the page.

mod read;

use yew::prelude::*;

use crate::browser::{self, Arrived, Origin};
use crate::search::Query;
use crate::state::{Action, Pick};
use crate::text::import as words;
use crate::view::View;
use engine::catalog::{MODELS, ModelEntry};
use engine::share::Decoded;
use files::config::Imported;
use read::{Read, read_text};

/// The button's identifier: where the focus goes when a dropped file cannot be read.
const BUTTON: &str = "import";

/// Where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// The outcome of an import: what was read, and the keys that were used; or what is wrong.
type Outcome = Result<[String; 2], String>;

/// A button, and the panel that it opens.
#[component]
pub fn Import(props: &Props) -> Html {
    let open = use_state_eq(|| false);
    let outcome = use_state_eq(|| None::<Outcome>);
    let take = {
        let (emit, open, outcome) = (props.emit.clone(), open.setter(), outcome.setter());
        use_callback((), move |(text, origin): Arrived, ()| {
            let came = text.and_then(|text| taken(&text, &origin, &emit));
            // What is not whole yet is told of only where no more is to come.
            if came.is_err() && origin == Origin::Typed {
                outcome.set(None);
                return;
            }
            if let Origin::Dropped(_) = origin {
                match &came {
                    // A scenario is seen at once; what is wrong stands here.
                    Ok([_, used]) if used.is_empty() => browser::to_top(),
                    _ => open.set(true),
                }
                if came.is_err() {
                    browser::focus(BUTTON);
                }
            }
            outcome.set(Some(came.map_err(|problem| match &origin {
                Origin::Chosen(file) | Origin::Dropped(file) => words::of_file(file, &problem),
                _ => problem,
            })));
        })
    };
    browser::use_drop(&take);
    let toggle = {
        let (open, now) = (open.setter(), *open);
        Callback::from(move |_: MouseEvent| open.set(!now))
    };
    let typed = take.reform(|event: InputEvent| browser::area_text(&event));
    let settled = take.reform(|event: Event| (Ok(browser::settled_text(&event)), Origin::Given));
    let chosen = {
        let take = take.clone();
        Callback::from(move |event: Event| browser::chosen_file(&event, &take))
    };
    let (name, help, expanded) =
        if *open { (words::CLOSE, words::CLOSE_HELP, "true") } else { (words::OPEN, words::OPEN_HELP, "false") };
    html! {
        <div class="import">
            <button type="button" id={BUTTON} class="small-button" aria-label={help} title={help} aria-expanded={expanded} onclick={toggle}>{ name }</button>
            if *open {
                <div class="notice">
                    <label for="config">{ words::PASTE }</label>
                    <textarea id="config" rows="5" spellcheck="false" autocomplete="off" oninput={typed} onchange={settled} />
                    <label for="config-file">{ words::FILE }</label>
                    <input type="file" id="config-file" accept=".json,.svg,.png,.csv,.txt" onchange={chosen} />
                    { said(outcome.as_ref()) }
                    <p class="control-help">{ words::LOCAL }</p>
                </div>
            }
        </div>
    }
}

/// Reads a text and takes it over: a model, or from a whole text a scenario with its pins.
fn taken(text: &str, origin: &Origin, emit: &Callback<Action>) -> Outcome {
    match read_text(text)? {
        // More may follow.
        Read::Lengths(..) | Read::Scenario(..) if *origin == Origin::Typed => Err(String::new()),
        Read::Model(imported) => {
            let entry = in_catalog(&imported);
            emit.emit(match entry {
                Some(entry) => Action::Pick(Pick::Model(entry.id)),
                None => Action::Import(Box::new(imported.architecture)),
            });
            Ok([words::imported(&imported, entry), words::used(&imported)])
        }
        Read::Adapter(adapter) => {
            let said = [words::adapted(&adapter), words::used_of(&adapter.used)];
            emit.emit(Action::Adapt(adapter));
            Ok(said)
        }
        Read::Lengths(lengths) => {
            emit.emit(Action::Lengths(lengths));
            Ok([words::listed(&lengths), String::new()])
        }
        Read::Scenario(decoded, query) => {
            let Decoded { scenario, pins, issues } = *decoded;
            let file = match origin {
                Origin::Chosen(file) | Origin::Dropped(file) => Some(file.as_str()),
                _ => None,
            };
            let said = words::restored(file, pins.len());
            emit.emit(Action::Arrive { scenario: Box::new(scenario), pins, issues });
            if let Some(query) = query {
                emit.emit(Action::Restore(View::from_query(&query)));
            }
            Ok([said, String::new()])
        }
    }
}

/// The outcome in a sentence: an error is announced at once, a success politely.
fn said(outcome: Option<&Outcome>) -> Html {
    match outcome {
        None => Html::default(),
        Some(Err(problem)) => html! { <p class="error" role="alert">{ problem }</p> },
        Some(Ok([what, of])) => html! {
            <><p role="status">{ what }</p><p class="control-help">{ of }</p></>
        },
    }
}

/// The model of the catalog with this shape; of several the one by this name, else the first.
fn in_catalog(imported: &Imported) -> Option<&'static ModelEntry> {
    let same = || MODELS.iter().filter(|entry| entry.architecture == imported.architecture);
    let name = Query::new(&imported.name);
    let names = same().map(|entry| (entry, entry.name, entry.id));
    name.answers(names).first().copied().or_else(|| same().next())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_of_the_catalog_is_known_by_its_shape_and_told_by_its_name() {
        let imported = |name: &str, id| {
            let entry = MODELS.iter().find(|entry| entry.id == id).unwrap();
            Imported {
                name: name.into(),
                architecture: entry.architecture,
                used: Vec::new(),
                not_understood: Vec::new(),
            }
        };
        let known = |imported: &Imported| in_catalog(imported).map(|entry| entry.id);
        assert_eq!(known(&imported("Llama-3.1-8B", "llama-3-8b")), Some("llama-3.1-8b"));
        assert_eq!(known(&imported("my-model", "qwen-3-8b")), Some("qwen-3-8b"));
        let mut other = imported("Qwen3-8B", "qwen-3-8b");
        other.architecture.num_hidden_layers += 1;
        assert_eq!(known(&other), None);
    }
}

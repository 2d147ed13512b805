//! One box to begin with: words, a link, an error, a log or files, typed, pasted, chosen, or
//! dropped anywhere on the page. The files' own module reads them ([`files::brought`]); findings
//! about a file are shown in a wide sheet, next to the file.

mod marks;
mod say;
mod source;
pub mod words;

use std::rc::Rc;

use js_sys::Uint8Array;
use yew::prelude::*;

use crate::browser::{self, Arrived, Origin};
use crate::components::latest::Latest;
use crate::components::select;
use crate::state::{Action, Pick, SelectTarget};
use crate::view::{Panel, View};
use catalog::CLUSTERS;
use engine::scenario::{Model, Scenario};
use files::brought::{Brought, Item, Kind, Offer, Section};
use say::{Said, use_say};
use source::Source;

/// Identifier of the sheet.
pub const SHEET: &str = "bring";
/// Identifier of the door that opens the sheet; the door is focused when the sheet closes.
pub const BUTTON: &str = "bring-door";

/// Values that reading depends on, and callbacks.
#[derive(Clone, PartialEq)]
pub struct Props {
    /// The scenario on screen.
    pub scenario: Latest<Scenario>,
    /// The settled scenario.
    pub settled: Scenario,
    /// The present view.
    pub view: View,
    /// Whether the sheet is open.
    pub open: bool,
    /// Opens or closes the sheet.
    pub set_open: Callback<bool>,
    /// Applies actions.
    pub emit: Callback<Action>,
}

/// State of reading the input.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// The input is being read.
    Reading,
    /// The result of reading.
    Taken(Rc<Brought>),
    /// An error, as a sentence.
    Wrong(String),
}

/// The box, and the content under the masthead: how the words were understood, and the sheet.
pub struct Brings {
    /// The box.
    pub field: Html,
    /// The content under the masthead.
    pub below: Html,
    /// Reads words as if they were typed into the box.
    pub say: Callback<String>,
}

/// Creates the box and the sheet.
#[hook]
pub fn use_bring(props: &Props) -> Brings {
    let outcome = use_state_eq(|| None::<Outcome>);
    // The input that is read last counts, whichever answer arrives last.
    let last = use_mut_ref(|| 0_u32);
    let came = use_state(Rc::<Vec<Item>>::default);
    // Whether the reader has confirmed the GPUs on screen.
    let confirmed = use_state_eq(|| false);
    let take = {
        let (emit, open, outcome, scenario) =
            (props.emit.clone(), props.set_open.clone(), outcome.setter(), props.scenario.clone());
        let (last, kept) = (last.clone(), came.setter());
        use_callback(props.view, move |(items, origin): Arrived, view: &View| {
            let number = last.borrow().wrapping_add(1);
            *last.borrow_mut() = number;
            let view = *view;
            if let Ok(items) = &items {
                kept.set(Rc::new(items.clone()));
            }
            let conclude = {
                let (emit, open, outcome, last) = (emit.clone(), open.clone(), outcome.clone(), last.clone());
                move |came: Result<Brought, String>| {
                    if *last.borrow() == number {
                        let said = concluded(came, origin, view, &emit);
                        match &said {
                            // Findings about a file are long, and so are errors in a file.
                            Some(Outcome::Taken(brought)) if is_long(brought) => open.emit(true),
                            Some(Outcome::Wrong(_)) if matches!(origin, Origin::Dropped | Origin::Chosen) => {
                                open.emit(true);
                            }
                            // A new scenario is shown at the top of the page.
                            Some(Outcome::Taken(_)) if origin == Origin::Dropped => browser::to_top(),
                            _ => {}
                        }
                        outcome.set(said);
                    }
                }
            };
            match items {
                Ok(items) => {
                    if origin != Origin::Typed {
                        outcome.set(Some(Outcome::Reading));
                    }
                    read(&items, scenario.get().as_ref(), conclude);
                }
                Err(problem) => conclude(Err(problem)),
            }
        })
    };
    browser::use_drop(&take);
    // Findings about a run or an error depend on the hardware and the model on screen.
    {
        let (outcome, last, scenario, came) = (outcome.clone(), last.clone(), props.settled, came.clone());
        let shown = (scenario.network, scenario.accelerator, scenario.gpus, scenario.model);
        use_effect_with(shown, move |_| {
            if judged(outcome.as_ref()).is_some() {
                let (now, number) = (outcome.setter(), *last.borrow());
                read(&came, Some(&scenario), move |again| {
                    if *last.borrow() == number
                        && let Ok(brought) = again
                    {
                        now.set(Some(Outcome::Taken(Rc::new(brought))));
                    }
                });
            }
        });
    }
    let start = catalog::default_scenario();
    let is_start = |scenario: &Scenario| {
        (scenario.network.id, scenario.accelerator.id) == (start.network.id, start.accelerator.id)
    };
    let asks = !*confirmed && is_start(&props.settled) && judged(outcome.as_ref()).is_some();
    let question = asks.then(|| {
        let keep = {
            let confirmed = confirmed.setter();
            Callback::from(move |_: MouseEvent| confirmed.set(true))
        };
        which_gpus(&props.settled, keep, &props.emit)
    });
    let brought = match &*outcome {
        Some(Outcome::Taken(brought)) => Some(brought.clone()),
        _ => None,
    };
    // The sheet has the text while it is open.
    let short = match &*outcome {
        _ if props.open => Html::default(),
        outcome => said(outcome.as_ref(), None, &props.emit),
    };
    let close = {
        let set_open = props.set_open.clone();
        Callback::from(move |()| {
            set_open.emit(false);
            browser::focus(BUTTON);
        })
    };
    let Said { field, said: of_words } = use_say(&props.scenario, &take, brought.as_deref(), short);
    let below = html! {
        <section class="under" aria-label={words::BROUGHT}>
            { of_words }
            if props.open {
                { sheet(&came, brought, said(outcome.as_ref(), question, &props.emit), &take, &close) }
            }
        </section>
    };
    let say = take.reform(|words: String| (Ok(browser::pasted(words)), Origin::Given));
    Brings { field, below, say }
}

/// Whether the findings are long enough for the sheet.
fn is_long(brought: &Brought) -> bool {
    matches!(brought.kind, Kind::Run | Kind::Error | Kind::Measured)
}

/// Renders the wide sheet: the input at the left with marks at its lines, the findings at the
/// right.
fn sheet(
    came: &Rc<Vec<Item>>,
    brought: Option<Rc<Brought>>,
    findings: Html,
    take: &Callback<Arrived>,
    close: &Callback<()>,
) -> Html {
    let chosen = take.clone();
    let chosen = Callback::from(move |event: Event| browser::chosen_files(&event, &chosen));
    let escape = close.clone();
    let escape = Callback::from(move |event: KeyboardEvent| {
        if event.key() == "Escape" {
            escape.emit(());
        }
    });
    html! {
        <section id={SHEET} class="bring" aria-label={words::TITLE} onkeydown={escape}>
            <div class="bring-head">
                <h2>{ words::TITLE }</h2>
                <button type="button" class="small-button" onclick={close.reform(|_: MouseEvent| ())}>{ words::CLOSE }</button>
            </div>
            <div class="bring-source">
                <Source items={came.clone()} {brought} take={take.clone()} />
                <label for="config-file">{ words::FILE }</label>
                <input type="file" id="config-file" multiple=true onchange={chosen} />
                <p class="control-help">
                    { words::LOCAL }{ " " }{ words::MEASURE }{ " " }
                    <a href={words::SCRIPT} download={words::SCRIPT_NAME}>{ words::SCRIPT_NAME }</a>
                </p>
            </div>
            <div class="bring-said">{ findings }</div>
        </section>
    }
}

/// Returns the result of reading, if its findings depend on the hardware on screen.
fn judged(outcome: Option<&Outcome>) -> Option<&Brought> {
    match outcome {
        Some(Outcome::Taken(brought)) if matches!(brought.kind, Kind::Run | Kind::Error) => Some(brought),
        _ => None,
    }
}

/// Renders the question for the GPUs, if those on screen are the page's defaults.
fn which_gpus(scenario: &Scenario, keep: Callback<MouseEvent>, emit: &Callback<Action>) -> Html {
    let name = catalog::accelerator(scenario.accelerator.id).map_or("", |entry| entry.name);
    let item = |label: &'static str| select::Item { label: AttrValue::Static(label), group: None };
    let items: Vec<_> =
        core::iter::once(words::A_CLUSTER).chain(CLUSTERS.iter().map(|entry| entry.name)).map(item).collect();
    let places: Vec<_> = core::iter::once(CLUSTERS.len()).chain(0..CLUSTERS.len()).collect();
    html! {
        <div class="question" role="group" aria-label={words::WHICH_GPUS}>
            <p>{ words::WHICH_GPUS }</p>
            <select::Select id="which-gpus" name={Some(words::A_CLUSTER)} {items} {places} chosen={0} target={SelectTarget::Cluster} {emit} />
            <button type="button" class="small-button" onclick={keep}>{ words::keep_gpus(scenario.gpus, name) }</button>
        </div>
    }
}

/// Calls the module that reads the input.
fn read(items: &[Item], scenario: Option<&Scenario>, then: impl FnOnce(Result<Brought, String>) + 'static) {
    let link = scenario.map(links::encode).unwrap_or_default();
    let names: js_sys::Array =
        items.iter().map(|item| wasm_bindgen::JsValue::from(item.name.as_deref().unwrap_or_default())).collect();
    let contents: js_sys::Array = items.iter().map(|item| Uint8Array::from(item.bytes.as_slice())).collect();
    browser::ask("bring", &[link.into(), names.into(), contents.into()], |answer| {
        then(answer.unwrap_or_else(|| Err(words::NOT_LOADED.into())));
    });
}

/// Applies the result of reading, and returns the outcome to show.
fn concluded(came: Result<Brought, String>, origin: Origin, view: View, emit: &Callback<Action>) -> Option<Outcome> {
    // More text may follow: while it is typed, only a model counts.
    let is_early = origin == Origin::Typed && came.as_ref().map_or(true, |brought| brought.kind != Kind::Model);
    if is_early {
        return None;
    }
    Some(match came {
        Ok(brought) => {
            take_over(&brought, view, emit);
            Outcome::Taken(Rc::new(brought))
        }
        Err(problem) => Outcome::Wrong(problem),
    })
}

/// Applies the scenario that was read, unless the findings are about the scenario on screen.
fn take_over(brought: &Brought, view: View, emit: &Callback<Action>) {
    let links::Decoded { scenario, pins, issues, .. } = links::decode(&brought.scenario);
    match brought.kind {
        Kind::Model => emit.emit(match scenario.model {
            Model::Preset { id, .. } => Action::Pick(Pick::Model(id)),
            model => Action::Import(Box::new(model.architecture())),
        }),
        Kind::Adapter | Kind::Lengths | Kind::Run | Kind::Links | Kind::Rates => {
            emit.emit(Action::Take(Box::new(scenario)));
        }
        // Findings about the scenario on screen leave the scenario unchanged.
        Kind::Error | Kind::Measured => {}
        Kind::Sentence => {
            emit.emit(Action::Take(Box::new(scenario)));
            if let Some(query) = &brought.plan {
                emit.emit(Action::Look(view.with_query(query).showing(Panel::Plan)));
            }
        }
        Kind::Scenario => {
            emit.emit(Action::Arrive { scenario: Box::new(scenario), pins, issues });
            if let Some(query) = query(&brought.scenario) {
                emit.emit(Action::Restore(View::from_query(query)));
            }
        }
    }
}

/// Returns the query of a link, if there is one before its fragment.
fn query(link: &str) -> Option<&str> {
    link.split_once('#').and_then(|(page, _)| page.split_once('?')).map(|(_, query)| query)
}

/// Renders the outcome: an error is announced at once, a success politely. A question comes before
/// the offers that depend on its answer.
fn said(outcome: Option<&Outcome>, question: Option<Html>, emit: &Callback<Action>) -> Html {
    match outcome {
        None => Html::default(),
        Some(Outcome::Reading) => html! { <p role="status">{ words::READING }</p> },
        Some(Outcome::Wrong(problem)) => html! { <p class="error" role="alert">{ problem }</p> },
        Some(Outcome::Taken(brought)) => html! {
            <>
            <p role="status">{ &brought.said }</p>
            if let Some(question) = question {
                { question }
            } else if !brought.offers.is_empty() {
                <ul class="offers">{ for brought.offers.iter().map(|offer| offered(offer, emit)) }</ul>
            }
            { for brought.sections.iter().map(section) }
            <p class="control-help">{ &brought.read }</p>
            </>
        },
    }
}

/// Renders a change that is offered, with buttons to take and to save it.
fn offered(offer: &Offer, emit: &Callback<Action>) -> Html {
    let take = offer.scenario.as_ref().map(|link| {
        let scenario = links::decode(link).scenario;
        let taken = emit.reform(move |_: MouseEvent| Action::Take(Box::new(scenario)));
        html! { <button type="button" class="small-button" onclick={taken}>{ words::TAKE }</button> }
    });
    let files = offer.files.iter().map(|(name, text)| {
        let (file, text) = (name.clone(), text.clone());
        let save = Callback::from(move |_: MouseEvent| browser::save_file(&file, &text));
        html! { <button type="button" class="small-button" onclick={save}>{ words::save(name) }</button> }
    });
    html! {
        <li>
            <span>
                if let Some(code) = &offer.code {
                    <a class="rule" href={words::CODES} title={words::EXPLAINED}>{ code }</a>{ " " }
                }
                { &offer.what }
            </span>
            { for take }
            { for files }
        </li>
    }
}

/// Renders lines under a heading, folded if there are many.
fn section(section: &Section) -> Html {
    /// Maximum number of lines that are not folded.
    const FEW: usize = 4;
    let lines = html! { <ul>{ for section.lines.iter().map(|line| html! { <li>{ line }</li> }) }</ul> };
    if section.lines.len() > FEW {
        html! { <details class="brought"><summary>{ words::counted(&section.title, section.lines.len()) }</summary>{ lines }</details> }
    } else {
        html! { <div class="brought"><p>{ &section.title }</p>{ lines }</div> }
    }
}

//! The import: configurations, lists, links and saved files, pasted, chosen, or dropped anywhere on
//! the page. The files' own module reads them ([`files::brought`]).

use std::rc::Rc;

use js_sys::Uint8Array;
use yew::prelude::*;

use crate::browser::{self, Arrived, Origin};
use crate::components::latest::Latest;
use crate::components::select;
use crate::state::{Action, Pick, SelectTarget};
use crate::text::import as words;
use crate::view::View;
use engine::catalog::{self, CLUSTERS};
use engine::scenario::{Model, Scenario};
use engine::share;
use files::brought::{Brought, Item, Kind, Offer, Section};

/// The button's identifier: where the focus goes when a dropped file cannot be read.
const BUTTON: &str = "import";

/// What is read for, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The scenario on screen.
    pub scenario: Latest<Scenario>,
    /// The scenario as it last stood still.
    pub settled: Scenario,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// What is said of an import.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// It is being read.
    Reading,
    /// What was read.
    Taken(Rc<Brought>),
    /// What is wrong.
    Wrong(String),
}

/// A button, and the panel that it opens.
#[component]
pub fn Import(props: &Props) -> Html {
    let open = use_state_eq(|| false);
    let outcome = use_state_eq(|| None::<Outcome>);
    // What is read last counts, whichever is answered last.
    let last = use_mut_ref(|| 0_u32);
    let came = use_mut_ref(Vec::<Item>::new);
    // Whether the GPUs of the page are those that are meant.
    let confirmed = use_state_eq(|| false);
    let take = {
        let (emit, open, outcome, scenario) =
            (props.emit.clone(), open.setter(), outcome.setter(), props.scenario.clone());
        let (last, kept) = (last.clone(), came.clone());
        use_callback((), move |(items, origin): Arrived, ()| {
            let number = last.borrow().wrapping_add(1);
            *last.borrow_mut() = number;
            *kept.borrow_mut() = items.clone().unwrap_or_default();
            let conclude = {
                let (emit, open, outcome, last) = (emit.clone(), open.clone(), outcome.clone(), last.clone());
                move |came: Result<Brought, String>| {
                    if *last.borrow() == number {
                        let said = concluded(came, origin, &emit);
                        if origin == Origin::Dropped {
                            let is_seen =
                                matches!(&said, Some(Outcome::Taken(brought)) if brought.kind == Kind::Scenario);
                            // A scenario is seen at once; what is wrong stands here.
                            if is_seen {
                                browser::to_top();
                            } else {
                                open.set(true);
                            }
                            if matches!(said, Some(Outcome::Wrong(_))) {
                                browser::focus(BUTTON);
                            }
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
    // What is said of a run or an error is of the hardware on screen, and of an error of its model.
    {
        let (outcome, last, scenario) = (outcome.clone(), last.clone(), props.settled);
        let shown = (scenario.network, scenario.accelerator, scenario.gpus, scenario.model);
        use_effect_with(shown, move |_| {
            if judged(outcome.as_ref()).is_some() {
                let (now, number) = (outcome.setter(), *last.borrow());
                read(&came.borrow(), Some(&scenario), move |again| {
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
    let toggle = {
        let (open, now) = (open.setter(), *open);
        Callback::from(move |_: MouseEvent| open.set(!now))
    };
    // Leaving the field reads nothing again: buttons under the pointer stay where they are.
    let given = use_mut_ref(String::new);
    let typed = {
        let (take, given) = (take.clone(), given.clone());
        Callback::from(move |event: InputEvent| {
            let arrived = browser::area_text(&event);
            if arrived.1 == Origin::Given {
                *given.borrow_mut() = browser::settled_text(&event);
            }
            take.emit(arrived);
        })
    };
    let settled = {
        let take = take.clone();
        Callback::from(move |event: Event| {
            let text = browser::settled_text(&event);
            if given.replace(text.clone()) != text {
                take.emit((Ok(browser::pasted(text)), Origin::Given));
            }
        })
    };
    let chosen = {
        let take = take.clone();
        Callback::from(move |event: Event| browser::chosen_files(&event, &take))
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
                    <input type="file" id="config-file" multiple=true onchange={chosen} />
                    { said(outcome.as_ref(), question, &props.emit) }
                    <p class="control-help">
                        { words::LOCAL }{ " " }{ words::MEASURE }{ " " }
                        <a href={words::SCRIPT} download={words::SCRIPT_NAME}>{ words::SCRIPT_NAME }</a>
                    </p>
                </div>
            }
        </div>
    }
}

/// What was read, where it is judged on the hardware on screen.
fn judged(outcome: Option<&Outcome>) -> Option<&Brought> {
    match outcome {
        Some(Outcome::Taken(brought)) if matches!(brought.kind, Kind::Run | Kind::Error) => Some(brought),
        _ => None,
    }
}

/// Asks for the GPUs, where those on screen are the page's own.
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

/// Asks the module to read what came.
fn read(items: &[Item], scenario: Option<&Scenario>, then: impl FnOnce(Result<Brought, String>) + 'static) {
    let link = scenario.map(share::encode).unwrap_or_default();
    let names: js_sys::Array =
        items.iter().map(|item| wasm_bindgen::JsValue::from(item.name.as_deref().unwrap_or_default())).collect();
    let contents: js_sys::Array = items.iter().map(|item| Uint8Array::from(item.bytes.as_slice())).collect();
    browser::ask("bring", &[link.into(), names.into(), contents.into()], |answer| {
        then(answer.unwrap_or_else(|| Err(words::NOT_LOADED.into())));
    });
}

/// Takes over what was read, and gives what is said of it.
fn concluded(came: Result<Brought, String>, origin: Origin, emit: &Callback<Action>) -> Option<Outcome> {
    // More may follow: what is not whole yet is told of only where no more is to come.
    let is_early = origin == Origin::Typed && came.as_ref().map_or(true, |brought| brought.kind != Kind::Model);
    if is_early {
        return None;
    }
    Some(match came {
        Ok(brought) => {
            take_over(&brought, emit);
            Outcome::Taken(Rc::new(brought))
        }
        Err(problem) => Outcome::Wrong(problem),
    })
}

/// Makes what was read the scenario.
fn take_over(brought: &Brought, emit: &Callback<Action>) {
    let share::Decoded { scenario, pins, issues, .. } = share::decode(&brought.scenario);
    match brought.kind {
        Kind::Model => emit.emit(match scenario.model {
            Model::Preset { id, .. } => Action::Pick(Pick::Model(id)),
            model => Action::Import(Box::new(model.architecture())),
        }),
        Kind::Adapter | Kind::Lengths | Kind::Run | Kind::Links | Kind::Rates => {
            emit.emit(Action::Take(Box::new(scenario)));
        }
        // What is said of the scenario on screen leaves it as it is.
        Kind::Error | Kind::Measured => {}
        Kind::Scenario => {
            emit.emit(Action::Arrive { scenario: Box::new(scenario), pins, issues });
            if let Some(query) = query(&brought.scenario) {
                emit.emit(Action::Restore(View::from_query(query)));
            }
        }
    }
}

/// The query of a link, where it has one before its fragment.
fn query(link: &str) -> Option<&str> {
    link.split_once('#').and_then(|(page, _)| page.split_once('?')).map(|(_, query)| query)
}

/// The outcome: an error is announced at once, a success politely. A question comes before what
/// depends on its answer.
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

/// A change that is offered, to take and to save.
fn offered(offer: &Offer, emit: &Callback<Action>) -> Html {
    let take = offer.scenario.as_ref().map(|link| {
        let scenario = share::decode(link).scenario;
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

/// Lines under a heading, folded where they are many.
fn section(section: &Section) -> Html {
    /// The most lines that are not folded.
    const FEW: usize = 4;
    let lines = html! { <ul>{ for section.lines.iter().map(|line| html! { <li>{ line }</li> }) }</ul> };
    if section.lines.len() > FEW {
        html! { <details class="brought"><summary>{ words::counted(&section.title, section.lines.len()) }</summary>{ lines }</details> }
    } else {
        html! { <div class="brought"><p>{ &section.title }</p>{ lines }</div> }
    }
}

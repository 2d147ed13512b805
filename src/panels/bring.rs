//! One box to begin with: words, a link, an error, a log or files, typed, pasted, chosen, or
//! dropped anywhere on the page. The files' own module reads them ([`files::brought`]); findings
//! about a file are shown in a wide sheet, next to the file.

mod chips;
mod marks;
mod say;
mod source;
mod turns;
pub mod words;

use std::rc::Rc;

use js_sys::Uint8Array;
use yew::prelude::*;

use crate::browser::{self, Arrived, Origin};
use crate::components::action_button::ActionButton;
use crate::components::latest::{Latest, use_flag, use_latest};
use crate::components::select;
use crate::context::PageContext;
use crate::panels::gallery::leave;
use crate::state::{Action, Pick, SelectTarget};
use crate::view::{Panel, View};
use catalog::CLUSTERS;
use engine::scenario::{Model, Scenario};
use files::brought::{Import, ImportKind, Item, Section, SuggestedChange};
use say::{SayBox, use_say};
use source::Source;
use turns::Turns;

/// Identifier of the sheet.
pub const SHEET: &str = "bring";
/// Identifier of the door that opens the sheet; the door is focused when the sheet closes.
pub const BUTTON: &str = "bring-door";

/// Values that reading depends on, and callbacks.
#[derive(Clone, PartialEq)]
pub struct BringProps {
    /// The scenario on screen.
    pub scenario: Latest<Scenario>,
    /// The settled scenario.
    pub settled: Scenario,
    /// Whether the sheet is open.
    pub open: bool,
    /// Opens or closes the sheet.
    pub set_open: Callback<bool>,
    /// View and callbacks of the page.
    pub page: PageContext,
}

/// State of reading the input.
#[derive(Clone, Debug, PartialEq)]
enum Outcome {
    /// The input is being read.
    Reading,
    /// The result of reading.
    Taken(Rc<Import>),
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
    /// Whether the run on screen is one that somebody chose: not while files ask for GPUs, when its
    /// verdict would be about GPUs that nobody named, nor while keys were not read that may decide.
    pub judges: bool,
}

/// Reads inputs, shows what they were, and applies the scenario that they describe.
#[derive(Clone)]
struct Reader {
    outcome: UseStateSetter<Option<Outcome>>,
    came: UseStateSetter<Rc<Vec<Item>>>,
    turns: Turns,
    props: Latest<BringProps>,
}

impl Reader {
    /// Reads an input.
    fn take(&self, (items, origin): Arrived) {
        let Some(props) = self.props.get() else { return };
        let (reader, turn) = (self.clone(), self.turns.next());
        let conclude = move |came: Result<Import, String>| {
            if turn.is_last() {
                reader.conclude(came, origin, &props);
            }
        };
        match items {
            Ok(items) => {
                let items = Rc::new(items);
                self.came.set(items.clone());
                if origin != Origin::Typed {
                    self.outcome.set(Some(Outcome::Reading));
                }
                let scenario = self.props.get().and_then(|props| props.scenario.get());
                read_items(&items, scenario.as_ref(), conclude);
            }
            Err(problem) => conclude(Err(problem)),
        }
    }

    /// Applies the result of reading, and shows it where there is room.
    fn conclude(&self, came: Result<Import, String>, origin: Origin, BringProps { page, set_open, .. }: &BringProps) {
        let said = concluded(came, origin, page);
        let is_on_default_gpus =
            self.props.get().and_then(|props| props.scenario.get()).is_some_and(|scenario| has_default_gpus(&scenario));
        match &said {
            // Findings about a file are long, and so are errors in a file.
            Some(Outcome::Taken(brought)) if is_long(brought) => set_open.emit(true),
            // It asks for the GPUs.
            Some(Outcome::Taken(brought)) if brought.kind == ImportKind::Model && is_on_default_gpus => {
                set_open.emit(true);
            }
            Some(Outcome::Wrong(_)) if matches!(origin, Origin::Dropped | Origin::Chosen) => set_open.emit(true),
            // A new scenario is shown at the top of the page.
            Some(Outcome::Taken(_)) if origin == Origin::Dropped => browser::to_top(),
            _ => {}
        }
        self.outcome.set(said);
    }

    /// Reads inputs once more for another scenario on screen; errors leave the outcome.
    fn read_again(&self, items: &[Item], scenario: &Scenario) {
        let (outcome, turn) = (self.outcome.clone(), self.turns.present());
        read_items(items, Some(scenario), move |again| {
            if turn.is_last()
                && let Ok(brought) = again
            {
                outcome.set(Some(Outcome::Taken(Rc::new(brought))));
            }
        });
    }
}

/// Creates the box and the sheet.
#[hook]
pub fn use_bring(props: &BringProps) -> Brings {
    let settled = &props.settled;
    let outcome = use_state_eq(|| None::<Outcome>);
    let came = use_state(Rc::<Vec<Item>>::default);
    let turns = (*use_state(Turns::default)).clone();
    let reader = Reader { outcome: outcome.setter(), came: came.setter(), turns, props: use_latest(props.clone()) };
    let take = {
        let reader = reader.clone();
        use_callback((), move |arrived: Arrived, ()| reader.take(arrived))
    };
    browser::use_drop(&take);
    // Findings about a run or an error depend on the hardware and the model on screen.
    let on_screen = (settled.network, settled.accelerator, settled.gpus, settled.model);
    use_effect_with(on_screen, {
        let (outcome, came, settled) = (outcome.clone(), came.clone(), *settled);
        move |_| {
            if judged(outcome.as_ref()).is_some() {
                reader.read_again(&came, &settled);
            }
        }
    });
    // Whether the reader has confirmed the GPUs on screen.
    let (confirmed, confirm) = use_flag();
    // The question stays while the reader chooses GPUs for it.
    let asked = use_mut_ref(|| false);
    let asks = needs_gpus(outcome.as_ref()) && !confirmed && (*asked.borrow() || has_default_gpus(settled));
    *asked.borrow_mut() = asks;
    let question = asks.then(|| which_gpus(settled, props, &confirm.reform(|()| true)));
    let brought = match &*outcome {
        Some(Outcome::Taken(brought)) => Some(brought.clone()),
        _ => None,
    };
    // Nor is there a verdict on a run of which keys were not read that may decide.
    let is_unread =
        brought.as_ref().is_some_and(|brought| brought.kind == ImportKind::Run && !brought.unread.is_empty());
    // The sheet has the text while it is open.
    let short = if props.open { Html::default() } else { render_outcome(outcome.as_ref(), None) };
    let set_open = props.set_open.clone();
    let close = Callback::from(move |()| {
        set_open.emit(false);
        browser::focus(BUTTON);
    });
    let SayBox { field, said: of_words } = use_say(&props.scenario, settled, &take, brought.as_deref(), short);
    let below = html! {
        <section class="under" aria-label={words::BROUGHT}>
            { of_words }
            if props.open {
                { sheet(&came, brought, render_outcome(outcome.as_ref(), question), &take, &close) }
            }
        </section>
    };
    let say = take.reform(|words: String| (Ok(browser::pasted(words)), Origin::Given));
    // Who closes the question goes on with the GPUs on screen.
    Brings { field, below, say, judges: !(asks || is_unread) || !props.open }
}

/// Whether the GPUs on screen are those that the page begins with.
fn has_default_gpus(scenario: &Scenario) -> bool {
    let start = catalog::default_scenario();
    (scenario.network.id, scenario.accelerator.id) == (start.network.id, start.accelerator.id)
}

/// Whether the findings are long enough for the sheet.
fn is_long(brought: &Import) -> bool {
    matches!(brought.kind, ImportKind::Run | ImportKind::Error | ImportKind::Measured)
}

/// Renders the wide sheet: the input at the left with marks at its lines, the findings at the
/// right.
fn sheet(
    came: &Rc<Vec<Item>>,
    brought: Option<Rc<Import>>,
    findings: Html,
    take: &Callback<Arrived>,
    close: &Callback<()>,
) -> Html {
    let chosen = take.clone();
    let chosen = Callback::from(move |event: Event| browser::chosen_files(&event, &chosen));
    html! {
        <section id={SHEET} class="bring" aria-label={words::TITLE} onkeydown={leave(close)}>
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
fn judged(outcome: Option<&Outcome>) -> Option<&Import> {
    match outcome {
        Some(Outcome::Taken(brought)) if matches!(brought.kind, ImportKind::Run | ImportKind::Error) => Some(brought),
        _ => None,
    }
}

/// Whether an outcome is judged on GPUs, which the input does not name.
fn needs_gpus(outcome: Option<&Outcome>) -> bool {
    let is_needing =
        |kind| matches!(kind, ImportKind::Run | ImportKind::Error | ImportKind::Model | ImportKind::Measured);
    matches!(outcome, Some(Outcome::Taken(brought)) if is_needing(brought.kind))
}

/// Numbers of GPUs that the question offers.
const NUMBERS: [u32; 4] = [1, 2, 4, 8];

/// Renders the question for the GPUs and their number. A number, or keeping those on screen,
/// answers it; the choice of a cluster alone does not.
fn which_gpus(scenario: &Scenario, props: &BringProps, answered: &Callback<()>) -> Html {
    let name = catalog::accelerator(scenario.accelerator.id).map_or("", |entry| entry.name);
    let own = CLUSTERS.iter().position(|entry| entry.id == scenario.network.id).filter(|_| !has_default_gpus(scenario));
    let names = CLUSTERS.iter().map(|entry| entry.name);
    let items = select::Item::named(core::iter::once(words::A_CLUSTER).chain(names));
    let places: Vec<_> = core::iter::once(CLUSTERS.len()).chain(0..CLUSTERS.len()).collect();
    let chosen = own.map_or(0, |place| place + 1);
    let number = |gpus: u32| {
        let (answered, emit, latest) = (answered.clone(), props.page.emit.clone(), props.scenario.clone());
        let set = Callback::from(move |_: MouseEvent| {
            // A cluster may have been chosen a moment ago.
            let Some(mut scenario) = latest.get() else { return };
            // A number that does not suit the layout is reported beside it.
            let _ = links::put(&mut scenario, links::v1::GPUS_KEY, &gpus.to_string());
            emit.emit(Action::ReplaceScenario(Box::new(scenario)));
            answered.emit(());
        });
        html! { <button type="button" class="small-button" onclick={set}>{ words::so_many(gpus) }</button> }
    };
    let keep = answered.reform(|_: MouseEvent| ());
    html! {
        <div class="question" role="group" aria-label={words::WHICH_GPUS}>
            <p>{ words::WHICH_GPUS }</p>
            <select::Select id="which-gpus" name={Some(words::A_CLUSTER)} {items} {places} {chosen} target={SelectTarget::Cluster} />
            { for NUMBERS.into_iter().map(number) }
            <button type="button" class="small-button" onclick={keep}>{ words::keep_gpus(scenario.gpus, name) }</button>
        </div>
    }
}

/// Calls the module that reads the input.
fn read_items(items: &[Item], scenario: Option<&Scenario>, then: impl FnOnce(Result<Import, String>) + 'static) {
    let link = scenario.map(links::encode).unwrap_or_default();
    let names: js_sys::Array =
        items.iter().map(|item| wasm_bindgen::JsValue::from(item.name.as_deref().unwrap_or_default())).collect();
    let contents: js_sys::Array = items.iter().map(|item| Uint8Array::from(item.bytes.as_slice())).collect();
    browser::ask("bring", &[link.into(), names.into(), contents.into()], |answer| {
        then(answer.unwrap_or_else(|| Err(words::NOT_LOADED.into())));
    });
}

/// Applies the result of reading, and returns the outcome to show.
fn concluded(came: Result<Import, String>, origin: Origin, page: &PageContext) -> Option<Outcome> {
    // More text may follow: while it is typed, only a model counts.
    let is_early = origin == Origin::Typed && came.as_ref().map_or(true, |brought| brought.kind != ImportKind::Model);
    if is_early {
        return None;
    }
    Some(match came {
        Ok(brought) => {
            take_over(&brought, page);
            Outcome::Taken(Rc::new(brought))
        }
        Err(problem) => Outcome::Wrong(problem),
    })
}

/// Applies the scenario that was read, unless the findings are about the scenario on screen.
fn take_over(brought: &Import, PageContext { view, emit, .. }: &PageContext) {
    let links::Decoded { scenario, pins, issues, .. } = links::decode(&brought.scenario);
    match brought.kind {
        ImportKind::Model => emit.emit(match scenario.model {
            Model::Preset { id, .. } => Action::Pick(Pick::Model(id)),
            model => Action::ImportModel(Box::new(model.architecture())),
        }),
        ImportKind::Adapter | ImportKind::Lengths | ImportKind::Run | ImportKind::Links | ImportKind::Rates => {
            emit.emit(Action::ReplaceScenario(Box::new(scenario)));
        }
        // Findings about the scenario on screen leave the scenario unchanged.
        ImportKind::Error | ImportKind::Measured => {}
        // An open question means that the scenario is not the one that was said.
        ImportKind::Sentence if !brought.questions.is_empty() => {}
        ImportKind::Sentence => {
            if brought.compared.is_empty() {
                emit.emit(Action::ReplaceScenario(Box::new(scenario)));
            } else {
                let pins = brought.compared.iter().map(|link| links::decode(link).scenario).collect();
                emit.emit(Action::OpenLink { scenario: Box::new(scenario), pins, issues: Vec::new() });
            }
            if let Some(query) = &brought.plan {
                emit.emit(Action::ChangeView(view.with_query(query).showing(Panel::Plan)));
            } else if let Some(query) = &brought.view {
                emit.emit(Action::ChangeView(view.with_query(query)));
            }
        }
        ImportKind::Scenario => {
            emit.emit(Action::OpenLink { scenario: Box::new(scenario), pins, issues });
            if let Some(query) = query(&brought.scenario) {
                emit.emit(Action::RestoreView(View::from_query(query)));
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
fn render_outcome(outcome: Option<&Outcome>, question: Option<Html>) -> Html {
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
                <ul class="offers">{ for brought.offers.iter().map(offered) }</ul>
            }
            { for brought.sections.iter().map(section) }
            <p class="control-help">{ &brought.read }</p>
            </>
        },
    }
}

/// Renders a change that is offered, with buttons to take and to save it.
fn offered(offer: &SuggestedChange) -> Html {
    let take = offer.scenario.as_ref().map(|link| {
        let scenario = links::decode(link).scenario;
        html! { <ActionButton action={Action::ReplaceScenario(Box::new(scenario))}>{ words::TAKE }</ActionButton> }
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

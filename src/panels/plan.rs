//! Planning backwards: from a deadline, a budget or the GPUs at hand to hardware and layout.

mod money;
mod rows;
mod table;
pub mod words;

use std::rc::Rc;

use yew::prelude::*;

use self::table::Answers;
use crate::browser::{self, Planned};
use crate::calculator::SettledProps;
use crate::components::figure::Figure;
use crate::components::how::how;
use crate::components::select::{Item, Select};
use crate::context::{PageContext, use_page};
use crate::snapshot::Snapshot;
use crate::state::{Action, SelectTarget};
use crate::view::{PlanView, SURE, View};
use analysis::plan::{Plan, Progress, SearchKind, Terms, amount};
use catalog::ACCELERATORS;
use charts::views::plan_front;
use engine::format;
use engine::scenario::Scenario;

/// Maximum number of rows in the table.
const MOST: usize = 24;

/// The question, its answers, and days against price; searched while the panel is in sight and the
/// scenario is idle.
#[component]
pub fn PlanPanel(settled: &SettledProps) -> Html {
    let SettledProps { snapshot, rested, .. } = settled;
    let (scenario, asked) = (snapshot.scenario, snapshot.view.plan);
    let kind = asked.question().kind();
    let terms = asked.terms(&scenario);
    let place = use_node_ref();
    let seen = browser::use_seen(&place);
    // A search that was stopped stays stopped until another scenario or question.
    let stopped = use_state_eq(|| None::<(Scenario, SearchKind, Terms)>);
    let is_stopped = *stopped == Some((scenario, kind, terms));
    let Planned { found, progress } = browser::use_plan(&scenario, kind, terms, seen && *rested && !is_stopped);
    let plan = found.filter(|plan| plan.kind() == kind);
    let is_over = plan.as_ref().is_some_and(|plan| plan.is_of(&scenario, kind, terms));
    // The larger batch is searched once the answers are found.
    let larger_terms = asked.larger_terms(&scenario);
    let wants_larger = is_over && larger_terms.is_some();
    let Planned { found: larger, .. } =
        browser::use_plan(&scenario, kind, larger_terms.unwrap_or(terms), seen && *rested && wants_larger);
    let larger = larger.filter(|larger| larger_terms.is_some_and(|terms| larger.is_of(&scenario, kind, terms)));
    let stop = {
        let setter = stopped.setter();
        Callback::from(move |_: MouseEvent| setter.set((!is_stopped).then_some((scenario, kind, terms))))
    };
    let state = match &plan {
        Some(plan) if is_over => {
            html! { <p class="caption" aria-live="off">{ words::caption(plan, larger.as_deref(), asked) }</p> }
        }
        _ => under_way(progress, is_stopped, stop),
    };
    let answers =
        plan.as_ref().map(|plan| html! { <Answers plan={plan.clone()} view={asked} most={MOST} {is_over} /> });
    let sure = Item::named(words::sure());
    let chosen_sure = SURE.iter().position(|sure| *sure == asked.sure).unwrap_or_default();
    let gpus = Item::named([words::ANY_GPU].into_iter().chain(ACCELERATORS.iter().map(|entry| entry.name)));
    let chosen_gpu = ACCELERATORS.iter().position(|entry| Some(entry.id) == asked.gpu).map_or(0, |place| place + 1);
    let items = Item::named(words::QUESTIONS);
    html! {
        <>
        <div id="plan" class="figure wide" ref={place}>
            <div class="figure-head">
                <h2 id="plan-title">{ words::TITLE }</h2>
                <div class="axes">
                    <Select id="plan-question" name={words::ASK} {items} chosen={asked.asked as usize} target={SelectTarget::Question} />
                    <NumberOf />
                    <BatchOf usual={terms.batch} />
                    <span class="plan-number">
                        <label for="plan-sure">{ words::HOW_SURE }</label>
                        <Select id="plan-sure" name={words::HOW_SURE} items={sure} chosen={chosen_sure} target={SelectTarget::Sure} />
                    </span>
                    if kind == SearchKind::Runs {
                        <span class="plan-number">
                            <label for="plan-gpu">{ words::ON }</label>
                            <Select id="plan-gpu" name={words::ON} items={gpus} chosen={chosen_gpu} target={SelectTarget::PlanGpu} />
                        </span>
                    }
                </div>
            </div>
            { state }
            { answers.unwrap_or_default() }
            { how(words::note(asked.question())) }
        </div>
        { for plan.filter(|_| kind == SearchKind::Runs).map(|plan| html! { <Front plan={Shared(plan)} snapshot={snapshot.clone()} /> }) }
        </>
    }
}

/// Instructions for the figure.
const HINT: (&str, &str) = (
    "Point to read a run out, click to load it as the scenario.",
    "With the keyboard: focus the figure, arrow keys, Enter.",
);

/// A plan that is compared by pointer, because it never changes once it is found.
#[derive(Clone)]
struct Shared(Rc<Plan>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

/// The answers of the figure.
#[derive(PartialEq, Properties)]
struct FrontProps {
    /// The answers.
    plan: Shared,
    /// The settled snapshot.
    snapshot: Rc<Snapshot>,
}

/// The runs as marks, time against money; a click takes one.
#[component]
fn Front(FrontProps { plan, snapshot }: &FrontProps) -> Html {
    let (emit, question) = (use_page().emit, snapshot.view.plan.question());
    let figure = use_memo((plan.clone(), snapshot.scenario, question), |(Shared(plan), scenario, question)| {
        let (spec, places) = plan_front(plan, scenario, Some(*question));
        (Rc::new(spec), places)
    });
    let spec = figure.0.clone();
    let Shared(plan) = plan.clone();
    let take = Callback::from(move |mark: usize| {
        if let Some(found) = figure.1.get(mark).and_then(|place| plan.found().get(*place)) {
            emit.emit(Action::ReplaceScenario(Box::new(found.scenario)));
        }
    });
    html! {
        <div class="figure wide"><Figure id="plan-front" {spec} snapshot={snapshot.clone()} hint={HINT} {take} /></div>
    }
}

/// Renders a search under way, with the button that stops it, or a search that was stopped.
fn under_way(progress: Option<Progress>, is_stopped: bool, stop: Callback<MouseEvent>) -> Html {
    let said = match progress {
        _ if is_stopped => words::STOPPED.to_owned(),
        Some(progress) => words::progress(progress),
        None => return html! { <p class="caption" aria-live="off">{ words::WAITING }</p> },
    };
    let bar = progress.filter(|_| !is_stopped).map(|progress| {
        html! {
            <progress aria-label={words::TITLE} max={progress.of.max(1).to_string()} value={progress.visited.to_string()} />
        }
    });
    html! {
        <p class="caption under-way" aria-live="off">
            <span>{ said }</span>
            { bar.unwrap_or_default() }
            <button type="button" class="small-button" onclick={stop}>{ if is_stopped { words::SEARCH } else { words::STOP } }</button>
        </p>
    }
}

/// The batch of the search.
#[derive(PartialEq, Properties)]
struct BatchProps {
    usual: f64,
}

/// The field for the global batch. Text that is no number keeps the last batch; an empty field sets
/// the default batch.
#[component]
fn BatchOf(&BatchProps { usual }: &BatchProps) -> Html {
    let PageContext { view, emit, .. } = use_page();
    let typed = use_state_eq(|| None::<String>);
    let setter = typed.setter();
    use_effect_with((view.plan.asked, usual), {
        let is_theirs = typed.as_ref().and_then(|typed| amount(typed)) == Some(usual);
        move |_| {
            if !is_theirs {
                setter.set(None);
            }
        }
    });
    let is_wrong = typed.as_ref().is_some_and(|typed| !typed.trim().is_empty() && amount(typed).is_none());
    let setter = typed.setter();
    let input = Callback::from(move |event: InputEvent| {
        let text = browser::field_text(&event);
        let batch = amount(&text);
        if batch.is_some() || text.trim().is_empty() {
            emit.emit(Action::ChangeView(View { plan: PlanView { batch, ..view.plan }, ..view }));
        }
        setter.set(Some(text));
    });
    let shown = (*typed).clone().unwrap_or_else(|| format::tokens(usual));
    number_field(["plan-batch", "text"], words::BATCH, shown, is_wrong, input)
}

/// The field for the deadline or the budget; nothing for a question without a number. Text that is
/// no number keeps the last number.
#[component]
fn NumberOf() -> Html {
    let PageContext { view, emit, .. } = use_page();
    let typed = use_state_eq(|| None::<String>);
    let setter = typed.setter();
    use_effect_with(view.plan.asked, move |_| setter.set(None));
    let (Some(label), Some(value)) = (words::label(view.plan.asked), view.plan.number()) else {
        return Html::default();
    };
    let is_wrong = typed.as_ref().is_some_and(|typed| amount(typed).is_none());
    let setter = typed.setter();
    let input = Callback::from(move |event: InputEvent| {
        let text = browser::field_text(&event);
        if let Some(number) = amount(&text) {
            emit.emit(Action::ChangeView(View { plan: view.plan.with_number(number), ..view }));
        }
        setter.set(Some(text));
    });
    let shown = (*typed).clone().unwrap_or_else(|| value.to_string());
    number_field(["plan-number", "decimal"], label, shown, is_wrong, input)
}

/// Renders a field for a number with its unit, and the error of text that is none.
fn number_field(
    [id, mode]: [&'static str; 2],
    (name, unit): (&'static str, &'static str),
    shown: String,
    is_wrong: bool,
    input: Callback<InputEvent>,
) -> Html {
    let error = [id, "-error"].concat();
    html! {
        <span class="plan-number">
            <label for={id}>{ name }</label>
            <input type="text" {id} inputmode={mode} autocomplete="off" spellcheck="false" value={shown} oninput={input}
                aria-invalid={is_wrong.to_string()} aria-describedby={error.clone()} />
            <span class="unit" aria-hidden="true">{ unit }</span>
            <span class="error" id={error}>{ if is_wrong { words::NO_NUMBER } else { "" } }</span>
        </span>
    }
}

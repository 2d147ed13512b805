//! Planning backwards: from a deadline, a budget or the GPUs at hand to hardware and layout.

mod money;
mod rows;
mod table;
pub mod words;

use std::rc::Rc;

use yew::prelude::*;

use self::table::Answers;
use crate::browser::{self, Planned};
use crate::calculator::Settled;
use crate::components::figure::Figure;
use crate::components::how::how;
use crate::components::select::{Item, Select};
use crate::state::{Action, SelectTarget};
use crate::view::{PlanView, SURE, View};
use analysis::plan::{Kind, Plan, Progress, Question, Terms, amount};
use charts::views::plan_front;
use engine::format;
use engine::scenario::Scenario;

/// Maximum number of rows in the table.
const MOST: usize = 24;

/// The question, its answers, and days against price; searched while the panel is in sight and the
/// scenario is idle.
#[component]
pub fn PlanPanel(settled: &Settled) -> Html {
    let Settled { snapshot, theme, emit, say, rested, .. } = settled;
    let (scenario, view) = (snapshot.scenario, snapshot.view);
    let asked = view.plan;
    let kind = asked.question().kind();
    let terms = asked.terms(&scenario);
    let place = use_node_ref();
    let seen = browser::use_seen(&place);
    // A search that was stopped stays stopped until another scenario or question.
    let stopped = use_state_eq(|| None::<(Scenario, Kind, Terms)>);
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
    let answers = plan
        .as_ref()
        .map(|plan| html! { <Answers plan={plan.clone()} view={asked} emit={emit.clone()} most={MOST} {is_over} /> });
    let figure = {
        let plan = plan.clone().filter(|_| kind == Kind::Runs);
        use_memo(
            (plan.map(Shared), scenario, asked.question()),
            |(plan, scenario, question): &(Option<Shared>, Scenario, Question)| {
                plan.as_ref().map(|Shared(plan)| {
                    let (spec, places) = plan_front(plan, scenario, Some(*question));
                    (Rc::new(spec), places)
                })
            },
        )
    };
    let figure = plan.as_ref().zip(figure.as_ref().as_ref()).map(|(plan, (spec, places))| {
        let (plan, places, emit_taken) = (plan.clone(), places.clone(), emit.clone());
        let take = Callback::from(move |mark: usize| {
            if let Some(found) = places.get(mark).and_then(|place| plan.found().get(*place)) {
                emit_taken.emit(Action::Take(Box::new(found.scenario)));
            }
        });
        html! {
            <Figure id="plan-front" spec={spec.clone()} snapshot={snapshot.clone()} theme={*theme} emit={emit.clone()} say={say.clone()}
                hint={HINT} {take} />
        }
    });
    let sure = words::sure().map(|label| Item { label: label.into(), group: None }).to_vec();
    let chosen_sure = SURE.iter().position(|sure| *sure == asked.sure).unwrap_or_default();
    let items = words::QUESTIONS.map(|label| Item { label: AttrValue::Static(label), group: None }).to_vec();
    html! {
        <>
        <div id="plan" class="figure wide" ref={place}>
            <div class="figure-head">
                <h2 id="plan-title">{ words::TITLE }</h2>
                <div class="axes">
                    <Select id="plan-question" name={words::ASK} {items} chosen={asked.asked as usize} {view} target={SelectTarget::Question}
                        emit={emit.clone()} />
                    <NumberOf {view} emit={emit.clone()} />
                    <BatchOf {view} usual={terms.batch} emit={emit.clone()} />
                    <span class="plan-number">
                        <label for="plan-sure">{ words::HOW_SURE }</label>
                        <Select id="plan-sure" name={words::HOW_SURE} items={sure} chosen={chosen_sure} {view} target={SelectTarget::Sure}
                            emit={emit.clone()} />
                    </span>
                </div>
            </div>
            { state }
            { answers.unwrap_or_default() }
            { how(words::note(asked.question())) }
        </div>
        { for figure.map(|figure| html! { <div class="figure wide">{ figure }</div> }) }
        </>
    }
}

/// Instructions for the figure.
const HINT: (&str, &str) = (
    "Point to read a run out, click to load it as the scenario.",
    "With the keyboard: focus the figure, arrow keys, Enter.",
);

/// A plan that is compared by pointer, because it never changes once it is found.
struct Shared(Rc<Plan>);

impl PartialEq for Shared {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
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

/// Values of the field for the batch.
#[derive(PartialEq, Properties)]
struct BatchProps {
    view: View,
    /// The batch of the search.
    usual: f64,
    emit: Callback<Action>,
}

/// The field for the global batch. Text that is no number keeps the last batch; an empty field sets
/// the default batch.
#[component]
fn BatchOf(props: &BatchProps) -> Html {
    let BatchProps { view, usual, emit } = props;
    let set = {
        let (view, emit) = (*view, emit.clone());
        Callback::from(move |batch: Option<f64>| {
            emit.emit(Action::Look(View { plan: PlanView { batch, ..view.plan }, ..view }));
        })
    };
    let typed = use_state_eq(|| None::<String>);
    let setter = typed.setter();
    use_effect_with((view.plan.asked, *usual), {
        let is_theirs = typed.as_ref().and_then(|typed| amount(typed)) == Some(*usual);
        move |_| {
            if !is_theirs {
                setter.set(None);
            }
        }
    });
    let is_wrong = typed.as_ref().is_some_and(|typed| !typed.trim().is_empty() && amount(typed).is_none());
    let input = {
        let setter = typed.setter();
        Callback::from(move |event: InputEvent| {
            let text = browser::field_text(&event);
            let batch = amount(&text);
            if batch.is_some() || text.trim().is_empty() {
                set.emit(batch);
            }
            setter.set(Some(text));
        })
    };
    let shown = (*typed).clone().unwrap_or_else(|| format::tokens(*usual));
    let (name, unit) = words::BATCH;
    html! {
        <span class="plan-number">
            <label for="plan-batch">{ name }</label>
            <input type="text" id="plan-batch" inputmode="text" autocomplete="off" spellcheck="false" value={shown} oninput={input}
                aria-invalid={is_wrong.to_string()} aria-describedby="plan-batch-error" />
            <span class="unit">{ unit }</span>
            <span class="error" id="plan-batch-error">{ if is_wrong { words::NO_NUMBER } else { "" } }</span>
        </span>
    }
}

/// Values of the field for a question's number.
#[derive(PartialEq, Properties)]
struct NumberProps {
    view: View,
    emit: Callback<Action>,
}

/// The field for the deadline or the budget; nothing for a question without a number. Text that is
/// no number keeps the last number.
#[component]
fn NumberOf(props: &NumberProps) -> Html {
    let NumberProps { view, emit } = props;
    let typed = use_state_eq(|| None::<String>);
    let setter = typed.setter();
    use_effect_with(view.plan.asked, move |_| setter.set(None));
    let (Some((name, unit)), Some(value)) = (words::label(view.plan.asked), view.plan.number()) else {
        return Html::default();
    };
    let is_wrong = typed.as_ref().is_some_and(|typed| amount(typed).is_none());
    let input = {
        let (view, emit, setter) = (*view, emit.clone(), typed.setter());
        Callback::from(move |event: InputEvent| {
            let text = browser::field_text(&event);
            if let Some(number) = amount(&text) {
                let plan: PlanView = view.plan.with_number(number);
                emit.emit(Action::Look(View { plan, ..view }));
            }
            setter.set(Some(text));
        })
    };
    let shown = (*typed).clone().unwrap_or_else(|| value.to_string());
    html! {
        <span class="plan-number">
            <label for="plan-number">{ name }</label>
            <input type="text" id="plan-number" inputmode="decimal" autocomplete="off" spellcheck="false" value={shown} oninput={input}
                aria-invalid={is_wrong.to_string()} aria-describedby="plan-number-error" />
            <span class="unit" aria-hidden="true">{ unit }</span>
            <span class="error" id="plan-number-error">{ if is_wrong { words::NO_NUMBER } else { "" } }</span>
        </span>
    }
}

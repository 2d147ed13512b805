//! Pinned scenarios: the button that pins, and a column for each next to the run on screen.

mod equal_money;
pub mod words;

use yew::prelude::*;

use crate::browser;
use crate::calculator::Calculator;
use crate::compare::{Pin, differences, unlettered};
use crate::components::action_button::ActionButton;
use crate::components::fold::Fold;
use crate::context::PageContext;
use crate::panels::cost::FIGURES;
use crate::panels::tabs::show;
use crate::state::Action;
use crate::view::Panel;
use crate::words::{LIMITER, MFU, NEEDED, STEP, TOKENS_SHORT};
use analysis::answer::{self, Answer};
use engine::format;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::scenario::pins::MOST_PINS;
use engine::scenario::pins::pin_letter;
use equal_money::{EqualMoney, tokens_per_dollar};

/// Identifier of the button, which is focused when the last column is removed.
const BUTTON: &str = "pin";

/// Room for a button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// Room for the whole label.
    Whole,
    /// Room for a short label.
    Short,
}

/// Renders the button that pins the scenario on screen; for a scenario that is pinned already, the
/// label names the pin.
pub fn pin_button(Calculator { state, page, .. }: &Calculator, room: Room) -> Html {
    let pinned = state.pins.iter().position(|pin| *pin == state.scenario);
    let full = pinned.is_none() && state.pins.len() >= MOST_PINS;
    let next = state.pins.len();
    let PageContext { emit, say, .. } = page.clone();
    let pin = Callback::from(move |_: MouseEvent| {
        if full {
            say.emit(AttrValue::Static(words::FULL));
        } else if pinned.is_none() {
            emit.emit(Action::Pin);
            say.emit(words::pinned_as(next).into());
        }
    });
    let idle = (full || pinned.is_some()).then_some("true");
    let name = pinned.map_or_else(|| words::PIN.to_owned(), words::pinned_as);
    // Only one of the two buttons takes the focus back, so only one has an identifier.
    let (id, shown) = match room {
        Room::Whole => (Some(BUTTON), name.clone()),
        Room::Short => (None, words::short_pin(pinned)),
    };
    html! {
        <button type="button" {id} class="small-button" aria-disabled={idle} aria-label={name} title={full.then_some(words::FULL)} onclick={pin}>
            { shown }
        </button>
    }
}

/// Renders the pinned scenarios as a chip each, which puts it on screen in exchange, and the button
/// that compares them; nothing if none is pinned.
pub fn pin_chips(Calculator { derived, page, .. }: &Calculator) -> Html {
    let pins = &derived.pins;
    if pins.is_empty() {
        return Html::default();
    }
    let chip = |(place, pin): (usize, &Pin)| {
        html! {
            <span class="pin-chip">
                <ActionButton action={Action::Swap(place)} title={words::swap_help(place)}>
                    <b class={format!("badge badge-{place}")}>{ pin_letter(place) }</b><span>{ unlettered(&pin.name) }</span>
                </ActionButton>
                { remover(place, pins.len(), &page.emit) }
            </span>
        }
    };
    let open = {
        let page = page.clone();
        Callback::from(move |_: MouseEvent| show(Panel::Compare, COMPARED, &page))
    };
    html! {
        <div class="pin-chips" role="group" aria-label={words::TITLE}>
            { for pins.iter().enumerate().map(chip) }
            <button type="button" class="small-button" onclick={open}>{ words::COMPARE }</button>
        </div>
    }
}

/// Identifier of the comparison.
const COMPARED: &str = "compare";

/// Renders the button that removes a pinned scenario.
fn remover(place: usize, count: usize, emit: &Callback<Action>) -> Html {
    let emit = emit.clone();
    let remove = Callback::from(move |_: MouseEvent| {
        emit.emit(Action::Unpin(place));
        // Those before the last keep their buttons; the last is removed with its focused button.
        if place + 1 == count {
            browser::focus(BUTTON);
        }
    });
    let name = words::act_on(words::REMOVE, place);
    html! { <button type="button" class="small-button" aria-label={name.clone()} title={name} onclick={remove}>{ "×" }</button> }
}

/// Renders a column for the run on screen and one for each pinned scenario, whose figures are
/// compared with the run's; nothing if none is pinned.
pub fn pins(Calculator { state, derived, page, settled, .. }: &Calculator) -> Html {
    let (scenario, pins) = (&state.scenario, &derived.pins);
    if pins.is_empty() {
        return Html::default();
    }
    let here = Figures::new(scenario, &derived.report);
    let there: Vec<Figures> = pins.iter().map(|pin| Figures::new(&pin.scenario, &pin.report)).collect();
    let base = there.first();
    let columns = pins.iter().enumerate().map(|(place, pin)| heading(scenario, place, pin, pins.len(), &page.emit));
    let row = |(at, name): (usize, &'static str)| {
        let cell = |column: &Figures, beside: Option<String>| {
            let [value, beside] = [column.texts.get(at).cloned().unwrap_or_default(), beside.unwrap_or_default()];
            html! {
                <td class={(!column.fits).then_some("moot")}>
                    { value }
                    if !beside.is_empty() { <span class="beside">{ " " }{ beside }</span> }
                </td>
            }
        };
        html! {
            <tr>
                <th scope="row">{ name }</th>
                { cell(&here, base.and_then(|base| base.against(&here, at))) }
                // The first is what all the others are compared with.
                { for there.iter().enumerate().map(|(place, column)| {
                    cell(column, base.filter(|_| place > 0).and_then(|base| base.against(column, at)))
                }) }
            </tr>
        }
    };
    html! {
        <section id={COMPARED} class="pins" aria-label={words::COMPARISON}>
            <div class="scroll" tabindex="0" role="region" aria-label={words::TITLE}>
                <table>
                    <thead><tr><td></td><th scope="col">{ words::THIS_RUN }</th>{ for columns }</tr></thead>
                    <tbody>
                        { for NAMES.into_iter().enumerate().map(row) }
                    </tbody>
                </table>
            </div>
            <EqualMoney run={settled.snapshot.scenario} pins={pins.iter().map(|pin| pin.scenario).collect::<Vec<_>>()} wanted={settled.rested} />
            if pins.len() >= MOST_PINS {
                <p>{ words::FULL }</p>
            }
        </section>
    }
}

/// Names of the figures in a column, from the top.
const NAMES: [&str; 9] =
    [words::PER_DOLLAR, words::ODDS, NEEDED, MFU, TOKENS_SHORT, STEP, LIMITER, FIGURES[0], FIGURES[1]];

/// A column: its figures as text and, if they can be compared, as numbers.
struct Figures {
    texts: [String; NAMES.len()],
    numbers: [Option<f64>; NAMES.len()],
    fits: bool,
}

impl Figures {
    fn new(scenario: &Scenario, report: &Report) -> Self {
        let answer = Answer::new(scenario, report);
        let answer::Figures { mfu, tokens, step, needed, limiter, time, cost, .. } = answer.figures();
        let whole = answer.step;
        let per_dollar = tokens_per_dollar(scenario, whole.tokens_per_s_per_gpu);
        Self {
            texts: [
                words::per_dollar(per_dollar),
                format::odds(report.odds()),
                needed,
                mfu,
                tokens,
                step,
                limiter.to_owned(),
                time,
                cost,
            ],
            numbers: [
                per_dollar,
                None,
                Some(answer.needed.get()),
                Some(whole.mfu),
                Some(whole.tokens_per_s_per_gpu),
                Some(whole.time.get()),
                None,
                answer.run.finishes().then_some(answer.run.time.get()),
                answer.dollars(),
            ],
            fits: answer.fit.fits,
        }
    }

    /// Compares a figure of another column with that of this one, in words.
    fn against(&self, other: &Self, at: usize) -> Option<String> {
        // A run that does not fit trains nothing; only its memory can be compared.
        if !(self.fits && other.fits) && NAMES.get(at) != Some(&NEEDED) {
            return None;
        }
        let number = |column: &Self| column.numbers.get(at).copied().flatten();
        Some(words::in_words(number(self)?, number(other)?))
    }
}

/// Renders the head of a pinned scenario's column: its letter, its differences, and its buttons.
fn heading(scenario: &Scenario, place: usize, pin: &Pin, count: usize, emit: &Callback<Action>) -> Html {
    let (here, there) = (*scenario, pin.scenario);
    let body = Callback::from(move |()| differing(&here, &there, place));
    let summary = html! {
        <span title={words::DIFFERS}><b class={format!("badge badge-{place}")}>{ pin_letter(place) }</b>{ " " }{ unlettered(&pin.name) }</span>
    };
    html! {
        <th scope="col">
            <Fold class="pin-name" {summary} {body} />
            <span class="pin-acts">
                <ActionButton action={Action::Swap(place)} label={words::act_on(words::SWAP, place)} title={words::swap_help(place)}>
                    { words::SWAP }
                </ActionButton>
                { " " }
                { remover(place, count, emit) }
            </span>
        </th>
    }
}

/// Renders the differences of a pinned scenario from the one on screen, one per line.
fn differing(here: &Scenario, there: &Scenario, place: usize) -> Html {
    html! {
        <ul class="differing">
            { for differences(here, there).iter().map(|one| html! {
                <li><span>{ one.label }</span>{ ": " }{ words::sides(one, place) }</li>
            }) }
        </ul>
    }
}

//! Pinned scenarios: the button that pins, and a line each under the headline figures.

use yew::prelude::*;

use crate::browser;
use crate::calculator::Calculator;
use crate::components::fold::Fold;
use crate::derived::Pin;
use crate::state::Action;
use crate::text::cost::RunTexts;
use crate::text::{self, Tiles, pins as words};
use engine::scenario::Scenario;
use engine::scenario::pins::MOST_PINS;
use engine::scenario::pins::pin_letter;

/// The button's identifier: where the focus goes when the last line is removed.
const BUTTON: &str = "pin";

/// How much room a button has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// For all that it does.
    Whole,
    /// For a word.
    Short,
}

/// The button that pins the scenario on screen; where the scenario is pinned already, it says as
/// which.
pub fn pin_button(Calculator { state, emit, say, .. }: &Calculator, room: Room) -> Html {
    let pinned = state.pins.iter().position(|pin| *pin == state.scenario);
    let full = pinned.is_none() && state.pins.len() >= MOST_PINS;
    let next = state.pins.len();
    let (emit, say) = (emit.clone(), say.clone());
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
    // Only one of the buttons is where the focus comes back to.
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

/// One line for each pinned scenario; nothing where none is pinned.
pub fn pins(Calculator { state, derived, emit, .. }: &Calculator) -> Html {
    let (scenario, pins) = (&state.scenario, &derived.pins);
    if pins.is_empty() {
        return Html::default();
    }
    html! {
        <section class="pins" aria-label={words::TITLE}>
            <ul>{ for pins.iter().enumerate().map(|(place, pin)| line(scenario, place, pin, pins.len(), emit)) }</ul>
            if pins.len() >= MOST_PINS {
                <p>{ words::FULL }</p>
            }
        </section>
    }
}

fn line(scenario: &Scenario, place: usize, pin: &Pin, count: usize, emit: &Callback<Action>) -> Html {
    let swap = emit.reform(move |_: MouseEvent| Action::Swap(place));
    let emit = emit.clone();
    let remove = Callback::from(move |_: MouseEvent| {
        emit.emit(Action::Unpin(place));
        // Lines above keep their buttons; the last one goes with its own.
        if place + 1 == count {
            browser::focus(BUTTON);
        }
    });
    let Tiles { mfu, tokens, step, needed, fits, .. } = Tiles::of(&pin.scenario, &pin.report);
    let limiter = text::limiter(&pin.report).to_owned();
    let run = RunTexts::of(&pin.scenario, &pin.report);
    let figures = [
        (text::MFU, mfu),
        (text::TOKENS_SHORT, tokens),
        (text::STEP, step),
        (text::NEEDED, needed),
        (text::LIMITER, limiter),
        (text::cost::FIGURES[0], run.time),
        (text::cost::FIGURES[1], run.cost),
    ];
    let (here, there) = (*scenario, pin.scenario);
    let body = Callback::from(move |()| differing(&here, &there, place));
    let summary = html! {
        <span title={words::DIFFERS}><b class={format!("chip chip-{place}")}>{ pin_letter(place) }</b>{ " " }{ words::unlettered(&pin.name) }</span>
    };
    html! {
        <li class={(!fits).then_some("moot")}>
            <Fold class="pin-name" {summary} {body} />
            <dl>{ for figures.into_iter().map(|(name, value)| html! { <div><dt>{ name }</dt>{ " " }<dd>{ value }</dd></div> }) }</dl>
            <span class="pin-acts">
                <button type="button" class="small-button" aria-label={words::act_on(words::SWAP, place)} title={words::swap_help(place)}
                    onclick={swap}>{ words::SWAP }</button>
                { " " }
                <button type="button" class="small-button" aria-label={words::act_on(words::REMOVE, place)} onclick={remove}>
                    { words::REMOVE }
                </button>
            </span>
        </li>
    }
}

/// The differences of a pinned scenario from the one on screen, one a line.
fn differing(here: &Scenario, there: &Scenario, place: usize) -> Html {
    html! {
        <ul class="differing">
            { for words::differences(here, there).iter().map(|one| html! {
                <li><span>{ one.label }</span>{ ": " }{ words::sides(one, place) }</li>
            }) }
        </ul>
    }
}

//! The answer: headline, advice, headline figures.

pub mod cost;
pub mod evidence;
pub mod glance;
pub mod slim;
mod step_parts;
pub mod tiles;

use std::rc::Rc;

use yew::prelude::*;

use self::cost::RunTexts;
use self::evidence::nearest;
use self::glance::{Bars, bars};
use self::slim::slim;
use self::tiles::{Tiles, limiter_note};
use crate::calculator::Calculator;
use crate::calculator::headline::{Headline, odds};
use crate::compare::Pin;
use crate::components::explain_button::explain_button;
use crate::components::number::typed_id;
use crate::components::tile::{Tile, tile};
use crate::panels::advice::Recommended;
use crate::panels::controls::sheet::lead_to;
use crate::panels::pins::words;
use crate::panels::pins::{Room, pin_button, pins};
use crate::scenario_line::{self, Word};
use crate::state::Action;
use crate::view::{Controls, Door, View};
use crate::words::{LIMITER, MFU, NEEDED, STEP, TOKENS_SHORT, correction};
use analysis::layouts::LayoutSearch;
use engine::model::anchor::Anchor;
use engine::model::report::Report;
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::scenario::issue::Severity;

/// Throughput.
const TOKENS: &str = "Tokens per second per GPU";
/// On what nvidia-smi shows.
const NEEDED_HELP: &str = "Memory needed, and what PyTorch’s allocator caches and gives back under pressure.";
/// On the time beside what limits.
const LIMITER_HELP: &str =
    "The time of a step that is spent on what limits it. The card of the step time has all parts.";
/// On the button that takes the correction away.
const UNCORRECT: &str = "Remove the correction";

/// The headline, whose element tells whether it has been scrolled away.
#[derive(Clone, Copy)]
pub struct Heading<'a> {
    /// The element.
    pub place: &'a NodeRef,
    /// Whether it has been scrolled away.
    pub passed: bool,
}

/// Headline, advice, headline figures and pinned scenarios; in their place at the top of the screen
/// once they are scrolled away.
pub fn verdict(calculator: &Calculator, layouts: Option<Rc<LayoutSearch>>, heading: Heading) -> Html {
    let Calculator { state, derived, emit, .. } = calculator;
    html! {
        <>
            <section class="verdict" aria-labelledby="headline">
                { answer(calculator, heading.place) }
                { issues(calculator) }
                { pin_button(calculator, Room::Whole) }
            </section>
            if heading.passed { { slim(calculator) } }
            // A plan is about other hardware than that on screen.
            if state.view.door() == Door::Run {
                { row(calculator) }
                { pins(calculator) }
                <Recommended advised={derived.advised.clone()} {layouts} moving={calculator.is_moving()} {emit} />
            }
        </>
    }
}

/// The headline, the scenario in a sentence, and how well such runs are measured.
pub fn answer(Calculator { state, headline, derived, settled, emit, .. }: &Calculator, place: &NodeRef) -> Html {
    let Headline { subject, verdict, rest, state: of } = headline;
    let has_controls = !state.view.embed || state.view.controls == Controls::All;
    let words = scenario_line::words(&state.scenario, &derived.report);
    let (stands_on, differs) = nearest(&state.scenario, settled.rows.here().map(|rows| &**rows));
    let plain = Scenario { anchor: Anchor::NONE, ..state.scenario };
    let uncorrect = emit.reform(move |_: MouseEvent| Action::Take(Box::new(plain)));
    html! {
        // Their places are kept, so that nothing below moves when a slider does.
        <div class="answer">
            <h1 id="headline" class="headline" ref={place}>
                <span>{ subject }{ " " }</span><em class={of.key()}>{ *verdict }</em><span class="colon">{ ": " }</span><span>{ rest }</span>
                if !state.view.embed {
                    <span class="odds" aria-hidden="true">{ odds(&derived.report) }</span>
                }
            </h1>
            <Sentence {words} {has_controls} />
            <p class="evidence" title={differs}>
                { stands_on }
                if has_controls && correction(&state.scenario).is_some() {
                    { " " }<button type="button" class="small-button" onclick={uncorrect}>{ UNCORRECT }</button>
                }
            </p>
        </div>
    }
}

/// What is wrong with the scenario, or worth a note.
pub fn issues(Calculator { derived, .. }: &Calculator) -> Html {
    html! {
        <ul class="issues">{ for derived.issues.iter().map(|issue| {
            html! { <li class={(issue.severity == Severity::Note).then_some("note")}>{ &issue.message }</li> }
        }) }</ul>
    }
}

/// What the scenario's sentence shows.
#[derive(PartialEq, Properties)]
struct SentenceProps {
    /// Its words.
    words: Vec<Word>,
    /// Whether the page has the controls that they lead to.
    has_controls: bool,
}

/// The scenario's sentence.
#[component]
fn Sentence(SentenceProps { words, has_controls }: &SentenceProps) -> Html {
    html! { <p id="scenario" class="scenario">{ for said(words, *has_controls) }</p> }
}

/// The words of the scenario's sentence: buttons that lead to their controls, where the page has
/// them. A comma or a dot behind a word stays on its line.
fn said(words: &[Word], has_controls: bool) -> impl Iterator<Item = Html> {
    let joints = words.iter().skip(1).map(|word| word.joint).chain([""]);
    words.iter().zip(joints).map(move |(word, joint)| {
        let &Word { ref text, label, control, .. } = word;
        let lead = Callback::from(move |_: MouseEvent| lead_to(control));
        let (mark, apart) = scenario_line::split(joint);
        if !has_controls {
            return html! { <>{ text }{ joint }</> };
        }
        let name = scenario_line::leads_to(label, text);
        html! {
            <>
                <span class="said">
                    <button type="button" class="word" aria-label={name} title={label} onclick={lead}>{ text }</button>{ mark }
                </span>
                { apart }
                if joint == scenario_line::APART {
                    // On the narrowest screens each part has its line, so that no word moves to
                    // another while a slider does.
                    <br />
                }
            </>
        }
    })
}

/// The headline figures.
pub fn row(calculator: &Calculator) -> Html {
    let Calculator { state, derived, emit, .. } = calculator;
    let scenario = &state.scenario;
    let first = derived.pins.first().filter(|pin| pin.scenario != *scenario);
    let of_run = Tile { edit: edit(scenario, state.view), ..run_tile(scenario, &derived.report, first) };
    let tiles = tiles(scenario, &derived.report, first);
    let [mfu, tokens, step, needed, limiter] = tiles;
    let mut keys = explain::HEADLINE.into_iter();
    let [mfu, tokens, step, needed, limiter, of_run] = [mfu, tokens, step, needed, limiter, of_run].map(|own| {
        let explain = keys.next().map(|key| explain_button(key, own.name, state.view.why, emit));
        tile(Tile { explain: explain.unwrap_or_default(), ..own })
    });
    // An embed has no figures that they could lead to.
    let bars = if state.view.embed { Bars::default() } else { bars(calculator) };
    html! {
        <section class="figures-row" aria-label="Figures">
            <div class="cell of-memory">{ needed }{ bars.memory }</div>
            <div class="cell of-speed"><div>{ mfu }{ tokens }{ step }{ limiter }</div>{ bars.step }</div>
            <div class="cell of-run">{ of_run }</div>
            { bars.generating }
        </section>
    }
}

/// The headline figures, with their differences from the first pinned scenario, where it is
/// another. What depends on time is hypothetical where the run does not fit.
fn tiles(scenario: &Scenario, report: &Report, first: Option<&Pin>) -> [Tile; 5] {
    let changes = first.map(|pin| words::deltas(report, &pin.report).map(Some)).unwrap_or_default();
    let [d_mfu, d_tokens, d_step, d_needed] = changes;
    let limiter = first
        .map(|pin| tiles::limiter(&pin.report))
        .filter(|limiter| *limiter != tiles::limiter(report))
        .map(words::limiter);
    let Tiles { mfu, tokens, step, needed, shown, bands, fits } = Tiles::of(scenario, report);
    let [of_mfu, of_tokens, of_step, of_needed] = bands.map(Some);
    let timed = |name, value, band, delta| Tile { name, value, band, delta, hypothetical: !fits, ..Tile::default() };
    let plain = |name, value| Tile { name, value, ..Tile::default() };
    [
        timed(MFU, mfu, of_mfu, d_mfu),
        Tile { short: Some(AttrValue::Static(TOKENS_SHORT)), ..timed(TOKENS, tokens, of_tokens, d_tokens) },
        timed(STEP, step, of_step, d_step),
        Tile {
            band: of_needed,
            note: Some((shown, NEEDED_HELP)),
            below: !report.memory.fits(),
            delta: d_needed,
            ..plain(NEEDED, needed)
        },
        Tile {
            delta: limiter,
            note: Some((limiter_note(report), LIMITER_HELP)),
            ..plain(LIMITER, tiles::limiter(report).into())
        },
    ]
}

/// Days and dollars of the whole run, with their differences from the first pinned scenario's where
/// both train the same tokens.
fn run_tile(scenario: &Scenario, report: &Report, first: Option<&Pin>) -> Tile {
    let RunTexts { name, time, cost, band } = RunTexts::of(scenario, report);
    let [delta, second] = first
        .and_then(|pin| cost::deltas((scenario, report), (&pin.scenario, &pin.report)))
        .map(|changes| changes.map(Some))
        .unwrap_or_default();
    Tile {
        name: cost::TIME_AND_COST,
        short: Some(name.into()),
        value: [time, cost].join(", "),
        band: Some(band),
        delta,
        second,
        hypothetical: !report.fits(),
        ..Tile::default()
    }
}

/// The button that leads to the tokens and the price, where the page has their controls.
fn edit(scenario: &Scenario, view: View) -> Html {
    if view.embed && view.controls != Controls::All {
        return Html::default();
    }
    // Of texts the tokens follow.
    let key = if scenario.has_texts() { ParamId::GpuHourPrice } else { ParamId::TrainingTokens };
    let open = Callback::from(move |_: MouseEvent| lead_to(&typed_id(key)));
    html! {
        <button type="button" class="tile-edit" aria-label={cost::EDIT_HELP} title={cost::EDIT_HELP} onclick={open}>{ cost::EDIT }</button>
    }
}

//! The answer: headline, advice, headline figures.

pub mod evidence;
pub mod glance;
pub mod slim;
mod step_parts;

use std::rc::Rc;

use yew::prelude::*;

use self::evidence::{corrected, nearest};
use self::glance::{Bars, bars};
use self::slim::slim;
use crate::browser;
use crate::calculator::Calculator;
use crate::calculator::headline::{Headline, odds, planned};
use crate::compare::Pin;
use crate::components::action_button::ActionButton;
use crate::components::explain_button::ExplainButton;
use crate::components::tile::{Tile, tile};
use crate::panels::advice::Recommended;
use crate::panels::controls::sheet::lead_to;
use crate::panels::cost::{self, RunTexts};
use crate::panels::pins::words;
use crate::panels::pins::{Room, pin_button, pin_chips};
use crate::panels::tabs::Tabs;
use crate::panels::tiles::{self, Tiles};
use crate::scenario_line::{self, Word};
use crate::state::Action;
use crate::view::{Controls, Door};
use crate::words::{BOX, LIMITER, MFU, NEEDED, STEP, TOKENS_SHORT};
use analysis::answer::Figures;
use analysis::layouts::LayoutSearch;
use analysis::plan::SearchKind;
use catalog::accuracy::Fit;
use engine::model::anchor::Anchor;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::scenario::issue::{Issue, Severity};

/// Name of throughput.
const TOKENS: &str = "Tokens per second per GPU";
/// Help of the memory that nvidia-smi shows.
const NEEDED_HELP: &str = "Memory needed, and what PyTorch’s allocator caches and gives back under pressure.";
/// Help of the time next to the limiter.
const LIMITER_HELP: &str =
    "The time of a step that is spent on what limits it. The card of the step time has all parts.";
/// Help of the peak to which MFU refers.
const PEAK_HELP: &str = "Most publications count the MFU of 8-bit products against the peak of 16 bits, which is half.";
/// Label of the button that removes the correction.
const UNCORRECT: &str = "Remove the correction";
/// Label of the button that asks for a measured run.
const CORRECT: &str = "Correct by your run";
/// Help of that button.
const CORRECT_HELP: &str = "Drop the log of a run near this one, or paste it into the box: the measured time and memory correct the prediction.";

/// Element of the headline, and whether it is scrolled away.
#[derive(Clone, Copy)]
pub struct Heading<'a> {
    /// The element.
    pub place: &'a NodeRef,
    /// Whether the element is scrolled away.
    pub passed: bool,
}

/// Renders headline, headline figures, levers with the pinned scenarios, and the tabs; once the
/// headline is scrolled away, also the verdict in one line at the top of the screen. `change` is
/// the button of the drawer.
pub fn verdict(calculator: &Calculator, layouts: Option<Rc<LayoutSearch>>, heading: Heading, change: Html) -> Html {
    let Calculator { state, derived, .. } = calculator;
    html! {
        <>
            <section class="verdict" aria-labelledby="headline">
                { answer(calculator, heading.place) }
                { issues(calculator) }
                <div class="verdict-acts">{ change }{ pin_button(calculator, Room::Whole) }</div>
            </section>
            if heading.passed { { slim(calculator) } }
            // A plan is about hardware other than that on screen.
            if state.view.door() == Door::Run {
                { row(calculator) }
                <div class={classes!("strip", (!state.pins.is_empty()).then_some("pinned"))}>
                    <Recommended advised={derived.advised.clone()} {layouts} moving={calculator.is_moving()} />
                    { pin_chips(calculator) }
                </div>
                <Tabs pinned={!state.pins.is_empty()} />
            }
        </>
    }
}

/// Renders the headline, the scenario in a sentence, and the measurements behind the prediction.
pub fn answer(Calculator { state, headline, derived, settled, .. }: &Calculator, place: &NodeRef) -> Html {
    let Headline { subject, verdict, rest, state: of } = headline;
    let planned = planned(&state.scenario, &state.view);
    let has_controls = !state.view.embed || state.view.controls == Controls::All;
    let words = scenario_line::all_words(&state.scenario, &derived.report);
    let (stands_on, differs) = nearest(&state.scenario, settled.rows.here().map(|rows| &**rows));
    let plain = Scenario { anchor: Anchor::NONE, ..state.scenario };
    let is_corrected = state.scenario.anchor != Anchor::NONE;
    html! {
        // The texts keep their space, so that nothing below moves while a slider moves.
        <div class="answer">
            if let Some(planned) = &planned {
                <h1 id="headline" class="headline planned" ref={place}><span>{ planned }</span></h1>
            } else {
                <h1 id="headline" class="headline" ref={place}>
                    <span>{ subject }{ " " }</span><em class={of.key()}>{ *verdict }</em><span class="colon">{ ": " }</span><span>{ rest }</span>
                    if !state.view.embed {
                        <span class="odds" aria-hidden="true">{ odds(&derived.report) }</span>
                    }
                </h1>
            }
            <Sentence {words} {has_controls} />
            <p class="evidence" title={planned.is_none().then_some(differs).flatten()}>
                // A plan's rows are other runs than those nearest to the run on screen.
                if planned.is_none() {
                    <span>{ corrected(&state.scenario, state.measured.as_ref()) }{ stands_on }</span>
                    if has_controls && is_corrected {
                        <ActionButton action={Action::ReplaceScenario(Box::new(plain))}>{ UNCORRECT }</ActionButton>
                    } else if !state.view.embed {
                        <button type="button" title={CORRECT_HELP} onclick={Callback::from(|_: MouseEvent| browser::focus(BOX))}>{ CORRECT }</button>
                    }
                }
            </p>
        </div>
    }
}

/// Renders the errors and notes of the scenario: on the page the first in a line, which opens to
/// the others, because the figures below keep their place.
pub fn issues(Calculator { derived, state, .. }: &Calculator) -> Html {
    // A plan over all hardware judges neither the GPUs nor the layout on screen.
    if planned(&state.scenario, &state.view).is_some() && state.view.plan.question().kind() == SearchKind::Runs {
        return Html::default();
    }
    let issue = |issue: &Issue| {
        html! { <li class={(issue.severity == Severity::Note).then_some("note")}>{ issue.text() }</li> }
    };
    let all = &derived.issues;
    match all.as_slice() {
        [first, rest @ ..] if !rest.is_empty() && !state.view.embed => html! {
            <details class="issues">
                <summary><ul>{ issue(first) }</ul><span class="more">{ format!("{} more", rest.len()) }</span></summary>
                <ul>{ for rest.iter().map(issue) }</ul>
            </details>
        },
        _ => html! { <ul class="issues">{ for all.iter().map(issue) }</ul> },
    }
}

/// Values of the scenario's sentence.
#[derive(PartialEq, Properties)]
struct SentenceProps {
    /// Words of the sentence.
    words: Vec<Word>,
    /// Whether the page has the controls that the words link to.
    has_controls: bool,
}

/// The scenario's sentence.
#[component]
fn Sentence(SentenceProps { words, has_controls }: &SentenceProps) -> Html {
    html! { <p id="scenario" class="scenario">{ for render_words(words, *has_controls) }</p> }
}

/// Renders the words of the scenario's sentence: buttons that lead to their controls, if the page
/// has these. A comma or a dot after a word stays on the word's line.
fn render_words(words: &[Word], has_controls: bool) -> impl Iterator<Item = Html> {
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
            </>
        }
    })
}

/// Renders the headline figures.
pub fn row(calculator: &Calculator) -> Html {
    let Calculator { state, derived, .. } = calculator;
    let scenario = &state.scenario;
    let first = derived.pins.first().filter(|pin| pin.scenario != *scenario);
    let of_run = run_tile(scenario, &derived.report, first);
    let tiles = tiles(scenario, &derived.report, first);
    let [mfu, tokens, step, needed, limiter] = tiles;
    let mut keys = explain::HEADLINE.into_iter();
    let [mfu, tokens, step, needed, limiter, of_run] = [mfu, tokens, step, needed, limiter, of_run].map(|own| {
        let explain = keys.next().map(|card| html! { <ExplainButton {card} what={own.name} /> });
        tile(Tile { explain: explain.unwrap_or_default(), ..own })
    });
    // An embed has no figures for the bars to link to.
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

/// Returns the headline figures, with their differences from the first pinned scenario. Figures
/// that depend on time are hypothetical if the run does not fit.
fn tiles(scenario: &Scenario, report: &Report, first: Option<&Pin>) -> [Tile; 5] {
    let changes = first.map(|pin| words::deltas(report, &pin.report).map(Some)).unwrap_or_default();
    let [d_mfu, d_tokens, d_step, d_needed] = changes;
    let limiter = first
        .map(|pin| tiles::limiter(&pin.report))
        .filter(|limiter| *limiter != tiles::limiter(report))
        .map(words::limiter);
    let Tiles { figures, of_peak, fits, fits_gpus } = Tiles::new(scenario, report);
    let Figures { mfu, tokens, step, needed, shown, limiter: word, limited, bands, .. } = figures;
    let [of_mfu, of_tokens, of_step, of_needed] = bands.map(Some);
    let timed = |name, value, band, delta| Tile { name, value, band, delta, hypothetical: !fits, ..Tile::default() };
    let plain = |name, value| Tile { name, value, ..Tile::default() };
    [
        Tile { note: of_peak.map(|of| (of, PEAK_HELP)), ..timed(MFU, mfu, of_mfu, d_mfu) },
        Tile { short: Some(AttrValue::Static(TOKENS_SHORT)), ..timed(TOKENS, tokens, of_tokens, d_tokens) },
        timed(STEP, step, of_step, d_step),
        Tile {
            band: of_needed,
            note: Some((shown, NEEDED_HELP)),
            below: !fits_gpus,
            delta: d_needed,
            ..plain(NEEDED, needed)
        },
        Tile { delta: limiter, note: Some((limited, LIMITER_HELP)), ..plain(LIMITER, word.into()) },
    ]
}

/// Returns days and dollars of the whole run, with their differences from the first pinned
/// scenario's if both train the same tokens.
fn run_tile(scenario: &Scenario, report: &Report, first: Option<&Pin>) -> Tile {
    let (RunTexts { name, time, cost, band }, fits) =
        (RunTexts::new(scenario, report), Fit::check(scenario, report).fits);
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
        hypothetical: !fits,
        ..Tile::default()
    }
}

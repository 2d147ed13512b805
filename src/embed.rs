//! A figure in somebody else's page: the panels that the link names, some controls, and the way to the page itself.
//!
//! It keeps to its frame: no history, nothing stored, no focus taken. The page around it learns how high it is and what is on
//! screen, and may set that ([`super::effects::use_parent`]).

mod below;

use yew::prelude::*;

use crate::app::Start;
use crate::components::bar::MemoryBar;
use crate::components::status::Status;
use crate::derived::{Buffers, compare, derive};
use crate::effects;
use crate::panels::agreement::Agreement;
use crate::panels::banner::banner;
use crate::panels::controls::{Folded, controls, sliders};
use crate::panels::figures::{Sinks, curve, map};
use crate::panels::pins::pins;
use crate::panels::ranking::Ranking;
use crate::panels::strategies::Strategies;
use crate::panels::verdict::{answer, row};
use crate::panels::why::why;
use crate::state::{Action, State};
use crate::text;
use crate::text::embed as words;
use crate::view::{Controls, Panel, View};
use below::Below;
use charts::views::TIME;
use engine::explain;
use engine::scenario::Scenario;
use engine::share::encode_with;

/// Whether an action leaves the scenario as it is: all that there is to do in an embed without controls.
fn only_looks(action: &Action) -> bool {
    match action {
        Action::Look(_) | Action::Ask(_) | Action::Follow(_) | Action::DismissBanner => true,
        // In the timeline a place is what is looked at.
        Action::Place(values) => values.iter().all(|(key, _)| *key == TIME),
        _ => false,
    }
}

/// The embed: one state and one derivation as on the page, and the panels that the link names.
#[component]
pub fn Embed(start: &Start) -> Html {
    let state = {
        let start = start.clone();
        use_reducer(move || State::new(&start.scenario, start.issues, start.view).with_pins(start.pins))
    };
    let (scenario, view) = (state.scenario, state.view);
    let every = effects::use_frame_queue(&state);
    let emit = {
        let every = every.clone();
        use_callback(view.controls, move |action: Action, controls: &Controls| {
            if *controls != Controls::None || only_looks(&action) {
                every.emit(action);
            }
        })
    };
    effects::use_commit(&state, &every);
    effects::use_shortcuts(&emit);
    effects::use_card_focus(view.why, view.why_root());
    let theme = effects::use_theme(view.theme, false);
    let settled = effects::use_settled(&scenario);
    let buffers = use_mut_ref(Buffers::default);
    let derived =
        use_memo((scenario, view, settled != scenario, state.pins.clone()), move |(scenario, view, moving, pins)| {
            let mut derived = derive(scenario, view, *moving, &buffers);
            compare(&mut derived, scenario, view, pins);
            derived
        });
    let below =
        use_memo((settled, view.panels, view.metric, view.zoom), move |(scenario, ..)| Below::of(scenario, view));
    // What screen readers hear: where the crosshair stands, or the answer once it is another than at first.
    let said = use_state(AttrValue::default);
    let say = {
        let setter = said.setter();
        use_callback((), move |words: AttrValue, ()| setter.set(words))
    };
    let headline = text::headline(&scenario, &derived.report);
    let sentence: AttrValue = headline.sentence().into();
    {
        let (say, first) = (say.clone(), use_mut_ref(|| true));
        use_effect_with(sentence.clone(), move |sentence| {
            if !first.replace(false) {
                say.emit(sentence.clone());
            }
        });
    }
    let link: AttrValue = page(&state.committed(), &state, view).into();
    let content = use_node_ref();
    effects::use_parent(&link, view, &every);
    effects::use_height(&content, &link);
    let opened = use_callback((), |_: i32, ()| ());

    let sinks = Sinks { emit: &emit, say: &say };
    let panels = view.embedded();
    let panel = |panel: Panel| match panel {
        Panel::Verdict => html! {
            <div class="wide">
                { answer(&headline, &derived) }
                { row(&state, &derived, sinks) }
            </div>
        },
        Panel::Map => map(&state, &derived, theme, sinks),
        Panel::Curve => curve(&state, &derived, theme, sinks),
        Panel::Memory => {
            html! { <MemoryBar spec={derived.memory.clone()} {theme} why={view.why} emit={emit.clone()} /> }
        }
        Panel::Agreement => {
            html! { <Agreement scenario={settled} {view} {theme} emit={emit.clone()} say={say.clone()} /> }
        }
        Panel::Strategies => html! { <Strategies scenario={settled} why={view.why} emit={emit.clone()} /> },
        Panel::Ranking => html! { <Ranking scenario={settled} emit={emit.clone()} /> },
        Panel::Timeline | Panel::Roofline | Panel::Scaling | Panel::Layer | Panel::Sensitivity => {
            below.panel(panel, &state, derived.layer.as_ref(), theme, sinks)
        }
    };
    let away = html! {
        <p class="away"><a href={page(&scenario, &state, view)} target="_blank" rel="noopener">{ words::OPEN }</a></p>
    };
    let column = match view.controls {
        Controls::None => away,
        Controls::Few => sliders(&state, &emit, away),
        Controls::All => {
            let folded = Folded { scenario, opened: &opened };
            html! { <>{ controls(&state, folded, &emit) }{ away }</> }
        }
    };
    html! {
        <main ref={content} class={classes!("bare", view.controls.key())}>
            if !panels.has(Panel::Verdict) {
                <h1 class="hidden">{ &sentence }</h1>
            }
            { banner(&state.banner, &emit) }
            <div class="figures">{ for panels.all().map(panel) }</div>
            { pins(&scenario, &derived.pins, sinks) }
            { why(explain::place(view.why_root()), view, &scenario, &derived.report, &emit) }
            { column }
            <Status sentence={(*said).clone()} />
        </main>
    }
}

/// The way to the page itself, from here.
fn page(scenario: &Scenario, state: &State, view: View) -> String {
    ["./", &view.alone().query(), "#", &encode_with(scenario, &state.pins)].concat()
}

//! The whole page.

use yew::prelude::*;

use crate::components::status::Status;
use crate::derived::{Buffers, compare, derive};
use crate::effects;
use crate::panels::banner::banner;
use crate::panels::colophon::Colophon;
use crate::panels::controls::{Folded, controls};
use crate::panels::figures::{Below, Sinks, figures};
use crate::panels::gallery::notice;
use crate::panels::masthead::Masthead;
use crate::panels::printed::printed;
use crate::panels::verdict::verdict;
use crate::panels::why::why;
use crate::state::State;
use crate::text;
use crate::view::View;
use charts::views::timeline;
use engine::scenario::issue::Issue;
use engine::scenario::{CUSTOM, Model, Scenario};

/// What the link opened.
#[derive(Clone, PartialEq, Properties)]
pub struct Start {
    /// The scenario.
    pub scenario: Scenario,
    /// The scenarios pinned beside it.
    pub pins: Vec<Scenario>,
    /// What could not be read.
    pub issues: Vec<Issue>,
    /// What is looked at.
    pub view: View,
}

/// The catalog entries on screen: model, GPU, cluster.
fn picked(scenario: &Scenario) -> [&'static str; 3] {
    let model = match scenario.model {
        Model::Preset { id, .. } => id,
        Model::Ladder { .. } | Model::Custom { .. } => CUSTOM,
    };
    [model, scenario.accelerator.id, scenario.network.id]
}

/// The page: one state, one derivation, and the panels that show them.
#[component]
pub fn App(start: &Start) -> Html {
    let state = {
        let start = start.clone();
        use_reducer(move || State::new(&start.scenario, start.issues, start.view).with_pins(start.pins))
    };
    let emit = effects::use_frame_queue(&state);
    let known = use_mut_ref(|| None);
    effects::use_navigation(&emit, &known);
    effects::use_commit(&state, &emit);
    effects::use_link(&state, &known);
    effects::use_shortcuts(&emit);
    effects::use_card_focus(state.view.why, state.view.why_root());
    let theme = effects::use_theme(state.view.theme, true);
    let settled = effects::use_settled(&state.scenario);
    let moving = settled != state.scenario;
    // Controls that nobody sees follow after the pause.
    let (open, any_open) = (use_mut_ref(|| 0), use_state_eq(|| false));
    let opened = {
        let setter = any_open.setter();
        use_callback((), move |change: i32, ()| {
            *open.borrow_mut() += change;
            setter.set(*open.borrow() > 0);
        })
    };
    let folded = if *any_open { state.scenario } else { settled };
    let buffers = use_mut_ref(Buffers::default);
    let derived =
        use_memo((state.scenario, state.view, moving, state.pins.clone()), move |(scenario, view, moving, pins)| {
            let mut derived = derive(scenario, view, *moving, &buffers);
            compare(&mut derived, scenario, view, pins);
            derived
        });
    let place = use_node_ref();
    let printing = effects::use_printing();
    let seen = effects::use_seen(&place);
    let timeline =
        use_memo((settled, state.view.zoom, seen), |(scenario, zoom, seen)| timeline(scenario, *zoom, *seen));
    let below = Below { timeline, place };

    // What the status line says: the headline, or where the crosshair stands.
    let pointed = use_state_eq(|| None::<AttrValue>);
    let headline = text::headline(&state.scenario, &derived.report);
    let sentence: AttrValue = headline.sentence().into();
    let say = {
        let setter = pointed.setter();
        use_callback((), move |words: AttrValue, ()| setter.set(Some(words)))
    };
    {
        let setter = pointed.setter();
        use_effect_with(sentence.clone(), move |_| setter.set(None));
    }
    let sinks = Sinks { emit: &emit, say: &say };
    html! {
        <>
            <Masthead view={state.view} scenario={state.scenario} pins={state.pins.clone()} can_undo={state.can_undo()} can_redo={state.can_redo()}
                emit={emit.clone()} />
            <main class="page">
                { banner(&state.banner, &emit) }
                { notice(state.example, &emit) }
                { verdict(&headline, &state, &derived, sinks) }
                <div class="columns">
                    { why(0, state.view, &state.scenario, &derived.report, &emit) }
                    { controls(&state, Folded { scenario: folded, opened: &opened }, &emit) }
                    { figures(&state, settled, &derived, below, theme, sinks) }
                </div>
                if printing { { printed(&state.scenario) } }
            </main>
            <Colophon picked={picked(&state.scenario)} />
            <Status sentence={(*pointed).clone().unwrap_or(sentence)} />
        </>
    }
}

//! The page's markup, rendered natively: names, figures, sentences. No browser is needed for these.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test that panics has failed")]

// The same random scenarios, cases and seeds as the engine's.
#[path = "../../crates/engine/tests/suite/any.rs"]
mod any;
mod cards;
#[path = "../../crates/engine/tests/suite/cases.rs"]
mod cases;
mod controls;
mod document;
mod embed;
mod figures;
mod first_screen;
mod host;
mod models;
mod one_answer;
mod pins;
mod sharing;

use engine::model::choices::Choices;
use engine::model::training::Recompute;
use engine::scenario::Scenario;
use engine::scenario::issue::Issue;
use shardwise::components::choice::{ChoiceControl, ChoiceControlProps as ChoiceProps};
use shardwise::components::number::{NumberControl, NumberControlProps as NumberProps};
use shardwise::fields::{Field, field};
use shardwise::panels::controls::pickers;
use shardwise::state::{Action, State};
use shardwise::view::{Panel, View};
use shardwise::{App, Embed, Start};
use std::rc::Rc;
use yew::{BaseComponent, LocalServerRenderer};

fn rendered<C: BaseComponent>(props: C::Properties) -> String
where
    C::Properties: 'static,
{
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let local = tokio::task::LocalSet::new();
    local.block_on(&runtime, LocalServerRenderer::<C>::with_props(props).hydratable(false).render())
}

/// Renders the page with its drawer of controls open.
fn page(scenario: &Scenario, issues: Vec<Issue>) -> String {
    rendered::<App>(Start { scenario: *scenario, pins: Vec::new(), issues, view: View::default(), drawer: true })
}

/// Renders the page with the tab or the door of a panel open.
fn page_at(panel: Panel, scenario: &Scenario) -> String {
    let view = View::default().showing(panel);
    rendered::<App>(Start { scenario: *scenario, pins: Vec::new(), issues: Vec::new(), view, drawer: false })
}

fn does_not_fit() -> Scenario {
    Scenario {
        seq_len: 131_072,
        choices: Choices { recompute: Recompute::None, ..Choices::DEFAULT },
        ..catalog::default_scenario()
    }
}

/// Returns the text without tags and entities, for sentences that run across elements.
fn words(html: &str) -> String {
    let mut text = String::new();
    let mut inside = false;
    for letter in html.chars() {
        match letter {
            '<' => inside = true,
            '>' => inside = false,
            _ if !inside => text.push(letter),
            _ => {}
        }
    }
    text.replace("&quot;", "\"").replace("&#x27;", "'").replace("&amp;", "&")
}

/// LLaVA's shape, with two images.
const IMAGES: &str = "cluster=dgx-h100&model=custom&layers=32&hidden=4096&heads=32&kv=32&ffn=11008&vocab=32064&gpus=8&seq=2048&\
                      towerlayers=24&towerhidden=1024&towerheads=16&towerffn=4096&patch=14&imagesize=336&merge=1&\
                      towerparams=303507456&projparams=20979712&images=2&imageres=672";

fn after(actions: Vec<Action>) -> Rc<State> {
    let start = Rc::new(State::new(&catalog::default_scenario(), Vec::new(), View::default()));
    actions.into_iter().fold(start, yew::Reducible::reduce)
}

fn control(key: &str, state: &State) -> String {
    let param = engine::params::find(key).unwrap();
    match field(param, &state.scenario, state.drafts(), &state.preset, None) {
        Field::Number(field) => rendered::<NumberControl>(NumberProps { field, explained: false }),
        Field::Choice(field) => rendered::<ChoiceControl>(ChoiceProps { field, explained: true, same: None }),
    }
}

/// Renders the selects of a state.
fn page_of(state: &State) -> String {
    let (scenario, preset) = (&state.scenario, &state.preset);
    let html = yew::html! { <>{ pickers::model(scenario, preset) }{ pickers::accelerator(scenario, preset) }
    { pickers::cluster(scenario, preset) }</> };
    rendered::<Shown>(ShownProps { html })
}

#[derive(PartialEq, yew::Properties)]
struct ShownProps {
    html: yew::Html,
}

#[yew::component]
fn Shown(props: &ShownProps) -> yew::Html {
    props.html.clone()
}

fn embed(query: &str, pins: Vec<Scenario>) -> String {
    let view = View::from_query(query);
    rendered::<Embed>(Start { scenario: catalog::default_scenario(), pins, issues: Vec::new(), view, drawer: false })
}

fn embedded(view: &str, scenario: &Scenario) -> String {
    let view = View::from_query(&format!("?embed=1&view={view}"));
    rendered::<Embed>(Start { scenario: *scenario, pins: Vec::new(), issues: Vec::new(), view, drawer: false })
}

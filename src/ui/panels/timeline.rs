//! The timeline of one step, and how closely one looks at it.

use yew::prelude::*;

use crate::chart::palette::Theme;
use crate::chart::timeline::{Level, Zoom};
use crate::chart::views;
use crate::scenario::Scenario;
use crate::ui::components::figure::Figure;
use crate::ui::effects;
use crate::ui::state::Action;
use crate::ui::text;

/// What to show.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// The choices, as they were when they last stood still.
    pub scenario: Scenario,
    /// Light or dark.
    pub theme: Theme,
    /// Takes what the status line should say.
    pub say: Callback<AttrValue>,
}

/// The figure with its levels. A click looks closer at what is there; nothing is drawn far from the screen.
#[component]
pub fn Timeline(props: &Props) -> Html {
    let zoom = use_state_eq(|| Zoom::WHOLE);
    let place = use_node_ref();
    let seen = effects::use_seen(&place);
    let spec =
        use_memo((props.scenario, *zoom, seen), |(scenario, zoom, seen)| views::timeline(scenario, *zoom, *seen));
    let emit = {
        let (zoom, lanes) = (zoom.clone(), spec.lanes.clone());
        Callback::from(move |action: Action| {
            if let (Action::Place(places), Some(lanes)) = (action, &lanes) {
                let at = places.first().map_or(0.5, |place| lanes.time(place.1) / lanes.step);
                zoom.set(Zoom { level: zoom.level.closer(), at });
            }
        })
    };
    html! {
        <div class="wide" ref={place}>
            <Figure id="timeline" {spec} theme={props.theme} {emit} say={props.say.clone()} hint={text::TIMELINE_HINT}>
                { for Level::ALL.into_iter().zip(text::LEVELS).map(|(level, name)| {
                    let chosen = zoom.clone();
                    let look = Callback::from(move |_: MouseEvent| chosen.set(Zoom { level, ..*chosen }));
                    html! {
                        <button type="button" class="small-button" aria-pressed={(zoom.level == level).to_string()}
                            onclick={look}>{ name }</button>
                    }
                }) }
            </Figure>
        </div>
    }
}

//! The way around the page: its doors, the tabs of its figure, every figure by name, and a link
//! past the controls.

use yew::prelude::*;

use crate::browser;
use crate::state::Action;
use crate::view::{Door, Panel, Tab, View};

/// Every figure below the verdict: the identifier of its element, its name, and the panel that it
/// belongs to; none for what stands under every tab.
pub const FIGURES: [(&str, &str, Option<Panel>); 16] = [
    ("map", "What fits: feasible region", Some(Panel::Map)),
    ("curve", "Curves", Some(Panel::Curve)),
    ("memory", "Memory of one GPU at its peak", Some(Panel::Memory)),
    ("step-memory", "Memory over one step", Some(Panel::StepMemory)),
    ("waterfall", "Where the step’s time goes", Some(Panel::Waterfall)),
    ("timeline", "Timeline of one step", Some(Panel::Timeline)),
    ("roofline", "Roofline of the step", Some(Panel::Roofline)),
    ("scaling", "Scaling", Some(Panel::Scaling)),
    ("sensitivity", "What moves the result most", Some(Panel::Sensitivity)),
    ("strategies", "Every strategy on this cluster", Some(Panel::Strategies)),
    ("ranking", "Best layouts on this cluster", Some(Panel::Ranking)),
    ("plan", "Plan backwards: deadline, budget, fewest GPUs", Some(Panel::Plan)),
    ("run", "The whole run", Some(Panel::Run)),
    ("settings", "Settings for your framework", Some(Panel::Settings)),
    ("agreement", "Predicted against measured", Some(Panel::Agreement)),
    ("glossary", "Glossary", None),
];

/// The identifier of what the tabs show.
pub const PANEL: &str = "figure";
/// The accessible name of the tabs.
const NAME: &str = "Figure";
/// On the first stop of the page.
const SKIP: &str = "Skip to the figures";

/// Shows a panel, in its tab or behind its door, and gives it the focus.
pub fn show(panel: Panel, id: &'static str, view: View, emit: &Callback<Action>) {
    if !view.shows(panel) {
        emit.emit(Action::Look(view.showing(panel)));
    }
    browser::go_to(id);
}

/// The first stop of the page: past masthead and controls. A button, as the fragment of the address
/// is the scenario.
pub fn skip() -> Html {
    let go = Callback::from(|_: MouseEvent| browser::go_to(PANEL));
    html! { <button type="button" class="button skip" onclick={go}>{ SKIP }</button> }
}

/// The doors of the page: the one that is open is marked.
pub fn doors(view: View, emit: &Callback<Action>) -> Html {
    let door = |door: Door, name: &'static str, panel: Panel| {
        let open = emit.reform(move |_: MouseEvent| Action::Look(view.showing(panel)));
        let current = (view.door() == door).then_some("page");
        html! { <button type="button" aria-current={current} onclick={open}>{ name }</button> }
    };
    html! { <>{ door(Door::Run, "My run", Panel::Map) }{ door(Door::Plan, "Plan", Panel::Plan) }</> }
}

/// The identifier of a tab's button.
fn id_of(tab: Tab) -> String {
    ["tab-", tab.first().key()].concat()
}

/// What to show, and where actions go.
#[derive(PartialEq, Properties)]
pub struct Props {
    /// What is looked at.
    pub view: View,
    /// Takes actions.
    pub emit: Callback<Action>,
}

/// The tabs: arrow keys go from one to the next, as in every row of tabs.
#[component]
pub fn Tabs(Props { view, emit }: &Props) -> Html {
    let (view, now) = (*view, view.tab());
    let open = emit.reform(move |tab: Tab| Action::Look(view.showing(tab.first())));
    let key = {
        let open = open.clone();
        Callback::from(move |event: KeyboardEvent| {
            let (at, last) = (now as usize, Tab::ALL.len() - 1);
            let place = match event.key().as_str() {
                "ArrowRight" => (at + 1) % Tab::ALL.len(),
                "ArrowLeft" => at.checked_sub(1).unwrap_or(last),
                "Home" => 0,
                "End" => last,
                _ => return,
            };
            event.prevent_default();
            if let Some(tab) = Tab::ALL.get(place) {
                open.emit(*tab);
                browser::focus(&id_of(*tab));
            }
        })
    };
    let button = |tab: Tab| {
        let is_open = tab == now;
        html! {
            <button type="button" role="tab" id={id_of(tab)} aria-selected={is_open.to_string()} aria-controls={PANEL}
                tabindex={if is_open { "0" } else { "-1" }} onclick={open.reform(move |_: MouseEvent| tab)}>{ tab.name() }</button>
        }
    };
    html! { <div class="tabs" role="tablist" aria-label={NAME} onkeydown={key}>{ for Tab::ALL.into_iter().map(button) }</div> }
}

/// What the open tab shows.
pub fn tab_panel(view: View, children: Html) -> Html {
    html! { <div id={PANEL} class="tab" role="tabpanel" aria-labelledby={id_of(view.tab())} tabindex="-1">{ children }</div> }
}

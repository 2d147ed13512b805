//! Navigation of the page: its doors, the tabs of its figure, every figure by name, and a link past
//! the controls.

use yew::prelude::*;

use crate::browser;
use crate::context::{PageContext, use_page};
use crate::state::Action;
use crate::view::{Door, Panel, Tab, View};

/// Every figure below the verdict: the identifier of its element, its name, further words that it
/// is found by, and its panel; `None` for a figure under every tab.
pub const FIGURES: [(&str, &str, &str, Option<Panel>); 18] = [
    ("map", "What fits: feasible region", "longest sequence largest model map", Some(Panel::Map)),
    ("curve", "Curves", "how fast speed MFU bandwidth network-bound threshold", Some(Panel::Curve)),
    ("best", "Memory × bandwidth: the best MFU", "Wang 2025 paper best map", Some(Panel::Best)),
    ("memory", "Memory of one GPU at its peak", "oom out of memory nvidia-smi activations", Some(Panel::Memory)),
    ("step-memory", "Memory over one step", "snapshot allocator fragmentation", Some(Panel::StepMemory)),
    ("waterfall", "Where the step’s time goes", "breakdown MFU loss kernels", Some(Panel::Waterfall)),
    ("timeline", "Timeline of one step", "trace profile overlap bubble", Some(Panel::Timeline)),
    ("roofline", "Roofline of the step", "arithmetic intensity memory bandwidth", Some(Panel::Roofline)),
    ("scaling", "Scaling", "weak strong more GPUs", Some(Panel::Scaling)),
    ("sensitivity", "What moves the result most", "tornado levers", Some(Panel::Sensitivity)),
    ("strategies", "Every strategy on this cluster", "DDP ZeRO FSDP HSDP compare", Some(Panel::Strategies)),
    ("ranking", "Best layouts on this cluster", "parallelism tp pp cp ep fastest layout", Some(Panel::Ranking)),
    ("compare", "Pinned runs compared", "pins equal money tokens per dollar", Some(Panel::Compare)),
    (
        "plan",
        "Plan backwards: deadline, budget, fewest GPUs",
        "cheapest fastest longest context largest model smallest GPU",
        Some(Panel::Plan),
    ),
    ("run", "The whole run", "cost price time energy failures checkpoints", Some(Panel::Run)),
    ("settings", "Settings for your framework", "export config torchtitan Megatron DeepSpeed", Some(Panel::Settings)),
    ("agreement", "Predicted against measured", "accuracy error evidence", Some(Panel::Agreement)),
    ("glossary", "Glossary", "terms words symbols", None),
];

/// Identifier of the element that the tabs show.
pub const PANEL: &str = "figure";
/// Accessible name of the tabs.
const NAME: &str = "Figure";
/// Label of the first tab stop of the page.
const SKIP: &str = "Skip to the figures";

/// Shows a panel, in its tab or behind its door, and focuses the element with the identifier.
pub fn show(panel: Panel, id: &'static str, PageContext { view, emit, .. }: &PageContext) {
    if !view.shows(panel) {
        emit.emit(Action::ChangeView(view.showing(panel)));
    }
    browser::go_to(id);
}

/// Renders the first tab stop of the page, which skips masthead and controls. It is a button,
/// because the fragment of the address is the scenario.
pub fn skip() -> Html {
    let go = Callback::from(|_: MouseEvent| browser::go_to(PANEL));
    html! { <button type="button" class="button skip" onclick={go}>{ SKIP }</button> }
}

/// Renders the doors of the page, with the open one marked.
pub fn doors(PageContext { view, emit, .. }: &PageContext) -> Html {
    let view = *view;
    let door = |door: Door, name: &'static str, panel: Panel| {
        let open = emit.reform(move |_: MouseEvent| Action::ChangeView(view.showing(panel)));
        let current = (view.door() == door).then_some("page");
        html! { <button type="button" aria-current={current} onclick={open}>{ name }</button> }
    };
    html! { <>{ door(Door::Run, "My run", Panel::Curve) }{ door(Door::Plan, "Plan", Panel::Plan) }</> }
}

/// Returns the identifier of a tab's button.
fn id_of(tab: Tab) -> String {
    ["tab-", tab.first().key()].concat()
}

/// Values of the tabs.
#[derive(PartialEq, Properties)]
pub struct TabsProps {
    /// Whether scenarios are pinned, which a tab compares.
    pub pinned: bool,
}

/// The tabs. Arrow keys move from one tab to the next, as in every row of tabs.
#[component]
pub fn Tabs(&TabsProps { pinned }: &TabsProps) -> Html {
    let PageContext { view, emit, .. } = use_page();
    let now = view.tab();
    let tabs: Vec<Tab> = Tab::ALL.into_iter().filter(|tab| pinned || now == *tab || *tab != Tab::Compare).collect();
    let open = emit.reform(move |tab: Tab| Action::ChangeView(view.showing(tab.first())));
    let key = {
        let (open, tabs) = (open.clone(), tabs.clone());
        Callback::from(move |event: KeyboardEvent| {
            let last = tabs.len().saturating_sub(1);
            let at = tabs.iter().position(|tab| *tab == now).unwrap_or(0);
            let place = match event.key().as_str() {
                "ArrowRight" if at == last => 0,
                "ArrowRight" => at + 1,
                "ArrowLeft" => at.checked_sub(1).unwrap_or(last),
                "Home" => 0,
                "End" => last,
                _ => return,
            };
            event.prevent_default();
            if let Some(tab) = tabs.get(place) {
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
    html! { <div class="tabs" role="tablist" aria-label={NAME} onkeydown={key}>{ for tabs.iter().copied().map(button) }</div> }
}

/// Renders the content of the open tab.
pub fn tab_panel(view: View, children: Html) -> Html {
    html! { <div id={PANEL} class="pane tab" role="tabpanel" aria-labelledby={id_of(view.tab())} tabindex="-1">{ children }</div> }
}

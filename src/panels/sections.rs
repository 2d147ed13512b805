//! The way around the page: its sections in one line, the one in view marked; a link past the
//! controls.

use yew::prelude::*;

use crate::browser;

/// Every figure below the verdict: the identifier of its element, and its name.
pub const FIGURES: [(&str, &str); 16] = [
    ("map", "What fits: feasible region"),
    ("curve", "Curves"),
    ("memory", "Memory of one GPU at its peak"),
    ("step-memory", "Memory over one step"),
    ("timeline", "Timeline of one step"),
    ("roofline", "Roofline of the step"),
    ("scaling", "Scaling"),
    ("sensitivity", "What moves the result most"),
    ("strategies", "Every strategy on this cluster"),
    ("ranking", "Best layouts on this cluster"),
    ("plan", "Plan backwards: deadline, budget, fewest GPUs"),
    ("run", "The whole run"),
    ("settings", "Settings for your framework"),
    ("agreement", "Predicted against measured"),
    ("alike", "Runs like yours"),
    ("glossary", "Glossary"),
];

/// The sections: the first figure of each, and its name.
const SECTIONS: [(&str, &str); 9] = [
    ("map", "Fit and speed"),
    ("memory", "Memory"),
    ("timeline", "Step"),
    ("roofline", "Scaling"),
    ("strategies", "Layouts"),
    ("plan", "Plan"),
    ("run", "Run"),
    ("settings", "Settings"),
    ("agreement", "Accuracy"),
];

/// The name of the line.
const NAME: &str = "Sections";
/// On the first stop of the page.
const SKIP: &str = "Skip to the figures";

/// The first stop of the page: past masthead and controls. A button, as the fragment of the address
/// is the scenario.
pub fn skip() -> Html {
    let go = Callback::from(|_: MouseEvent| browser::go_to(SECTIONS[0].0));
    html! { <button type="button" class="button skip" onclick={go}>{ SKIP }</button> }
}

/// The line of sections.
#[component]
pub fn Sections() -> Html {
    let (now, ask) = browser::use_section_in_view(&SECTIONS);
    let section = |(place, &(id, name)): (usize, &(&'static str, &'static str))| {
        let go = ask.reform(move |_: MouseEvent| {
            browser::go_to(id);
            place
        });
        let current = (place == now).then_some("true");
        html! { <li><button type="button" aria-current={current} onclick={go}>{ name }</button></li> }
    };
    html! { <nav class="sections" aria-label={NAME}><ul>{ for SECTIONS.iter().enumerate().map(section) }</ul></nav> }
}

//! The understood parts of a sentence as chips in one line, questions first.

use yew::prelude::*;

use super::words;
use crate::browser;
use crate::panels::controls::folds::fold_of;
use crate::panels::controls::sheet;
use files::brought::{AssumedValue, Import, Marked, Question};

/// Controls of assumptions that are no single parameter.
const CONTROLS: [(&str, &str); 6] = [
    ("layout", "strategy"),
    ("model", "model"),
    ("hardware", "cluster"),
    ("gpu", "accelerator"),
    ("batch", "accum"),
    ("release", "release"),
];

/// Renders the chips of a sentence. `choose` takes the text of an answer.
pub(super) fn chips(brought: &Import, is_taken: bool, choose: &Callback<String>) -> Html {
    let marks = &brought.marks;
    // What two parts of a sentence say is one chip.
    let is_first = |place: usize, means: &str| !marks.iter().take(place).any(|before| before.means == means);
    let understood =
        marks.iter().enumerate().filter(|(place, mark)| !mark.means.is_empty() && is_first(*place, &mark.means));
    // The form of a GPU stands in the chip of its name, whose tooltip says that it was assumed.
    let is_said =
        |value: &&AssumedValue| value.key == "gpu" && marks.iter().any(|mark| mark.means.ends_with(&value.value));
    html! {
        <>
            <ul class="chips" tabindex="0" aria-label={words::CHIPS}>
                if is_taken { <li class="chip-state">{ words::TAKEN }</li> }
                { for brought.questions.iter().map(|question| asked(question, choose)) }
                { for understood.map(|(_, mark)| meant(mark)) }
                { for brought.assumed.iter().filter(|value| !is_said(value)).map(assumed) }
                if !brought.answer.is_empty() { <li class="chip-answer">{ &brought.answer }</li> }
            </ul>
            if !brought.assumed.is_empty() { { reasons(&brought.assumed) } }
        </>
    }
}

/// Renders a question with its answers.
fn asked(question: &Question, choose: &Callback<String>) -> Html {
    let answer = |(label, text): &(String, String)| {
        let text = text.clone();
        let choose = choose.reform(move |_: MouseEvent| text.clone());
        html! { <button type="button" class="small-button" onclick={choose}>{ label }</button> }
    };
    html! {
        <li class="chip wrong" title={question.sentence.clone()}>
            <span>{ &question.sentence }</span>
            { for question.choices.iter().map(answer) }
        </li>
    }
}

/// Renders an understood part.
fn meant(mark: &Marked) -> Html {
    let said = core::iter::once(words::said(&mark.text)).chain(mark.taken.iter().cloned());
    let said = said.collect::<Vec<_>>().join(" ");
    html! { <li class="chip" title={said}>{ &mark.means }</li> }
}

/// Renders an assumed value, which leads to its control.
fn assumed(value: &AssumedValue) -> Html {
    let key = CONTROLS.iter().find(|(key, _)| *key == value.key).map_or(value.key.as_str(), |(_, control)| *control);
    let fold = engine::params::find(key).and_then(fold_of).map(|fold| fold.id);
    let title = words::assumed(&value.label, &value.why);
    let key = key.to_owned();
    let go = Callback::from(move |_: MouseEvent| browser::go_to_control(fold, &key, sheet::BUTTON));
    html! {
        <li>
            <button type="button" class="chip assumed" {title} onclick={go}>
                <span class="hidden">{ words::ASSUMED }{ " " }{ &value.label }{ " " }</span>{ &value.value }
            </button>
        </li>
    }
}

/// Renders the reasons of the assumed values, folded.
fn reasons(values: &[AssumedValue]) -> Html {
    let line = |value: &AssumedValue| {
        html! { <li><strong>{ &value.label }</strong>{ ": " }{ &value.value }{ ", as " }{ &value.why }{ "." }</li> }
    };
    html! {
        <details class="chips-why">
            <summary>{ words::WHY_ASSUMED }</summary>
            <ul>{ for values.iter().map(line) }</ul>
        </details>
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::default_scenario;
    use files::brought::{Item, import_items};

    #[derive(PartialEq, Properties)]
    struct Said {
        text: &'static str,
    }

    #[component]
    fn Line(Said { text }: &Said) -> Html {
        let item = Item { name: None, bytes: text.as_bytes().to_vec() };
        match import_items(&[item], &default_scenario()) {
            Ok(brought) => chips(&brought, false, &Callback::noop()),
            Err(problem) => html! { <p>{ problem }</p> },
        }
    }

    fn rendered(text: &'static str) -> String {
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let local = tokio::task::LocalSet::new();
        let page = yew::LocalServerRenderer::<Line>::with_props(Said { text }).hydratable(false);
        runtime.block_on(local.run_until(page.render()))
    }

    #[test]
    fn a_line_has_questions_first_with_their_answers() {
        let line = rendered("phi-4 sft on my laptop 4060 8GB");
        let places = ["is not in the list of GPUs", "Phi-4 14B", "chip assumed"].map(|part| line.find(part));
        assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{line}");
        assert_eq!(line.matches("<button").count() - line.matches("chip assumed").count(), 3, "{line}");
    }

    #[test]
    fn a_line_without_questions_says_what_a_view_answers() {
        let line = rendered("13B on 64 A100, from how many Gbit/s not limited by the network");
        assert!(!line.contains("chip wrong") && line.contains("The curve over the bandwidth"), "{line}");
        assert!(line.contains("Sequence length: assumed, as the text has none."), "{line}");
    }
}

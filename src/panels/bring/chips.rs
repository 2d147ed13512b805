//! What was understood of a sentence: chips in one line, questions first.

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
    let understood = brought.marks.iter().filter(|mark| !mark.means.is_empty());
    html! {
        <>
            <ul class="chips" tabindex="0" aria-label={words::CHIPS}>
                if is_taken { <li class="chip-state">{ words::TAKEN }</li> }
                { for brought.questions.iter().map(|question| asked(question, choose)) }
                { for understood.map(meant) }
                { for brought.assumed.iter().map(assumed) }
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

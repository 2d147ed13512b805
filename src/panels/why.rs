//! The open explanation: formulas, their present values, source, and what the formulas leave out;
//! or a term of the glossary.

use yew::prelude::*;

use crate::browser::today;
use crate::calculator::Calculator;
use crate::components::action_button::ActionButton;
use crate::components::math;
use crate::components::sourced::sourced;
use crate::fields::price;
use crate::state::Action;
use crate::view::View;
use crate::words::DISMISS;
use engine::model::report::Report;
use engine::scenario::Scenario;
use explain::{self, Card, Context, Explanation, links, notation, symbol};

/// Accessible name of the formulas of a card.
const FORMULAS: &str = "Formulas";
/// Label before a card's source.
const SOURCE: &str = "Source: ";
/// Label before the source of a card's price.
const PRICE: &str = "Price of a GPU-hour: ";
/// Label before the effects that a card's number leaves out.
const LEAVES_OUT: &str = "Left out: ";

/// Keys of the cards whose number depends on a price.
const PRICED: [&str; 2] = ["time-and-cost", "cost"];

/// Renders the open explanation, if there is one.
pub fn why(calculator: &Calculator) -> Html {
    if calculator.state.view.why.is_empty() { Html::default() } else { opened(calculator) }
}

/// Renders the open explanation. A function of its own, as the explanations load late.
#[inline(never)]
fn opened(Calculator { state, derived, .. }: &Calculator) -> Html {
    let view = state.view;
    let Some(card) = explain::card(view.why) else { return Html::default() };
    open(card, view, &state.scenario, &derived.report)
}

fn open(card: Card, view: View, scenario: &Scenario, report: &Report) -> Html {
    let back = explain::card(view.why_from).map(|from| {
        let back = link(from, back_to_card(from.title()));
        html! { <p class="back-to">{ back }</p> }
    });
    html! {
        <section id="why" class="why" aria-labelledby="why-title" tabindex="-1">
            <div class="figure-head">
                <h2 id="why-title">{ card.title() }</h2>
                <ActionButton action={Action::OpenExplanation("")}>{ DISMISS }</ActionButton>
            </div>
            { back.unwrap_or_default() }
            { match card {
                Card::Number(number) => explained(number, &Context::new(scenario, report)),
                Card::Term(term) => html! { <p>{ linked(term.text) }</p> },
            } }
        </section>
    }
}

fn explained(number: &Explanation, context: &Context) -> Html {
    let (shown, mut names) = number.formulas_with_names(Some(context));
    // The number of the card has its value on the first line already.
    if shown.first().is_some_and(|text| text.contains(" = ")) {
        names.remove(0);
    }
    html! {
        <>
            <p>{ linked(number.meaning) }</p>
            if !shown.is_empty() {
                <div class="formulas" role="group" aria-label={FORMULAS} tabindex="0">
                    { for shown.into_iter().map(|text| with_values(text, context)) }
                </div>
                <dl class="where">{ for names.into_iter().filter_map(symbol).map(|symbol| html! {
                    <div>
                        <dt><math>{ math::name(symbol.name) }</math></dt>
                        <dd>{ linked(symbol.meaning) }</dd>
                        <dd class="value">{ symbol.written(context) }</dd>
                    </div>
                }) }</dl>
            }
            if PRICED.contains(&number.key) {
                <p class="source"><strong>{ PRICE }</strong>{ price(&context.scenario, today()) }</p>
            }
            <p class="source"><strong>{ SOURCE }</strong>{ linked(number.source) }</p>
            <p class="source"><strong>{ LEAVES_OUT }</strong>{ linked(number.leaves_out) }</p>
        </>
    }
}

/// Renders a formula, the formula with values in place of names, and the result.
fn with_values(text: &str, context: &Context) -> Html {
    let written = |name: &str| symbol(name).map(|symbol| symbol.written(context)).unwrap_or_default();
    let named = math::formula(text, text.to_owned(), &math::name, Html::default());
    // The name before the equals sign is on the first line; on the second line, its values come
    // first, and the result last.
    let (left, relation) = text.split_once(' ').unwrap_or((text, ""));
    let defines = relation.starts_with('=');
    let filled = if defines { relation.get(2..).unwrap_or_default() } else { text };
    let (sign, result) = if defines { ("= ", written(left)) } else { ("", String::new()) };
    let said = notation::write_line(filled, written);
    let said = if defines { format!("{sign}{said} = {result}") } else { said };
    let end = if defines {
        html! { <strong>{ "= " }{ result }</strong> }
    } else {
        Html::default()
    };
    let value = |name: &str| html! { <mtext>{ written(name) }</mtext> };
    html! { <div>{ named }{ math::formula(filled, said, &value, end) }</div> }
}

/// Renders a sentence with its links.
fn linked(words: &'static str) -> Html {
    links::pieces(words)
        .map(|piece| match piece.opens {
            Some(card) => link(card, piece.text.to_owned()),
            None => sourced(piece.text),
        })
        .collect()
}

fn link(card: Card, name: String) -> Html {
    html! { <ActionButton action={Action::FollowExplanation(card.key())} class="term">{ name }</ActionButton> }
}

/// Returns the label of the button that leads back to a card.
fn back_to_card(title: &str) -> String {
    format!("← {title}")
}

//! Why a number is what it is: its formula, what stands in it now, where it comes from, what it leaves out.
//!
//! Formulas are text in a small notation ([`notation`]); every name in them is a [`Symbol`] with a value. A test computes each
//! formula from those values and finds the engine's figure again.

mod context;
pub mod links;
pub mod notation;
mod numbers;
mod symbols;
pub mod terms;

pub use context::Context;
pub use numbers::of_work;
pub use symbols::{How, SYMBOLS, Symbol, symbol};
pub use terms::{TERMS, Term};

/// A number of the page, explained.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// Its name in links.
    pub key: &'static str,
    /// What it is called.
    pub title: &'static str,
    /// Its formulas; those that hold are shown.
    pub formulas: &'static [Formula],
    /// What it means.
    pub meaning: &'static str,
    /// Where it comes from.
    pub source: &'static str,
    /// What it leaves out.
    pub leaves_out: &'static str,
}

/// A formula in the notation of [`notation`], and where it holds.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// Whether it holds.
    pub when: fn(&Context) -> bool,
    /// The formula: `name = …` where it is exact, `name ≈ …` where the step is played event by event, a comparison where that
    /// decides.
    pub text: &'static str,
}

/// What a card can show.
#[derive(Clone, Copy, Debug)]
pub enum Card {
    /// A number.
    Number(&'static Explanation),
    /// A term.
    Term(&'static Term),
}

impl Card {
    /// Its name in links.
    pub fn key(self) -> &'static str {
        match self {
            Self::Number(number) => number.key,
            Self::Term(term) => term.key,
        }
    }

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Number(number) => number.title,
            Self::Term(term) => term.name,
        }
    }
}

/// Every number, in the order of the page.
pub fn numbers() -> impl Iterator<Item = &'static Explanation> {
    numbers::ALL.iter().copied().flatten()
}

/// The card of this name.
pub fn card(key: &str) -> Option<Card> {
    let number = numbers().find(|number| number.key == key).map(Card::Number);
    number.or_else(|| TERMS.iter().find(|term| term.key == key).map(Card::Term))
}

/// The cards of the headline figures, in the order of the page.
pub const HEADLINE: [&str; 6] = ["mfu", "tokens", "step", "peak", "free", "limiter"];
/// The cards of the table of strategies' columns, from the last but two.
pub const REACHES: [&str; 3] = ["largest", "over-ddp", "longest"];
/// The cards of the whole run's rows.
pub const RUN: [&str; 14] = [
    "time",
    "steps",
    "efficiency",
    "gpu-hours",
    "cost",
    "energy",
    "emissions",
    "goodput",
    "failures",
    "checkpoint",
    "interval",
    "host-init",
    "host-checkpoint",
    "host-offload",
];

/// The place on the page of a card's number, in the order of [`numbers()`]' tables; a term of its own stands with the first.
pub fn place(key: &str) -> usize {
    numbers::ALL.iter().position(|table| table.iter().any(|number| number.key == key)).unwrap_or(0)
}

/// Every text that may hold links to cards.
#[cfg(test)]
fn texts() -> Vec<&'static str> {
    let numbers = numbers().flat_map(|number| {
        let formulas = number.formulas.iter().map(|formula| formula.text);
        formulas.chain([number.meaning, number.source, number.leaves_out])
    });
    let symbols = SYMBOLS.iter().copied().flatten().map(|symbol| symbol.meaning);
    numbers.chain(symbols).chain(TERMS.iter().map(|term| term.text)).collect()
}

#[cfg(test)]
mod tests;

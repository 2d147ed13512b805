//! Explains the numbers of the page: the formula, the values in it, the source, and what the
//! formula leaves out.
//!
//! Formulas are text in a small notation ([`notation`]); every name in a formula is a [`Symbol`]
//! with a value. A test evaluates each formula with those values and compares the result with the
//! engine's figure.

mod context;
pub mod links;
pub mod notation;
mod numbers;
pub mod run;
mod symbols;
pub mod terms;
pub mod text;

use engine::nearest::letters;

pub use context::Context;
pub use numbers::work_card_key;
pub use symbols::{SYMBOLS, Symbol, ValueFormat, symbol};
pub use terms::{TERMS, Term};

/// The explanation of one number of the page.
#[derive(Clone, Copy, Debug)]
pub struct Explanation {
    /// The key in links.
    pub key: &'static str,
    /// The title.
    pub title: &'static str,
    /// The formulas; only those whose condition holds are shown.
    pub formulas: &'static [Formula],
    /// Meaning of the number.
    pub meaning: &'static str,
    /// The source of the formula.
    pub source: &'static str,
    /// Effects that the formula leaves out.
    pub leaves_out: &'static str,
}

impl Explanation {
    /// Returns the formulas that hold in a scenario, or all of them without one, and the names in
    /// them, in the order of their first place.
    pub fn formulas_with_names(&self, context: Option<&Context>) -> (Vec<&'static str>, Vec<&'static str>) {
        let holds = |formula: &&Formula| context.is_none_or(formula.when);
        let formulas: Vec<&str> = self.formulas.iter().filter(holds).map(|formula| formula.text).collect();
        let mut names: Vec<&str> = Vec::new();
        for name in formulas.iter().copied().flat_map(notation::symbols) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (formulas, names)
    }
}

/// A formula in the notation of [`notation`], with the condition under which it holds.
#[derive(Clone, Copy, Debug)]
pub struct Formula {
    /// Whether the formula holds in a scenario.
    pub when: fn(&Context) -> bool,
    /// The formula: `name = …` if it is exact, `name ≈ …` if the engine plays the step event by
    /// event, a comparison if the number is a yes or no.
    pub text: &'static str,
}

/// The content of a card.
#[derive(Clone, Copy, Debug)]
pub enum Card {
    /// A number.
    Number(&'static Explanation),
    /// A term.
    Term(&'static Term),
}

impl Card {
    /// Returns the key in links.
    pub fn key(self) -> &'static str {
        match self {
            Self::Number(number) => number.key,
            Self::Term(term) => term.key,
        }
    }

    /// Returns the heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Number(number) => number.title,
            Self::Term(term) => term.name,
        }
    }
}

/// Iterates over every number, in the order of the page.
pub fn numbers() -> impl Iterator<Item = &'static Explanation> {
    numbers::ALL.iter().copied().flatten()
}

/// Returns the card with this key.
pub fn card(key: &str) -> Option<Card> {
    let number = numbers().find(|number| number.key == key).map(Card::Number);
    number.or_else(|| TERMS.iter().find(|term| term.key == key).map(Card::Term))
}

/// Returns the card with a key or a title, of which case and punctuation do not count.
pub fn named(name: &str) -> Option<Card> {
    let wanted = letters(name);
    let is_it = |name: &str| letters(name) == wanted;
    let number = numbers().find(|number| is_it(number.title) || is_it(number.key)).map(Card::Number);
    let term = || TERMS.iter().find(|term| is_it(term.name) || is_it(term.key)).map(Card::Term);
    card(name.trim()).or(number).or_else(term)
}

/// The cards of the headline figures, in the order of the page.
pub const HEADLINE: [&str; 6] = ["mfu", "tokens", "step", "needed", "limiter", "time-and-cost"];
/// The cards of the whole run's rows.
pub const RUN: [&str; 15] = [
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
    "host-need",
];

/// The cards of generation's rows, for a step that generates its training data.
pub const ROLLOUT: [&str; 4] = ["whole-step", "rollout", "concurrent", "generation-memory"];

/// Returns every text that may contain links to cards.
#[cfg(test)]
fn texts() -> Vec<&'static str> {
    let numbers = numbers().flat_map(|number| {
        let formulas = number.formulas.iter().map(|formula| formula.text);
        formulas.chain([number.meaning, number.source, number.leaves_out])
    });
    let symbols = SYMBOLS.iter().copied().flatten().map(|symbol| symbol.meaning);
    numbers.chain(symbols).chain(TERMS.iter().map(|term| term.text)).collect()
}

// Cases and seeds of the engine's laws.
#[cfg(test)]
#[path = "../../engine/tests/suite/cases.rs"]
mod cases;
#[cfg(test)]
mod tests;

//! Every number of the page: formula, meaning, source, what is left out.

mod headline;
mod memory;
mod run;
mod strategies;
mod work;

pub use work::of_work;

use super::{Context, Explanation, Formula};

/// By place on the page.
pub(super) const ALL: &[&[Explanation]] =
    &[headline::HEADLINE, memory::MEMORY, work::WORK, strategies::REACHES, run::RUN];

/// A formula that always holds.
const fn always(text: &'static str) -> Formula {
    when(|_| true, text)
}

/// A formula that holds in some cases.
const fn when(when: fn(&Context) -> bool, text: &'static str) -> Formula {
    Formula { when, text }
}

/// An explanation: name in links, title, formulas, then meaning, source, what is left out.
const fn number(
    key: &'static str,
    title: &'static str,
    formulas: &'static [Formula],
    [meaning, source, leaves_out]: [&'static str; 3],
) -> Explanation {
    Explanation { key, title, formulas, meaning, source, leaves_out }
}

//! The explanations of every number of the page: formulas, meaning, source, and what is left out.

mod headline;
mod memory;
mod objective;
mod run;
mod waterfall;
mod work;

pub use work::work_card_key;

use super::{Context, Explanation, Formula};

/// The explanations, grouped as on the page.
pub(super) const ALL: &[&[Explanation]] =
    &[headline::HEADLINE, memory::MEMORY, work::WORK, run::RUN, objective::OBJECTIVE, waterfall::WATERFALL];

/// Creates a formula that always holds.
const fn always(text: &'static str) -> Formula {
    when(|_| true, text)
}

/// Creates a formula that holds under a condition.
const fn when(when: fn(&Context) -> bool, text: &'static str) -> Formula {
    Formula { when, text }
}

/// Whether the next token is the objective.
fn is_next_token(c: &Context) -> bool {
    c.setup.objective.is_next_token()
}

/// Whether forward passes without gradients run in the step.
fn scores(c: &Context) -> bool {
    c.setup.objective.passes() > 0
}

/// Whether the only passes are those of the trained model.
fn passes_once(c: &Context) -> bool {
    !scores(c) && engine::model::teacher::on_training_gpus(&c.setup).is_none()
}

/// Whether loading data delays the step.
fn waits_for_data(c: &Context) -> bool {
    c.report.update.time.loading.get() > 0.0
}

/// Whether a step generates its training data.
const fn generates(c: &Context) -> bool {
    c.report.rollout.is_some()
}

/// Whether separate GPUs generate while the others train.
fn ahead(c: &Context) -> bool {
    c.report.rollout.as_ref().is_some_and(|rollout| rollout.staleness > 0)
}

/// Whether generation and training take turns.
fn in_turns(c: &Context) -> bool {
    generates(c) && !ahead(c)
}

/// Creates an explanation: key in links, title, formulas, meaning, source, and what is left out.
const fn number(
    key: &'static str,
    title: &'static str,
    formulas: &'static [Formula],
    [meaning, source, leaves_out]: [&'static str; 3],
) -> Explanation {
    Explanation { key, title, formulas, meaning, source, leaves_out }
}

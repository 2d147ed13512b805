//! Choices of the scenario of which some option gives the same result.

use std::rc::Rc;

use yew::prelude::*;

use analysis::effects::{Same, without_effect};
use engine::scenario::Scenario;

/// The choices without an effect on the scenario as it last stood still; until it is `due` those
/// that were found last.
#[hook]
pub fn use_effects(settled: &Scenario, due: bool) -> Rc<Vec<Same>> {
    let kept = use_mut_ref(|| (None::<Scenario>, Rc::new(Vec::new())));
    let mut kept = kept.borrow_mut();
    if due && kept.0 != Some(*settled) {
        *kept = (Some(*settled), Rc::new(without_effect(settled)));
    }
    kept.1.clone()
}

//! Choices of the scenario with options that give the same result.

use std::rc::Rc;

use yew::prelude::*;

use crate::components::latest::use_due;
use analysis::inert_options::{InertOptions, inert_options};
use engine::scenario::Scenario;

/// Returns the choices without an effect on the settled scenario; until `due`, the choices found
/// last.
#[hook]
pub fn use_effects(settled: &Scenario, due: bool) -> Rc<Vec<InertOptions>> {
    use_due(*settled, due, inert_options).unwrap_or_default()
}

/// Returns the note under a choice of which some options, or all, give the same result.
pub fn same(same: &InertOptions) -> String {
    if same.all {
        return "No effect here: every option gives the same result.".to_owned();
    }
    let options = same.param.param().choice().map_or(&[][..], |choice| choice.options);
    let labels: Vec<&str> =
        same.options.iter().filter_map(|place| options.get(*place)).map(|option| option.label).collect();
    format!("Same result here: {}.", labels.join(", "))
}

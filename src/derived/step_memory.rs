//! Memory over one step of a scenario that stands still.

use std::rc::Rc;

use yew::prelude::*;

use crate::snapshot::Snapshot;
use charts::spec::ChartSpec;
use charts::views;
use engine::scenario::Scenario;
use trace::RunStep;

/// Memory over a step of the settled scenario, played anew once it is `due`; until then the last
/// one stands, and before the first its frame.
#[hook]
pub fn use_step_memory(settled: &Snapshot, due: bool) -> Rc<ChartSpec> {
    let kept = use_mut_ref(|| (None::<(Scenario, RunStep)>, Rc::new(views::memory_step_coming())));
    let wanted = (settled.scenario, settled.view.step);
    let mut kept = kept.borrow_mut();
    if due && kept.0 != Some(wanted) {
        *kept = (Some(wanted), Rc::new(views::memory_step(&wanted.0, wanted.1)));
    }
    kept.1.clone()
}

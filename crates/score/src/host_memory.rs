//! Memory of a person's machine: a run that keeps its state there may fail there.

use engine::model::run::host;
use engine::model::setup::Setup;
use engine::scenario::Scenario;

/// Host memory beside each GPU of a workstation, in GiB: four slots of 32 GiB for two cards.
const WORKSTATION: f64 = 64.0;
/// Beside each GPU of a data centre's machine (Azure's ND and NC A100 and H100 have 110 to 320 GiB,
/// AWS's p4d and p5 144 to 256).
const SERVER: f64 = 256.0;
/// GPUs of workstations.
const CARDS: [&str; 3] = ["rtx", "titan", "gtx"];
/// Odds that a run fits whose host memory does not hold what it keeps there: the machine may have
/// more.
pub(crate) const ODDS: f64 = 0.2;

/// Whether what a person's run keeps in host memory is more than such a machine has.
pub(crate) fn overflows(scenario: &Scenario, setup: &Setup) -> bool {
    let gpus = f64::from(setup.mesh.gpus().min(setup.network.gpus_per_host()));
    let each = if CARDS.iter().any(|card| scenario.accelerator.id.starts_with(card)) { WORKSTATION } else { SERVER };
    host::offload(setup).gib() > each * gpus
}

//! Estimates the host memory of machines: a run with offloaded state may run out of host memory.

use engine::model::run::host;
use engine::model::setup::Setup;
use engine::scenario::Scenario;

/// Host memory per GPU of a workstation, in GiB: four slots of 32 GiB for two cards.
const WORKSTATION: f64 = 64.0;
/// Host memory per GPU of a data-center machine, in GiB (Azure's ND and NC A100 and H100 have 110
/// to 320 GiB, AWS's p4d and p5 have 144 to 256).
const SERVER: f64 = 256.0;
/// Identifier prefixes of workstation GPUs.
const CARDS: [&str; 3] = ["rtx", "titan", "gtx"];
/// Odds that a run fits although its offloaded state exceeds the assumed host memory, as the
/// machine may have more.
pub(crate) const ODDS: f64 = 0.2;

/// Returns whether the offloaded state of a run exceeds the typical host memory of the machine.
pub(crate) fn overflows(scenario: &Scenario, setup: &Setup) -> bool {
    let gpus = f64::from(setup.mesh.gpus().min(setup.network.gpus_per_host()));
    let each = if CARDS.iter().any(|card| scenario.accelerator.id.starts_with(card)) { WORKSTATION } else { SERVER };
    host::offload(setup).gib() > each * gpus
}

//! Adaptive parallelism and adaptive pipelining of experts (Tutel, arXiv 2206.03382, sections 3.1
//! and 3.2): the static choice with the shortest step. Weights stay in place under every choice, so
//! that switching is free.

use super::choices::Choices;
use super::experts::layer::choice::{ALGORITHMS, CHUNKS};
use super::memory;
use super::pace;
use super::parallel::{Dispatcher, ExpertParallel, Mesh, common_divisor};
use super::setup::Setup;
use super::stages::stages;
use crate::units::Seconds;

/// Returns the time of a step.
fn step_time(setup: &Setup) -> Seconds {
    pace::time(setup, &stages(setup)).step
}

/// Returns the expert and expert tensor degrees for each of Tutel's r on the GPUs of a stage: for
/// r = 0 every GPU gathers all experts' weights and computes with all experts; for larger r each
/// expert is split over r GPUs, up to the GPUs available for each expert.
///
/// ```
/// # use engine::{model::{expert_choice::degrees, parallel::Mesh, setup::Setup}, scenario::Scenario};
/// // 16 experts on 64 GPUs: r = 0, 1, 2 and 4 = W/E (arXiv 2206.03382, figure 12).
/// let model = catalog::model("dbrx").unwrap().pick();
/// let setup = Scenario { model, gpus: 64, ep: 16, ..catalog::default_scenario() }.setup();
/// assert_eq!(degrees(&setup).collect::<Vec<_>>(), [(1, 1), (16, 1), (16, 2), (16, 4)]);
/// ```
pub fn degrees(setup: &Setup) -> impl Iterator<Item = (u32, u32)> + use<> {
    let mesh = &setup.mesh;
    let stage = mesh.replicas().saturating_mul(mesh.cp).saturating_mul(mesh.tp).max(1);
    let ep = common_divisor(stage, setup.architecture.experts.num_experts);
    let left = stage / ep;
    let shared =
        (0..u32::BITS).map_while(move |power| 1_u32.checked_shl(power)).take_while(move |r| left.is_multiple_of(*r));
    core::iter::once((1, 1)).chain(shared.filter(move |_| ep > 1).map(move |r| (ep, r)))
}

/// Returns the setup with the fastest of the [`degrees`] that fit in memory, or, if none fits, with
/// the degrees that need the least memory.
#[must_use]
pub fn with_fastest_degrees(setup: &Setup) -> Setup {
    let mut best = *setup;
    let mut least = None;
    for (ep, etp) in degrees(setup) {
        let candidate = Setup { mesh: Mesh { ep, etp, ..setup.mesh }, ..*setup };
        let memory = memory::peak(&candidate, &stages(&candidate));
        // Setups that fit rank before those that do not; then the faster, or the smaller setup
        // wins.
        let rank = if memory.fits() { (0_u8, step_time(&candidate).get()) } else { (1, memory.peak.get()) };
        if least.is_none_or(|least| rank < least) {
            (best, least) = (candidate, Some(rank));
        }
    }
    best
}

/// Returns the setup with the fastest combination of [`CHUNKS`] and [`ALGORITHMS`].
#[must_use]
pub fn with_fastest_chunks(setup: &Setup) -> Setup {
    let mut best = *setup;
    let mut least = None;
    for algorithm in ALGORITHMS {
        // Fused dispatchers have no other algorithm.
        if setup.experts.dispatcher == Dispatcher::Fused && algorithm != setup.experts.algorithm {
            continue;
        }
        for chunks in CHUNKS {
            let experts = ExpertParallel { algorithm, chunks, ..setup.experts };
            let candidate = Setup { choices: Choices { experts, ..setup.choices }, ..*setup };
            let time = step_time(&candidate);
            if least.is_none_or(|least| time < least) {
                (best, least) = (candidate, Some(time));
            }
        }
    }
    best
}

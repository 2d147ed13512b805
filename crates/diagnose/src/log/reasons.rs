//! Ranks single changes of a scenario that would explain a measurement.

use crate::error::differences;
use engine::model::report::Report;
use engine::model::software::{AttentionKernel, GradientSync, Loss, NormKernel, Segments};
use engine::model::training::{ComputeFormat, OptimizerKernel, PrecisionPolicy, Recompute};
use engine::scenario::issue::Severity;
use engine::scenario::{Scenario, Strategy};
use serde::{Deserialize, Serialize};

/// A change that would explain a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reason {
    /// Description of the change.
    pub what: String,
    /// The link of the changed scenario, without `#`.
    pub link: String,
    /// Prediction with the change, in seconds or bytes.
    pub predicted: f64,
    /// Share of the difference that the change explains, up to 1.
    pub explains: f64,
}

/// Maximum number of reasons returned, and minimum share that a reason explains.
const MOST: usize = 5;
const LEAST: f64 = 0.15;

/// Returns the symmetric distance of two amounts: 1 if one is twice the other.
fn distance(one: f64, other: f64) -> f64 {
    (one / other).max(other / one) - 1.0
}

/// Returns the changed scenarios that are closer to the measurement, the best explanation first.
pub(super) fn rank(
    scenario: &Scenario,
    measured: f64,
    all: Vec<(&str, Scenario)>,
    of: fn(&Report) -> f64,
) -> Vec<Reason> {
    let now = distance(measured, of(&scenario.report()));
    let before = errors(scenario);
    let mut reasons: Vec<Reason> = Vec::new();
    for (what, changed) in all {
        if changed == *scenario || errors(&changed) > before {
            continue;
        }
        let predicted = of(&changed.report());
        let explains = 1.0 - distance(measured, predicted) / now;
        if explains < LEAST || !predicted.is_finite() {
            continue;
        }
        let what = if what.is_empty() { differences(scenario, &changed).join(", ") } else { what.to_owned() };
        if what.is_empty() {
            continue;
        }
        reasons.push(Reason { what, link: links::encode(&changed), predicted, explains });
    }
    reasons.sort_by(|one, other| other.explains.total_cmp(&one.explains));
    reasons.dedup_by(|one, other| one.what == other.what);
    reasons.truncate(MOST);
    reasons
}

fn errors(scenario: &Scenario) -> usize {
    engine::validate::issues(scenario).iter().filter(|issue| issue.severity == Severity::Error).count()
}

/// Returns the scenario with a change applied.
fn with(scenario: &Scenario, change: impl FnOnce(&mut Scenario)) -> Scenario {
    let mut changed = *scenario;
    change(&mut changed);
    changed
}

const MODES: [Recompute; 3] = [Recompute::None, Recompute::Selective, Recompute::Full];
const HALF: f64 = 0.5;
/// Speed of GPUs under a power cap or thermal throttling, relative to full clocks.
const HOT: f64 = 0.8;

/// Returns changes that may affect the time of a step.
pub(super) fn time_changes(scenario: &Scenario) -> Vec<(&'static str, Scenario)> {
    let mut all = vec![
        ("", with(scenario, |of| of.communication.overlap = !of.communication.overlap)),
        ("", with(scenario, |of| of.kernels.compile = !of.kernels.compile)),
        ("", with(scenario, |of| of.kernels.attention = AttentionKernel::Unfused)),
        ("", with(scenario, |of| of.kernels.attention = AttentionKernel::FlashTuned)),
        ("", with(scenario, |of| of.communication.gradient_sync = GradientSync::EveryMicroBatch)),
        ("", with(scenario, |of| of.offload.optimizer = !of.offload.optimizer)),
        ("Links between nodes at half their rate", with(scenario, |of| slower_links(of, HALF))),
        ("Links between nodes at a quarter of their rate", with(scenario, |of| slower_links(of, HALF * HALF))),
        (
            "Links inside the node at half their rate",
            with(scenario, |of| {
                of.network.values.intra_node *= HALF;
            }),
        ),
        (
            "GPUs at four fifths of their speed: a power cap, heat, or lower clocks",
            with(scenario, |of| {
                let reached = &mut of.accelerator.values.efficiency;
                for share in [
                    &mut reached.matmul,
                    &mut reached.matmul_8bit,
                    &mut reached.attention,
                    &mut reached.attention_tuned,
                ] {
                    *share *= HOT;
                }
            }),
        ),
        (
            "A host that launches kernels half as fast",
            with(scenario, |of| {
                let launch = &mut of.accelerator.values.efficiency.launch_per_layer;
                *launch *= 2.0;
            }),
        ),
    ];
    all.extend(MODES.map(|mode| ("", with(scenario, |of| of.recompute = mode))));
    if scenario.compute_format == ComputeFormat::AsPolicy {
        all.push(("", with(scenario, |of| of.compute_format = ComputeFormat::Fp8)));
    } else {
        all.push(("", with(scenario, |of| of.compute_format = ComputeFormat::AsPolicy)));
    }
    if scenario.model.architecture().has_experts() {
        all.push(("", with(scenario, |of| of.experts.imbalance = 1.5 * of.experts.imbalance.max(1.0))));
    }
    all
}

fn slower_links(scenario: &mut Scenario, times: f64) {
    let links = &mut scenario.network.values;
    links.inter_node *= times;
}

/// Returns changes that may affect peak memory.
pub(super) fn memory_changes(scenario: &Scenario) -> Vec<(&'static str, Scenario)> {
    let mut all = vec![
        ("", with(scenario, |of| of.kernels.attention = AttentionKernel::Unfused)),
        ("", with(scenario, |of| of.kernels.norms = NormKernel::Upcast)),
        ("", with(scenario, |of| of.kernels.compile = !of.kernels.compile)),
        ("", with(scenario, |of| of.offload.optimizer = !of.offload.optimizer)),
        ("", with(scenario, |of| of.offload.activations = !of.offload.activations)),
        ("", with(scenario, |of| of.segments = Segments::Expandable)),
        ("", with(scenario, |of| of.segments = Segments::Fixed)),
        ("", with(scenario, |of| of.optimizer_kernel = OptimizerKernel::ForEach)),
        ("", with(scenario, |of| of.optimizer_kernel = OptimizerKernel::Fused)),
    ];
    all.extend(MODES.map(|mode| ("", with(scenario, |of| of.recompute = mode))));
    let losses = [Loss::Standard, Loss::KeptLogits, Loss::Fp32Logits, Loss::Fused, Loss::Chunked, Loss::FusedLinear];
    all.extend(losses.map(|loss| ("", with(scenario, |of| of.kernels.loss = loss))));
    all.extend(Strategy::ALL.map(|strategy| ("", with(scenario, |of| of.strategy = strategy))));
    let recipes = [
        PrecisionPolicy::Fsdp2MixedBf16,
        PrecisionPolicy::ZeroMixed,
        PrecisionPolicy::PureBf16,
        PrecisionPolicy::AutocastBf16,
        PrecisionPolicy::Fp32,
    ];
    all.extend(recipes.map(|recipe| ("", with(scenario, |of| of.recipe = recipe))));
    all.push(("", with(scenario, |of| of.micro_batch_size = of.micro_batch_size.saturating_mul(2))));
    if scenario.micro_batch_size > 1 {
        all.push(("", with(scenario, |of| of.micro_batch_size /= 2)));
    }
    all
}

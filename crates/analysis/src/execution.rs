//! Choices of execution, which change the computed numbers only by rounding: kernels, compilation,
//! schedules, exchanges. Every search sets them alike: to the options with which a run is fastest,
//! among those that its GPU and its framework can run.

use core::cmp::Ordering;

use super::change::errors;
use super::held::Held;
use super::other_options::{is_proposed, unchecked};
use super::settings::EXECUTION;
use engine::model::report::Report;
use engine::params::{Choice, ParamId};
use engine::scenario::Scenario;
use engine::units::Bytes;

/// Choices from which most layouts gain alike, so that they are set before a search.
const COMMON: [ParamId; 3] = [ParamId::AttentionKernel, ParamId::HalfFormat, ParamId::Compile];

/// Gain below which another option is not taken.
const LEAST: f64 = 0.005;

/// Returns the scenario with the options of the common choices with which it is fastest, as it is
/// or in larger micro-batches, and of choices of one kind of parallelism with which a layout of
/// that kind is fastest.
pub(crate) fn tuned(scenario: &Scenario, held: Held) -> Scenario {
    let mut tuned = *scenario;
    for (ids, probe) in [
        (&COMMON[..], as_it_is as fn(&Scenario) -> Scenario),
        (&COMMON, in_large_batches),
        (&[ParamId::SequenceParallel, ParamId::AsyncTp], in_tensors),
        (&[ParamId::ContextExchange], in_context),
        (&[ParamId::PipelineSchedule], in_pipeline),
    ] {
        let mut best = Tuned::new(&probe(&tuned));
        best.most_memory = MOST_MEMORY * best.report.memory.needed;
        ids.iter().filter(|id| !held.has(**id)).for_each(|id| best.set(*id));
        let Scenario { tp, cp, pp, micro_batch_size, grad_accum_steps, .. } = tuned;
        tuned = Scenario { tp, cp, pp, micro_batch_size, grad_accum_steps, ..best.scenario };
    }
    tuned
}

/// Degree of parallelism of a layout in which the options of its kind are compared.
const DEGREE: u32 = 4;
/// Memory over that of the scenario's own option that another option may need: layouts of these
/// kinds are there because memory is short.
const MOST_MEMORY: f64 = 1.05;

fn as_it_is(scenario: &Scenario) -> Scenario {
    *scenario
}

/// In small micro-batches the host may limit, which hides what kernels gain.
fn in_large_batches(scenario: &Scenario) -> Scenario {
    Scenario { micro_batch_size: scenario.micro_batch_size.saturating_mul(2 * DEGREE), ..*scenario }
}

fn in_tensors(scenario: &Scenario) -> Scenario {
    Scenario { tp: scenario.tp.max(DEGREE), ..*scenario }
}

fn in_context(scenario: &Scenario) -> Scenario {
    Scenario { cp: scenario.cp.max(DEGREE), ..*scenario }
}

fn in_pipeline(scenario: &Scenario) -> Scenario {
    let steps = scenario.grad_accum_steps.max(2 * DEGREE);
    Scenario { pp: scenario.pp.max(DEGREE), grad_accum_steps: steps, ..*scenario }
}

/// Returns a layout with the options with which it is fastest: it fits as surely as before, on its
/// GPUs and its hosts. The loss becomes that of `own`, the scenario around which the search runs,
/// unless that is slower or fits less surely.
pub(crate) fn polished(layout: &Scenario, own: &Scenario, held: Held) -> Scenario {
    let mut best = Tuned::new(layout);
    if layout.kernels.loss != own.kernels.loss {
        let mut plain = *layout;
        plain.kernels.loss = own.kernels.loss;
        let report = plain.report();
        let runs = plain.has_loss_of(&plain.degrees());
        if runs && report.whole().time <= best.report.whole().time * (1.0 + LEAST) && best.admits(&plain, &report) {
            (best.scenario, best.report) = (plain, report);
        }
    }
    EXECUTION.into_iter().filter(|id| !held.has(*id)).for_each(|id| best.set(id));
    // A choice without effect in the layout is as it was.
    let mut polished = best.scenario;
    for param in EXECUTION.map(ParamId::param) {
        let has_effect = (param.is_relevant)(&best.scenario) && (param.applies)(&best.scenario);
        let without_effect = param.choice().filter(|_| !has_effect);
        if let Some(choice) = without_effect {
            (choice.set)(&mut polished, (choice.get)(own));
        }
    }
    polished
}

/// A scenario whose choices are set one by one.
struct Tuned {
    scenario: Scenario,
    report: Report,
    /// Number of errors of the scenario, which no option may exceed; known once asked for.
    errors: Option<usize>,
    /// Memory that no option may exceed.
    most_memory: Bytes,
}

impl Tuned {
    fn new(scenario: &Scenario) -> Self {
        let report = scenario.report();
        Self { scenario: *scenario, report, errors: None, most_memory: Bytes::new(f64::INFINITY) }
    }

    /// Takes the fastest option of a choice.
    fn set(&mut self, id: ParamId) {
        let most = self.report.whole().time / (1.0 + LEAST);
        let mut faster: Vec<(Scenario, Report)> = unchecked(&self.scenario, id.param())
            .into_iter()
            .filter(|(_, changed)| is_proposed(&self.scenario, changed))
            .map(|(_, changed)| (changed, changed.report()))
            .filter(|(_, report)| report.whole().time <= most)
            .collect();
        faster.sort_by(|(_, one), (_, other)| by_time(one, other));
        let found = faster.into_iter().find(|(changed, report)| self.admits(changed, report) && self.is_valid(changed));
        if let Some((scenario, report)) = found {
            (self.scenario, self.report) = (scenario, report);
        }
    }

    /// Whether a changed scenario may take the place of this one: it fits as surely, on GPUs and
    /// hosts, and the framework can run it.
    fn admits(&self, changed: &Scenario, report: &Report) -> bool {
        if report.memory.needed > self.most_memory {
            return false;
        }
        let fits = (report.fits() || !self.report.fits()) && (report.is_sure() || !self.report.is_sure());
        fits && (changed.lack().is_none() || self.scenario.lack().is_some())
    }

    /// Whether a changed scenario has no further error. Validation is expensive, so it comes last.
    fn is_valid(&mut self, changed: &Scenario) -> bool {
        let before = *self.errors.get_or_insert_with(|| errors(&self.scenario));
        errors(changed) <= before
    }
}

fn by_time(one: &Report, other: &Report) -> Ordering {
    one.whole().time.get().total_cmp(&other.whole().time.get())
}

/// Number of choices that [`polished`] sets.
pub(crate) const POLISHED: usize = EXECUTION.len() + 1;

/// Returns the choices that [`polished`] sets.
fn choices() -> impl Iterator<Item = &'static Choice> {
    EXECUTION.into_iter().chain([ParamId::Loss]).filter_map(|id| id.param().choice())
}

/// Returns the options that [`polished`] set, by their indices.
pub(crate) fn options(scenario: &Scenario) -> [usize; POLISHED] {
    let mut options = [0; POLISHED];
    for (option, choice) in options.iter_mut().zip(choices()) {
        *option = (choice.get)(scenario);
    }
    options
}

/// Sets options that [`options`] returned. Options that do not exist are ignored.
pub(crate) fn with_options(mut scenario: Scenario, options: [usize; POLISHED]) -> Scenario {
    for (option, choice) in options.into_iter().zip(choices()) {
        if option < choice.options.len() && (choice.get)(&scenario) != option {
            (choice.set)(&mut scenario, option);
        }
    }
    scenario
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn options_survive_their_numbers() {
        assert_eq!(choices().count(), POLISHED);
        for link in
            ["", "attnkernel=flash-tuned&compile=yes&loss=fused-linear", "cluster=dgx-h100&pp=4&schedule=zero-bubble"]
        {
            let scenario = decode(link).scenario;
            assert_eq!(
                with_options(catalog::default_scenario(), options(&scenario)).kernels,
                scenario.kernels,
                "{link}"
            );
            assert_eq!(with_options(scenario, options(&scenario)), scenario, "{link}");
        }
    }

    /// On an H100, FlashAttention 3 and compilation are faster; who holds one keeps it.
    #[test]
    fn the_fastest_options_are_taken_unless_they_are_held() {
        let scenario =
            decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&seq=8k&attnkernel=flash&compile=no").scenario;
        let free = tuned(&scenario, Held::NOTHING);
        assert!(free.kernels.compile && free.kernels.attention != scenario.kernels.attention);
        let held = tuned(&scenario, Held::from_keys(["compile", "attnkernel"]));
        assert_eq!(held.kernels, scenario.kernels);
    }
}

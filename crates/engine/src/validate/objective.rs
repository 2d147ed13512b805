//! Warnings about objectives: other models, and generation.

use super::neighbours;
use crate::format::bytes;
use crate::model::memory;
use crate::model::objective::Reference;
use crate::model::report::Report;
use crate::model::setup::Setup;
use crate::params::quantity::with_unit;
use crate::params::{ParamId, Unit};
use crate::scenario::Scenario;
use crate::scenario::data::UNSAID;
use crate::scenario::issue::Issue;
use crate::units::Bytes;

/// Adds the issues of heads, GPUs and settings that do not fit the objective and its engine.
pub(super) fn objective(scenario: &Scenario, setup: &Setup, report: &Report, issues: &mut Vec<Issue>) {
    let task = scenario.objective.task;
    issues.extend(precomputed(scenario));
    if setup.mesh.pp > 1 && setup.traits().aligns_without_pipelines {
        let message = "TRL and verl have no pipelines under FSDP or DeepSpeed; verl and NeMo RL have them under \
                       Megatron-Core.";
        let note = Issue::note(ParamId::Pp, message);
        issues.push(note.instead("The passes without gradients fill the pipeline once per step."));
    }
    if task.distills() {
        issues.extend(teacher_size(scenario));
        issues.extend(teacher_turn(setup));
    }
    if task.generates() {
        issues.extend(prompt(scenario, setup));
        issues.extend(mean(scenario, setup));
        issues.extend(engine_degree(scenario, setup));
        issues.extend(room(setup, report));
    }
}

/// Returns a note if nobody said how large the teacher is.
fn teacher_size(scenario: &Scenario) -> Option<Issue> {
    let is_unsaid = scenario.objective.runs_teacher() && scenario.objective.teacher.size == UNSAID;
    is_unsaid.then(|| {
        let message = "The size of the teacher is not given: enter its parameters (teacher=70B).";
        let size = with_unit(Unit::Params, scenario.teacher_size());
        let note = Issue::note(ParamId::TeacherSize, message);
        note.instead(format!("The numbers are of one as large as the student, {size}."))
    })
}

/// Returns a note if the teacher's weights do not fit a GPU in their turn.
fn teacher_turn(setup: &Setup) -> Option<Issue> {
    let (held, capacity) = (memory::teacher::in_turn(setup), setup.accelerator.usable_memory());
    (held > capacity).then(|| {
        let message = format!(
            "In its turn a GPU holds {} of the teacher's weights, more than its {}: shard the weights, or give the \
             teacher its own GPUs.",
            bytes(held),
            bytes(capacity)
        );
        Issue::note(ParamId::TeacherPlace, message)
    })
}

/// Returns a note on precomputed log-probabilities of completions that are only generated later.
fn precomputed(scenario: &Scenario) -> Option<Issue> {
    let objective = &scenario.objective;
    let is_new = objective.runs_reference() && objective.reference == Reference::Precomputed;
    is_new.then(|| {
        let message = "Completions of a rollout are new, so the reference's log-probabilities cannot be computed \
                       before the run.";
        Issue::note(ParamId::Reference, message).instead("A reference model runs in every step instead.")
    })
}

/// Returns an issue if the prompt leaves no tokens for the completion.
fn prompt(scenario: &Scenario, setup: &Setup) -> Option<Issue> {
    let (asked, used) = (scenario.objective.prompt, setup.objective.prompt);
    (asked != used && asked > used).then(|| {
        let message = format!(
            "A prompt of {asked} tokens leaves none of {} for the completion: enter a sequence longer than the \
             prompt.",
            setup.batch.seq_len
        );
        Issue::error(ParamId::PromptTokens, message).uses(format!("A prompt of {used}"))
    })
}

/// Returns a note if texts are on average no longer than their prompt.
fn mean(scenario: &Scenario, setup: &Setup) -> Option<Issue> {
    let (mean, prompt) = (scenario.texts.mean_length, setup.objective.prompt);
    (scenario.has_texts() && mean <= f64::from(prompt)).then(|| {
        let message = format!(
            "Texts of {mean:.0} tokens on average leave no completion after a prompt of {prompt}: enter the mean \
             length of prompt and completion together."
        );
        Issue::note(ParamId::MeanTextLength, message).instead("Completions have full length instead.")
    })
}

/// Returns an issue if the engine's degree does not divide its GPUs.
fn engine_degree(scenario: &Scenario, setup: &Setup) -> Option<Issue> {
    let (asked, used) = (scenario.objective.engine.tp, setup.objective.engine.tp);
    let gpus = crate::model::rollout::gpus(setup);
    (asked != used).then(|| {
        let message = format!(
            "A rollout engine of {asked} GPUs does not divide the {gpus} GPUs that generate: enter {}.",
            neighbours(gpus, asked)
        );
        Issue::error(ParamId::EngineTp, message).uses(used)
    })
}

/// Returns an issue if the engine's share of memory holds no weights or no sequence, or does not
/// fit next to training.
fn room(setup: &Setup, report: &Report) -> Option<Issue> {
    let memory = report.rollout.as_ref()?.memory;
    let share = 100.0 * setup.objective.engine.memory_share;
    if !memory.holds_one() {
        let what = if memory.cache <= Bytes::ZERO {
            format!("{} of weights and {} of buffers", bytes(memory.weights), bytes(memory.overhead))
        } else {
            format!("one sequence, which takes {} of keys and values", bytes(memory.per_sequence))
        };
        let message = format!(
            "{share:.0} % of a GPU's memory does not hold {what}: give the rollout engine a larger share, or split it over more GPUs."
        );
        return Some(Issue::note(ParamId::EngineMemory, message));
    }
    if memory.total() <= memory.capacity {
        return None;
    }
    let message = format!(
        "During generation a GPU holds {} of training and {} of the rollout engine, more than its {}: give the engine \
         a smaller share or its own GPUs, or shard or offload the optimizer.",
        bytes(memory.training),
        bytes(memory.engine()),
        bytes(memory.capacity)
    );
    Some(Issue::note(ParamId::EngineMemory, message))
}

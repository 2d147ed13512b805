//! Runs whose files leave the sharding to a launcher: plain data parallelism, as an assumption.

use catalog::programs::Program;
use engine::format;
use engine::model::software::Framework;
use engine::model::training::PrecisionPolicy;
use engine::params::ParamId;
use engine::scenario::{Scenario, Strategy};

use super::draft::Draft;
use super::format::is_hugging_face;

/// Whether a program's processes are wrapped by Accelerate, whose own file says how, or by
/// DeepSpeed.
fn is_wrapped(program: Program) -> bool {
    let others = [Program::MsSwift, Program::OpenInstruct, Program::FmsHfTuning, Program::Fastchat];
    is_hugging_face(program) || others.contains(&program)
}

/// Whether several replicas are whole and no file says the sharding.
fn is_unsaid(draft: &Draft) -> bool {
    let scenario = &draft.scenario;
    let launchers = [Program::Accelerate, Program::Deepspeed, Program::FsdpConfig];
    scenario.strategy == Strategy::Ddp
        && scenario.framework != Framework::DeepSpeed
        && scenario.degrees().dp > 1
        && !draft.said.contains(&ParamId::Strategy)
        && draft.formats.iter().any(|program| is_wrapped(*program))
        && !draft.formats.iter().any(|program| launchers.contains(program))
}

/// Returns the launcher of a script that starts plain processes, which no file configures.
fn plain_launcher(draft: &Draft) -> Option<&str> {
    draft.world.launcher.as_deref().filter(|name| matches!(*name, "torchrun" | "llamafactory-cli"))
}

/// Whether DDP is an assumption: another launcher's file may shard the run.
pub(super) fn assumes_ddp(draft: &Draft) -> bool {
    is_unsaid(draft) && plain_launcher(draft).is_none()
}

/// Returns the sentence about a launcher that leaves whole replicas.
pub(super) fn by_launcher(draft: &Draft) -> Option<String> {
    let launcher = plain_launcher(draft).filter(|_| is_unsaid(draft))?;
    Some(format!("{launcher} starts the processes, and no argument names FSDP or DeepSpeed: DDP."))
}

/// Returns the sentence about DDP that was assumed, with the memory of the alternative.
pub(super) fn assumption(scenario: &Scenario) -> String {
    let needed = format::bytes(as_zero3(scenario).report().memory.needed);
    format!("No file says the sharding: DDP, as without a launcher's file; as ZeRO-3 it would need {needed}.")
}

/// Returns a run as `DeepSpeed` shards it with ZeRO-3.
pub(super) fn as_zero3(scenario: &Scenario) -> Scenario {
    let mut sharded = Scenario { strategy: Strategy::FullShard, ..*scenario };
    run_on_deepspeed(&mut sharded);
    sharded
}

/// Sets DeepSpeed's formats and loss: the model runs in 16 bits.
pub(super) fn run_on_deepspeed(scenario: &mut Scenario) {
    scenario.framework = Framework::DeepSpeed;
    if scenario.recipe != PrecisionPolicy::Fp32 {
        scenario.recipe = PrecisionPolicy::ZeroMixed;
    }
}

//! Time of a distillation's teacher beside the student's passes (docs/book/model/rollout.md).

use super::compute::matmul_rate;
use super::flops;
use super::host;
use super::memory::teacher::in_turn;
use super::objective::TeacherPlace;
use super::parallel::Mesh;
use super::setup::Setup;
use super::teacher::evaluated;
use super::training::AttentionMask;
use crate::units::Seconds;

/// Returns the time in which a teacher on GPUs of its own reads the batch of a step: its forward
/// FLOPs at the rate of products, over all its GPUs. Not counted: exchanges between them, and the
/// logits on the network.
pub fn served(setup: &Setup) -> Seconds {
    let teacher = &setup.objective.teacher;
    let Some(shape) = setup.teacher.filter(|_| teacher.place == TeacherPlace::Engine) else { return Seconds::ZERO };
    let sequences = f64::from(setup.mesh.replicas())
        * f64::from(setup.batch.micro_batch_size)
        * f64::from(setup.batch.grad_accum_steps);
    let engine = Setup { mesh: Mesh::data_parallel(1, 1), ..evaluated(setup, shape) };
    let keys = flops::mean_keys(&shape, setup.attended(), AttentionMask::Causal);
    let tokens = sequences / f64::from(teacher.gpus.max(1)) * setup.attended();
    tokens * flops::forward_per_token(&shape, keys) / matmul_rate(&engine)
}

/// Returns the time of the teacher on the training GPUs beyond its passes: its weights from host
/// memory and back, once a step, if it takes turns with the student.
pub fn moving(setup: &Setup) -> Seconds {
    2.0 * (in_turn(setup) / host::transfer_rate(setup))
}

/// Returns the GPUs on which only the teacher runs.
pub fn own_gpus(setup: &Setup) -> u32 {
    match setup.objective.teacher.place {
        TeacherPlace::Engine if setup.teacher.is_some() => setup.objective.teacher.gpus,
        _ => 0,
    }
}

//! The teacher of a distillation as a setup of its own (docs/book/model/rollout.md). Its memory is
//! in `memory/teacher.rs`, its time beside the student's in `teacher_engine.rs`.

use super::choices::Choices;
use super::images::Images;
use super::objective::{Objective, TeacherPlace};
use super::parallel::Mesh;
use super::setup::Setup;
use super::software::Offload;
use super::trained::Trained;
use super::training::{ComputeFormat, Sharding};
use super::transformer::Architecture;

/// Returns the forward pass of the teacher as a setup: its shape, frozen, with products in 16
/// bits, on the student's mesh and batch; `None` if no teacher runs on the training GPUs.
pub fn on_training_gpus(setup: &Setup) -> Option<Setup> {
    let place = setup.objective.teacher.place;
    let is_here = matches!(place, TeacherPlace::Trainer | TeacherPlace::Whole | TeacherPlace::Turns);
    let teacher = setup.teacher.filter(|_| is_here).map(|shape| evaluated(setup, shape))?;
    if place != TeacherPlace::Whole {
        return Some(teacher);
    }
    Some(Setup { sharding: Sharding::Ddp, ..teacher })
}

/// Returns a setup with the teacher in the place of the student.
pub(super) fn evaluated(setup: &Setup, shape: Architecture) -> Setup {
    let (student, pp) = (&setup.mesh, setup.mesh.pp.max(1));
    // The experts of a student may be split over GPUs that a dense teacher's layers are not.
    let mesh = if shape.has_experts() && setup.architecture.has_experts() {
        *student
    } else {
        Mesh { ep: 1, etp: student.tp, ..*student }
    };
    Setup {
        // Each stage of a pipeline has a layer.
        architecture: Architecture { num_hidden_layers: shape.num_hidden_layers.max(pp), ..shape },
        teacher: None,
        mesh,
        choices: Choices {
            objective: Objective::NEXT_TOKEN,
            trained: Trained::ALL,
            compute_format: ComputeFormat::AsPolicy,
            offload: Offload { optimizer: false, activations: false, ..setup.offload },
            images: Images { per_sequence: 0, ..setup.images },
            mtp: 0,
            ..setup.choices
        },
        ..*setup
    }
}

//! The memory of a distillation's teacher (docs/book/model/rollout.md).

use super::logits::logits;
use crate::model::objective::{TeacherFormat, TeacherPlace};
use crate::model::per_rank;
use crate::model::setup::Setup;
use crate::model::stages::{Stage, stages};
use crate::model::states::{expert_shard_degrees, shard_degrees};
use crate::model::teacher::on_training_gpus;
use crate::model::training::Sharding;
use crate::units::Bytes;

/// Bytes of a frozen weight, of an activation or of a logit, in 16 bits.
const HALF: f64 = 2.0;

/// Returns the stage of the teacher on the GPUs of a stage of the student.
fn stage_of(teacher: &Setup, student: &Stage) -> Stage {
    let all = stages(teacher);
    match (student.embedding, student.head) {
        (true, _) => all.first,
        (false, true) => all.last.unwrap_or(all.first),
        (false, false) => all.between.or(all.last).unwrap_or(all.first),
    }
}

/// Returns the bytes of a teacher's weight.
fn weight_bytes(setup: &Setup) -> f64 {
    match setup.objective.teacher.format {
        TeacherFormat::Half => HALF,
        TeacherFormat::Single => 2.0 * HALF,
    }
}

/// Returns the teacher's weights on one GPU of a stage while its pass runs there: `2 P_t / Z_w`,
/// sharded like the student's, or whole.
fn held(setup: &Setup, teacher: &Setup, student: &Stage) -> Bytes {
    let params = stage_of(teacher, student).params.held;
    if setup.objective.teacher.place == TeacherPlace::Whole {
        return Bytes::new(weight_bytes(setup) * (params.dense() + params.experts()));
    }
    let (dense, experts) = (shard_degrees(setup).weights, expert_shard_degrees(setup).weights);
    // Experts of a teacher on another mesh than the student's are sharded like its other weights.
    let experts = if teacher.mesh == setup.mesh { experts } else { dense };
    Bytes::new(weight_bytes(setup) * (params.dense() / dense + params.experts() / experts))
}

/// Returns the teacher's weights on one GPU of a stage while the student trains: none if they are
/// offloaded, or in host memory until the teacher's turn.
///
/// ```
/// # use links::decode;
/// # use engine::model::{memory::teacher, stages::stages};
/// let gib = |link: &str| {
///     let setup = decode(&format!("cluster=dgx-h100&gpus=8&model=llama-3.1-8b&objective=distill&{link}")).scenario.setup();
///     teacher::weights(&setup, &stages(&setup).first).gib()
/// };
/// // Llama 3.1 70B: 70.55 billion parameters in 16 bits are 131.4 GiB, an eighth on each GPU.
/// assert!((gib("teacher=70B&strategy=full-shard") - 131.41 / 8.0).abs() < 0.01);
/// assert!((gib("teacher=70B&strategy=ddp") - 131.41).abs() < 0.01);
/// assert_eq!(gib("teacher=70B&strategy=full-shard&teacherat=whole"), gib("teacher=70B&strategy=ddp"));
/// assert_eq!(gib("teacher=70B&teacherdtype=fp32"), 2.0 * gib("teacher=70B"));
/// assert_eq!([gib("teacher=70B&teacherat=turns"), gib("teacher=70B&teacherat=engine")], [0.0, 0.0]);
/// ```
pub fn weights(setup: &Setup, student: &Stage) -> Bytes {
    let stays = match setup.objective.teacher.place {
        TeacherPlace::Trainer => !setup.offload.parameters,
        place => place == TeacherPlace::Whole,
    };
    let teacher = on_training_gpus(setup).filter(|_| stays);
    teacher.map_or(Bytes::ZERO, |teacher| held(setup, &teacher, student))
}

/// Returns the memory of the teacher's pass over one micro-batch beside the student's activations:
/// the gathered root unit and two layers, if weights are sharded; the tensors of one layer; and
/// the logits of both in 16 bits. The student's pass comes first (`compute_loss` of
/// trl/experimental/gkd/gkd_trainer.py, `_loss_step` of torchtune's
/// recipes/knowledge_distillation_single_device.py).
pub fn pass_memory(setup: &Setup, student: &Stage) -> Bytes {
    if !matches!(setup.objective.teacher.place, TeacherPlace::Trainer | TeacherPlace::Whole) {
        return Bytes::ZERO;
    }
    let Some(teacher) = on_training_gpus(setup) else { return Bytes::ZERO };
    let stage = stage_of(&teacher, student);
    let (units, shape) = (&stage.params.held, &teacher.architecture);
    let is_gathered = matches!(teacher.sharding, Sharding::Fsdp(_)) && shard_degrees(setup).weights > 1.0;
    let gathered = if is_gathered { units.root + 2.0 * (units.unit + units.expert_unit) } else { 0.0 };
    let mlp = if shape.has_experts() {
        f64::from(shape.experts.top_k()) * f64::from(shape.expert_hidden_size())
    } else {
        f64::from(shape.intermediate_size)
    };
    let width =
        TENSORS_OF_WIDTH * f64::from(shape.hidden_size) + TENSORS_OF_MLP * mlp / f64::from(teacher.mesh.tp.max(1));
    let of_tokens = if stage.layers > 0 { per_rank::tokens(setup) * width } else { 0.0 };
    Bytes::new(HALF * (gathered + of_tokens + logits(&teacher, &stage) + logits(setup, student)))
}

/// Tensors of the hidden size in a layer without gradients: residual, norm, and the inputs and
/// output of a product.
const TENSORS_OF_WIDTH: f64 = 4.0;
/// Tensors of the MLP's width: gate, up and their product.
const TENSORS_OF_MLP: f64 = 3.0;

/// Returns the weights of a teacher that takes turns with the student, on the GPU with most of
/// them; zero for any other.
pub fn in_turn(setup: &Setup) -> Bytes {
    if setup.objective.teacher.place != TeacherPlace::Turns {
        return Bytes::ZERO;
    }
    let Some(teacher) = on_training_gpus(setup) else { return Bytes::ZERO };
    stages(setup).iter().map(|stage| held(setup, &teacher, stage)).fold(Bytes::ZERO, Bytes::max)
}

//! The teacher of a distillation: its weights, its forward pass, its logits
//! (docs/book/model/rollout.md).

use super::choices::Choices;
use super::host;
use super::images::Images;
use super::memory::{logits, logits_tile_share};
use super::objective::{Divergence, Objective, TeacherFormat, TeacherPlace};
use super::parallel::Mesh;
use super::per_rank;
use super::rollout;
use super::setup::Setup;
use super::software::{Loss, Offload};
use super::stages::{Stage, stages};
use super::states::{expert_shard_degrees, shard_degrees};
use super::trained::Trained;
use super::training::{ComputeFormat, Sharding};
use super::transformer::Architecture;
use crate::units::{Bytes, Seconds};

/// Bytes of a frozen weight, of an activation or of a logit, in 16 bits.
const HALF: f64 = 2.0;
/// Bytes of a number in 32 bits.
const SINGLE: f64 = 4.0;
/// Bytes of an index (PyTorch's `topk` returns int64).
const INDEX: f64 = 8.0;

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
fn evaluated(setup: &Setup, shape: Architecture) -> Setup {
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
        TeacherFormat::Single => SINGLE,
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
/// # use engine::model::{stages::stages, teacher};
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

/// Returns the time of the teacher on the training GPUs beyond its passes: its weights from host
/// memory and back, once a step, if it takes turns with the student.
pub fn moving(setup: &Setup) -> Seconds {
    2.0 * (in_turn(setup) / host::transfer_rate(setup))
}

/// Returns the weights of a teacher that takes turns with the student, on the GPU with most of
/// them; zero for any other.
pub fn in_turn(setup: &Setup) -> Bytes {
    if setup.objective.teacher.place != TeacherPlace::Turns {
        return Bytes::ZERO;
    }
    let Some(teacher) = on_training_gpus(setup) else { return Bytes::ZERO };
    stages(setup).iter().map(|stage| held(setup, &teacher, stage)).fold(Bytes::ZERO, Bytes::max)
}

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
    rollout::prefill(&engine, sequences / f64::from(teacher.gpus.max(1)), setup.attended())
}

/// Returns the GPUs on which only the teacher runs.
pub fn own_gpus(setup: &Setup) -> u32 {
    match setup.objective.teacher.place {
        TeacherPlace::Engine if setup.teacher.is_some() => setup.objective.teacher.gpus,
        _ => 0,
    }
}

/// Returns the bytes per logit of a loss, alive at the loss and kept for the backward pass of other
/// micro-batches, with the teacher's: those of the student alone for other objectives.
///
/// Over all logits by PyTorch's operators, counted by the allocations of PyTorch 2.15: the loss of
/// torchtune (`ForwardKLLoss` of torchtune/modules/loss/kd_losses.py beside the cross-entropy, whole
/// or in eight chunks of which autograd keeps all), and the divergences of TRL
/// (`generalized_jsd_loss` of trl/experimental/gkd/gkd_trainer.py), which are 9, 10 or 17 tensors as
/// large as the logits and keep 4, 5 or 9; ms-swift's in chunks has 23 bytes of the last 34. A loss
/// fused with the head needs as much for the teacher as for the student. The k largest logits:
/// values, indices, and the student's log-probabilities at them.
pub fn loss_bytes(setup: &Setup, student: (f64, f64)) -> (f64, f64) {
    if !setup.objective.task.distills() {
        return student;
    }
    let teacher = &setup.objective.teacher;
    let here = f64::from(setup.architecture.vocab_size.max(1)) / f64::from(setup.loss_parallel());
    let top = f64::from(teacher.top_k.min(setup.architecture.vocab_size));
    if top > 0.0 {
        let kept = top * (SINGLE + INDEX) / here;
        return (student.0 + kept + top * SINGLE / here, student.1 + kept);
    }
    let whole = match teacher.divergence {
        Divergence::Forward => (9.0, 4.0),
        Divergence::Reverse => (10.0, 5.0),
        Divergence::JensenShannon => (17.0, 9.0),
    };
    let by_operators = |bytes: f64| (whole.0 * bytes, whole.1 * bytes);
    let is_mixed = teacher.divergence == Divergence::JensenShannon;
    match setup.kernels.loss {
        Loss::Bf16 | Loss::Bf16Kept => by_operators(HALF),
        Loss::Fp32Logits => by_operators(SINGLE),
        Loss::Standard | Loss::KeptLogits if is_mixed => by_operators(SINGLE),
        Loss::Standard | Loss::KeptLogits => (student.0 + 9.0, student.1 + 9.0),
        Loss::Chunked if is_mixed => (23.0, 18.0),
        Loss::Chunked => (18.0, 13.0),
        Loss::Fused => (student.0 + HALF, student.1),
        Loss::FusedLinear => (student.0 + FUSED, student.1),
        Loss::Tiled => (student.0 + (HALF + 2.0 * SINGLE) * logits_tile_share(setup), student.1),
    }
}

/// Bytes per logit of the teacher in a loss that is fused with both heads, as for the student.
const FUSED: f64 = 0.5;

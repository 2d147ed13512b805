//! The overheads of each framework.

use crate::fitted;
use crate::model::hardware::Generation;
use crate::model::setup::Overheads;
use crate::model::software::{Cache, Framework, Segments};
use crate::units::{Bytes, Seconds};

/// Fraction of the element-wise memory traffic that remains under `torch.compile`.
pub const COMPILED: f64 = fitted::COMPILED;

/// Host time of a message between nanotron's stages, for each node beyond the first and each GPU of
/// a tensor-parallel group. Messages are sent one by one, each after its shape, and on the measured
/// cluster they take longer with more GPUs (docs/book/accuracy.md).
const MESSAGE: Seconds = Seconds::from_ms(fitted::HOST_MESSAGE_MS);

/// Host time of a layer's forward pass, and additions for tensor and context parallelism, experts
/// and latent attention, over the accelerator's constant.
const MEGATRON_LAUNCHES: [f64; 5] = [
    fitted::LAUNCH_MEGATRON,
    fitted::LAUNCH_TENSOR,
    fitted::LAUNCH_CONTEXT,
    fitted::LAUNCH_EXPERTS,
    fitted::LAUNCH_LATENT,
];

/// Host time of a step outside its layers.
const STEP: Seconds = Seconds::from_ms(fitted::HOST_STEP_MS);
/// Further host time of Megatron-Core between steps (logging, clipping, checks for non-finite
/// values), which is hidden if the GPU is behind the host.
const MEGATRON_BETWEEN_STEPS: Seconds = Seconds::from_ms(fitted::HOST_BETWEEN_STEPS_MS);

/// A CUDA context with its libraries, which load kernels when they are first called.
const CONTEXT: Bytes = Bytes::from_gib(0.6);
/// A CUDA context before CUDA 11.7, which loaded all kernels at once: the mean of 1,271 MiB on a
/// V100 and 1,573 MiB on an A100, each measured with one tensor of one element (bigscience,
/// `train/tr11-176B-ml/chronicles-prequel.md`).
const EAGER_CONTEXT: Bytes = Bytes::from_gib(1.4);
/// Slow-down of kernels that overlap with collectives, which use part of a GPU's multiprocessors
/// and memory bandwidth.
const CONTENTION: f64 = fitted::CONTENTION;
/// The channels of an NCCL communicator.
const COMMUNICATOR: Bytes = Bytes::from_gib(0.15);
/// Element-wise traffic of XLA's fusions, before [`COMPILED`]: fitted to `MaxText`'s runs.
const XLA_ELEMENTWISE: f64 = fitted::ELEMENTWISE_MAXTEXT / fitted::COMPILED;
/// Overhead of PyTorch's caching allocator, from its simulation over the traced steps of ten layers
/// and more (`tests/measured/traced_steps.csv`, checked by a test): the median of the cached share,
/// and the first quartile of the share that cannot be released, so that three in four of the runs
/// that are predicted to be out of memory are.
const FIXED: Cache = Cache::Pools { cached: 0.19, lasting: 0.03 };
const EXPANDABLE: Cache = Cache::Pools { cached: 0.07, lasting: 0.02 };

/// Returns the overheads of a framework, with or without `torch.compile`, under an allocator with
/// these segments. Fitted by `examples/calibrate` to the rows in tests/measured, except for the
/// memory of the context and of the channels of an NCCL communicator, about 150 MiB.
pub const fn overheads_on(
    generation: Generation,
    framework: Framework,
    compile: bool,
    segments: Segments,
) -> Overheads {
    let of = overheads(framework, compile, segments);
    if framework.traits().is_one_program && !matches!(generation, Generation::Tpu) {
        // On GPUs XLA runs on CUDA and NCCL, or their ROCm counterparts.
        let (context, per_communicator, contention) = (CONTEXT, COMMUNICATOR, CONTENTION);
        return Overheads { context, per_communicator, contention, rate_beside: fitted::RATE_BESIDE, ..of };
    }
    of
}

/// Returns the overheads of a framework, with `MaxText` on a TPU.
pub const fn overheads(framework: Framework, compile: bool, segments: Segments) -> Overheads {
    let pools = match segments {
        Segments::Fixed => FIXED,
        Segments::Expandable => EXPANDABLE,
    };
    let (elementwise, cache, [launch, launch_exchange, launch_context, launch_experts, launch_latent]) = match framework
    {
        Framework::Torchtitan | Framework::Transformers | Framework::Fsdp1 | Framework::DeepSpeed => {
            (fitted::ELEMENTWISE_PYTORCH, pools, [fitted::LAUNCH_PYTORCH, fitted::LAUNCH_TENSOR, 1.0, 6.0, 2.0])
        }
        // XLA plans its buffers ahead, and the host starts one program a step.
        Framework::MaxText => (XLA_ELEMENTWISE, Cache::Share(0.0), [0.0; 5]),
        Framework::Megatron | Framework::MegatronFsdp => {
            (fitted::ELEMENTWISE_MEGATRON, Cache::Share(0.03), MEGATRON_LAUNCHES)
        }
        Framework::MegatronLegacy => (
            fitted::ELEMENTWISE_MEGATRON_2021,
            Cache::Share(0.10),
            [fitted::LAUNCH_MEGATRON_2021, fitted::LAUNCH_TENSOR, 0.0, fitted::LAUNCH_EXPERTS, 0.0],
        ),
        Framework::Nanotron => (fitted::ELEMENTWISE_NANOTRON, Cache::Share(0.03), MEGATRON_LAUNCHES),
    };
    let between_steps = match framework {
        Framework::Megatron | Framework::MegatronFsdp => MEGATRON_BETWEEN_STEPS,
        _ => Seconds::ZERO,
    };
    // A TPU has no context, its collectives' buffers are part of the program, and it has separate
    // engines for copies between chips.
    let (context, per_communicator, contention) = match framework {
        Framework::MaxText => (Bytes::ZERO, Bytes::ZERO, 1.0),
        Framework::MegatronLegacy => (EAGER_CONTEXT, COMMUNICATOR, CONTENTION),
        _ => (CONTEXT, COMMUNICATOR, CONTENTION),
    };
    let message = match framework {
        Framework::Nanotron => MESSAGE,
        _ => Seconds::ZERO,
    };
    Overheads {
        context,
        per_communicator,
        message,
        cache,
        contention,
        // Chips with separate engines for their links lose nothing.
        rate_beside: if contention > 1.0 { fitted::RATE_BESIDE } else { 1.0 },
        launch,
        launch_backward: fitted::LAUNCH_BACKWARD,
        launch_expert: fitted::LAUNCH_EXPERT,
        launch_casts: fitted::LAUNCH_CASTS,
        launch_beside_graphs: fitted::LAUNCH_BESIDE_GRAPHS,
        launch_exchange,
        launch_experts,
        launch_context,
        launch_latent,
        between_steps,
        step: STEP,
        elementwise_bytes: if compile { COMPILED * elementwise } else { elementwise },
    }
}

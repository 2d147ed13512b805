//! The overheads of each framework.

use crate::model::setup::Overheads;
use crate::model::software::{Cache, Framework, Segments};
use crate::units::{Bytes, Seconds};

/// Fraction of the element-wise memory traffic that remains under `torch.compile`.
pub const COMPILED: f64 = 0.54;

/// Host time of a message between nanotron's stages, for each node beyond the first and each GPU of a
/// tensor-parallel group. Its messages are sent one by one, each after its shape, and on its cluster
/// they take longer the more GPUs take part (docs/accuracy.md).
const MESSAGE: Seconds = Seconds::from_ms(0.1);

/// Host time of a step beside its layers.
const STEP: Seconds = Seconds::from_ms(20.0);
/// What Megatron-Core's host takes between steps beyond that (logging, clipping, looking for values that are not finite), and for each
/// micro-batch on a model chunk, with the schedule's messages. Both hide where the GPU is behind the host. Fitted with its launches to its
/// continuous integration (docs/accuracy.md), whose runs of twelve layers of H = 512 are bound by the host: of one, two and four
/// stages, with and without chunks, and with tensor and context parallelism, the medians solve for each.
const MEGATRON_BETWEEN_STEPS: Seconds = Seconds::from_ms(20.0);
const MEGATRON_PASS: Seconds = Seconds::from_ms(1.0);

/// A CUDA context with its libraries, their kernels loaded when they are first called.
const CONTEXT: Bytes = Bytes::from_gib(0.6);
/// The same before CUDA 11.7, which loaded all kernels at once: 1,271 MiB on a V100 and 1,573 MiB on an A100, each measured with one
/// tensor of one element (bigscience, `train/tr11-176B-ml/chronicles-prequel.md`); their mean.
const EAGER_CONTEXT: Bytes = Bytes::from_gib(1.4);
/// What PyTorch's caching allocator holds, by its simulation of the traced steps of ten layers and more
/// (`tests/measured/traced_steps.csv`, a test holds it): of what it caches the median; of what it cannot give back the first quartile,
/// so that three in four of the runs that are called out of memory are.
const FIXED: Cache = Cache::Pools { cached: 0.19, lasting: 0.03 };
const EXPANDABLE: Cache = Cache::Pools { cached: 0.07, lasting: 0.02 };

/// Returns the overheads of a framework, with or without `torch.compile`, under an allocator of these segments. Fitted by
/// `examples/calibrate` to the rows in tests/measured, except for the memory of the context and of
/// the channels of an NCCL communicator, about 150 MiB.
pub const fn overheads(framework: Framework, compile: bool, segments: Segments) -> Overheads {
    let pools = match segments {
        Segments::Fixed => FIXED,
        Segments::Expandable => EXPANDABLE,
    };
    let (elementwise, cache, [launch, launch_exchange, launch_context, launch_experts, launch_latent]) = match framework
    {
        Framework::Torchtitan | Framework::Transformers | Framework::Fsdp1 | Framework::DeepSpeed => {
            (253.0, pools, [1.0, 2.0, 2.0, 6.0, 2.0])
        }
        // XLA plans its buffers ahead.
        Framework::MaxText => (253.0, Cache::Share(0.03), [1.0, 2.0, 2.0, 6.0, 2.0]),
        Framework::Megatron | Framework::MegatronFsdp => (84.0, Cache::Share(0.03), [9.0, 4.5, 2.0, 12.0, 17.0]),
        Framework::MegatronLegacy => (110.0, Cache::Share(0.10), [3.0, 6.0, 6.0, 10.0, 6.0]),
        Framework::Nanotron => (230.0, Cache::Share(0.03), [3.0, 6.0, 6.0, 10.0, 6.0]),
    };
    let (pass, between_steps) = match framework {
        Framework::Megatron | Framework::MegatronFsdp => (MEGATRON_PASS, MEGATRON_BETWEEN_STEPS),
        _ => (Seconds::ZERO, Seconds::ZERO),
    };
    let context = if matches!(framework, Framework::MegatronLegacy) { EAGER_CONTEXT } else { CONTEXT };
    let message = if matches!(framework, Framework::Nanotron) { MESSAGE } else { Seconds::ZERO };
    Overheads {
        context,
        per_communicator: Bytes::from_gib(0.15),
        cache,
        contention: 1.15,
        launch,
        launch_exchange,
        launch_experts,
        launch_context,
        pass,
        launch_latent,
        message,
        between_steps,
        step: STEP,
        elementwise_bytes: if compile { COMPILED * elementwise } else { elementwise },
    }
}

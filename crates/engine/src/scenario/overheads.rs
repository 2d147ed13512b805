//! The overheads of each framework.

use crate::model::hardware::Generation;
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
/// How much longer kernels take beside collectives, which take a part of a GPU's multiprocessors and memory bandwidth.
const CONTENTION: f64 = 1.15;
/// The channels of an NCCL communicator.
const COMMUNICATOR: Bytes = Bytes::from_gib(0.15);
/// Element-wise traffic of XLA's fusions, before [`COMPILED`]: fitted to `MaxText`'s runs.
const XLA_ELEMENTWISE: f64 = 200.0;
/// What PyTorch's caching allocator holds, by its simulation of the traced steps of ten layers and more
/// (`tests/measured/traced_steps.csv`, a test holds it): of what it caches the median; of what it cannot give back the first quartile,
/// so that three in four of the runs that are called out of memory are.
const FIXED: Cache = Cache::Pools { cached: 0.19, lasting: 0.03 };
const EXPANDABLE: Cache = Cache::Pools { cached: 0.07, lasting: 0.02 };

/// Bytes around attention per element of queries, keys, values and outputs, both passes, under Transformer Engine: the split of one
/// projection's output and its gradient's concatenation (8), rotary positions (4 on average), the kernels' own reads and writes (6 and
/// more), the gradient of queries in fp32, zeroed, added to and cast (4 to 8), and what the kernels lose on short rows. Fitted to steps
/// of 2K to 8K tokens together with the rate that holds up to 1M (docs/accuracy.md). The element-wise traffic of the other frameworks,
/// fitted without such sequences, has it inside.
const AROUND_ATTENTION: f64 = 48.0;

/// Returns the overheads of a framework, with or without `torch.compile`, under an allocator of these segments. Fitted by
/// `examples/calibrate` to the rows in tests/measured, except for the memory of the context and of
/// the channels of an NCCL communicator, about 150 MiB.
pub const fn overheads_on(
    generation: Generation,
    framework: Framework,
    compile: bool,
    segments: Segments,
) -> Overheads {
    let of = overheads(framework, compile, segments);
    if framework.traits().is_one_program && !matches!(generation, Generation::Tpu) {
        // On GPUs XLA runs on CUDA and NCCL, or ROCm's.
        let (context, per_communicator, contention) = (CONTEXT, COMMUNICATOR, CONTENTION);
        return Overheads { context, per_communicator, contention, ..of };
    }
    of
}

/// Returns the overheads of a framework, of `MaxText` on a TPU.
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
        // XLA plans its buffers ahead, and the host starts one program a step.
        Framework::MaxText => (XLA_ELEMENTWISE, Cache::Share(0.0), [0.0; 5]),
        Framework::Megatron | Framework::MegatronFsdp => (84.0, Cache::Share(0.03), [9.0, 4.5, 2.0, 12.0, 17.0]),
        Framework::MegatronLegacy => (110.0, Cache::Share(0.10), [3.0, 6.0, 6.0, 10.0, 6.0]),
        Framework::Nanotron => (230.0, Cache::Share(0.03), [3.0, 6.0, 6.0, 10.0, 6.0]),
    };
    let (pass, between_steps, attention_bytes) = match framework {
        Framework::Megatron | Framework::MegatronFsdp => (MEGATRON_PASS, MEGATRON_BETWEEN_STEPS, AROUND_ATTENTION),
        _ => (Seconds::ZERO, Seconds::ZERO, 0.0),
    };
    // A TPU has no context, its collectives' buffers are among the program's, and it has engines of
    // their own for copies between chips.
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
        cache,
        contention,
        launch,
        launch_exchange,
        launch_experts,
        launch_context,
        pass,
        launch_latent,
        message,
        between_steps,
        step: STEP,
        attention_bytes,
        elementwise_bytes: if compile { COMPILED * elementwise } else { elementwise },
    }
}

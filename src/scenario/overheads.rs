//! What each framework costs beside the mathematics.

use crate::model::setup::Overheads;
use crate::model::software::Framework;
use crate::units::Bytes;

/// Share of the element-wise traffic that `torch.compile` leaves.
pub const COMPILED: f64 = 0.55;

/// The overheads of a framework, with or without `torch.compile`. Fitted by `examples/calibrate` to the rows in
/// tests/measured, but for the memory of the context: a CUDA context with its libraries holds about half a GiB, an NCCL
/// communicator's channels about 150 MiB.
pub const fn overheads(framework: Framework, compile: bool) -> Overheads {
    let (elementwise, fragmentation) = match framework {
        Framework::PyTorch => (255.0, 0.03),
        Framework::Megatron => (150.0, 0.03),
        Framework::MegatronLegacy => (255.0, 0.03),
        Framework::Nanotron => (200.0, 0.03),
    };
    Overheads {
        context: Bytes::from_gib(0.6),
        per_communicator: Bytes::from_gib(0.15),
        fragmentation,
        contention: 1.08,
        elementwise_bytes: if compile { COMPILED * elementwise } else { elementwise },
    }
}

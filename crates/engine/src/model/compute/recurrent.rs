//! The cost of a recurrent mixer, which has a state of a fixed size: its matrix products, and the
//! kernels between them.

use super::blocks::{Passes, Rates};
use super::recipe_peak;
use crate::fitted;
use crate::model::cost::{Cost, Operations};
use crate::model::flops::recurrent::{chunk, executed, state};
use crate::model::memory::activations;
use crate::model::setup::Setup;
use crate::model::software::StateKernel;
use crate::model::transformer::Architecture;
use crate::model::transformer::recurrent::RecurrentKind;
use crate::units::Bytes;

/// Work of the kernels' backward pass over that of the forward pass: tensors that were not kept are
/// recomputed, and each operand of each product has a gradient (`_mamba_chunk_scan_combined_bwd` of
/// state-spaces/mamba; `chunk_gated_delta_rule_bwd` of flash-linear-attention).
const BACKWARD: f64 = 3.5;
/// Bytes of an element of a state, in fp32.
const STATE_BYTES: f64 = 4.0;
/// Times that a chunk's state crosses memory: written, then read and written by the pass over
/// chunks, and read for the output.
const STATE_CROSSINGS: f64 = 4.0;

/// Returns the elements per token that the kernels between the products read and write, forward:
/// the convolution reads and writes its channels; the scan reads values, keys and queries twice
/// (for the chunk's state and for its output) and writes its output; the gate and the norm read two
/// tensors and write one.
fn streamed(arch: &Architecture) -> f64 {
    let mixer = &arch.recurrent;
    let (inner, keys) = (mixer.inner_width(), mixer.key_width());
    let convolution = 2.0 * mixer.conv_width();
    let scan = match mixer.kind {
        // The scan reads the values and their steps and writes the output; B and C are small.
        RecurrentKind::Mamba => 4.0 * inner,
        RecurrentKind::Mamba2 => 3.0 * inner + 3.0 * keys,
        // W and U are written and read in addition.
        RecurrentKind::GatedDelta | RecurrentKind::KimiDelta => 5.0 * inner + 5.0 * keys,
        RecurrentKind::Lightning => 6.0 * inner,
        RecurrentKind::RgLru => 8.0 * inner,
        RecurrentKind::ShortConv => 0.0,
    };
    convolution + scan + 3.0 * inner
}

/// Returns the cost of the convolution, the scan, the gate and the norm of one mixer.
pub(super) fn core<C: Cost<Operations>>(rates: &Rates) -> Passes<C> {
    let setup = rates.setup;
    let arch = &setup.architecture;
    let mixer = &arch.recurrent;
    if !mixer.is_used() {
        return Passes::default();
    }
    if setup.kernels.state == StateKernel::Eager {
        return operators(rates);
    }
    let share = rates.tokens / f64::from(setup.mesh.tp.max(1));
    let flops = share * executed(mixer);
    // Element by element, without tensor cores.
    let peak = match mixer.kind {
        RecurrentKind::Mamba | RecurrentKind::RgLru | RecurrentKind::ShortConv => setup.accelerator.peak_32bit,
        RecurrentKind::Mamba2 | RecurrentKind::GatedDelta | RecurrentKind::KimiDelta | RecurrentKind::Lightning => {
            recipe_peak(&setup.accelerator, setup.recipe)
        }
    };
    let states = match mixer.kind {
        RecurrentKind::Mamba | RecurrentKind::RgLru | RecurrentKind::ShortConv => 0.0,
        RecurrentKind::Mamba2 | RecurrentKind::GatedDelta | RecurrentKind::KimiDelta | RecurrentKind::Lightning => {
            STATE_BYTES * STATE_CROSSINGS * state(mixer) / chunk(mixer)
        }
    };
    let bytes = Bytes::new(share * (rates.element() * streamed(arch) + states));
    let rate = peak * (fitted::STATE_KERNELS * setup.accelerator.efficiency.attention);
    let products: C = C::new(flops / rate, || Operations { flops, bytes: Bytes::ZERO });
    let streams: C = C::new(bytes / (rates.memory * fitted::STATE_KERNELS), || Operations::streaming(bytes));
    let forward = products + streams;
    Passes { forward, backward: forward * BACKWARD }
}

/// Times that a kept tensor crosses memory in the forward pass, operator by operator: written, and
/// read by the next operator.
const WRITTEN_AND_READ: f64 = 2.0;
/// Traffic of the backward pass over the forward pass's: a kept tensor is read, its gradient
/// written, added to and read.
const BACKWARD_CROSSINGS: f64 = 2.0;

/// Returns the cost of a mixer's core operator by operator: every kept tensor crosses memory, and
/// the products run in fp32.
fn operators<C: Cost<Operations>>(rates: &Rates) -> Passes<C> {
    let setup = rates.setup;
    let flops = rates.tokens / f64::from(setup.mesh.tp.max(1)) * executed(&setup.architecture.recurrent);
    let bytes =
        Bytes::new(WRITTEN_AND_READ * rates.tokens * activations::mixer_bytes_per_token(setup, rates.element()));
    let rate = setup.accelerator.peak_32bit * setup.accelerator.efficiency.attention;
    let products: C = C::new(flops / rate, || Operations { flops, bytes: Bytes::ZERO });
    let streamed: C = rates.streaming(bytes);
    Passes { forward: products + streamed, backward: (products + streamed) * BACKWARD_CROSSINGS }
}

/// Returns the kernels that one mixer launches sequentially in its forward pass, operator by
/// operator, from the loops over tokens or chunks of one sequence in transformers' code: five per
/// token in Mamba, three in RG-LRU; nine per chunk under delta rules, twelve in lightning
/// attention; none if all chunks are one product.
pub(super) fn kernels_in_loops(setup: &Setup) -> f64 {
    let mixer = &setup.architecture.recurrent;
    if setup.kernels.state == StateKernel::Fused || !mixer.is_used() {
        return 0.0;
    }
    let tokens = f64::from(setup.batch.seq_len) / f64::from(setup.mesh.cp.max(1));
    let chunks = tokens / chunk(mixer);
    match mixer.kind {
        RecurrentKind::Mamba => 5.0 * tokens,
        RecurrentKind::RgLru => 3.0 * tokens,
        RecurrentKind::GatedDelta | RecurrentKind::KimiDelta => 9.0 * chunks,
        RecurrentKind::Lightning => 12.0 * chunks,
        RecurrentKind::Mamba2 | RecurrentKind::ShortConv => 0.0,
    }
}

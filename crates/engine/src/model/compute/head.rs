//! The cost of the output head, its loss, and the modules that predict further tokens.

use super::blocks::Rates;
use super::products::{Products, Sums, aligned};
use super::recipe_rate;
use crate::model::cost::{Cost, Operations};
use crate::model::framework::Layers;
use crate::model::setup::Setup;
use crate::model::software::Loss;
use crate::units::Bytes;

/// Returns the bytes read and written per logit by the cross-entropy, forward and backward.
/// Standard: upcast (2 + 4), log-softmax (4 + 4), its gradient (4 + 4), downcast (4 + 2) and the
/// bf16 logits' write and read (2 + 2). Fused or chunked: the logits' write and two reads, and the
/// write and reads of their gradient.
const fn loss_traffic_per_logit(loss: Loss) -> f64 {
    // A tiled loss runs the standard loss on each tile.
    if loss.is_unfused() || matches!(loss, Loss::Tiled) { 32.0 } else { 12.0 }
}

/// Returns the cost of the output heads and losses of the next and further tokens, forward and
/// backward, with the projections for further tokens.
pub(super) fn heads<C: Cost<Operations>>(rates: &Rates) -> C {
    head::<C>(rates) * (1.0 + f64::from(rates.setup.mtp)) + mtp_projection(rates)
}

/// Returns the cost of output head and loss, forward and backward; both stay in the recipe's
/// format.
fn head<C: Cost<Operations>>(rates: &Rates) -> C {
    let setup = rates.setup;
    let hidden = f64::from(setup.architecture.hidden_size);
    let outputs = if setup.objective.has_scalar_head() { 0 } else { setup.architecture.vocab_size };
    let columns = f64::from(outputs) / f64::from(setup.mesh.tp.max(1));
    let weights = hidden * columns;
    let rate = recipe_rate(setup);
    let products = Products {
        tokens: rates.tokens,
        weights,
        inner: hidden,
        outer: columns,
        count: f64::from(u8::from(columns > 0.0)),
        half: if columns > 0.0 { rates.half } else { 0.0 },
        rate,
        rate_of_gradients: rate,
        aligned: aligned(vocabulary(setup, columns)),
        memory: setup.accelerator.memory_bandwidth,
        operands: weights + rates.tokens * (hidden + columns),
        element: rates.element(),
    };
    products.forward::<C>()
        + products.input_gradient()
        + products.weight_gradient::<C>() * rates.share.head
        + rates.streaming(Bytes::new(loss_bytes(rates)))
}

/// Returns the columns of the head's product: frameworks with layers of their own pad the
/// vocabulary to a multiple of 128 (`--make-vocab-size-divisible-by`), and a compiler pads 16-bit
/// products to multiples of 8 where that is faster (`torch/_inductor/fx_passes/pad_mm.py`).
///
/// GPT-2 medium on 8 A100, of 50,257 tokens: llm.c, which pads them, takes 0.82 s a step of 64
/// sequences of 1,024 each (`scripts/run_gpt2_350M.sh`).
///
/// ```
/// # use links::decode;
/// let step = |compile: &str| {
///     let run = "cluster=dgx-a100-80&model=gpt-2-medium&seq=1024&gpus=8&mbs=64&recipe=zero-mixed&strategy=zero1&loss=fused";
///     let link = format!("{run}&attnkernel=flash-tuned&compile={compile}");
///     decode(&link).scenario.report().update.time.step.get()
/// };
/// assert!((step("yes") / 0.82 - 1.0).abs() < 0.25, "{}", step("yes"));
/// assert!(step("no") > 1.5 * step("yes"));
/// ```
pub fn vocabulary(setup: &Setup, columns: f64) -> f64 {
    let multiple = if setup.traits().layers == Layers::Own {
        128.0
    } else if setup.kernels.compile {
        8.0
    } else {
        return columns;
    };
    (columns / multiple).ceil() * multiple
}

/// Returns the cost of projecting hidden state and embedding in the modules that predict further
/// tokens, all passes.
fn mtp_projection<C: Cost<Operations>>(rates: &Rates) -> C {
    let setup = rates.setup;
    if setup.mtp == 0 {
        return C::default();
    }
    let hidden = f64::from(setup.architecture.hidden_size);
    let tp = f64::from(setup.mesh.tp.max(1));
    let block = Sums {
        weights: 2.0 * hidden * hidden / tp,
        inner: 2.0 * hidden,
        outer: hidden / tp,
        count: 1.0,
        hidden: 0.0,
        cast: 2.0 * hidden,
        aligned: 1.0,
    };
    let products = rates.products(&block);
    let once = products.forward::<C>() + products.input_gradient() + products.weight_gradient::<C>() * rates.share.head;
    once * f64::from(setup.mtp)
}

/// Returns the bytes that the cross-entropy reads and writes, forward and backward.
pub(super) fn loss_bytes(rates: &Rates) -> f64 {
    let setup = rates.setup;
    let outputs = if setup.objective.has_scalar_head() { 0 } else { setup.architecture.vocab_size };
    loss_traffic_per_logit(setup.kernels.loss) * rates.tokens * (f64::from(outputs) / f64::from(setup.mesh.tp.max(1)))
}

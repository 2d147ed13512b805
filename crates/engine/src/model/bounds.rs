//! FSDP bounds after Wang et al. 2025 (arXiv 2504.03655): the best that memory, bandwidth and
//! compute allow.
//!
//! They use only `φ = 12 L H²`, one link rate and one memory size. The formulas are a derivation
//! from the paper's abstract and summaries (docs/book/model/bounds.md), not a quotation of it.

mod of_setup;

pub use of_setup::simplified;

use crate::units::{Bytes, BytesPerSecond, Flops, FlopsPerSecond, Seconds};

/// The states that are sharded over the data-parallel ranks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Everything (ZeRO-3): `M_free = M - 8 φ Q / N` under the recipe of 8 Q bytes.
    Three,
    /// Gradients and optimizer state, with whole weights (ZeRO-1/2 as one stage):
    /// `M_free = M - φ Q - 7 φ Q / N`.
    OneOrTwo,
}

/// Parameters of a cluster and a model that enter the bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Layers, L.
    pub layers: f64,
    /// Width, H.
    pub hidden: f64,
    /// Sequence length, l, in tokens.
    pub seq_len: f64,
    /// Bytes of an element on the wire and of an activation, Q.
    pub element: f64,
    /// Bytes of a parameter's weight at rest, Q in the paper's accounting.
    pub weight: f64,
    /// Bytes of all states of a parameter: 8 Q in the paper's accounting (fp32 copy and two moments
    /// 6, gradient 1, weight 1).
    pub states: f64,
    /// GPUs, N.
    pub gpus: f64,
    /// Memory of one GPU, M.
    pub memory: Bytes,
    /// Link rate of one GPU, S_vol.
    pub link: BytesPerSecond,
    /// Peak of one GPU, S_flops.
    pub peak: FlopsPerSecond,
    /// Fraction of the peak that kernels reach, a.
    pub efficiency: f64,
    /// Latency of one message, ε.
    pub latency: Seconds,
    /// The states that are sharded.
    pub stage: Stage,
    /// Share of activations kept, γ, 0 (full recomputation) to 1.
    pub kept: f64,
    /// Transfers of the model in one backward pass, c_b: 1 (gathers only) or 2 (gathers and
    /// reductions).
    pub backward_transfers: f64,
}

/// Weights in one layer over H².
const PARAMS_PER_SQUARE: f64 = 12.0;
/// Elements of width H kept per token and layer when nothing is recomputed.
const KEPT_WIDTHS: f64 = 16.0;
/// Bytes over H per token and layer of dropout masks when nothing is recomputed.
const MASK_BYTES: f64 = 2.0;

/// Throughput and utilisation of one configuration in the bounds' own step model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Tokens per second and GPU, K.
    pub tokens_per_s_per_gpu: f64,
    /// Model FLOPs utilisation.
    pub mfu: f64,
    /// Hardware FLOPs utilisation, recomputation included.
    pub hfu: f64,
}

impl Bounds {
    /// Returns the parameters, `φ = 12 L H²`.
    pub fn params(&self) -> f64 {
        PARAMS_PER_SQUARE * self.layers * self.hidden * self.hidden
    }

    /// Returns the bytes of all states of the whole model, `8 φ Q`: 16 φ at 2 bytes an element.
    pub fn all_states(&self) -> Bytes {
        Bytes::new(self.states * self.params())
    }

    /// Returns the memory left for activations, `M_free`; negative if the states alone do not fit.
    pub fn free_memory(&self) -> Bytes {
        match self.stage {
            Stage::Three => self.memory - self.all_states() / self.gpus,
            Stage::OneOrTwo => {
                let weights = Bytes::new(self.weight * self.params());
                self.memory - weights - (self.all_states() - weights) / self.gpus
            }
        }
    }

    /// Returns the bytes of activations per token, `M_act(γ) = (1-γ) L H Q + γ L (16 H Q + 2 H)`.
    pub fn activation_bytes(&self) -> Bytes {
        let checkpoint = self.hidden * self.element;
        let everything = KEPT_WIDTHS * self.hidden * self.element + MASK_BYTES * self.hidden;
        Bytes::new(self.layers * ((1.0 - self.kept) * checkpoint + self.kept * everything))
    }

    /// Returns the most tokens that fit on one GPU, `E ≤ M_free / M_act(γ)`; 0 if the states alone
    /// do not fit.
    pub fn tokens(&self) -> f64 {
        positive(self.free_memory() / self.activation_bytes())
    }

    /// Returns the forward FLOPs per token, `F_fwd = 2 φ + 4 L H l`.
    pub fn forward_flops(&self) -> Flops {
        Flops::new(2.0 * self.params() + 4.0 * self.layers * self.hidden * self.seq_len)
    }

    /// Returns the time to transfer the model once, `T_transfer = φ Q / S_vol + L N ε`.
    pub fn transfer_time(&self) -> Seconds {
        Bytes::new(self.params() * self.element) / self.link + self.layers * self.gpus * self.latency
    }

    /// Returns the time of the forward pass over `tokens`, `T_fwd = F_fwd E / (a S_flops)`.
    pub fn forward_time(&self, tokens: f64) -> Seconds {
        tokens * self.forward_flops() / (self.peak * self.efficiency)
    }

    /// Returns the time of the backward pass over `tokens`, including recomputation, `T_bwd = (3-γ)
    /// T_fwd`.
    pub fn backward_time(&self, tokens: f64) -> Seconds {
        (3.0 - self.kept) * self.forward_time(tokens)
    }

    /// Returns the throughput and utilisation of a step over `tokens` a GPU: `K = E / (max(T_fwd,
    /// T_transfer) + max(T_bwd, c_b T_transfer))`, `HFU = (4-γ) F_fwd K / S_flops`, `MFU = 3 F_fwd
    /// K / S_flops`. All are zero for no tokens.
    pub fn reached(&self, tokens: f64) -> Reached {
        if tokens <= 0.0 {
            return Reached { tokens_per_s_per_gpu: 0.0, mfu: 0.0, hfu: 0.0 };
        }
        let transfer = self.transfer_time();
        let step = self.forward_time(tokens).max(transfer)
            + self.backward_time(tokens).max(self.backward_transfers * transfer);
        let rate = tokens / step.get();
        let share = self.forward_flops().get() * rate / self.peak.get();
        Reached { tokens_per_s_per_gpu: rate, mfu: 3.0 * share, hfu: (4.0 - self.kept) * share }
    }

    /// Returns the longest context that fits, `E_max = M_free / (L H Q)`.
    pub fn tokens_max(&self) -> f64 {
        positive(self.free_memory() / Bytes::new(self.layers * self.hidden * self.element))
    }

    /// Returns the most tokens per second and GPU, `K_max ≤ M_free S_vol / (24 L² H³ Q²)`.
    pub fn throughput_max(&self) -> f64 {
        let squares = self.layers * self.layers * self.hidden * self.hidden * self.hidden;
        positive(self.free_memory().get()) * self.link.get() / (24.0 * squares * self.element * self.element)
    }

    /// Returns the highest HFU of the forward pass, `(2 + l/3H) M_free S_vol / (L H Q² S_flops)`.
    pub fn hfu_forward_max(&self) -> f64 {
        (2.0 + self.seq_len / (3.0 * self.hidden)) * self.memory_bandwidth_product()
    }

    /// Returns the highest MFU of a step with one transfer a pass: `(3 + l/2H) M_free S_vol / (L H
    /// Q² S_flops)`, and at most `3 a / (4-γ)`, the kernels' limit with recomputation.
    pub fn mfu_max(&self) -> f64 {
        let (by_network, by_compute) = (self.mfu_by_network(), self.mfu_by_compute());
        if by_network < by_compute { by_network } else { by_compute }
    }

    /// Returns the highest MFU that memory and bandwidth allow.
    pub fn mfu_by_network(&self) -> f64 {
        (3.0 + self.seq_len / (2.0 * self.hidden)) * self.memory_bandwidth_product()
    }

    /// Returns the highest MFU that kernels allow with recomputation.
    pub fn mfu_by_compute(&self) -> f64 {
        3.0 * self.efficiency / (4.0 - self.kept)
    }

    /// Returns the tokens that hide one transfer behind the forward pass, `E* = Q a S_flops / (2
    /// S_vol (1 + l/6H))`.
    pub fn tokens_to_hide_transfer(&self) -> f64 {
        self.element * self.efficiency * self.peak.get()
            / (2.0 * self.link.get() * (1.0 + self.seq_len / (6.0 * self.hidden)))
    }

    /// Returns `M_free S_vol / (L H Q² S_flops)`: efficiency depends on the product of memory and
    /// bandwidth over compute.
    fn memory_bandwidth_product(&self) -> f64 {
        positive(self.free_memory().get()) * self.link.get()
            / (self.layers * self.hidden * self.element * self.element * self.peak.get())
    }
}

fn positive(value: f64) -> f64 {
    if value > 0.0 { value } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 175B of the ladder on A100 40 GB at 200 Gbit/s.
    fn gpt3(gpus: f64) -> Bounds {
        Bounds {
            layers: 96.0,
            hidden: 12_288.0,
            seq_len: 2048.0,
            element: 2.0,
            weight: 2.0,
            states: 16.0,
            gpus,
            memory: Bytes::from_gib(40.0),
            link: BytesPerSecond::from_gbit_per_s(200.0),
            peak: FlopsPerSecond::from_tflops(312.0),
            efficiency: 1.0,
            latency: Seconds::ZERO,
            stage: Stage::Three,
            kept: 0.0,
            backward_transfers: 1.0,
        }
    }

    #[test]
    fn zero_3_spreads_sixteen_bytes_a_parameter() {
        for gpus in [64.0, 512.0] {
            let bounds = gpt3(gpus);
            let held = bounds.memory - bounds.free_memory();
            assert!((held.get() / (16.0 * bounds.params() / gpus) - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn whole_weights_of_175b_never_fit_in_40_gib() {
        let bounds = Bounds { stage: Stage::OneOrTwo, ..gpt3(512.0) };
        assert!(bounds.free_memory() < Bytes::ZERO);
        assert_eq!(bounds.reached(bounds.tokens()), Reached { tokens_per_s_per_gpu: 0.0, mfu: 0.0, hfu: 0.0 });
    }

    #[test]
    fn no_configuration_exceeds_the_bounds() {
        for layers in [24.0, 96.0] {
            for hidden in [2048.0, 12_288.0] {
                for seq_len in [512.0, 8192.0, 131_072.0] {
                    for gbit in [10.0, 100.0, 1600.0] {
                        for kept in [0.0, 0.3, 1.0] {
                            let link = BytesPerSecond::from_gbit_per_s(gbit);
                            let bounds = Bounds { layers, hidden, seq_len, link, kept, ..gpt3(256.0) };
                            let best = bounds.reached(bounds.tokens());
                            assert!(bounds.tokens() <= bounds.tokens_max());
                            assert!(best.tokens_per_s_per_gpu <= bounds.throughput_max() * (1.0 + 1e-12));
                            assert!(best.mfu <= bounds.mfu_max() * (1.0 + 1e-12));
                            assert!(best.mfu <= best.hfu && best.hfu <= 1.0 + 1e-12);
                        }
                    }
                }
            }
        }
    }

    /// Only inputs are kept, as many tokens as fit are shorter than their transfers: the bounds by
    /// the network are what is reached. With a free network those by the kernels are.
    #[test]
    fn bounds_are_reached_where_their_limit_is_the_only_one() {
        let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-12, "{found} {expected}");
        let slow = Bounds { link: BytesPerSecond::from_gbit_per_s(1.0), ..gpt3(256.0) };
        let tokens = slow.tokens();
        let reached = slow.reached(tokens);
        close(tokens, slow.tokens_max());
        close(reached.tokens_per_s_per_gpu, slow.throughput_max());
        close(reached.mfu, slow.mfu_by_network());
        assert_eq!(slow.mfu_max(), slow.mfu_by_network());
        let rate = tokens * slow.forward_flops().get() / slow.transfer_time().get();
        close(rate / slow.peak.get(), slow.hfu_forward_max());
        let fast = Bounds { link: BytesPerSecond::new(1e18), kept: 0.5, efficiency: 0.8, ..gpt3(256.0) };
        close(fast.reached(1e6).mfu, fast.mfu_by_compute());
        close(fast.reached(1e6).hfu, 0.8);
        // Sixteen elements and two bytes of masks of each of 96 x 12,288, half of the time; else
        // one.
        close(fast.activation_bytes().get(), 96.0 * 12_288.0 * 0.5 * (2.0 + 16.0 * 2.0 + 2.0));
    }

    /// A third of a microsecond for each of 256 GPUs and 96 layers.
    #[test]
    fn a_transfer_waits_for_each_gpu_and_layer() {
        let late = Bounds { latency: Seconds::from_us(1.0 / 3.0), ..gpt3(256.0) };
        let waited = (late.transfer_time() - gpt3(256.0).transfer_time()).ms();
        assert!((waited / (96.0 * 256.0 / 3000.0) - 1.0).abs() < 1e-9, "{waited}");
    }

    #[test]
    fn at_e_star_the_transfer_hides_exactly() {
        let bounds = gpt3(256.0);
        let tokens = bounds.tokens_to_hide_transfer();
        let ratio = bounds.forward_time(tokens) / bounds.transfer_time();
        assert!((ratio - 1.0).abs() < 1e-12, "{ratio}");
    }
}

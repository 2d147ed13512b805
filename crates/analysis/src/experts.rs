//! Sweeps of one mixture-of-experts layer over its capacity factor, tokens or GPUs, for every
//! static choice and for Tutel's adaptive ones (arXiv 2206.03382). The layers that the paper
//! measured are in [`catalog::expert_layers`].

pub mod family;

use catalog::expert_layers::with_dense_kernels;
use engine::model::experts::layer::choice::{ALGORITHMS, CHUNKS, splits};
use engine::model::experts::layer::{Best, Choice, MoeLayer, best, best_parallelism, best_pipelining, layer_time};
use engine::units::Seconds;

/// The quantity that a sweep varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Along {
    /// Capacity of an expert over its even share of tokens: how uneven the load of a step is.
    CapacityFactor,
    /// Tokens of one GPU.
    Tokens,
    /// Number of GPUs, with tokens and experts per GPU fixed: the layer grows with the GPUs.
    Gpus,
    /// Number of GPUs, with tokens per GPU fixed: the experts of a given model are spread over the
    /// GPUs.
    GpusAlone,
}

/// Execution of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Policy {
    /// One static choice.
    Static(Choice),
    /// One static choice with the kernels and the layout that Fairseq and DeepSpeed had at the
    /// time: the paper's baseline.
    DenseKernels(Choice),
    /// The fastest r, without chunks.
    AdaptiveParallelism,
    /// The fastest number of chunks and all-to-all algorithm at a given r.
    AdaptivePipelining {
        /// Tutel's r.
        r: u32,
    },
    /// The fastest r, number of chunks and algorithm.
    Adaptive,
}

/// Returns the layer with one quantity changed. GPUs are rounded to a whole number of at least one.
#[must_use]
pub fn at(layer: &MoeLayer, along: Along, value: f64) -> MoeLayer {
    let mut moved = *layer;
    match along {
        Along::CapacityFactor => moved.capacity_factor = value,
        Along::Tokens => moved.tokens = value,
        Along::Gpus | Along::GpusAlone => {
            let gpus = value.round().max(1.0);
            moved.gpus = gpus as u32;
            if along == Along::Gpus {
                let share = f64::from(layer.experts) / f64::from(layer.gpus.max(1));
                moved.experts = (share * gpus).round().max(1.0) as u32;
            }
        }
    }
    moved
}

/// Returns the time of the layer, forward and backward.
///
/// ```
/// # use catalog::expert_layers::headline;
/// # use engine::model::experts::layer::Choice;
/// # use analysis::experts::{Policy, time};
/// // Tutel's headline on 2,048 GPUs, at r = 1: 5.75 times as fast as the baseline (Figure 14); the model is 21 % below.
/// let layer = headline(2048);
/// let ratio = time(&layer, Policy::DenseKernels(Choice::PLAIN)) / time(&layer, Policy::AdaptivePipelining { r: 1 });
/// assert!((ratio - 5.75).abs() < 0.25 * 5.75);
/// ```
pub fn time(layer: &MoeLayer, policy: Policy) -> Seconds {
    let picked = match policy {
        Policy::Static(choice) => return layer_time(layer, choice).total(),
        Policy::DenseKernels(choice) => return layer_time(&with_dense_kernels(*layer), choice).total(),
        Policy::AdaptiveParallelism | Policy::AdaptivePipelining { .. } | Policy::Adaptive => pick(layer, policy),
    };
    picked.time.total()
}

/// Returns the static choice that a policy picks, with its time; a static policy picks its own
/// choice.
pub fn pick(layer: &MoeLayer, policy: Policy) -> Best {
    match policy {
        Policy::Static(choice) => Best { choice, time: layer_time(layer, choice) },
        Policy::DenseKernels(choice) => Best { choice, time: layer_time(&with_dense_kernels(*layer), choice) },
        Policy::AdaptiveParallelism => best_parallelism(layer),
        Policy::AdaptivePipelining { r } => best_pipelining(layer, r),
        Policy::Adaptive => best(layer),
    }
}

/// Evaluates the layer once for each value; `out` is cleared first.
pub fn line(layer: &MoeLayer, along: Along, values: &[f64], policy: Policy, out: &mut Vec<Seconds>) {
    out.clear();
    out.extend(values.iter().map(|&value| time(&at(layer, along, value), policy)));
}

/// Returns the eight static pipelinings at one r, as in the paper's Table 6: the linear algorithm
/// first, by number of chunks.
pub fn pipelinings(r: u32) -> Vec<Choice> {
    let mut choices = Vec::new();
    for algorithm in ALGORITHMS {
        for chunks in CHUNKS {
            choices.push(Choice { r, chunks, algorithm });
        }
    }
    choices
}

/// Returns the static parallelisms, with the linear algorithm and without chunks.
pub fn parallelisms(layer: &MoeLayer) -> Vec<Choice> {
    let mut choices = Vec::new();
    for r in splits(layer) {
        choices.push(Choice { r, ..Choice::PLAIN });
    }
    choices
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::expert_layers::{figure_12_large, headline};

    const SCALES: [f64; 8] = [16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0];

    #[test]
    fn adapting_is_the_envelope_of_the_static_choices() {
        let layer = headline(16);
        let (mut adaptive, mut fixed) = (Vec::new(), Vec::new());
        line(&layer, Along::Gpus, &SCALES, Policy::AdaptivePipelining { r: 1 }, &mut adaptive);
        let mut lowest = vec![f64::INFINITY; SCALES.len()];
        for choice in pipelinings(1) {
            line(&layer, Along::Gpus, &SCALES, Policy::Static(choice), &mut fixed);
            for (low, time) in lowest.iter_mut().zip(&fixed) {
                *low = low.min(time.get());
            }
        }
        assert_eq!(adaptive.iter().map(|time| time.get()).collect::<Vec<_>>(), lowest);
    }

    #[test]
    fn parallelisms_are_adapted_over_all_of_them() {
        let layer = figure_12_large(2.0);
        let least = parallelisms(&layer)
            .iter()
            .map(|&choice| time(&layer, Policy::Static(choice)).get())
            .fold(f64::MAX, f64::min);
        assert_eq!(time(&layer, Policy::AdaptiveParallelism).get(), least);
        assert_eq!(parallelisms(&layer).iter().map(|choice| choice.r).collect::<Vec<_>>(), [0, 1, 2, 4]);
    }

    #[test]
    fn gpus_keep_their_experts() {
        let layer = at(&headline(16), Along::Gpus, 2048.0);
        assert_eq!(layer, headline(2048));
        assert_eq!(at(&headline(16), Along::Gpus, 0.0), headline(1));
        assert_eq!(at(&headline(16), Along::GpusAlone, 2048.0), MoeLayer { gpus: 2048, ..headline(16) });
    }

    #[test]
    fn no_value_makes_a_time_that_is_no_number() {
        for along in [Along::CapacityFactor, Along::Tokens, Along::Gpus, Along::GpusAlone] {
            for value in [0.0, 1.0, 1e9] {
                for policy in [Policy::Adaptive, Policy::AdaptiveParallelism, Policy::DenseKernels(Choice::PLAIN)] {
                    let time = time(&at(&figure_12_large(1.0), along, value), policy);
                    assert!(time.get().is_finite() && time >= Seconds::ZERO, "{along:?} {value} {policy:?}: {time:?}");
                }
            }
        }
    }
}

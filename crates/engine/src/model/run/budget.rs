//! Time, GPU-hours, money, energy, emissions.

use super::{share, times};
use crate::units::{Dollars, Grams, Joules, Seconds};

/// Returns the optimizer steps to train on D tokens, `ceil(D / B)`.
///
/// D tokens to train on, B tokens in a step. Without a warm-up of the batch size, and without
/// evaluation.
///
/// ```
/// # use engine::model::run::budget::steps;
/// // Pythia: 299,892,736,000 tokens in batches of 1,024 sequences of 2,048 are 143,000 steps (arXiv 2304.01373).
/// assert_eq!(steps(299_892_736_000.0, 1024.0 * 2048.0), 143_000.0);
/// ```
pub fn steps(tokens: f64, batch_tokens: f64) -> f64 {
    let steps = share(tokens, batch_tokens).ceil();
    if tokens > 0.0 { steps.max(1.0) } else { steps }
}

/// Returns the time from start to end, `T / g`; infinite if the goodput is zero.
///
/// T is the time of the steps alone, g the goodput. Queueing, debugging and evaluation are not
/// included.
///
/// ```
/// # use engine::{model::run::budget::effective_time, units::Seconds};
/// // Llama 3 trained for 54 days at more than 90 % effective training time (arXiv 2407.21783): 48.6 days of steps.
/// let time = effective_time(Seconds::from_hours(48.6 * 24.0), 0.9);
/// assert!((time.days() - 54.0).abs() < 1e-9);
/// ```
pub fn effective_time(ideal: Seconds, goodput: f64) -> Seconds {
    if goodput > 0.0 { ideal / goodput } else { Seconds::new(f64::INFINITY) }
}

/// Returns GPUs times time.
///
/// ```
/// # use engine::{model::run::budget::gpu_time, units::Seconds};
/// // LLaMA 65B: 1.4T tokens at 380 tokens/s on each of 2,048 A100 take about 21 days (arXiv 2302.13971): 1.02M GPU-hours.
/// let time = Seconds::new(1.4e12 / (380.0 * 2048.0));
/// assert_eq!(time.days().round(), 21.0);
/// assert_eq!((gpu_time(time, 2048.0).hours() / 1e4).round(), 102.0);
/// ```
pub fn gpu_time(time: Seconds, gpus: f64) -> Seconds {
    time * gpus
}

/// Returns the price of the GPUs, `hours × price`; storage, network and people are not included.
///
/// ```
/// # use engine::{model::run::budget::cost, units::Seconds};
/// // DeepSeek-V3: 2.788M H800 GPU-hours at $2 are $5.576M (arXiv 2412.19437, Table 1).
/// assert_eq!(cost(Seconds::from_hours(2.788e6), 2.0).get(), 5.576e6);
/// ```
pub fn cost(gpu_time: Seconds, price_per_gpu_hour: f64) -> Dollars {
    Dollars::new(times(gpu_time.hours(), price_per_gpu_hour))
}

/// Returns the energy drawn from the grid, `P t PUE`.
///
/// P is the power of one GPU's board in watts, assumed to be drawn all the time; t the GPU-time;
/// PUE the energy of the data centre over that of its computers. Hosts, switches and storage are
/// not included, as in the published figures.
///
/// ```
/// # use engine::{model::run::budget::energy, units::Seconds};
/// // BLOOM: 1,082,990 GPU-hours at 400 W are 433,196 kWh (arXiv 2211.02001).
/// assert_eq!(energy(Seconds::from_hours(1_082_990.0), 400.0, 1.0).kwh().round(), 433_196.0);
/// ```
pub fn energy(gpu_time: Seconds, power: f64, pue: f64) -> Joules {
    Joules::new(times(gpu_time.get(), power * pue))
}

/// Returns the emissions of the energy, `E c`.
///
/// c is grams of CO₂ equivalent a kWh of the grid (location-based). Manufacturing of the hardware
/// is not included.
///
/// ```
/// # use engine::{model::run::budget::{emissions, energy}, units::Seconds};
/// // BLOOM on the French grid, 57 g a kWh: 24.69 t (arXiv 2211.02001).
/// let energy = energy(Seconds::from_hours(1_082_990.0), 400.0, 1.0);
/// assert_eq!((emissions(energy, 57.0).tonnes() * 100.0).round(), 2469.0);
/// ```
pub fn emissions(energy: Joules, grid_intensity: f64) -> Grams {
    Grams::new(times(energy.kwh(), grid_intensity))
}

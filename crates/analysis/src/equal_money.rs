//! A run on other hardware at an equal price per hour.

use catalog::accelerators::prices;
use engine::scenario::Scenario;

/// Share by which whole nodes may cost more than the money: less is the same price.
pub const SLACK: f64 = 0.06;

/// Returns the run `other` on as many GPUs as cost per hour what the GPUs of `run` cost, in whole
/// nodes if that is a node or more, which may cost some percent more, and whether its layout
/// divides them or not. `None` if a price is unknown, or if the money buys no GPU.
///
/// ```
/// use analysis::equal_money::afforded;
/// use links::decode;
///
/// let run = decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&price=4").scenario;
/// let other = decode("cluster=dgx-h200&model=llama-3.1-8b&gpus=64&price=8").scenario;
/// assert_eq!(afforded(&run, &other).map(|found| found.gpus), Some(32));
/// assert_eq!(afforded(&run, &run).map(|found| found.gpus), Some(64));
/// ```
pub fn afforded(run: &Scenario, other: &Scenario) -> Option<Scenario> {
    let [own, its] = [prices::known(run)?, prices::known(other)?];
    if its <= 0.0 {
        return None;
    }
    let affordable = f64::from(run.gpus) * own / its;
    let node = f64::from(other.network.values.gpus_per_node.max(1));
    let step = if affordable >= node { node } else { 1.0 };
    let nearest = (affordable / step).round() * step;
    let gpus = if nearest <= affordable * (1.0 + SLACK) { nearest } else { (affordable / step).floor() * step };
    (gpus >= 1.0 && gpus <= f64::from(u32::MAX)).then_some(Scenario { gpus: gpus as u32, ..*other })
}

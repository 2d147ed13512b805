//! A run on other hardware at an equal price per hour.

use catalog::accelerators::prices;
use engine::scenario::Scenario;

/// Returns the run `other` on as many GPUs as cost per hour what the GPUs of `run` cost, in whole
/// nodes if that is a node or more. `None` if a price is unknown, if both runs have the same GPU,
/// or if the money buys no valid number of GPUs.
///
/// ```
/// use analysis::equal_money::partner;
/// use links::decode;
///
/// let run = decode("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&price=4").scenario;
/// let other = decode("cluster=dgx-h200&model=llama-3.1-8b&gpus=64&price=8").scenario;
/// assert_eq!(partner(&run, &other).map(|found| found.gpus), Some(32));
/// assert_eq!(partner(&run, &run), None);
/// ```
pub fn partner(run: &Scenario, other: &Scenario) -> Option<Scenario> {
    let [own, its] = [prices::known(run)?, prices::known(other)?];
    if run.accelerator.id == other.accelerator.id || its <= 0.0 {
        return None;
    }
    let afforded = f64::from(run.gpus) * own / its;
    let node = f64::from(other.network.values.gpus_per_node.max(1));
    let step = if afforded >= node { node } else { 1.0 };
    let gpus = (afforded / step).floor() * step;
    if gpus < 1.0 || gpus > f64::from(u32::MAX) {
        return None;
    }
    let changed = Scenario { gpus: gpus as u32, ..*other };
    let fits_degrees = engine::validate::issues(&changed)
        .iter()
        .all(|issue| issue.severity == engine::scenario::issue::Severity::Note);
    fits_degrees.then_some(changed)
}

//! The value of faster links, and prices in narrow columns.

use analysis::plan::{FastestLayout, Hardware, Plan, premium};
use engine::format;

/// Premium in US dollars that must be exceeded to be mentioned.
const CENT: f64 = 0.01;

/// Returns a price of a GPU-hour, to the cent.
pub(super) fn price(usd: f64) -> String {
    format!("${usd:.2}")
}

/// Returns the value of faster links between nodes, from two answers with equal numbers of one GPU:
/// `400 Gbit/s is worth up to $0.13 more per GPU-hour than 200 Gbit/s.`
pub(super) fn faster_links(plan: &Plan, answers: &[&FastestLayout]) -> Option<String> {
    let link = |found: &FastestLayout| found.scenario.network.values.inter_node;
    let pairs =
        answers.iter().enumerate().flat_map(|(at, one)| answers.iter().skip(at + 1).map(move |two| (*one, *two)));
    let alike = pairs.filter(|(one, two)| {
        let several = |found: &FastestLayout| found.scenario.gpus > found.scenario.network.values.gpus_per_node;
        one.scenario.accelerator.id == two.scenario.accelerator.id
            && one.scenario.gpus == two.scenario.gpus
            && link(one) != link(two)
            && plan.has_price(one)
            && plan.has_price(two)
            && several(one)
            && several(two)
    });
    let ordered = alike.map(|(one, two)| if link(one) < link(two) { (one, two) } else { (two, one) });
    let (slow, fast, worth) =
        ordered.filter_map(|(slow, fast)| Some((slow, fast, premium(slow, fast)?))).find(|found| found.2 > CENT)?;
    let [from, to] = [slow, fast].map(|found| format::gbit_per_s(link(found)));
    let [one, other] =
        [fast, slow].map(|found| plan.hardware().get(found.hardware).map_or(String::new(), Hardware::name));
    Some(format!(
        "{to} between nodes is worth up to {} more per GPU-hour than {from}: {one} against {other}, {} each.",
        price(worth),
        format::gpus(fast.scenario.gpus)
    ))
}

//! Sentences about the prices at which two answers cost the same.

use engine::analysis::plan::{Found, Hardware, Plan, break_even, premium};
use engine::format;

/// Comparisons that are said.
const MOST: usize = 4;
/// Premiums below a cent say nothing.
const CENT: f64 = 0.01;

/// A price of a GPU-hour, to the cent.
pub fn price(usd: f64) -> String {
    format!("${usd:.2}")
}

/// What the price of a GPU-hour decides between the first answer and those after it.
pub fn sentences(plan: &Plan, answers: &[&Found]) -> Vec<String> {
    let Some((first, others)) = answers.split_first().filter(|(first, _)| plan.has_price(first)) else {
        return Vec::new();
    };
    let priced = others.iter().filter(|other| plan.has_price(other));
    let said = priced.filter_map(|other| compared(plan, first, other));
    let links = faster_links(plan, answers);
    links.into_iter().chain(said).take(MOST).collect()
}

/// `DGX H100, 128 GPUs, costs less than DGX B200, 64 GPUs, below $2.83 a GPU-hour; its price here is $3.99.`
fn compared(plan: &Plan, first: &Found, other: &Found) -> Option<String> {
    let (one, two) = (named(plan, first), named(plan, other));
    let even = break_even(first, other)?;
    let now = other.scenario.run.price_per_gpu_hour;
    Some(format!("{two}, costs less than {one}, below {} a GPU-hour; its price here is {}.", price(even), price(now)))
}

fn named(plan: &Plan, found: &Found) -> String {
    let on = plan.hardware().get(found.hardware).map_or(String::new(), Hardware::name);
    format!("{on} with {} GPUs", format::count(f64::from(found.scenario.gpus)))
}

/// Of two answers with the same GPU, what faster links between nodes are worth: `400 Gbit/s in place of 200 Gbit/s pays below $0.06 a
/// GPU-hour (H100 SXM).`
fn faster_links(plan: &Plan, answers: &[&Found]) -> Option<String> {
    let link = |found: &Found| found.scenario.network.values.inter_node;
    let pairs =
        answers.iter().enumerate().flat_map(|(at, one)| answers.iter().skip(at + 1).map(move |two| (*one, *two)));
    let same_gpu = pairs.filter(|(one, two)| {
        let several = |found: &Found| found.scenario.gpus > found.scenario.network.values.gpus_per_node;
        one.scenario.accelerator.id == two.scenario.accelerator.id
            && link(one) != link(two)
            && several(one)
            && several(two)
    });
    let ordered = same_gpu.map(|(one, two)| if link(one) < link(two) { (one, two) } else { (two, one) });
    let (slow, fast, worth) =
        ordered.filter_map(|(slow, fast)| Some((slow, fast, premium(slow, fast)?))).find(|found| found.2 > CENT)?;
    let [from, to] = [slow, fast].map(|found| format::gbit_per_s(link(found)));
    Some(format!(
        "{to} between nodes in place of {from} pays below {} more a GPU-hour: {} against {}.",
        price(worth),
        named(plan, fast),
        named(plan, slow)
    ))
}

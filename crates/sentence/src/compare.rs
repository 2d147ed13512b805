//! Several GPUs in a sentence: runs that are compared, each on one of the GPUs.

use catalog::cluster;
use catalog::names::usual_node;
use catalog::pick::pick_cluster;
use engine::format;
use engine::scenario::Scenario;
use engine::scenario::pins::MOST_PINS;

use crate::reading::Finding;
use crate::said::StatedValues;
use crate::settle::SettledScenario;
use crate::words::ALTERNATIVES;

/// Keys of a number of GPUs.
const COUNTS: [&str; 4] = ["gpus", "nodes", "pernode", "cores"];

/// Cores of a TPU chip whose name counts them.
const CORES: f64 = 2.0;
/// Multiples of the usual number of GPUs that are tried at equal money.
const TIMES: [u32; 5] = [1, 2, 4, 8, 16];
/// Relative distance of costs an hour that are nearly the same.
const CLOSE: f64 = 0.06;

/// Returns the accelerator that a part of a sentence names.
pub(crate) fn gpu_of(found: &Finding) -> Option<String> {
    found.is.pairs.iter().find_map(|(key, value)| match key.as_str() {
        "hw" => Some(value.clone()),
        "cluster" => cluster(value).map(|entry| entry.accelerator.to_owned()),
        _ => None,
    })
}

/// Returns whether a sentence compares its GPUs: it says so, or names them as alternatives.
pub(crate) fn is_comparison(text: &str, found: &[Finding]) -> bool {
    let named: Vec<&Finding> = found.iter().filter(|found| gpu_of(found).is_some()).collect();
    let mut between = named.windows(2).filter_map(|pair| text.get(pair.first()?.to..pair.last()?.from));
    found.iter().any(|found| has(found, &["ask.compare", "ask.money"])) || between.any(are_alternatives)
}

/// Returns whether words between two GPUs say that these are alternatives to each other.
pub(crate) fn are_alternatives(between: &str) -> bool {
    let mut words = between.split_whitespace();
    words.clone().count() < 4 && words.any(|word| ALTERNATIVES.contains(&word.to_lowercase().as_str()))
}

fn has(found: &Finding, keys: &[&str]) -> bool {
    found.is.pairs.iter().any(|(key, _)| keys.contains(&key.as_str()))
}

/// Returns the parts of a sentence with each of its GPUs alone; none if it compares no GPUs. All
/// runs have as many GPUs as the first, or as many as cost the same an hour, unless the sentence
/// says their numbers.
pub(crate) fn runs(text: &str, found: &[Finding], now: &Scenario) -> Vec<Vec<Finding>> {
    let mut gpus: Vec<String> = Vec::new();
    for gpu in found.iter().filter_map(gpu_of) {
        if !gpus.contains(&gpu) {
            gpus.push(gpu);
        }
    }
    if gpus.len() < 2 || gpus.len() > MOST_PINS + 1 || !is_comparison(text, found) {
        return Vec::new();
    }
    let only = |gpu: &String| -> Vec<Finding> {
        found.iter().filter(|found| gpu_of(found).is_none_or(|own| own == *gpu)).cloned().collect()
    };
    let mut runs: Vec<Vec<Finding>> = gpus.iter().map(only).collect();
    let nodes: Vec<Scenario> = runs.iter().map(|run| node_of(run, now)).collect();
    let Some(first) = nodes.first() else { return Vec::new() };
    let said = runs.iter().zip(&nodes).find_map(|(run, node)| count_of(run, node));
    let is_new = found.iter().any(|found| has(found, &["model", "size"]));
    let is_equal_money = found.iter().any(|found| has(found, &["ask.money"]));
    let usual = if is_new { first.gpus } else { now.gpus };
    let total = match said {
        Some(said) => said,
        None if is_equal_money => usual * times_of_money(&nodes, usual),
        None => usual,
    };
    for (run, node) in runs.iter_mut().zip(&nodes) {
        let gpus = match count_of(run, node) {
            Some(own) if !is_equal_money || node == first => own,
            _ if is_equal_money => gpus_of_money(first, total, node).unwrap_or(total),
            _ => total,
        };
        for part in run.iter_mut() {
            part.is.pairs.retain(|(key, _)| !COUNTS.contains(&key.as_str()));
        }
        if let Some(named) = run.iter_mut().find(|found| gpu_of(found).is_some()) {
            named.is.pairs.push(("gpus".to_owned(), gpus.to_string()));
        }
    }
    runs
}

/// Returns a scenario on a node of the named GPU, with the usual number of its GPUs.
fn node_of(run: &[Finding], now: &Scenario) -> Scenario {
    let named = |key: &str| {
        let pairs = run.iter().flat_map(|found| &found.is.pairs);
        pairs.filter(|(own, _)| own == key).map(|(_, value)| value.as_str()).next()
    };
    let entry = named("cluster").and_then(cluster).or_else(|| named("hw").and_then(usual_node));
    let mut scenario = *now;
    if let Some(entry) = entry {
        pick_cluster(&mut scenario, entry.id);
        let is_card = entry.is_of_pcie_cards() && named("cluster").is_none();
        scenario.gpus = if is_card { 1 } else { entry.gpus_per_node };
    }
    scenario
}

/// Returns the number of GPUs that the parts of a sentence say.
fn count_of(run: &[Finding], node: &Scenario) -> Option<u32> {
    let number = |key: &str| {
        let pairs = run.iter().flat_map(|found| &found.is.pairs);
        pairs.filter(|(own, _)| own == key).find_map(|(_, value)| value.parse::<f64>().ok())
    };
    let each = number("pernode").unwrap_or_else(|| f64::from(node.network.values.gpus_per_node));
    let cores = number("cores").map(|cores| cores / CORES);
    let all = number("gpus").or_else(|| Some(number("nodes")? * each)).or(cores)?;
    Some(all.max(1.0) as u32)
}

/// Returns the scenarios of the other runs of a comparison.
pub(crate) fn others(text: &str, runs: &[Vec<Finding>], now: &Scenario) -> Vec<Scenario> {
    let build = |found: &Vec<Finding>| {
        let (said, _) = StatedValues::collect(text, found);
        SettledScenario::build(text, &said, now, false, false, true).scenario
    };
    runs.iter().skip(1).map(build).collect()
}

/// Returns the GPUs that cost as much an hour as those of another run, in whole nodes, at least one;
/// `None` if a price is not known.
fn gpus_of_money(first: &Scenario, gpus: u32, other: &Scenario) -> Option<u32> {
    let [price, own] = [first, other].map(|scenario| scenario.run.price_per_gpu_hour);
    let node = other.gpus.max(1);
    let nodes = f64::from(gpus) * price / own / f64::from(node);
    (nodes.is_finite() && nodes > 0.0).then(|| nodes.round().max(1.0) as u32 * node)
}

/// Returns how many times the usual number of GPUs the first run has, so that whole nodes of the
/// others cost nearly the same an hour.
fn times_of_money(nodes: &[Scenario], usual: u32) -> u32 {
    let cost = |scenario: &Scenario, gpus: u32| f64::from(gpus) * scenario.run.price_per_gpu_hour;
    let Some((first, others)) = nodes.split_first() else { return 1 };
    let off = |times: u32| {
        let gpus = usual * times;
        let of_each = others.iter().filter_map(|other| Some(cost(other, gpus_of_money(first, gpus, other)?)));
        of_each.map(|own| (own / cost(first, gpus) - 1.0).abs()).fold(0.0, f64::max)
    };
    TIMES.into_iter().find(|times| off(*times) < CLOSE).unwrap_or(1)
}

/// Describes the GPUs of a comparison: 64 × H100 SXM, 64 × MI300X; with their cost an hour, if that
/// decides their numbers.
pub(crate) fn described(runs: &[Scenario], is_equal_money: bool) -> String {
    let name = |scenario: &Scenario| {
        let name = catalog::accelerator(scenario.accelerator.id).map_or("", |entry| entry.name);
        let gpus = f64::from(scenario.gpus);
        let cost = format::dollars(gpus * scenario.run.price_per_gpu_hour);
        let cost = if is_equal_money { format!(" ({cost}/h)") } else { String::new() };
        format!("{} × {name}{cost}", format::count(gpus))
    };
    runs.iter().map(name).collect::<Vec<_>>().join(", ")
}

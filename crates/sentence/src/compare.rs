//! Several GPUs in a sentence: runs that are compared, each on one of the GPUs.

use analysis::equal_money::{SLACK, afforded};
use catalog::names::usual_node;
use catalog::pick::pick_cluster;
use catalog::{accelerator, cluster};
use engine::format;
use engine::model::odds::Verdict;
use engine::scenario::Scenario;
use engine::scenario::pins::MOST_PINS;

use crate::finding::{Finding, gpu_of, has, is_comparison, numbers_of_one};
use crate::reading::is_near;
use crate::said::StatedValues;
use crate::settle::SettledScenario;

/// Keys of a number of GPUs.
const COUNTS: [&str; 4] = ["gpus", "nodes", "pernode", "cores"];

/// Cores of a TPU chip whose name counts them.
const CORES: f64 = 2.0;
/// Multiples of the usual number of GPUs that are tried at equal money.
const TIMES: [u32; 5] = [1, 2, 4, 8, 16];
/// Numbers of nodes that are tried for runs that do not fit one.
const NODES: [u32; 3] = [2, 4, 8];

/// Returns whether a memory is that of another GPU of a comparison: the “32GB” of “3090 vs 5090
/// 32GB” is not that of the first.
fn is_of_another(found: &Finding, gpu: &str, gpus: &[String]) -> bool {
    let Some(memory) = found.value(&["card"]).and_then(|value| value.parse().ok()) else { return false };
    let has = |gpu: &str| accelerator(gpu).is_some_and(|entry| is_near(memory, entry.values.memory.gib()));
    !has(gpu) && gpus.iter().any(|other| has(other))
}

/// Returns the parts of a sentence with each of its GPUs alone; none if it compares no GPUs. All
/// runs have as many GPUs as the first, or as many as cost the same an hour, unless the sentence
/// says their numbers.
///
/// Without a number or equal money a new run has `times` the GPUs of a node.
pub(crate) fn runs(text: &str, found: &[Finding], now: &Scenario, times: u32) -> Vec<Vec<Finding>> {
    let places = numbers_of_one(text, found);
    if !places.is_empty() {
        let only = |place: &usize| {
            let is_own = |at: &usize| at == place || !places.contains(at);
            (0..found.len()).filter(is_own).filter_map(|at| found.get(at).cloned()).collect()
        };
        return places.iter().map(only).collect();
    }
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
        let is_own =
            |found: &&Finding| gpu_of(found).map_or_else(|| !is_of_another(found, gpu, &gpus), |own| own == *gpu);
        found.iter().filter(is_own).cloned().collect()
    };
    let mut runs: Vec<Vec<Finding>> = gpus.iter().map(only).collect();
    let nodes: Vec<Scenario> = runs.iter().map(|run| node_of(run, now)).collect();
    let Some(first) = nodes.first() else { return Vec::new() };
    let said = runs.iter().zip(&nodes).find_map(|(run, node)| count_of(run, node));
    let is_new = found.iter().any(|found| has(found, &["model", "size"]));
    let is_equal_money = found.iter().any(|found| has(found, &["ask.money"]));
    let usual = if is_new { first.gpus * times } else { now.gpus };
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

/// Returns the parts of a sentence with each of its GPUs alone: on as many nodes as the runs need
/// to fit, if the sentence leaves their number open, as two runs that do not fit compare nothing.
pub(crate) fn fitting_runs(text: &str, found: &[Finding], now: &Scenario) -> Vec<Vec<Finding>> {
    let first = runs(text, found, now, 1);
    let is_new = found.iter().any(|found| has(found, &["model", "size"]));
    let is_open = is_new && !found.iter().any(|found| has(found, &COUNTS) || has(found, &["ask.money"]));
    if first.is_empty() || !is_open {
        return first;
    }
    let fits = |runs: &Vec<Vec<Finding>>| {
        let all = runs.iter().map(|run| build(text, run, now));
        all.into_iter().all(|scenario| matches!(scenario.report().verdict(), Verdict::Fits | Verdict::Tight))
    };
    let more = NODES.into_iter().map(|times| runs(text, found, now, times));
    core::iter::once(first.clone()).chain(more).find(fits).unwrap_or(first)
}

/// Builds the scenario of one run of a comparison.
fn build(text: &str, found: &[Finding], now: &Scenario) -> Scenario {
    let (said, _) = StatedValues::collect(text, found);
    SettledScenario::build(text, &said, now, false, false, true).scenario
}

/// Returns the scenarios of the other runs of a comparison.
pub(crate) fn others(text: &str, runs: &[Vec<Finding>], now: &Scenario) -> Vec<Scenario> {
    runs.iter().skip(1).map(|found| build(text, found, now)).collect()
}

/// Returns the GPUs that cost as much an hour as those of another run, in whole nodes, at least
/// one; `None` if a price is not known.
fn gpus_of_money(first: &Scenario, gpus: u32, other: &Scenario) -> Option<u32> {
    let bought = afforded(&Scenario { gpus, ..*first }, other)?;
    let node = other.gpus.max(1);
    Some((bought.gpus / node).max(1) * node)
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
    TIMES.into_iter().find(|times| off(*times) < SLACK).unwrap_or(1)
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

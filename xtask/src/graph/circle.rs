//! Circles of a graph.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Dependencies of each item, by name, each with a sentence about it.
pub(super) type Graph = BTreeMap<String, BTreeMap<String, String>>;

/// Returns the items that depend on each other: the strongly connected parts of more than one item.
pub(super) fn circles(graph: &Graph) -> Vec<Vec<String>> {
    let reached: BTreeMap<&String, BTreeSet<&String>> = graph.keys().map(|from| (from, reached(graph, from))).collect();
    let mut found: BTreeSet<Vec<String>> = BTreeSet::new();
    for (from, all) in &reached {
        let back = |to: &&&String| reached.get(**to).is_some_and(|all| all.contains(from));
        let part: Vec<String> = all.iter().filter(back).map(|to| (*to).clone()).collect();
        if part.len() > 1 {
            found.insert(part);
        }
    }
    found.into_iter().collect()
}

/// Returns all items on which an item depends, also through others.
fn reached<'a>(graph: &'a Graph, from: &'a String) -> BTreeSet<&'a String> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(item) = open.pop() {
        open.extend(graph.get(item).into_iter().flat_map(BTreeMap::keys).filter(|to| found.insert(*to)));
    }
    found
}

/// Returns the sentences of the shortest way around a circle.
pub(super) fn around(graph: &Graph, circle: &[String]) -> Vec<String> {
    let Some(way) = circle.iter().filter_map(|from| shortest(graph, from)).min_by_key(Vec::len) else {
        return Vec::new();
    };
    let steps = way.iter().zip(way.iter().skip(1));
    steps.filter_map(|(from, to)| graph.get(*from)?.get(*to).cloned()).collect()
}

/// Returns the shortest way from an item to itself.
fn shortest<'a>(graph: &'a Graph, start: &'a String) -> Option<Vec<&'a String>> {
    let mut open = VecDeque::from([vec![start]]);
    let mut seen = BTreeSet::new();
    while let Some(way) = open.pop_front() {
        for next in graph.get(*way.last()?)?.keys() {
            let longer = [way.as_slice(), &[next]].concat();
            if next == start {
                return Some(longer);
            }
            if seen.insert(next) {
                open.push_back(longer);
            }
        }
    }
    None
}

/// Returns the items by floor, from the ground: an item stands one floor above the highest that it
/// uses. Items of a circle and those above it share the top floor.
pub(super) fn floors(graph: &Graph) -> Vec<Vec<&String>> {
    let mut left: BTreeSet<&String> = graph.keys().collect();
    let mut floors = Vec::new();
    while !left.is_empty() {
        let is_free = |item: &String| !graph.get(item).is_some_and(|uses| uses.keys().any(|used| left.contains(used)));
        let free: Vec<&String> = left.iter().copied().filter(|item| is_free(item)).collect();
        let floor = if free.is_empty() { left.iter().copied().collect() } else { free };
        left.retain(|item| !floor.contains(item));
        floors.push(floor);
    }
    floors
}

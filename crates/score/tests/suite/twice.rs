//! Rows with equal links have equal measurements, or `tests/measured_twice.csv` says why not: a
//! setting that no key has is two kernels, not one mean.

use std::collections::BTreeMap;

use super::published::PUBLISHED;
use score::summary::Entry;

const REASONS: &str = include_str!("../../../../tests/measured_twice.csv");
/// Largest ratio of two measurements of one run.
const MOST: f64 = 1.08;

/// Whether a row's source, or a group with the row, has a reason.
fn is_explained(reasons: &[(String, Vec<String>)], one: &Entry, other: &Entry) -> bool {
    let [one_id, other_id] = [one, other].map(|entry| entry.row.row_id.clone());
    reasons.iter().any(|(source, rows)| {
        (!source.is_empty() && one.source() == *source && other.source() == *source)
            || (rows.contains(&one_id) && rows.contains(&other_id))
    })
}

#[test]
fn equal_links_have_equal_times_or_a_reason() {
    let lines = REASONS.lines().skip(1).map(|line| line.splitn(3, ',').map(str::to_owned).collect::<Vec<_>>());
    let reasons: Vec<(String, Vec<String>)> = lines
        .map(|cells| {
            assert!(cells.len() == 3 && !cells[2].is_empty(), "{cells:?}");
            (cells[0].clone(), cells[1].split_whitespace().map(str::to_owned).collect())
        })
        .collect();
    let mut links: BTreeMap<String, Vec<(&Entry, f64)>> = BTreeMap::new();
    let all = [&PUBLISHED.training, &PUBLISHED.mixtures, &PUBLISHED.tuned, &PUBLISHED.silicon].into_iter().flatten();
    for entry in all {
        let Ok(prediction) = &entry.outcome else { continue };
        let Some(measured) = prediction.measured.step_time_s else { continue };
        let link = links::encode(&prediction.scenario);
        links.entry(link).or_default().push((entry, measured));
    }
    let mut apart = Vec::new();
    for rows in links.values_mut() {
        rows.sort_by(|one, other| one.1.total_cmp(&other.1));
        let [(fast, least), .., (slow, most)] = rows[..] else { continue };
        if most > MOST * least && !is_explained(&reasons, fast, slow) {
            apart.push(format!("{} {least} s, {} {most} s", fast.row.row_id, slow.row.row_id));
        }
    }
    assert!(links.len() > 1500 && apart.is_empty(), "{}", apart.join("\n"));
}

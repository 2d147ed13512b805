//! The number of a paper next to the calculated number.

use analysis::claims::{ClaimResult, Compared, compared};
use catalog::ScenarioEntry;
use engine::format;

/// Returns both numbers of an entry: `Source: up to about +9 points (as summarised) · here: +8.0
/// points`; `None` if the source gives no number.
pub(super) fn both_numbers(entry: &ScenarioEntry) -> Option<String> {
    let Compared { found, at, here } = compared(entry)?;
    Some(format!("Source: {found} ({at}) · here: {}", written(here)))
}

fn written(found: ClaimResult) -> String {
    match found {
        ClaimResult::Points(points) => format::delta_points(points),
        ClaimResult::Change(change) => format::delta(change, format::percent),
        ClaimResult::Times(times) => format!("{times:.1} times"),
        ClaimResult::Time(time) => format::seconds(time),
        ClaimResult::Bytes(bytes) => format!("{:.0} GB", bytes.gb()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::CLAIMS;

    #[test]
    fn claims_with_a_number_have_both() {
        let said: Vec<String> = CLAIMS.iter().filter_map(both_numbers).collect();
        assert!(
            said.len() >= 8 && said.iter().all(|line| line.contains(" · here: ") && !line.contains("NaN")),
            "{said:?}"
        );
        assert!(said.iter().any(|line| line.contains("+10.") && line.contains("points")), "{said:?}");
    }
}

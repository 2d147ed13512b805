//! The number of a paper next to the calculated number.

use analysis::claims::compared;
use catalog::ScenarioEntry;

/// Returns both numbers of an entry, and why they differ; `None` if the source gives no number.
pub(super) fn both_numbers(entry: &ScenarioEntry) -> Option<String> {
    Some(compared(entry)?.words())
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
        assert!(said.iter().any(|line| line.contains("points, differs: ")), "{said:?}");
    }
}

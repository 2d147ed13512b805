//! Laws of what is found and advised, over random scenarios.

use crate::any::any_scenario;
use crate::cases::cases;
use analysis::advice::advise;
use analysis::layouts::LayoutSearch;
use engine::params;
use engine::scenario::Scenario;
use links::{decode, encode};
use proptest::prelude::*;

/// Cases of each law, unless `PROPTEST_CASES` sets another number.
const CASES: u32 = 2_000;
/// Layouts that a law looks at in one search.
const SEARCHED: usize = 2_000;

/// Returns the configuration with the number of random scenarios per law.
pub(crate) fn laws() -> ProptestConfig {
    cases(CASES)
}

fn is_within_bounds(scenario: &Scenario) -> bool {
    params::every().all(|param| !params::is_held(param, scenario) || params::is_within_bounds(param, scenario))
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn what_would_help_is_within_its_bounds_and_survives_its_link(scenario in any_scenario()) {
        for advice in advise(&scenario, &scenario.report()) {
            prop_assert!(is_within_bounds(&advice.scenario), "{:?}", advice.turn);
            prop_assert_eq!(decode(&encode(&advice.scenario)).scenario, advice.scenario, "{:?}", advice.turn);
        }
    }
}

proptest! {
    // A search evaluates thousands of layouts.
    #![proptest_config(ProptestConfig { cases: laws().cases.div_ceil(20), ..laws() })]

    #[test]
    fn every_layout_found_is_within_its_bounds_and_survives_its_link(scenario in any_scenario()) {
        let mut search = LayoutSearch::new(&scenario);
        search.advance(SEARCHED);
        for way in search.ranking().best() {
            prop_assert!(is_within_bounds(&way.scenario), "{:?}", way.scenario);
            prop_assert_eq!(decode(&encode(&way.scenario)).scenario, way.scenario);
        }
    }
}

//! What predictions for an accelerator stand on, in a sentence.

use engine::catalog;
use engine::catalog::accuracy::{self, Evidence, Measured};
use engine::format;
use engine::scenario::Scenario;

/// `1,291 measured runs on H100 SXM, median error 5.1 %`, or that there is none.
pub fn evidence(scenario: &Scenario) -> String {
    let name = |id: &str| catalog::accelerator(id).map_or("this accelerator", |entry| entry.name);
    let own = name(scenario.accelerator.id);
    let said = match accuracy::evidence(scenario) {
        Evidence::Runs(of) => format!("{} on {own}{}", runs(of), error(of)),
        Evidence::SameSilicon(of) => {
            format!(
                "No measured run on {own}; {} on {}, of the same silicon{}",
                runs(of),
                name(of.accelerator),
                error(of)
            )
        }
        Evidence::DataSheet => format!("Data sheet only: no measured run on {own}"),
    };
    let wider = if accuracy::is_fitted(scenario.accelerator.values.generation) { "" } else { "; wider ranges" };
    said + wider
}

fn runs(of: &Measured) -> String {
    let plural = if of.runs == 1 { "" } else { "s" };
    format!("{} measured run{plural}", format::count(f64::from(of.runs)))
}

/// The median error of the step time where the hardware sets the pace, else of the peak memory.
fn error(of: &Measured) -> String {
    let percent = |error: f64| format!("{error:.1}{}%", format::THIN_SPACE);
    match (of.step_error, of.peak_error) {
        (Some(error), _) => format!(", median error {}", percent(error)),
        (None, Some(error)) => format!(", median error of the peak memory {}", percent(error)),
        (None, None) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::catalog::{ACCELERATORS, default_scenario};

    #[test]
    fn every_accelerator_says_what_it_stands_on() {
        for entry in ACCELERATORS {
            let said = evidence(&Scenario { accelerator: entry.pick(), ..default_scenario() });
            assert!(said.contains(entry.name) && said.contains("measured run"), "{said}");
            let is_fitted = accuracy::is_fitted(entry.values.generation);
            assert!(said.ends_with("wider ranges") != is_fitted, "{said}");
        }
        let mut custom = default_scenario();
        custom.accelerator.id = engine::scenario::CUSTOM;
        assert!(evidence(&custom).starts_with("No measured run on this accelerator; "), "{}", evidence(&custom));
    }
}

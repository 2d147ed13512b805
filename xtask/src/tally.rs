//! Counts passed and failed tests of every kind.

/// The number of passed and failed tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// How many passed.
    pub passed: u64,
    /// How many failed.
    pub failed: u64,
}

impl Tally {
    /// Counts a check that is not a test harness.
    pub fn check(&mut self, passed: bool) {
        if passed {
            self.passed += 1;
        } else {
            self.failed += 1;
        }
    }

    /// Adds the counts in a line of libtest's or wasm-bindgen-test's output; other lines add
    /// nothing.
    pub fn read(&mut self, line: &str) {
        // "test result: ok. 12 passed; 0 failed; 1 ignored; ..."
        let Some((_, counts)) = line.split_once("test result: ") else { return };
        for part in counts.split([';', '.']) {
            match part.trim().split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse::<u64>().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse::<u64>().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// Adds the tests of one run. A run that failed without a failed test (a compile error or a
    /// crash) counts as one failure.
    pub fn add(&mut self, run: Tally, succeeded: bool) {
        self.passed += run.passed;
        self.failed += if succeeded { run.failed } else { run.failed.max(1) };
    }
}

impl std::fmt::Display for Tally {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_of_several_harnesses_add_up() {
        let mut tally = Tally::default();
        tally.read("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s");
        tally.read("test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 filtered out; finished in 1.20s");
        tally.read("test formulas::test_result ... ok");
        assert_eq!(tally, Tally { passed: 15, failed: 2 });
        assert_eq!(tally.to_string(), "15 passed, 2 failed");
    }

    #[test]
    fn a_run_that_does_not_compile_is_one_failure() {
        let mut tally = Tally::default();
        tally.add(Tally::default(), false);
        tally.add(Tally { passed: 4, failed: 0 }, true);
        assert_eq!(tally, Tally { passed: 4, failed: 1 });
    }
}

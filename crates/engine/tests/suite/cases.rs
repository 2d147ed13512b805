//! How many random cases a property is tried with.

use proptest::prelude::ProptestConfig;

/// This many, unless `PROPTEST_CASES` says another number.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let mut config = ProptestConfig::default();
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = usual;
    }
    config
}

//! Number of random cases per property, and their seed.

use proptest::prelude::ProptestConfig;
use proptest::test_runner::RngSeed;

/// The seed of the usual run, in which nothing fails by chance. `PROPTEST_RNG_SEED` tries others,
/// as `cargo xtask laws` does.
const SEED: u64 = 1;

/// This many, unless `PROPTEST_CASES` says another number. No failure is kept in a file: its seed
/// finds it again, and a file would be tried under all other seeds.
pub(crate) fn cases(usual: u32) -> ProptestConfig {
    let mut config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = usual;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(SEED);
    }
    config
}

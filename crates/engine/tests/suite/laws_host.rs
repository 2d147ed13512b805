//! Laws of the host: how fast it launches, and how fast its data loaders hand out sequences.

use engine::model::report::Limiter;
use engine::model::step::waterfall::{StepPart, waterfall};
use engine::scenario::Scenario;
use links::decode;
use proptest::prelude::*;

use crate::laws::{any_valid_scenario, as_asked, laws};

const SLACK: f64 = 1.0 + 1e-9;

fn with(scenario: &Scenario, speed: f64, loader: f64) -> Scenario {
    let mut with = as_asked(scenario);
    (with.network.values.host.speed, with.network.values.host.loader) = (speed, loader);
    with
}

proptest! {
    #![proptest_config(laws())]

    #[test]
    fn a_faster_host_never_slows_the_step(scenario in any_valid_scenario(), speed in 0.1..3.0, factor in 1.0..3.0) {
        let step = |speed| with(&scenario, speed, 0.0).report().update.time.step;
        prop_assert!(step(factor * speed) <= step(speed) * SLACK);
    }

    /// A step takes as long as the rest of it, or as its sequences take to come, whichever is
    /// longer; its parts are the step.
    #[test]
    fn a_step_takes_no_less_than_its_data(scenario in any_valid_scenario(), speed in 0.1..10.0, rate in 0.01..1e4) {
        let free = with(&scenario, speed, 0.0).report();
        prop_assert_eq!(free.update.time.loading.get(), 0.0);
        prop_assert!(free.limiter != Limiter::Data);

        let slow = with(&scenario, speed, rate);
        let (setup, report) = (slow.setup(), slow.report());
        let sequences = f64::from(setup.batch.micro_batch_size) * f64::from(setup.batch.grad_accum_steps);
        let data = sequences / setup.network.host.loader;
        let step = report.update.time.step.get();
        prop_assert!((step / free.update.time.step.get().max(data) - 1.0).abs() < 1e-9, "{step} {data}");
        prop_assert!((report.update.time.loading.get() - (step - free.update.time.step.get())).abs() <= 1e-9 * step);
        if report.fits() {
            prop_assert_eq!(report.limiter == Limiter::Data, report.update.time.loading.get() > 0.0);
        }

        let split = waterfall(&setup, &report);
        let parts = StepPart::ALL.map(|part| split.get(part).get());
        prop_assert!((parts.iter().sum::<f64>() / step - 1.0).abs() < 1e-9, "{parts:?}");
        prop_assert!(parts.iter().all(|part| *part >= 0.0), "{parts:?}");
        prop_assert_eq!(split.get(StepPart::Loading), report.update.time.loading);
    }
}

/// Faster loaders are no slower, and without a rate they are no limit.
#[test]
fn a_loader_s_rate_is_of_a_replica() {
    let step = |more: &str| {
        let report =
            decode(&format!("cluster=dgx-h100&model=llama-3.1-8b&gpus=64&mbs=2&accum=4{more}")).scenario.report();
        (report.update.time.step.get(), report.limiter)
    };
    let (usual, limiter) = step("");
    assert!(limiter != Limiter::Data);
    assert_eq!(step("&loader=0"), (usual, limiter));
    assert_eq!(step("&loader=100000"), (usual, limiter));
    assert_eq!(step("&loader=1"), (8.0, Limiter::Data));
    assert_eq!(step("&loader=0.5"), (16.0, Limiter::Data));
    // As many sequences a replica take as long, on however many GPUs.
    assert_eq!(step("&loader=1&tp=8"), (8.0, Limiter::Data));
}

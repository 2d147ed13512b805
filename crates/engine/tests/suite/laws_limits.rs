//! Laws of the step's time at the ends of its choices, and below which it never falls.

use crate::any::any_scenario;
use crate::laws::{any_valid_scenario, as_asked, laws};
use engine::model::compute::peak;
use engine::model::compute::roofline::{Operator, operator_cost};
use engine::model::parallel::Schedule;
use engine::model::report::Report;
use engine::model::software::Framework;
use engine::model::step::parts;
use engine::scenario::{Scenario, Strategy};
use engine::units::{BytesPerSecond, Seconds};
use proptest::prelude::*;

const SLACK: f64 = 1.0 + 1e-9;
/// Factor by which small memory-bound products, timed alone and not together with others, may raise
/// the sum of the parts.
const ROUTERS: f64 = 1.01;

fn pipelined(scenario: &Scenario, pp: u32, steps: u32, framework: Framework) -> Scenario {
    let mut piped = Scenario { pp, grad_accum_steps: steps, ..as_asked(scenario) };
    piped.framework = framework;
    piped
}

fn is_equal(one: &Report, other: &Report) -> bool {
    one.update.time.step == other.update.time.step && one.memory.peak == other.memory.peak
}

fn framework(megatron: bool) -> Framework {
    if megatron { Framework::Megatron } else { Framework::Torchtitan }
}

proptest! {
    #![proptest_config(laws())]

    /// Frameworks run 1F1B where there is one chunk to interleave.
    #[test]
    fn one_chunk_is_1f1b(scenario in any_scenario(), pp in 1_u32..9, steps in 1_u32..33, megatron: bool) {
        let mut interleaved = pipelined(&scenario, pp, steps, framework(megatron));
        interleaved.pipeline.schedule = Schedule::Interleaved;
        interleaved.pipeline.virtual_stages = 1;
        let mut plain = interleaved;
        plain.pipeline.schedule = Schedule::OneForwardOneBackward;
        prop_assert!(is_equal(&interleaved.report(), &plain.report()));
    }

    /// The ends of `reshard_after_forward`'s integers are its two other values.
    #[test]
    fn resharding_to_one_or_to_all_is_never_or_always(scenario in any_scenario()) {
        let base = Scenario { cp: 1, ..as_asked(&scenario) };
        let of = |strategy, shard_size| Scenario { strategy, shard_size, ..base }.report();
        let all = base.degrees().dp;
        prop_assert!(is_equal(&of(Strategy::ReshardTo, 1), &of(Strategy::ShardGradOp, 1)));
        if all > 1 {
            prop_assert!(is_equal(&of(Strategy::ReshardTo, all), &of(Strategy::FullShard, all)));
        }
    }

    /// Messages that take longer never make a step shorter, whatever hides them.
    #[test]
    fn slower_messages_never_speed_a_pipeline(
        scenario in any_valid_scenario(), pp in 1_u32..9, vpp in 1_u32..9, dual: bool, megatron: bool, ms in 0.0..5.0,
    ) {
        let mut scenario = pipelined(&scenario, pp, 4 * pp, framework(megatron));
        scenario.pipeline.schedule = if dual { Schedule::DualPipe } else { Schedule::Interleaved };
        scenario.pipeline.virtual_stages = vpp;
        let setup = scenario.setup();
        let mut slower = setup;
        slower.overheads.message += Seconds::from_ms(ms);
        let step = |setup| engine::model::step::evaluate(setup).update.time.step;
        prop_assert!(step(&slower) * SLACK >= step(&setup));
    }

    /// Nor does a host whose memory carries more, or tokens sent in fewer bits.
    #[test]
    fn a_faster_host_never_slows_the_step(scenario in any_valid_scenario(), gb_per_s in 1.0..2000.0, factor in 1.0..8.0) {
        let mut slow = as_asked(&scenario);
        slow.offload.optimizer = true;
        slow.network.values.host.bandwidth = BytesPerSecond::from_gb_per_s(gb_per_s);
        let mut fast = slow;
        fast.network.values.host.bandwidth = BytesPerSecond::from_gb_per_s(factor * gb_per_s);
        prop_assert!(fast.report().update.time.step <= slow.report().update.time.step * SLACK);
        // No number of it is no limit.
        fast.network.values.host.bandwidth = BytesPerSecond::from_gb_per_s(0.0);
        prop_assert!(fast.report().update.time.step <= slow.report().update.time.step * SLACK);
    }

    /// No work is done faster than its FLOPs at the fastest peak or its bytes over the memory's
    /// bandwidth; attention's, which flash kernels keep on the chip, is left to its own laws.
    #[test]
    fn nothing_is_faster_than_its_flops_or_its_bytes(scenario in any_valid_scenario()) {
        let setup = as_asked(&scenario).setup();
        let gpu = &setup.accelerator;
        let fastest = peak(&setup).max(gpu.peak_16bit).max(gpu.peak_32bit);
        let parts = parts(&setup);
        let mut least = Seconds::ZERO;
        for operator in [Operator::Projections, Operator::Mlp, Operator::Experts, Operator::Elementwise, Operator::Head] {
            let cost = operator_cost(&parts, operator);
            if operator != Operator::Elementwise {
                prop_assert!(cost.amount.flops / fastest <= cost.time * SLACK, "{operator:?} {cost:?}");
            }
            prop_assert!(cost.amount.bytes / gpu.memory_bandwidth <= cost.time * SLACK, "{operator:?} {cost:?}");
            least += cost.time;
        }
        // The stage that sets the pace has no less than their mean.
        let step = as_asked(&scenario).report().update.time.step;
        prop_assert!(least <= step * ROUTERS, "{least:?} {step:?}");
    }
}

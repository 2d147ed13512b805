//! Behaviour that each framework implements in exactly one way.

use engine::params::ParamId;

#[test]
fn weights_are_sharded_and_gradients_reduced_in_one_way_alone() {
    let choice = ParamId::Framework.param().choice().unwrap();
    for index in 0..choice.options.len() {
        let mut scenario = catalog::default_scenario();
        (choice.set)(&mut scenario, index);
        let framework = scenario.framework;
        let of = framework.traits();
        let ways = [of.shards_by_fsdp, of.zero_by_deepspeed, of.is_one_program];
        assert!(ways.iter().filter(|is| **is).count() <= 1, "{framework:?}");
        // Only flat buckets are there before the backward pass, and after the update.
        assert!(of.flat_gradient_buckets || !of.keeps_gradient_buffers, "{framework:?}");
        assert!(!(of.shards_by_fsdp && of.flat_gradient_buckets), "{framework:?}");
    }
}

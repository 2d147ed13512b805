//! Frameworks on the same layers have the same constants.

use engine::model::software::{Framework, Segments};
use engine::params::ParamId;
use engine::scenario::overheads::overheads;

#[test]
fn frameworks_on_the_same_layers_have_the_same_constants() {
    let choice = ParamId::Framework.param().choice().unwrap();
    for index in 0..choice.options.len() {
        let mut scenario = catalog::default_scenario();
        (choice.set)(&mut scenario, index);
        let framework = scenario.framework;
        let family = match framework {
            Framework::Transformers | Framework::Fsdp1 | Framework::DeepSpeed => Framework::Torchtitan,
            Framework::MegatronFsdp => Framework::Megatron,
            itself => itself,
        };
        for segments in [Segments::Fixed, Segments::Expandable] {
            let of = |framework| overheads(framework, true, segments);
            assert_eq!(of(framework), of(family), "{framework:?}");
        }
    }
}

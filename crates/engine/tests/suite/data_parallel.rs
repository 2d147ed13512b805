//! Buckets of gradients.

use engine::model::comm::layers_in_a_bucket;
use engine::model::stages::stages;
use engine::model::unit_params::Units;
use links::decode;

/// Megatron-LM's `bucket_size = max(40000000, 1000000 * dp_group.size())` counts the GPUs of
/// context parallelism in the group: 32 x 2 of them reduce 64M parameters at once, of layers of
/// 10M six.
#[test]
fn a_bucket_of_megatron_grows_with_context_parallelism() {
    let layers = |cp: u32| {
        let link = format!("gpus={}&cp={cp}&framework=megatron&size=13B", 32 * cp);
        let setup = decode(&link).scenario.setup();
        let params = Units { layer: 10e6, layers: 40.0, ..stages(&setup).first.params.trained };
        layers_in_a_bucket(&setup, &params)
    };
    assert_eq!((layers(1), layers(2)), (4.0, 6.0));
}

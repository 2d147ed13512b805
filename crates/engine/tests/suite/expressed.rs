//! Features that a framework cannot run.

use engine::model::software::Framework;
use engine::scenario::expressed::Lack;
use links::decode;

#[test]
fn what_a_framework_cannot_run_is_known() {
    let lack = |link: &str| decode(link).scenario.lack();
    let qlora = "gpu=rtx-4090&model=llama-3.1-8b&gpus=4&train=lora&base=nf4";
    assert_eq!(lack(&format!("{qlora}&framework=fsdp1&strategy=ddp&tp=2")), Some(Lack::DegreesWithoutShards));
    assert_eq!(lack(&format!("{qlora}&framework=fsdp1&strategy=full-shard&tp=2")), Some(Lack::TensorOfQuantized));
    assert_eq!(lack(&format!("{qlora}&framework=fsdp1&strategy=full-shard")), None);
    assert_eq!(lack("framework=transformers&pp=2"), Some(Lack::Pipeline));
    assert_eq!(lack("pp=2"), None);
    assert_eq!(lack("strategy=zero1"), Some(Lack::Zero));
    assert_eq!(lack("strategy=zero1&framework=megatron"), None);
    assert_eq!(lack("strategy=zero1&gpus=1"), None);
}

#[test]
fn every_lack_is_of_some_framework() {
    let frameworks = [
        Framework::Torchtitan,
        Framework::Transformers,
        Framework::Fsdp1,
        Framework::DeepSpeed,
        Framework::Megatron,
        Framework::MegatronFsdp,
    ];
    for lack in Lack::ALL {
        assert!(frameworks.iter().any(|framework| framework.lacks().contains(&lack)), "{lack:?}");
    }
}

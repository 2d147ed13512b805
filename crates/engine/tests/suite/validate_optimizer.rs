//! Optimizers that frameworks refuse.

use engine::model::training::UpdatePlace;
use engine::validate::issues;
use links::decode;

/// The keys of the parameters with issues.
fn about(link: &str) -> Vec<&'static str> {
    issues(&decode(&format!("cluster=dgx-h100&model=llama-3.2-1b&{link}")).scenario)
        .iter()
        .filter_map(|issue| issue.key)
        .collect()
}

#[test]
fn what_frameworks_refuse_is_said() {
    let clean = ["gpus=1&inbwd=yes", "gpus=8&inbwd=yes", "gpus=8&strategy=ddp&optimizer=galore", "gpus=1&paged=yes"];
    for link in clean {
        assert!(about(link).is_empty(), "{link}: {:?}", about(link));
    }
    for link in [
        "gpus=1&inbwd=yes&accum=2",
        "gpus=8&strategy=ddp&inbwd=yes",
        "gpus=8&framework=deepspeed&inbwd=yes",
        "gpus=8&pp=2&inbwd=yes",
    ] {
        assert!(about(link).contains(&"inbwd"), "{link}");
        let setup = decode(&format!("cluster=dgx-h100&model=llama-3.2-1b&{link}")).scenario.setup();
        assert_eq!(setup.update_place, UpdatePlace::AfterBackward, "{link}");
    }
    for link in [
        "gpus=8&optimizer=galore",
        "gpus=1&train=lora&optimizer=galore-8bit",
        "gpus=8&strategy=ddp&framework=deepspeed&optimizer=galore",
    ] {
        assert_eq!(about(link), ["optimizer"], "{link}");
    }
    assert_eq!(about("gpus=1&offloadopt=yes&paged=yes"), ["paged"]);
}

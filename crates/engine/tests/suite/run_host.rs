//! The memory of hosts whose GPUs offload to drives.

use engine::model::run::host::offload;
use links::decode;

#[test]
fn what_lies_on_drives_leaves_the_hosts_memory_and_takes_time() {
    let of = |nvme: &str| {
        let link = "cluster=dgx-a100-80&model=llama-3.1-70b&gpus=8&recipe=zero-mixed&framework=deepspeed&strategy=full-shard\
                    &offloadopt=yes&offloadparams=yes&nvme=";
        let scenario = decode(&format!("{link}{nvme}")).scenario;
        let setup = scenario.setup();
        let params = setup.architecture.params() as f64;
        let report = scenario.report();
        (offload(&setup).get() / params, report.update.time.step, report.memory.peak)
    };
    // ZeRO's 2 bytes of weights, 2 of gradients and 12 of state a parameter, all on one host.
    let [memory, state, all] = ["no", "optimizer", "all"].map(of);
    assert_eq!([memory.0, state.0, all.0].map(f64::round), [16.0, 4.0, 2.0]);
    assert!(memory.1 < state.1 && state.1 < all.1, "{memory:?} {state:?} {all:?}");
    assert!(memory.2 == state.2 && state.2 == all.2);
}

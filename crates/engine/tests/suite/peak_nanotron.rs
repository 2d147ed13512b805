//! The peaks of nanotron's sweep.

use engine::model::memory::{PeakTerms, stage_memory};
use engine::model::report::MemoryPart;
use engine::model::software::Cache;
use engine::model::stages::stages;
use links::decode;

/// Reserved GiB of the sweep's 8B model on its first GPU.
fn reserved(layout: &str) -> f64 {
    let model = "model=custom&layers=32&hidden=4096&heads=32&kv=32&ffn=14336&vocab=131072&seq=4096";
    let link = format!("cluster=dgx-h100&framework=nanotron&recipe=megatron-mixed&{model}&{layout}");
    let setup = decode(&link).scenario.setup();
    let memory = stage_memory(&setup, &stages(&setup).first);
    (memory.peak - memory.parts.get(MemoryPart::Context)).gib()
}

#[test]
fn peaks_of_the_sweep_are_met() {
    // Rows NT-1344, NT-1356, NT-1168, NT-1145, NT-1192 and NT-1300.
    for (layout, measured) in [
        ("gpus=128&tp=16&mbs=16&accum=2&strategy=zero1", 63.25),
        ("gpus=128&tp=16&mbs=8&accum=4&strategy=zero1", 34.61),
        ("gpus=16&tp=8&mbs=4&accum=32&strategy=zero1", 35.96),
        ("gpus=8&tp=4&mbs=1&accum=128&strategy=ddp", 51.35),
        ("gpus=32&tp=2&pp=4&mbs=2&accum=32&strategy=zero1", 50.59),
        ("gpus=64&tp=8&pp=2&mbs=1&accum=64&strategy=ddp", 15.8),
    ] {
        let predicted = reserved(layout);
        assert!((predicted / measured - 1.0).abs() < 0.1, "{layout}: {predicted} for {measured}");
    }
}

#[test]
fn what_is_held_does_not_grow_with_layers_beyond_the_queue() {
    let tensors = |layers: u32| {
        let link = format!(
            "cluster=dgx-h100&framework=nanotron&gpus=8&tp=8&model=custom&layers={layers}&hidden=4096&heads=32&kv=32&ffn=14336&vocab=131072"
        );
        let setup = decode(&link).scenario.setup();
        let terms = PeakTerms::new(&setup);
        let Cache::Share(held) = terms.process.cache else { panic!() };
        // Of all tokens and the full width, 2 bytes an element.
        held * terms.process.alive.allocated.get() / (terms.activations.tokens * 4096.0 * 2.0)
    };
    assert!(tensors(16) < tensors(27));
    assert!((tensors(40) - tensors(80)).abs() < 1e-9);
}

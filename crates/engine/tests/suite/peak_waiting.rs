//! Gradients that wait to be reduced, or for the update.

use engine::model::memory::PeakTerms;
use engine::model::report::PeakMoment;
use links::decode;

fn bytes_waiting(layout: &str) -> (f64, f64) {
    let link = "cluster=dgx-a100-80&model=bloom-176b&framework=megatron-legacy&strategy=zero1&recompute=full&accum=64";
    let terms = PeakTerms::new(&decode(&format!("{link}&{layout}")).scenario.setup());
    let waiting = terms.unreduced;
    let bytes = terms.bytes.gathered * waiting.computed + terms.bytes.reduced * waiting.reduced;
    (bytes, terms.stage.params.held.all())
}

#[test]
fn stage_1_flattens_a_share_of_the_gradients() {
    // 200B on 80 and 160 A100s: 73 and 51 GiB (rows BS-0132 and BS-0133). The step between is
    // 18 bytes of P/Z: 12 of optimizer state and 6 of flat gradients, less the buckets that a
    // single replica does not have.
    let (one, params) = bytes_waiting("gpus=80&tp=8&pp=10&recipe=zero-mixed");
    assert!((one / params - 6.0).abs() < 1e-9);
    let (two, params) = bytes_waiting("gpus=160&tp=8&pp=10&recipe=zero-mixed");
    assert!((two - 3.0 * params - 3.0 * 2.0 * 5e8).abs() < 1.0);
    // fp32 gradients: the 16-bit ones and one bucket of 4 bytes an element.
    let (wide, params) = bytes_waiting("gpus=160&tp=8&pp=10&recipe=megatron-mixed");
    assert!((wide - 2.0 * params - 4.0 * 5e8).abs() < 1.0);
}

#[test]
fn deepspeed_flattens_gradients_for_the_update() {
    // Qwen 1.8B on one A100 takes 43.5 GB from 256 to 2,048 tokens (QwenLM/Qwen, README): 16
    // bytes a parameter and, of 1e9 at once, 6 more, of its configuration's `sub_group_size`.
    let of = |link: &str| {
        let link =
            format!("cluster=dgx-a100-80&gpus=1&seq=256&recompute=full&framework=deepspeed&recipe=zero-mixed&{link}");
        PeakTerms::new(&decode(&link).scenario.setup())
    };
    let whole = of("model=phi-2&strategy=full-shard");
    assert_eq!(whole.moment, PeakMoment::Optimizer);
    assert_eq!(whole.bytes.gathered * whole.unreduced.computed, 6e9);
    let offloaded = of("model=phi-2&strategy=full-shard&offloadopt=yes");
    assert_eq!(offloaded.unreduced.computed, 0.0);
    let stage_2 = of("model=llama-2-70b&strategy=zero2&train=lora&base=nf4");
    assert_eq!((stage_2.unreduced.reduced, stage_2.unreduced.computed), (2.0 * 5e8, 0.0));
}

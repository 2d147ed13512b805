//! Laws of models that read images: what an encoder adds, and what it does not change.

use engine::model::compute::roofline::{Operator, operator_cost};
use engine::model::report::Work;
use engine::model::report::{MemoryPart, Report};
use engine::model::step::parts;
use engine::model::step::playback::Playback;
use engine::model::step::work_times::time_by_work;
use engine::units::Seconds;
use links::decode;

/// LLaVA-1.5 7B: CLIP ViT-L/14 at 336 pixels before Vicuna.
const LLAVA: &str = "cluster=dgx-h100&gpus=8&seq=2048&mbs=4&model=custom&layers=32&hidden=4096&heads=32&ffn=11008&vocab=32064\
                     &towerlayers=24&towerhidden=1024&towerheads=16&towerffn=4096&patch=14&imagesize=336&merge=1\
                     &towerparams=303507456&projparams=20979712";

fn report(more: &str) -> Report {
    decode(&format!("{LLAVA}{more}")).scenario.report()
}

fn tower_gib(report: &Report) -> f64 {
    report.memory.parts.get(MemoryPart::Tower).gib()
}

#[test]
fn llava_has_its_parameters_and_its_visual_tokens() {
    let shape = decode(LLAVA).scenario.setup().architecture;
    // 7.06 billion, of which 303 million are CLIP's (arXiv 2310.03744).
    assert_eq!(shape.params() / 10_000_000, 706);
    assert_eq!(shape.tower.tokens(0), 576);
}

#[test]
fn no_image_takes_no_time_and_no_activation() {
    let text = report("&images=0");
    let without = decode(&LLAVA.replace("&towerlayers=24", "")).scenario.report();
    assert_eq!(text.update.time.forward, without.update.time.forward);
    let (states, images) = (tower_gib(&text), tower_gib(&report("&images=4&projector=frozen")));
    // An eighth of the weights in fp32, and of the projection's gradients and moments; beside them
    // what the root unit gathers in bf16.
    let bytes = (303.5e6 * 4.0 + 21e6 * 16.0) / 8.0 + 21e6 * 2.0;
    assert!((states - bytes / 1024.0f64.powi(3)).abs() < 0.02, "{states}");
    assert!(images - states < 0.2, "{images} {states}");
}

#[test]
fn what_trains_takes_more() {
    let frozen = report("&images=4&projector=frozen");
    let projector = report("&images=4");
    let trained = report("&images=4&tower=trained");
    assert!(
        frozen.update.time.step <= projector.update.time.step && projector.update.time.step < trained.update.time.step
    );
    assert!(tower_gib(&frozen) < tower_gib(&projector) && tower_gib(&projector) < tower_gib(&trained));
    let full = report("&images=4&tower=trained&recompute=full");
    assert!(tower_gib(&full) < tower_gib(&trained));
    assert!(full.update.hfu > full.update.mfu);
}

#[test]
fn gradients_pass_a_frozen_language_model_on_their_way_to_the_projection() {
    let stage_1 = report("&train=layers&frozen=32&images=2");
    let nothing = report("&train=layers&frozen=32&images=2&projector=frozen");
    assert!(stage_1.update.time.backward > 5.0 * nothing.update.time.backward);
    // Adapters and a projection: what the first layer of a base passes on is computed in any case.
    let lora = report("&train=lora&images=2");
    assert!(lora.update.time.step > Seconds::default());
}

#[test]
fn time_and_images_grow_together() {
    let time = |images: u32| report(&format!("&tower=trained&images={images}")).update.time.step;
    let [one, two, three] = [1, 2, 3].map(time);
    assert!(one < two && two < three);
    let smaller = report("&tower=trained&images=3&imageres=224").update.time.step;
    assert!(smaller < three);
}

#[test]
fn roofline_and_timeline_hold_the_encoder() {
    let text = decode(&format!("{LLAVA}&images=0")).scenario.setup();
    let seen = decode(&format!("{LLAVA}&images=3&tower=trained")).scenario.setup();
    for operator in
        [Operator::AttentionCore, Operator::Projections, Operator::Mlp, Operator::Elementwise, Operator::Optimizer]
    {
        let [before, after] = [&text, &seen].map(|setup| operator_cost(&parts(setup), operator).time);
        assert!(after > before, "{operator:?}");
    }
    let (times, _) = time_by_work(&Playback::new(&seen));
    let (of_text, _) = time_by_work(&Playback::new(&text));
    for work in [Work::EmbeddingForward, Work::EmbeddingBackward] {
        assert!(times[work as usize] > 2.0 * of_text[work as usize], "{work:?}");
    }
    let total = Playback::new(&seen).end();
    let step = decode(&format!("{LLAVA}&images=3&tower=trained")).scenario.report().update.time.step;
    assert!((total / step - 1.0).abs() < 1e-9);
}

#[test]
fn the_first_stage_of_a_pipeline_reads_the_images() {
    let of = |more: &str| report(&format!("&pp=4&accum=16&strategy=zero1{more}"));
    let (text, seen) = (of("&images=0"), of("&images=3"));
    assert!(seen.update.time.step > text.update.time.step);
}

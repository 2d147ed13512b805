//! Published runs, by hand.

use engine::model::run::budget::{effective_time, emissions, energy, gpu_time};
use engine::model::run::{RunChoices, RunReport, budget, checkpoint, host};
use engine::model::training::{Optimizer, PrecisionPolicy};
use engine::scenario::Scenario;
use engine::units::{Bytes, BytesPerSecond, Seconds};
use links::decode;

fn within(found: f64, published: f64, tolerance: f64) {
    let error = found / published - 1.0;
    assert!(error.abs() <= tolerance, "{found} against {published}: {error:+.4}");
}

fn hours(hours: f64) -> Seconds {
    Seconds::from_hours(hours)
}

/// GPU-hours, MWh and tCO₂eq of Table 15 of LLaMA (arXiv 2302.13971): 400 W, PUE 1.1, 385 g a kWh.
/// Its MWh are rounded down by up to 0.6 %.
#[test]
fn the_carbon_table_of_llama() {
    let rows = [
        ("OPT-175B", 809_472.0, 356.0, 137.0),
        ("BLOOM-175B", 1_082_880.0, 475.0, 183.0),
        ("LLaMA-7B", 82_432.0, 36.0, 14.0),
        ("LLaMA-13B", 135_168.0, 59.0, 23.0),
        ("LLaMA-33B", 530_432.0, 233.0, 90.0),
        ("LLaMA-65B", 1_022_362.0, 449.0, 173.0),
    ];
    for (name, gpu_hours, mwh, tonnes) in rows {
        let found = energy(hours(gpu_hours), 400.0, 1.1);
        assert!((found.mwh() - mwh).abs() < 1.6, "{name}: {} MWh", found.mwh());
        assert!((emissions(found, 385.0).tonnes() - tonnes).abs() < 0.9, "{name}");
    }
}

/// Llama 2's Table 2 (arXiv 2307.09288) under the same PUE and grid.
#[test]
fn the_carbon_table_of_llama_2() {
    for (gpu_hours, power, tonnes) in
        [(184_320.0, 400.0, 31.22), (368_640.0, 400.0, 62.44), (1_720_320.0, 400.0, 291.42)]
    {
        within(emissions(energy(hours(gpu_hours), power, 1.1), 385.0).tonnes(), tonnes, 2e-4);
    }
}

/// Llama 3.1's model card: GPU-hours at 700 W and location-based emissions. The card lists neither
/// PUE nor grid; one product of both, 0.4137 kg a kWh (PUE 1.08, Meta's of 2023, and 383 g), gives
/// all three.
#[test]
fn the_model_card_of_llama_3_1() {
    for (gpu_hours, tonnes) in [(1.46e6, 420.0), (7.0e6, 2040.0), (30.84e6, 8930.0)] {
        within(emissions(energy(hours(gpu_hours), 700.0, 1.08), 383.0).tonnes(), tonnes, 0.01);
    }
}

/// Llama 3 405B: 15.6T tokens and 3.8e25 FLOPs (arXiv 2407.21783, section 3.2) at 400 TFLOP/s a GPU
/// (Table 4) and 90 % effective time are 29.3M GPU-hours; the model card counts 30.84M with
/// everything after pre-training's main phase.
#[test]
fn the_gpu_hours_of_llama_3_405b() {
    let flops_per_token = 3.8e25 / 15.6e12;
    let tokens_per_s = 400e12 / flops_per_token;
    let ideal = Seconds::new(15.6e12 / (tokens_per_s * 16_384.0));
    within(gpu_time(effective_time(ideal, 0.9), 16_384.0).hours(), 30.84e6, 0.06);
}

/// “8TP/nX”: 34 days for GPT-3 175B and 300B tokens on 1,024 A100 at 140 TFLOP/s, 84 days for
/// 1,008B parameters and 450B tokens on 3,072 at 163 (arXiv 2104.04473, section 5.1).
#[test]
fn the_days_of_megatron() {
    for (params, tokens, gpus, tflops, days) in
        [(175e9, 300e9, 1024.0, 140.0, 34.0), (1.008e12, 450e9, 3072.0, 163.0, 84.0)]
    {
        let batch = 1536.0 * 2048.0;
        let step = Seconds::new(8.0 * params * batch / (gpus * tflops * 1e12));
        let time = budget::steps(tokens, batch) * step;
        assert_eq!(time.days().round(), days);
    }
}

/// BLOOM (BigScience's model page): bf16 weights of “329GB” (2³⁰) and “2.3TB” (2⁴⁰) with optimizer
/// states.
#[test]
fn the_checkpoint_of_bloom() {
    let mut setup = decode("model=bloom-176b&recipe=zero-mixed").scenario.setup();
    let whole = checkpoint::size(&setup);
    within(whole.gib() / 1024.0, 2.3, 0.03);
    // The tied embedding is on the first and on the last stage of its pipeline.
    let both_ends = whole + Bytes::new(14.0 * setup.architecture.embedding_params() as f64);
    within(both_ends.gib() / 1024.0, 2.3, 0.006);
    (setup.recipe, setup.optimizer) = (PrecisionPolicy::PureBf16, Optimizer::Sgd);
    within(checkpoint::size(&setup).gib(), 329.0, 0.003);
}

/// Returns the default run with a change.
fn first_visit(change: impl Fn(&mut RunChoices)) -> RunReport {
    let mut scenario: Scenario = decode("").scenario;
    change(&mut scenario.run);
    scenario.run_report()
}

#[test]
fn a_run_that_fails_faster_than_it_restarts_never_ends() {
    let report = first_visit(|run| (run.mtbf, run.restart) = (hours(64.0), hours(2.0)));
    assert!(!report.finishes());
    assert_eq!(report.run_mtbf, hours(1.0));
    for endless in [report.time.get(), report.cost.get(), report.energy.get(), report.interruptions] {
        assert_eq!(endless, f64::INFINITY);
    }
    assert!(report.ideal_time.get().is_finite());
}

#[test]
fn what_never_fails_needs_no_checkpoints() {
    let report = first_visit(|run| run.mtbf = hours(f64::INFINITY));
    assert_eq!((report.goodput, report.interruptions), (1.0, 0.0));
    assert_eq!(report.interval.get(), f64::INFINITY);
    assert_eq!(report.time, report.ideal_time);
}

#[test]
fn without_storage_every_failure_starts_over() {
    let report = first_visit(|run| run.storage = BytesPerSecond::ZERO);
    assert_eq!(report.write_time.get(), f64::INFINITY);
    assert!(!report.finishes());
    // Free electricity costs nothing, even for an endless run.
    assert_eq!(first_visit(|run| (run.storage, run.grid_intensity) = (BytesPerSecond::ZERO, 0.0)).emissions.get(), 0.0);
}

#[test]
fn a_chosen_interval_is_at_least_the_time_to_write() {
    let report = first_visit(|run| run.checkpoint_interval = Seconds::new(1.0));
    assert_eq!(report.interval, report.write_time);
    assert_eq!(report.goodput, 0.0);
    let hourly = first_visit(|run| run.checkpoint_interval = hours(1.0));
    assert_eq!(hourly.interval, hours(1.0));
    assert!(hourly.goodput < first_visit(|_| ()).goodput);
}

#[test]
fn parallel_ranks_build_only_their_part() {
    let mut setup = decode("cluster=dgx-h100&model=llama-2-70b&gpus=64").scenario.setup();
    let whole = host::initialisation(&setup, false);
    setup.mesh.tp = 8;
    setup.mesh.dp_shard = 8;
    // Norms are whole on every rank.
    within(host::initialisation(&setup, false) / whole, 1.0 / 8.0, 2e-4);
    assert!(host::initialisation(&setup, true) < host::initialisation(&setup, false));
}

/// 47 layers of which every second has experts, with one layer a stage: stages between the ends are
/// computed as half an expert layer each, of which less than a whole one is built.
#[test]
fn no_stage_builds_more_than_it_holds() {
    let mut setup = decode("cluster=dgx-h100&model=llama-4-maverick&gpus=376&pp=47").scenario.setup();
    setup.architecture.num_hidden_layers = 47;
    (setup.mesh.pp, setup.mesh.dp_shard) = (47, 8);
    assert!(host::initialisation(&setup, true) <= host::initialisation(&setup, false));
}

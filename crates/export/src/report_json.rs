//! A report as JSON: bytes, seconds and ratios in full precision. The file that the page saves, the
//! CSV and the output of the command line are made from this JSON.
//!
//! - `step`: time, memory, mesh and experts of one step.
//! - `rollout`: generation, and the phases of a step that generates its training data.
//! - `reach`: the limits of each strategy, and the closed-form bounds.

mod reach;
mod rollout;
mod step;

use serde_json::{Value, json};

use analysis::answer::Answer;
use analysis::limits::by_strategy;
use catalog::accuracy::{self, Band, Evidence, Stack};
use engine::fitted::CALIBRATION;
use engine::model::bounds::Bounds;
use engine::model::report::Report;
use engine::names;
use engine::scenario::Scenario;
use engine::scenario::issue::{Issue, Severity};
use engine::units::Seconds;

/// Returns the whole report: times, memory parts, utilisation, limiter, the limits of each
/// strategy, issues, and the scenario. Keys name the units of numbers. A value is `null` if it is
/// infinite or missing.
pub fn report_json(scenario: &Scenario, report: &Report, issues: &[Issue]) -> Value {
    whole(scenario, report, issues, &links::encode(scenario))
}

/// Returns the report followed by the reports of the pinned scenarios. `link` opens all of them.
pub fn with_pins(scenario: &Scenario, report: &Report, issues: &[Issue], pins: &[Scenario], link: &str) -> Value {
    let mut json = whole(scenario, report, issues, link);
    if let Value::Object(entries) = &mut json {
        let pinned = |pin: &Scenario| report_json(pin, &pin.report(), &engine::validate::issues(pin));
        entries.insert("pins".to_owned(), pins.iter().map(pinned).collect());
    }
    json
}

fn whole(scenario: &Scenario, report: &Report, issues: &[Issue], link: &str) -> Value {
    let setup = scenario.setup();
    let answer = Answer::new(scenario, report);
    let (fit, step) = (answer.fit, answer.step);
    json!({
        "shardwise": env!("CARGO_PKG_VERSION"),
        "revision": catalog::REVISION,
        "versions": versions(),
        "link": link,
        "fits": fit.fits,
        "host_fits": fit.host.fits(),
        "fit_odds": fit.odds,
        "verdict": fit.verdict.key(),
        "limiter": names::limiter(answer.limiter).key,
        "limiter_time_s": answer.limited.map(Seconds::get),
        "mfu": step.mfu,
        "hfu": step.hfu,
        "tokens_per_s_per_gpu": step.tokens_per_s_per_gpu,
        "tokens_per_step": report.tokens_per_step,
        "tflops_per_gpu": step.model_flops_per_gpu.tflops(),
        "step_time_s": step.time.get(),
        "needed_memory_bytes": answer.needed.get(),
        "cache_memory_bytes": answer.cache.get(),
        "free_memory_bytes": answer.free.get(),
        "headroom_memory_bytes": report.memory.headroom().get(),
        "peak_memory_bytes": answer.shown.get(),
        "band": band(&answer),
        "evidence": evidence(scenario),
        "time_s": step::time(report),
        "memory_bytes": step::memory(scenario, report),
        "model": step::model(&setup),
        "mesh": step::mesh(setup.mesh),
        "experts": setup.architecture.has_experts().then(|| step::experts(setup.experts)),
        "rollout": report.rollout.as_ref().map(|of| rollout::rollout(of, report)),
        "strategies": by_strategy(scenario).iter().map(reach::strategy).collect::<Value>(),
        "bounds": reach::bounds(&Bounds::from_setup(&setup)),
        "run": run(&answer),
        "issues": issues_json(issues),
        "scenario": links::to_json(scenario),
    })
}

/// Returns the versions of the engine, the catalog and the link format.
fn versions() -> Value {
    json!({
        "engine": env!("CARGO_PKG_VERSION"),
        "catalog": catalog::REVISION,
        "calibration": CALIBRATION,
        "link": links::v1::VERSION,
    })
}

/// Returns the ranges that contain four of five measurements (docs/book/accuracy.md); `null` for
/// figures of a step with a rollout, whose measurements are too few.
fn band(answer: &Answer) -> Value {
    let range = |value: f64, Band { low, high }: Band| json!({ "low": low * value, "high": high * value });
    let (time, step) = (answer.time_band, answer.step);
    // A longer step is slower, so the ends swap.
    let speed = time.map(|Band { low, high }| Band { low: 1.0 / high, high: 1.0 / low });
    json!({
        "mfu": speed.map(|band| range(step.mfu, band)),
        "tokens_per_s_per_gpu": speed.map(|band| range(step.tokens_per_s_per_gpu, band)),
        "step_time_s": time.map(|band| range(step.time.get(), band)),
        "needed_memory_bytes": range(answer.needed.get(), answer.memory_band),
    })
}

/// Returns the evidence for the ranges: published runs on this accelerator with their median
/// errors, and whether the efficiency of kernels was fitted to its silicon.
fn evidence(scenario: &Scenario) -> Value {
    let own = match accuracy::evidence(scenario) {
        Evidence::Runs(of) => Some(of),
        Evidence::SameSilicon(_) | Evidence::DataSheet => None,
    };
    json!({
        "measured_runs": own.map_or(0, |of| of.runs),
        "median_step_error_percent": own.and_then(|of| of.step_error),
        "median_peak_error_percent": own.and_then(|of| of.peak_error),
        "stack_measured": Stack::of(scenario).is_measured(),
        "fitted": scenario.accelerator.values.generation.is_fitted(),
    })
}

/// Writes the whole run; an infinite number is `null`, as for a run that never ends, and so is the
/// cost at an unknown price.
fn run(answer: &Answer) -> Value {
    let run = &answer.run;
    let numbers = [
        ("steps", run.steps),
        ("batch_tokens", run.batch_tokens),
        ("batch_efficiency", run.batch_efficiency),
        ("ideal_time_s", run.ideal_time.get()),
        ("time_s", run.time.get()),
        ("gpu_hours", run.gpu_time.hours()),
        ("cost_usd", if answer.is_priced { run.cost.get() } else { f64::NAN }),
        ("energy_kwh", run.energy.kwh()),
        ("emissions_gco2", run.emissions.get()),
        ("goodput", run.goodput),
        ("interruptions", run.interruptions),
        ("run_mtbf_s", run.run_mtbf.get()),
        ("checkpoint_bytes", run.checkpoint_size.get()),
        ("checkpoint_write_s", run.write_time.get()),
        ("checkpoint_interval_s", run.interval.get()),
        ("best_checkpoint_interval_s", run.best_interval.get()),
        ("host_processes_bytes", run.host.processes.get()),
        ("host_init_bytes", run.host.init.get()),
        ("host_checkpoint_bytes", run.host.checkpoint.get()),
        ("host_offload_bytes", run.host.offload.get()),
        ("host_pinned_bytes", run.host.pinned.get()),
        ("host_gpus_bytes", run.host.gpus.get()),
        ("host_memory_bytes", run.host.needed().get()),
        ("host_capacity_bytes", run.host.capacity.get()),
    ];
    numbers.into_iter().collect()
}

/// Writes issues with their severity, key and sentences.
pub fn issues_json(issues: &[Issue]) -> Value {
    issues.iter().map(issue).collect()
}

fn issue(issue: &Issue) -> Value {
    let severity = match issue.severity {
        Severity::Note => "note",
        Severity::Error => "error",
    };
    json!({ "severity": severity, "key": issue.key, "message": issue.text() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::json::pretty;

    fn json(link: &str) -> Value {
        let scenario = links::decode(link).scenario;
        serde_json::from_str(&pretty(&report_json(&scenario, &scenario.report(), &[]))).unwrap()
    }

    #[test]
    fn what_the_engine_chose_for_experts_is_in_the_report() {
        let link = "cluster=dgx-h100&model=mixtral-8x7b&adaptdegrees=yes&adaptchunks=yes";
        let (chosen, setup) = (json(link), links::decode(link).scenario.setup());
        assert_eq!(
            (&chosen["mesh"]["ep"], &chosen["experts"]["chunks"]),
            (&setup.mesh.ep.into(), &setup.experts.chunks.into())
        );
        assert_eq!(chosen["scenario"]["adaptchunks"], "yes");
        assert!(json("model=llama-3-8b")["experts"].is_null());
    }

    #[test]
    fn numbers_are_those_of_the_report_to_the_bit() {
        let scenario = links::decode("v=1&cluster=dgx-h100&model=llama-3-70b&gpus=256&tp=8&pp=4&accum=32").scenario;
        let (report, json) = (scenario.report(), json(&links::encode(&scenario)));
        let number = |path: &str| json.pointer(path).and_then(Value::as_f64).unwrap();
        let expected = [
            ("/mfu", report.whole().mfu),
            ("/step_time_s", report.whole().time.get()),
            ("/memory_bytes/peak", report.memory.peak.get()),
            ("/time_s/exposed_comm", report.update.time.exposed_comm.get()),
            ("/run/cost_usd", scenario.run_report().cost.get()),
            ("/model/params", scenario.model.architecture().params() as f64),
        ];
        for (path, value) in expected {
            assert_eq!(number(path).to_bits(), value.to_bits(), "{path}");
        }
        assert!(number("/band/mfu/low") < report.update.mfu && report.update.mfu < number("/band/mfu/high"));
        assert_eq!(json["versions"]["catalog"], catalog::REVISION);
        assert_eq!(json["memory_bytes"]["parts"].as_object().unwrap().len(), 14);
    }

    /// A 70B model with adapters fits the GPUs; built whole on every rank, the model needs 2,070
    /// GiB of a host.
    #[test]
    fn a_run_that_its_hosts_cannot_hold_does_not_fit() {
        let link = "cluster=dgx-h100&model=llama-2-70b&gpus=8&recompute=full&train=lora&deferred=no&hostmem=";
        let said = |host: &str| {
            let json = json(&format!("{link}{host}"));
            let words = ["fits", "host_fits", "verdict"].map(|key| json[key].to_string());
            (words.join(" "), json["fit_odds"].as_f64().unwrap())
        };
        let (short, enough) = (said("2069"), said("2070"));
        assert_eq!(short.0, "false false \"host_does_not_fit\"");
        assert_eq!(enough.0, "true true \"fits\"");
        assert_eq!(short.1, enough.1, "the odds are those of the GPUs");
    }

    #[test]
    fn pins_come_with_reports_of_their_own() {
        let decoded = links::decode("v=1&gpus=128&pin=1&gpus=64");
        let link = links::encode_with(&decoded.scenario, &decoded.pins);
        let json = with_pins(&decoded.scenario, &decoded.scenario.report(), &[], &decoded.pins, &link);
        assert_eq!(json["link"], link);
        assert_eq!(links::decode(&json["pins"][0].to_string()).scenario, decoded.pins[0]);
        assert_eq!(links::decode(&json.to_string()).scenario, decoded.scenario);
    }
}

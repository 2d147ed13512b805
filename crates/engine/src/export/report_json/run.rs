//! The whole run.

use crate::json::Json;
use crate::model::run::RunReport;

/// The whole run; `null` where a number is infinite, as of a run that never ends.
pub(super) fn run(run: &RunReport) -> Json {
    let numbers = [
        ("steps", run.steps),
        ("batch_tokens", run.batch_tokens),
        ("batch_efficiency", run.batch_efficiency),
        ("ideal_time_s", run.ideal_time.get()),
        ("time_s", run.time.get()),
        ("gpu_hours", run.gpu_time.hours()),
        ("cost_usd", run.cost.get()),
        ("energy_kwh", run.energy.kwh()),
        ("emissions_gco2", run.emissions.get()),
        ("goodput", run.goodput),
        ("interruptions", run.interruptions),
        ("run_mtbf_s", run.run_mtbf.get()),
        ("checkpoint_bytes", run.checkpoint_size.get()),
        ("checkpoint_write_s", run.write_time.get()),
        ("checkpoint_interval_s", run.interval.get()),
        ("best_checkpoint_interval_s", run.best_interval.get()),
        ("host_init_bytes", run.host_init.get()),
        ("host_checkpoint_bytes", run.host_checkpoint.get()),
        ("host_offload_bytes", run.host_offload.get()),
    ];
    Json::object(numbers.map(|(name, number)| (name, number.into())))
}

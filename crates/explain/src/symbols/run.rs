//! Symbols of formulas about the whole run.

use super::ValueFormat::{
    Amount, Bytes, BytesPerSecond, Count, Dollars, Duration, Energy, Grams, Params, Percent, Seconds,
};
use super::{Symbol, new_symbol};
use crate::Context;
use engine::model::collectives::{self, Group};
use engine::model::run::checkpoint;
use engine::model::run::host::{PINNED, loaded_once, on_gpus};

/// Time, money, energy, failures, checkpoints, host memory.
pub(super) const RUN: &[Symbol] = &[
    new_symbol("t_run", "time from start to end", Duration, |c| c.run.time.get()),
    new_symbol("K", "steps", Amount, |c| c.run.steps),
    new_symbol("D_train", "tokens to train on", Amount, |c| c.scenario.train_tokens()),
    new_symbol("B", "tokens in one step", Amount, |c| c.run.batch_tokens),
    new_symbol("B_crit", "[critical batch]", Amount, |c| c.scenario.run.critical_batch_tokens),
    new_symbol("e", "value of a token relative to one in a small batch", Percent, |c| c.run.batch_efficiency),
    new_symbol("g", "[goodput]", Percent, |c| c.run.goodput),
    new_symbol("h_run", "hours from start to end", Amount, |c| c.run.time.hours()),
    new_symbol("h", "GPU-hours", Amount, |c| c.run.gpu_time.hours()),
    new_symbol("p", "price of one GPU for one hour", Dollars, |c| c.scenario.run.price_per_gpu_hour),
    new_symbol("C", "cost", Dollars, |c| c.run.cost.get()),
    new_symbol("W", "power of one GPU’s board in kW, assumed constant", Count, |c| c.setup.accelerator.power / 1e3),
    new_symbol("PUE", "energy of the data centre over energy of its computers", Count, |c| c.scenario.run.pue),
    new_symbol("E", "energy drawn from the grid", Energy, |c| c.run.energy.kwh()),
    new_symbol("E_kWh", "energy in kWh", Amount, |c| c.run.energy.kwh()),
    new_symbol("i", "grams of CO₂ equivalent per kWh from the grid", Count, |c| c.scenario.run.grid_intensity),
    new_symbol("m_CO₂", "CO₂ equivalent of that energy", Grams, |c| c.run.emissions.get()),
    new_symbol("t_write", "time to write a checkpoint, during which training waits", Duration, |c| {
        c.run.write_time.get()
    }),
    new_symbol("τ", "time from one checkpoint to the next", Duration, |c| c.run.interval.get()),
    new_symbol("τ_chosen", "the chosen interval", Duration, |c| c.scenario.run.checkpoint_interval.get()),
    new_symbol("t_fail", "mean time between failures of the run", Duration, |c| c.run.run_mtbf.get()),
    new_symbol("t_one", "mean time between failures of one GPU", Duration, |c| c.scenario.run.mtbf.get()),
    new_symbol("t_restart", "time from a failure until the run trains again", Duration, |c| {
        c.scenario.run.restart.get()
    }),
    new_symbol("x", "expected failures", Amount, |c| c.run.interruptions),
    new_symbol("S_ckpt", "one checkpoint", Bytes, |c| c.run.checkpoint_size.get()),
    new_symbol("P_model", "parameters of the model", Params, |c| c.setup.architecture.params() as f64),
    new_symbol("P_saved", "parameters in a checkpoint: only adapters, or all if layers train", Params, |c| {
        checkpoint::saved(&c.setup).params
    }),
    new_symbol("P_updated", "trained parameters of the whole model", Params, |c| checkpoint::saved(&c.setup).updated),
    new_symbol("W_model", "trained parameters in matrices", Params, |c| checkpoint::saved(&c.setup).matrices),
    new_symbol("P_2D", "parameters in matrices", Params, |c| c.setup.architecture.matrix_params() as f64),
    new_symbol("t_collect", "gather of the shards on the rank that writes", Seconds, collect),
    new_symbol("n_write", "ranks that write", Count, writers),
    new_symbol("B_host", "link from a GPU to its host", BytesPerSecond, |c| c.setup.accelerator.host_link.get()),
    new_symbol("B_disk", "rate of the file system for all nodes together", BytesPerSecond, |c| {
        c.scenario.run.storage.get()
    }),
    new_symbol("B_card", "rate of one GPU’s network card in large transfers", BytesPerSecond, |c| {
        (c.setup.network.inter_node * c.setup.network.inter_node_efficiency).get()
    }),
    new_symbol("M_proc", "host memory of the processes of its ranks", Bytes, |c| c.run.host.processes.get()),
    new_symbol("b_load", "bytes of a parameter when a rank loads it", Count, |c| loaded_once(&c.setup).unwrap_or(0.0)),
    new_symbol("M_init", "host memory during initialisation", Bytes, |c| c.run.host.init.get()),
    new_symbol("M_ckpt", "memory of the busiest host during a checkpoint", Bytes, |c| c.run.host.checkpoint.get()),
    new_symbol("M_gpus", "what a host's GPUs hold where their memory is the host's", Bytes, |c| c.run.host.gpus.get()),
    new_symbol("a_gpu", "part of weights and optimizer state that is not offloaded", Count, |c| on_gpus(&c.setup)),
    new_symbol("M_offload", "host memory for offloading", Bytes, |c| c.run.host.offload.get()),
    new_symbol("M_host", "memory needed on the busiest host", Bytes, |c| c.run.host.needed().get()),
    new_symbol("b_pin", "offloaded state with pinned buffers, over the state", Count, |_| 1.0 + PINNED),
    new_symbol("r", "GPUs of one host", Count, |c| {
        f64::from(c.setup.network.gpus_per_host().min(c.setup.mesh.gpus()).max(1))
    }),
];

fn writers(c: &Context) -> f64 {
    if c.scenario.run.sharded_checkpoint { f64::from(c.setup.mesh.gpus()) } else { 1.0 }
}

fn collect(c: &Context) -> f64 {
    if c.scenario.run.sharded_checkpoint {
        return 0.0;
    }
    let (network, gpus) = (&c.setup.network, c.setup.mesh.gpus());
    let parts = gpus / c.setup.mesh.dp_replicate.max(1);
    collectives::all_gather(network, Group::consecutive(parts, gpus, network), c.run.checkpoint_size).get()
}

//! Symbols of formulas about the whole run.

use super::How::{Amount, Bytes, BytesPerSecond, Count, Dollars, Duration, Energy, Grams, Params, Percent, Seconds};
use super::{Symbol, of};
use crate::Context;
use engine::model::collectives::{self, Group};
use engine::model::run::checkpoint;
use engine::model::run::host::{PINNED, loaded_once, on_gpus};

/// Time, money, energy, failures, checkpoints, host memory.
pub(super) const RUN: &[Symbol] = &[
    of("t_run", "time from start to end", Duration, |c| c.run.time.get()),
    of("K", "steps", Amount, |c| c.run.steps),
    of("D_train", "tokens to train on", Amount, |c| c.scenario.train_tokens()),
    of("B", "tokens in one step", Amount, |c| c.run.batch_tokens),
    of("B_crit", "[critical batch]", Amount, |c| c.scenario.run.critical_batch_tokens),
    of("e", "value of a token relative to one in a small batch", Percent, |c| c.run.batch_efficiency),
    of("g", "[goodput]", Percent, |c| c.run.goodput),
    of("h_run", "hours from start to end", Amount, |c| c.run.time.hours()),
    of("h", "GPU-hours", Amount, |c| c.run.gpu_time.hours()),
    of("p", "price of one GPU for one hour", Dollars, |c| c.scenario.run.price_per_gpu_hour),
    of("C", "cost", Dollars, |c| c.run.cost.get()),
    of("W", "power of one GPU’s board in kW, assumed constant", Count, |c| c.setup.accelerator.power / 1e3),
    of("PUE", "energy of the data centre over energy of its computers", Count, |c| c.scenario.run.pue),
    of("E", "energy drawn from the grid", Energy, |c| c.run.energy.kwh()),
    of("E_kWh", "energy in kWh", Amount, |c| c.run.energy.kwh()),
    of("i", "grams of CO₂ equivalent per kWh from the grid", Count, |c| c.scenario.run.grid_intensity),
    of("m_CO₂", "CO₂ equivalent of that energy", Grams, |c| c.run.emissions.get()),
    of("t_write", "time to write a checkpoint, during which training waits", Duration, |c| c.run.write_time.get()),
    of("τ", "time from one checkpoint to the next", Duration, |c| c.run.interval.get()),
    of("τ_chosen", "the chosen interval", Duration, |c| c.scenario.run.checkpoint_interval.get()),
    of("t_fail", "mean time between failures of the run", Duration, |c| c.run.run_mtbf.get()),
    of("t_one", "mean time between failures of one GPU", Duration, |c| c.scenario.run.mtbf.get()),
    of("t_restart", "time from a failure until the run trains again", Duration, |c| c.scenario.run.restart.get()),
    of("x", "expected failures", Amount, |c| c.run.interruptions),
    of("S_ckpt", "one checkpoint", Bytes, |c| c.run.checkpoint_size.get()),
    of("P_model", "parameters of the model", Params, |c| c.setup.architecture.params() as f64),
    of("P_saved", "parameters in a checkpoint: only adapters, or all if layers train", Params, |c| {
        checkpoint::saved(&c.setup).params
    }),
    of("P_updated", "trained parameters of the whole model", Params, |c| checkpoint::saved(&c.setup).updated),
    of("W_model", "trained parameters in matrices", Params, |c| checkpoint::saved(&c.setup).matrices),
    of("P_2D", "parameters in matrices", Params, |c| c.setup.architecture.matrix_params() as f64),
    of("t_collect", "gather of the shards on the rank that writes", Seconds, collect),
    of("n_write", "ranks that write", Count, writers),
    of("B_host", "link from a GPU to its host", BytesPerSecond, |c| c.setup.accelerator.host_link.get()),
    of("B_disk", "rate of the file system for all nodes together", BytesPerSecond, |c| c.scenario.run.storage.get()),
    of("B_card", "rate of one GPU’s network card in large transfers", BytesPerSecond, |c| {
        (c.setup.network.inter_node * c.setup.network.inter_node_efficiency).get()
    }),
    of("M_proc", "host memory of the processes of its ranks", Bytes, |c| c.run.host.processes.get()),
    of("b_load", "bytes of a parameter when a rank loads it", Count, |c| loaded_once(&c.setup).unwrap_or(0.0)),
    of("M_init", "host memory during initialisation", Bytes, |c| c.run.host.init.get()),
    of("M_ckpt", "memory of the busiest host during a checkpoint", Bytes, |c| c.run.host.checkpoint.get()),
    of("a_gpu", "part of weights and optimizer state that is not offloaded", Count, |c| on_gpus(&c.setup)),
    of("M_offload", "host memory for offloading", Bytes, |c| c.run.host.offload.get()),
    of("M_host", "memory needed on the busiest host", Bytes, |c| c.run.host.needed().get()),
    of("b_pin", "offloaded state with pinned buffers, over the state", Count, |_| 1.0 + PINNED),
    of("r", "GPUs of one host", Count, |c| f64::from(c.setup.network.gpus_per_host().min(c.setup.mesh.gpus()).max(1))),
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

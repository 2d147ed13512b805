//! Measurements of a run and their effect on predictions for similar runs.

use super::setup::Setup;
use crate::units::BytesPerSecond;

/// Ratios of measured to predicted values; 1 where nothing is measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// Step time, measured over predicted.
    pub time: f64,
    /// Peak memory, measured over predicted.
    pub memory: f64,
}

impl Anchor {
    /// No measurement: predictions stay unchanged.
    pub const NONE: Self = Self { time: 1.0, memory: 1.0 };

    /// Slows hardware and host down by the ratio of times: every rate that kernels, links and the
    /// host reach is divided by the ratio, every latency multiplied by it. So every predicted time,
    /// of the step, its timeline and the run, grows by about that ratio. Data-sheet rates are
    /// unchanged, and no kernel exceeds its peak.
    pub fn slow(self, setup: &mut Setup) {
        if self.time == Self::NONE.time {
            return;
        }
        let reached = &mut setup.accelerator.efficiency;
        for share in [
            &mut reached.matmul,
            &mut reached.matmul_8bit,
            &mut reached.matmul_4bit,
            &mut reached.attention,
            &mut reached.attention_tuned,
            &mut reached.memory,
            &mut setup.network.intra_node_efficiency,
            &mut setup.network.inter_node_efficiency,
        ] {
            *share = (*share / self.time).min(1.0);
        }
        for rate in [&mut setup.accelerator.host_link, &mut setup.network.host.bandwidth, &mut setup.network.host.nvme]
        {
            *rate = BytesPerSecond::new(rate.get() / self.time);
        }
        setup.network.host.loader /= self.time;
        let (network, host) = (&mut setup.network, &mut setup.overheads);
        for time in [
            &mut reached.launch_per_layer,
            &mut network.intra_node_latency,
            &mut network.inter_node_latency,
            &mut host.message,
            &mut host.between_steps,
            &mut host.step,
        ] {
            *time *= self.time;
        }
    }
}

//! Features that the hardware or the strategy lacks: formats without compute units, offloading
//! without shards, hosts that are too slow.

use crate::model::hardware::Units;
use crate::model::software::{AttentionKernel, Nvme};
use crate::model::training::{ComputeFormat, HalfFormat, PrecisionPolicy};
use crate::params::ParamId;
use crate::scenario::issue::Issue;
use crate::scenario::{Scenario, Strategy};

impl Scenario {
    /// Adds the issues about formats and offloading.
    pub(super) fn software(&self, issues: &mut Vec<Issue>) {
        issues.extend(self.narrow_formats());
        issues.extend(self.half_format());
        issues.extend(self.attention_kernel());
        issues.extend(self.drives());
        issues.extend(self.host_limits());
        let replicated = !self.strategy.shards_weights();
        // Megatron's distributed optimizer gathers updated weights, also in 8 bits.
        let updates = self.framework.traits().gathers_updates_in_8_bits && self.strategy != Strategy::Ddp;
        if replicated && !updates && self.compute_format == ComputeFormat::Fp8Gather {
            let message = "Weights are gathered in fp8 only if they are sharded: choose an FSDP strategy.";
            issues.push(Issue::note(ParamId::ComputeFormat, message));
        }
        if replicated && self.offload.parameters {
            let message = "Only sharded weights can be offloaded: choose an FSDP strategy, or offload only the \
                           optimizer.";
            issues.push(Issue::note(ParamId::OffloadParameters, message));
        } else if self.offload.parameters && !self.offload.optimizer {
            let message = "FSDP keeps optimizer state next to its weights: offload the optimizer too.";
            issues.push(Issue::note(ParamId::OffloadOptimizer, message));
        }
    }

    /// Returns a note if state on drives is not offloaded.
    fn drives(&self) -> Option<Issue> {
        let message = match self.offload.nvme {
            Nvme::Optimizer | Nvme::All if self.offload.updates_here() => {
                "NVMe drives hold only offloaded state: offload the optimizer too."
            }
            Nvme::All if !self.offload.parameters => {
                "NVMe drives hold only offloaded state, and the parameters are not offloaded: offload them too, or only the optimizer state to NVMe."
            }
            Nvme::Optimizer | Nvme::All if !self.framework.traits().zero_by_deepspeed => {
                "Only DeepSpeed offloads to NVMe: choose it, or host memory."
            }
            _ => return None,
        };
        Some(Issue::note(ParamId::OffloadNvme, message))
    }

    /// Returns an issue for each limit of the host that is neither zero nor a rate at which a run
    /// ends.
    fn host_limits(&self) -> impl Iterator<Item = Issue> {
        let host = self.network.values.host;
        let possible = host.with_possible_limits();
        let issue = |id: ParamId, what: &str, [asked, least]: [f64; 2], unit: &str| {
            let message = format!("{what} of {asked:e} {unit} is too low: enter more, or 0 for no limit.");
            Issue::error(id, message).uses(format!("{least} {unit}"))
        };
        let bandwidth = (host.bandwidth != possible.bandwidth).then(|| {
            let rates = [host, possible].map(|host| host.bandwidth.gb_per_s());
            issue(ParamId::HostBandwidth, "Host memory bandwidth", rates, "GB/s")
        });
        let loader = (host.loader != possible.loader)
            .then(|| issue(ParamId::Loader, "A data loader", [host.loader, possible.loader], "sequences/s"));
        bandwidth.into_iter().chain(loader)
    }

    /// Returns an issue if the GPU has no units for the format of matrix products.
    fn narrow_formats(&self) -> Option<Issue> {
        let gpu = self.accelerator.values;
        let (bits, instead) = match self.compute_format {
            // Gaudi 3 multiplies in 8 bits as fast as in 16.
            _ if gpu.generation.fp8() == Units::Native && self.compute_format != ComputeFormat::Fp4 => return None,
            ComputeFormat::Fp8 | ComputeFormat::Fp8Gather if gpu.peak_8bit <= gpu.peak_16bit => ("8", "a 16-bit"),
            ComputeFormat::Fp4 if gpu.peak_4bit <= gpu.peak_8bit => {
                ("4", if gpu.peak_8bit <= gpu.peak_16bit { "a 16-bit" } else { "an 8-bit" })
            }
            _ => return None,
        };
        let message = format!("This GPU has no units for {bits} bits: choose {instead} format.");
        Some(Issue::error(ParamId::ComputeFormat, message).instead(format!("The peak is that of {instead} format.")))
    }

    /// Returns a note if the GPU has no units for bf16: which 16-bit format is computed, and what
    /// the other costs.
    fn half_format(&self) -> Option<Issue> {
        let gpu = self.accelerator.values;
        if self.recipe == PrecisionPolicy::Fp32 || !gpu.emulates_bf16() {
            return None;
        }
        let times = gpu.efficiency.matmul / gpu.emulated_bf16();
        let times = if times < 3.0 { format!("{times:.1}") } else { format!("{times:.0}") };
        let message = match self.half {
            HalfFormat::Fp16 => return None,
            HalfFormat::OfGpu => format!(
                "This GPU has no bf16 units: computed in fp16, under loss scaling. Emulated bf16 multiplies {times} times slower."
            ),
            HalfFormat::Bf16 => format!(
                "This GPU has no bf16 units: it emulates bf16 and multiplies {times} times slower than in fp16. Choose fp16 (fp16: true, --fp16)."
            ),
        };
        Some(Issue::note(ParamId::HalfFormat, message))
    }

    /// Returns a note if another kernel of attention runs on this GPU than the chosen one.
    fn attention_kernel(&self) -> Option<Issue> {
        let runs = self.resolved_attention();
        if self.kernels.attention == runs {
            return None;
        }
        let computed = match runs {
            AttentionKernel::Unfused => {
                "computed with separate products, as in bf16 PyTorch's memory-efficient kernel needs it too. Choose fp16."
            }
            _ => "computed with PyTorch's memory-efficient kernel, which runs on this GPU.",
        };
        let message = format!("FlashAttention 2 and later need compute capability 8.0 (Ampere): {computed}");
        Some(Issue::note(ParamId::AttentionKernel, message))
    }
}

//! Memory of one host.

use crate::model::choices::Choices;
use crate::model::memory::{activations, evicted, peak};
use crate::model::per_rank::{LocalParams, tokens};
use crate::model::rollout;
use crate::model::run::{RunChoices, checkpoint};
use crate::model::setup::Setup;
use crate::model::software::{Framework, Offload};
use crate::model::stages::{Stage, stages};
use crate::model::states::{self, recipe_bytes};
use crate::model::trained::BaseFormat;
use crate::model::training::Sharding;
use crate::units::Bytes;

/// Host memory that a run needs on its busiest host.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HostMemory {
    /// Memory of the ranks' processes before they load anything.
    pub processes: Bytes,
    /// Memory during initialisation of the model.
    pub init: Bytes,
    /// Memory while a checkpoint is written.
    pub checkpoint: Bytes,
    /// Memory of offloaded data, for the whole run or while a rollout is generated.
    pub offload: Bytes,
    /// Extra memory of pinned buffers for offloaded data.
    pub pinned: Bytes,
    /// The peak of the host's GPUs where their memory is the host's; 0 where they have their own.
    pub gpus: Bytes,
    /// The memory of a host, with that of its GPUs where both are one.
    pub capacity: Bytes,
}

impl HostMemory {
    /// Computes the host memory, without evaluating the step.
    pub fn new(setup: &Setup, choices: &RunChoices) -> Self {
        let offload = offload(setup) + moved(setup);
        let is_unified = setup.accelerator.unified;
        let checkpoint = checkpoint(setup, checkpoint::size(setup), choices.sharded_checkpoint);
        Self {
            processes: processes(setup),
            init: initialisation(setup, choices.deferred_init),
            // Tensors are written one by one, from where they lie.
            checkpoint: if is_unified { Bytes::ZERO } else { checkpoint },
            offload,
            pinned: pinned(offload),
            gpus: if is_unified { peak(setup, &stages(setup)).needed * ranks(setup) } else { Bytes::ZERO },
            capacity: capacity(setup),
        }
    }

    /// Returns the memory of offloaded data with its buffers, for the whole run.
    pub fn offloaded_bytes(&self) -> Bytes {
        self.offload + self.pinned
    }

    /// Returns the memory that the host needs: processes, offloaded data, and the largest of
    /// initialisation, checkpoint and, in unified memory, the step.
    pub fn needed(&self) -> Bytes {
        self.processes + self.offloaded_bytes() + self.init.max(self.checkpoint).max(self.gpus)
    }

    /// Whether every host has the memory that the run needs.
    pub fn fits(&self) -> bool {
        self.needed() <= self.capacity
    }
}

/// Returns the memory of a host: its own and, where GPUs share it, what they can use of it.
///
/// ```
/// # use links::decode;
/// # use engine::model::run::host::capacity;
/// // A DGX Spark has 128 GB that CPU and GPU share (NVIDIA, DGX Spark hardware overview).
/// assert_eq!(capacity(&decode("cluster=dgx-spark&gpus=1").scenario.setup()).gib(), 128.0);
/// ```
pub fn capacity(setup: &Setup) -> Bytes {
    let host = setup.network.host.memory;
    let gpus = f64::from(setup.network.gpus_per_host());
    if setup.accelerator.unified { host + setup.accelerator.usable_memory() * gpus } else { host }
}

/// Bytes of a parameter at initialisation: fp32, whatever the recipe.
const INITIAL_BYTES: f64 = 4.0;

/// Memory of a rank's process with PyTorch, its libraries and an idle CUDA context, before it loads
/// a model: 926 MiB, measured by accelerate's author before FSDP loads Llama 2 7B
/// (gist.github.com/pacman100/2fbda8eb4526443a73c1455de43e20f9, “CPU Memory before entering the
/// loading”).
const PROCESS: Bytes = Bytes::from_gib(926.0 / 1024.0);

/// Returns the memory of the processes of a host's r ranks: `r` times 926 MiB.
///
/// Data loader workers are forked from the ranks and share their pages until they write to them; as
/// scenarios do not include their number, they are not counted.
///
/// ```
/// # use links::decode;
/// # use engine::model::run::host::processes;
/// let setup = decode("cluster=dgx-h100&gpus=64").scenario.setup();
/// assert_eq!((processes(&setup).gib() * 100.0).round(), 723.0); // 8 ranks of 926 MiB
/// ```
pub fn processes(setup: &Setup) -> Bytes {
    PROCESS * ranks(setup)
}

/// Returns the bytes of a parameter on the one rank of a host that loads the whole model; `None` if
/// no rank does.
///
/// Under FSDP, transformers reads the weights on the local rank 0 of each host and leaves them on
/// the meta device on other ranks, unless they are quantized (`is_fsdp_enabled() and not
/// is_local_dist_rank_0() and not is_quantized` in `modeling_utils.py`); FSDP then broadcasts them.
/// Composer and Accelerate do so with FSDP1 (`sync_module_states`).
pub fn loaded_once(setup: &Setup) -> Option<f64> {
    let broadcasts = matches!(setup.framework, Framework::Transformers | Framework::Fsdp1);
    if !broadcasts || !matches!(setup.sharding, Sharding::Fsdp(_)) {
        return None;
    }
    if setup.trained.is_all() {
        return Some(INITIAL_BYTES);
    }
    match setup.trained.base {
        BaseFormat::Fp32 => Some(INITIAL_BYTES),
        BaseFormat::Bf16 => Some(BF16_BYTES),
        _ => None,
    }
}

/// Bytes of a parameter of a frozen base in bf16.
const BF16_BYTES: f64 = 2.0;

/// Returns the ranks on one host.
fn ranks(setup: &Setup) -> f64 {
    f64::from(setup.mesh.gpus().min(setup.network.gpus_per_host()))
}

/// Returns the bytes of a host whose ranks are all of the stage that needs most.
fn max_host_bytes(setup: &Setup, of_rank: &dyn Fn(&Stage, &LocalParams) -> f64) -> Bytes {
    let mut most = 0.0;
    for stage in stages(setup).iter() {
        let bytes = of_rank(stage, &stage.params);
        if bytes > most {
            most = bytes;
        }
    }
    Bytes::new(most * ranks(setup))
}

/// Returns the memory of a host during initialisation of the model: `4 P r / (tp pp)`, deferred `4
/// max(unit) r / tp`, or `b P / (tp pp)` if one rank loads the weights that FSDP broadcasts
/// ([`loaded_once`]).
///
/// P parameters, r ranks on the host, each of which builds its part of the model in fp32 before
/// data parallelism shards it. Deferred initialisation (the meta device) builds one unit at a time:
/// a layer, or the root unit with embedding and head. The largest stage of a pipeline counts.
///
/// ```
/// # use links::decode;
/// # use engine::model::run::host::initialisation;
/// // Llama 2 70B on nodes of 8: about 2 TB (Hugging Face's blog, “Fine-tuning Llama 2 70B using PyTorch FSDP”).
/// let setup = decode("cluster=dgx-h100&model=llama-2-70b").scenario.setup();
/// assert_eq!((initialisation(&setup, false).tb() * 10.0).round(), 22.0);
/// assert!(initialisation(&setup, true).tb() < 0.03);
/// // Falcon 40B: “160GB (40B x 4Bytes (FP32))” on each of 8 ranks, 1,280 GB (pytorch/pytorch#105840).
/// let setup = decode("cluster=dgx-a100-80&model=falcon-40b&gpus=8&framework=transformers").scenario.setup();
/// assert!((initialisation(&setup, false).gb() / 1280.0 - 1.0).abs() < 0.06);
/// // Llama 2 7B on rank 0 alone: 26,415 MiB measured (the gist beside [`processes`]).
/// let setup = decode("cluster=dgx-a100-80&model=llama-2-7b&gpus=8&framework=transformers").scenario.setup();
/// assert!((initialisation(&setup, true).gib() * 1024.0 / 26_415.0 - 1.0).abs() < 0.03);
/// ```
pub fn initialisation(setup: &Setup, deferred: bool) -> Bytes {
    let once = loaded_once(setup).filter(|_| deferred).map(|bytes| bytes / ranks(setup));
    max_host_bytes(setup, &|_, params| {
        let params = &params.held;
        if let Some(bytes) = once {
            return bytes * params.all();
        }
        let layer = params.layer + params.expert_unit;
        let unit = params.root.max(layer);
        // If stages are averaged, a stage may hold less than one expert layer.
        INITIAL_BYTES * if deferred { unit.min(params.all()) } else { params.all() }
    })
}

/// Returns the memory of the busiest host while a checkpoint of S bytes is written: all of S if one
/// rank gathers it (`FULL_STATE_DICT` to the CPU of rank 0), otherwise the host's own share of the
/// state on the GPUs, `S r / N` times the part of the state that is not offloaded.
///
/// r ranks on the host, of N. Offloaded data is written in place: `.cpu()`, with which PyTorch
/// fetches a tensor to write it (`_SerialCpuLoader` in
/// `torch/distributed/checkpoint/filesystem.py`), does not copy tensors that are on the CPU.
///
/// ```
/// # use engine::{model::run::host::checkpoint, units::Bytes};
/// let setup = catalog::default_scenario().setup(); // 64 GPUs, 4 to a node
/// // fp32 weights and Adam's moments: 12 of the 4 to 16 bytes a parameter (docs/book/model/run.md)
/// let size = Bytes::new(12.0 * 13e9);
/// assert_eq!(checkpoint(&setup, size, false).gb(), 156.0);
/// assert_eq!(checkpoint(&setup, size, true).gb(), 156.0 / 16.0);
/// ```
pub fn checkpoint(setup: &Setup, size: Bytes, sharded: bool) -> Bytes {
    if sharded { size * (on_gpus(setup) * ranks(setup) / f64::from(setup.mesh.gpus().max(1))) } else { size }
}

/// Returns the part of weights and optimizer state that is not offloaded, 0 to 1, on the stage with
/// the largest part.
pub fn on_gpus(setup: &Setup) -> f64 {
    if !setup.offload.optimizer && !setup.offload.parameters {
        return 1.0;
    }
    let stays = Setup { choices: Choices { offload: Offload::NONE, ..setup.choices }, ..*setup };
    let of = |setup: &Setup, stage: &Stage| {
        let states = states::gpu_states(setup, &stage.params);
        (states.weights + states.optimizer).get()
    };
    let mut most: f64 = 0.0;
    for stage in stages(setup).iter() {
        let (here, all) = (of(setup, stage), of(&stays, stage));
        most = most.max(if all > 0.0 { here / all } else { 0.0 });
    }
    most.min(1.0)
}

/// Returns the host memory that offloading takes for the whole run: optimizer state, weights and
/// gradients, and kept activations, if offloaded and not on the host's drives, each rank its own
/// part. Buffers for drives are comparatively small and not counted.
///
/// ```
/// # use engine::model::run::host::offload;
/// // ZeRO-Offload's 12 bytes of fp32 state a parameter (arXiv 2101.06840), 13B parameters over 64 GPUs, 4 to a node.
/// let mut setup = catalog::default_scenario().setup();
/// setup.recipe = engine::model::training::PrecisionPolicy::ZeroMixed;
/// assert_eq!(offload(&setup).get(), 0.0);
/// setup.offload.optimizer = true;
/// let params = setup.architecture.params() as f64;
/// assert_eq!(offload(&setup).get(), 12.0 * params / 64.0 * 4.0);
/// ```
pub fn offload(setup: &Setup) -> Bytes {
    let setup = &setup.at_longest();
    let stays = Setup { choices: Choices { offload: Offload::NONE, ..setup.choices }, ..*setup };
    let element = recipe_bytes(setup.recipe).activation;
    max_host_bytes(setup, &|stage, params| {
        let (all, here) = (states::gpu_states(&stays, params), states::gpu_states(setup, params));
        let on_drives = |lies: bool, bytes: Bytes| if lies { bytes } else { Bytes::ZERO };
        let states = all.total()
            - here.total()
            - on_drives(setup.offload.state_on_drives(), all.optimizer - here.optimizer)
            - on_drives(setup.offload.weights_on_drives(), all.weights - here.weights);
        let kept = if setup.offload.activations { activations::layer(setup, element, &stage.blocks).kept } else { 0.0 };
        // The part of paged state that does not fit on the GPU.
        let paged = states::paged(setup, params) - evicted(setup, stage);
        (states - paged).get() + kept * tokens(setup) * params.held.layers * stage.in_flight
    })
}

/// Returns the host memory of training state that leaves the GPUs while an engine generates there.
fn moved(setup: &Setup) -> Bytes {
    max_host_bytes(setup, &|stage, _| rollout::moved(setup, stage).get())
}

/// Extra memory of pinned buffers, over the offloaded data. DeepSpeed's own estimates multiply by
/// 1.5 (`additional_buffer_factor` in `runtime/zero/stage3.py`), and PyTorch rounds every pinned
/// block up to a power of two, which is a factor of 1.44 over blocks of all sizes.
pub const PINNED: f64 = 0.5;

/// Returns the extra host memory of pinned buffers for offloaded data: half as much.
///
/// ```
/// # use engine::model::run::host::pinned;
/// // DeepSpeed's estimate for 2,851M parameters, all offloaded from 8 GPUs: 18 bytes each, and 1.5 times that (#1536: 71.71 GB
/// // of 2^30 bytes). Its 18 bytes are 2 for weights, 4 for fp32 gradients and 12 of state.
/// let offloaded = engine::units::Bytes::new(18.0 * 2851e6);
/// assert_eq!(((offloaded + pinned(offloaded)).gib() * 10.0).round(), 717.0);
/// ```
pub fn pinned(offloaded: Bytes) -> Bytes {
    offloaded * PINNED
}

//! Remarks about a message besides the tensor: holders of the memory, and memory that no setting of
//! the run frees.

use super::changes::bytes;
use super::message::{Activity, Device, Message, Source, Told};
use catalog::{ACCELERATORS, AcceleratorEntry};
use engine::model::hardware::Generation;
use engine::model::report::{MemoryPart, Report};
use engine::scenario::Scenario;

/// Share of the capacity above which unallocated memory, memory of other processes and memory
/// outside PyTorch are reported.
const WORTH: f64 = 0.03;
/// Relative difference of capacities above which the message comes from another GPU than the
/// scenario's.
const OTHER_GPU: f64 = 0.06;
/// Relative difference below which two GPUs have equal capacity, and the maximum number of GPUs
/// named.
const SAME_GPU: f64 = 0.015;
const MOST_NAMED: usize = 4;
/// Sizes requested by the allocator for any tensor of 1 to 10 MiB, and for any smaller tensor.
const GENERIC: [f64; 2] = [20_971_520.0, 2_097_152.0];

/// Returns whether the requested size is one that any small tensor causes.
pub(super) fn is_generic(message: &Message) -> bool {
    message.source == Source::Allocator && message.wanted.is_some_and(|size| GENERIC.contains(&size.bytes))
}

/// Free memory over the request from which on the GPU was clearly not full.
const CLEARLY: f64 = 1.5;

/// Returns the explanation of a refused request for which the GPU had enough memory left.
pub(super) fn was_not_full(message: &Message) -> Option<String> {
    let (wanted, capacity) = (message.wanted?.bytes, message.capacity?.bytes);
    if message.source != Source::Allocator {
        return None;
    }
    let size = bytes(wanted);
    if let Some(free) = message.free {
        let is_enough = free.bytes >= CLEARLY * wanted && free.bytes > WORTH * capacity;
        return is_enough.then(|| {
            format!(
                "{} were free, more than the {size} requested: the GPU was not full. Another process took the memory at that \
                 moment and gave it back, a limit was set (set_per_process_memory_fraction), or the driver failed.",
                bytes(free.bytes)
            )
        });
    }
    // Intel's messages of some versions do not say what is free.
    let held: f64 = [message.allocated?, message.unallocated?].iter().map(|size| size.bytes).sum();
    let is_enough = message.device.is_none_or(|device| device == Device::Xpu) && held + wanted < 0.9 * capacity;
    is_enough.then(|| {
        format!(
            "PyTorch held only {} of {}, so {size} more would fit: the driver allows no block of this size (Intel's \
             usually ends at 4 GB), or another process holds the rest.",
            bytes(held),
            bytes(capacity)
        )
    })
}

/// Returns remarks about the message.
pub(super) fn remarks(scenario: &Scenario, report: &Report, message: &Message) -> Vec<String> {
    let mut said = Vec::new();
    if was_not_full(message).is_some() {
        holders(message, &mut said);
        return said;
    }
    if is_generic(message) {
        said.push(
            "This size does not identify the tensor: PyTorch's allocator requests 20 MiB for any tensor of 1 to 10 \
             MiB, and 2 MiB for smaller ones. The GPU was already full; the rest of the bar shows what filled it."
                .into(),
        );
    }
    fragmentation(scenario, message, &mut said);
    holders(message, &mut said);
    alive(report, message, &mut said);
    said
}

/// Returns the explanation of a message that names no tensor.
pub(super) fn without_tensor(message: &Message) -> Option<String> {
    let sentence = match message.source {
        Source::Allocator | Source::Recorded | Source::Xla => return None,
        Source::XlaCompiler => match (message.needed, message.capacity) {
            (Some(needed), Some(capacity)) => format!(
                "The compiled program needs {} of a chip with {}: XLA places every buffer before it runs, so no single tensor is the cause.",
                bytes(needed.bytes),
                bytes(capacity.bytes)
            ),
            _ => "The compiled program needs more than the chip has: XLA places every buffer before it runs.".into(),
        },
        Source::Collectives => {
            "NCCL found no memory for its buffers. They are outside PyTorch's allocator, which had reserved the rest: \
             use fewer communicators, a lower NCCL_BUFFSIZE, or torch.cuda.empty_cache() before the first collective."
                .into()
        }
        Source::Library => {
            "cuBLAS or cuDNN found no memory for a handle or a workspace. They are outside PyTorch's allocator, which \
             had reserved the rest (or an earlier index was out of range: run once with CUDA_LAUNCH_BLOCKING=1)."
                .into()
        }
        Source::Driver => {
            "The driver refused memory and does not name the size or the purpose. The request came from outside \
             PyTorch's allocator: another process, a library, or a copy to a GPU that others use."
                .into()
        }
        Source::HostAllocator => "The host's memory ran out, not the GPU's.".into(),
        Source::HostKilled => {
            let taken = match (message.needed, message.capacity) {
                (Some(taken), Some(whole)) => {
                    format!("The host's memory ran out ({} of {} were used)", bytes(taken.bytes), bytes(whole.bytes))
                }
                _ => "The host's memory, or the job's part of it, ran out".to_owned(),
            };
            format!(
                "{taken}, so a process was killed: weights that every process loads, offloaded optimizer state, \
                 gathered checkpoints, or a data loader. The GPU's memory was not the cause. Give the job more of the \
                 host's memory (--mem of Slurm, the limit of the container), or offload and load less at once."
            )
        }
        Source::Killed => {
            "Signal 9 ended the process, and the text does not name the sender. Usually it is the host's kernel, when \
             host memory runs out (check `dmesg | grep -i oom` or `sacct -o State,MaxRSS`): weights that every process \
             loads, offloaded optimizer state, a data loader. A scheduler that stops the job, or torchrun after the \
             failure of another rank, sends it too: look at the first rank that failed. The GPU's memory is not the \
             cause."
                .into()
        }
        Source::Watchdog => {
            let waited = message.waited.map_or_else(String::new, |(seconds, elements)| {
                let of = elements.map_or_else(String::new, |count| format!(" of {} elements", engine::format::count(count)));
                format!(" A collective{of} waited {seconds:.0} s.")
            });
            format!(
                "A process did not come to a collective in time, and NCCL's watchdog ended the others: it is no matter of \
                 memory.{waited} One process died (look for its error, which comes first), hangs in its data or \
                 in saving, or took another branch. TORCH_NCCL_TRACE_BUFFER_SIZE=2000 says which; a longer timeout \
                 helps only where a process is slow."
            )
        }
        Source::Told(what) => told(what).to_owned(),
        Source::SharedMemory => {
            "The data loader's shared memory ran out, not the GPU's: give the container more (--shm-size, --ipc=host), or use fewer workers."
                .into()
        }
    };
    Some(sentence)
}

/// Returns the explanation of an error of NCCL, of vLLM or of the loading of weights.
fn told(what: Told) -> &'static str {
    match what {
        Told::NcclSystem => {
            "NCCL reports that a system call failed (a socket, shared memory, a driver or a network card): it is no \
             matter of the GPU's memory. If the last error is a closed connection, another process ended first: look \
             for its error. Else run once with NCCL_DEBUG=INFO, whose NCCL WARN line names the call, and check the \
             network's interface (NCCL_SOCKET_IFNAME), the container's /dev/shm (--shm-size, --ipc=host) and its \
             limit of locked memory."
        }
        Told::NcclCuda => {
            "NCCL reports that a call of CUDA failed, and not for lack of memory as far as the text says. Run once \
             with NCCL_DEBUG=INFO, whose NCCL WARN line names the call; check that the driver is new enough for \
             this CUDA and this NCCL, that no two processes have one GPU (set the device by the local rank), and \
             the driver's messages (dmesg, Xid)."
        }
        Told::NcclInternal => {
            "A check inside NCCL failed: it is no matter of the GPU's memory as far as the text says. Run once with \
             NCCL_DEBUG=INFO, whose NCCL WARN line says which; usually it is the network (interfaces, a plugin of \
             the cloud), a topology in NCCL_TOPO_FILE or NCCL_GRAPH_FILE, or processes with different versions of \
             NCCL."
        }
        Told::NcclRemote => {
            "NCCL lost the connection to another process: that one ended, or the network failed. It is no matter of \
             memory on the process that says so. Look for the first error of the other ranks; if they have none, \
             check that the nodes reach each other (addresses, ports, NCCL_SOCKET_IFNAME) with NCCL_DEBUG=INFO."
        }
        Told::NcclUsage => {
            "NCCL was used in a way that it forbids: usually two processes have the same GPU, as where more processes \
             are started than there are GPUs, or where the device is not set by the local rank. It is no matter of \
             memory. NCCL_DEBUG=WARN names the cause."
        }
        Told::KvCache => {
            "vLLM has too little of the GPU left for its cache of keys and values: its weights and its share of the GPU \
             (gpu_memory_utilization) leave less than one sequence of max_model_len tokens needs. It is the generation's \
             cache, not the training's step: lower max_model_len to what prompt and answer need, raise \
             gpu_memory_utilization, shard over more GPUs (tensor_parallel_size), or free what else is on them."
        }
        Told::VllmStart => {
            "vLLM found less of the GPU free than it should take (gpu_memory_utilization): something else is on it, \
             such as the trainer, another vLLM or a process that did not end. End that, or lower \
             gpu_memory_utilization to what is free."
        }
        Told::VllmWake => {
            "vLLM woke up and found no memory for its weights and its cache: what trains on the same GPU still holds \
             it. Lower gpu_memory_utilization, or have the trainer's weights and optimizer state offloaded and its \
             cache emptied before the generation."
        }
        Told::Placement => {
            "transformers placed a part of the model's weights on the CPU or the disk, which its quantization does not \
             allow: device_map=\"auto\" found too little free memory on the GPUs for the weights, or a device_map says \
             so. For training give every process its whole model (device_map={\"\": local_rank}), end what else is on \
             the GPU, or take fewer bits or a larger GPU."
        }
    }
}

/// Reports memory that PyTorch's allocator holds without a tensor.
fn fragmentation(scenario: &Scenario, message: &Message, said: &mut Vec<String>) {
    let (Some(unallocated), Some(wanted)) = (message.unallocated, message.wanted) else { return };
    let capacity = message.capacity.map_or(0.0, |size| size.bytes);
    if !matches!(message.source, Source::Allocator | Source::Recorded) || unallocated.bytes < WORTH * capacity {
        return;
    }
    let free = message.free.map_or(0.0, |size| size.bytes);
    let held = bytes(unallocated.bytes);
    let expandable = scenario.segments == engine::model::software::Segments::Expandable;
    let settings = message.device.map_or(Some("PYTORCH_CUDA_ALLOC_CONF"), Device::settings);
    let advice = match settings {
        None => String::new(),
        Some(_) if expandable => " It may belong to another stream or to CUDA graphs.".to_owned(),
        Some(settings) => format!(" {settings}=expandable_segments:True lets it grow blocks in place."),
    };
    let enough = if unallocated.bytes + free >= wanted.bytes {
        "more than requested, but not in one block: fragmentation ended this run"
    } else {
        "less than requested, even in one block"
    };
    said.push(format!("PyTorch's allocator held {held} without a tensor in it, {enough}.{advice}"));
}

/// Reports memory of other processes, and memory of this process outside PyTorch's allocator:
/// context, libraries, NCCL.
fn holders(message: &Message, said: &mut Vec<String>) {
    let capacity = message.capacity.map_or(f64::INFINITY, |size| size.bytes);
    if message.others > WORTH * capacity {
        said.push(format!(
            "Other processes held {} of this GPU: end them, or plan with less memory.",
            bytes(message.others)
        ));
    }
    let torch: f64 = [message.allocated, message.unallocated].into_iter().flatten().map(|size| size.bytes).sum();
    if let Some(process) = message.process.filter(|_| torch > 0.0) {
        let outside = process.bytes - torch;
        if outside > WORTH * capacity {
            said.push(format!(
                "The process held {} outside PyTorch's allocator: the CUDA context, kernels, NCCL's buffers and other libraries.",
                bytes(outside)
            ));
        }
    }
}

/// Returns a question about the GPU model if the capacity in the message differs from the
/// scenario's, with the catalog entries of that capacity.
pub(super) fn other_gpu(report: &Report, message: &Message) -> Option<String> {
    let on_gpu = matches!(message.source, Source::Allocator | Source::Recorded | Source::Xla | Source::XlaCompiler);
    let (capacity, usable) = (message.capacity.filter(|_| on_gpu)?.bytes, report.memory.capacity.get());
    if (capacity / usable - 1.0).abs() <= OTHER_GPU {
        return None;
    }
    let whose = match message.device {
        Some(Device::Npu) => "NPU",
        Some(Device::Mps) => "Mac",
        _ if matches!(message.source, Source::Xla | Source::XlaCompiler) => "chip",
        _ => "GPU",
    };
    let away = |entry: &AcceleratorEntry| (capacity / entry.values.usable_memory().get() - 1.0).abs();
    let is_xla = matches!(message.source, Source::Xla | Source::XlaCompiler);
    let is_own = |entry: &&AcceleratorEntry| {
        let is_of_xla = matches!(entry.values.generation, Generation::Tpu | Generation::Trainium);
        is_of_xla == is_xla || is_xla && entry.values.generation.has_cuda()
    };
    let near = ACCELERATORS.iter().filter(|entry| away(entry) <= SAME_GPU).filter(is_own);
    let mut near: Vec<&AcceleratorEntry> = near.collect();
    // Those that clouds rent out are the more likely ones.
    let order = |entry: &AcceleratorEntry| (entry.price.is_none(), away(entry));
    near.sort_by(|one, other| order(one).0.cmp(&order(other).0).then(order(one).1.total_cmp(&order(other).1)));
    let names: Vec<&str> = near.iter().take(MOST_NAMED).map(|entry| entry.name).collect();
    let known = match names.split_last() {
        // The catalog has no NPUs and no Macs.
        _ if !matches!(message.device, None | Some(Device::Cuda | Device::Hip | Device::Xpu)) => String::new(),
        None => String::new(),
        Some((last, [])) => format!(" {last} has this capacity."),
        Some(_) => format!(" {} have this capacity.", engine::format::listed(&names)),
    };
    Some(format!(
        "Which {whose} is it? The message's has {}, the scenario's {}.{known}",
        bytes(capacity),
        bytes(usable)
    ))
}

/// Compares the allocated memory in the message with the prediction for the scenario.
fn alive(report: &Report, message: &Message, said: &mut Vec<String>) {
    let (Some(allocated), Some(wanted)) = (message.allocated, message.wanted) else { return };
    let alive = allocated.bytes + wanted.bytes;
    let predicted = report.memory.allocated.get();
    let parts = report.memory.parts;
    let rest: f64 = [MemoryPart::Weights, MemoryPart::Gradients, MemoryPart::Optimizer]
        .into_iter()
        .map(|part| parts.get(part).get())
        .sum();
    if alive < rest && message.doing != Some(Activity::Loading) {
        said.push(format!(
            "Tensors held {} with this one; the scenario's weights, gradients and optimizer state take {}: the run is \
             sharded or trained differently, or failed before its first update.",
            bytes(alive),
            bytes(rest)
        ));
    } else if alive > 1.15 * predicted {
        said.push(format!(
            "Tensors held {} with this one; the predicted peak of the scenario is {}: a setting differs.",
            bytes(alive),
            bytes(predicted)
        ));
    }
}

//! Parses out-of-memory messages: which allocator failed, the requested size, and the holders of
//! the remaining memory.

use super::size::{Printed, size_after, size_at, size_before};
use serde::{Deserialize, Serialize};

/// Component that ran out of memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// PyTorch's GPU allocator, which requests the size of one tensor from the driver.
    Allocator,
    /// PyTorch's memory history of a request, which has the tensor's size rounded up to 512 bytes.
    Recorded,
    /// XLA at run time: JAX, MaxText, PyTorch/XLA.
    Xla,
    /// XLA at compile time: the program needs more memory than the chip has.
    XlaCompiler,
    /// NCCL, which allocates its buffers from the driver.
    Collectives,
    /// cuBLAS or cuDNN, which allocate a handle or a workspace from the driver.
    Library,
    /// The driver, without a stated purpose.
    Driver,
    /// The host's allocator.
    HostAllocator,
    /// The host's kernel or a host memory monitor, which killed the process.
    HostKilled,
    /// The process was ended by signal 9 of unknown origin.
    Killed,
    /// The host's shared memory, which a data loader uses to pass batches.
    SharedMemory,
    /// NCCL's watchdog, which ends a collective that not every process joined in time. It is no
    /// matter of memory.
    Watchdog,
    /// A library that reports what is no matter of the training step's memory.
    #[serde(untagged)]
    Told(Told),
}

/// Report of NCCL, of vLLM or of the loading of weights, which says itself what failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Told {
    /// NCCL's `ncclSystemError`: a system call failed. It is no matter of the GPU's memory.
    NcclSystem,
    /// NCCL's `ncclUnhandledCudaError`: a call of CUDA failed for another reason than memory.
    NcclCuda,
    /// NCCL's `ncclInternalError`: a check inside NCCL failed.
    NcclInternal,
    /// NCCL's `ncclRemoteError`: another process or the network ended a connection.
    NcclRemote,
    /// NCCL's `ncclInvalidUsage`: the processes use NCCL in a way that it forbids.
    NcclUsage,
    /// vLLM's cache of keys and values, for which too little of the GPU is left.
    KvCache,
    /// vLLM's start, which finds less memory free than it is told to take.
    VllmStart,
    /// vLLM's allocator, which takes its weights and cache back onto the GPU after it slept.
    VllmWake,
    /// The weights of a quantized model, of which a part found no place on the GPUs.
    Placement,
}

/// Operation that the program was executing, according to the traceback.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Activity {
    /// Loading weights or moving weights to the GPU.
    Loading,
    /// Forward pass of a layer.
    Forward,
    /// Attention scores.
    Attention,
    /// The head and the loss.
    Loss,
    /// Backward pass.
    Backward,
    /// Gathering weights, or reducing gradients.
    Communication,
    /// The optimizer update.
    Optimizer,
}

/// Device type in a message of PyTorch's allocator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Device {
    /// NVIDIA, or AMD if the message says CUDA.
    Cuda,
    /// AMD.
    Hip,
    /// Intel.
    Xpu,
    /// Huawei Ascend.
    Npu,
    /// Apple.
    Mps,
    /// Moore Threads.
    Musa,
}

impl Device {
    /// The word before “out of memory”.
    const WORDS: [(&'static str, Self); 6] = [
        ("CUDA", Self::Cuda),
        ("HIP", Self::Hip),
        ("XPU", Self::Xpu),
        ("NPU", Self::Npu),
        ("MPS backend", Self::Mps),
        ("MUSA", Self::Musa),
    ];

    /// Returns the environment variable of the allocator's settings; `None` if the device's
    /// allocator has no expandable segments.
    pub(super) const fn settings(self) -> Option<&'static str> {
        match self {
            Self::Cuda => Some("PYTORCH_CUDA_ALLOC_CONF"),
            Self::Hip => Some("PYTORCH_HIP_ALLOC_CONF"),
            Self::Npu => Some("PYTORCH_NPU_ALLOC_CONF"),
            Self::Xpu | Self::Mps | Self::Musa => None,
        }
    }
}

/// Content of a message. Values that are missing from the message are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Component that ran out of memory.
    pub source: Source,
    /// Device type, if the message names the device.
    pub device: Option<Device>,
    /// Requested size.
    pub wanted: Option<Printed>,
    /// Memory capacity of the GPU that is available to programs.
    pub capacity: Option<Printed>,
    /// Free part of the capacity.
    pub free: Option<Printed>,
    /// Memory held by this process, including context and libraries.
    pub process: Option<Printed>,
    /// Memory held by other processes, in bytes.
    pub others: f64,
    /// Memory held by PyTorch's tensors.
    pub allocated: Option<Printed>,
    /// Memory reserved by PyTorch's allocator but not allocated to tensors.
    pub unallocated: Option<Printed>,
    /// Memory that a compiled program needs, or that the host's processes used when one was killed.
    pub needed: Option<Printed>,
    /// Operation that the program was executing.
    pub doing: Option<Activity>,
    /// Seconds that a collective waited, and its elements.
    pub waited: Option<(f64, Option<f64>)>,
}

/// Bytes read from the start of the message. PyTorch's longest message, with several processes,
/// takes about 1,500.
const LENGTH: usize = 3000;

/// Reads the first message in a text.
pub(super) fn parse_message(text: &str) -> Option<Message> {
    let (at, source) = start(text)?;
    let message = ahead(text, at, LENGTH);
    let doing = doing(text.get(..at).unwrap_or_default());
    let empty = Message {
        source,
        device: device(text, at),
        wanted: None,
        capacity: None,
        free: None,
        process: None,
        others: 0.0,
        allocated: None,
        unallocated: None,
        needed: None,
        doing,
        waited: None,
    };
    let read = match source {
        Source::Allocator => allocator(message, empty),
        Source::Xla | Source::XlaCompiler => xla(message, empty),
        Source::Collectives => {
            Message { wanted: size_after(message, "calloc ").or(size_after(message, "alloc ")), ..empty }
        }
        Source::HostAllocator => {
            let asked =
                ["tried to allocate ", "Unable to allocate "].into_iter().find_map(|of| size_after(message, of));
            Message { wanted: asked, ..empty }
        }
        Source::HostKilled => {
            // Ray's: `was running was 957.11GB / 1007.50GB (0.95)`.
            let taken = size_after(message, "was running was ");
            let whole = taken.and_then(|_| size_after(message.get(message.find("was running was ")?..)?, "/ "));
            Message { needed: taken, capacity: whole, ..empty }
        }
        Source::Watchdog => Message { waited: waited(message), ..empty },
        Source::Recorded
        | Source::Library
        | Source::Driver
        | Source::Killed
        | Source::SharedMemory
        | Source::Told(_) => empty,
    };
    Some(read)
}

/// Substrings that identify a message, most specific first.
const MARKS: [(&str, Source); 42] = [
    ("out of memory. Tried to allocate", Source::Allocator),
    ("backend out of memory", Source::Allocator),
    ("can NOT allocate memory block with size larger", Source::Allocator),
    ("Ran out of memory in memory space", Source::XlaCompiler),
    ("RESOURCE_EXHAUSTED", Source::Xla),
    ("ResourceExhaustedError", Source::Xla),
    ("Resource exhausted", Source::Xla),
    ("Failed to CUDA calloc", Source::Collectives),
    ("Failed to CUDA malloc", Source::Collectives),
    ("NCCL WARN Cuda failure 'out of memory'", Source::Collectives),
    ("NCCL WARN Cuda failure 2 'out of memory'", Source::Collectives),
    ("Cuda failure 2 'out of memory'", Source::Collectives),
    ("Cuda failure 'out of memory'", Source::Collectives),
    ("CUBLAS_STATUS_ALLOC_FAILED", Source::Library),
    ("CUDNN_STATUS_ALLOC_FAILED", Source::Library),
    ("CUBLAS_STATUS_NOT_INITIALIZED", Source::Library),
    ("DefaultCPUAllocator", Source::HostAllocator),
    ("Unable to allocate ", Source::HostAllocator),
    ("std::bad_alloc", Source::HostAllocator),
    ("Cannot allocate memory", Source::HostAllocator),
    ("\nMemoryError", Source::HostAllocator),
    ("insufficient shared memory", Source::SharedMemory),
    ("killed by signal: Bus error", Source::SharedMemory),
    ("CUDA error: out of memory", Source::Driver),
    ("CUDA driver error: out of memory", Source::Driver),
    ("hipErrorOutOfMemory", Source::Driver),
    ("HIP error: out of memory", Source::Driver),
    ("UR_RESULT_ERROR_OUT_OF_DEVICE_MEMORY", Source::Driver),
    ("UR_RESULT_ERROR_OUT_OF_RESOURCES", Source::Driver),
    ("cudaErrorMemoryAllocation", Source::Driver),
    ("CUDA out of memory", Source::Driver),
    ("NPU out of memory", Source::Driver),
    ("EL0004: ", Source::Driver),
    ("Watchdog caught collective operation timeout", Source::Watchdog),
    ("Watchdog caught collective operation time-out", Source::Watchdog),
    // vLLM: vllm/worker/worker.py of 0.x, vllm/v1/core/kv_cache_utils.py, vllm/v1/worker/utils.py.
    ("No available memory for the cache blocks", Source::Told(Told::KvCache)),
    ("tokens that can be stored in KV cache", Source::Told(Told::KvCache)),
    ("larger than the available KV cache memory", Source::Told(Told::KvCache)),
    ("larger than the available KV Cache memory", Source::Told(Told::KvCache)),
    ("is less than desired GPU memory utilization", Source::Told(Told::VllmStart)),
    ("/cumem_allocator.cpp", Source::Told(Told::VllmWake)),
    // transformers: quantizers/quantizer_bnb_4bit.py, and before that modeling_utils.py.
    ("Some modules are dispatched on the CPU", Source::Told(Told::Placement)),
];

/// Substrings that report exhausted host memory: from the kernel, Slurm, Kubernetes and Ray.
const HOST_KILLED: [&str; 12] = [
    "oom-kill",
    "oom_kill",
    "OOMKilled",
    "OOM Killed",
    "Out of memory: Killed process",
    "Memory cgroup out of memory",
    "due to memory pressure (OOM)",
    "due to the node running low on memory",
    // Ray's message without its first line, and Ray's before 2.2.
    "Memory on the node (",
    "RayOutOfMemoryError",
    "Exceeded job memory limit",
    ": Out Of Memory",
];

/// Substrings that report a process ended by signal 9: from the shell, torchrun, DeepSpeed, Python
/// and PyTorch's data loader.
const KILLED: [&str; 15] = [
    "return code = -9",
    "exitcode: -9",
    "exitcode : -9",
    "exitcode  : -9",
    "exit code -9",
    "exit code 137",
    "exit code: 137",
    "Exit code: 137",
    "exited with code 137",
    "(SIGKILL)",
    "signal SIGKILL",
    "Signals.SIGKILL",
    "is killed by signal: Killed",
    " Killed     ",
    "\nKilled",
];

/// Substrings of NCCL's errors: the strings of `ncclGetErrorString` (NVIDIA/nccl `src/init.cc`)
/// and of PyTorch's `getNcclErrorDetailStr` (`torch/csrc/distributed/c10d/NCCLUtils.cpp`). They
/// come last, as a process that was killed leaves them on the others.
const NCCL: [(&str, Source); 10] = [
    ("ncclUnhandledCudaError", Source::Told(Told::NcclCuda)),
    ("unhandled cuda error", Source::Told(Told::NcclCuda)),
    ("ncclInvalidUsage", Source::Told(Told::NcclUsage)),
    ("NCCL error: invalid usage", Source::Told(Told::NcclUsage)),
    ("ncclInternalError", Source::Told(Told::NcclInternal)),
    ("internal error - please report this issue to the NCCL developers", Source::Told(Told::NcclInternal)),
    ("ncclSystemError", Source::Told(Told::NcclSystem)),
    ("unhandled system error", Source::Told(Told::NcclSystem)),
    ("ncclRemoteError", Source::Told(Told::NcclRemote)),
    ("remote process exited or there was a network error", Source::Told(Told::NcclRemote)),
];

fn start(text: &str) -> Option<(usize, Source)> {
    let killed = HOST_KILLED.iter().map(|mark| (*mark, Source::HostKilled));
    let killed = killed.chain(KILLED.iter().map(|mark| (*mark, Source::Killed)));
    for (mark, source) in MARKS.iter().copied().chain(killed).chain(NCCL) {
        // A match after dashes is an option, such as Slurm's `--oom-kill-step`.
        let mut places = text.match_indices(mark).map(|(at, _)| at);
        if let Some(at) = places.find(|at| !text.get(..*at).is_some_and(|before| before.ends_with("--"))) {
            return Some((at, source));
        }
    }
    None
}

/// Returns the device type named by the word before a mark.
fn device(text: &str, at: usize) -> Option<Device> {
    let before = text.get(..at)?.trim_end();
    let words = || Device::WORDS.into_iter();
    let found = words().find(|(word, _)| before.ends_with(word));
    // Some marks begin with the word.
    let found = found.or_else(|| words().find(|(word, _)| text.get(at..).is_some_and(|rest| rest.starts_with(word))));
    found.map(|(_, device)| device)
}

/// Returns at most `length` bytes of text from a position, cut at a character boundary.
fn ahead(text: &str, at: usize, length: usize) -> &str {
    let end = (at..=text.len().min(at.saturating_add(length))).rev().find(|end| text.is_char_boundary(*end));
    text.get(at..end.unwrap_or(at)).unwrap_or_default()
}

/// Parses a line of `ProcessGroupNCCL`: `NumelIn=466119168, ... ran for 600060 milliseconds`.
fn waited(message: &str) -> Option<(f64, Option<f64>)> {
    let number = |after: &str| {
        let rest = message.split_once(after)?.1;
        let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
        rest.get(..end)?.parse::<f64>().ok()
    };
    let milliseconds = number("ran for ").or_else(|| number("Timeout(ms)="))?;
    Some((milliseconds / 1000.0, number("NumelIn=")))
}

/// Parses PyTorch's messages, from 0.4 to 2.9, on CUDA, HIP, XPU and MPS.
fn allocator(message: &str, empty: Message) -> Message {
    let wanted = size_after(message, "Tried to allocate ");
    // Later messages in the text belong to other ranks.
    let message = match message.match_indices("out of memory. Tried").nth(1) {
        Some((next, _)) => message.get(..next).unwrap_or(message),
        None => message,
    };
    let capacity = ["total capacity of ", "total capacty of ", "max allowed: "];
    let capacity = capacity.into_iter().find_map(|phrase| size_after(message, phrase));
    let capacity = capacity.or_else(|| size_before(message, " total capacity"));
    let free = size_before(message, " is free").or_else(|| size_before(message, " free;"));
    let allocated =
        size_before(message, " is allocated by PyTorch").or_else(|| size_before(message, " already allocated"));
    let allocated = allocated.or_else(|| size_after(message, "MPS allocated: "));
    let reserved = size_before(message, " reserved in total by PyTorch").map(|reserved| reserved.bytes);
    let cached = size_before(message, " cached)");
    let unallocated = size_before(message, " is reserved by PyTorch but unallocated").or(cached);
    let beyond = |reserved: f64| {
        let within = allocated.map_or(0.0, |of| of.within);
        let bytes = (reserved - allocated.map_or(reserved, |of| of.bytes)).max(0.0);
        Printed { bytes, within }
    };
    let unallocated = unallocated.or_else(|| reserved.map(beyond));
    let own = size_after(message, "this process has ");
    let held: f64 = [allocated, unallocated].into_iter().flatten().map(|size| size.bytes).sum();
    let (process, others) = processes(message, own, held);
    Message { wanted, capacity, free, process, others, allocated, unallocated, ..empty }
}

/// Sizes above this bound are invalid: a wrapped unsigned 64-bit number is printed as
/// 17179869184.00 GiB.
const MOST: f64 = 1e15;

/// Returns the memory of this process and of all other processes. In a container, the process has
/// another number outside and is listed among the others; it is recognized by holding at least the
/// memory of PyTorch's allocator.
fn processes(message: &str, own: Option<Printed>, held: f64) -> (Option<Printed>, f64) {
    let listed = message.match_indices("Process ").filter_map(|(at, of)| {
        let rest = message.get(at + of.len()..)?;
        size_at(rest.get(rest.find(" has ")? + 5..)?)
    });
    let mut listed: Vec<Printed> = listed.filter(|size| size.bytes < MOST).collect();
    let mut own = own.filter(|size| size.bytes < MOST && size.bytes > 0.0);
    if own.is_none() {
        let enough = listed.iter().position(|size| size.bytes + size.within >= 0.98 * held && held > 0.0);
        own = enough.map(|place| listed.remove(place));
    }
    (own, listed.iter().map(|size| size.bytes).sum())
}

/// Parses XLA's messages.
fn xla(message: &str, empty: Message) -> Message {
    let needed = size_after(message, "Used ");
    let capacity = needed.and_then(|_| size_after(message, " of "));
    let asked = ["trying to allocate ", "Attempting to allocate ", "Attempting to reserve ", "allocate request for "];
    let wanted = asked.into_iter().find_map(|phrase| size_after(message, phrase));
    let free = size_before(message, " free");
    Message { wanted, capacity, free, needed, ..empty }
}

/// Substrings of traceback lines, with the operation of each.
const LINES: [(&str, Activity); 40] = [
    ("from_pretrained", Activity::Loading),
    ("load_state_dict", Activity::Loading),
    ("load_checkpoint", Activity::Loading),
    ("set_module_tensor_to_device", Activity::Loading),
    ("_apply(", Activity::Loading),
    ("in convert", Activity::Loading),
    ("deepspeed.initialize", Activity::Loading),
    ("_configure_distributed_model", Activity::Loading),
    (".forward(", Activity::Forward),
    ("in forward", Activity::Forward),
    ("_call_impl", Activity::Forward),
    ("compute_loss", Activity::Forward),
    ("attn_weights", Activity::Attention),
    ("in eager_attention_forward", Activity::Attention),
    ("torch.baddbmm", Activity::Attention),
    ("_make_causal_mask", Activity::Attention),
    ("cross_entropy", Activity::Loss),
    ("log_softmax", Activity::Loss),
    ("logits.float()", Activity::Loss),
    ("logits.to(", Activity::Loss),
    ("lm_head", Activity::Loss),
    ("shift_logits", Activity::Loss),
    ("per_token_logps", Activity::Loss),
    (".backward(", Activity::Backward),
    ("_engine_run_backward", Activity::Backward),
    ("run_backward(", Activity::Backward),
    ("in backward", Activity::Backward),
    ("all_gather", Activity::Communication),
    ("reduce_scatter", Activity::Communication),
    ("_unshard", Activity::Communication),
    ("ipg_bucket", Activity::Communication),
    ("reduce_and_partition_ipg_grads", Activity::Communication),
    ("optimizer.step", Activity::Optimizer),
    ("optim/adam", Activity::Optimizer),
    ("_foreach_", Activity::Optimizer),
    ("exp_avg", Activity::Optimizer),
    ("multi_tensor_adam", Activity::Optimizer),
    ("_optimizer_step", Activity::Optimizer),
    ("single_partition_of_fp32", Activity::Optimizer),
    ("initialize_optimizer_states", Activity::Optimizer),
];

/// Bytes of traceback before the message that are searched.
const TRACEBACK: usize = 20_000;

/// Returns the operation of the last known line in the traceback before a message.
fn doing(before: &str) -> Option<Activity> {
    let from = before.len().saturating_sub(TRACEBACK);
    let from = (from..=before.len()).find(|at| before.is_char_boundary(*at))?;
    let lines = before.get(from..)?;
    let found = LINES.iter().filter_map(|(line, doing)| Some((lines.rfind(line)?, *doing)));
    found.max_by_key(|(at, _)| *at).map(|(_, doing)| doing)
}

/// Returns the operation of a stack frame, by file and function. Frames of a snapshot have no
/// source text.
pub(crate) fn doing_in(file: &str, function: &str) -> Option<Activity> {
    Some(match function {
        "from_pretrained"
        | "load_state_dict"
        | "load_checkpoint"
        | "set_module_tensor_to_device"
        | "_apply"
        | "convert"
        | "reset_parameters"
        | "init_weights"
        | "to_empty" => Activity::Loading,
        "eager_attention_forward" | "scaled_dot_product_attention" | "_make_causal_mask" | "repeat_kv" => {
            Activity::Attention
        }
        "cross_entropy" | "log_softmax" | "nll_loss" | "fused_linear_cross_entropy_forward" => Activity::Loss,
        "backward" | "_engine_run_backward" | "run_backward" => Activity::Backward,
        "_all_gather_base"
        | "all_gather_into_tensor"
        | "reduce_scatter_tensor"
        | "unshard"
        | "foreach_all_gather"
        | "foreach_reduce" => Activity::Communication,
        "forward" | "_call_impl" | "compute_loss" => Activity::Forward,
        _ if file.contains("/optim/") => Activity::Optimizer,
        _ => return None,
    })
}

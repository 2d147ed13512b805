//! Workspaces of matrix products, which PyTorch's allocator counts and never frees.

use crate::model::layer;
use crate::model::setup::Setup;
use crate::model::trained::ProductsKeep;
use crate::units::Bytes;

/// Threads with a cuBLAS handle, each with its own workspace: the main thread and autograd's.
const THREADS: f64 = 2.0;
/// Streams on which Transformer Engine runs the products of grouped experts, each with a workspace
/// (`num_cublas_streams`).
const GROUPED_STREAMS: f64 = 4.0;
const fn mebibytes(size: f64) -> Bytes {
    Bytes::from_gib(size / 1024.0)
}

/// A workspace from Hopper on.
const LARGE: Bytes = mebibytes(32.0);
/// PyTorch's workspace on older GPUs: two of 4 MiB and eight of 16 KiB (`CUBLAS_WORKSPACE_CONFIG`
/// :4096:2:16:8).
const SMALL: Bytes = mebibytes(8.125);
/// Transformer Engine's workspace on older GPUs.
const SMALL_ENGINE: Bytes = mebibytes(4.0);

/// Returns the workspaces of matrix products under Megatron-Core: PyTorch's
/// (`aten/src/ATen/cuda/CublasHandlePool.cpp`), Transformer Engine's
/// (`get_cublas_workspace_size_bytes`) and, if experts run as grouped products, four more of
/// Transformer Engine's. The allocated memory that Megatron-LM's continuous integration logs
/// between steps is the sum of states and workspaces, to a few MiB: 554.6 MiB on an H100 and 526.6
/// on an A100 for 64.1 million parameters on 8 GPUs
/// (`gpt3_mcore_te_tp1_pp1_resume_torch_dist_dist_optimizer`, whose deterministic runs give cuBLAS
/// 32 MiB on both).
///
/// ```
/// # use links::decode;
/// # use engine::model::memory::workspaces;
/// let of = |link: &str| workspaces(&decode(link).scenario.setup()).gib() * 1024.0;
/// assert_eq!(of("cluster=dgx-h100&framework=megatron"), 96.0);
/// assert_eq!(of("cluster=dgx-a100-80&framework=megatron"), 20.25);
/// assert_eq!(of("cluster=dgx-h100&framework=megatron&model=deepseek-v3"), 224.0);
/// assert_eq!(of("cluster=dgx-h100"), 0.0);
/// ```
pub fn workspaces(setup: &Setup) -> Bytes {
    // Without a context, only tensors count, as the bounds assume.
    if !setup.traits().keeps_workspaces || setup.overheads.context <= Bytes::ZERO {
        return Bytes::ZERO;
    }
    let generation = setup.accelerator.generation;
    let (of_torch, of_engine) = if generation.is_from_hopper() {
        (LARGE, LARGE)
    } else if generation.is_before_hopper() {
        (SMALL, SMALL_ENGINE)
    } else {
        (Bytes::ZERO, Bytes::ZERO)
    };
    let grouped = setup.experts.grouped && setup.architecture.has_experts();
    let streams = 1.0 + if grouped { GROUPED_STREAMS } else { 0.0 };
    THREADS * of_torch + streams * of_engine
}

/// Returns the 16-bit copy of a layer's largest quantized matrix, which is alive during its product
/// in either pass (bitsandbytes' `MatMul4Bit`, `functional.dequantize_4bit`). If products keep
/// their matrices, the kept copy is used and nothing is added.
///
/// ```
/// # use links::decode;
/// # use engine::model::memory::dequantized;
/// let of = |link: &str| dequantized(&decode(link).scenario.setup()).gib();
/// // Llama 2 70B: 28,672 x 8,192 elements.
/// assert_eq!(of("model=llama-2-70b&train=lora&base=nf4"), 0.4375);
/// assert_eq!(of("model=llama-2-70b&train=lora"), 0.0);
/// ```
pub fn dequantized(setup: &Setup) -> Bytes {
    const HALF: f64 = 2.0;
    if !setup.dequantizes() || setup.trained.kept_by_products() == ProductsKeep::Matrices {
        return Bytes::ZERO;
    }
    Bytes::new(HALF * layer::largest(&setup.architecture, &setup.mesh, |_| 1.0))
}

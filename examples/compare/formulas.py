"""Public formulas for the memory of a training run on one GPU, written again from their sources.

Each function takes a `Run` and returns bytes. The class holds what the formulas ask for, in their units.
The sources are read at these commits:

- huggingface/accelerate @ 16cb6eb80dd9 src/accelerate/commands/estimate.py
- deepspeedai/DeepSpeed @ edaa72212672 deepspeed/runtime/zero/stage3.py, stage_1_and_2.py
- EleutherAI/cookbook @ 827ee3b293a6 calc/calc_transformer_mem.py
- NVIDIA/Megatron-LM @ d98e8a64ddf3 megatron/training/theoretical_memory_usage.py
- kubeflow/mcp-server @ f773f68948ff kubeflow_mcp/trainer/api/planning.py
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# Modes of recomputation of shardwise that Megatron-LM calls selective.
SELECTIVE = ("attention", "selective", "modules")


@dataclass(frozen=True)
class Run:
    """A dense training run. Lengths are tokens, batches sequences, sizes elements."""

    params: float
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    is_gated: bool
    is_rms: bool
    is_tied: bool
    gpus: int
    tp: int
    pp: int
    virtual_stages: int | None
    sequence_parallel: bool
    zero_stage: int
    micro_batch: int
    accumulation: int
    seq: int
    recompute: str
    is_fp32: bool
    base_bytes: float


def accelerate(run: Run) -> float:
    """`accelerate estimate-memory`, column "Training using Adam": one GPU, batch size 1, no activations."""
    fp32 = 4 * run.params
    if run.is_fp32:
        return max(fp32, 2 * fp32, 4 * fp32)
    return max(fp32, fp32 + fp32 / 2, 2 * fp32)


def deepspeed_zero2(run: Run) -> float:
    """`estimate_zero2_model_states_mem_needs` without offload: states of ZeRO-2, no activations."""
    return 2 * run.params + 18 * run.params / run.gpus


def deepspeed_zero3(run: Run) -> float:
    """`estimate_zero3_model_states_mem_needs` without offload: states of ZeRO-3, no activations."""
    largest_layer = run.hidden * max(run.vocab, run.ffn)
    return 4 * largest_layer + 18 * run.params / run.gpus


def eleutherai(run: Run) -> float:
    """`calc_transformer_mem.py` with its defaults; `-ca` where the run recomputes, `-pa` with tensor parallelism."""
    h, layers, tokens = run.hidden, run.layers, run.seq * run.micro_batch
    attention = 2 * (1 + run.kv_heads / run.heads) * layers * h * h
    mlp = (3 if run.is_gated else 2) * layers * h * run.ffn
    params = 2 * run.vocab * h + h * run.seq + (8 * h * layers + 2 * h) + attention + mlp
    low = 4 if run.is_fp32 else 2
    model = params * low / (run.tp * run.pp) / (run.gpus if run.zero_stage == 3 else 1)
    gradients = 4 * params / (run.gpus if run.zero_stage >= 2 else 1)
    optimizer = 12 * params / (run.gpus if run.zero_stage >= 1 else 1)
    buffers = 0.0
    if run.gpus > 1:
        buffers += 5e8 * low if run.zero_stage >= 1 else 0
        buffers += 1e9 * low if run.zero_stage == 3 else 0
    per_value = 16 * 2 + 2
    if run.recompute == "none":
        per_value += (2 * 2 + 1) * run.heads * run.seq / h
    return model + gradients + optimizer + buffers + tokens * h * layers * per_value / run.tp


def eleutherai_flash(run: Run) -> float:
    """`eleutherai` with `-ca` for every run: the other case stores attention scores, which flash kernels do not."""
    return eleutherai(Run(**{**vars(run), "recompute": "attention"}))


def megatron(run: Run) -> float:
    """`report_theoretical_memory` of Megatron-LM for a dense model: states and activations of the first stage."""
    h, tokens = run.hidden, run.seq * run.micro_batch
    vocab = math.ceil(run.vocab / (128 * run.tp)) * 128 * run.tp
    norm = 1 if run.is_rms else 2
    ratio = run.head_dim * run.heads / h
    attention = 2 * h * h * (1 + run.kv_heads / run.heads) * ratio
    mlp = 2 * h * run.ffn * (1.5 if run.is_gated else 1)
    sharded = (attention + mlp) * run.layers / run.pp + h * vocab
    if not run.is_tied and run.pp == 1:
        sharded += h * vocab
    replicated = (2 * h * norm * run.layers + norm * h) / run.pp
    data_parallel = run.gpus / (run.tp * run.pp)
    per_param = 6 + 12 / data_parallel if run.zero_stage else 18
    states = (sharded / run.tp + replicated) * per_param
    if run.sequence_parallel and run.recompute in SELECTIVE:
        activations = tokens * h * (18 + 4 * run.ffn / h) * run.layers + _embedding(run)
        activations *= _in_flight(run)
        if run.pp == 1:
            activations += tokens * h * 4 * (1 + vocab / h)
        return states + activations / run.tp
    activations = tokens * h * (10 + 24 / run.tp) * run.layers + _embedding(run)
    activations *= _in_flight(run)
    if run.pp == 1:
        activations += 2 * (tokens * vocab / run.tp + tokens * h)
    return states + 1.05 * activations


def _embedding(run: Run) -> float:
    """Bytes of the input and the dropout of the embedding, for as many micro-batches as stages."""
    return run.seq * run.micro_batch * run.pp * (8 + run.hidden)


def _in_flight(run: Run) -> float:
    """Factor of the activations for the micro-batches in flight under the pipeline's schedule."""
    if run.virtual_stages is not None:
        return 1 + (run.pp - 1) / (run.pp * run.virtual_stages)
    return min(1, run.accumulation / run.pp) if run.pp > 1 else 1


def kubeflow(run: Run) -> float:
    """`_estimate_from_params` of Kubeflow's MCP server: LoRA on one GPU, in GB of 10^9 bytes before rounding."""
    weights = run.params * run.base_bytes
    return weights + 0.05 * weights + 0.3 * weights * (1 + 0.1 * (run.micro_batch - 1)) + 2e9

"""The report of a scenario. ``None`` stands for what is infinite or not known."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

#: What limits a step.
Limiter = Literal[
    "memory", "inter_node_network", "intra_node_network", "compute", "launch", "pipeline_bubble", "data",
    "rollout",
]
#: How parallel replicas share their state.
Strategy = Literal[
    "ddp", "zero1", "zero1-group", "zero2", "shard-grad-op", "reshard", "full-shard", "hybrid-shard"
]
#: ``fits`` from odds of 0.9, ``does_not_fit`` below 0.1, else ``tight``; ``host_does_not_fit`` where
#: the GPUs have room and the hosts have not.
Verdict = Literal["fits", "tight", "host_does_not_fit", "does_not_fit"]
class Issue(TypedDict):
    """One thing that is wrong: the numbers answer a neighbouring question (``error``), or stand."""

    severity: Literal["note", "error"]
    #: The parameter's key in links, where it is about one.
    key: Optional[str]
    message: str


class Band(TypedDict):
    """From the low end to the high one."""

    low: float
    high: float


class Versions(TypedDict):
    """What the numbers were made with."""

    engine: str
    catalog: int
    calibration: str
    link: int


class Bands(TypedDict):
    """The ranges in which four of five measurements lie; ``None`` of times of a rollout."""

    mfu: Optional[Band]
    tokens_per_s_per_gpu: Optional[Band]
    step_time_s: Optional[Band]
    needed_memory_bytes: Band


class Evidence(TypedDict):
    """What the bands stand on."""

    measured_runs: int
    stack_measured: bool
    median_step_error_percent: Optional[float]
    median_peak_error_percent: Optional[float]
    fitted: bool


class StepTimes(TypedDict):
    """The phases and lanes of a step, in seconds."""

    step: float
    forward: float
    backward: float
    optimizer: float
    compute: float
    comm: float
    exposed_comm: float
    overlapped_comm: float
    inter_node_comm: float
    bubble: float
    exchange: float
    network: float
    contention: float
    launch_bound: float
    loading: float


class MemoryParts(TypedDict):
    """Parts of the peak, in bytes."""

    weights: float
    gradients: float
    optimizer: float
    gathered_weights: float
    unreduced_gradients: float
    activations: float
    working_set: float
    logits: float
    context: float
    fragmentation: float
    other_models: float
    rollout_engine: float
    tower: float
    cache: float


class MemoryStates(TypedDict):
    """State at rest, in bytes."""

    weights: float
    gradients: float
    optimizer: float
    total: float


class Memory(TypedDict):
    """Memory of one GPU at its peak, in bytes."""

    capacity: float
    nominal: float
    needed: float
    cache: float
    free: float
    headroom: float
    peak: float
    allocated: float
    moment: Literal["loss", "backward", "optimizer"]
    parts: MemoryParts
    states: MemoryStates


class ModelSize(TypedDict):
    """Parameters of the model."""

    params: float
    active_params: float
    trained_params: float


class Mesh(TypedDict):
    """The device mesh."""

    dp_replicate: int
    dp_shard: int
    cp: int
    tp: int
    pp: int
    ep: int
    etp: int


class RolloutParts(TypedDict):
    """Memory while tokens are generated, in bytes."""

    training: float
    weights: float
    cache: float
    overhead: float


class RolloutMemory(TypedDict):
    """Memory of one generating GPU, in bytes."""

    parts: RolloutParts
    total: float
    capacity: float
    per_sequence: float


class RolloutTimes(TypedDict):
    """The parts of a step that generates what it trains on, in seconds."""

    step: float
    rollout: float
    sync: float
    prefill: float
    decode: float
    decode_step: float
    moving: float
    scoring: float
    update: float
    critic: float


class RolloutUpdate(TypedDict):
    """One update alone; ``count`` of them follow a rollout."""

    count: float
    time_s: float
    mfu: float
    hfu: float
    tokens_per_s_per_gpu: float
    tflops_per_gpu: float
    limiter: Limiter


class Rollout(TypedDict):
    """Generation, and all of a step that generates what it trains on (PPO, GRPO)."""

    fits: bool
    gpus: int
    own_gpus: int
    sequences: float
    tokens: float
    concurrent_sequences: float
    tokens_per_s: float
    memory_bytes: RolloutMemory
    time_s: RolloutTimes
    update: RolloutUpdate


class Experts(TypedDict):
    """How experts run."""

    dispatcher: Literal["alltoall", "fused"]
    all_to_all: Literal["linear", "2dh"]
    chunks: int
    capacity_factor: float
    imbalance: float
    across_micro_batches: bool
    grouped: bool


class StrategyReach(TypedDict):
    """What a strategy reaches."""

    strategy: Optional[Strategy]
    fits: bool
    fit_odds: float
    verdict: Verdict
    mfu: float
    step_time_s: float
    needed_bytes: float
    largest_model_params: Optional[float]
    longest_sequence_tokens: Optional[float]


class BestBound(TypedDict):
    """The best of the grid search of the bounds."""

    stage: Literal["zero3", "zero1_or_2"]
    kept: float
    tokens: float
    mfu: float
    hfu: float
    tokens_per_s_per_gpu: float


class Bounds(TypedDict):
    """The FSDP bounds after Wang et al. 2025 (arXiv 2504.03655)."""

    free_memory_bytes: float
    tokens_max: float
    tokens_per_s_per_gpu_max: float
    hfu_forward_max: float
    mfu_max: float
    tokens_to_hide_transfer: float
    longest_context_tokens: float
    best: Optional[BestBound]


class Run(TypedDict):
    """The whole run; ``None`` where a number is infinite, as of a run that never ends."""

    steps: Optional[float]
    batch_tokens: Optional[float]
    batch_efficiency: Optional[float]
    ideal_time_s: Optional[float]
    time_s: Optional[float]
    gpu_hours: Optional[float]
    cost_usd: Optional[float]
    energy_kwh: Optional[float]
    emissions_gco2: Optional[float]
    goodput: Optional[float]
    interruptions: Optional[float]
    run_mtbf_s: Optional[float]
    checkpoint_bytes: Optional[float]
    checkpoint_write_s: Optional[float]
    checkpoint_interval_s: Optional[float]
    best_checkpoint_interval_s: Optional[float]
    host_processes_bytes: Optional[float]
    host_init_bytes: Optional[float]
    host_checkpoint_bytes: Optional[float]
    host_offload_bytes: Optional[float]
    host_pinned_bytes: Optional[float]
    host_gpus_bytes: Optional[float]
    host_memory_bytes: Optional[float]
    host_capacity_bytes: Optional[float]


class Report(TypedDict):
    """Everything that an evaluation answers."""

    #: The version of the engine, and the revision of the data sheets.
    shardwise: str
    revision: int
    versions: Versions
    #: The fragment of the scenario's link, without ``#``.
    link: str
    #: Whether the predicted peak is within the GPU's memory, and every host has what the run needs.
    fits: bool
    host_fits: bool
    #: The share of such runs that fit, by the errors of published peaks, 0 to 1.
    fit_odds: float
    verdict: Verdict
    #: What limits the whole step, and the time that it takes; ``None`` where memory limits.
    limiter: Limiter
    limiter_time_s: Optional[float]
    #: Model and hardware FLOPs utilisation, 0 to 1.
    mfu: float
    hfu: float
    tokens_per_s_per_gpu: float
    #: The tokens of one optimizer step.
    tokens_per_step: float
    tflops_per_gpu: float
    step_time_s: float
    #: What one GPU cannot do without: needed + cache + free = the usable capacity.
    needed_memory_bytes: float
    cache_memory_bytes: float
    free_memory_bytes: float
    #: Capacity less needed: negative where the scenario does not fit.
    headroom_memory_bytes: float
    #: Needed + cache: what nvidia-smi shows.
    peak_memory_bytes: float
    band: Bands
    evidence: Evidence
    time_s: StepTimes
    memory_bytes: Memory
    model: ModelSize
    mesh: Mesh
    rollout: Optional[Rollout]
    experts: Optional[Experts]
    strategies: List[StrategyReach]
    bounds: Bounds
    run: Run
    issues: List[Issue]
    #: Every value of the scenario: ``estimate(report["scenario"])`` is this report.
    scenario: Dict[str, Any]

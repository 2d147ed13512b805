"""Rankings, plans, runs on two kinds of GPUs, and sweeps."""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict

from .report import Issue, Report, Verdict

#: What is asked of a plan.
Question = Literal["fewest", "cheapest", "fastest", "context", "model", "batch"]


class RankedLayout(TypedDict):
    """One layout of a ranking."""

    #: Strategy and degrees: ``FSDP FULL_SHARD, tp 2``.
    name: str
    #: Settings in which it differs from the scenario.
    settings: List[str]
    link: str
    #: Whether the scenario's framework can run it.
    runs: bool
    report: Report


class RankResult(TypedDict):
    """The layouts of a scenario that fit, the best first."""

    #: How many layouts were looked at, and how many are valid and fit.
    tried: int
    fit: int
    layouts: List[RankedLayout]
    issues: List[Issue]


class MixedKind(TypedDict):
    """One of two kinds of GPUs."""

    gpu: str
    gpus: int
    alone_tokens_per_s: Optional[float]


class MixedShare(TypedDict):
    """The share of one of two kinds of GPUs."""

    micro_batch: float
    micro_batches: float
    layers: float
    step_time_s: float
    needed_memory_bytes: float
    usable_memory_bytes: float
    fit_odds: float
    fits: bool


class MixedSplit(TypedDict):
    """A split of sequences or layers over two kinds of GPUs."""

    step_time_s: float
    tokens_per_s: float
    fits: bool
    verdict: Verdict
    shares: List[MixedShare]


class Mixed(TypedDict):
    """One run on two kinds of GPUs."""

    kinds: List[MixedKind]
    divided: Literal["sequences", "layers"]
    sequences: float
    tokens_per_step: float
    equal: MixedSplit
    best: Optional[MixedSplit]
    notes: List[str]
    issues: List[Issue]


class PlannedRun(TypedDict):
    """The fastest layout of a number of GPUs, a length, a size or a batch."""

    cluster: str
    clusters: List[str]
    own: bool
    model: Optional[str]
    params: float
    gpus: int
    seq: float
    sequences_per_step: float
    tokens_per_step: float
    layout: str
    settings: List[str]
    micro_batch_size: int
    grad_accum_steps: int
    recompute: str
    mfu: float
    step_time_s: float
    tokens_per_s_per_gpu: float
    needed_memory_bytes: float
    fit_odds: float
    #: The odds to fit and end in time, or cost no more; ``None`` without such a limit.
    limit_odds: Optional[float]
    time_s: Optional[float]
    time_low_s: Optional[float]
    time_high_s: Optional[float]
    gpu_hours: Optional[float]
    price_usd_per_gpu_hour: Optional[float]
    price_source: Optional[str]
    cost_usd: Optional[float]
    cost_low_usd: Optional[float]
    cost_high_usd: Optional[float]
    break_even_usd_per_gpu_hour: Optional[float]
    link: str


class RefusedCluster(TypedDict):
    """A cluster that cannot run the scenario."""

    cluster: str
    why: str


class Plan(TypedDict):
    """The answers to a question, the best first; of clusters the best of each."""

    question: Question
    limit: Optional[float]
    batch_tokens: float
    sure: float
    answers: List[PlannedRun]
    #: Where nothing answers, what misses the deadline or the budget by least.
    nearest: Optional[PlannedRun]
    with_larger_batch: Optional[PlannedRun]
    unchecked: Optional[str]
    #: The runs that no other beats in both days and dollars, the fastest first.
    front: List[PlannedRun]
    visited: int
    evaluated: int
    fit: int
    refused: List[RefusedCluster]
    issues: List[Issue]


#: A column of each axis under the name that it was given by, and columns of the report's numbers.
Sweep = Dict[str, List[Any]]

"""A run's prediction, what was measured of it, and both next to each other."""

from __future__ import annotations

from typing import List, Literal, Optional, TypedDict, Union


class Expectation(TypedDict):
    """A predicted figure with the 10th and 90th percentiles of measured runs of the kind."""

    expected: float
    #: ``None`` where no runs of the kind were measured.
    low: Optional[float]
    high: Optional[float]


class Expected(TypedDict):
    """What a run of a scenario is expected to measure."""

    #: The fragment of the scenario's link, without ``#``.
    link: str
    gpus: int
    tokens_per_step: float
    step_time_s: Expectation
    tokens_per_s_per_gpu: Expectation
    #: Model FLOPs utilisation, 0 to 1.
    mfu: Expectation
    #: Peaks of PyTorch's allocator, on the GPU that holds most.
    max_memory_allocated_bytes: Expectation
    max_memory_reserved_bytes: Expectation


class Measured(TypedDict, total=False):
    """What was measured of a run, and what follows from it; what was not measured is left out."""

    #: How many steps the figures are of, and how the time of a step was formed of theirs.
    steps: int
    basis: Literal["median", "mean"]
    step_time_s: float
    #: The interquartile range of the times over their median.
    spread: float
    #: The median of the later half of the times over that of the earlier half.
    drift: float
    #: Tokens of a step on all GPUs, and whether the run counted them; else the scenario's.
    tokens_per_step: float
    tokens_counted: bool
    tokens_per_s_per_gpu: float
    #: Model FLOPs utilisation, 0 to 1.
    mfu: float
    #: Seconds of a step that the program waited for its next batch.
    data_wait_s: float
    #: Peaks of PyTorch's allocator.
    max_memory_allocated_bytes: float
    max_memory_reserved_bytes: float


class Inside(TypedDict, total=False):
    """Whether each measured figure is inside its range; ``None`` where it cannot be said, as there
    is no range or the step was of another batch."""

    step_time_s: Optional[bool]
    tokens_per_s_per_gpu: Optional[bool]
    mfu: Optional[bool]
    max_memory_allocated_bytes: Optional[bool]
    max_memory_reserved_bytes: Optional[bool]


class Comparison(TypedDict):
    """A measured run next to its prediction."""

    expected: Expected
    measured: Measured
    inside: Inside
    #: Sentences on what makes a figure lie outside its range, the likeliest first.
    causes: List[str]
    notes: List[str]


class WatchedComparison(Comparison):
    """A comparison of a run that is watched."""

    #: The optimizer step at which it was made, from 1.
    step: int


class MeasuredRow(TypedDict):
    """A comparison as a row of a table of measured runs; a blank text is not known."""

    source: str
    #: ISO 8601.
    date: str
    model: str
    gpu: str
    num_gpus: int
    link: str
    measured_step_time_s: Union[float, Literal[""]]
    measured_mfu: Union[float, Literal[""]]
    measured_peak_gib: Union[float, Literal[""]]
    peak_kind: Literal["allocated", "reserved", ""]
    peak_stage: Literal["first", ""]
    #: The tokens of a step over those of the scenario's.
    batch_share: Union[float, Literal[""]]
    ended: Literal["ran"]
    notes: str

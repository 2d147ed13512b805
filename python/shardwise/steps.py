"""Statistics of the times of steps."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .types import Measured

#: First steps that are warm-up: one of so many, at most so many, as crates/diagnose/src/log.rs.
WARM_UP, MOST_WARM_UP = 5, 10
#: Share of a step by which the host is ahead of the GPU above which its median step is not the GPU's.
RUNS_AHEAD = 0.1


def warmed(figures: Sequence[float]) -> list[float]:
    """The figures after the warm-up, in which kernels are tuned and memory is reserved."""
    skipped = min(-(-len(figures) // WARM_UP), MOST_WARM_UP) if len(figures) > 1 else 0
    return list(figures[skipped:])


def statistics(
    times: Sequence[float],
    waits: Sequence[float] = (),
    tokens: Sequence[float] = (),
    *,
    is_first: bool = True,
    ahead: float = 0.0,
) -> Measured:
    """The measured dict of step times in seconds, after the warm-up where these are the first steps.

    The figure is the median, which a few slow steps do not change. Where the host was ``ahead`` of the
    GPU (in seconds) and a few steps wait for it, the median is not of the GPU: then it is the mean.
    """
    warm = warmed(times) if is_first else list(times)
    skipped = len(times) - len(warm)
    middle, mean = median(warm), sum(warm) / len(warm)
    is_ahead = ahead > RUNS_AHEAD * middle and mean > (1 + RUNS_AHEAD) * middle
    half = len(warm) // 2
    ordered = sorted(warm)
    quarter, three = ordered[round((len(warm) - 1) * 0.25)], ordered[round((len(warm) - 1) * 0.75)]
    own: Measured = {
        "steps": len(warm),
        "basis": "mean" if is_ahead else "median",
        "step_time_s": mean if is_ahead else middle,
    }
    if len(warm) > 3 and not is_ahead:
        own["spread"] = (three - quarter) / middle
        own["drift"] = median(warm[half:]) / median(warm[:half])
    if waits:
        own["data_wait_s"] = median(waits[skipped:])
    if len(tokens) == len(times):
        # Steps of different lengths: the rate is of all of them.
        own["tokens_per_step"] = sum(tokens[skipped:]) / len(warm)
        if own["tokens_per_step"] and max(tokens[skipped:]) != min(tokens[skipped:]):
            own["step_time_s"], own["basis"] = mean, "mean"
    return own

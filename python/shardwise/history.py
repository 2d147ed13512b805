"""Reads the history of a run from Weights & Biases or TensorBoard, next to a prediction."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Optional, Union

from . import estimate
from .events import read_events
from .expected import Figure, beside
from .steps import statistics, warmed

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keys import Values
    from ._values import Scenario
    from .types import Comparison, Measured

#: What a logger's row says of time: step, seconds, and tokens so far where they are logged.
Point = tuple[float, float, Optional[float]]
#: Points, the figures of each scalar by its name, and notes on how they were read.
History = tuple[list[Point], dict[str, list[float]], list[str]]

#: Scalars that are measurements, without a prefix such as ``train/``: figure and factor to its unit.
#: torchtitan (components/metrics.py), Megatron-LM (training/training.py), torchtune and transformers'
#: examples, Axolotl (core/trainers/base.py), verl (trainer/ppo, workers), Composer
#: (callbacks/speed_monitor.py, memory_monitor.py), nanotron (trainer.py), OLMo (train.py).
SCALARS: dict[str, tuple[Figure, float]] = {
    "time_metrics/end_to_end(s)": ("step_time_s", 1.0),
    "throughput(tps)": ("tokens_per_s_per_gpu", 1.0),
    "memory/max_reserved(GiB)": ("max_memory_reserved_bytes", 2.0**30),
    "iteration-time": ("step_time_s", 1.0),
    "mem-max-allocated-bytes": ("max_memory_allocated_bytes", 1.0),
    "tokens_per_second_per_gpu": ("tokens_per_s_per_gpu", 1.0),
    "tokens/train_per_sec_per_gpu": ("tokens_per_s_per_gpu", 1.0),
    "peak_memory_alloc": ("max_memory_allocated_bytes", 2.0**30),
    "peak_memory_reserved": ("max_memory_reserved_bytes", 2.0**30),
    "memory/max_allocated (GiB)": ("max_memory_allocated_bytes", 2.0**30),
    "memory/device_reserved (GiB)": ("max_memory_reserved_bytes", 2.0**30),
    "timing_s/step": ("step_time_s", 1.0),
    "perf/throughput": ("tokens_per_s_per_gpu", 1.0),
    "perf/max_memory_allocated_gb": ("max_memory_allocated_bytes", 2.0**30),
    "perf/max_memory_reserved_gb": ("max_memory_reserved_bytes", 2.0**30),
    "throughput/device/tokens_per_sec": ("tokens_per_s_per_gpu", 1.0),
    "throughput/device/tokens_per_second": ("tokens_per_s_per_gpu", 1.0),
    "memory/peak_allocated_mem": ("max_memory_allocated_bytes", 1e9),
    "memory/peak_reserved_mem": ("max_memory_reserved_bytes", 1e9),
    "time_per_iteration_ms": ("step_time_s", 1e-3),
    "tokens_per_sec_per_gpu": ("tokens_per_s_per_gpu", 1.0),
}
#: Prefixes that loggers put before a name.
PREFIXES = ("train/", "actor/", "metrics/")
#: Columns of W&B with the number of the optimizer step, the surest first, and with the time in seconds.
STEPS = ("train/global_step", "trainer/global_step", "training/global_step", "global_step", "iteration", "iter", "step")
TIMES = ("_runtime", "_timestamp")
#: Transformers' count of tokens so far, on all GPUs.
TOKENS = "num_input_tokens_seen"


def compare(
    scenario: Scenario,
    file: Union[str, os.PathLike[str]],
    *,
    step: Optional[str] = None,
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[Values],
) -> Comparison:
    """A run that is over next to what the scenario predicts: a dict as of ``watch(...).report()``.

    ``file`` is a CSV of a W&B run's history (``wandb.Api().run(path).history().to_csv("wandb.csv")``), a
    TensorBoard event file, or a folder of a run's event files. ``step`` names the CSV's column with the
    number of the optimizer step. The time of a step is the run's own figure where it logged one, else
    the median of the differences of time over those of steps, which pauses do not change.

    Scenario, keywords and errors are those of ``estimate``. A file that is not there raises
    ``FileNotFoundError``, one without a measurement ``ValueError``.
    """
    report = estimate(scenario, strict=strict, assume=assume, **values)
    measured, notes = read_history(file, step)
    return beside(report, measured, notes)


def read_history(
    file: Union[str, os.PathLike[str]], step: Optional[str] = None
) -> tuple[Measured, list[str]]:
    """The measured dict (see ``expected``) of a history, and notes on how it was read."""
    path = Path(file)
    if not path.exists():
        raise FileNotFoundError(f"There is no file {file}.")
    is_csv = path.is_file() and path.suffix.lower() == ".csv"
    points, scalars, notes = _table(path, step) if is_csv else _events(path)
    measured: Measured = {}
    for name, figures in scalars.items():
        known = _scalar(name)
        if known is None or not figures:
            continue
        figure, factor = known
        # Memory is a peak, everything else a rate after the warm-up.
        value = max(figures) if "memory" in figure else median(warmed(figures))
        if figure not in measured:
            measured[figure] = value * factor
        measured.setdefault("steps", len(warmed(figures)))
        measured["basis"] = "median"
    if not {"step_time_s", "tokens_per_s_per_gpu"} & set(measured):
        measured.update(_paced(points))
    if not {"step_time_s", "tokens_per_s_per_gpu", "max_memory_allocated_bytes", "max_memory_reserved_bytes"} & set(measured):
        raise ValueError(f"{path.name} has neither a time of steps nor a peak of memory: it needs three logged steps or more, with "
                         "their times.")
    return measured, notes


def _paced(points: Sequence[Point]) -> Measured:
    """Statistics of the times between logged steps; ``points`` are (step, seconds, tokens so far)."""
    first: dict[float, tuple[float, Optional[float]]] = {}
    last: dict[float, tuple[float, Optional[float]]] = {}
    for step, seconds, tokens in sorted(points, key=lambda point: (point[0], point[1])):
        # What is logged later at the same step comes after a pause, as an evaluation does.
        first.setdefault(step, (seconds, tokens))
        last[step] = (seconds, tokens)
    steps = sorted(first)
    times: list[float] = []
    counts: list[float] = []
    lengths: list[float] = []
    for before, after in zip(steps, steps[1:]):
        count, seconds = after - before, first[after][0] - last[before][0]
        # Time runs backwards where a run was resumed.
        if seconds <= 0:
            continue
        times.append(seconds / count)
        counts.append(count)
        tokens_before, tokens_after = last[before][1], first[after][1]
        if tokens_before is not None and tokens_after is not None:
            lengths.append((tokens_after - tokens_before) / count)
    if len(times) < 2:
        return {}
    own = statistics(times)
    own["steps"] = int(sum(warmed(counts)))
    if len(lengths) == len(times):
        own["tokens_per_step"] = median(warmed(lengths))
    return own


def _table(path: Path, step: Optional[str]) -> History:
    """Points, scalars and notes of a W&B CSV."""
    with path.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    names = list(rows[0]) if rows else []
    if step is not None and step not in names:
        raise ValueError(f"{path.name} has no column {step!r}; it has {', '.join(names[:12])}.")
    time = next((name for name in TIMES if name in names), None)
    found = step or next((name for name in STEPS if name in names), None)
    notes = []
    if found is None and "_step" in names:
        found = "_step"
        notes.append("Steps are W&B's _step, which counts what was logged: name the column of optimizer steps with step=….")
    seen = next((name for name in names if name.split("/")[-1] == TOKENS), None)
    scalars = {name: [value for value in (_number(row, name) for row in rows) if value is not None]
               for name in names if _scalar(name) is not None}
    points: list[Point] = []
    for row in rows:
        at, seconds = (_number(row, name) if name else None for name in (found, time))
        if at is not None and seconds is not None:
            points.append((at, seconds, _number(row, seen) if seen else None))
    return points, scalars, notes


def _events(path: Path) -> History:
    """Points, scalars and notes of TensorBoard's event files."""
    files = [path] if path.is_file() else sorted(path.rglob("*tfevents*"))
    folders = sorted({file.parent for file in files})
    if len(folders) > 1:
        raise ValueError(f"{path} has event files of several runs: name one of {', '.join(map(str, folders[:5]))}.")
    if not files:
        raise ValueError(f"{path} has no event file of TensorBoard.")
    points: list[Point] = []
    scalars: dict[str, list[float]] = {}
    tokens: dict[int, float] = {}
    events = [event for file in files for event in read_events(file)]
    for _, step, tag, value in events:
        if tag.split("/")[-1] == TOKENS:
            tokens[step] = value
    for wall_time, step, tag, value in events:
        # Megatron-LM also logs over samples, which are no steps.
        if " vs " not in tag and not tag.startswith("eval/"):
            scalars.setdefault(tag, []).append(value)
        if " vs " not in tag:
            points.append((step, wall_time, tokens.get(step)))
    return points, scalars, []


def _scalar(name: str) -> Optional[tuple[Figure, float]]:
    """Figure and factor of a name, with or without a prefix; ``None`` for a name that is none."""
    for prefix in ("", *PREFIXES):
        if name.startswith(prefix) and name[len(prefix):] in SCALARS:
            return SCALARS[name[len(prefix):]]
    return None


def _number(row: dict[str, str], name: str) -> Optional[float]:
    """A cell as a number; ``None`` where it is blank or none."""
    try:
        value = float(row.get(name) or "nan")
    except (TypeError, ValueError):
        return None
    return value if math.isfinite(value) else None

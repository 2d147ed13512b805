"""Watches a training loop: what was predicted next to what is measured, at a few steps."""

from __future__ import annotations

import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Optional, TypeVar, Union

from . import estimate
from ._objects import is_training_arguments
from .expected import PEAKS, beside, lines
from .rows import append_row, row_of
from .steps import statistics

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keys import Values
    from ._values import Scenario
    from .types import MeasuredRow, Report, WatchedComparison

T = TypeVar("T")
#: The path of a CSV.
RowPath = Union[str, os.PathLike[str], None]
#: What takes a line of text.
Log = Callable[[str], object]


def watch(
    scenario: Scenario = "",
    *,
    at: Iterable[int] = (10, 50),
    row: RowPath = None,
    source: str = "",
    log: Log = print,
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[Values],
) -> Watch:
    """Watches a training loop: reports what is measured next to what the scenario predicts.

    >>> import shardwise
    >>> run = {"model": "llama-3-8b", "cluster": "dgx-h100", "gpus": 8, "seq": 4096, "mbs": 1}
    >>> with shardwise.watch(run, at=(3,), log=lambda text: None) as watched:
    ...     for batch in range(4):
    ...         watched.step()
    >>> watched.report()["measured"]["steps"]
    2

    ``scenario`` is a link, a mapping or a report, with the keywords of ``estimate``; or a Hugging Face
    ``TrainingArguments`` with ``model=``, of which the scenario is read. After the steps ``at`` it
    calls ``log`` with a few lines, on rank 0 alone. ``row`` is the path of a CSV to which the last
    comparison is appended as a row that you may give back, with ``source`` as its source; nothing is
    sent anywhere.

    A scenario that is incomplete, or of another number of GPUs than the process group's, raises
    ``ValueError`` here. Later errors never stop the training: the first becomes a warning, and the
    watch ends.
    """
    if is_training_arguments(scenario):
        from .live import scenario_of_trainer

        model = values.pop("model", None)
        link, notes = scenario_of_trainer(scenario, model, values)
        report = estimate(link, strict=strict, assume=assume)
    else:
        report, notes = estimate(scenario, strict=strict, assume=assume, **values), []
    return Watch(report, at=at, row=row, source=source, log=log, notes=notes)


class Watch:
    """A watched run: see :func:`watch`. Call ``step()`` after optimizer steps, not micro-batches."""

    #: The fragment of the scenario's link.
    scenario: str
    #: When the current step began and the program began to wait for its batch, and its waits so far.
    _from: float
    _waits_from: float
    _wait: float
    _is_paused: bool
    #: The most seconds that the host was ahead of the GPU.
    _ahead: float

    def __init__(
        self,
        report: Report,
        *,
        at: Iterable[int] = (10, 50),
        row: RowPath = None,
        source: str = "",
        log: Log = print,
        notes: Sequence[str] = (),
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        steps = sorted({int(step) for step in at})
        if not steps or steps[0] < 2:
            raise ValueError(f"watch: at must be steps from 2 on, as in (10, 50), not {at!r}.")
        if row is not None and not Path(row).absolute().parent.is_dir():
            raise ValueError(f"watch: the folder of the row {str(row)!r} does not exist.")
        self.scenario = report["link"]
        self._report, self._at, self._row_path, self._source = report, set(steps), row, source
        self._log, self._notes, self._clock, self._last = log, list(notes), clock, steps[-1]
        self._compared: Optional[WatchedComparison] = None
        self._step, self._what, self._cuda = 0, "", _cuda()
        self._is_first = _rank() == 0
        self._is_on = True
        check("GPUs", "gpus", report["scenario"]["gpus"], _world_size())
        if self._cuda:
            self._notes += _other_gpu(report, self._cuda.get_device_name())
        elif "torch" in sys.modules:
            self._notes.append(
                "torch.cuda has no GPU in this process: the prediction is for "
                f"{report['scenario']['gpu']}, and memory is not measured."
            )
        self._windows = 0
        self.begin()

    def __enter__(self) -> Watch:
        self.begin()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> Literal[False]:
        self.end(is_done=kind is None)
        return False

    def begin(self) -> None:
        """Starts the time of the first step: call it before the first batch is fetched."""
        self._before = self._peaks()
        self._clear()

    def step(self, tokens: Optional[float] = None) -> None:
        """Ends an optimizer step. ``tokens`` are those of the step on all GPUs, where they vary;
        without them the scenario's. Costs about a microsecond, except at the reported steps.

        The time is that of the host between two ends of steps; the GPU is waited for at a reported
        step and the step before it alone."""
        if not (self._is_on and self._is_first):
            return
        self._step += 1
        is_due = self._step in self._at
        if self._cuda and (is_due or self._step + 1 in self._at):
            self._guarded(self._synchronize)
        now = self._clock()
        if not self._is_paused:
            self._times.append(now - self._from)
            self._waits.append(self._wait)
            if tokens is not None:
                self._tokens.append(tokens)
        self._from, self._wait, self._is_paused = now, 0.0, False
        if is_due:
            self._guarded(self._tell)
            # The time of the report is of no step.
            self._from = self._clock()
            if self._step >= self._last:
                self.end()

    def pause(self) -> None:
        """Leaves the current step out: it holds an evaluation, a checkpoint or another pause."""
        self._is_paused = True

    def waiting(self) -> None:
        """From here on the program waits for its next batch, until ``arrived()``."""
        self._waits_from = self._clock()

    def arrived(self) -> None:
        """The batch is here."""
        self._wait += self._clock() - self._waits_from

    def data(self, loader: Iterable[T]) -> Iterator[T]:
        """Iterates over a loader and measures how long the program waits for each batch."""
        batches = iter(loader)
        while True:
            self.waiting()
            try:
                batch = next(batches)
            except StopIteration:
                return
            self.arrived()
            yield batch

    def end(self, is_done: bool = True) -> None:
        """Ends the watch and writes the row. A run that is done before its first reported step is
        compared now."""
        if not (self._is_on and self._is_first):
            return
        if is_done and self._compared is None and len(self._times) > 1:
            self._guarded(self._tell)
        if self._row_path is not None and self._compared is not None:
            self._guarded(self._append)
        self._is_on = False

    def report(self) -> Optional[WatchedComparison]:
        """The last comparison: a dict with the ``step``, what was ``expected`` and ``measured``, what
        is ``inside`` its range, likely ``causes`` and ``notes``; ``None`` before the first and on
        other ranks."""
        return self._compared

    def row(self) -> Optional[MeasuredRow]:
        """The last comparison as a row of a table of measured runs: a dict of columns; ``None``
        before the first."""
        if self._compared is None:
            return None
        note = f"{self._what} to step {self._compared['step']}"
        if "torch" in sys.modules:
            note += f", torch {sys.modules['torch'].__version__}"
        return row_of(self._report, self._compared, self._source, note)

    def _append(self) -> None:
        """Appends the row to its file."""
        row = self.row()
        if self._row_path is not None and row is not None:
            append_row(self._row_path, row)

    def _synchronize(self) -> None:
        """Waits for the GPU and keeps by how much the host was ahead of it."""
        start = self._clock()
        self._cuda.synchronize()
        self._ahead = max(self._ahead, self._clock() - start)

    def _clear(self) -> None:
        """Forgets the steps since the last report."""
        self._ahead = 0.0
        self._times: list[float] = []
        self._waits: list[float] = []
        self._tokens: list[float] = []
        self._from = self._waits_from = self._clock()
        self._wait, self._is_paused = 0.0, False

    def _tell(self) -> None:
        """Compares the steps since the last report, if there are any."""
        if not self._times:
            return
        is_first = self._windows == 0
        measured = statistics(
            self._times, self._waits, self._tokens, is_first=is_first, ahead=self._ahead
        )
        notes = list(self._notes)
        for kind, bytes_now in self._peaks().items():
            # A peak of loading the model is none of the steps.
            if bytes_now > self._before[kind]:
                measured[PEAKS[kind]] = bytes_now
            else:
                notes.append(
                    f"The {kind} peak was reached before the first step: it is not compared."
                )
        if self._report["scenario"]["pp"] > 1 and self._cuda:
            notes.append(
                "Memory is that of the first pipeline stage; the prediction is of the stage that "
                "needs most."
            )
        self._compared = {"step": self._step, **beside(self._report, measured, notes)}
        self._what = f"{measured.get('basis')} of {measured.get('steps')} steps"
        for line in lines(self._compared, f"shardwise, step {self._step}: {self._what}"):
            self._log(line)
        self._windows += 1
        self._clear()

    def _peaks(self) -> dict[Literal["allocated", "reserved"], float]:
        """Peaks of the allocator on this process's GPU, in bytes."""
        if not self._cuda:
            return {}
        cuda = self._cuda
        return {"allocated": cuda.max_memory_allocated(), "reserved": cuda.max_memory_reserved()}

    def _guarded(self, act: Callable[[], None]) -> None:
        """Acts; an error becomes a warning and ends the watch, never the training."""
        try:
            act()
        except Exception as error:  # noqa: BLE001
            self._is_on = False
            warnings.warn(f"shardwise stopped watching: {error}", RuntimeWarning, stacklevel=3)


def check(what: str, key: str, predicted: float, of_run: Optional[float]) -> None:
    """Raises ``ValueError`` where a scenario is of another run; ``None`` is not known."""
    if of_run is not None and of_run != predicted:
        raise ValueError(
            f"The scenario has {predicted:g} {what} and this run {of_run}: give {key}={of_run}, or "
            "the scenario of this run."
        )


def _cuda() -> Any:
    """``torch.cuda`` where the program has imported PyTorch and has a GPU."""
    torch = sys.modules.get("torch")
    cuda = getattr(torch, "cuda", None)
    return cuda if cuda is not None and cuda.is_available() else None


def _group() -> Any:
    """``torch.distributed`` where a process group is initialised."""
    group = getattr(sys.modules.get("torch"), "distributed", None)
    return group if group is not None and group.is_available() and group.is_initialized() else None


def _rank() -> int:
    """The place of this process among those of the run."""
    group = _group()
    return int(group.get_rank() if group else os.environ.get("RANK", "0") or 0)


def _world_size() -> Optional[int]:
    """The number of processes of the run; ``None`` where none was launched as one of several."""
    group, launched = _group(), os.environ.get("WORLD_SIZE", "")
    if group:
        return int(group.get_world_size())
    return int(launched) if launched.isdigit() else None


def _other_gpu(report: Report, name: str) -> list[str]:
    """A note where the GPU is another than the scenario's, as far as its name says."""
    own = report["scenario"].get("gpu")
    try:
        found = estimate(report["link"], gpu=name)["scenario"]["gpu"]
    except (TypeError, ValueError):
        return []
    return [] if own in (None, "custom", found) else [f"This GPU is called {name}; the scenario has {own}."]

"""Callbacks of Hugging Face's Trainer and of Lightning.

Neither library is imported before a callback is made.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Optional, TypedDict, TypeVar, cast

from . import estimate
from ._objects import fields
from .live import completed_by, lightning_values, scenario_of_trainer
from .watching import Log, RowPath, Watch, check

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keys import Values
    from ._values import Scenario
    from .types import MeasuredRow, Report, WatchedComparison

    #: For type checkers a callback of every library.
    Base = Any
else:
    Base = object


class _Options(TypedDict):
    """Arguments of a watch."""

    at: Iterable[int]
    row: RowPath
    source: str
    log: Log


def callback(
    scenario: Optional[Scenario] = None,
    *,
    at: Iterable[int] = (10, 50),
    row: RowPath = None,
    source: str = "",
    log: Log = print,
    **values: Unpack[Values],
) -> TrainerWatch:
    """A callback for Hugging Face's Trainer, also TRL's.

    ``Trainer(..., callbacks=[shardwise.callback(seq=4096)])``. Without a ``scenario`` it is read from
    the Trainer's arguments, the model's configuration and adapters, the number of processes and the
    name of the GPU; keywords of ``estimate`` say what these do not, such as ``seq`` or ``cluster``.
    What is missing or contradicts raises ``ValueError`` while the Trainer is constructed.
    ``on_step_end`` is an optimizer step, whatever the accumulation. The other arguments are those of
    ``watch``. ``.report()`` and ``.row()`` are those of the watch.
    """
    base = _imported("callback", "transformers").TrainerCallback
    known = None if scenario is None else estimate(scenario, **values)
    options: _Options = {"at": at, "row": row, "source": source, "log": log}
    return _derived(TrainerWatch, base)(known, values, options)


def lightning_callback(
    scenario: Scenario = "",
    *,
    at: Iterable[int] = (10, 50),
    row: RowPath = None,
    source: str = "",
    log: Log = print,
    **values: Unpack[Values],
) -> LightningWatch:
    """A callback for Lightning.

    ``Trainer(callbacks=[shardwise.lightning_callback(model="llama-3-8b", seq=4096, mbs=1)])``. A
    mapping, or keywords of ``estimate``, are completed by the trainer's number of devices,
    accumulation, strategy, precision and GPU; a link or a report is taken as it is. What is missing
    or contradicts raises ``ValueError`` when ``fit`` starts. A step is one of
    ``trainer.global_step``. The other arguments are those of ``watch``.
    """
    base = _imported("lightning_callback", "lightning.pytorch", "pytorch_lightning").Callback
    # A link or a report says everything: what is wrong with it is said here.
    own = {} if scenario == "" else fields(scenario)
    is_whole = own is None or isinstance(own.get("scenario"), Mapping)
    known = estimate(scenario, **values) if is_whole else None
    given = {} if own is None or is_whole else {**own, **values}
    options: _Options = {"at": at, "row": row, "source": source, "log": log}
    return _derived(LightningWatch, base)(known, given, options)


class _Watched(Base):  # type: ignore[misc]
    """What both callbacks have: a watch that is made late, and events that never raise."""

    def __init__(
        self, known: Optional[Report], values: Mapping[str, Any], options: _Options
    ) -> None:
        super().__init__()
        self._known, self._values, self._options = known, values, options
        self._watch: Optional[Watch] = None
        self._is_off = False

    def report(self) -> Optional[WatchedComparison]:
        """The last comparison; ``None`` before the first and on other ranks."""
        return None if self._watch is None else self._watch.report()

    def row(self) -> Optional[MeasuredRow]:
        """The last comparison as a row; ``None`` before the first and on other ranks."""
        return None if self._watch is None else self._watch.row()

    def _to(self, event: str, *arguments: Any) -> None:
        """Hands an event to the watch."""
        if self._watch is None or self._is_off:
            return
        try:
            getattr(self._watch, event)(*arguments)
        except Exception as error:  # noqa: BLE001
            self._is_off = True
            warnings.warn(f"shardwise stopped watching: {error}", RuntimeWarning, stacklevel=3)


class TrainerWatch(_Watched):
    """See ``shardwise.callback``."""

    def on_init_end(
        self, args: Any, state: Any, control: Any, model: Any = None, **others: Any
    ) -> None:
        self._make(args, model)

    def on_train_begin(
        self, args: Any, state: Any, control: Any, model: Any = None, **others: Any
    ) -> None:
        # A callback that was added later has no other event before the first step.
        if self._watch is None:
            self._make(args, model)
        self._counts = getattr(args, "include_num_input_tokens_seen", "no") not in (False, "no")
        self._seen = state.num_input_tokens_seen
        self._to("begin")
        self._to("waiting")

    def on_step_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._to("arrived")

    def on_step_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        tokens = None
        if self._counts:
            seen = state.num_input_tokens_seen
            tokens, self._seen = seen - self._seen, seen
        self._to("step", tokens)
        self._to("waiting")

    def on_evaluate(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._to("pause")

    def on_save(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._to("pause")

    def on_epoch_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        # The loader starts its workers again.
        self._to("pause")

    def on_train_end(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        self._to("end")

    def _make(self, args: Any, model: Any) -> None:
        """Makes the watch of a Trainer's run."""
        report, notes = self._known, list[str]()
        if report is None:
            link, notes = scenario_of_trainer(args, model, self._values)
            report = estimate(link)
        else:
            own, sequences = report["scenario"], args.per_device_train_batch_size
            check("GPUs", "gpus", own["gpus"], args.world_size)
            check("sequences in a micro-batch", "mbs", own["mbs"], sequences)
            check("steps of accumulation", "accum", own["accum"], args.gradient_accumulation_steps)
        self._watch = Watch(report, notes=notes, **self._options)


class LightningWatch(_Watched):
    """See ``shardwise.lightning_callback``."""

    def setup(self, trainer: Any, pl_module: Any, stage: Optional[str] = None) -> None:
        if stage not in (None, "fit"):
            return
        live = lightning_values(trainer)
        report = self._known
        if report is None:
            report = estimate(completed_by(self._values, live))
        check("GPUs", "gpus", report["scenario"]["gpus"], live["gpus"])
        check("steps of accumulation", "accum", report["scenario"]["accum"], live["accum"])
        self._watch = Watch(report, **self._options)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._at = trainer.global_step
        self._to("begin")
        self._to("waiting")

    def on_train_batch_start(
        self, trainer: Any, pl_module: Any, batch: Any, batch_idx: int, *others: Any
    ) -> None:
        self._to("arrived")

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int, *others: Any
    ) -> None:
        if trainer.global_step != self._at:
            self._at = trainer.global_step
            self._to("step")
        self._to("waiting")

    def on_validation_end(self, trainer: Any, pl_module: Any) -> None:
        self._to("pause")

    def on_save_checkpoint(self, trainer: Any, pl_module: Any, checkpoint: Any) -> None:
        self._to("pause")

    def on_train_epoch_end(self, trainer: Any, pl_module: Any) -> None:
        self._to("pause")

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        self._to("end")


W = TypeVar("W", bound=_Watched)


def _derived(own: type[W], base: Any) -> type[W]:
    """The class of a callback that its library takes: one that derives from its own."""
    return cast("type[W]", type("ShardwiseCallback", (own, base), {"__doc__": own.__doc__}))


def _imported(caller: str, *names: str) -> Any:
    """The first of these modules that is imported, else the first that is installed."""
    for name in names:
        if sys.modules.get(name) is not None:
            return sys.modules[name]
    for name in names:
        try:
            return import_module(name)
        except ModuleNotFoundError as missing:
            # What an installed library lacks is its own error.
            if missing.name not in (name, name.split(".")[0]):
                raise
    library = names[0].split(".")[0]
    raise ImportError(f"shardwise.{caller} needs {library}, which is not installed: pip install {library}")

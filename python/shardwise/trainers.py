"""Callbacks of Hugging Face's Trainer and of Lightning.

Neither library is imported before a callback is made.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Mapping

from . import estimate
from .live import completed_by, lightning_values, scenario_of_trainer
from .watching import Watch, check


def callback(scenario=None, *, at=(10, 50), row=None, source="", log=print, **values):
    """A callback for Hugging Face's Trainer, also TRL's.

    ``Trainer(..., callbacks=[shardwise.callback(seq=4096)])``. Without a ``scenario`` it is read from
    the Trainer's arguments, the model's configuration and adapters, the number of processes and the
    name of the GPU; keywords of ``estimate`` say what these do not, such as ``seq`` or ``cluster``.
    What is missing or contradicts raises ``ValueError`` while the Trainer is constructed.
    ``on_step_end`` is an optimizer step, whatever the accumulation. The other arguments are those of
    ``watch``. ``.report()`` and ``.row()`` are those of the watch.
    """
    from transformers import TrainerCallback

    known = None if scenario is None else estimate(scenario, **values)
    return _of_trainer(TrainerCallback)(known, values, {"at": at, "row": row, "source": source, "log": log})


def lightning_callback(scenario="", *, at=(10, 50), row=None, source="", log=print, **values):
    """A callback for Lightning.

    ``Trainer(callbacks=[shardwise.lightning_callback(model="llama-3-8b", seq=4096, mbs=1)])``. A
    mapping, or keywords of ``estimate``, are completed by the trainer's number of devices,
    accumulation, strategy, precision and GPU; a link or a report is taken as it is. What is missing
    or contradicts raises ``ValueError`` when ``fit`` starts. A step is one of
    ``trainer.global_step``. The other arguments are those of ``watch``.
    """
    base = _imported("lightning.pytorch", "pytorch_lightning").Callback
    # A link or a report says everything: what is wrong with it is said here.
    is_whole = bool(scenario) and (isinstance(scenario, str) or isinstance(scenario.get("scenario"), Mapping))
    known = estimate(scenario, **values) if is_whole else None
    return _of_lightning(base)(known, {**(scenario or {}), **values} if not is_whole else {},
                               {"at": at, "row": row, "source": source, "log": log})


class _Watched:
    """What both callbacks have: a watch that is made late, and events that never raise."""

    def __init__(self, known, values, options):
        super().__init__()
        self._known, self._values, self._options, self._watch, self._is_off = known, values, options, None, False

    def report(self):
        """The last comparison; ``None`` before the first."""
        return self._watch and self._watch.report()

    def row(self):
        """The last comparison as a row; ``None`` before the first."""
        return self._watch and self._watch.row()

    def _to(self, event, *arguments):
        """Hands an event to the watch."""
        if self._watch is None or self._is_off:
            return
        try:
            getattr(self._watch, event)(*arguments)
        except Exception as error:  # noqa: BLE001
            self._is_off = True
            warnings.warn(f"shardwise stopped watching: {error}", RuntimeWarning, stacklevel=3)


def _of_trainer(base):
    class ShardwiseCallback(_Watched, base):
        """See ``shardwise.callback``."""

        def on_init_end(self, args, state, control, model=None, **others):
            self._make(args, model)

        def on_train_begin(self, args, state, control, model=None, **others):
            # A callback that was added later has no other event before the first step.
            if self._watch is None:
                self._make(args, model)
            self._counts = getattr(args, "include_num_input_tokens_seen", "no") not in (False, "no")
            self._seen = state.num_input_tokens_seen
            self._to("begin")
            self._to("waiting")

        def on_step_begin(self, args, state, control, **others):
            self._to("arrived")

        def on_step_end(self, args, state, control, **others):
            tokens = None
            if self._counts:
                tokens, self._seen = state.num_input_tokens_seen - self._seen, state.num_input_tokens_seen
            self._to("step", tokens)
            self._to("waiting")

        def on_evaluate(self, args, state, control, **others):
            self._to("pause")

        def on_save(self, args, state, control, **others):
            self._to("pause")

        def on_epoch_end(self, args, state, control, **others):
            # The loader starts its workers again.
            self._to("pause")

        def on_train_end(self, args, state, control, **others):
            self._to("end")

        def _make(self, args, model):
            report, notes = self._known, ()
            if report is None:
                link, notes = scenario_of_trainer(args, model, self._values)
                report = estimate(link)
            else:
                own = report["scenario"]
                check("GPUs", "gpus", own["gpus"], args.world_size)
                check("sequences in a micro-batch", "mbs", own["mbs"], args.per_device_train_batch_size)
                check("steps of accumulation", "accum", own["accum"], args.gradient_accumulation_steps)
            self._watch = Watch(report, notes=notes, **self._options)

    return ShardwiseCallback


def _of_lightning(base):
    class ShardwiseCallback(_Watched, base):
        """See ``shardwise.lightning_callback``."""

        def setup(self, trainer, pl_module, stage=None):
            if stage not in (None, "fit"):
                return
            live = lightning_values(trainer)
            report = self._known
            if report is None:
                report = estimate(completed_by(self._values, live))
            check("GPUs", "gpus", report["scenario"]["gpus"], live["gpus"])
            check("steps of accumulation", "accum", report["scenario"]["accum"], live["accum"])
            self._watch = Watch(report, **self._options)

        def on_train_start(self, trainer, pl_module):
            self._at = trainer.global_step
            self._to("begin")
            self._to("waiting")

        def on_train_batch_start(self, trainer, pl_module, batch, batch_idx, *others):
            self._to("arrived")

        def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx, *others):
            if trainer.global_step != self._at:
                self._at = trainer.global_step
                self._to("step")
            self._to("waiting")

        def on_validation_end(self, trainer, pl_module):
            self._to("pause")

        def on_save_checkpoint(self, trainer, pl_module, checkpoint):
            self._to("pause")

        def on_train_epoch_end(self, trainer, pl_module):
            self._to("pause")

        def on_train_end(self, trainer, pl_module):
            self._to("end")

    return ShardwiseCallback


def _imported(*names):
    """The first of these modules that is imported, else the first that is installed."""
    for name in names:
        if name in sys.modules:
            return sys.modules[name]
    for name in names:
        try:
            return __import__(name, fromlist=["Callback"])
        except ImportError:
            continue
    raise ImportError(f"lightning_callback needs one of {', '.join(names)}: pip install lightning.")

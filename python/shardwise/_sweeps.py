"""A scenario along one or two axes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from . import _engine
from ._asked import asked, word

if TYPE_CHECKING:
    from ._engine import Asked
    from ._values import Scenario
    from .types import Sweep

#: More points than this are more than one call should take.
MOST_POINTS = 1_000_000


def sweep(
    scenario: Scenario,
    axes: Mapping[str, Iterable[Any]],
    run: bool = False,
    *,
    strict: bool = True,
    assume: bool = False,
) -> Sweep:
    """The scenario at every value of one or two keys.

    Args:
        scenario: a link, its fragment, a mapping with a link's keys, or a report.
        axes: keys with their values: ``{"seq": [4096, "8k"], "gpus": [64, 128]}``; the second varies
            fastest. ``cluster``, ``gpu`` and ``model`` are keys too.
        run: whether there are the columns of the whole run (``time_s`` in seconds, ``cost_usd``).
        strict: whether what cannot be read is an error.
        assume: whether to go on where something decides the answer and was not given.

    Returns:
        A dict of columns of one length, which ``pandas.DataFrame`` takes: one for each axis, and the
        report's numbers under its names (``mfu``, ``step_time_s``, ``needed_memory_bytes``, ``fits``).

    Raises:
        TypeError: for a key that is none.
        ValueError: for a value that is none, and for more than a million points.

    The book has it under “Programs” (docs/book/programs.md).
    """
    request = asked("sweep", scenario, {}, strict, assume)
    if not isinstance(axes, Mapping) or not 1 <= len(axes) <= 2:
        raise TypeError('sweep: axes must map one or two keys to values, as in {"seq": [4096, 8192]}.')
    keys = list(axes)
    # Its columns have the names that were given.
    own = [_engine.axis_key(key) for key in keys]
    _engine.issues(request, own)
    resolved = [_axis(request, key, name, axes[name]) for key, name in zip(own, keys)]
    outer = resolved[0]
    inner: dict[str, list[Any]] = resolved[1] if len(resolved) == 2 else {"numbers": [0.0], "values": [None]}
    length = len(outer["numbers"]) * len(inner["numbers"])
    if length > MOST_POINTS:
        raise ValueError(f"sweep: {length} points are more than {MOST_POINTS}. Sweep fewer values at a time.")
    second = keys[1] if len(keys) == 2 else ""
    inner_key = own[1] if second else ""
    table = _engine.sweep(request, own[0], outer["numbers"], inner_key, inner["numbers"], bool(run))
    of_the_step, of_the_run = (names.split("\n") for names in _engine.columns().split("\n\n"))
    result = {keys[0]: [value for value in outer["values"] for _ in inner["values"]]}
    if second:
        result[second] = inner["values"] * len(outer["values"])
    limiters = _engine.limiters().split("\n")
    for place, name in enumerate(of_the_step + (of_the_run if run else [])):
        column: list[Any] = table[place * length : (place + 1) * length]
        if name == "fits":
            column = [value == 1 for value in column]
        elif name == "limiter":
            column = [limiters[int(value)] for value in column]
        result[name] = column
    return result


def _axis(request: Asked, key: str, name: str, wanted: Iterable[Any]) -> dict[str, list[Any]]:
    """The values of an axis as numbers for the engine and as the report has them."""
    words = [" ".join(word("sweep", name, value).split()) for value in wanted]
    if not words:
        raise ValueError(f"sweep: “{name}” needs one value or more.")
    resolved: dict[str, list[Any]] = json.loads(_engine.resolve(request, key, "".join(f"{text}\n" for text in words)))
    return resolved

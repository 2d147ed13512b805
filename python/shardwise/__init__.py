"""Does this training run fit, how fast will it go, what limits it?

A scenario is a link of the calculator, its fragment (``"v=1&model=llama-3-8b&gpus=64"``), a mapping with a link's keys
(``{"model": "llama-3-8b", "gpus": 64}``), or a report, whose scenario counts. Results are plain dicts, the same to the last bit as
the calculator's page, JavaScript and the command line.

>>> import shardwise
>>> report = shardwise.estimate({"model": "llama-3-8b", "cluster": "dgx-h100", "gpus": 64})
>>> report["fits"], 0.3 < report["mfu"] < 0.6
(True, True)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from . import _engine

__version__ = _engine.__version__
__all__ = ["estimate", "sweep", "rank", "plan", "read", "lint", "link", "catalog", "parameters", "Widget"]

#: More points than this are more than one call should take.
MOST_POINTS = 1_000_000


def estimate(scenario="", **values):
    """The whole report of a scenario; keywords set values of it: ``estimate(link, gpus=256, seq="32k")``."""
    return json.loads(_engine.estimate(_text("estimate", scenario, values)))


def rank(scenario="", top=10, **values):
    """The fastest layouts that fit, for the same model, length, precision, GPUs and tokens a step.

    A dict with ``tried``, ``fit``, ``issues`` and ``layouts``, the fastest first, each with ``name``, ``link`` and ``report``.
    """
    if not isinstance(top, int) or top < 1:
        raise ValueError(f"rank: top must be 1 or more, not {top!r}.")
    return json.loads(_engine.rank(_text("rank", scenario, values), top))


def plan(scenario="", question="fewest", days=None, budget=None, clusters=(), top=24, **values):
    """Plans backwards: ``fewest`` GPUs that hold it, ``cheapest`` by a deadline in ``days``, ``fastest`` within a ``budget`` in US
    dollars, on every cluster of the catalog or on ``clusters`` by their ids (``own`` is the scenario's hardware); the longest
    ``context``, the largest ``model``, the largest ``batch`` on the scenario's own GPUs.

    A dict with ``answers``, the best first, which ``pandas.DataFrame`` takes, each with a ``link``; the ``front`` of days against
    dollars; where nothing answers the ``nearest``. What is no question raises ``ValueError``.
    """
    if not isinstance(top, int) or top < 1:
        raise ValueError(f"plan: top must be 1 or more, not {top!r}.")
    for name, value, owner in (("days", days, "cheapest"), ("budget", budget, "fastest")):
        if value is not None and question != owner:
            raise ValueError(f"plan: “{name}” is no limit of “{question}”.")
    limit = days if days is not None else budget
    ids = [clusters] if isinstance(clusters, str) else list(clusters)
    return json.loads(_engine.plan(_text("plan", scenario, values), question, limit, ids, top))


def sweep(scenario, axes, run=False):
    """The scenario at every value of one or two keys: a dict of columns of one length, which ``pandas.DataFrame`` takes.

    ``axes`` maps keys to values: ``{"seq": [4096, 8192], "gpus": [64, 128]}``; the second varies fastest. ``cluster``, ``gpu`` and
    ``model`` are keys too. With ``run`` there are the columns of the whole run. What is wrong with values raises ``ValueError``.
    """
    base = _text("sweep", scenario, {})
    if not isinstance(axes, Mapping) or not 1 <= len(axes) <= 2:
        raise TypeError('sweep: axes must map one or two keys to values, as in {"seq": [4096, 8192]}.')
    keys = list(axes)
    resolved = [_axis(base, key, axes[key]) for key in keys]
    outer = resolved[0]
    inner = resolved[1] if len(resolved) == 2 else {"numbers": [0.0], "values": [None]}
    length = len(outer["numbers"]) * len(inner["numbers"])
    if length > MOST_POINTS:
        raise ValueError(f"sweep: {length} points are more than {MOST_POINTS}. Sweep fewer values at a time.")
    second = keys[1] if len(keys) == 2 else ""
    table = _engine.sweep(base, keys[0], outer["numbers"], second, inner["numbers"], bool(run))
    of_the_step, of_the_run = (names.split("\n") for names in _engine.columns().split("\n\n"))
    result = {keys[0]: [value for value in outer["values"] for _ in inner["values"]]}
    if second:
        result[second] = inner["values"] * len(outer["values"])
    limiters = _engine.limiters().split("\n")
    for place, name in enumerate(of_the_step + (of_the_run if run else [])):
        column = table[place * length : (place + 1) * length]
        if name == "fits":
            column = [value == 1 for value in column]
        elif name == "limiter":
            column = [limiters[int(value)] for value in column]
        result[name] = column
    return result


def read(*files, scenario="", **values):
    """Reads files or texts for a scenario, as the calculator's page does: the configuration of a run (Axolotl, LLaMA-Factory,
    torchtune, TRL, Accelerate, DeepSpeed, torchtitan, Megatron-LM, NeMo, llm-foundry, nanotron, MaxText), a model's ``config.json``,
    an ``adapter_config.json``, an out-of-memory message, a memory snapshot, a log, tables of nccl-tests, lengths of texts, a
    link.

    A file is named by a ``Path`` or a text that is the path of one; any other text, and bytes, are read themselves. Gives a dict with ``kind``,
    ``scenario`` (a link's fragment), ``said``, ``read``, ``sections`` and ``offers``; what cannot be read raises ``ValueError``.
    """
    names, contents = [], []
    for file in files:
        path = Path(file) if isinstance(file, Path) or _is_path(file) else None
        names.append(path.name if path else "")
        contents.append(path.read_bytes() if path else file if isinstance(file, bytes) else str(file).encode())
    answer = json.loads(_engine.read(_text("read", scenario, values), names, contents))
    if "Err" in answer:
        raise ValueError(answer["Err"])
    return answer["Ok"]


def lint(*files, scenario="", **values):
    """What would make the run of these files fit or faster: a list of dicts with ``what``, the changed ``scenario`` and the changed
    ``files`` (name and text). Files that are not the configuration of a run raise ``ValueError``."""
    brought = read(*files, scenario=scenario, **values)
    if brought["kind"] != "run":
        raise ValueError("lint: this is not the configuration of a run; read() says what it is.")
    return brought["offers"]


def link(scenario="", page=None, **values):
    """The fragment of a scenario's link, or with the address of a page the whole link."""
    fragment = _engine.link(_text("link", scenario, values))
    return fragment if page is None else f"{str(page).split('#')[0]}#{fragment}"


def catalog():
    """Models, accelerators, interconnects, clusters and named scenarios, each with its source."""
    return json.loads(_engine.catalog())


def parameters(scenario="", **values):
    """The keys of a scenario with bounds, units, meaning, and their values in this one."""
    return json.loads(_engine.parameters(_text("parameters", scenario, values)))


def __getattr__(name):
    # anywidget is needed for this alone.
    if name == "Widget":
        from .widget import Widget

        return Widget
    raise AttributeError(f"module 'shardwise' has no attribute {name!r}")


def _is_path(text):
    return isinstance(text, str) and "\n" not in text and len(text) < 4096 and "{" not in text and Path(text).is_file()


def _text(caller, scenario, values):
    """A scenario as the engine reads it: a link, or JSON with a link's keys."""
    if isinstance(scenario, str):
        text = scenario
    elif isinstance(scenario, Mapping):
        own = scenario.get("scenario") if isinstance(scenario.get("scenario"), Mapping) else scenario
        text = _json(caller, own)
    else:
        raise TypeError(f"{caller}: a scenario must be a link or a mapping with a link's keys, not {type(scenario).__name__}.")
    if not values:
        return text
    # Values alone are a scenario; beside one they are set in it, as a control of the page is.
    return _engine.with_values(text, list(_words(caller, values).items())) if text else _json(caller, values)


def _words(caller, values):
    return {key: _word(caller, key, value) for key, value in values.items() if value is not None}


def _json(caller, values):
    return json.dumps(_words(caller, values))


def _word(caller, key, value):
    """A value of a scenario as text."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, (int, float)):
        return repr(value)
    # Numbers of NumPy.
    if hasattr(value, "item"):
        return _word(caller, key, value.item())
    raise TypeError(f"{caller}: the value of “{key}” must be a number, text, true or false, not {type(value).__name__}.")


def _axis(base, key, wanted):
    """The values of an axis as numbers for the engine and as the report has them."""
    if not _engine.is_axis(key):
        raise ValueError(f"sweep: “{key}” is not a parameter. parameters() lists them; cluster, gpu and model are axes too.")
    words = [" ".join(_word("sweep", key, value).split()) for value in wanted]
    if not words:
        raise ValueError(f"sweep: “{key}” needs one value or more.")
    resolved = json.loads(_engine.resolve(base, key, "".join(f"{word}\n" for word in words)))
    errors = [issue["message"] for issue in resolved["issues"] if issue["severity"] == "error"]
    if errors:
        raise ValueError(f"sweep: {' '.join(errors)}")
    return resolved

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
from importlib import import_module
from pathlib import Path

from . import _engine

__version__ = _engine.__version__
__all__ = ["estimate", "sweep", "rank", "plan", "mixed", "read", "lint", "understand", "link", "catalog", "parameters", "Widget",
           "watch", "callback", "lightning_callback", "expect", "compare"]

#: More points than this are more than one call should take.
MOST_POINTS = 1_000_000


def estimate(scenario="", *, strict=True, assume=False, **values):
    """The whole report of a scenario; keywords set values of it: ``estimate(link, gpus=256, seq="32k")``.

    A key or a value may have any of its usual names: ``seq_len``, ``per_device_train_batch_size``, ``strategy="fsdp"``,
    ``model="meta-llama/Llama-3.1-8B"``. A key that is none raises ``TypeError``, a value that is none ``ValueError``, and so
    does a model, a number of GPUs, a length or a micro-batch that decides the answer and was not given; with ``assume=True``
    the first of ``report["issues"]`` say what was taken in their place. ``strict=False`` forgives what cannot be read, as the
    page does with an old link, and says it in ``report["issues"]``.
    """
    return json.loads(_engine.estimate(_asked("estimate", scenario, values, strict, assume)))


def rank(scenario="", top=10, *, batch=None, hold=(), strict=True, assume=False, **values):
    """The best layouts that fit, for the same model, length, GPUs and tokens per step.

    ``batch`` are the tokens per step, without it the scenario's; ``hold`` are keys of parameters that every layout keeps as the
    scenario has them (``["tp", "recompute"]``).

    A dict with ``tried``, ``fit``, ``issues`` and ``layouts``, those that fit surely before tight ones, the fastest first, each with
    ``name``, ``link``, ``report`` and whether its framework ``runs`` it: those that it does not come last.
    """
    if not isinstance(top, int) or top < 1:
        raise ValueError(f"rank: top must be 1 or more, not {top!r}.")
    return json.loads(_engine.rank(_asked("rank", scenario, values, strict, assume), batch, _keys(hold), top))


def mixed(scenario="", others=(), *, strict=True, assume=False, **values):
    """One run on two kinds of GPUs: ``mixed(run, {"cluster": "dgx-a100-80", "gpus": 8})``.

    ``others`` are those of the run's GPUs that are of another kind: a mapping of their ``gpu``, ``cluster``, ``link`` and number of
    ``gpus``. The run's ``gpus`` are those of both kinds.

    A dict with the ``kinds``, what is ``divided`` (``sequences``, or the ``layers`` of a pipeline of two stages), the ``equal`` split
    of frameworks and the ``best`` that fits (``None`` where none does), each with the ``shares`` of both kinds, and ``notes``.
    """
    if not isinstance(others, Mapping):
        raise TypeError(f"mixed: others must be a mapping of the other GPUs' values, not {type(others).__name__}.")
    pairs = [f"{key}={_word('mixed', key, value)}" for key, value in others.items() if value is not None]
    return json.loads(_engine.mixed(_asked("mixed", scenario, values, strict, assume), pairs))


def plan(scenario="", question="fewest", days=None, budget=None, clusters=(), top=24, *, batch=None, sure=None, hold=(), strict=True,
         assume=False, **values):
    """Plans backwards: ``fewest`` GPUs that hold it, ``cheapest`` by a deadline in ``days``, ``fastest`` within a ``budget`` in US
    dollars, on every cluster of the catalog or on ``clusters`` by their ids (``own`` is the scenario's hardware); the longest
    ``context``, the largest ``model``, the largest ``batch`` on the scenario's own GPUs.

    ``batch`` are the tokens per step, without it the scenario's where they were chosen and else those of published runs; ``sure`` are the
    odds, 0 to 1, that an answer fits and holds its limit (0.8); ``hold`` are keys of parameters that every layout keeps as the
    scenario has them.

    A dict with ``answers``, the best first, which ``pandas.DataFrame`` takes, each with a ``link``; the ``front`` of days against
    dollars; where nothing answers the ``nearest``. What is no question raises ``ValueError``.
    """
    if not isinstance(top, int) or top < 1:
        raise ValueError(f"plan: top must be 1 or more, not {top!r}.")
    for name, value, owner in (("days", days, "cheapest"), ("budget", budget, "fastest")):
        if value is not None and question != owner:
            raise ValueError(f"plan: “{name}” is no limit of “{question}”.")
    limit = days if days is not None else budget
    lists = [_keys(clusters), _keys(hold)]
    return json.loads(_engine.plan(_asked("plan", scenario, values, strict, assume), question, [limit, batch, sure], lists, top))


def _keys(names):
    """One name or several, as a list."""
    return [names] if isinstance(names, str) else list(names)


def sweep(scenario, axes, run=False, *, strict=True, assume=False):
    """The scenario at every value of one or two keys: a dict of columns of one length, which ``pandas.DataFrame`` takes.

    ``axes`` maps keys to values: ``{"seq": [4096, 8192], "gpus": [64, 128]}``; the second varies fastest. ``cluster``, ``gpu`` and
    ``model`` are keys too. With ``run`` there are the columns of the whole run. What is wrong with values raises ``ValueError``.
    """
    asked = _asked("sweep", scenario, {}, strict, assume)
    if not isinstance(axes, Mapping) or not 1 <= len(axes) <= 2:
        raise TypeError('sweep: axes must map one or two keys to values, as in {"seq": [4096, 8192]}.')
    keys = list(axes)
    # Its columns have the names that were given.
    own = [_engine.axis_key(key) for key in keys]
    _engine.issues(asked, own)
    resolved = [_axis(asked, key, name, axes[name]) for key, name in zip(own, keys)]
    outer = resolved[0]
    inner = resolved[1] if len(resolved) == 2 else {"numbers": [0.0], "values": [None]}
    length = len(outer["numbers"]) * len(inner["numbers"])
    if length > MOST_POINTS:
        raise ValueError(f"sweep: {length} points are more than {MOST_POINTS}. Sweep fewer values at a time.")
    second = keys[1] if len(keys) == 2 else ""
    table = _engine.sweep(asked, own[0], outer["numbers"], own[1] if second else "", inner["numbers"], bool(run))
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


def read(*files, scenario="", strict=True, assume=False, **values):
    """Reads files or texts for a scenario, as the calculator's page does: the configuration of a run (Axolotl, LLaMA-Factory,
    torchtune, TRL, Accelerate, DeepSpeed, torchtitan, Megatron-LM, NeMo, llm-foundry, nanotron, MaxText), a model's ``config.json``,
    an ``adapter_config.json``, an out-of-memory message, a memory snapshot, a log, tables of nccl-tests, rates of GPUs
    (``shardwise measure``), lengths of texts, a link.

    A file is named by a ``Path`` or a text that is the path of one; any other text, and bytes, are read themselves. Files of the run that it
    names by relative paths (DeepSpeed's JSON, Accelerate's YAML, a model's folder) are opened too. Gives a dict with ``kind``,
    ``scenario`` (a link's fragment), ``said``, ``read``, ``sections``, ``offers`` and what is ``missing`` for a verdict. A file that
    is not there raises ``FileNotFoundError``, what cannot be read ``ValueError``. Values count more than what files say.
    """
    names, contents = [], []
    for file in files:
        path = Path(file) if isinstance(file, Path) or _is_path(file) else None
        names.append(str(path) if path else "")
        contents.append(path.read_bytes() if path else file if isinstance(file, bytes) else str(file).encode())
    return json.loads(_engine.read(_asked("read", scenario, values, strict, assume), names, contents))


def lint(*files, scenario="", strict=True, assume=False, **values):
    """What would make the run of these files fit or faster: a list of dicts with the ``code`` (``SW101``) and ``severity``
    (``error``, ``warning``, ``note``) of its kind, ``what``, the changed ``scenario`` and the changed ``files`` (name and text). Files that are not the configuration of a run, and runs whose model or size decides the answer and is
    not known, raise ``ValueError``."""
    brought = read(*files, scenario=scenario, strict=strict, assume=assume, **values)
    if brought["kind"] != "run":
        raise ValueError("lint: this is not the configuration of a run; read() says what it is.")
    if brought["missing"]:
        raise ValueError(" ".join(brought["missing"]))
    return brought["offers"]


def understand(text, link=None, *, strict=True):
    """Reads a run in a person's own words: ``understand("llama 3.1 8b qlora on 2x4090, 8k")``.

    ``link`` is the scenario that a text without a model changes, ``understand("use 16 GPUs", link)``: a link, a mapping with a
    link's keys, or a report. A text that names a model is a new run. Gives a dict with

    - ``understood``: the parts of the text, each with what it ``means``; ``from`` and ``to`` count UTF-16 code units;
    - ``assumed``: what decides the answer and the text does not say, each with its ``value`` and a ``sentence``;
    - ``unread``: what was not understood or contradicts itself, each with its ``text``, the ``near`` names that are known, and
      ``choices``, other texts that answer it; it is left out of the scenario, so look here first;
    - ``conflicts``: sentences on what cannot be; ``is_open``: whether there is anything in either, so that the scenario is not
      the one that was said;
    - ``compared``: links of the other runs of a text that compares GPUs; ``shown``: the view of the page that answers, or
      ``None``;
    - ``asks``: the question of a text such as ``"70B, 1T tokens, 30 days, cheapest"``, else ``None``;
    - ``link``, the fragment of the scenario's link; ``is_new``, whether it is a new run; ``report``, as of ``estimate``.

    A text of which nothing is understood raises ``ValueError``, and so does a link that cannot be read; ``strict=False`` forgives
    the link.
    """
    now = "" if link is None else _engine.link(_asked("understand", link, {}, strict))
    return json.loads(_engine.understand(text, now))


def link(scenario="", page=None, *, strict=True, **values):
    """The fragment of a scenario's link, or with the address of a page the whole link."""
    fragment = _engine.link(_asked("link", scenario, values, strict))
    return fragment if page is None else f"{str(page).split('#')[0]}#{fragment}"


def catalog():
    """Models, accelerators, interconnects, clusters and named scenarios, each with its source."""
    return json.loads(_engine.catalog())


def parameters(scenario="", *, strict=True, **values):
    """The keys of a scenario with their other names, bounds, units, meaning, and their values in this one."""
    return json.loads(_engine.parameters(_asked("parameters", scenario, values, strict)))


#: Names that are imported on first use, with their modules.
_LAZY = {
    "Widget": "widget", "watch": "watching", "callback": "trainers", "lightning_callback": "trainers",
    "expect": "expected", "compare": "history",
}


def __getattr__(name):
    # Each is needed by few programs, and the widget needs anywidget.
    module = _LAZY.get(name)
    if module is not None:
        return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module 'shardwise' has no attribute {name!r}")


#: How the names of files that are read end.
_ENDINGS = (".yaml", ".yml", ".json", ".toml", ".py", ".sh", ".txt", ".log", ".csv", ".pickle", ".ipynb", ".png", ".svg")


def _is_path(text):
    """Whether a text names a file; one that looks like a name and names none raises ``FileNotFoundError``."""
    if not isinstance(text, str) or "\n" in text or len(text) >= 4096 or "{" in text:
        return False
    if Path(text).is_file():
        return True
    if text.lower().endswith(_ENDINGS) and not any(sign in text for sign in "=&"):
        raise FileNotFoundError(f"There is no file {text}.")
    return False


def _asked(caller, scenario, values, strict, assume=False):
    """A scenario as the engine reads it: a link, or JSON with a link's keys; values that are set in it; how strictly."""
    if isinstance(scenario, str):
        text = scenario
    elif isinstance(scenario, Mapping):
        own = scenario.get("scenario") if isinstance(scenario.get("scenario"), Mapping) else scenario
        text = json.dumps({key: _word(caller, key, value) for key, value in own.items() if value is not None})
    else:
        raise TypeError(f"{caller}: a scenario must be a link or a mapping with a link's keys, not {type(scenario).__name__}.")
    pairs = [(key, _word(caller, key, value)) for key, value in values.items() if value is not None]
    return {"text": text, "set": pairs, "strict": bool(strict), "assume": bool(assume)}


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


def _axis(asked, key, name, wanted):
    """The values of an axis as numbers for the engine and as the report has them."""
    words = [" ".join(_word("sweep", name, value).split()) for value in wanted]
    if not words:
        raise ValueError(f"sweep: “{name}” needs one value or more.")
    return json.loads(_engine.resolve(asked, key, "".join(f"{word}\n" for word in words)))

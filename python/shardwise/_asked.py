"""Scenarios as the engine reads them: a text, and values that are set in it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any, Optional
from urllib.parse import unquote

from . import _engine
from ._keys import NUMBERS
from ._objects import as_file, config_file, dtype, fields, is_config, is_module, member, named

if TYPE_CHECKING:
    from ._engine import Asked

#: Keys whose value may be the configuration of a model, and those for one of an adapter.
MODELS = ("model", "base_model", "model_name", "model_id", "model_name_or_path")
ADAPTERS = ("adapter", "peft", "lora", "train", "method")
#: What an adapter says and a short link may leave out.
OF_ADAPTERS = ("train", "rank", "targets")


def asked(
    caller: str, scenario: Any, values: Mapping[str, Any], strict: bool, assume: bool = False
) -> Asked:
    """A scenario with values that are set in it, and how strictly it is read.

    Raises ``TypeError`` for what is no scenario, and for objects that say no value.
    """
    text, given, is_whole = _given(caller, scenario)
    own = None if given is None else dict(_words(caller, given))
    pairs: list[tuple[str, str]] = []
    for key, value in _flat(values):
        described = _described(caller, key, value)
        if described is None:
            pairs.append((key, word(caller, key, value)))
        elif is_whole and key in MODELS:
            # A whole scenario has a model already, each of whose values is replaced.
            text, own = _read(text if own is None else json.dumps(own), value, caller)["scenario"], None
        elif is_whole or (own is None and not text):
            pairs.extend(described)
        else:
            own = dict(_fragment(text)) if own is None else own
            for name in MODELS if key in MODELS else ():
                own.pop(name, None)
            own.update(described)
    text = text if own is None else json.dumps(own)
    return {"text": text, "set": pairs, "strict": bool(strict), "assume": bool(assume)}


def _given(caller: str, scenario: Any) -> tuple[str, Optional[Mapping[str, Any]], bool]:
    """A scenario's text or its values, and whether it is whole: a link of the calculator, a report."""
    if isinstance(scenario, str):
        return scenario, None, bool(re.search(r"(^|[#?&])v=\d", scenario))
    if is_module(scenario) or is_config(scenario):
        raise TypeError(
            f"{caller}: {named(scenario)} is not a scenario. A model's config is given as model=config; of "
            'all else that configures a run, read(object)["scenario"] is the scenario.'
        )
    own = fields(scenario)
    if own is None:
        raise TypeError(
            f"{caller}: a scenario must be a link or a mapping with a link's keys, not {named(scenario)}."
        )
    inner = own.get("scenario")
    return ("", inner, True) if isinstance(inner, Mapping) else ("", own, False)


def _words(caller: str, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Every value as text."""
    for key, value in _flat(values):
        described = _described(caller, key, value)
        yield from [(key, word(caller, key, value))] if described is None else described


def _flat(values: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """What is said, with sections as parts of keys: ``zero_optimization.stage``."""
    for key, value in values.items():
        name = f"{before}{key}"
        inner = fields(value) if isinstance(value, Mapping) else None
        if inner is not None:
            yield from _flat(inner, f"{name}.")
        elif value is not None:
            yield name, value


def _described(caller: str, key: str, value: Any) -> Optional[list[tuple[str, str]]]:
    """What the configuration of a model or an adapter says, as pairs; ``None`` for plain values."""
    if isinstance(value, os.PathLike) and key in MODELS:
        value = config_file(value)
    elif not (is_module(value) or is_config(value)):
        return None
    if key not in MODELS + ADAPTERS:
        raise TypeError(
            f"{caller}: “{key}” cannot be {named(value)}: a model's config is given as model=config, an "
            "adapter's as adapter=config."
        )
    brought = _read("", value, caller)
    wanted = "model" if key in MODELS else "adapter"
    if brought["kind"] != wanted:
        raise TypeError(
            f"{caller}: {named(value)} does not describe the {wanted} of a run, so “{key}” cannot be it."
        )
    pairs = dict(_fragment(brought["scenario"]))
    if wanted == "adapter":
        whole: Asked = {"text": brought["scenario"], "set": [], "strict": False, "assume": False}
        rows = {row["key"]: row["value"] for row in json.loads(_engine.parameters(whole))}
        pairs.update({name: word(caller, name, rows[name]) for name in OF_ADAPTERS if name in rows})
    return list(pairs.items())


def _read(text: str, value: Any, caller: str) -> dict[str, Any]:
    """What the engine reads in the configuration of a model or an adapter."""
    if isinstance(value, os.PathLike):
        path = config_file(value)
        name, content = str(path), path.read_bytes()
    else:
        name, content = as_file(caller, value)
    request: Asked = {"text": text, "set": [], "strict": False, "assume": True}
    brought: dict[str, Any] = json.loads(_engine.read(request, [name], [content]))
    return brought


def _fragment(text: str) -> Iterator[tuple[str, str]]:
    """The pairs of a link's fragment, but for its version."""
    for pair in text.split("#")[-1].split("&"):
        key, sign, value = pair.partition("=")
        if sign and key not in ("v", "rev"):
            yield unquote(key), unquote(value)


def word(caller: str, key: str, value: Any) -> str:
    """A value of a scenario as text.

    Raises ``TypeError`` for an object that is no value, and ``ValueError`` for true and false in the
    place of a number.
    """
    if isinstance(value, Enum):
        value = member(value)
    if not isinstance(value, (bool, str, int, float)) and callable(getattr(value, "item", None)):
        # A number of NumPy, or a tensor of one.
        try:
            value = value.item()
        except (RuntimeError, TypeError, ValueError):
            pass
    if isinstance(value, bool):
        if key.strip().lower().replace("-", "_") in NUMBERS:
            raise ValueError(
                f"{caller}: “{key}” is a number, not {value}: give {key}={int(value)} if that is meant."
            )
        return "yes" if value else "no"
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return repr(int(value))
    if isinstance(value, float):
        return repr(float(value))
    named_format = dtype(value)
    if named_format is not None:
        return named_format
    raise TypeError(
        f"{caller}: the value of “{key}” must be a number, text, true or false, not {named(value)}."
    )

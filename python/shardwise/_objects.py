"""Objects of Python, PyTorch and Hugging Face as values of a scenario and as files to read.

Nothing is imported for it: an object's library has been imported by whoever made the object.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
import sys
from argparse import Namespace
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any, Optional

#: Classes of transformers, and those of TRL that derive from it, whose fields describe a run.
TRAINING_ARGUMENTS = "TrainingArguments"


def classes(value: Any) -> list[tuple[str, str]]:
    """Module and name of each class of an object, its own first."""
    return [(kind.__module__, kind.__qualname__) for kind in type(value).__mro__]


def named(value: Any) -> str:
    """The class of an object, as messages name it: ``transformers.LlamaConfig``."""
    module, name = classes(value)[0]
    library = module.split(".")[0]
    return name if library in ("builtins", "__main__") else f"{library}.{name}"


def is_module(value: Any) -> bool:
    """Whether it is a ``torch.nn.Module``."""
    return any(module.startswith("torch.nn") and name == "Module" for module, name in classes(value))


def is_training_arguments(value: Any) -> bool:
    """Whether it is a ``TrainingArguments`` of transformers, or one of TRL's that derive from it."""
    return any(name == TRAINING_ARGUMENTS for _, name in classes(value))


def is_config(value: Any) -> bool:
    """Whether it gives itself as a dict, as configurations of transformers and PEFT do."""
    return not isinstance(value, type) and callable(getattr(value, "to_dict", None))


def member(value: Enum) -> Any:
    """What a member of an enum says: its text or its number where it is one, else its name.

    The values of PyTorch's own, such as those of ``ShardingStrategy``, only count its members.
    """
    if isinstance(value.value, str):
        return value.value
    return value.value if isinstance(value, int) else value.name


def dtype(value: Any) -> Optional[str]:
    """The name of a format of numbers of PyTorch, NumPy or JAX; ``None`` for other objects."""
    text = str(value) if any(name.lower() == "dtype" for _, name in classes(value)) else ""
    return text[len("torch."):] if text.startswith("torch.") else text or None


def fields(value: Any) -> Optional[Mapping[str, Any]]:
    """The fields of a mapping, a namespace, a dataclass or OmegaConf's; ``None`` for others."""
    if any(module.startswith("omegaconf") for module, _ in classes(value)):
        return dict(sys.modules["omegaconf"].OmegaConf.to_container(value, resolve=True))
    if isinstance(value, Mapping):
        return value
    if isinstance(value, Namespace):
        return vars(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    return None


def model_of(caller: str, module: Any) -> Any:
    """The configuration of a ``torch.nn.Module``; one that has none is refused."""
    config = getattr(module, "config", None)
    if is_config(config):
        return config
    params = sum(parameter.numel() for parameter in module.parameters())
    raise TypeError(
        f"{caller}: {named(module)} is a module without a config of transformers, so the shape of its "
        f"layers is not known. Give the name of a model, its config.json, or model=\"custom\" with "
        f"layers, hidden, heads, ffn and vocab; size={params} is a GPT-style model of as many parameters."
    )


def as_file(caller: str, value: Any) -> tuple[str, bytes]:
    """An object as the text of a file, with a name for its kind.

    Raises ``TypeError`` for what holds no configuration.
    """
    if is_module(value):
        value = model_of(caller, value)
    if is_training_arguments(value):
        said = {key: own for key, own in value.to_dict().items() if own not in (None, "", [], {})}
        arguments = ", ".join(f"{key}={_plain(own)!r}" for key, own in said.items())
        kind = _arguments_class(value)
        # The trainer says what is trained for: DPO, GRPO, a reward.
        trainer = f"trainer = {kind[:-len('Config')]}Trainer(args=args)\n" if kind.endswith("Config") else ""
        return "arguments.py", f"args = {kind}({arguments})\n{trainer}".encode()
    own = value.to_dict() if is_config(value) else fields(value)
    if own is None and callable(getattr(value, "tolist", None)):
        # Lengths of texts, as an array.
        value = value.tolist()
    if own is None and isinstance(value, (list, tuple)):
        own = value
    if own is None:
        raise TypeError(
            f"{caller}: {named(value)} is not something to read. Give a path, a text, bytes, an open file, a "
            "mapping, or an object with the fields of a configuration (TrainingArguments, a model's or "
            "an adapter's config, a dataclass, an argparse.Namespace)."
        )
    name = "adapter_config.json" if isinstance(own, Mapping) and "peft_type" in own else "config.json"
    return name, json.dumps(_plain(own)).encode()


def _arguments_class(value: Any) -> str:
    """The class of a trainer's arguments that a program knows: that of its library, if it is one's own."""
    known = (name for module, name in classes(value) if module.split(".")[0] in ("transformers", "trl"))
    return next(known, classes(value)[0][1]).split(".")[-1]


def _plain(value: Any) -> Any:
    """A value as JSON has it; what JSON has not becomes its name."""
    if isinstance(value, Enum):
        return member(value)
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value)
    if isinstance(value, (list, tuple)):
        return [_plain(own) for own in value]
    if isinstance(value, (set, frozenset)):
        return sorted((_plain(own) for own in value), key=str)
    inner = value.to_dict() if is_config(value) else fields(value)
    if inner is not None:
        return {str(_plain(key)): _plain(own) for key, own in inner.items()}
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    named_format = dtype(value)
    if named_format is not None:
        return named_format
    if callable(getattr(value, "tolist", None)):
        return _plain(value.tolist())
    return re.sub(r" at 0x\w+", "", repr(value))


def config_file(path: "os.PathLike[str]") -> Path:
    """A model's ``config.json``, named itself or by its folder."""
    place = Path(path)
    return place / "config.json" if place.is_dir() else place

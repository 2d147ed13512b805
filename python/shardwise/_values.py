"""Types of the values that a scenario takes, apart from the names of its options."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import IO, Any, ClassVar, Literal, Protocol, Union


class Scalar(Protocol):
    """A number of NumPy or PyTorch."""

    def item(self) -> Any: ...


class Dtype(Protocol):
    """A format of numbers, as PyTorch has them: ``torch.bfloat16``."""

    @property
    def is_floating_point(self) -> bool: ...


class Config(Protocol):
    """A configuration that gives itself as a dict, as those of transformers and PEFT do."""

    def to_dict(self) -> dict[str, Any]: ...


class Dataclass(Protocol):
    """An instance of a dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


class Configured(Protocol):
    """A module that carries its configuration, as models of transformers do."""

    config: Any


#: A number in the unit of its parameter, or text: ``8192``, ``"8k"``, ``"80 GiB"``; ``None`` is not
#: said.
Number = Union[float, str, Scalar, None]
#: A name of the catalog: ``"llama-3.1-8b"``, ``"8xH100"``.
Text = Union[str, None]
#: A model: its name in the catalog, its configuration, a module that has one, or the path of a
#: ``config.json`` or of its folder.
Model = Union[str, Config, Configured, os.PathLike[str], None]
#: On or off.
Switch = Union[
    bool, Literal["yes", "no", "true", "false", "True", "False", "on", "off", 0, 1, "0", "1"], None
]
#: Keys of a section of a configuration: ``zero_optimization={"stage": 3}``.
Section = Union[Mapping[str, Any], None]
#: A link, its fragment, a mapping with a link's keys, a report, or an object with such fields.
Scenario = Union[str, Mapping[str, Any], Namespace, Dataclass, Config]
#: A path, a text or bytes, an open file, or an object that holds a configuration.
Source = Union[
    str, bytes, os.PathLike[str], IO[str], IO[bytes], Mapping[str, Any], "list[Any]", Namespace,
    Dataclass, Config, Configured,
]

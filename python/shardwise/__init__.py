"""Does this training run fit, how fast will it go, what limits it?

A scenario is a link of the calculator, its fragment (``"v=1&model=llama-3-8b&gpus=64"``), a mapping
with a link's keys (``{"model": "llama-3-8b", "gpus": 64}``), or a report, whose scenario counts.
Results are plain dicts, the same to the last bit as the calculator's page, JavaScript and the command
line; their types are in :mod:`shardwise.types`.

>>> import shardwise
>>> report = shardwise.estimate(
...     {"model": "llama-3-8b", "cluster": "dgx-h100", "gpus": 64, "seq": 4096, "mbs": 1}
... )
>>> report["fits"], 0.3 < report["mfu"] < 0.6
(True, True)
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import _engine, types
from ._estimates import catalog, estimate, export, link, mixed, parameters, plan, rank, understand
from ._figure import figure
from ._files import lint, read
from ._sweeps import sweep

if TYPE_CHECKING:
    from .expected import expect as expect
    from .history import compare as compare
    from .trainers import callback as callback
    from .trainers import lightning_callback as lightning_callback
    from .watching import watch as watch
    from .widget import Widget as Widget

__version__ = _engine.__version__
#: ``Widget`` is left out, as it needs anywidget: ``import *`` works without.
__all__ = [
    "callback", "catalog", "compare", "estimate", "expect", "export", "figure", "lightning_callback", "lint", "link",
    "mixed", "parameters", "plan", "rank", "read", "sweep", "types", "understand", "watch",
]

#: Names that are imported on first use, with their modules: few programs need them.
_LAZY = {
    "callback": "trainers", "compare": "history", "expect": "expected", "lightning_callback": "trainers",
    "watch": "watching",
}


def __dir__() -> list[str]:
    return sorted([*__all__, "Widget", "__doc__", "__version__"])


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f".{_LAZY[name]}", __name__), name)
    # anywidget is needed for this alone.
    if name == "Widget":
        try:
            from .widget import Widget
        except ModuleNotFoundError as missing:
            raise ImportError(
                "shardwise.Widget shows figures in notebooks with anywidget, which is not installed: "
                "pip install shardwise[widget]"
            ) from missing
        return Widget
    raise AttributeError(f"module 'shardwise' has no attribute {name!r}")

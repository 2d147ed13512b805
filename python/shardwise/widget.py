"""The live figures in a notebook: sliders beside the feasible region and the curve of MFU, redrawn while a slider moves."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import traitlets

from . import _engine
from ._asked import asked
from ._estimates import estimate, parameters

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keys import Values
    from ._values import Scenario
    from .types import Report

#: The sliders of the calculator's first screen.
SLIDERS = ("mem", "link", "seq", "size", "gpus")


class Widget(anywidget.AnyWidget):
    """Shows a scenario; ``widget.scenario`` is the fragment of its link, and may be set.

    ``widget.report`` is the report of what it shows.
    """

    _esm = Path(__file__).parent / "widget.js"
    _css = Path(__file__).parent / "widget.css"
    scenario = traitlets.Unicode().tag(sync=True)
    dark = traitlets.Bool(False).tag(sync=True)
    #: What the sliders are, and what is shown: made here, shown by widget.js.
    _sliders: Any = traitlets.List().tag(sync=True)
    _shown: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, scenario: Scenario = "", dark: bool = False, **values: Unpack[Values]) -> None:
        super().__init__(scenario=_engine.link(asked("Widget", scenario, values, True)), dark=dark)
        self._derive()
        self.observe(lambda _: self._derive(), ["scenario", "dark"])
        self.on_msg(self._slide)

    @property
    def report(self) -> Report:
        """The report of the scenario on show."""
        return estimate(self.scenario, strict=False)

    def _slide(self, _widget: Any, message: dict[str, Any], _buffers: Any) -> None:
        """A slider was moved: a key and a value."""
        self.scenario = _engine.link(asked("Widget", self.scenario, {message["key"]: message["value"]}, False))

    def _derive(self) -> None:
        report = self.report
        rows: dict[str, Any] = {row["key"]: row for row in parameters(self.scenario, strict=False)}
        self._sliders = [
            {name: rows[key][name] for name in ("key", "label", "unit", "min", "max", "value", "scale", "integer")}
            for key in SLIDERS
            if key in rows
        ]
        region, curve = _engine.figures(self.scenario, 420.0, 300.0, self.dark)
        self._shown = {
            "fits": report["fits"],
            "verdict": report["verdict"],
            "fit_odds": report["fit_odds"],
            "mfu": report["mfu"],
            "step_time_s": report["step_time_s"],
            "tokens_per_s_per_gpu": report["tokens_per_s_per_gpu"],
            "needed_memory_bytes": report["needed_memory_bytes"],
            "capacity_bytes": report["memory_bytes"]["capacity"],
            "limiter": report["limiter"],
            "region": region,
            "curve": curve,
        }

"""Figures of a scenario as SVG."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Union

from . import _engine
from ._asked import asked
from ._values import Scenario

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keys import Values

#: What a curve shows: MFU, tokens per second and GPU, time of a step, memory, dollars per billion
#: tokens, days and dollars of the run.
Metric = Literal["mfu", "tokens", "step", "memory", "cost", "days", "total"]


class Figure:
    """A figure as SVG, which a notebook shows; ``save`` writes it."""

    #: The text of the SVG.
    svg: str

    def __init__(self, svg: str) -> None:
        self.svg = svg

    def _repr_svg_(self) -> str:
        return self.svg

    def _repr_html_(self) -> str:
        return self.svg

    def __repr__(self) -> str:
        title = self.svg.partition("<title>")[2].partition("</title>")[0]
        return f"<Figure: {title}>"

    def save(self, path: Union[str, os.PathLike[str]]) -> Path:
        """Writes the SVG to a file, whose name ends in ``.svg``, and returns its path.

        Raises:
            ValueError: for another ending. Programs such as Inkscape make a PNG or a PDF of an SVG.
        """
        file = Path(path)
        if file.suffix.lower() != ".svg":
            raise ValueError(f"A figure is saved as SVG: give a name that ends in .svg, not “{file.name}”.")
        file.write_text(self.svg, encoding="utf-8")
        return file


def figure(
    scenario: Scenario = "",
    axes: Union[str, Sequence[str]] = ("seq", "size"),
    *,
    metric: Metric = "mfu",
    width: float = 720.0,
    height: float = 440.0,
    dark: bool = False,
    strict: bool = True,
    assume: bool = False,
    **values: Unpack[Values],
) -> Figure:
    """Draws the feasible region over two parameters, or a curve over one.

    >>> import shardwise
    >>> shardwise.figure(model="llama-3-8b", cluster="dgx-h100", gpus=64, seq="8k", mbs=1)
    <Figure: ...>

    Args:
        scenario: a link, its fragment, a mapping with a link's keys, or a report.
        axes: one key for a curve, two for the region, across and up: ``"gpus"``, ``("seq", "mbs")``.
            Numbers alone that have an effect in the scenario.
        metric: what a curve shows; the region shows MFU.
        width: pixels of CSS.
        height: pixels of CSS, without the legend.
        dark: whether the background is dark.
        strict: whether what cannot be read is an error.
        assume: whether to go on where something decides the answer and was not given.
        **values: values that are set in the scenario.

    Returns:
        A figure, with ``svg`` and ``save(path)``. A picture of another format is not drawn here.

    Raises:
        TypeError: for a key that is none.
        ValueError: for a value that is none, for axes that no figure has, and where something
            decides the answer and was not given.
    """
    keys = [axes] if isinstance(axes, str) else list(axes)
    if not (width >= 160 and height >= 120 and width * height <= 16e6):
        raise ValueError(f"figure: {width} x {height} is no size; from 160 x 120 to 16 million pixels are.")
    request = asked("figure", scenario, values, strict, assume)
    return Figure(_engine.figure_svg(request, keys, metric, (float(width), float(height)), dark))

"""Figures of a scenario as SVG and as PNG."""

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
    """A figure, which a notebook shows: as SVG, and as a picture by ``png``; ``save`` writes either."""

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

    def png(self, scale: float = 2.0) -> bytes:
        """Returns the figure as PNG, with ``scale`` pixels for one of CSS: the same bytes on every machine.

        Raises:
            ValueError: for a scale outside 0.25 to 8.
        """
        if not 0.25 <= scale <= 8:
            raise ValueError(f"png: a scale of {scale} is none; from 0.25 to 8 are.")
        return _engine.figure_png(self.svg, float(scale))

    def save(self, path: Union[str, os.PathLike[str]], scale: float = 2.0) -> Path:
        """Writes the figure to a file, whose name ends in ``.svg`` or ``.png``, and returns its path.

        Args:
            path: the file.
            scale: pixels of a PNG for one of CSS.

        Raises:
            ValueError: for another ending. Programs such as Inkscape make a PDF of an SVG.
        """
        file = Path(path)
        ending = file.suffix.lower()
        if ending == ".svg":
            file.write_text(self.svg, encoding="utf-8")
        elif ending == ".png":
            file.write_bytes(self.png(scale))
        else:
            raise ValueError(f"A figure is saved as SVG or PNG: give a name that ends so, not “{file.name}”.")
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
        A figure, with ``svg``, ``png()`` and ``save(path)``.

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

"""Reports that a notebook shows."""

from __future__ import annotations

from html import escape
from typing import Any

#: Bytes of a GiB.
GIB = 2**30
#: A verdict in words.
VERDICTS = {
    "fits": "fits",
    "tight": "is tight",
    "does_not_fit": "does not fit",
    "host_does_not_fit": "fits its GPUs, but not the memory of its hosts",
}


class ShownReport(dict):  # type: ignore[type-arg]
    """A report: a dict as any other, which a notebook shows as its verdict, speed and link."""

    def _repr_html_(self) -> str:
        memory, band, odds = self["memory_bytes"], self["band"], self["fit_odds"]
        rows = [
            ("Fits", f"{VERDICTS.get(self['verdict'], self['verdict'])}: {odds:.0%} of such runs fit"),
            (
                "Memory",
                f"{memory['needed'] / GIB:.1f} of {memory['capacity'] / GIB:.1f} GiB per GPU"
                + _between(band["needed_memory_bytes"], lambda value: f"{value / GIB:.1f}", " GiB"),
            ),
            ("MFU", f"{self['mfu']:.1%}" + _between(band["mfu"], lambda value: f"{value:.1%}")),
            (
                "Step",
                f"{self['step_time_s']:.3g} s" + _between(band["step_time_s"], lambda value: f"{value:.3g}", " s"),
            ),
            ("Limited by", str(self["limiter"]).replace("_", " ")),
            *(("Note", issue["message"]) for issue in self["issues"]),
        ]
        lines = "".join(
            f'<tr><th style="text-align:left">{escape(name)}</th>'
            f'<td style="text-align:left">{escape(value)}</td></tr>'
            for name, value in rows
        )
        return f"<table>{lines}</table><code>{escape(self['link'])}</code>"


def _between(band: Any, shown: Any, unit: str = "") -> str:
    """The range in which four of five measurements lie."""
    return f", four of five between {shown(band['low'])} and {shown(band['high'])}{unit}" if band else ""

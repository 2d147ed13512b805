"""A comparison as a row of a table of measured runs (docs/book/accuracy/rows.md)."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Union

from . import estimate
from .expected import PEAKS, SAME_BATCH

if TYPE_CHECKING:
    import os

    from .types import Comparison, MeasuredRow, Report


def row_of(report: Report, compared: Comparison, source: str = "", note: str = "") -> MeasuredRow:
    """The comparison as a row of a table of measured runs: a dict of the columns that ``cargo xtask
    score`` reads of a row with a ``link`` (docs/book/accuracy/rows.md), with its source and date."""
    own = compared["measured"]
    # A row is scored by the prediction without corrections by earlier runs.
    plain = estimate(report["link"], anchortime=1, anchormemory=1)
    scenario = plain["scenario"]
    kind: Literal["allocated", "reserved", ""] = ""
    peak: Union[float, Literal[""]] = ""
    for known, name in PEAKS.items():
        figure = own.get(name)
        if figure and not kind:
            kind, peak = known, figure / 2**30
    share = (own.get("tokens_per_step") or plain["tokens_per_step"]) / plain["tokens_per_step"]
    counted = own.get("tokens_counted") and abs(share - 1.0) > SAME_BATCH
    return {
        "source": source or "own run",
        "date": date.today().isoformat(),
        "model": scenario["model"],
        "gpu": scenario["gpu"],
        "num_gpus": int(scenario["gpus"]),
        "link": plain["link"],
        "measured_step_time_s": own.get("step_time_s", ""),
        "measured_mfu": own.get("mfu", "") if own.get("step_time_s") else "",
        "measured_peak_gib": peak,
        "peak_kind": kind,
        # The peak is that of rank 0.
        "peak_stage": "first" if kind and scenario["pp"] > 1 else "",
        "batch_share": share if counted else "",
        "ended": "ran",
        "notes": note,
    }


def append_row(path: Union[str, os.PathLike[str]], row: Mapping[str, Any]) -> None:
    """Appends a row to a CSV, with a header where there is none.

    A file with other columns raises ``ValueError``.
    """
    place = Path(path)
    names = list(row)
    is_new = not place.exists() or place.stat().st_size == 0
    if not is_new:
        with place.open(newline="", encoding="utf-8") as table:
            known: list[str] = next(csv.reader(table), [])
        if known != names:
            raise ValueError(f"{place} has other columns than a row of shardwise: name another file.")
    with place.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        if is_new:
            writer.writeheader()
        writer.writerow(row)

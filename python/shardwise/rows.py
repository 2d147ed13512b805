"""A comparison as a row of a table of measured runs (docs/book/accuracy/rows.md)."""

from __future__ import annotations

import csv
from datetime import date
from pathlib import Path

from . import estimate
from .expected import SAME_BATCH


def row_of(report, compared, source="", note=""):
    """The comparison as a row of a table of measured runs: a dict of the columns that ``cargo xtask
    score`` reads of a row with a ``link`` (docs/book/accuracy/rows.md), with its source and date."""
    own = compared["measured"]
    # A row is scored by the prediction without corrections by earlier runs.
    plain = estimate(report["link"], anchortime=1, anchormemory=1)
    scenario = plain["scenario"]
    kind = next((kind for kind in ("allocated", "reserved") if own.get(f"max_memory_{kind}_bytes")), "")
    share = own["tokens_per_step"] / plain["tokens_per_step"] if own.get("tokens_per_step") else 1.0
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
        "measured_peak_gib": own[f"max_memory_{kind}_bytes"] / 2**30 if kind else "",
        "peak_kind": kind,
        # The peak is that of rank 0.
        "peak_stage": "first" if kind and scenario["pp"] > 1 else "",
        "batch_share": share if counted else "",
        "ended": "ran",
        "notes": note,
    }


def append_row(path, row):
    """Appends a row to a CSV, with a header where there is none.

    A file with other columns raises ``ValueError``.
    """
    path = Path(path)
    names = list(row)
    is_new = not path.exists() or path.stat().st_size == 0
    if not is_new:
        with path.open(newline="", encoding="utf-8") as file:
            known = next(csv.reader(file), [])
        if known != names:
            raise ValueError(f"{path} has other columns than a row of shardwise: name another file.")
    with path.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, names)
        if is_new:
            writer.writeheader()
        writer.writerow(row)

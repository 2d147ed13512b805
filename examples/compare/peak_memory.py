"""Compares public formulas for training memory, and shardwise, with measured peaks.

Every row of `tests/measured` with a measured peak is a link. The link gives a formula what it asks for, and
shardwise its prediction. Run it in a checkout, with the package installed:

    pip install shardwise
    python examples/compare/peak_memory.py
    python examples/compare/peak_memory.py --rows rows.csv
    python examples/compare/peak_memory.py --record

The last line writes the tables into `docs/book/comparison.md`; a test of the package compares them.

Each formula is scored on the rows of the runs that it is written for (`FORMULAS`), and shardwise on these rows.
An error is predicted over measured, minus one. Left out are mixtures of experts, context parallelism, offloading,
and rows whose peak is of one pipeline stage by name, which a report does not have.
"""

from __future__ import annotations

import argparse
import csv
import sys
from functools import cache
from pathlib import Path
from statistics import median
from typing import Callable, Iterator, NamedTuple

import shardwise

import formulas
from formulas import Run

ROOT = Path(__file__).resolve().parents[2]
CHAPTER = ROOT / "docs" / "book" / "comparison.md"
MARK = "<!-- examples/compare -->"
GIB = 2**30
# Sources that stay out of every fit of shardwise's constants.
UNSEEN = "strangers"
STAGES = {"ddp": 0, "zero1": 1, "zero2": 2, "full-shard": 3}
# Bytes a weight by the names of the Kubeflow server: fp32, bf16, int8, int4.
BASE_BYTES = {"fp32": 4, "bf16": 2, "int8": 1} | dict.fromkeys(("int4", "nf4", "nf4dq", "gptq", "bnb4", "bnb4d"), 0.5)


class Row(NamedTuple):
    """A measured peak with its run, the prediction of shardwise in GiB, and what the link says."""

    name: str
    source: str
    is_unseen: bool
    measured_gib: float
    shardwise_gib: float
    run: Run
    of: dict

    @property
    def is_whole(self) -> bool:
        """Whether every weight trains with AdamW in fp32."""
        return self.of["train"] == "all" and self.of["optimizer"] == "adamw"

    @property
    def is_undivided(self) -> bool:
        """Whether no layer is split over GPUs and no pipeline is used."""
        return self.run.tp == 1 and self.run.pp == 1


# Name, formula, the rows for which it is written, in words and as a test.
FORMULAS: list[tuple[str, Callable[[Run], float], str, Callable[[Row], bool]]] = [
    ("accelerate estimate-memory", formulas.accelerate, "all weights, nothing sharded, micro-batch of 1",
     lambda row: row.is_whole and row.is_undivided and row.run.zero_stage == 0 and row.run.micro_batch == 1),
    ("DeepSpeed, ZeRO-2", formulas.deepspeed_zero2, "all weights, ZeRO-2",
     lambda row: row.is_whole and row.is_undivided and row.run.zero_stage == 2),
    ("DeepSpeed, ZeRO-3", formulas.deepspeed_zero3, "all weights, ZeRO-3 or FSDP",
     lambda row: row.is_whole and row.is_undivided and row.run.zero_stage == 3),
    ("EleutherAI cookbook", formulas.eleutherai, "all weights, any layout", lambda row: row.is_whole),
    ("EleutherAI cookbook, -ca always", formulas.eleutherai_flash, "all weights, no layer split, no pipeline",
     lambda row: row.is_whole and row.is_undivided),
    ("Megatron-LM", formulas.megatron, "Megatron-LM, all weights, with or without its distributed optimizer",
     lambda row: row.is_whole and row.of["framework"] in ("megatron", "megatron-legacy") and row.run.zero_stage < 2),
    ("Megatron-LM, its main case", formulas.megatron, "of these, sequence parallelism and selective recomputation",
     lambda row: row.is_whole and row.of["framework"] in ("megatron", "megatron-legacy") and row.run.zero_stage < 2
     and row.run.sequence_parallel and row.run.recompute in formulas.SELECTIVE),
    ("Kubeflow MCP server", formulas.kubeflow, "LoRA and QLoRA on one GPU",
     lambda row: row.of["train"] == "lora" and row.run.gpus == 1 and row.of["base"] in BASE_BYTES),
]


def measured() -> Iterator[Row]:
    """Yields the rows that are compared, in the order of the files."""
    for path in sorted((ROOT / "tests" / "measured").rglob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for cells in csv.DictReader(file):
                if cells.get("link") and cells.get("measured_peak_gib") and not cells.get("left_out"):
                    yield from _row(path, cells)


@cache
def _shape(model: str) -> dict:
    """Returns the shape of a named model, which its scenario does not repeat."""
    if model == "custom":
        return {}
    return {row["key"]: row["value"] for row in shardwise.parameters(f"v=1&model={model}")}


def _row(path: Path, cells: dict[str, str]) -> Iterator[Row]:
    report = shardwise.estimate(cells["link"], strict=False)
    memory = report["memory_bytes"]
    of = {**_shape(report["scenario"]["model"]), **report["scenario"]}
    offloads = any(of[key] == "yes" for key in ("offloadopt", "offloadparams", "offloadact", "paged"))
    if of["experts"] or of["kvrank"] or of["cp"] > 1 or offloads or of["strategy"] not in STAGES:
        return
    if of["pp"] > 1 and cells["peak_stage"] != "most":
        return
    # The kinds of `crates/analysis/src/published.rs`: tensors, the allocator's segments, the process.
    kinds = {
        "allocated": memory["allocated"],
        "reserved": memory["peak"] - memory["parts"]["context"],
        "process": memory["peak"],
    }
    run = Run(
        params=report["model"]["params"], layers=of["layers"], hidden=of["hidden"], heads=of["heads"],
        kv_heads=of["kv"], head_dim=of["headdim"], ffn=of["ffn"], vocab=of["vocab"],
        is_gated=of["mlp"] == "gated", is_rms=of["norm"] == "rms", is_tied=of["tied"] == "yes",
        gpus=of["gpus"], tp=of["tp"], pp=of["pp"],
        virtual_stages=of["vpp"] if of["schedule"] == "interleaved" and of["pp"] > 1 else None,
        sequence_parallel=of["sp"] == "yes" and of["tp"] > 1, zero_stage=STAGES[of["strategy"]],
        micro_batch=of["mbs"], accumulation=of["accum"], seq=of["seq"], recompute=of["recompute"],
        is_fp32=of["recipe"] == "fp32", base_bytes=BASE_BYTES.get(of["base"], 2),
    )
    yield Row(
        name=cells["row_id"], source=path.stem, is_unseen=path.parent.name == UNSEEN,
        measured_gib=float(cells["measured_peak_gib"]), shardwise_gib=kinds[cells["peak_kind"] or "reserved"] / GIB,
        run=run, of=of,
    )


def compared(rows: list[Row]) -> Iterator[str]:
    """Yields the lines of a table of Markdown."""
    heads = ["Formula", "Its runs", "Rows", "Median error", "Too low by over 10 %"]
    heads += ["Median error of shardwise", "Too low by over 10 %"]
    yield "| " + " | ".join(heads) + " |"
    yield "|---|---|---:|---:|---:|---:|---:|"
    for name, formula, runs, is_meant in FORMULAS:
        meant = [row for row in rows if is_meant(row)]
        if not meant:
            continue
        theirs = [formula(row.run) / GIB / row.measured_gib - 1 for row in meant]
        ours = [row.shardwise_gib / row.measured_gib - 1 for row in meant]
        cells = [name, runs, f"{len(meant):,}"]
        for errors in (theirs, ours):
            cells += [f"{median(map(abs, errors)):.1%}", f"{sum(error < -0.1 for error in errors) / len(errors):.0%}"]
        yield "| " + " | ".join(cells).replace("%", " %") + " |"


def written(rows: list[Row], path: Path) -> None:
    """Writes a line a row and formula."""
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(["source", "row_id", "formula", "measured_gib", "formula_gib", "shardwise_gib"])
        for name, formula, _, is_meant in FORMULAS:
            for row in filter(is_meant, rows):
                predicted = [f"{gib:.3f}" for gib in (formula(row.run) / GIB, row.shardwise_gib)]
                table.writerow([row.source, row.name, name, row.measured_gib, *predicted])


def tables(rows: list[Row]) -> str:
    """Returns both tables as Markdown: all rows, and those of sources that no constant of shardwise saw."""
    versions = shardwise.estimate("v=1")["versions"]
    lines = [f"shardwise {versions['engine']}, calibration `{versions['calibration']}`, {len(rows)} rows:", ""]
    lines += [*compared(rows), "", "The sources that no constant of shardwise saw:", ""]
    return "\n".join([*lines, *compared([row for row in rows if row.is_unseen])])


def recorded(text: str, new: str) -> str:
    """Returns a chapter with new tables between its marks."""
    before, _, after = text.split(MARK)
    return f"{before}{MARK}\n\n{new}\n\n{MARK}{after}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=Path, metavar="FILE", help="write every compared row as CSV")
    parser.add_argument("--record", action="store_true", help=f"write the tables into {CHAPTER.relative_to(ROOT)}")
    arguments = parser.parse_args()
    rows = list(measured())
    text = tables(rows)
    print(text)
    if arguments.record:
        CHAPTER.write_text(recorded(CHAPTER.read_text(encoding="utf-8"), text), encoding="utf-8")
    if arguments.rows:
        written(rows, arguments.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())

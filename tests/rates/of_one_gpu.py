"""Writes h200.json, as static/measure.py would have, from what was measured on one H200 (tests/one_gpu)."""
import csv
import json
import pathlib

HERE = pathlib.Path(__file__).parent
SOURCE = HERE.parent / "one_gpu"


def rows(name):
    with open(SOURCE / name, newline="") as file:
        yield from csv.DictReader(file)


def written():
    """The file's text. What tests/one_gpu/README.md says in its text alone stands here as numbers."""
    sustained = [(8192, 8192, 8192, 665.0), (8192, 14336, 4096, 680.0)]
    parts = {
        "shardwise_measure": 1,
        "written": "2026-11-26T12:00:00Z",
        "memory": [{"after": after, "used_bytes": round(gib * 2**30)} for after, gib in
                   (("context", 0.51), ("first_kernel", 0.60), ("first_product", 0.67), ("first_backward", 0.73))],
        "device": {"type": "cuda", "name": "NVIDIA H200", "count": 1},
        "versions": {"torch": "2.11.0", "cuda": "13.0", "driver": "580.159.04"},
        "ranks": 1,
        "nodes": 1,
        "sustained": [{"format": "bf16", "m": m, "n": n, "k": k, "seconds": float(f"{2 * m * n * k / rate / 1e12:.5g}")}
                      for m, n, k, rate in sustained],
        "products": [{"format": row["format"], "m": int(row["m"]), "n": int(row["n"]), "k": int(row["k"]),
                      "seconds_alone": float(row["seconds_l2_flushed"]), "seconds_back_to_back": float(row["seconds_back_to_back"])}
                     for row in rows("matmul.csv") if row["layout"] == "forward"],
        "attention": [{"kernel": row["backend"], "head_dim": int(row["head_dim"]), "length": int(row["length"]), "heads": int(row["heads"]),
                       "batch": int(row["batch"]), "causal": True, "forward_seconds": float(row["forward_seconds_back_to_back"]),
                       "backward_seconds": float(row["backward_seconds_back_to_back"])}
                      for row in rows("attention.csv") if row["causal"] == "True" and row["heads"] == row["kv_heads"]],
        "streams": [{"operator": name, "moved_bytes": int(row["bytes_moved"]), "seconds": float(row["seconds_back_to_back"])}
                    for row in rows("bandwidth.csv") for name in [NAMES.get(row["name"])] if name],
        "launches": [{"operator": "add", "autograd": grad, "host_us": float(row["host_seconds"]) * 1e6}
                     for row in rows("host.csv") for grad in [{"add, no grad": False, "add, grad forward only": True}.get(row["name"])] if grad is not None],
        "graphs": [{"kernels": 1, "host_us": 4.8}, {"kernels": 1000, "host_us": 6.5}],
        "host_link": [{"direction": "to_gpu", "pinned": True, "gb_per_s": 55.4}, {"direction": "from_gpu", "pinned": True, "gb_per_s": 55.3},
                      {"direction": "both_each", "pinned": True, "gb_per_s": 50.7}],
        "collectives": [],
        "of_ranks": [],
        "skipped": [],
    }
    lines = []
    for key, value in parts.items():
        if isinstance(value, list) and value:
            inner = ",\n".join("    " + json.dumps(row) for row in value)
            lines.append(f"  {json.dumps(key)}: [\n{inner}\n  ]")
        else:
            lines.append(f"  {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


NAMES = {"copy bf16": "copy", "add bf16": "add", "fp32 to bf16": "cast_to_16_bits", "add fp32": "add_in_32_bits", "silu bf16": "silu",
         "layer norm bf16": "layer_norm"}

if __name__ == "__main__":
    (HERE / "h200.json").write_text(written())

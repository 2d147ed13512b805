"""Writes the memory snapshots of this folder: `python make.py`, Python 3.9 or later, no package.

They were not recorded on a GPU. A step of Llama 3.2 1B (fp32 weights and AdamW, activations and logits in 16 bits, two sequences of 4,096
tokens, no recomputation of the MLP's part) asks a small model of PyTorch's caching allocator for its tensors, and the state is written
as `torch.cuda.memory._snapshot` describes it: segments with blocks, device_traces with stacks. `refused` ends at the logits in fp32 on
a GPU of 18 GiB; `peak` runs a whole step; `now` has no events; `old` is the form of PyTorch 2.0 (`active_pending_free`, no requested
sizes); all are written in several protocols of pickle or as JSON.
"""

import json
import pathlib
import pickle

HERE = pathlib.Path(__file__).parent
MIB, GIB = 1 << 20, 1 << 30
LAYERS, HIDDEN, FFN, KV, VOCAB, TOKENS = 16, 2048, 8192, 512, 128256, 8192

SITE = "/opt/venv/lib/python3.11/site-packages/"


def stack(*lines):
    """Frames, the innermost first; equal ones are one object, as torch's are."""
    return [FRAMES.setdefault(line, {"filename": line[0], "line": line[1], "name": line[2]}) for line in lines]


FRAMES = {}
TRAIN = ("/home/user/project/train.py", 88, "main")
LOAD = [(SITE + "torch/nn/modules/module.py", 1343, "convert"), (SITE + "torch/nn/modules/module.py", 928, "_apply"),
        ("/home/user/project/train.py", 41, "build"), TRAIN]
MODEL = SITE + "transformers/models/llama/modeling_llama.py"
FORWARD = [(SITE + "torch/nn/modules/linear.py", 134, "forward"), (MODEL, 176, "forward"), ("/home/user/project/train.py", 63, "step"), TRAIN]
LOSS = [(SITE + "torch/nn/functional.py", 3494, "cross_entropy"), ("/home/user/project/loss.py", 12, "token_loss"), TRAIN]
ADAM = [(SITE + "torch/optim/adamw.py", 122, "_init_group"), (SITE + "torch/optim/adamw.py", 232, "step"), TRAIN]
# Autograd's thread has no frames of Python.
BACKWARD = [("??", 0, "torch::autograd::Engine::thread_main")]


class Refused(Exception):
    pass


class Allocator:
    """First fit on segments of the size asked for, at least 20 MiB, freed never."""

    def __init__(self, capacity):
        self.capacity, self.segments, self.events, self.next = capacity, [], [], 0x7F0000000000

    def reserved(self):
        return sum(segment["total_size"] for segment in self.segments)

    def record(self, action, size, frames, **more):
        self.events.append({"action": action, **more, "size": size, "stream": 0, "time_us": 1700000000000000 + len(self.events),
                            "frames": stack(*frames)})

    def alloc(self, asked, frames):
        size = -(-asked // 512) * 512
        free = [(block["size"], segment, block) for segment in self.segments for block in segment["blocks"]
                if block["state"] == "inactive" and block["size"] >= size]
        if not free:
            total = size if size >= 10 * MIB else 20 * MIB
            total = -(-total // (2 * MIB)) * 2 * MIB
            if self.reserved() + total > self.capacity:
                self.record("oom", size, frames, device_free=self.capacity - self.reserved())
                raise Refused
            self.next += total + 2 * MIB
            segment = {"device": 0, "address": self.next, "total_size": total, "allocated_size": 0, "active_size": 0,
                       "requested_size": 0, "stream": 0, "segment_type": "large", "segment_pool_id": (0, 0),
                       "is_expandable": False, "frames": [],
                       "blocks": [{"address": self.next, "size": total, "requested_size": 0, "state": "inactive", "frames": []}]}
            self.segments.append(segment)
            self.record("segment_alloc", total, frames, addr=self.next)
            free = [(total, segment, segment["blocks"][0])]
        _, segment, block = min(free, key=lambda one: one[0])
        if block["size"] - size >= 512:
            place = segment["blocks"].index(block)
            rest = {**block, "address": block["address"] + size, "size": block["size"] - size}
            segment["blocks"].insert(place + 1, rest)
        block.update(size=size, requested_size=asked, state="active_allocated", frames=stack(*frames))
        self.record("alloc", asked, frames, addr=block["address"])
        return block

    def free(self, block):
        self.record("free_requested", block["requested_size"], BACKWARD, addr=block["address"])
        self.record("free_completed", block["requested_size"], BACKWARD, addr=block["address"])
        block.update(state="inactive", requested_size=0, frames=[])

    def snapshot(self, last=None):
        for segment in self.segments:
            active = sum(block["size"] for block in segment["blocks"] if block["state"] != "inactive")
            segment.update(allocated_size=active, active_size=active)
        return {"segments": self.segments, "device_traces": [self.events[-last:] if last else self.events, []],
                "external_annotations": [],
                "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "expandable_segments": False}}


MATRICES = [HIDDEN * HIDDEN, KV * HIDDEN, KV * HIDDEN, HIDDEN * HIDDEN, FFN * HIDDEN, FFN * HIDDEN, FFN * HIDDEN]


def step(gpu):
    """A first step of training."""
    weights = [VOCAB * HIDDEN] + MATRICES * LAYERS
    for weight in weights:
        gpu.alloc(4 * weight, LOAD)
    kept = []
    for _ in range(LAYERS):
        kept += [gpu.alloc(2 * TOKENS * width, FORWARD) for width in [HIDDEN, HIDDEN, HIDDEN, KV, KV, HIDDEN, HIDDEN, FFN, FFN, FFN]]
    kept.append(gpu.alloc(2 * TOKENS * VOCAB, [(SITE + "torch/nn/modules/linear.py", 134, "forward"), (MODEL, 494, "forward"), TRAIN]))
    kept.append(gpu.alloc(4 * TOKENS * VOCAB, LOSS))
    kept.append(gpu.alloc(4 * TOKENS * VOCAB, LOSS))
    gradients = []
    for weight in reversed(weights):
        gradients.append(gpu.alloc(4 * weight, BACKWARD))
        if kept:
            gpu.free(kept.pop())
    while kept:
        gpu.free(kept.pop())
    for weight in weights:
        gpu.alloc(4 * weight, ADAM)
        gpu.alloc(4 * weight, ADAM)


def write(name, snapshot, protocols):
    for protocol in protocols:
        file = HERE / (name + (".json" if protocol == "json" else f"-{protocol}.pickle"))
        file.write_bytes(json.dumps(snapshot).encode() if protocol == "json" else pickle.dumps(snapshot, protocol))


gpu = Allocator(18 * GIB)
try:
    step(gpu)
except Refused:
    pass
else:
    raise SystemExit("the step was to be refused")
write("refused", gpu.snapshot(), [2])

gpu = Allocator(1 << 50)
step(gpu)
# The record's ring has dropped the first events.
write("peak", gpu.snapshot(last=900), [5])

whole = gpu.snapshot()
write("now", {"segments": whole["segments"], "device_traces": []}, [3, "json"])

old = [{**segment, "blocks": [{"size": block["size"], "state": block["state"].replace("awaiting_free", "pending_free"),
                               "history": []} for block in segment["blocks"]]} for segment in whole["segments"]]
write("old", old, [4])

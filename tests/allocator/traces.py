"""What allocsim.py says of the traces of this folder: `python traces.py FOLDER_OF_ALLOCSIM > expected.csv`.

allocsim.py is a simulation of PyTorch's caching allocator by its own rules (c10/cuda/CUDACachingAllocator.cpp); the engine
must say the same of the same requests. Traces are either drawn from random numbers, as crates/engine/tests/suite/allocator.rs
draws them, or recorded: `NAME.txt` holds a request a line, `+BYTES STREAM`, and `-N` where the N-th request, from 0, is freed.

Recorded are three steps of two rows of the memory oracle (fsdp2_memory_2.csv; memtrace.py on fake tensors), 32 MiB of cuBLAS
workspace first: OM-0058, two layers of torchtitan's Llama 3.1 8B on 8 GPUs with selective recomputation, and OM-0188, four
layers of Hugging Face's Mistral 7B on 8 GPUs without. Their peaks of reserved memory are the oracle's, to the byte. Streams:
0 compute, 1 all-gather, 2 reduce-scatter.
"""

import pathlib
import sys

FOLDER = pathlib.Path(__file__).parent
# Name: seed, events, most blocks in use, frees of 16 events, mask of the sizes.
DRAWN = {
    "any sizes": (1, 5000, 200, 7, 0xFFFFF),
    "few sizes": (2, 5000, 400, 7, 0x80000),
    "few blocks": (3, 3000, 12, 6, 0xC0000),
}
# Capacities of fixed segments: none, and one that makes the trace give segments back.
GIB = 1 << 30
CAPACITIES = {"any sizes": 4 * GIB, "few sizes": 5 * GIB, "few blocks": GIB}


def drawn(seed, count, limit, frees, mask):
    """Yields (id, bytes, stream), or (id,) for a free."""
    live, born, state = [], 0, seed
    for _ in range(count):
        state = (state * 6364136223846793005 + 1442695040888963407) % (1 << 64)
        word = state >> 32
        if live and (word % 16 < frees or len(live) >= limit):
            place = (word >> 4) % len(live)
            live[place], live[-1] = live[-1], live[place]
            yield (live.pop(),)
            continue
        power = 1 << ((word >> 6) % 32 % 28)
        yield born, power + (((word >> 12) & mask) * power >> 20), (word >> 4) % 4 % 3
        live.append(born)
        born += 1


def recorded(path):
    born = 0
    for line in path.read_text().split("\n"):
        if line.startswith("-"):
            yield (int(line[1:]),)
        elif line:
            bytes_, stream = line[1:].split()
            yield born, int(bytes_), int(stream)
            born += 1


def play(name, events, allocator, segments, capacity):
    for event in events:
        if len(event) == 1:
            allocator.free(event[0])
        else:
            allocator.malloc(*event)
    figures = [allocator.peak_reserved, allocator.reserved, allocator.peak_allocated, allocator.allocated]
    figures += [allocator.retries, allocator.ooms]
    # allocsim.py does not subtract what it gives back from a stream.
    streams = [allocator.by_stream.get(stream, [0])[0] for stream in range(3)] if not capacity else ["", "", ""]
    print(name, segments, capacity or "", *figures, *streams, sep=",")


def main():
    sys.path.insert(0, sys.argv[1])
    from allocsim import Allocator

    print("trace,segments,capacity,peak_reserved,reserved,peak_allocated,allocated,retries,failures,"
          "reserved_compute,reserved_all_gather,reserved_reduce_scatter")
    traces = {name: lambda of=of: drawn(*of) for name, of in DRAWN.items()}
    traces |= {path.stem: lambda path=path: recorded(path) for path in sorted(FOLDER.glob("*.txt"))}
    for name, events in traces.items():
        play(name, events(), Allocator(), "fixed", None)
        play(name, events(), Allocator(expandable=True), "expandable", None)
        if name in CAPACITIES:
            play(name, events(), Allocator(CAPACITIES[name]), "fixed", CAPACITIES[name])


main()

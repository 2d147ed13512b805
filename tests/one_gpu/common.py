import gc, json, os, statistics, sys, time
import torch
CUDA = torch.cuda.is_available()
DEV = "cuda" if CUDA else "cpu"
TINY = not CUDA
OUT = os.environ.get("OUT") or "/tmp/measure-dry"
os.makedirs(OUT, exist_ok=True)
DEADLINE = float(os.environ.get("SECTION_END", "1e18"))
T0 = time.time()
_f = open(os.path.join(OUT, "results.jsonl"), "a")


def left():
    return DEADLINE - time.time()


def emit(kind, **row):
    row = dict(kind=kind, section_seconds=round(time.time() - T0, 2), **row)
    _f.write(json.dumps(row) + "\n")
    _f.flush()


def say(*a):
    print(*a, flush=True)


def short(e):
    return (type(e).__name__ + ": " + str(e).strip().replace("\n", " "))[:400]


def sync():
    if CUDA:
        torch.cuda.synchronize()


class Ev:
    def __init__(self):
        self.e = torch.cuda.Event(enable_timing=True) if CUDA else None

    def record(self):
        if CUDA:
            self.e.record()
        else:
            self.t = time.perf_counter()
        return self

    def to(self, other):
        """Seconds from this event to the other."""
        return self.e.elapsed_time(other.e) / 1e3 if CUDA else other.t - self.t


def allocated():
    return torch.cuda.memory_allocated() if CUDA else 0


def reserved():
    return torch.cuda.memory_reserved() if CUDA else 0


def peaks():
    """(allocated, requested, reserved) peaks since the last reset, then reset."""
    if not CUDA:
        return 0, 0, 0
    s = torch.cuda.memory_stats()
    r = s["allocated_bytes.all.peak"], s["requested_bytes.all.peak"], s["reserved_bytes.all.peak"]
    torch.cuda.reset_peak_memory_stats()
    return r


def outside():
    """Bytes of the card in use that torch's allocator doesn't hold (the context, kernels, libraries)."""
    if not CUDA:
        return 0
    free, total = torch.cuda.mem_get_info()
    return total - free - torch.cuda.memory_reserved()


def clear():
    gc.collect()
    if "torch._dynamo" in sys.modules:
        torch._dynamo.reset()
    gc.collect()
    if CUDA:
        sync()
        torch._C._cuda_clearCublasWorkspaces()
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()


def sdp(which):
    b = torch.backends.cuda
    b.enable_flash_sdp(which in ("flash", "auto"))
    b.enable_mem_efficient_sdp(which in ("efficient", "auto"))
    b.enable_math_sdp(which in ("math", "auto"))
    b.enable_cudnn_sdp(which in ("cudnn", "auto"))


def median(v):
    return statistics.median(v)

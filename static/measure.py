#!/usr/bin/env python3
"""Measures what the GPUs of a node reach, for shardwise: needs nothing but PyTorch, takes at most five minutes.

    python measure.py --out rates.json                              one GPU
    torchrun --nproc-per-node=8 measure.py --out rates.json         a node, with its links

Then drop rates.json on the calculator's page, or: shardwise read rates.json 'cluster=dgx-h100&gpus=64'

It sends nothing anywhere. What it does is said on standard error; without --out the JSON goes to standard output.
"""
import argparse, contextlib, datetime, gc, json, math, os, platform, socket, statistics, subprocess, sys, time

START = time.time()

import torch
import torch.distributed as dist
import torch.nn.functional as F

VERSION = 1
GPU = torch.cuda.is_available()
RANK, WORLD, LOCAL = (int(os.environ.get(key, default)) for key, default in (("RANK", 0), ("WORLD_SIZE", 1), ("LOCAL_RANK", 0)))
NODES = max(1, WORLD // int(os.environ.get("LOCAL_WORLD_SIZE", WORLD)))
DEVICE = torch.device("cuda", LOCAL) if GPU else torch.device("cpu")
# What was left out, and why.
SKIPPED = []
MIB = 1 << 20


def say(text):
    if RANK == 0:
        print(text, file=sys.stderr, flush=True)


def skip(text):
    if text not in SKIPPED:
        SKIPPED.append(text)
        say(text)


def reason(error):
    return f"{type(error).__name__}: {' '.join(str(error).split())}"[:200]


def sync():
    if GPU:
        torch.cuda.synchronize()


def free():
    gc.collect()
    if GPU:
        sync()
        torch.cuda.empty_cache()


class Mark:
    """A moment on the device."""

    def __init__(self):
        if GPU:
            self.event = torch.cuda.Event(enable_timing=True)
            self.event.record()
        else:
            self.time = time.perf_counter()

    def until(self, later):
        return self.event.elapsed_time(later.event) / 1e3 if GPU else later.time - self.time


class Clock:
    """The time that a section may take."""

    def __init__(self, seconds):
        self.end = time.time() + seconds

    def left(self):
        return self.end - time.time()


SCRATCH = []


def flush():
    """Empties the cache between calls, as between the operators of a step."""
    if not SCRATCH:
        SCRATCH.append(torch.empty(256 * MIB if GPU else MIB, dtype=torch.int8, device=DEVICE))
    SCRATCH[0].zero_()


def timed(call, budget=0.1):
    """Seconds of a call: alone with an empty cache (median), and back to back (median of three batches)."""
    for _ in range(3 if GPU else 1):
        call()
    sync()
    start = Mark()
    call()
    end = Mark()
    sync()
    count = int(min(200, max(5, budget / max(start.until(end), 1e-7)))) if GPU else 2
    alone = []
    for _ in range(min(count, 15)):
        flush()
        start = Mark()
        call()
        alone.append((start, Mark()))
    sync()
    batches = []
    for _ in range(3):
        start = Mark()
        for _ in range(count):
            call()
        end = Mark()
        sync()
        batches.append(start.until(end) / count)
    return {
        "seconds_alone": statistics.median(a.until(b) for a, b in alone),
        "seconds_back_to_back": statistics.median(batches),
    }


def wide():
    """The 16-bit format that the device trains in."""
    volta = GPU and not torch.version.hip and torch.cuda.get_device_capability(DEVICE)[0] < 8
    return ("fp16", torch.float16) if volta else ("bf16", torch.bfloat16)


def product(name, dtype, m, n, k):
    """A call that multiplies an m x k by a k x n matrix, as a linear layer does."""
    if name != "fp8":
        x, w = (torch.randn(rows, k, device=DEVICE, dtype=dtype) for rows in (m, n))
        return lambda: F.linear(x, w)
    x, w = (torch.randn(rows, k, device=DEVICE, dtype=torch.bfloat16).to(dtype) for rows in (m, n))
    one = torch.ones((), device=DEVICE)
    return lambda: torch._scaled_mm(x, w.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, use_fast_accum=True)


def formats():
    """The formats of products that run here."""
    yield wide()
    if not GPU:
        return
    for kind in ("float8_e4m3fn", "float8_e4m3fnuz"):
        try:
            dtype = getattr(torch, kind)
            product("fp8", dtype, 256, 256, 256)()
            sync()
        except Exception as error:
            problem = reason(error)
            continue
        yield "fp8", dtype
        return
    skip(f"Products in 8 bits do not run here ({problem}).")


def sustained(clock):
    """Products for some seconds, until power and temperature limit them."""
    rows, formats_here = [], list(formats())
    size = 8192 if GPU else 128
    for name, dtype in formats_here:
        call = product(name, dtype, size, size, size)
        span = min(8.0, clock.left() / 2) if GPU else 0.2
        batch = max(1, int(0.1 / max(timed(call)["seconds_back_to_back"], 1e-7))) if GPU else 4
        took, end = [], time.time() + span
        while time.time() < end or len(took) < 4:
            start = Mark()
            for _ in range(batch):
                call()
            finish = Mark()
            sync()
            took.append(start.until(finish) / batch)
        # The first half warms it up.
        seconds = statistics.median(took[len(took) // 2 :])
        flops = 2 * size**3
        rows.append(dict(format=name, m=size, n=size, k=size, lasted_seconds=span, seconds=seconds, tflop_per_s=flops / seconds / 1e12))
        say(f"Products in {name}, sustained: {flops / seconds / 1e12:.0f} TFLOP/s.")
    return rows


def products(clock):
    """Products by shape: how the rate falls with the number of tokens."""
    if GPU:
        tokens, widths = (128, 256, 512, 1024, 2048, 4096, 8192, 16384), ((4096, 4096), (14336, 4096), (4096, 14336), (2048, 2048))
    else:
        tokens, widths = (16, 64), ((64, 32),)
    rows = []
    for name, dtype in formats():
        for n, k in widths:
            for m in tokens:
                if clock.left() < 1:
                    skip(f"No time was left for some shapes of products in {name}.")
                    return rows
                took = timed(product(name, dtype, m, n, k), 0.04)
                rows.append(dict(format=name, m=m, n=n, k=k, **took, tflop_per_s_alone=2 * m * n * k / took["seconds_alone"] / 1e12))
    return rows


def kernels():
    """PyTorch's kernels of attention, by name."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    names = (("flash", "FLASH_ATTENTION"), ("cudnn", "CUDNN_ATTENTION"), ("efficient", "EFFICIENT_ATTENTION"), ("math", "MATH"))
    return [(name, getattr(SDPBackend, backend)) for name, backend in names if hasattr(SDPBackend, backend)], sdpa_kernel


def attention(clock):
    """Causal attention by kernel and length, forward and backward."""
    rows, heads = [], 16 if GPU else 2
    backends, chosen = kernels()
    shapes = [(128, length) for length in (512, 1024, 2048, 4096, 8192, 16384)] + [(64, 2048), (64, 8192)]
    _, dtype = wide()
    for name, backend in backends:
        for width, length in shapes if GPU else [(16, 64)]:
            # It holds every score.
            if name == "math" and length > 2048:
                continue
            if clock.left() < 1:
                skip(f"No time was left for attention by the kernel {name} from {length} tokens with heads of {width} on.")
                break
            batch = max(1, 16384 // length) if GPU else 1
            try:
                shape = (batch, heads, length, width)
                q, k, v, grad = (torch.randn(shape, device=DEVICE, dtype=dtype) for _ in range(4))
                leaves = [part.requires_grad_() for part in (q, k, v)]
                with chosen(backend):
                    with torch.no_grad():
                        forward = timed(lambda: F.scaled_dot_product_attention(q, k, v, is_causal=True), 0.06)
                    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
                    backward = timed(lambda: torch.autograd.grad(out, leaves, grad, retain_graph=True), 0.06)
            except Exception as error:
                skip(f"Attention by the kernel {name} does not run here over {length} tokens ({reason(error)}).")
                if length == shapes[0][1] or not GPU:
                    break
                continue
            flops = 4 * batch * heads * width * length**2 / 2
            ahead, back = forward["seconds_back_to_back"], backward["seconds_back_to_back"]
            rows.append(
                dict(kernel=name, head_dim=width, length=length, heads=heads, batch=batch, causal=True, forward_seconds=ahead, backward_seconds=back,
                     forward_tflop_per_s=flops / ahead / 1e12, backward_tflop_per_s=2.5 * flops / back / 1e12)
            )
            del q, k, v, grad, out, leaves
        free()
    return rows


def streams(_clock):
    """Operators that the memory's bandwidth limits."""
    side = 8192 if GPU else 256
    _, dtype = wide()
    a, b = (torch.randn(side, side, device=DEVICE, dtype=dtype) for _ in range(2))
    single = a.float()
    norm = torch.nn.LayerNorm(side, device=DEVICE, dtype=dtype)
    calls = (
        ("copy", 4, lambda: a.clone()),
        ("add", 6, lambda: a + b),
        ("cast_to_16_bits", 6, lambda: single.to(dtype)),
        ("add_in_32_bits", 8, lambda: torch.add(single, single, out=single)),
        ("silu", 4, lambda: F.silu(a)),
        ("layer_norm", 4, lambda: norm(a)),
    )
    rows = []
    with torch.no_grad():
        for name, each, call in calls:
            # Adding a tensor to itself reads it once.
            moved = each * side * side
            seconds = timed(call)["seconds_back_to_back"]
            rows.append(dict(operator=name, moved_bytes=moved, seconds=seconds, gb_per_s=moved / seconds / 1e9))
    return rows


def launches(_clock):
    """Microseconds of the host for an operator on a small tensor."""
    count = 1000 if GPU else 20
    _, dtype = wide()
    x = torch.randn(8, 64, device=DEVICE, dtype=dtype)
    tracked = x.clone().requires_grad_()
    linear = torch.nn.Linear(64, 64, device=DEVICE, dtype=dtype)

    def issue(call, times):
        for _ in range(20):
            call()
        took = []
        for _ in range(5):
            sync()
            start = time.perf_counter()
            for _ in range(times):
                call()
            took.append((time.perf_counter() - start) / times)
        sync()
        return statistics.median(took) * 1e6

    def both():
        torch.autograd.grad(linear(tracked).sum(), [tracked, *linear.parameters()])

    rows = []
    with torch.no_grad():
        for name, call in (("add", lambda: x + x), ("linear", lambda: linear(x))):
            rows.append(dict(operator=name, autograd=False, host_us=issue(call, count // 5)))
    for name, call in (("add", lambda: tracked + x), ("linear", lambda: linear(tracked))):
        rows.append(dict(operator=name, autograd=True, host_us=issue(call, count // 5)))
    rows.append(dict(operator="linear_sum_backward", autograd=True, host_us=issue(both, count // 20)))
    return rows


def graphs(_clock):
    """A CUDA graph of one kernel and of many, replayed."""
    if not GPU:
        return []
    rows = []
    x = torch.ones(8, 64, device=DEVICE)
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        for _ in range(3):
            x.add_(0.0)
    sync()
    for kernels_in_it in (1, 1000):
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            for _ in range(kernels_in_it):
                x.add_(0.0)
        for _ in range(3):
            graph.replay()
        sync()
        start = time.perf_counter()
        for _ in range(20):
            graph.replay()
        host = time.perf_counter() - start
        sync()
        rows.append(dict(kernels=kernels_in_it, host_us=host / 20 * 1e6, total_us=(time.perf_counter() - start) / 20 * 1e6))
    return rows


def host_link(_clock):
    """Copies to and from pinned memory of the host: alone, and both at once."""
    if not GPU:
        return []
    size = 512 * MIB
    here, there = (torch.empty(size, dtype=torch.int8, device=DEVICE).random_() for _ in range(2))
    pinned, other = (torch.ones(size, dtype=torch.int8).pin_memory() for _ in range(2))
    rows = []
    for direction, call in (("to_gpu", lambda: here.copy_(pinned, non_blocking=True)), ("from_gpu", lambda: pinned.copy_(here, non_blocking=True))):
        took = []
        for _ in range(6):
            start = Mark()
            call()
            end = Mark()
            sync()
            took.append(start.until(end))
        rows.append(dict(direction=direction, pinned=True, gb_per_s=size / statistics.median(took[1:]) / 1e9))
    streams_of = [torch.cuda.Stream() for _ in range(2)]
    took = []
    for _ in range(4):
        sync()
        start = time.perf_counter()
        with torch.cuda.stream(streams_of[0]):
            here.copy_(pinned, non_blocking=True)
        with torch.cuda.stream(streams_of[1]):
            other.copy_(there, non_blocking=True)
        sync()
        took.append(time.perf_counter() - start)
    rows.append(dict(direction="both_each", pinned=True, gb_per_s=size / statistics.median(took[1:]) / 1e9))
    return rows


def memory():
    """What a process holds beside PyTorch's tensors, as its libraries come; other programs on the GPU are in it."""
    if not GPU:
        return []
    rows = []

    def stage(name):
        sync()
        unused, total = torch.cuda.mem_get_info(DEVICE)
        rows.append(dict(after=name, used_bytes=total - unused - torch.cuda.memory_reserved(DEVICE), total_bytes=total))

    _, dtype = wide()
    torch.cuda.init()
    stage("context")
    torch.ones(8, device=DEVICE).add_(1)
    stage("first_kernel")
    weight = torch.randn(1024, 1024, device=DEVICE, dtype=dtype, requires_grad=True)
    with torch.no_grad():
        F.linear(weight, weight)
    stage("first_product")
    F.linear(weight, weight).float().sum().backward()
    stage("first_backward")
    return rows


COLLECTIVES = {"all_reduce": lambda n: 2 * (n - 1) / n, "all_gather": lambda n: (n - 1) / n, "reduce_scatter": lambda n: (n - 1) / n}


def agree(flag):
    """Whether every rank says so."""
    told = torch.tensor([1 if flag else 0], device=DEVICE)
    dist.all_reduce(told, op=dist.ReduceOp.MIN)
    return bool(told.item())


def collectives(clock):
    """Collectives by size, timed as nccl-tests does: the whole buffer's bytes, the mean over ranks, the same bus bandwidth."""
    if WORLD < 2:
        return []
    _, dtype = wide()
    if not GPU:
        dtype = torch.float32
    sizes = [4096 * 4**power for power in range(10)] if GPU else [4096, 65536, MIB]
    element = torch.empty((), dtype=dtype).element_size()
    rows = []
    for name, factor in COLLECTIVES.items():
        try:
            for size in sizes:
                if not agree(clock.left() > 2 and (not GPU or torch.cuda.mem_get_info(DEVICE)[0] > 6 * size)):
                    skip(f"{name} over {size} bytes and more was left out: no time or memory was left.")
                    break
                each = max(1, size // element // WORLD)
                # Sums of zeros stay what they are.
                whole = torch.zeros(each * WORLD, device=DEVICE, dtype=dtype)
                part = torch.zeros(each, device=DEVICE, dtype=dtype)
                call = {
                    "all_reduce": lambda: dist.all_reduce(whole),
                    "all_gather": lambda: dist.all_gather_into_tensor(whole, part),
                    "reduce_scatter": lambda: dist.reduce_scatter_tensor(part, whole),
                }[name]
                count = 20 if size >= 16 * MIB else 50
                if not GPU:
                    count = 3
                for _ in range(5):
                    call()
                took = []
                for _ in range(3):
                    dist.barrier()
                    sync()
                    start = Mark()
                    for _ in range(count):
                        call()
                    end = Mark()
                    sync()
                    took.append(start.until(end) / count)
                seconds = torch.tensor([statistics.median(took)], device=DEVICE, dtype=torch.float64 if GPU else torch.float32)
                dist.all_reduce(seconds)
                seconds, moved = seconds.item() / WORLD, each * WORLD * element
                rows.append(dict(collective=name, bytes=moved, ranks=WORLD, nodes=NODES, seconds=seconds, bus_gb_per_s=moved * factor(WORLD) / seconds / 1e9))
                del whole, part
        except Exception as error:
            skip(f"{name} does not run here ({reason(error)}).")
        best = max((row["bus_gb_per_s"] for row in rows if row["collective"] == name), default=None)
        if best:
            say(f"{name} among {WORLD}: up to {best:.1f} GB/s of bus bandwidth.")
    return rows


def host():
    """The processor that issues the kernels."""
    name = platform.processor() or platform.machine()
    with contextlib.suppress(OSError):
        with open("/proc/cpuinfo") as lines:
            name = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), name)
    total = None
    with contextlib.suppress(OSError, ValueError, AttributeError):
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return dict(cpu=name, cpus=os.cpu_count(), memory_bytes=total)


def versions():
    driver = None
    if GPU and not torch.version.hip:
        with contextlib.suppress(OSError, subprocess.SubprocessError):
            asked = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
            driver = (subprocess.run(asked, capture_output=True, text=True, timeout=10).stdout.split() or [None])[0]
    nccl = None
    if GPU:
        with contextlib.suppress(Exception):
            nccl = ".".join(map(str, torch.cuda.nccl.version()))
    cudnn = torch.backends.cudnn.version() if GPU else None
    return dict(torch=str(torch.__version__), cuda=torch.version.cuda, hip=torch.version.hip, cudnn=cudnn, nccl=nccl, driver=driver, python=platform.python_version())


def device():
    if not GPU:
        return dict(type="cpu", name=host()["cpu"], count=0)
    of = torch.cuda.get_device_properties(DEVICE)
    told = dict(type="rocm" if torch.version.hip else "cuda", name=of.name, count=torch.cuda.device_count(), multiprocessors=of.multi_processor_count)
    return dict(told, properties_total_bytes=of.total_memory, usable_bytes=torch.cuda.mem_get_info(DEVICE)[1])


def clean(value):
    """Numbers to six digits; what is none is left out."""
    if isinstance(value, float):
        return float(f"{value:.6g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        cleaned = {key: clean(part) for key, part in value.items()}
        return {key: part for key, part in cleaned.items() if part is not None}
    if isinstance(value, (list, tuple)):
        return [clean(part) for part in value]
    return value


def written(result):
    """The JSON, a row a line."""
    parts = []
    for key, value in clean(result).items():
        if isinstance(value, list) and value:
            rows = ",\n".join("    " + json.dumps(row, allow_nan=False) for row in value)
            parts.append(f'  {json.dumps(key)}: [\n{rows}\n  ]')
        else:
            parts.append(f"  {json.dumps(key)}: {json.dumps(value, allow_nan=False)}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


# What is measured, how it is called, and its share of the time.
SECTIONS = (
    ("sustained", sustained, "products, sustained", 0.12),
    ("products", products, "products by shape", 0.20),
    ("attention", attention, "attention by kernel", 0.22),
    ("streams", streams, "the memory's bandwidth", 0.04),
    ("launches", launches, "launches by the host", 0.04),
    ("graphs", graphs, "CUDA graphs", 0.02),
    ("host_link", host_link, "the link to the host", 0.04),
    ("collectives", collectives, "collectives", 0.25),
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=240.0, help="how long it may take, 20 to 300 (240)")
    parser.add_argument("--out", help="the file that is written; without it, standard output")
    asked = parser.parse_args()
    if not 20 <= asked.seconds <= 300:
        parser.error(f"--seconds is {asked.seconds:g}: give 20 to 300.")
    if GPU:
        torch.cuda.set_device(DEVICE)
    result = dict(shardwise_measure=VERSION, written=datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"))
    # Before NCCL takes its share.
    result["memory"] = memory()
    result.update(device=device(), host=host(), versions=versions(), ranks=WORLD, nodes=NODES)
    what = result["device"]
    say(f"Measuring {what['name']}" + (f", {WORLD} of them" if WORLD > 1 and GPU else "") + f", for at most {asked.seconds:.0f} seconds.")
    if not GPU:
        say("There is no GPU here: shapes are small, and what comes of it says nothing of a cluster.")
    if WORLD > 1:
        dist.init_process_group("nccl" if GPU else "gloo", timeout=datetime.timedelta(seconds=120))
    for key, section, name, share in SECTIONS:
        left = asked.seconds - (time.time() - START)
        say(f"Now {name}, {max(left, 0):.0f} seconds left.")
        if WORLD > 1:
            dist.barrier()
        try:
            result[key] = section(Clock(min(left, share * asked.seconds)))
        except Exception as error:
            result[key] = []
            skip(f"There is nothing about {name}: {reason(error)}.")
        free()
    mine = dict(rank=RANK, host=socket.gethostname(), name=what["name"], rates=[[row["format"], row["tflop_per_s"]] for row in result["sustained"]])
    everyone = [mine]
    if WORLD > 1:
        everyone = [None] * WORLD
        dist.all_gather_object(everyone, mine)
    hosts = sorted({one["host"] for one in everyone})
    result["of_ranks"] = [
        dict(rank=one["rank"], node=hosts.index(one["host"]), name=one["name"], format=name, tflop_per_s=rate) for one in everyone for name, rate in one["rates"]
    ]
    result.update(skipped=SKIPPED, took_seconds=time.time() - START)
    if RANK == 0:
        text = written(result)
        if asked.out:
            with open(asked.out, "w") as file:
                file.write(text)
            say(f"Written into {asked.out} after {time.time() - START:.0f} seconds.")
        else:
            sys.stdout.write(text)
    if WORLD > 1:
        dist.barrier()
        dist.destroy_process_group()


if __name__ == "__main__":
    main()

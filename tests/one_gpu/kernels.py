"""Environment, matrix products, attention kernels, host costs, bandwidths."""
import sys, time
from common import *
import torch.nn as nn, torch.nn.functional as F


def guard(kind, f, **k):
    try:
        r = f()
        if r is not None:
            emit(kind, **k, **r)
        return r
    except Exception as e:
        emit(kind, **k, error=short(e))
        say(kind, k, "FAILED", short(e)[:160])
        if TINY:
            import traceback
            traceback.print_exc()


def env():
    import platform, subprocess
    d = {}
    used0 = None
    try:
        import pynvml as n
        n.nvmlInit()
        h = n.nvmlDeviceGetHandleByIndex(0)
        mi = n.nvmlDeviceGetMemoryInfo(h)
        used0 = mi.used
        m2 = n.nvmlDeviceGetMemoryInfo(h, version=n.nvmlMemory_v2)
        d.update(gpu=str(n.nvmlDeviceGetName(h)), driver=str(n.nvmlSystemGetDriverVersion()), nvml_total_bytes=mi.total, nvml_used_before_bytes=mi.used,
                 nvml_reserved_by_driver_bytes=m2.reserved, power_limit_watts=n.nvmlDeviceGetEnforcedPowerLimit(h) / 1e3,
                 max_sm_clock_mhz=n.nvmlDeviceGetMaxClockInfo(h, n.NVML_CLOCK_SM), max_memory_clock_mhz=n.nvmlDeviceGetMaxClockInfo(h, n.NVML_CLOCK_MEM),
                 ecc=str(n.nvmlDeviceGetEccMode(h)))
        try:
            d.update(pcie_gen=n.nvmlDeviceGetCurrPcieLinkGeneration(h), pcie_width=n.nvmlDeviceGetCurrPcieLinkWidth(h))
        except Exception as e:
            d["pcie"] = short(e)
    except Exception as e:
        d["nvml_error"] = short(e)
    cpu = [l.split(":")[1].strip() for l in open("/proc/cpuinfo") if l.startswith("model name")]
    mem = open("/proc/meminfo").readline().split()[1]
    d.update(cpu=cpu[0] if cpu else "", cpus=len(cpu), host_memory_kib=int(mem), kernel=platform.release(), python=platform.python_version(),
             torch=torch.__version__, cuda=torch.version.cuda, cudnn=torch.backends.cudnn.version() if CUDA else None,
             alloc_conf=os.environ.get("PYTORCH_CUDA_ALLOC_CONF", ""), module_loading=os.environ.get("CUDA_MODULE_LOADING", ""))
    try:
        import triton, transformers
        d.update(triton=triton.__version__, transformers=transformers.__version__)
    except Exception as e:
        d["import_error"] = short(e)
    if CUDA:
        p = torch.cuda.get_device_properties(0)
        d.update(torch_name=p.name, torch_total_bytes=p.total_memory, sms=p.multi_processor_count, l2_bytes=p.L2_cache_size)
    emit("environment", **d)
    say(d)
    if not CUDA:
        return
    stages = []

    def stage(name):
        sync()
        free, total = torch.cuda.mem_get_info()
        u = None
        try:
            u = n.nvmlDeviceGetMemoryInfo(h).used
        except Exception:
            pass
        row = dict(stage=name, total_bytes=total, free_bytes=free, reserved_bytes=reserved(), allocated_bytes=allocated(), outside_allocator_bytes=total - free - reserved(), nvml_used_bytes=u,
                   nvml_used_less_before_and_reserved_bytes=(u - used0 - reserved()) if u is not None and used0 is not None else None)
        emit("context", **row)
        stages.append((name, round(row["outside_allocator_bytes"] / 2**20, 1), allocated()))

    torch.cuda.init()
    stage("cuda initialised")
    a = torch.ones(8, device=DEV) + 1
    stage("first small kernel")
    w = torch.randn(1024, 1024, device=DEV, dtype=torch.bfloat16)
    w @ w
    stage("first bf16 matmul")
    F.linear(w, w, torch.zeros(1024, device=DEV, dtype=torch.bfloat16))
    stage("first matmul with bias (cublasLt)")
    q = torch.randn(1, 4, 256, 64, device=DEV, dtype=torch.bfloat16, requires_grad=True)
    sdp("flash")
    F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
    stage("flash attention and a backward pass")
    lin = nn.Linear(1024, 1024, device=DEV, dtype=torch.bfloat16)
    lin(w).float().sum().backward()
    stage("linear backward (second thread's cuBLAS)")
    o = torch.optim.AdamW(lin.parameters(), fused=True)
    o.step()
    stage("fused AdamW")
    sdp("cudnn")
    F.scaled_dot_product_attention(q, q, q, is_causal=True).sum().backward()
    stage("cuDNN attention")
    say(stages)


FLUSH = None


def flush():
    global FLUSH
    if FLUSH is None:
        FLUSH = torch.empty((256 << 20) if CUDA else 1024, dtype=torch.int8, device=DEV)
    FLUSH.zero_()


def timed(f, budget=0.05, floor=10, cap=200):
    """(median of single calls after an L2 flush, mean of back-to-back calls as the median of 3 batches, calls a batch)."""
    for _ in range(3):
        f()
    sync()
    a, b = Ev(), Ev()
    a.record(); f(); b.record(); sync()
    t = max(a.to(b), 1e-6)
    n = int(min(cap, max(floor, budget / t)))
    if TINY:
        n = 2
    cold = []
    for _ in range(min(n, 20)):
        flush()
        x, y = Ev(), Ev()
        x.record(); f(); y.record()
        cold.append((x, y))
    sync()
    cold = median([x.to(y) for x, y in cold])
    hot = []
    for _ in range(3):
        x, y = Ev(), Ev()
        x.record()
        for _ in range(n):
            f()
        y.record(); sync()
        hot.append(x.to(y) / n)
    return dict(seconds_l2_flushed=cold, seconds_back_to_back=median(hot), calls=n)


def matmul():
    S = []
    for m in (1024, 2048, 4096, 8192, 16384):
        S += [(m, n, k) for n, k in ((4096, 4096), (14336, 4096), (4096, 14336), (2048, 2048), (8192, 2048), (8192, 8192))]
    S += [(8192, n, k) for n, k in ((512, 2048), (1024, 4096), (6144, 4096), (28672, 4096), (28672, 8192), (8192, 28672), (10240, 8192), (5632, 2048), (2048, 5632), (8960, 1536), (1536, 8960), (6912, 1152), (1152, 6912), (3072, 1024), (1024, 3072), (128256, 2048), (128256, 4096), (32000, 2048), (50257, 1600), (50304, 1600), (6400, 1600), (4608, 4608), (18432, 4608), (4096, 11008), (11008, 4096), (4095, 4096), (4096, 4095), (1024, 1024), (16384, 16384))]
    S += [(m, 4096, 4096) for m in (4095, 4097, 8191, 1000, 512, 256, 128)] + [(4096, 50257, 2048), (2048, 50257, 768), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048)]
    if TINY:
        S = [(64, 32, 48), (33, 17, 31)]

    def go(m, n, k, layout, dt=torch.bfloat16):
        if layout == "forward":      # x[m,k] @ w[n,k].T
            x, w = torch.randn(m, k, device=DEV, dtype=dt), torch.randn(n, k, device=DEV, dtype=dt)
            out = torch.empty(m, n, device=DEV, dtype=dt)
            t = timed(lambda: torch.mm(x, w.t(), out=out))
        elif layout == "input_gradient":   # dy[m,k] @ w[k,n]
            x, w = torch.randn(m, k, device=DEV, dtype=dt), torch.randn(k, n, device=DEV, dtype=dt)
            out = torch.empty(m, n, device=DEV, dtype=dt)
            t = timed(lambda: torch.mm(x, w, out=out))
        else:                        # dy[k,m].T @ x[k,n]
            x, w = torch.randn(k, m, device=DEV, dtype=dt), torch.randn(k, n, device=DEV, dtype=dt)
            out = torch.empty(m, n, device=DEV, dtype=dt)
            t = timed(lambda: torch.mm(x.t(), w, out=out))
        fl = 2 * m * n * k
        t.update(tflops_l2_flushed=fl / t["seconds_l2_flushed"] / 1e12, tflops_back_to_back=fl / t["seconds_back_to_back"] / 1e12)
        return t

    rows = []
    for m, n, k in S:
        if left() < 3:
            break
        r = guard("matmul", lambda: go(m, n, k, "forward"), format="bf16", layout="forward", m=m, n=n, k=k)
        if r:
            rows.append("%dx%dx%d %.0f/%.0f" % (m, n, k, r["tflops_l2_flushed"], r["tflops_back_to_back"]))
    say("matmul m,n,k flushed/back-to-back TFLOP/s:", "; ".join(rows))
    # The gradients of y[T,N] = x[T,K] w[N,K].T: dx is T x K over N, dw is N x K over T.
    G = [(8192, n, k) for n, k in ((4096, 4096), (14336, 4096), (4096, 14336), (2048, 2048), (8192, 2048), (2048, 8192), (8192, 8192), (512, 2048), (128256, 2048), (1024, 4096))]
    for T, N, K in ([(64, 32, 48)] if TINY else G):
        if left() < 3:
            break
        guard("matmul", lambda: go(T, K, N, "input_gradient"), format="bf16", layout="input_gradient", m=T, n=K, k=N)
        guard("matmul", lambda: go(N, K, T, "weight_gradient"), format="bf16", layout="weight_gradient", m=N, n=K, k=T)
    if not CUDA:
        return
    for m, n, k in ((4096, 4096, 4096), (8192, 8192, 8192), (8192, 4096, 14336)):
        guard("matmul", lambda: go(m, n, k, "forward", torch.float16), format="fp16", layout="forward", m=m, n=n, k=k)

        def tf32():
            torch.backends.cuda.matmul.allow_tf32 = True
            try:
                return go(m, n, k, "forward", torch.float32)
            finally:
                torch.backends.cuda.matmul.allow_tf32 = False
        guard("matmul", tf32, format="tf32", layout="forward", m=m, n=n, k=k)
    for m, n, k in ((1024, 4096, 4096), (4096, 4096, 4096), (8192, 4096, 4096), (8192, 14336, 4096), (8192, 4096, 14336), (8192, 2048, 2048), (8192, 8192, 2048), (8192, 8192, 8192), (16384, 8192, 8192), (8192, 28672, 8192), (2048, 14336, 4096)):
        if left() < 3:
            break
        for kind in ("fp8 tensorwise", "fp8 rowwise"):
            for fast in (True, False):
                def f8():
                    a = torch.randn(m, k, device=DEV, dtype=torch.bfloat16).to(torch.float8_e4m3fn)
                    b = torch.randn(n, k, device=DEV, dtype=torch.bfloat16).to(torch.float8_e4m3fn)
                    sa = torch.ones((), device=DEV) if "tensor" in kind else torch.ones(m, 1, device=DEV)
                    sb = torch.ones((), device=DEV) if "tensor" in kind else torch.ones(1, n, device=DEV)
                    t = timed(lambda: torch._scaled_mm(a, b.t(), scale_a=sa, scale_b=sb, out_dtype=torch.bfloat16, use_fast_accum=fast))
                    fl = 2 * m * n * k
                    t.update(tflops_l2_flushed=fl / t["seconds_l2_flushed"] / 1e12, tflops_back_to_back=fl / t["seconds_back_to_back"] / 1e12)
                    return t
                r = guard("matmul", f8, format=kind + (" fast accumulation" if fast else ""), layout="forward", m=m, n=n, k=k)
                if r:
                    say(kind, fast, m, n, k, "%.0f/%.0f" % (r["tflops_l2_flushed"], r["tflops_back_to_back"]))
    # Held for 1.5 s: what power leaves.
    for m, n, k in ((8192, 8192, 8192), (8192, 14336, 4096)):
        def sustained():
            import pynvml as nv
            h = nv.nvmlDeviceGetHandleByIndex(0) if not nv.nvmlInit() else None
            x, w = torch.randn(m, k, device=DEV, dtype=torch.bfloat16), torch.randn(n, k, device=DEV, dtype=torch.bfloat16)
            out = torch.empty(m, n, device=DEV, dtype=torch.bfloat16)
            fl = 2 * m * n * k
            ts, t0, pw = [], time.time(), []
            while time.time() - t0 < 1.5:
                a, b = Ev(), Ev()
                a.record()
                for _ in range(20):
                    torch.mm(x, w.t(), out=out)
                b.record()
                torch.cuda.Event.synchronize(b.e)
                ts.append(fl * 20 / a.to(b) / 1e12)
                pw.append((nv.nvmlDeviceGetPowerUsage(h) / 1e3, nv.nvmlDeviceGetClockInfo(h, nv.NVML_CLOCK_SM)))
            return dict(first_tflops=ts[0], last_tflops=median(ts[-10:]), power_watts=pw[-1][0], sm_clock_mhz=pw[-1][1])
        say("sustained", guard("sustained", sustained, m=m, n=n, k=k))


def attention():
    cases = []
    for d in (64, 80, 96, 128, 192, 256):
        for s in (512, 2048, 8192):
            cases += [(b, d, s, 16, 16, True) for b in ("flash", "cudnn", "efficient")]
    for d in (64, 128):
        for s in (1024, 4096, 16384, 32768):
            cases += [(b, d, s, 16, 16, True) for b in ("flash", "cudnn", "efficient")]
        for s in (2048, 8192):
            cases += [(b, d, s, 32, 8, True) for b in ("flash", "cudnn")]
            cases += [(b, d, s, 32, 32, True) for b in ("flash", "cudnn")]
            cases += [(b, d, s, 16, 16, False) for b in ("flash", "cudnn", "efficient")]
        cases += [("math", d, s, 16, 16, True) for s in (512, 2048)]
    cases += [("flash", 256, 2048, 4, 1, True), ("cudnn", 256, 2048, 4, 1, True), ("cudnn", 256, 8192, 32, 8, True), ("flash", 256, 8192, 32, 8, True),
              ("efficient mask", 128, 2048, 16, 16, True), ("cudnn mask", 128, 2048, 16, 16, True), ("efficient mask", 64, 2048, 16, 16, True)]
    if TINY:
        cases = [("auto", 16, 32, 4, 2, True), ("auto mask", 16, 32, 4, 4, True)]
    out = []
    for b, d, s, h, kv, causal in cases:
        if left() < 3:
            say("attention: out of time")
            break
        batch = max(1, 16384 // s) if not TINY else 1

        def go():
            dt = torch.bfloat16
            # the layout that a layer gives: [batch, length, heads, dim], transposed
            mk = lambda n: torch.randn(batch, s, n, d, device=DEV, dtype=dt).transpose(1, 2).detach().requires_grad_()
            q, k, v = mk(h), mk(kv), mk(kv)
            mask = torch.ones(s, s, dtype=torch.bool, device=DEV).tril()[None, None].expand(batch, 1, s, s).contiguous() if "mask" in b else None
            sdp(b.split()[0])
            f = lambda: F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal and mask is None, enable_gqa=kv != h)
            o = f()
            g = torch.randn_like(o)
            bw = lambda: torch.autograd.grad(o, (q, k, v), g, retain_graph=True)
            fl = 4 * batch * h * s * s * d / (2 if causal else 1)
            with torch.no_grad():
                tf = timed(f, budget=0.02, floor=5, cap=30)
            tb = timed(bw, budget=0.02, floor=5, cap=20)
            return dict(batch=batch, flops_forward=fl, forward_seconds_l2_flushed=tf["seconds_l2_flushed"], forward_seconds_back_to_back=tf["seconds_back_to_back"],
                        backward_seconds_l2_flushed=tb["seconds_l2_flushed"], backward_seconds_back_to_back=tb["seconds_back_to_back"],
                        forward_tflops=fl / tf["seconds_back_to_back"] / 1e12, backward_tflops=2.5 * fl / tb["seconds_back_to_back"] / 1e12, calls=tf["calls"])
        r = guard("attention", go, backend=b, head_dim=d, length=s, heads=h, kv_heads=kv, causal=causal)
        if r:
            out.append("%s d%d s%d h%d/%d%s %.0f/%.0f" % (b, d, s, h, kv, "" if causal else " full", r["forward_tflops"], r["backward_tflops"]))
        if CUDA and s >= 8192:
            torch.cuda.empty_cache()
    say("attention TFLOP/s fwd/bwd:", "; ".join(out))
    sdp("auto")


def host():
    n = 2000 if CUDA else 20

    def issue(f, n=n, inner=1):
        for _ in range(50 if CUDA else 2):
            f()
        sync()
        hs, tot = [], []
        for _ in range(5):
            t = time.perf_counter()
            for _ in range(n // 5):
                f()
            h = time.perf_counter() - t
            sync()
            hs.append(h / (n // 5)); tot.append((time.perf_counter() - t) / (n // 5))
        return dict(host_seconds=median(hs), total_seconds=median(tot), calls=n // 5, operators=inner)

    dt = torch.bfloat16
    x = torch.randn(8, 64, device=DEV, dtype=dt)
    xg = x.clone().requires_grad_()
    lin, ln, rms = nn.Linear(64, 64, device=DEV, dtype=dt), nn.LayerNorm(64, device=DEV, dtype=dt), nn.RMSNorm(64, device=DEV, dtype=dt)
    lin32 = nn.Linear(64, 64, device=DEV)
    mlp = nn.Sequential(*[nn.Linear(64, 64, bias=False, device=DEV, dtype=dt) for _ in range(10)])
    one = torch.ones_like(x)
    rows = []

    def rec(name, f, **k):
        r = guard("host", lambda: issue(f, **k), name=name)
        if r:
            rows.append("%s %.1f/%.1f us" % (name, r["host_seconds"] * 1e6, r["total_seconds"] * 1e6))

    with torch.no_grad():
        rec("add, no grad", lambda: x + one)
        rec("add_ in place, no grad", lambda: x.add_(0.0))
        rec("view, no grad", lambda: x.view(-1))
        rec("empty", lambda: torch.empty(8, 64, device=DEV, dtype=dt))
        rec("linear with bias, no grad", lambda: lin(x))
        rec("layer norm, no grad", lambda: ln(x))
        rec("rms norm, no grad", lambda: rms(x))
    rec("add, grad forward only", lambda: xg + one)
    rec("linear with bias, grad forward only", lambda: lin(xg))

    def fb(m, v=xg):
        def f():
            v.grad = None
            for p in m.parameters():
                p.grad = None
            m(v).sum().backward()
        return f
    rec("linear with bias, forward, sum, backward", fb(lin), n=n // 4)
    rec("layer norm, forward, sum, backward", fb(ln), n=n // 4)
    rec("rms norm, forward, sum, backward", fb(rms), n=n // 4)
    rec("10 linears without bias, forward, sum, backward", fb(mlp), n=n // 8, inner=10)

    def chain():
        v = xg
        v.grad = None
        for _ in range(50):
            v = v + one
        v.sum().backward()
    rec("50 adds, forward, sum, backward", chain, n=n // 20, inner=50)

    def ac():
        with torch.autocast(DEV, dt):
            lin32(x)
    rec("linear fp32 weight under autocast, forward, weight cast each", ac, n=n // 2)
    rec("item() of a computed scalar (synchronises)", lambda: x.sum().item(), n=n // 4)
    say("host/total:", "; ".join(rows))
    if CUDA:
        def graph():
            y = x.clone()
            s = torch.cuda.Stream()
            with torch.cuda.stream(s):
                for _ in range(3):
                    y.add_(0.0)
            sync()
            res = {}
            for k in (1, 100, 1000):
                g = torch.cuda.CUDAGraph()
                with torch.cuda.graph(g):
                    for _ in range(k):
                        y.add_(0.0)
                for _ in range(3):
                    g.replay()
                sync()
                t = time.perf_counter()
                for _ in range(20):
                    g.replay()
                h = time.perf_counter() - t
                sync()
                res[f"replay_{k}_kernels_host_seconds"] = h / 20
                res[f"replay_{k}_kernels_total_seconds"] = (time.perf_counter() - t) / 20
            return res
        say("graph", guard("graph", graph))

    # memory-bound operators over a large tensor
    r, w = (8192, 8192) if CUDA else (16, 64)
    a = torch.randn(r, w, device=DEV, dtype=dt)
    b = torch.randn(r, w, device=DEV, dtype=dt)
    af = torch.randn(r, w, device=DEV)
    lnl, rml = nn.LayerNorm(w, device=DEV, dtype=dt), nn.RMSNorm(w, device=DEV, dtype=dt)
    E = a.numel()
    ops = []
    with torch.no_grad():
        for name, f, by in (("copy bf16", lambda: a.clone(), 4), ("add bf16", lambda: a + b, 6), ("silu bf16", lambda: F.silu(a), 4), ("gelu bf16", lambda: F.gelu(a), 4),
                            ("silu then mul bf16", lambda: F.silu(a) * b, 10), ("bf16 to fp32", lambda: a.float(), 6), ("fp32 to bf16", lambda: af.to(dt), 6),
                            ("layer norm bf16", lambda: lnl(a), 4), ("rms norm bf16", lambda: rml(a), 4), ("softmax bf16", lambda: F.softmax(a, -1), 4),
                            ("log_softmax fp32", lambda: F.log_softmax(af, -1), 8), ("dropout bf16", lambda: F.dropout(a, 0.1, True), 5), ("transpose copy bf16", lambda: a.t().contiguous(), 4),
                            ("zero bf16", lambda: b.zero_(), 2), ("sum bf16", lambda: a.sum(), 2), ("add fp32", lambda: af + af, 8)):
            def go():
                t = timed(f, budget=0.02)
                return dict(elements=E, bytes_moved=by * E, **t, terabytes_per_second=by * E / t["seconds_back_to_back"] / 1e12)
            x_ = guard("memory_bound", go, name=name)
            if x_:
                ops.append("%s %.2f" % (name, x_["terabytes_per_second"]))
    def fwbw(m):
        v = a.detach().requires_grad_()
        o = m(v)
        return lambda: torch.autograd.grad(o, [v] + list(m.parameters()), b, retain_graph=True)
    for name, m, by in (("layer norm backward bf16", lnl, 6), ("rms norm backward bf16", rml, 6)):
        def go():
            t = timed(fwbw(m), budget=0.02)
            return dict(elements=E, bytes_moved=by * E, **t, terabytes_per_second=by * E / t["seconds_back_to_back"] / 1e12)
        x_ = guard("memory_bound", go, name=name)
        if x_:
            ops.append("%s %.2f" % (name, x_["terabytes_per_second"]))
    say("TB/s:", "; ".join(ops))
    if CUDA:
        def ce(V_, dtype, T=8192):
            l = torch.randn(T, V_, device=DEV, dtype=dtype, requires_grad=True)
            y = torch.randint(0, V_, (T,), device=DEV)
            cf = lambda: F.cross_entropy(l.float() if dtype == dt else l, y)
            o = cf()
            with torch.no_grad():
                tf = timed(cf, budget=0.02)
            tb = timed(lambda: torch.autograd.grad(o, l, retain_graph=True), budget=0.02)
            return dict(tokens=T, forward_seconds=tf["seconds_back_to_back"], backward_seconds=tb["seconds_back_to_back"])
        for V_ in (32000, 128256):
            say("cross entropy", V_, guard("cross_entropy", lambda: ce(V_, dt), vocab=V_, logits="bf16 cast to fp32"))
            torch.cuda.empty_cache()
    del a, b, af
    if CUDA:
        torch.cuda.empty_cache()

    # copies
    def copies():
        N = 1 << 30 if CUDA else 1 << 12
        s = torch.empty(N, dtype=torch.int8, device=DEV); d = torch.empty_like(s)
        s.random_()
        hp = torch.empty(N, dtype=torch.int8, pin_memory=CUDA); hq = torch.empty(N, dtype=torch.int8, pin_memory=CUDA); hu = torch.ones(N, dtype=torch.int8)
        hp.fill_(1); hq.fill_(1)
        res = {}
        for name, f, k in (("d2d_read_and_written", lambda: d.copy_(s), 2), ("h2d_pinned", lambda: d.copy_(hp, non_blocking=True), 1), ("d2h_pinned", lambda: hp.copy_(s, non_blocking=True), 1),
                           ("h2d_pageable", lambda: d.copy_(hu), 1), ("d2h_pageable", lambda: hu.copy_(s), 1)):
            f(); sync()
            ts = []
            for _ in range(5 if "page" not in name else 2):
                a, b = Ev(), Ev()
                a.record(); f(); b.record(); sync()
                ts.append(a.to(b))
            res[name + "_gigabytes_per_second"] = k * N / median(ts) / 1e9
        if CUDA:
            s1, s2 = torch.cuda.Stream(), torch.cuda.Stream()
            t = time.perf_counter()
            for _ in range(3):
                with torch.cuda.stream(s1):
                    d.copy_(hp, non_blocking=True)
                with torch.cuda.stream(s2):
                    hq.copy_(s, non_blocking=True)
            sync()
            res["both_directions_pinned_gigabytes_per_second_each"] = 3 * N / (time.perf_counter() - t) / 1e9
        return res
    say("copies", guard("copies", copies))
    if CUDA:
        torch.cuda.empty_cache()

    # optimizer steps over a billion parameters
    H, L, FF, VV = (2048, 16, 8192, 128256) if CUDA else (16, 2, 32, 64)
    shapes = [(VV, H)] + [q for _ in range(L) for q in ((H, H), (H // 4, H), (H // 4, H), (H, H), (FF, H), (FF, H), (H, FF), (H,), (H,))] + [(H,)]
    for pd in (dt, torch.float32):
        for kind in ("fused", "foreach", "loop"):
            if left() < 4:
                break

            def opt():
                clear()
                ps = [nn.Parameter(torch.randn(s, device=DEV, dtype=pd)) for s in shapes]
                for p in ps:
                    p.grad = torch.randn_like(p)
                o = torch.optim.AdamW(ps, lr=1e-4, **{"fused": dict(fused=True), "foreach": dict(foreach=True), "loop": dict(foreach=False, fused=False)}[kind])
                for _ in range(2):
                    o.step()
                sync()
                peaks()
                base = allocated()
                ts, hs = [], []
                for _ in range(10 if CUDA else 2):
                    a, b = Ev(), Ev()
                    h = time.perf_counter()
                    a.record(); o.step(); b.record()
                    hs.append(time.perf_counter() - h)
                    sync()
                    ts.append(a.to(b))
                pk = peaks()[0]
                a, b = Ev(), Ev()
                torch.nn.utils.clip_grad_norm_(ps, 1.0)
                sync(); a.record(); torch.nn.utils.clip_grad_norm_(ps, 1.0); b.record(); sync()
                return dict(params=sum(p.numel() for p in ps), tensors=len(ps), step_seconds=median(ts), host_seconds=median(hs), extra_peak_bytes=pk - base, clip_grad_norm_seconds=a.to(b), clip_extra_peak_bytes=peaks()[0] - base)
            r = guard("optimizer", opt, param_dtype=str(pd).replace("torch.", ""), implementation=kind)
            if r:
                say("AdamW", pd, kind, "%.2f ms, host %.2f ms, extra %.2f GB" % (r["step_seconds"] * 1e3, r["host_seconds"] * 1e3, r["extra_peak_bytes"] / 1e9))


if __name__ == "__main__":
    for a in sys.argv[1:]:
        t = time.time()
        try:
            {"env": env, "matmul": matmul, "attention": attention, "host": host}[a]()
        except Exception as e:
            say(a, "FAILED", short(e))
            if TINY:
                raise
        clear()
        say("section", a, "%.1f s" % (time.time() - t))

"""Whole training steps on one GPU: own small decoders and Hugging Face models."""
import contextlib, math, sys, time
from collections import defaultdict
from common import *
import torch.nn as nn, torch.nn.functional as F
from torch.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts, CheckpointPolicy

aten = torch.ops.aten
BASE = dict(kind="own", hidden=2048, layers=8, heads=16, kv=4, ffn=5632, vocab=32000, seq=2048, micro=4, accum=1,
            precision="bf16", mlp="gated", norm="rms", attention="flash", gqa="native", pos="none", bias=False, dropout=0.0,
            ckpt="none", loss="fp32", compile="none", optimizer="fused", clip=False, expandable=False)


class RmsManual(nn.Module):
    """As in Hugging Face's Llama: the input in fp32, scaled, cast back, times the weight."""
    def __init__(self, n):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n))

    def forward(self, x):
        t = x.dtype
        x = x.to(torch.float32)
        x = x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)
        return self.weight * x.to(t)


def norm(c):
    return {"rms": lambda n: nn.RMSNorm(n, eps=1e-6), "rms_manual": RmsManual, "layer": nn.LayerNorm}[c["norm"]](c["hidden"])


def rotate(x, cos, sin):
    a, b = x.chunk(2, -1)
    return x * cos + torch.cat((-b, a), -1) * sin


class Block(nn.Module):
    def __init__(self, c):
        super().__init__()
        h, d = c["hidden"], c["hidden"] // c["heads"]
        self.c, self.d = c, d
        lin = lambda i, o: nn.Linear(i, o, bias=c["bias"])
        self.q, self.k, self.v, self.o = lin(h, h), lin(h, c["kv"] * d), lin(h, c["kv"] * d), lin(h, h)
        self.n1, self.n2 = norm(c), norm(c)
        if c["mlp"] == "gated":
            self.gate, self.up, self.down = lin(h, c["ffn"]), lin(h, c["ffn"]), lin(c["ffn"], h)
        else:
            self.up, self.down = lin(h, c["ffn"]), lin(c["ffn"], h)
        self.drop = nn.Dropout(c["dropout"]) if c["dropout"] else None

    def attend(self, x, cos, sin, mask):
        c, d = self.c, self.d
        b, s, _ = x.shape
        q = self.q(x).view(b, s, -1, d).transpose(1, 2)
        k = self.k(x).view(b, s, -1, d).transpose(1, 2)
        v = self.v(x).view(b, s, -1, d).transpose(1, 2)
        if cos is not None:
            q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        rep = c["heads"] // c["kv"]
        if rep > 1 and (c["gqa"] == "repeat" or c["attention"] == "eager"):
            k = k[:, :, None].expand(b, c["kv"], rep, s, d).reshape(b, c["heads"], s, d)
            v = v[:, :, None].expand(b, c["kv"], rep, s, d).reshape(b, c["heads"], s, d)
        if c["attention"] == "eager":
            w = torch.matmul(q, k.transpose(2, 3)) * (d ** -0.5)
            w = w + mask
            w = F.softmax(w, dim=-1, dtype=torch.float32).to(q.dtype)
            y = torch.matmul(w, v)
        else:
            y = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=k.shape[1] != q.shape[1])
        return self.o(y.transpose(1, 2).reshape(b, s, -1))

    def forward(self, x, cos=None, sin=None, mask=None):
        a = self.attend(self.n1(x), cos, sin, mask)
        x = x + (self.drop(a) if self.drop is not None else a)
        y = self.n2(x)
        y = self.down(F.silu(self.gate(y)) * self.up(y)) if self.c["mlp"] == "gated" else self.down(F.gelu(self.up(y)))
        return x + (self.drop(y) if self.drop is not None else y)


SAVE = {aten.mm.default, aten.addmm.default, aten._scaled_dot_product_flash_attention.default,
        aten._scaled_dot_product_efficient_attention.default, aten._scaled_dot_product_cudnn_attention.default}
SAVE |= {getattr(aten, n).default for n in ("_scaled_dot_product_flash_attention_for_cpu",) if hasattr(aten, n)}


def policy(every_second):
    counts = defaultdict(int)

    def fn(ctx, func, *a, **k):
        mm = func in (aten.mm.default, aten.addmm.default)
        key = "r" if ctx.is_recompute else "f"
        if mm:
            counts[key] += 1
        save = func in SAVE and not (every_second and mm and counts[key] % 2 == 0)
        return CheckpointPolicy.MUST_SAVE if save else CheckpointPolicy.PREFER_RECOMPUTE
    return fn


def ctx_second():
    return create_selective_checkpoint_contexts(policy(True))


def ctx_all():
    return create_selective_checkpoint_contexts(policy(False))


class Ckpt(nn.Module):
    def __init__(self, m, kind):
        super().__init__()
        self.m, self.k = m, kind

    def forward(self, *a):
        if self.k == "full":
            return checkpoint(self.m, *a, use_reentrant=False)
        return checkpoint(self.m, *a, use_reentrant=False, context_fn=ctx_second if self.k == "selective_second" else ctx_all)


def ce32(logits, y):
    return F.cross_entropy(logits.flatten(0, 1).float(), y.flatten(0, 1))


def ce16(logits, y):
    return F.cross_entropy(logits.flatten(0, 1), y.flatten(0, 1))


class Model(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.c = c
        self.emb = nn.Embedding(c["vocab"], c["hidden"])
        blocks = []
        for _ in range(c["layers"]):
            b = Block(c)
            if c["ckpt"] != "none" and c["compile"] != "block_inside_ckpt":
                b = Ckpt(b, c["ckpt"])
            if c["compile"] in ("block", "block_inside_ckpt"):
                b = torch.compile(b, dynamic=False)
            if c["ckpt"] != "none" and c["compile"] == "block_inside_ckpt":
                b = Ckpt(b, c["ckpt"])
            blocks.append(b)
        self.blocks = nn.ModuleList(blocks)
        self.n = norm(c)
        self.head = nn.Linear(c["hidden"], c["vocab"], bias=False)
        self.loss = {"fp32": ce32, "bf16": ce16, "compiled": None}[c["loss"]]
        if self.loss is None:
            self.loss = torch.compile(ce32, dynamic=False)
        dt = torch.bfloat16
        if c["pos"] == "rope":
            d = c["hidden"] // c["heads"]
            f = torch.outer(torch.arange(c["seq"]).float(), 1e4 ** (-torch.arange(0, d, 2).float() / d))
            f = torch.cat((f, f), -1)
            self.register_buffer("cos", f.cos().to(dt), persistent=False)
            self.register_buffer("sin", f.sin().to(dt), persistent=False)
        else:
            self.cos = self.sin = None
        self.mask = None
        if c["attention"] == "eager":
            m = torch.full((c["seq"], c["seq"]), torch.finfo(dt).min, dtype=dt).triu(1)
            self.register_buffer("mask", m[None, None], persistent=False) if False else None
            self.mask = m[None, None]

    def logits(self, x):
        x = self.emb(x)
        for b in self.blocks:
            x = b(x, self.cos, self.sin, self.mask)
        return self.head(self.n(x))

    def forward(self, x, y):
        return self.loss(self.logits(x), y)


def own(c):
    with torch.device(DEV):
        m = Model(c)
    with torch.no_grad():
        for p in m.parameters():
            if p.dim() > 1:
                p.normal_(0, 0.02)
    if c["precision"] == "bf16":
        for p in m.parameters():
            p.data = p.data.to(torch.bfloat16)
    if c["compile"] == "model":
        f = torch.compile(m, dynamic=False)
        return m, f
    return m, m


def hf(c):
    import transformers as t
    name = c["model"]
    k = dict(use_cache=False)
    tiny = dict(num_hidden_layers=2, vocab_size=512) if TINY else {}
    if "layers" in c and not TINY:
        tiny = dict(num_hidden_layers=c["layers"])
    cfg = {
        "Llama-3.2-1B": lambda: t.LlamaConfig(**{**dict(hidden_size=2048, intermediate_size=8192, num_hidden_layers=16, num_attention_heads=32, num_key_value_heads=8, head_dim=64, vocab_size=128256, tie_word_embeddings=True, max_position_embeddings=131072, rms_norm_eps=1e-5), **tiny}),
        "SmolLM2-1.7B": lambda: t.LlamaConfig(**{**dict(hidden_size=2048, intermediate_size=8192, num_hidden_layers=24, num_attention_heads=32, num_key_value_heads=32, head_dim=64, vocab_size=49152, tie_word_embeddings=True, max_position_embeddings=8192, rms_norm_eps=1e-5), **tiny}),
        "Qwen3-0.6B": lambda: t.Qwen3Config(**{**dict(hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8, head_dim=128, vocab_size=151936, tie_word_embeddings=True, max_position_embeddings=40960, rms_norm_eps=1e-6), **tiny}),
        "Qwen3-1.7B": lambda: t.Qwen3Config(**{**dict(hidden_size=2048, intermediate_size=6144, num_hidden_layers=28, num_attention_heads=16, num_key_value_heads=8, head_dim=128, vocab_size=151936, tie_word_embeddings=True, max_position_embeddings=40960, rms_norm_eps=1e-6), **tiny}),
        "Qwen2.5-1.5B": lambda: t.Qwen2Config(**{**dict(hidden_size=1536, intermediate_size=8960, num_hidden_layers=28, num_attention_heads=12, num_key_value_heads=2, vocab_size=151936, tie_word_embeddings=True, max_position_embeddings=131072, rms_norm_eps=1e-6), **tiny}),
        "Gemma-3-1b": lambda: t.Gemma3TextConfig(**{**dict(hidden_size=1152, intermediate_size=6912, num_hidden_layers=26, num_attention_heads=4, num_key_value_heads=1, head_dim=256, vocab_size=262144, sliding_window=512, query_pre_attn_scalar=256, tie_word_embeddings=True, max_position_embeddings=32768), **tiny}),
        "Mistral-7B-4-layers": lambda: t.MistralConfig(**{**dict(hidden_size=4096, intermediate_size=14336, num_hidden_layers=4, num_attention_heads=32, num_key_value_heads=8, vocab_size=32768, tie_word_embeddings=False, sliding_window=None, max_position_embeddings=32768), **tiny}),
        "GPT-2-large": lambda: t.GPT2Config(**({**dict(n_embd=1280, n_layer=36, n_head=20, vocab_size=50257, n_positions=2048), **(dict(n_layer=2, vocab_size=512) if TINY else {})})),
    }[name]()
    cfg.use_cache = False
    if name.startswith("Gemma"):
        cfg.pad_token_id = 0
    dt = torch.bfloat16 if c["precision"] == "bf16" else torch.float32
    with torch.device(DEV):
        m = t.AutoModelForCausalLM.from_config(cfg, dtype=dt, attn_implementation=c["attention"])
    m.train()
    if c["ckpt"] == "full":
        m.gradient_checkpointing_enable(gradient_checkpointing_kwargs={"use_reentrant": False})
    c.update(hidden=cfg.hidden_size, layers=cfg.num_hidden_layers, heads=cfg.num_attention_heads, vocab=cfg.vocab_size,
             kv=getattr(cfg, "num_key_value_heads", cfg.num_attention_heads), ffn=getattr(cfg, "intermediate_size", None) or 4 * cfg.hidden_size,
             dropout=0.1 if name.startswith("GPT-2") else 0.0, bias=name.startswith("GPT-2"))
    g = torch.compile(m, dynamic=False) if c["compile"] == "model" else m
    return m, (lambda x, y: g(input_ids=x, labels=y).loss)


def one(c):
    sdp(c["attention"] if c["attention"] in ("flash", "efficient", "cudnn", "math") else "auto")
    t0 = time.time()
    base = allocated()
    m, f = (own if c["kind"] == "own" else hf)(c)
    m.train()
    params = sum(p.numel() for p in m.parameters())
    r = dict(params=params, base_allocated_bytes=base, model_allocated_bytes=allocated() - base,
             param_dtype=str(next(m.parameters()).dtype).replace("torch.", ""))
    kw = {"fused": dict(fused=True), "foreach": dict(foreach=True), "loop": dict(foreach=False, fused=False)}[c["optimizer"]]
    opt = torch.optim.AdamW(m.parameters(), lr=1e-5, **kw)
    g = torch.Generator(device=DEV).manual_seed(1)
    x = torch.randint(0, c["vocab"], (c["micro"], c["seq"]), device=DEV, generator=g)
    y = torch.randint(0, c["vocab"], (c["micro"], c["seq"]), device=DEV, generator=g)
    peaks()
    last = None

    def step(mark):
        nonlocal last
        for _ in range(c["accum"]):
            with torch.autocast(DEV, torch.bfloat16) if c["precision"] == "autocast" else contextlib.nullcontext():
                loss = f(x, y)
                if c["accum"] > 1:
                    loss = loss / c["accum"]
            mark("forward")
            loss.backward()
            last = loss.detach()
            del loss
            mark("backward")
        if c["clip"]:
            torch.nn.utils.clip_grad_norm_(m.parameters(), 1.0)
        opt.step()
        mark("optimizer")
        opt.zero_grad(set_to_none=True)

    def watched():
        p = defaultdict(lambda: [0, 0, 0, 0])

        def mark(name):
            v = (*peaks(), allocated())
            p[name] = [max(a, b) for a, b in zip(p[name], v)]
        step(mark)
        mark("rest")
        return p

    t1 = time.time()
    first = watched()
    sync()
    r["first_step_seconds"] = time.time() - t1  # compilation included
    retries = lambda: torch.cuda.memory_stats()["num_alloc_retries"] if CUDA else 0
    later = [watched() for _ in range(5 if not TINY else 1)]
    sync()
    for tag, ps in (("first", [first]), ("later", later)):
        r[f"{tag}_peak_allocated_bytes"] = max(v[0] for p in ps for v in p.values())
        r[f"{tag}_peak_requested_bytes"] = max(v[1] for p in ps for v in p.values())
        r[f"{tag}_peak_reserved_bytes"] = max(v[2] for p in ps for v in p.values())
        for ph in ("forward", "backward", "optimizer"):
            r[f"{tag}_{ph}_peak_allocated_bytes"] = max(p[ph][0] for p in ps)
            r[f"{tag}_{ph}_end_allocated_bytes"] = max(p[ph][3] for p in ps)
        r[f"{tag}_rest_allocated_bytes"] = max(p["rest"][3] for p in ps)
    r["reserved_at_rest_bytes"] = reserved()
    r["alloc_retries"] = retries()
    n = 10
    t2 = time.time()
    warm = []
    for _ in range(3 if not TINY else 1):
        step(lambda n: None)
    sync()
    per = (time.time() - t2) / 3
    if per > 0.5:
        n = max(4, min(10, int(4 / per)))
    if TINY:
        n = 2
    evs, hosts = [], []
    t3 = time.perf_counter()
    for _ in range(n):
        e = [("start", Ev().record())]
        h = time.perf_counter()
        step(lambda name: e.append((name, Ev().record())))
        hosts.append(time.perf_counter() - h)
        e.append(("end", Ev().record()))
        evs.append(e)
    sync()
    r["wall_step_seconds"] = (time.perf_counter() - t3) / n
    tot, ph = [], defaultdict(list)
    for i, e in enumerate(evs):
        # from start to start: what the host spends between steps counts too
        tot.append(e[0][1].to(evs[i + 1][0][1]) if i + 1 < n else e[0][1].to(e[-1][1]))
        s = defaultdict(float)
        for (_, a), (name, b) in zip(e, e[1:]):
            s[name] += a.to(b)
        for k, v in s.items():
            ph[k].append(v)
    r.update(step_seconds=median(tot), step_seconds_min=min(tot), step_seconds_max=max(tot), timed_steps=n, host_issue_seconds=median(hosts),
             forward_seconds=median(ph["forward"]), backward_seconds=median(ph["backward"]), optimizer_seconds=median(ph["optimizer"]),
             loss=float(last), outside_allocator_bytes=outside(), case_seconds=time.time() - t0)
    return r


def tinied(c):
    c = dict(c)
    if c["kind"] == "own":
        c.update(hidden=64, layers=2, heads=4, kv=min(4, max(1, c["kv"] // 4)), ffn=96, vocab=256)
    c.update(seq=32, micro=2)
    if c["attention"] in ("flash", "efficient", "cudnn", "math"):
        c["attention"] = "auto"
    return c


def run(cases):
    exp = False
    for i, over in enumerate(cases):
        c = {**BASE, **over}
        if left() < (14 if c["compile"] != "none" else 5):
            emit("step", case=i, skipped=True, **{"set_" + k: v for k, v in c.items()})
            say("skip", over)
            continue
        if TINY:
            c = tinied(c)
        try:
            if CUDA and c["expandable"] != exp:
                torch.cuda.memory._set_allocator_settings("expandable_segments:%s" % c["expandable"])
                exp = c["expandable"]
        except Exception as e:
            say("expandable", short(e))
        r = err = None
        try:
            r = one(c)
        except Exception as e:
            err = short(e)
            if TINY:
                import traceback
                traceback.print_exc()
        clear()
        emit("step", case=i, error=err, **{"set_" + k: v for k, v in c.items()}, **(r or {}))
        if r:
            say("%3d %5.1fs alloc1 %6.2f alloc %6.2f res %6.2f rest %5.2f GB step %.4f f %.4f b %.4f o %.4f first %.1f" % (
                i, time.time() - T0, r["first_peak_allocated_bytes"] / 1e9, r["later_peak_allocated_bytes"] / 1e9, r["later_peak_reserved_bytes"] / 1e9,
                r["later_rest_allocated_bytes"] / 1e9, r["step_seconds"], r["forward_seconds"], r["backward_seconds"], r["optimizer_seconds"],
                r["first_step_seconds"]), over)
        else:
            say("%3d FAILED" % i, over, err)


PLAIN = dict(mlp="plain", norm="layer", ffn=8192)
V = dict(vocab=128256)
BIG = dict(hidden=4096, layers=4, heads=32, kv=8, ffn=14336, vocab=128256, seq=4096, micro=2)
AC = dict(precision="autocast")
FULL = dict(ckpt="full")
GPT = dict(mlp="plain", norm="layer", ffn=8192, bias=True, kv=16, vocab=50257)
EAGER = [
    {}, PLAIN, FULL, {**PLAIN, **FULL}, dict(ckpt="selective_second"), dict(ckpt="selective_all"), dict(loss="bf16"),
    V, {**V, "loss": "bf16"}, AC, {**AC, **PLAIN}, {**AC, **FULL}, {**AC, **V}, dict(optimizer="foreach"), {**AC, "optimizer": "foreach"},
    dict(norm="rms_manual"), dict(norm="layer"), dict(mlp="plain", ffn=8192), dict(attention="eager", micro=2), dict(attention="eager", micro=2, ckpt="full"),
    dict(seq=4096, micro=2), dict(seq=4096), {**FULL, "seq": 4096}, dict(pos="rope"), dict(pos="rope", norm="rms_manual", gqa="repeat"),
    dict(micro=1), BIG, {**BIG, **FULL}, {**BIG, **AC}, {**BIG, **AC, **FULL}, {**BIG, **PLAIN, "ffn": 16384, "vocab": 32000, "seq": 2048, "micro": 4},
    dict(kv=16), dict(clip=True), {**V, **FULL}, {**AC, "attention": "eager", "micro": 2}, dict(accum=2), {**AC, "accum": 2},
    {**GPT, "dropout": 0.1}, GPT, {**GPT, **AC, "dropout": 0.1}, {**AC, "ckpt": "selective_second"}, {**PLAIN, "ckpt": "selective_second"},
    dict(attention="auto"), dict(attention="cudnn"), dict(attention="efficient", gqa="repeat"), dict(layers=16), dict(optimizer="loop"),
    {**BIG, "optimizer": "foreach"}, {**BIG, **AC, "optimizer": "foreach", "vocab": 32000}, {**BIG, "seq": 8192, "micro": 1, **FULL},
    {**PLAIN, **V}, {**AC, "loss": "bf16", **V}, {**AC, "clip": True},
    dict(expandable=True), {**BIG, "expandable": True}, {**V, "expandable": True}, {**AC, **V, "expandable": True},
]
B = dict(compile="block")
CL = dict(loss="compiled")
COMPILED = [
    B, {**B, **PLAIN}, {**B, **FULL}, {**B, **AC}, {**B, "ckpt": "selective_second"}, {**B, **FULL, "compile": "block_inside_ckpt"}, {**B, **CL}, {**B, **CL, **V},
    {**B, **AC, **FULL}, {**B, **BIG, **CL}, {**B, **BIG, **CL, **FULL}, {**B, "pos": "rope", "norm": "rms_manual", "gqa": "repeat"}, {**B, **PLAIN, **FULL},
    dict(compile="model"), {**B, **AC, **V, **CL}, {**B, "ckpt": "selective_all"}, {**B, "attention": "eager", "micro": 2}, {**B, **GPT, "dropout": 0.1}, {**B, "norm": "layer"},
    {**B, "mlp": "plain", "ffn": 8192}, {**B, **AC, **PLAIN}, {**B, "seq": 4096}, {**B, "micro": 1}, {**AC, "compile": "model"}, {**B, **BIG, **AC, **CL},
    {**CL, **V}, {**B, "norm": "rms_manual"}, {**FULL, "compile": "model"},
    dict(kind="hf", model="Llama-3.2-1B", attention="sdpa", compile="model"),
]
H = lambda model, **k: dict(kind="hf", model=model, attention="sdpa", **k)
HF = [H(m, ckpt=k) for m in ("Llama-3.2-1B", "Qwen3-0.6B", "Gemma-3-1b", "Qwen3-1.7B", "SmolLM2-1.7B", "Qwen2.5-1.5B") for k in ("none", "full")] + [
    {**H("Llama-3.2-1B"), "attention": "eager"}, {**H("Llama-3.2-1B", ckpt="full"), "attention": "eager"}, {**H("Gemma-3-1b", micro=2), "attention": "eager"},
    H("Llama-3.2-1B", precision="autocast"), H("Llama-3.2-1B", precision="autocast", ckpt="full"), H("Qwen3-0.6B", precision="autocast"),
    {**H("Llama-3.2-1B"), "attention": "flash_attention_2"}, {**H("Qwen3-0.6B"), "attention": "eager", "micro": 2}, H("GPT-2-large"), H("GPT-2-large", ckpt="full"),
    H("Mistral-7B-4-layers", layers=4), H("Mistral-7B-4-layers", layers=4, ckpt="full"), H("Llama-3.2-1B", seq=4096, micro=2), H("Llama-3.2-1B", seq=8192, micro=1), H("Llama-3.2-1B", micro=1), H("Qwen3-0.6B", micro=1),
]
if __name__ == "__main__":
    sets = {"eager": EAGER, "compiled": COMPILED, "hf": HF}
    clear()
    run(sets[sys.argv[1]])

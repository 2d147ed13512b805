"""A training step of Hugging Face's own code on fake tensors, every storage followed from birth to death.

What the programs that trace a kind of model share (`tests/hybrid/trace.py`, `tests/towers/trace.py`). The folder of memtrace.py is
on the path before this is imported.
"""
import collections, contextlib, csv, gc, os, time, traceback
import torch, transformers
import memtrace as mt
from torch._subclasses.fake_tensor import FakeTensorMode

VERSION = f"transformers {transformers.__version__}, torch {torch.__version__.split('+')[0]}"
GET = [None]


def prepare():
    """One thread; kernels and FSDP's collectives report to the tracer; texts are not packed, so that SDPA needs no mask (the library
    decides that by values that fake tensors do not have)."""
    import transformers.masking_utils as masks
    torch.set_num_threads(1)
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    mt.patch_kernels(lambda: GET[0])
    mt.patch_fsdp(lambda: GET[0])
    masks.find_packed_sequence_indices = lambda *a, **k: None


@contextlib.contextmanager
def fake(gpus):
    """A fake process group of so many GPUs and fake tensors: gives the mode and the mesh."""
    import torch.distributed as dist
    from torch.testing._internal.distributed.fake_pg import FakeStore
    if dist.is_initialized():
        dist.destroy_process_group()
    dist.init_process_group("fake", rank=0, world_size=max(gpus, 1), store=FakeStore())
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (gpus,))
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    mode.__enter__()
    try:
        yield mode, mesh
    finally:
        mode.__exit__(None, None, None)
        torch.set_default_dtype(torch.float32)
        gc.collect()


def build(cls, config, gpus):
    """The model without its initialisation: in fp32 where FSDP shards it, in bf16 on one GPU."""
    dtype = torch.float32 if gpus > 1 else torch.bfloat16
    torch.set_default_dtype(dtype)
    init = transformers.initialization
    with init.no_init_weights() if hasattr(init, "no_init_weights") else contextlib.nullcontext():
        model = cls._from_config(config, dtype=dtype)
    torch.set_default_dtype(torch.float32)
    return model


def follow(mode, mesh, model, units, layers, vocab, seq, mb, gpus, ckpt, more=None):
    """Traces two steps and counts the second: (columns, tracer, what is alive at the peak, what outlives a step).

    `units` are what FSDP shards one by one, `layers` those of the language model; `more` are inputs beside the text's.
    """
    more = more or {}
    model.train()
    if ckpt == "full":
        model.gradient_checkpointing_enable(gradient_checkpointing_kwargs=dict(use_reentrant=False))
    if gpus > 1:
        from torch.distributed.fsdp import fully_shard, MixedPrecisionPolicy
        mp = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32)
        for unit in [*units, model]:
            fully_shard(unit, mesh=mesh, mp_policy=mp, reshard_after_forward=True)
    opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-4, foreach=True)
    ids = torch.zeros(mb, seq, dtype=torch.long)
    labels = torch.zeros(mb, seq, dtype=torch.long)
    tr = mt.Tracer()
    tr.mode, tr.vocab = mode, vocab
    GET[0] = tr
    persistent = {}

    def note(t, kind):
        i = tr.see(getattr(t, "_local_tensor", t), kind)
        if i is not None:
            persistent[i] = kind
    with tr:
        for p in model.parameters():
            note(p, "param")
        for b in model.buffers():
            note(b, "buffer")
        for t in [ids, labels, *(t for t in more.values() if isinstance(t, torch.Tensor))]:
            note(t, "input")
        mt.layer_hooks(tr, list(layers), head=model.lm_head, embed=model.get_input_embeddings())
        mark = None
        for n in range(2):
            if n == 1:
                tr.peak, tr.peak_at = 0, -1
                mark = len(tr.ev)
                tr.mark("step 1")
            tr.phase, tr.layer = "fwd", ""
            tr.mark("fwd")
            logits = model(input_ids=ids, **more).logits
            tr.phase = "loss"
            tr.mark("loss")
            loss = model.loss_function(logits, labels, vocab)
            del logits
            tr.phase = "bwd"
            tr.mark("bwd")
            loss.backward()
            del loss
            for p in model.parameters():
                if p.grad is not None:
                    note(p.grad, "grad")
            tr.phase, tr.layer = "opt", ""
            tr.mark("optimizer")
            opt.step()
            for st in opt.state.values():
                for v in st.values():
                    if isinstance(v, torch.Tensor) and v.numel() > 1:
                        note(v, "optimizer")
            opt.zero_grad(set_to_none=True)
        GET[0] = None
    return *peak(tr, mark, persistent), persistent


def peak(tr, mark, persistent):
    """What is alive at the peak of the events from `mark` on: (columns, tracer, bytes by storage)."""
    cur = most = 0
    at = -1
    for n, e in enumerate(tr.ev):
        if e[0] == mt.ALLOC:
            cur += e[2]
            if n >= mark and cur > most:
                most, at = cur, n
        elif e[0] == mt.FREE:
            cur -= e[2]
    live = {}
    for e in tr.ev[:at + 1]:
        if e[0] == mt.ALLOC:
            live[e[1]] = e[2]
        elif e[0] == mt.FREE:
            live.pop(e[1], None)
    by = collections.Counter()
    for i, b in live.items():
        by[mt.classify(tr, i, persistent)] += b
    phase, layer, op, shape, region = tr.meta[tr.ev[at][1]]
    words = dict(fwd="forward", loss="loss", bwd="backward", opt="optimizer")
    out = {f"peak_{kind}": b for kind, b in by.items()}
    out.update(peak_allocated_bytes=most, moment=f"{words[phase]} {layer}".strip(), moment_op=op)
    return out, tr, live


def detail(columns, tr, live, persistent, tokens, at_least):
    """Prints the columns, and what is alive at the peak by operator and shape."""
    for k, v in columns.items():
        print(f"  {k}: {v}")
    groups, number = collections.Counter(), collections.Counter()
    for i, b in live.items():
        phase, layer, op, shape, region = tr.meta[i]
        key = (mt.classify(tr, i, persistent), phase, layer, op, shape)
        groups[key] += b
        number[key] += 1
    for key, b in sorted(groups.items(), key=lambda x: (x[0][0], x[0][1], x[0][2], -x[1])):
        if b > at_least:
            print(f"{b / 1e6:10.2f} MB {b / tokens:12.1f} B/token x{number[key]:<3}", *key)


def table(path, columns, rows, traced):
    """Writes the table with a line for each of `rows`, pairs of an id and a row; lines that the file has are kept."""
    done = {}
    if os.path.exists(path):
        done = {r["row_id"]: r for r in csv.DictReader(open(path))}
    for key, row in rows:
        if key in done:
            continue
        t0 = time.time()
        try:
            line = traced(key, row)
            done[key] = line
            print(key, line["model"], f"{line['peak_allocated_bytes'] / 1e9:.2f} GB", line["moment"], line["moment_op"],
                  f"{time.time() - t0:.0f} s", flush=True)
        except Exception as e:
            traceback.print_exc()
            print(key, "failed:", repr(e)[:300], flush=True)
        with open(path, "w", newline="") as f:
            w = csv.DictWriter(f, columns, restval="", lineterminator="\n")
            w.writeheader()
            w.writerows(done[k] for k in sorted(done))

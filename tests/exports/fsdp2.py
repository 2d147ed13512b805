"""Runs the FSDP2 code: a small Llama on a process group of as many ranks as there are GPUs, whose
collectives do nothing."""

import os
import traceback

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn
from torch.testing._internal.distributed.fake_pg import FakeStore

HEAD = 16


class Attention(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.q_proj, self.k_proj, self.v_proj, self.o_proj = (nn.Linear(width, width, bias=False) for _ in range(4))

    def forward(self, x):
        q, k, v = (p(x).unflatten(-1, (-1, HEAD)).transpose(1, 2) for p in (self.q_proj, self.k_proj, self.v_proj))
        return self.o_proj(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))


class MLP(nn.Module):
    def __init__(self, width, gated):
        super().__init__()
        if gated:
            self.gate_proj = nn.Linear(width, 2 * width, bias=False)
        self.up_proj = nn.Linear(width, 2 * width, bias=False)
        self.down_proj = nn.Linear(2 * width, width, bias=False)

    def forward(self, x):
        up = self.up_proj(x)
        return self.down_proj(F.silu(self.gate_proj(x)) * up if hasattr(self, "gate_proj") else F.gelu(up))


class Layer(nn.Module):
    def __init__(self, width, gated):
        super().__init__()
        self.input_layernorm, self.post_attention_layernorm = nn.RMSNorm(width), nn.RMSNorm(width)
        self.self_attn, self.mlp = Attention(width), MLP(width, gated)

    def forward(self, x):
        x = x + self.self_attn(self.input_layernorm(x))
        return x + self.mlp(self.post_attention_layernorm(x))


class Llama(nn.Module):
    def __init__(self, layers, heads, gated):
        super().__init__()
        width = heads * HEAD
        self.embed_tokens = nn.Embedding(32 * heads, width)
        self.layers = nn.ModuleList(Layer(width, gated) for _ in range(layers))
        self.norm, self.lm_head = nn.RMSNorm(width), nn.Linear(width, 32 * heads, bias=False)

    def forward(self, x):
        x = self.embed_tokens(x)
        for layer in self.layers:
            x = layer(x)
        return self.lm_head(self.norm(x))

    def init_weights(self):
        for p in self.parameters():
            nn.init.normal_(p, std=0.02)


def loss_fn(logits, labels):
    return F.cross_entropy(logits.flatten(0, 1).float(), labels.flatten())


def check(made, scenario):
    """In a process of its own: PyTorch remembers meshes and groups beyond the end of their process group."""
    torch.set_num_threads(1)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            alone(made, scenario)
            said = ""
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
            traceback.print_exc()
        os.write(writer, said.encode()[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if said or status:
        raise RuntimeError(said or f"the process ended with {status}")


def alone(made, scenario):
    mesh_of, tp = scenario["mesh"], scenario["mesh"]["tp"]
    dist.init_process_group("fake", store=FakeStore(), rank=0, world_size=scenario["gpus"])
    mesh = made.make_mesh("cpu")
    if mesh.size() != scenario["gpus"]:
        raise ValueError(f"the mesh has {mesh.size()} GPUs of {scenario['gpus']}")
    # A pipeline shares out every layer; without one four are as good as a hundred.
    layers = scenario["layers"] if mesh_of["pp"] > 1 else min(4, scenario["layers"])
    if hasattr(made, "CPUOffloadPolicy"):
        # Pinned memory wants a driver.
        policy = made.CPUOffloadPolicy
        made.CPUOffloadPolicy = lambda: policy(pin_memory=False)
    make = lambda: Llama(layers, max(2, tp), scenario["gated"])  # noqa: E731
    if mesh_of["pp"] > 1:
        with torch.device("meta"):
            model = make()
        schedule = made.make_schedule(model, mesh, loss_fn, "cpu")
        if sum(made.LAYERS_OF_STAGES) != scenario["layers"]:
            raise ValueError(f"stages of {sum(made.LAYERS_OF_STAGES)} layers of {scenario['layers']}")
        if schedule._n_microbatches != scenario["grad_accum_steps"]:
            raise ValueError(f"{schedule._n_microbatches} micro-batches of {scenario['grad_accum_steps']}")
        return
    with torch._dynamo.config.patch(disable=True):
        step(made, mesh, make, scenario)


def step(made, mesh, make, scenario):
    """One step, where the CPU has kernels for it: neither 8-bit products and states nor ring attention."""
    model = made.build(make, mesh, "cpu")
    if not all(hasattr(p, "device_mesh") for p in model.parameters()):
        raise ValueError("some parameters are not sharded")
    optimizers = made.make_optimizer(model)
    if scenario["mesh"]["cp"] > 1 or "Fp8" in scenario["compute"]:
        return
    length = 8 * scenario["mesh"]["tp"]
    one = (torch.zeros(1, length, dtype=torch.long), torch.zeros(1, length, dtype=torch.long))
    made.train_step(model, [one, one], loss_fn, [] if hasattr(made, "AdamW8bit") else optimizers, mesh)

# torchrun --nnodes 8 --nproc-per-node 8 train_fsdp2.py
# The model has embed_tokens, layers, norm and lm_head, as Hugging Face's LlamaModel names them.
import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.distributed.tensor.experimental import context_parallel
from torch.distributed.tensor.experimental._attention import set_rotate_method
from torch.distributed.tensor import Replicate, Shard
from torch.distributed.tensor.parallel import ColwiseParallel, PrepareModuleInput, RowwiseParallel, SequenceParallel, parallelize_module
from torch.nn.attention import SDPBackend, sdpa_kernel

SEQ_LEN = 8192
MICRO_BATCH_SIZE = 1
GRAD_ACCUM_STEPS = 8
GLOBAL_BATCH_SIZE = 64  # sequences
TRAIN_STEPS = 1907349


def make_mesh(device_type="cuda"):
    mesh = init_device_mesh(device_type, (2, 4, 2, 4), mesh_dim_names=("dp_replicate", "dp_shard", "cp", "tp"))
    mesh["dp_shard", "cp"]._flatten("fsdp")
    return mesh


def parallelize(model, mesh):
    ends = {
        "embed_tokens": RowwiseParallel(input_layouts=Replicate(), output_layouts=Shard(1)),
        "norm": SequenceParallel(),
        "lm_head": ColwiseParallel(input_layouts=Shard(1), output_layouts=Replicate()),
    }
    parallelize_module(model, mesh["tp"], {k: v for k, v in ends.items() if getattr(model, k) is not None})
    for layer in model.layers:
        plan = {
            "input_layernorm": SequenceParallel(),
            "self_attn": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
            "self_attn.q_proj": ColwiseParallel(),
            "self_attn.k_proj": ColwiseParallel(),
            "self_attn.v_proj": ColwiseParallel(),
            "self_attn.o_proj": RowwiseParallel(output_layouts=Shard(1)),
            "post_attention_layernorm": SequenceParallel(),
            "mlp": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate()),
            "mlp.gate_proj": ColwiseParallel(),
            "mlp.up_proj": ColwiseParallel(),
            "mlp.down_proj": RowwiseParallel(output_layouts=Shard(1)),
        }
        parallelize_module(layer, mesh["tp"], plan)
    for place, layer in enumerate(model.layers):
        model.layers[place] = checkpoint_wrapper(layer)
    for layer in model.layers:
        layer.compile()
    fsdp = dict(
        mesh=mesh["dp_replicate", "fsdp"],
        reshard_after_forward=True,
        mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
    )
    for layer in model.layers:
        fully_shard(layer, **fsdp)
    return fully_shard(model, **fsdp)


def build(make_model, mesh, device="cuda"):
    with torch.device("meta"):
        model = make_model()
    parallelize(model, mesh).to_empty(device=device)
    model.init_weights()
    return model


def make_optimizer(model):
    return [torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)]


def train_step(model, micro_batches, loss_fn, optimizers, mesh):
    set_rotate_method("alltoall")
    for place, (tokens, labels) in enumerate(micro_batches):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION), context_parallel(mesh["cp"], buffers=[tokens, labels], buffer_seq_dims=[1, 1]):
            (loss_fn(model(tokens), labels) / GRAD_ACCUM_STEPS).backward()
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()


def save(model, optimizers, path):
    options = StateDictOptions(full_state_dict=False, cpu_offload=True)
    weights, state = get_state_dict(model, optimizers, options=options)
    dcp.save({"model": weights, "optimizers": state}, checkpoint_id=path)

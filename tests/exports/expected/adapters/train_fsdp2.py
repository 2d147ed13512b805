# torchrun --nnodes 1 --nproc-per-node 8 train_fsdp2.py
# The model has embed_tokens, layers, norm and lm_head, as Hugging Face's LlamaModel names them.
# Quantized weights are made when a checkpoint is loaded (bitsandbytes, torchao): frozen
# ones are bf16 here.
import torch
import torch.distributed.checkpoint as dcp
from torch.distributed.algorithms._checkpoint.checkpoint_wrapper import checkpoint_wrapper
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard
from torch.nn.attention import SDPBackend, sdpa_kernel
from peft import LoraConfig, inject_adapter_in_model

SEQ_LEN = 8192
MICRO_BATCH_SIZE = 1
GRAD_ACCUM_STEPS = 8
GLOBAL_BATCH_SIZE = 64  # sequences
TRAIN_STEPS = 469


def make_mesh(device_type="cuda"):
    mesh = init_device_mesh(device_type, (8,), mesh_dim_names=("dp_shard",))
    return mesh


def freeze(model):
    config = LoraConfig(
        r=16,
        lora_alpha=32,
        lora_dropout=0.05,
        target_modules=["q_proj", "k_proj", "v_proj", "o_proj"],
    )
    inject_adapter_in_model(config, model)
    for parameter in model.layers.parameters():
        if not parameter.requires_grad:
            parameter.data = parameter.data.to(torch.bfloat16)
    return model


def parallelize(model, mesh):
    for place, layer in enumerate(model.layers):
        model.layers[place] = checkpoint_wrapper(layer)
    fsdp = dict(
        mesh=mesh["dp_shard"],
        reshard_after_forward=True,
        mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32),
    )
    for layer in model.layers:
        fully_shard(layer, **fsdp)
    return fully_shard(model, **fsdp)


def build(make_model, mesh, device="cuda"):
    with torch.device("meta"):
        model = freeze(make_model())
    parallelize(model, mesh).to_empty(device=device)
    model.init_weights()
    for module in model.modules():
        if hasattr(module, "reset_lora_parameters"):
            module.reset_lora_parameters("default", True)
    return model


def make_optimizer(model):
    return [torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=3e-4, fused=True)]


def train_step(model, micro_batches, loss_fn, optimizers, mesh):
    for place, (tokens, labels) in enumerate(micro_batches):
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            (loss_fn(model(tokens), labels) / GRAD_ACCUM_STEPS).backward()
    for optimizer in optimizers:
        optimizer.step()
        optimizer.zero_grad()


def save(model, optimizers, path):
    options = StateDictOptions(full_state_dict=False, cpu_offload=True)
    weights, state = get_state_dict(model, optimizers, options=options)
    dcp.save({"model": weights, "optimizers": state}, checkpoint_id=path)

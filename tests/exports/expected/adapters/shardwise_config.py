# torchrun --nnodes 1 --nproc-per-node 8 -m torchtitan.train --module shardwise_config --config shardwise
# torchtitan has no dropout before adapters.
# torchtitan holds frozen weights in the format of the others: they cannot be chosen apart.
from torchtitan.components.loss import CrossEntropyLoss
from torchtitan.components.optimizer import default_adamw
from torchtitan.components.lora import LoRAConverter
from torchtitan.models import llama3 as shapes
from torchtitan.models.llama3 import Llama3Model, model_registry
from torchtitan.models.common import ComplexRoPE, Embedding, Linear, RMSNorm
from torchtitan.config import ParallelismConfig, TrainingConfig
from torchtitan.distributed.activation_checkpoint import FullAC
from torchtitan.hf_datasets.text_datasets import HuggingFaceTextDataLoader
from torchtitan.trainer import Trainer


def shardwise() -> Trainer.Config:
    spec = model_registry("debugmodel")
    spec.flavor = "llama-3.1-8b"
    spec.model = Llama3Model.Config(
        dim=4096,
        vocab_size=128256,
        tok_embeddings=Embedding.Config(
            num_embeddings=128256, embedding_dim=4096, param_init=shapes._EMBEDDING_INIT
        ),
        norm=RMSNorm.Config(normalized_shape=4096, param_init=shapes._NORM_INIT),
        lm_head=Linear.Config(in_features=4096, out_features=128256, param_init=shapes._output_linear_init(4096)),
        layers=shapes._build_llama3_layers(
            n_layers=32,
            dim=4096,
            n_heads=32,
            n_kv_heads=8,
            hidden_dim=14336,
            rope=ComplexRoPE.Config(dim=128, max_seq_len=8192, theta=500000.0),
            attn_backend="flex",
            fuse_qkv=False,
        ),
    )
    names = ["wq", "wkv", "wo"]
    spec.model = LoRAConverter.Config(rank=16, alpha=32, target_modules=names).build().convert(spec.model)
    return Trainer.Config(
        model_spec=spec,
        loss=CrossEntropyLoss.Config(global_vocab_size=128256),
        optimizer=default_adamw(lr=3e-4),
        training=TrainingConfig(
            local_batch_size=1,
            global_batch_size=64,
            seq_len=8192,
            steps=469,
            disable_cuda_graphs=True,
        ),
        parallelism=ParallelismConfig(
            data_parallel_replicate_degree=1,
            data_parallel_shard_degree=8,
            context_parallel_degree=1,
            tensor_parallel_degree=1,
            pipeline_parallel_degree=1,
            expert_parallel_degree=1,
            fsdp_reshard_after_forward="always",
        ),
        activation_checkpoint=FullAC.Config(),
        dataloader=HuggingFaceTextDataLoader.Config(dataset="c4"),
    )

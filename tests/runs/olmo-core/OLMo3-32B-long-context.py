# Keys and values of github.com/allenai/OLMo-core, src/scripts/train/OLMo3/OLMo3-32B-long-context.py (fa6c5014c)
SEQUENCE_LENGTH = 65536
GLOBAL_BATCH_SIZE = 8 * 1024 * 1024
MAX_TOKENS = 100_000_000_000
LR = 0.0002071235285


def build_model_config(common):
    return TransformerConfig.olmo3_32B(
        vocab_size=common.tokenizer.padded_vocab_size(),
    ).with_rope_scaling(
        YaRNRoPEScalingConfig(factor=8, beta_fast=32, beta_slow=1, old_context_len=8192)
    )


def build_train_module_config(common):
    rank_microbatch_size = SEQUENCE_LENGTH
    return TransformerTrainModuleConfig(
        rank_microbatch_size=rank_microbatch_size,
        max_sequence_length=common.max_sequence_length,
        optim=SkipStepAdamWConfig(lr=LR, weight_decay=0.1, betas=(0.9, 0.95)),
        compile_model=True,
        dp_config=TransformerDataParallelConfig(
            name=DataParallelType.hsdp,
            param_dtype=DType.bfloat16,
            reduce_dtype=DType.float32,
            wrapping_strategy=TransformerDataParallelWrappingStrategy.full,
            shard_degree=8,
        ),
        ac_config=TransformerActivationCheckpointingConfig(
            mode=TransformerActivationCheckpointingMode.budget, activation_memory_budget=0.3
        ),
        cp_config=TransformerContextParallelConfig.llama3(
            degree=8,
            head_stride=4,
        ),
        float8_config=Float8Config(enabled=False),
        max_grad_norm=1.0,
    )

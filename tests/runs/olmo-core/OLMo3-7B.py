# Keys and values of github.com/allenai/OLMo-core, src/scripts/train/OLMo3/OLMo3-7B.py (fa6c5014c)
SEQUENCE_LENGTH = 8 * 1024
GLOBAL_BATCH_SIZE = 4 * 1024 * 1024


def build_model_config(common):
    return TransformerConfig.olmo3_7B(vocab_size=common.tokenizer.padded_vocab_size())


def build_train_module_config(common):
    rank_microbatch_size = common.max_sequence_length
    return TransformerTrainModuleConfig(
        rank_microbatch_size=rank_microbatch_size,
        max_sequence_length=common.max_sequence_length,
        optim=SkipStepAdamWConfig(lr=3e-4, weight_decay=0.1, betas=(0.9, 0.95)),
        compile_model=True,
        dp_config=TransformerDataParallelConfig(
            name=DataParallelType.hsdp,
            param_dtype=DType.bfloat16,
            reduce_dtype=DType.float32,
            wrapping_strategy=TransformerDataParallelWrappingStrategy.blocks,
        ),
        float8_config=Float8Config(enabled=False),
        z_loss_multiplier=1e-5,
        max_grad_norm=1.0,
        scheduler=CosWithWarmup(warmup_steps=2000),
    )

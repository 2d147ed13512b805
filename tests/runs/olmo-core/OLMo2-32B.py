# Keys and values of github.com/allenai/OLMo-core, src/scripts/train/OLMo2/OLMo2-32B.py (fa6c5014c)
SEQUENCE_LENGTH = 4096
GLOBAL_BATCH_SIZE = 2048 * SEQUENCE_LENGTH


def build_model_config(common):
    return TransformerConfig.olmo2_32B(vocab_size=common.tokenizer.padded_vocab_size())


def build_train_module_config(common):
    return TransformerTrainModuleConfig(
        rank_microbatch_size=2 * common.max_sequence_length,
        max_sequence_length=common.max_sequence_length,
        optim=SkipStepAdamWConfig(lr=6e-4, weight_decay=0.1, betas=(0.9, 0.95), compile=True),
        compile_model=True,
        dp_config=TransformerDataParallelConfig(
            name=DataParallelType.hsdp,
            param_dtype=DType.bfloat16,
            reduce_dtype=DType.float32,
            num_replicas=128 // 32,
        ),
        ac_config=TransformerActivationCheckpointingConfig(
            mode=TransformerActivationCheckpointingMode.selected_modules,
            modules=[f"blocks.{i}.feed_forward" for i in range(64)],
        ),
        float8_config=Float8Config(enabled=False),
        z_loss_multiplier=1e-5,
        max_grad_norm=1.0,
    )

# Keys and values of github.com/allenai/OLMo-core, src/scripts/train/OLMo3/OLMo3-7B-long-context.py (fa6c5014c)
SEQ_LENGTH = 65536
GLOBAL_BATCH_SIZE = 2**22
MAX_TOKENS = 50_000_000_000
LR = 0.00020712352850360292
SEED = 4123


def build_experiment_config(cli_context):
    beaker_launch_config = build_launch_config(
        num_nodes=32,
        nccl_debug=True,
    )
    model_config = TransformerConfig.olmo3_7B(
        vocab_size=tokenizer_config.padded_vocab_size()
    ).with_rope_scaling(
        YaRNRoPEScalingConfig(factor=8, beta_fast=32, beta_slow=1, old_context_len=8192)
    )
    train_module_config = cookbook.configure_train_module(
        max_sequence_length=SEQ_LENGTH,
        rank_microbatch_size=SEQ_LENGTH,
        learning_rate=LR,
        float8_enabled=True,
        activation_memory_budget=0.7,
        cp_degree=8,
        dp_shard_degree=1,
    )
    data_loader_config = NumpyDataLoaderConfig(
        global_batch_size=GLOBAL_BATCH_SIZE, seed=SEED, num_workers=4
    )

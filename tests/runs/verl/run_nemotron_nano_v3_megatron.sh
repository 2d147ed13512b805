# Keys and values of github.com/verl-project/verl, examples/sft/gsm8k/run_nemotron_nano_v3_megatron.sh (1dda039b9)
ENTRYPOINT=${ENTRYPOINT:-"-m verl.trainer.sft_trainer"}
backend=${BACKEND:-megatron}
MODEL_NAME=${MODEL_NAME:-NVIDIA-Nemotron-3-Nano-30B-A3B-BF16}
MODEL_PATH=${MODEL_PATH:-nvidia/${MODEL_NAME}}
TP_SIZE=${TP_SIZE:-8}
PP_SIZE=${PP_SIZE:-1}
VPP_SIZE=${VPP_SIZE:-null}
CP_SIZE=${CP_SIZE:-1}
EP_SIZE=${EP_SIZE:-8}
ETP_SIZE=${ETP_SIZE:-1}
PAD_MODE=${PAD_MODE:-no_padding}
USE_REMOVE_PADDING=${USE_REMOVE_PADDING:-True}
DTYPE=${DTYPE:-"bfloat16"}
MEGATRON_ENGINE_CONFIG=(
    engine=${backend}
    optim=${backend}
    +optim.override_optimizer_config.optimizer_offload_fraction=1
    +optim.override_optimizer_config.overlap_cpu_optimizer_d2h_h2d=True
    +optim.override_optimizer_config.use_precision_aware_optimizer=True
    +optim.override_optimizer_config.optimizer_cpu_offload=True
    engine.tensor_model_parallel_size=${TP_SIZE}
    engine.pipeline_model_parallel_size=${PP_SIZE}
    engine.virtual_pipeline_model_parallel_size=${VPP_SIZE}
    engine.context_parallel_size=${CP_SIZE}
    engine.use_mbridge=True
    engine.dtype=${DTYPE}
    engine.vanilla_mbridge=False
    engine.expert_model_parallel_size=${EP_SIZE}
    engine.expert_tensor_parallel_size=${ETP_SIZE}
    engine.override_transformer_config.attention_backend=auto
    +engine.override_transformer_config.recompute_method=uniform
    +engine.override_transformer_config.recompute_granularity=full
    +engine.override_transformer_config.recompute_num_layers=1
)
ENGINE_CONFIG="${MEGATRON_ENGINE_CONFIG[@]}"
torchrun --nnodes=1 --nproc_per_node=8 ${ENTRYPOINT} \
    data.train_batch_size=96 \
    data.max_length=2048 \
    data.pad_mode=${PAD_MODE} \
    data.use_dynamic_bsz=True \
    data.max_token_len_per_gpu=2048 \
    model.path=$MODEL_PATH \
    model.use_remove_padding=${USE_REMOVE_PADDING} \
    ${ENGINE_CONFIG} \
    trainer.total_epochs=1 \

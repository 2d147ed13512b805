# Keys and values of github.com/AI-Hypercomputer/maxtext, src/maxtext/configs/gpu/a3/llama_3.1_405b/128vm.sh (e591f30cb)
torchrun train.py \
    model_name=llama3.1-405b \
    max_target_length=8192 \
    remat_policy=full \
    attention=cudnn_flash_te \
    ici_fsdp_parallelism=8 \
    per_device_batch_size=1.0 \
    steps=10 \
    dcn_fsdp_parallelism=128

NPROC_PER_NODE=4 swift rlhf --rlhf_type gkd --model Qwen/Qwen2.5-7B --teacher_model Qwen/Qwen2.5-14B-Instruct \
    --tuner_type full --torch_dtype bfloat16 --per_device_train_batch_size 1 --gradient_accumulation_steps 1 \
    --max_length 2048 --deepspeed zero3 --attn_impl flash_attn --lmbda 0

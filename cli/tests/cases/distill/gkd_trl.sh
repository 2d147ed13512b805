accelerate launch --num_processes 8 examples/scripts/gkd.py \
    --model_name_or_path Qwen/Qwen2.5-7B \
    --teacher_model_name_or_path Qwen/Qwen2.5-14B-Instruct \
    --per_device_train_batch_size 1 --gradient_checkpointing true \
    --max_length 1024 --lmbda 0 --beta 0.5 --fsdp full_shard

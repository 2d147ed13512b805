accelerate launch --config_file cfg/zero2.yaml sft.py --model_name_or_path Qwen/Qwen3-8B \
  --per_device_train_batch_size 1 --max_length 4096 --bf16 --gradient_checkpointing > log 2>&1

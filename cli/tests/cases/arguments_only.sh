accelerate launch --num_processes 8 train.py \
  --model_name_or_path "$1" --max_length ${2} --per_device_train_batch_size ${3:-4} --gradient_accumulation_steps 4 --bf16

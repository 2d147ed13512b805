CUDA_VISIBLE_DEVICES=0,1,2,3 accelerate launch train.py --model_name_or_path Qwen/Qwen2.5-7B --per_device_train_batch_size 2 --max_length 1024 --gradient_accumulation_steps 8 --bf16 True

# Keys and values of github.com/unslothai/notebooks, python_scripts/Qwen2.5_(3B)-GRPO.py (bdda2efc)
max_seq_length = 1024
lora_rank = 64
model, tokenizer = FastLanguageModel.from_pretrained(
    model_name = 'unsloth/Qwen2.5-3B-Instruct',
    max_seq_length = max_seq_length,
    load_in_4bit = True,
    fast_inference = True,
    max_lora_rank = lora_rank,
    gpu_memory_utilization = 0.9,
)
model = FastLanguageModel.get_peft_model(
    model,
    r = lora_rank,
    target_modules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    lora_alpha = lora_rank,
    use_gradient_checkpointing = 'unsloth',
    random_state = 3407,
)
training_args = GRPOConfig(
    use_vllm = True,
    learning_rate = 5e-06,
    adam_beta1 = 0.9,
    adam_beta2 = 0.99,
    weight_decay = 0.001,
    warmup_ratio = 0.1,
    lr_scheduler_type = 'cosine',
    optim = 'adamw_8bit',
    logging_steps = 1,
    per_device_train_batch_size = 1,
    gradient_accumulation_steps = 1,
    num_generations = 8,
    max_prompt_length = 256,
    max_completion_length = 200,
    max_steps = 250,
    save_steps = 250,
    max_grad_norm = 0.1,
)
trainer = GRPOTrainer(model=model, args=training_args)

# Keys and values of github.com/unslothai/notebooks, python_scripts/Qwen3_MoE.py (bdda2efc)
max_seq_length = 2048
lora_rank = 32
model_name = "unsloth/Qwen3-30B-A3B-Instruct-2507"
model, tokenizer = FastLanguageModel.from_pretrained(
    model_name,
    max_seq_length = max_seq_length,
    load_in_4bit = False,
    fast_inference = False,
)
model = FastLanguageModel.get_peft_model(
    model,
    r = lora_rank,
    target_modules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj', 'gate_up_proj'],
    lora_alpha = lora_rank * 2,
    use_gradient_checkpointing = True,
    random_state = 3407,
    bias = 'none',
)
trainer = SFTTrainer(
    model = model,
    args = SFTConfig(
        per_device_train_batch_size = 1,
        gradient_accumulation_steps = 1,
        warmup_steps = 5,
        max_steps = 50,
        learning_rate = 0.0002,
        logging_steps = 5,
        optim = 'adamw_8bit',
        weight_decay = 0.001,
        lr_scheduler_type = 'linear',
        seed = 3407,
    ),
)

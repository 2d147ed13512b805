# Keys and values of github.com/unslothai/notebooks, python_scripts/gpt_oss_(20B)_500K_Context_Fine_tuning.py (bdda2efc)
max_seq_length = 500000
dtype = None
model, tokenizer = FastLanguageModel.from_pretrained(
    model_name = 'unsloth/gpt-oss-20b',
    dtype = dtype,
    max_seq_length = max_seq_length,
    load_in_4bit = True,
    full_finetuning = False,
    unsloth_tiled_mlp = True,
)
model = FastLanguageModel.get_peft_model(
    model,
    r = 8,
    target_modules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    lora_alpha = 16,
    lora_dropout = 0,
    bias = 'none',
    use_gradient_checkpointing = 'unsloth',
    random_state = 3407,
    use_rslora = False,
    loftq_config = None,
)
trainer = SFTTrainer(
    model = model,
    args = SFTConfig(
        per_device_train_batch_size = 1,
        gradient_accumulation_steps = 1,
        warmup_steps = 1,
        max_steps = 1,
        learning_rate = 0.0002,
        logging_steps = 1,
        optim = 'adamw_8bit',
        weight_decay = 0.001,
        lr_scheduler_type = 'linear',
        seed = 3407,
    ),
)

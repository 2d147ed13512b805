# Keys and values of github.com/unslothai/notebooks, python_scripts/Zephyr_(7B)-DPO.py (bdda2efc)
PatchDPOTrainer()
max_seq_length = 4096
dtype = None
load_in_4bit = True
model, tokenizer = FastLanguageModel.from_pretrained(
    model_name = 'unsloth/zephyr-sft-bnb-4bit',
    max_seq_length = max_seq_length,
    dtype = dtype,
    load_in_4bit = load_in_4bit,
)
model = FastLanguageModel.get_peft_model(
    model,
    r = 64,
    target_modules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    lora_alpha = 64,
    lora_dropout = 0,
    bias = 'none',
    use_gradient_checkpointing = 'unsloth',
    random_state = 3407,
    use_rslora = False,
    loftq_config = None,
)
PatchDPOTrainer()
dpo_trainer = DPOTrainer(
    model = model,
    ref_model = None,
    args = DPOConfig(
        per_device_train_batch_size = 2,
        gradient_accumulation_steps = 4,
        warmup_ratio = 0.1,
        num_train_epochs = 3,
        learning_rate = 5e-06,
        logging_steps = 1,
        optim = 'adamw_8bit',
        weight_decay = 0.0,
        lr_scheduler_type = 'linear',
        seed = 42,
    ),
    beta = 0.1,
    max_length = 1024,
    max_prompt_length = 512,
)

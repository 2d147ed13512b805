# Keys and values of github.com/unslothai/notebooks, python_scripts/Llama3_(8B)-ORPO.py (bdda2efc)
max_seq_length = 4096
dtype = None
load_in_4bit = True
model, tokenizer = FastLanguageModel.from_pretrained(
    model_name = 'unsloth/llama-3-8b-bnb-4bit',
    max_seq_length = max_seq_length,
    dtype = dtype,
    load_in_4bit = load_in_4bit,
)
model = FastLanguageModel.get_peft_model(
    model,
    r = 16,
    target_modules = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'],
    lora_alpha = 16,
    lora_dropout = 0,
    bias = 'none',
    use_gradient_checkpointing = 'unsloth',
    random_state = 3407,
    use_rslora = False,
    loftq_config = None,
)
PatchDPOTrainer()
orpo_trainer = ORPOTrainer(
    model = model,
    args = ORPOConfig(
        max_length = max_seq_length,
        max_prompt_length = max_seq_length // 2,
        max_completion_length = max_seq_length // 2,
        per_device_train_batch_size = 2,
        gradient_accumulation_steps = 4,
        beta = 0.1,
        logging_steps = 1,
        optim = 'adamw_8bit',
        lr_scheduler_type = 'linear',
        max_steps = 30,
    ),
)

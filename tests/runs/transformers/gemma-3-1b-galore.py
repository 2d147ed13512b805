# Keys and values of github.com/cemrifki/LLM-fine-tuning, src/galore_train.py (13ca6a8f)
MODEL_ID = "google/gemma-3-1b-it"
TRAIN_SAMPLE_SIZE = 250
MAX_SEQ_LENGTH = 128
BATCH_SIZE = 2
LEARNING_RATE = 1e-5
NUM_EPOCHS = 2
RANK = 4
UPDATE_PROJ_GAP = 10
SCALE = 2
model = AutoModelForCausalLM.from_pretrained(
    MODEL_ID,
    torch_dtype=torch.bfloat16,
    device_map="auto",
)
tokenizer(prompts, truncation=True, max_length=MAX_SEQ_LENGTH, padding="max_length")
training_args = TrainingArguments(
    per_device_train_batch_size=BATCH_SIZE,
    learning_rate=LEARNING_RATE,
    num_train_epochs=NUM_EPOCHS,
    gradient_checkpointing=True,
    optim="galore_adamw_8bit_layerwise",
    optim_target_modules=["attn", "mlp"],
    optim_args=f"rank={RANK}, update_proj_gap={UPDATE_PROJ_GAP}, scale={SCALE}",
    logging_steps=10,
)
trainer = Trainer(
    model=model,
    args=training_args,
)

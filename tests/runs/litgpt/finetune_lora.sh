# Keys and values of github.com/Lightning-AI/litgpt, tutorials/finetune_lora.md (26857050f).
litgpt finetune_lora stabilityai/stablelm-base-alpha-3b \
  --quantize "bnb.nf4-dq" \
  --precision bf16-true

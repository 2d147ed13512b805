# Keys and values of github.com/saforem2/ezpz, docs/examples/hf-trainer.md (18e8b806)
ezpz launch python3 -m ezpz.examples.hf_trainer \
    --streaming \
    --dataset_name=eliplutchok/fineweb-small-sample \
    --tokenizer_name meta-llama/Llama-3.2-1B \
    --model_name_or_path meta-llama/Llama-3.2-1B \
    --bf16=true \
    --do_train=true \
    --do_eval=true \
    --logging-steps=1 \
    --include-tokens-per-second=true \
    --max-steps=50000 \
    --include-num-input-tokens-seen=true \
    --optim=adamw_torch \
    --max-eval-samples=50 \
    --per_device_train_batch_size=1 \
    --block-size=8192 \
    --gradient_checkpointing=true \
    --fsdp=shard_grad_op

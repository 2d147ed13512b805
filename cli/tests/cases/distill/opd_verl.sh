python3 -m verl.trainer.main_ppo algorithm.adv_estimator=grpo data.train_batch_size=128 data.max_prompt_length=1024 \
    data.max_response_length=2048 actor_rollout_ref.model.path=Qwen/Qwen3-8B \
    actor_rollout_ref.actor.ppo_mini_batch_size=128 actor_rollout_ref.actor.ppo_micro_batch_size_per_gpu=1 \
    actor_rollout_ref.rollout.n=1 trainer.n_gpus_per_node=8 trainer.nnodes=1 distillation.enabled=True \
    distillation.n_gpus_per_node=4 distillation.nnodes=1 \
    distillation.teacher_models.teacher_model.model_path=Qwen/Qwen3-32B \
    distillation.teacher_models.teacher_model.inference.tensor_model_parallel_size=2 \
    distillation.distillation_loss.loss_mode=forward_kl_topk distillation.distillation_loss.topk=64

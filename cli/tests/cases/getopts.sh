#!/bin/bash
#SBATCH -N 2
#SBATCH --gres=gpu:h100:4
MODEL=meta-llama/Llama-3.1-8B
BATCH=${BATCH:-2}
while getopts "m:b:h" opt; do
  case ${opt} in
    m ) MODEL=$OPTARG ;;
    b ) BATCH="$OPTARG"
        ;;
    h | --help) echo "usage: --deepspeed ds.json"; exit 0 ;;
    *) exit 1 ;;
  esac
done
for arg in "$@"; do
  case "$arg" in
    --seq=*) SEQ="${arg#*=}" ;;
    (--fsdp) FSDP=1 ;;
  esac
done
if [[ "$1" == "--deepspeed" ]]; then BATCH=$2; fi
if [ "$2" = --fp16 ]; then shift; fi
SEQ=${SEQ:-2048}
MODEL=${1:-$MODEL}
case $MODEL in *8B) ACC=4 ;; *) ACC=8 ;; esac
torchrun --nproc_per_node=$SLURM_GPUS_ON_NODE --nnodes=$SLURM_JOB_NUM_NODES train.py --model_name_or_path $MODEL --per_device_train_batch_size $BATCH --max_length $SEQ --bf16 --gradient_accumulation_steps 4

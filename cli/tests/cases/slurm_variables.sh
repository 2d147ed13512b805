#!/bin/bash
#SBATCH --nodes=4
#SBATCH --gpus-per-node=8
export CUDA_VISIBLE_DEVICES="0,1,2,3,4,5,6,7"
: "${TP:=4}"
: ${PP=2}
: "${SEQ:=4096}" "${MBS:=2}"
GPUS_PER_NODE=8
NNODES=$SLURM_NNODES
WORLD=$(expr $NNODES \* $GPUS_PER_NODE)
GBS=$(( WORLD * 4 ))
torchrun --nproc_per_node $GPUS_PER_NODE --nnodes ${SLURM_JOB_NUM_NODES} pretrain_gpt.py --tensor-model-parallel-size $TP --pipeline-model-parallel-size $PP --num-layers 32 --hidden-size 4096 --num-attention-heads 32 --seq-length $SEQ --max-position-embeddings $SEQ --micro-batch-size $MBS --global-batch-size $GBS --bf16 --swiglu --vocab-size 32000

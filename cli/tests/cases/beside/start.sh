CUDA_VISIBLE_DEVICES=0,1,2,3 llamafactory-cli train recipes/sft.yaml 2>&1 | tee log

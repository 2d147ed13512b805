//! Invalid training choices: nothing trained, frozen layers in a pipeline, bases that frameworks do
//! not shard.

use crate::model::trained::BaseFormat;
use crate::params::ParamId;
use crate::scenario::Scenario;
use crate::scenario::issue::Issue;

impl Scenario {
    /// Adds the issues about trained parts and texts.
    pub(super) fn trained(&self, issues: &mut Vec<Issue>) {
        issues.extend(self.mean_length());
        issues.extend(self.image_tokens());
        let trained = &self.trained;
        if trained.is_all() {
            return;
        }
        let layers = self.model.architecture().num_hidden_layers;
        if trained.frozen_layers > 0 && self.degrees().pp > 1 {
            let message = "Frozen layers are not modelled with pipeline stages: enter 0, or one stage.";
            issues.push(Issue::error(ParamId::FrozenLayers, message).uses(0));
        } else if trained.frozen_layers > layers {
            let message = format!("The model has only {layers} layers to freeze.");
            issues.push(Issue::note(ParamId::FrozenLayers, message));
        }
        let of_layers = trained.frozen_layers < layers && (!trained.has_adapters() || trained.rank > 0);
        if !of_layers && !trained.embeddings && !self.setup().gradients_reach_images() {
            let about =
                if trained.has_adapters() && trained.rank == 0 { ParamId::LoraRank } else { ParamId::FrozenLayers };
            let message = "Nothing trains: choose a rank above 0 and fewer frozen layers, or train embedding and head.";
            issues.push(Issue::note(about, message));
        }
        issues.extend(self.base());
    }

    /// Returns an issue if a sequence's images have more tokens than the sequence.
    fn image_tokens(&self) -> Option<Issue> {
        let tower = self.model.architecture().tower;
        if !tower.is_used() || !tower.in_sequence {
            return None;
        }
        let of_one = tower.tokens(self.images.resolution);
        let all = u64::from(of_one) * u64::from(self.images.per_sequence);
        if all <= u64::from(self.seq_len) {
            return None;
        }
        let message = format!(
            "{} images of {of_one} tokens have {all} tokens, and a sequence has {}: enter fewer or smaller images, or longer sequences.",
            self.images.per_sequence, self.seq_len
        );
        Some(Issue::note(ParamId::Images, message))
    }

    /// Returns an issue if the framework does not support training on this base.
    fn base(&self) -> Option<Issue> {
        let (base, sharded) = (self.trained.base, self.strategy.shards_weights());
        let message = match base {
            // LLaMA-Factory refuses: "DeepSpeed ZeRO-3 or FSDP is incompatible with PTQ-quantized
            // models."
            BaseFormat::Int4 if sharded => {
                "Neither FSDP nor ZeRO-3 shards GPTQ and AWQ weights, which are integers with separate scales: every \
                 GPU holds all of them. Choose DDP or ZeRO-2, or NF4."
            }
            // Documentation of bitsandbytes, FSDP-QLoRA: floating-point storage is only available
            // in 4 bits (`quant_storage`).
            BaseFormat::Int8 if sharded => {
                "FSDP shards only floating-point storage, which bitsandbytes has for 4 bits but not for int8. Choose DDP, or NF4."
            }
            BaseFormat::Nf4 | BaseFormat::Nf4Double if sharded && self.framework.traits().zero_by_deepspeed => {
                "ZeRO-3 shards NF4 weights from bitsandbytes 0.43 on, if bnb_4bit_quant_storage is the dtype of the \
                 other weights; otherwise every GPU loads all of them."
            }
            _ => return None,
        };
        Some(Issue::note(ParamId::BaseFormat, message))
    }

    /// Returns an issue if the mean length of texts exceeds the sequence length.
    fn mean_length(&self) -> Option<Issue> {
        let (mean, longest) = (self.texts.mean_length, f64::from(self.seq_len));
        if !self.has_texts() || mean <= longest {
            return None;
        }
        let message = format!(
            "Texts of {mean:.0} tokens on average are cut at the sequence length of {}: enter a shorter mean, or longer sequences.",
            self.seq_len
        );
        Some(Issue::note(ParamId::MeanTextLength, message))
    }
}

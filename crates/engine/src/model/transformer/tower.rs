//! Encoders of images or sound for a language model, and the projection in between.

use super::{Architecture, ExtraParams, GPT_STYLE, LLAMA_STYLE};

/// An encoder of images or sound: a separate transformer whose positions, patches of an image or
/// windows of an audio clip, attend to each other without a mask, and a projection of its output to
/// the width of the language model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tower {
    /// Layers; 0 in a text-only model.
    pub layers: u32,
    /// Width of the encoder's residual stream.
    pub hidden_size: u32,
    /// Attention heads.
    pub heads: u32,
    /// Width of the MLPs.
    pub mlp_width: u32,
    /// Whether the MLPs are gated.
    pub gated: bool,
    /// Pixels of a patch along one side.
    pub patch_size: u32,
    /// Pixels of an image along one side, unless a run sets its own.
    pub image_size: u32,
    /// Patches along one side that are merged into one token.
    pub merge: u32,
    /// Number of positions of each clip or image, if constant (sound, learned queries); 0 if it
    /// follows from the patches.
    pub fixed_positions: u32,
    /// Number of tokens of each image, if constant; 0 if it follows from patches and
    /// [`Self::merge`].
    pub fixed_tokens: u32,
    /// Whether the tokens are part of the text sequence; otherwise layers of the language model
    /// attend to them (Llama 3.2 Vision).
    pub in_sequence: bool,
    /// Positions along one side of attention windows; 0 if each position attends to its whole
    /// image.
    pub window: u32,
    /// Distance between layers that attend to the whole image if the others are windowed; 0 if all
    /// are.
    pub global_every: u32,
    /// Parameters of the encoder.
    pub params: u64,
    /// Parameters of the projection.
    pub projector_params: u64,
}

/// Channels of a pixel.
const CHANNELS: f64 = 3.0;

impl Tower {
    /// No encoder: text only.
    pub const NONE: Self = Self {
        layers: 0,
        hidden_size: 1024,
        heads: 16,
        mlp_width: 4096,
        gated: false,
        patch_size: 14,
        image_size: 448,
        merge: 2,
        fixed_positions: 0,
        fixed_tokens: 0,
        in_sequence: true,
        window: 0,
        global_every: 0,
        params: 0,
        projector_params: 0,
    };

    /// Whether the model has an encoder.
    pub const fn is_used(&self) -> bool {
        self.layers > 0
    }

    /// Returns the parameters of encoder and projection.
    pub const fn all_params(&self) -> u64 {
        if self.is_used() { self.params.saturating_add(self.projector_params) } else { 0 }
    }

    /// Returns the whole patches along one side of an image of `resolution` pixels a side, 0 for
    /// the default; at least one.
    fn side(&self, resolution: u32) -> u32 {
        let pixels = if resolution > 0 { resolution } else { self.image_size };
        (pixels / self.patch_size.max(1)).max(1)
    }

    /// Returns the positions of one image of `resolution` pixels a side (0 for the default):
    /// `(pixels / patch)²`.
    ///
    /// ```
    /// # use engine::model::transformer::Tower;
    /// // CLIP ViT-L/14 at 336 pixels: 24 x 24 patches (arXiv 2103.00020, table 20), and the 576 visual tokens of LLaVA-1.5 (arXiv 2310.03744).
    /// let clip = Tower { layers: 24, patch_size: 14, image_size: 336, merge: 1, ..Tower::NONE };
    /// assert_eq!((clip.positions(0), clip.tokens(0)), (576, 576));
    /// ```
    pub fn positions(&self, resolution: u32) -> u32 {
        if self.fixed_positions > 0 {
            return self.fixed_positions;
        }
        self.side(resolution).saturating_mul(self.side(resolution))
    }

    /// Returns the tokens of one image of `resolution` pixels a side (0 for the default) in the
    /// language model: `(pixels / (patch merge))²`.
    ///
    /// ```
    /// # use engine::model::transformer::Tower;
    /// let tokens = |patch_size, merge, pixels| Tower { layers: 1, patch_size, merge, ..Tower::NONE }.tokens(pixels);
    /// // Qwen2-VL: an image of 224 x 224 pixels is 64 tokens between two that mark it, 66 in all (arXiv 2409.12191, section 2.1).
    /// assert_eq!(tokens(14, 2, 224) + 2, 66);
    /// // InternVL 1.5: a tile of 448 pixels is 256 tokens after the pixel shuffle (arXiv 2404.16821, section 3.1).
    /// assert_eq!(tokens(14, 2, 448), 256);
    /// // Gemma 3: images of 896 pixels are condensed to 256 vectors (arXiv 2503.19786, section 2.1).
    /// assert_eq!(tokens(14, 4, 896), 256);
    /// // SmolVLM: a pixel shuffle of ratio 3 and 4 (arXiv 2504.05299, section 2); 512 pixels in patches of 16 are 64 tokens.
    /// assert_eq!(tokens(16, 4, 512), 64);
    /// ```
    pub fn tokens(&self, resolution: u32) -> u32 {
        if self.fixed_tokens > 0 {
            return self.fixed_tokens;
        }
        let merge = self.merge.max(1);
        if self.fixed_positions > 0 {
            return (self.fixed_positions / merge.saturating_mul(merge)).max(1);
        }
        let side = (self.side(resolution) / merge).max(1);
        side.saturating_mul(side)
    }

    /// Returns the weights that embed the pixels of a patch, `3 patch² H`; for sound, those of two
    /// convolutions over three windows of 128 mel bins and of H channels, of which the second runs
    /// at the remaining positions (arXiv 2212.04356, section 2.2).
    pub fn patch_params(&self) -> f64 {
        /// Width of an audio convolution, in windows.
        const WINDOWS: f64 = 3.0;
        let hidden = f64::from(self.hidden_size);
        if self.fixed_positions > 0 {
            return WINDOWS * hidden * hidden;
        }
        CHANNELS * f64::from(self.patch_size) * f64::from(self.patch_size) * hidden
    }

    /// Returns the encoder as a transformer without a vocabulary: its layers, with other parameters
    /// as extra parameters outside the layers.
    pub fn encoder(&self) -> Architecture {
        let heads = self.heads.max(1);
        let head_dim = (self.hidden_size / heads).max(1);
        let shape = Architecture {
            num_hidden_layers: self.layers,
            hidden_size: self.hidden_size.max(1),
            num_attention_heads: heads,
            num_key_value_heads: heads,
            head_dim,
            intermediate_size: self.mlp_width,
            tie_word_embeddings: true,
            sliding_window: self.window.saturating_mul(self.window),
            global_every: self.global_every,
            attention_chunks: true,
            // Encoders with gated MLPs follow Llama.
            ..if self.gated { LLAMA_STYLE } else { GPT_STYLE }
        };
        let of_layers = u64::from(self.layers).saturating_mul(shape.dense_layer_params());
        let outside = i64::try_from(self.params.saturating_sub(of_layers)).unwrap_or(i64::MAX);
        Architecture { extra: ExtraParams { layers: 0, outside }, ..shape }
    }
}

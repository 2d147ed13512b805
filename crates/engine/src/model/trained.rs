//! The trained parts of a model: everything, the last layers, or low-rank adapters on a frozen
//! base.

/// The trained parts of a model, and the format of the frozen parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Trained {
    /// The training method.
    pub method: Method,
    /// Rank of the adapters, r.
    pub rank: u32,
    /// The matrices that have adapters.
    pub targets: Targets,
    /// Whether each adapter has dropout on its input.
    pub dropout: bool,
    /// Whether embedding and output head are trained, for methods that do not train everything.
    pub embeddings: bool,
    /// Number of frozen layers, from the first on, for methods that do not train everything.
    pub frozen_layers: u32,
    /// The format in which the frozen matrices of the layers are stored.
    pub base: BaseFormat,
    /// Tensors that products with frozen matrices keep for the backward pass, for matrices stored
    /// in 4 bits as integers or `NormalFloat`.
    pub products_keep: ProductsKeep,
}

/// The training method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// Every weight.
    All,
    /// Every weight of the layers that are not frozen.
    Layers,
    /// Adapters: two matrices of rank r for each target, `out x r` and `r x in` (LoRA, arXiv
    /// 2106.09685).
    Lora,
    /// LoRA with the scale `alpha / sqrt(r)` (rsLoRA, arXiv 2312.03732), otherwise unchanged.
    RsLora,
    /// LoRA with a trained magnitude for each row of a target's weights, whose norms are computed
    /// from the sum of base and adapter (DoRA, arXiv 2402.09353).
    Dora,
}

/// The matrices that have adapters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Targets {
    /// Query and value (the default of LoRA's paper and of PEFT for Llama).
    QueryValue,
    /// Query, key and value: one matrix where they are fused.
    QueryKeyValue,
    /// All projections of attention.
    Attention,
    /// The matrices of MLPs and experts.
    Mlp,
    /// All matrices of the layers except the routers (PEFT's `all-linear`).
    AllLinear,
}

/// The format of a frozen base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BaseFormat {
    /// 32-bit floating point.
    Fp32,
    /// 16-bit floating point.
    Bf16,
    /// 8-bit floating point with a scale for each tensor.
    Fp8,
    /// 8-bit integers with a scale for each row (LLM.int8(), arXiv 2208.07339).
    Int8,
    /// 4-bit integers with a 16-bit scale and a 4-bit zero for groups of 128 (GPTQ, AWQ).
    Int4,
    /// 4-bit `NormalFloat` with a 32-bit scale for blocks of 64 (QLoRA, arXiv 2305.14314, section
    /// 3).
    Nf4,
    /// 4-bit `NormalFloat` with scales in 8 bits, and 32-bit scales of those for blocks of 256
    /// (double quantization).
    Nf4Double,
    /// 4-bit floating point with an 8-bit scale for blocks of 32 (OCP Microscaling Formats 1.0).
    Mxfp4,
}

/// Tensors that a product with a frozen 4-bit matrix keeps for the backward pass, in addition to
/// the matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProductsKeep {
    /// Nothing: the input gradient only needs the matrix (bitsandbytes from 0.43.2 on, torchao,
    /// AWQ's and Triton's kernels).
    Nothing,
    /// The product's input, which is never read: bitsandbytes before 0.43.2 (`MatMul4Bit` in
    /// `autograd/_functions.py`, `ctx.tensors = (A, B)` until
    /// bitsandbytes-foundation/bitsandbytes#1270).
    Inputs,
    /// The matrix in 16 bits: `AutoGPTQ`'s kernel in PyTorch operators, whose `torch.matmul` is
    /// recorded by autograd (`nn_modules/qlinear/qlinear_cuda_old.py`, v0.4.2; transformers' choice
    /// under `disable_exllama`).
    Matrices,
}

impl Trained {
    /// Everything is trained.
    pub const ALL: Self = Self {
        method: Method::All,
        rank: 16,
        targets: Targets::AllLinear,
        dropout: false,
        embeddings: false,
        frozen_layers: 0,
        base: BaseFormat::Bf16,
        products_keep: ProductsKeep::Nothing,
    };

    /// Whether every weight is trained.
    pub const fn is_all(&self) -> bool {
        matches!(self.method, Method::All)
    }

    /// Returns the tensors that products with frozen matrices keep: the chosen ones in 4 bits.
    /// LLM.int8() always keeps inputs (bitsandbytes 0.50, `MatMul8bitLt`: `ctx.tensors = (CAt,
    /// subA, A)`).
    pub const fn kept_by_products(&self) -> ProductsKeep {
        match self.base {
            BaseFormat::Int8 => ProductsKeep::Inputs,
            BaseFormat::Int4 | BaseFormat::Nf4 | BaseFormat::Nf4Double => self.products_keep,
            BaseFormat::Fp32 | BaseFormat::Bf16 | BaseFormat::Fp8 | BaseFormat::Mxfp4 => ProductsKeep::Nothing,
        }
    }

    /// Whether adapters are trained on frozen matrices.
    pub const fn has_adapters(&self) -> bool {
        matches!(self.method, Method::Lora | Method::RsLora | Method::Dora)
    }
}

impl Targets {
    /// Returns whether adapters are on attention's query and value projections, on those of keys
    /// and of the output, and on MLPs.
    pub const fn modules(self) -> TargetModules {
        let (query_value, key, output, mlp) = match self {
            Self::QueryValue => (true, false, false, false),
            Self::QueryKeyValue => (true, true, false, false),
            Self::Attention => (true, true, true, false),
            Self::Mlp => (false, false, false, true),
            Self::AllLinear => (true, true, true, true),
        };
        TargetModules { query_value, key, output, mlp }
    }
}

/// The modules of [`Targets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TargetModules {
    /// Queries and values.
    pub query_value: bool,
    /// Keys.
    pub key: bool,
    /// The output projection.
    pub output: bool,
    /// The matrices of MLPs and experts.
    pub mlp: bool,
}

impl BaseFormat {
    /// Returns the bytes of a weight, including its share of the scales.
    ///
    /// ```
    /// # use engine::model::trained::BaseFormat;
    /// // Double quantization saves 0.373 of 0.5 bits a weight (arXiv 2305.14314, section 3).
    /// let saved = BaseFormat::Nf4.bytes() - BaseFormat::Nf4Double.bytes();
    /// assert!((8.0 * saved - 0.373).abs() < 0.001);
    /// // Blocks of 32 elements of 4 bits share 8 bits: 4.25 bits a weight (OCP Microscaling Formats 1.0, section 5).
    /// assert_eq!(8.0 * BaseFormat::Mxfp4.bytes(), 4.25);
    /// ```
    pub const fn bytes(self) -> f64 {
        match self {
            Self::Fp32 => 4.0,
            Self::Bf16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Int4 => 0.5 + (2.0 + 0.5) / 128.0,
            Self::Nf4 => 0.5 + 4.0 / 64.0,
            Self::Nf4Double => 0.5 + 1.0 / 64.0 + 4.0 / (64.0 * 256.0),
            Self::Mxfp4 => 0.5 + 1.0 / 32.0,
        }
    }

    /// Whether matrices are dequantized to 16 bits before each product.
    pub const fn is_quantized(self) -> bool {
        !matches!(self, Self::Fp32 | Self::Bf16)
    }
}

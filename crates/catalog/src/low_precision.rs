//! Recipes of 8-bit and 4-bit matrix products, by the names that libraries give them.
//!
//! A recipe quantizes the products of linear layers, including those of experts. Embedding, norms,
//! softmax, the core of attention and the output head stay in 16 bits unless another setting
//! quantizes them (Transformer Engine, `docs/features/low_precision_training/introduction`;
//! torchao, `docs/source/workflows/training.md`).

use engine::model::choices::Choices;
use engine::model::training::ComputeFormat;
use engine::scenario::Scenario;

/// Library that implements a recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Library {
    /// NVIDIA's library, used by Megatron-Core, NeMo, Megatron-Bridge and Accelerate.
    TransformerEngine,
    /// PyTorch's library, used by torchtitan, Axolotl, LLaMA-Factory and Accelerate.
    Torchao,
}

impl Library {
    /// Returns the library's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TransformerEngine => "Transformer Engine",
            Self::Torchao => "torchao",
        }
    }
}

/// A recipe of low-precision products.
#[derive(Clone, Copy, Debug)]
pub struct LowPrecision {
    /// The recipe's name in the library.
    pub name: &'static str,
    /// The library.
    pub library: Library,
    /// Spellings of the recipe in options, in lower case (`--fp8-recipe`, `--fp4-recipe`,
    /// `recipe_name`).
    pub spelled: &'static [&'static str],
    /// The format of the products, with weights gathered in another format.
    pub format: ComputeFormat,
    /// Whether the product that gives a weight's gradient stays in 16 bits.
    pub gradients_in_16_bits: bool,
    /// The number formats: of the forward pass, and of gradients where they differ.
    pub numbers: &'static str,
    /// Elements that share one scale.
    pub scaling: &'static str,
    /// Bits in which weights are gathered if fewer than 16 are requested.
    pub gathered: u32,
    /// The source.
    pub source: &'static str,
}

/// All recipes: rows of `data/low_precision.toml`.
pub const LOW_PRECISION: &[LowPrecision] = include!(concat!(env!("OUT_DIR"), "/low_precision.rs"));

/// Returns a recipe by its spelling in options.
///
/// ```
/// # use catalog::low_precision::{Library, named};
/// assert_eq!(named(Library::TransformerEngine, "tensorwise").map(|recipe| recipe.name), Some("Float8CurrentScaling"));
/// // grad_weight_hp = input_t_hp @ grad_output_hp (torchao, float8/config.py).
/// assert!(named(Library::Torchao, "rowwise_with_gw_hp").is_some_and(|recipe| recipe.gradients_in_16_bits));
/// ```
pub fn named(library: Library, spelled: &str) -> Option<&'static LowPrecision> {
    LOW_PRECISION.iter().find(|recipe| recipe.library == library && recipe.spelled.contains(&spelled))
}

impl LowPrecision {
    /// Whether weights can be stored in the format of the products and gathered from it. torchao
    /// gathers in 8 bits only with one scale per tensor (`Float8LinearConfig.__post_init__`), and
    /// there is no 4-bit gather format.
    pub fn can_gather(&self) -> bool {
        self.format == ComputeFormat::Fp8 && (self.library == Library::TransformerEngine || self.gathered == 8)
    }

    /// Returns the scenario with these products; with `gathered`, weights are stored and gathered
    /// in the format of the products if the recipe can ([`Self::can_gather`]).
    #[must_use]
    pub fn on(&self, scenario: &Scenario, gathered: bool) -> Scenario {
        let format = if gathered && self.can_gather() { ComputeFormat::Fp8Gather } else { self.format };
        Scenario {
            choices: Choices {
                compute_format: format,
                gradients_in_16_bits: self.gradients_in_16_bits,
                ..scenario.choices
            },
            ..*scenario
        }
    }
}

/// A mode of Megatron-Bridge (`mixed_precision`): a recipe together with the layers that stay in 16
/// bits.
#[derive(Clone, Copy, Debug)]
pub struct Mixed {
    /// The mode's name, without the prefix of its 16-bit format.
    pub name: &'static str,
    /// The recipe of Transformer Engine, as spelled in options.
    pub recipe: &'static str,
    /// Whether weights are gathered in the recipe's format (`fp8_param_gather`,
    /// `fp4_param_gather`).
    pub gathered: bool,
    /// Numbers of first and of last layers that stay in 16 bits.
    pub layers_in_16_bits: [u32; 2],
}

/// The modes of `training/mixed_precision.py`: rows of `data/low_precision.toml`.
pub const MIXED: &[Mixed] = include!(concat!(env!("OUT_DIR"), "/mixed.rs"));

/// Returns the mode of a name of Megatron-Bridge.
///
/// ```
/// # use catalog::low_precision::mixed;
/// assert_eq!(mixed("bf16_with_fp8_current_scaling_mixed").map(|mixed| mixed.layers_in_16_bits), Some([1, 1]));
/// assert!(mixed("bf16_mixed").is_none());
/// ```
pub fn mixed(name: &str) -> Option<&'static Mixed> {
    let name = name.replace('-', "_");
    let short = name.trim_start_matches("bf16_").trim_start_matches("fp16_");
    MIXED.iter().find(|mixed| mixed.name == name || mixed.name == short)
}

/// Writes the table of the documentation: one line per recipe.
pub fn table() -> String {
    let mut lines = vec![
        "| library | recipe | called | products | numbers | one scale for | gradients of weights | gathered |"
            .to_owned(),
        "|---|---|---|---|---|---|---|---|".to_owned(),
    ];
    lines.extend(LOW_PRECISION.iter().map(|recipe| {
        let products = if recipe.format == ComputeFormat::Fp4 { "4 bits" } else { "8 bits" };
        let gradients = if recipe.gradients_in_16_bits { "16 bits" } else { products };
        let called = recipe.spelled.join("`, `");
        format!(
            "| {} | {} | `{called}` | {products} | {} | {} | {gradients} | {} bits |",
            recipe.library.name(),
            recipe.name,
            recipe.numbers,
            recipe.scaling,
            recipe.gathered
        )
    }));
    lines.join("\n")
}

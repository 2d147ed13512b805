//! Explanations of the limits of each strategy.

use super::super::Explanation;
use super::{number, when};
use analysis::limits::{largest_model, longest_sequence};
use engine::scenario::Strategy;

const SEARCHED: &str =
    "A search with this engine; docs/book/model/states.md, and arXiv 2304.11277 for the comparison with DDP.";

pub(super) const REACHES: &[Explanation] = &[
    number(
        "largest",
        "Largest GPT-style model",
        &[when(|c| largest_model(&c.scenario).is_some(), "M_largest ≤ M_GPU")],
        [
            "The largest GPT-style model, 1.3B to 310B parameters, whose [memory needed] fits with all other settings unchanged, found by halving the range 28 times. The values are those of the strategy on screen.",
            SEARCHED,
            "Models of other shapes. A larger model fits with a smaller batch or more recomputation.",
        ],
    ),
    number(
        "over-ddp",
        "Relative to DDP",
        &[when(
            |c| {
                largest_model(&c.scenario.with_strategy(Strategy::Ddp)).is_some()
                    && largest_model(&c.scenario).is_some()
            },
            "ratio = P_max / P_DDP",
        )],
        [
            "The largest model that fits under the strategy on screen, over the largest under [DDP], which keeps all state on every GPU. At 310B, the largest model searched, the ratio is a lower bound.",
            SEARCHED,
            "Speed: a model that fits may still be slow.",
        ],
    ),
    number(
        "longest",
        "Longest sequence",
        &[when(|c| longest_sequence(&c.scenario).is_some(), "M_longest ≤ M_GPU")],
        [
            "The longest sequence, up to 1,048,576 tokens, whose [memory needed] fits with all other settings unchanged. The values are those of the strategy on screen.",
            SEARCHED,
            "Whether the model has positions for that many tokens.",
        ],
    ),
];

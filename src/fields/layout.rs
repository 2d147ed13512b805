//! Counts of the layout, each between two buttons, and the values that the buttons offer.

mod words;

pub use words::{product, step_id, write_batch_change};

use analysis::neighbour_layouts;
use engine::format;
use engine::model::report::Report;
use engine::params::ParamId;
use engine::scenario::Scenario;

/// A valid value that a button offers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedValue {
    /// The value.
    pub value: u32,
    /// Accessible name of the button, including the effect on the batch.
    pub name: String,
}

/// A count between two buttons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The parameter.
    pub key: ParamId,
    /// Short name in the field: `tp`.
    pub short: &'static str,
    /// The value that the page computes with.
    pub value: String,
    /// The next lower and the next higher valid value.
    pub offers: [Option<OfferedValue>; 2],
}

/// The strip of degrees, and the product that is the batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Data-parallel degree: the GPUs divided by the other degrees.
    pub dp: String,
    /// Tensor, context and pipeline parallelism.
    pub degrees: [Step; 3],
    /// The GPUs.
    pub gpus: String,
    /// Expert parallelism, for a mixture of experts.
    pub ep: Option<Step>,
    /// Micro-batch and gradient accumulation.
    pub batch: [Step; 2],
}

impl Layout {
    /// Returns the layout of a scenario.
    pub fn new(scenario: &Scenario, report: &Report) -> Self {
        let mesh = scenario.degrees();
        let sequences = neighbour_layouts::sequences(scenario);
        let step = |key: ParamId, short: &'static str, value: u32| {
            let offer = |value: u32| {
                let then = neighbour_layouts::sequences(&neighbour_layouts::with_count(scenario, key, value));
                let now = report.tokens_per_step;
                let batch = words::batch(now, now * then / sequences);
                OfferedValue { value, name: words::step(key.param().label, value, &batch) }
            };
            let offers = neighbour_layouts::around(scenario, key).map(|value| value.map(offer));
            Step { key, short, value: format::count(f64::from(value)), offers }
        };
        let has_experts = scenario.model.architecture().has_experts();
        Self {
            dp: format::count(f64::from(mesh.dp)),
            degrees: [
                step(ParamId::Tp, "tp", mesh.tp),
                step(ParamId::Cp, "cp", mesh.cp),
                step(ParamId::Pp, "pp", mesh.pp),
            ],
            gpus: format::count(f64::from(scenario.gpus)),
            ep: has_experts.then(|| step(ParamId::Ep, "ep", mesh.ep)),
            batch: [
                step(ParamId::MicroBatchSize, "micro-batch", scenario.micro_batch_size),
                step(ParamId::GradAccumSteps, "accumulation", scenario.grad_accum_steps),
            ],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    #[test]
    fn the_product_of_the_strip_is_the_gpus_and_that_of_the_batch_the_tokens() {
        for link in
            ["", "tp=3", "pp=5&accum=8", "cluster=dgx-h100&model=mixtral-8x7b&gpus=96&tp=2&cp=3&ep=4", "objective=dpo"]
        {
            let scenario = decode(link).scenario;
            let report = scenario.report();
            let layout = Layout::new(&scenario, &report);
            let number = |text: &str| text.replace(',', "").parse::<f64>().unwrap();
            let degrees: f64 = layout.degrees.iter().map(|step| number(&step.value)).product();
            assert_eq!(number(&layout.dp) * degrees, number(&layout.gpus), "{link}");
            let said = format!("= {} tokens per step", format::tokens(report.tokens_per_step));
            let product = words::product(&scenario, &report);
            assert!(product.ends_with(&said), "{link}: {product}");
            assert_eq!(layout.ep.is_some(), link.contains("mixtral"));
        }
    }

    #[test]
    fn a_button_says_what_becomes_of_the_batch() {
        let name = |link: &str, place: usize| {
            let scenario = decode(link).scenario;
            let layout = Layout::new(&scenario, &scenario.report());
            layout.degrees[0].offers[place].as_ref().map(|offer| offer.name.clone())
        };
        assert_eq!(name("seq=4k", 1).as_deref(), Some("Tensor parallel: 2, same tokens per step"));
        assert_eq!(name("seq=4k", 0), None);
        assert_eq!(name("seq=4k&tp=2", 0).as_deref(), Some("Tensor parallel: 1, 262k tokens per step instead of 131k"));
        let scenario = decode("seq=4k").scenario;
        let layout = Layout::new(&scenario, &scenario.report());
        assert_eq!(words::product(&scenario, &scenario.report()), "× dp 64 × 4,096 = 262k tokens per step");
        let twice = layout.batch[0].offers[1].as_ref().unwrap();
        assert_eq!(twice.name, "Micro-batch size: 2, 524k tokens per step instead of 262k");
    }
}

//! Values that depend on other words of a sentence: what is offloaded, the replicas of the data,
//! the family that a small size scales.

use engine::params::{ParamId, labels};
use engine::scenario::expressed::Lack;

use crate::means;
use crate::said::{REPLICAS, StatedValues};
use crate::settle::SettledScenario;

impl SettledScenario {
    /// Keeps the parameters on the GPUs, if the text has “offload” without its object beside a
    /// stage that does not shard them: DeepSpeed offloads parameters in stage 3 alone.
    pub(crate) fn offloading(&mut self, text: &str, said: &StatedValues) {
        let keeps_params = said.value("strategy").is_some_and(|strategy| ["zero1", "zero2"].contains(&strategy));
        let typed = said.text_of(text, "offloadparams").unwrap_or_default().to_lowercase();
        if keeps_params && said.value("offloadparams") == Some("yes") && !typed.contains("param") {
            self.put("offloadparams", "no");
            self.dropped.push("offloadparams");
            let why = "DeepSpeed offloads parameters in stage 3 alone, and the text does not say what is offloaded";
            self.chose("offloadopt", "the optimizer alone", why);
        }
    }

    /// Compares the replicas of the text with those that the GPUs and the other degrees give.
    pub(crate) fn replicas(&mut self, said: &StatedValues) {
        let own = self.scenario.degrees().dp;
        if said.number(REPLICAS).is_some_and(|wanted| (wanted - f64::from(own)).abs() > 0.5) {
            let own = means::counted(&own.to_string(), "replica");
            self.differing.push((REPLICAS, format!("is not what the GPUs and the other degrees give: {own}")));
        }
    }

    /// Returns whether the text says ZeRO-1 or ZeRO-2, and the framework has neither, in whatever
    /// degrees.
    pub(crate) fn is_without_zero(&self, said: &StatedValues) -> bool {
        let is_zero = matches!(said.value("strategy"), Some("zero1" | "zero2"));
        is_zero && self.scenario.gpus > 1 && self.scenario.framework.lacks().contains(&Lack::Zero)
    }

    /// Compares the strategy of the text with those of the framework, and its degrees with those
    /// that the GPUs and the model give.
    pub(crate) fn layout_said(&mut self, said: &StatedValues) {
        if self.is_without_zero(said) {
            let framework = labels::chosen(ParamId::Framework, &self.scenario);
            self.differing.push(("strategy", format!("is no strategy of {framework}")));
        }
        let degrees = self.scenario.degrees();
        for (key, own) in [("tp", degrees.tp), ("pp", degrees.pp), ("cp", degrees.cp), ("ep", degrees.ep)] {
            if said.number(key).is_some_and(|wanted| (wanted - f64::from(own)).abs() > 0.5) {
                self.differing.push((key, format!("is not possible with the GPUs and the other degrees: {own} is")));
            }
        }
    }
}

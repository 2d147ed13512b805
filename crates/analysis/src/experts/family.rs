//! Compares static choices of one kind along a sweep with the adaptive choice: the fastest choice
//! at each value, and the cost of a fixed choice.

use super::{Along, at, parallelisms, pipelinings};
use catalog::expert_layers::with_dense_kernels;
use engine::model::experts::layer::{Best, Choice, MoeLayer, best_parallelism, best_pipelining, layer_time};
use engine::units::Seconds;

/// The kind of static choices to compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Family {
    /// Values of Tutel's r, with the linear algorithm and without chunks.
    Parallelism,
    /// Numbers of chunks and algorithms, at r = 1.
    Pipelining,
}

impl Family {
    /// Returns the static choices of the family that are possible for a layer.
    pub fn choices(self, layer: &MoeLayer) -> Vec<Choice> {
        match self {
            Self::Parallelism => parallelisms(layer),
            Self::Pipelining => pipelinings(Choice::PLAIN.r),
        }
    }

    /// Returns the fastest choice of the family for a layer.
    pub fn best(self, layer: &MoeLayer) -> Best {
        match self {
            Self::Parallelism => best_parallelism(layer),
            Self::Pipelining => best_pipelining(layer, Choice::PLAIN.r),
        }
    }
}

/// One static choice along a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// The choice.
    pub choice: Choice,
    /// Time of the choice at each value; `None` where fewer than r GPUs share an expert.
    pub times: Vec<Option<Seconds>>,
}

/// The choices of a family along a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Every static choice that is possible at one or more of the values.
    pub fixed: Vec<Fixed>,
    /// The fastest choice at each value.
    pub adaptive: Vec<Best>,
    /// Time of the baseline at each value: the kernels and the layout that Fairseq and DeepSpeed
    /// had at the time.
    pub baseline: Vec<Seconds>,
}

/// Compares the choices of a family for a layer at each value.
pub fn compare(layer: &MoeLayer, along: Along, values: &[f64], family: Family) -> Compared {
    let (mut layers, mut most) = (Vec::new(), *layer);
    let mut compared = Compared { fixed: Vec::new(), adaptive: Vec::new(), baseline: Vec::new() };
    for &value in values {
        let moved = at(layer, along, value);
        if moved.gpus_per_expert() > most.gpus_per_expert() {
            most = moved;
        }
        compared.adaptive.push(family.best(&moved));
        compared.baseline.push(layer_time(&with_dense_kernels(moved), Choice::PLAIN).total());
        layers.push(moved);
    }
    for choice in family.choices(&most) {
        let mut times = Vec::new();
        for layer in &layers {
            times.push((choice.r <= layer.gpus_per_expert()).then(|| layer_time(layer, choice).total()));
        }
        compared.fixed.push(Fixed { choice, times });
    }
    compared
}

impl Compared {
    /// Returns the static choice with the smallest worst-case slowdown against the best choice,
    /// with that slowdown as a factor. Only choices that are possible at every value count.
    ///
    /// ```
    /// # use catalog::expert_layers::headline;
    /// # use analysis::experts::{Along, family::{Family, compare}};
    /// // Tutel: from 16 to 256 GPUs every static pipelining loses somewhere (Table 6).
    /// let scales = [16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, 2048.0];
    /// let (_, loss) = compare(&headline(16), Along::Gpus, &scales, Family::Pipelining).safest().unwrap();
    /// assert!(loss > 1.02);
    /// ```
    pub fn safest(&self) -> Option<(Choice, f64)> {
        let losses = self.fixed.iter().filter_map(|fixed| Some((fixed.choice, self.loss(fixed)?)));
        losses.reduce(|least, next| if next.1 < least.1 { next } else { least })
    }

    /// Returns the largest slowdown of a static choice against the best choice, as a factor; `None`
    /// if the choice is impossible at some value.
    fn loss(&self, fixed: &Fixed) -> Option<f64> {
        let mut most = 1.0_f64;
        for (time, best) in fixed.times.iter().zip(&self.adaptive) {
            most = most.max((*time)? / best.time.total());
        }
        Some(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use catalog::expert_layers::{figure_12_large, headline};

    #[test]
    fn no_choice_is_faster_than_adapting_and_one_is_as_fast() {
        let factors = [0.5, 1.0, 2.0, 4.0, 8.0];
        for family in [Family::Parallelism, Family::Pipelining] {
            let compared = compare(&figure_12_large(1.0), Along::CapacityFactor, &factors, family);
            for (at, best) in compared.adaptive.iter().enumerate() {
                let times: Vec<f64> = compared.fixed.iter().filter_map(|fixed| Some(fixed.times[at]?.get())).collect();
                assert_eq!(times.iter().copied().fold(f64::MAX, f64::min), best.time.total().get());
            }
        }
    }

    #[test]
    fn experts_are_split_only_where_gpus_share_them() {
        let layer = MoeLayer { experts: 64, ..headline(16) };
        let compared = compare(&layer, Along::GpusAlone, &[16.0, 64.0, 256.0], Family::Parallelism);
        let of = |r: u32| compared.fixed.iter().find(|fixed| fixed.choice.r == r).unwrap();
        assert_eq!(of(4).times.iter().map(Option::is_some).collect::<Vec<_>>(), [false, false, true]);
        assert_eq!(
            compared.safest().map(|(choice, _)| choice.r <= 1),
            Some(true),
            "splitting is not possible everywhere"
        );
    }

    #[test]
    fn the_safest_choice_loses_least() {
        let compared = compare(&headline(16), Along::Gpus, &[16.0, 256.0, 2048.0], Family::Pipelining);
        let (safest, least) = compared.safest().unwrap();
        for fixed in &compared.fixed {
            let most = fixed.times.iter().zip(&compared.adaptive).map(|(time, best)| time.unwrap() / best.time.total());
            assert!(most.fold(1.0, f64::max) >= least, "{:?} against {safest:?}", fixed.choice);
        }
    }
}

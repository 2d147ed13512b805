//! The answer to a scenario: does it fit, how fast is it, what limits it, what does it cost. Page,
//! command line, JSON, CSV, poster and embeds print these values and these texts, so that one name
//! has one number.

use catalog::accelerators::prices;
use catalog::accuracy::{self, Band, Fit};
use engine::format;
use engine::model::report::{Limiter, Report, WholeStep};
use engine::model::rollout::RolloutReport;
use engine::model::run::RunReport;
use engine::model::software::Graphs;
use engine::model::training::ComputeFormat;
use engine::names;
use engine::scenario::Scenario;
use engine::units::{Bytes, Seconds};

/// Text in place of a range without measurements.
pub const NOT_MEASURED: &str = "no range";
/// Time of a run that makes no progress.
const NEVER: &str = "never";
/// Cost of a run that makes no progress.
const NO_COST: &str = "–";
/// Cost of a run without a list price and without a price set by the reader.
pub const UNKNOWN: &str = "price unknown";
/// Range of a run that makes no progress.
const FAILS: &str = "failures come too fast";

/// The figures of a scenario. Every figure of time is of the whole step: with rollout, scoring and
/// all updates where a step generates its training data.
#[derive(Clone, Copy, Debug)]
pub struct Answer {
    /// Verdict and odds, on GPUs and hosts. Where the run does not fit, every figure of time holds
    /// only if memory were no limit.
    pub fit: Fit,
    /// Memory of one GPU that the run needs; needed, cache and free add up to `usable` where it is
    /// enough.
    pub needed: Bytes,
    /// Memory that the allocator keeps and releases under pressure.
    pub cache: Bytes,
    /// The rest of the usable memory.
    pub free: Bytes,
    /// Memory that the driver leaves to programs.
    pub usable: Bytes,
    /// Memory that nvidia-smi shows: needed and cache.
    pub shown: Bytes,
    /// The whole step.
    pub step: WholeStep,
    /// The limit of the run.
    pub limiter: Limiter,
    /// Time of the whole step that the limiter takes; `None` if memory limits.
    pub limited: Option<Seconds>,
    /// The whole run.
    pub run: RunReport,
    /// Whether the price of a GPU-hour is known.
    pub is_priced: bool,
    /// Range of measured over predicted step time; `None` for steps with a rollout, whose
    /// measurements are too few for a range.
    pub time_band: Option<Band>,
    /// Range of measured over predicted memory.
    pub memory_band: Band,
    /// Format of the peak to which utilisation refers, if it is not that of 16 or 32 bits.
    pub peak: Option<&'static str>,
    /// Whether `torch.compile` or a CUDA graph captures the layers, so that the host launches less.
    is_captured: bool,
    /// The report that the answer is of.
    report: Report,
}

/// The figures of an answer as text, each with its unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Figures {
    /// Model FLOPs utilisation: `50.0 %`.
    pub mfu: String,
    /// Throughput of one GPU, without its unit: `3,850`.
    pub tokens: String,
    /// Time of a whole step: `5.02 s`.
    pub step: String,
    /// Memory needed, of the usable memory: `32.3 of 39.5 GiB`.
    pub needed: String,
    /// Memory that nvidia-smi shows: `nvidia-smi shows 38.5 GiB`.
    pub shown: String,
    /// Limiter in a word or two: `Node links`.
    pub limiter: &'static str,
    /// Time of the step that the limiter takes, or the missing memory: `31.4 s of 31.8 s`.
    pub limited: String,
    /// Time of the run: `12.5 days`.
    pub time: String,
    /// Cost of the run.
    pub cost: String,
    /// Ranges of measurements of MFU, throughput, step time and memory needed.
    pub bands: [String; 4],
    /// Range of time and cost of the run.
    pub run_band: String,
}

impl Answer {
    /// Returns the answer to a scenario, from the report of its step.
    ///
    /// ```
    /// # use analysis::answer::Answer;
    /// // GRPO of one prompt on eight engines: the update is a small part of the step.
    /// let link = "cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo";
    /// let scenario = links::decode(link).scenario;
    /// let answer = Answer::new(&scenario, &scenario.report());
    /// let figures = answer.figures();
    /// assert_eq!(figures.limiter, "Rollout");
    /// assert!(answer.limited.unwrap().get() > 0.9 * answer.step.time.get());
    /// assert!(answer.needed + answer.cache + answer.free == answer.usable);
    /// ```
    pub fn new(scenario: &Scenario, report: &Report) -> Self {
        let memory = &report.memory;
        Self {
            fit: Fit::check(scenario, report),
            needed: memory.needed,
            cache: memory.cache(),
            free: memory.free(),
            usable: memory.capacity,
            shown: memory.peak,
            step: report.whole(),
            limiter: report.limiter,
            limited: limited(report),
            run: scenario.run_of(report),
            is_priced: prices::known(scenario).is_some(),
            time_band: report.rollout.is_none().then(|| accuracy::step_time(scenario)),
            memory_band: accuracy::peak_memory(report),
            peak: peak(scenario.setup().compute_format),
            is_captured: scenario.kernels.compile || scenario.kernels.graphs != Graphs::None,
            report: *report,
        }
    }

    /// Returns the figures as text.
    pub fn figures(&self) -> Figures {
        let step = |factor: f64| format::seconds(factor * self.step.time);
        let needed = |factor: f64| format::bytes(factor * self.needed);
        let mfu = |factor: f64| format::percent(factor * self.step.mfu);
        // The name has the unit.
        let tokens = |factor: f64| -> String {
            let text = format::tokens_per_s(factor * self.step.tokens_per_s_per_gpu);
            text.strip_suffix("tokens/s").unwrap_or(&text).trim_end().into()
        };
        // A longer step is slower, so the ends of the range swap.
        let slower =
            |figure: &dyn Fn(f64) -> String| self.range(|Band { low, high }| [figure(1.0 / high), figure(1.0 / low)]);
        Figures {
            mfu: mfu(1.0),
            tokens: tokens(1.0),
            step: step(1.0),
            needed: format::bytes_of(self.needed, self.usable),
            shown: format!("nvidia-smi shows {}", format::bytes(self.shown)),
            limiter: names::limiter(self.limiter).tile,
            limited: self.limited_text(),
            time: self.time(),
            cost: self.cost(),
            bands: [
                slower(&mfu),
                slower(&tokens),
                self.range(|Band { low, high }| [step(low), step(high)]),
                format::range(&needed(self.memory_band.low), &needed(self.memory_band.high)),
            ],
            run_band: self.run_band(),
        }
    }

    /// Returns the MFU with the peak to which it refers, if that is not the usual one:
    /// `50.0 % MFU`, `28.2 % MFU of the FP8 peak`.
    pub fn mfu(&self) -> String {
        let mfu = format::percent(self.step.mfu);
        self.of_peak().map_or_else(|| format!("{mfu} MFU"), |of| format!("{mfu} MFU {of}"))
    }

    /// Returns the peak to which MFU refers, if it is not the usual one: `of the FP8 peak`.
    pub fn of_peak(&self) -> Option<String> {
        self.peak.map(|format| format!("of the {format} peak"))
    }

    /// Returns the time of the run.
    pub fn time(&self) -> String {
        if self.run.finishes() { format::duration(self.run.time) } else { NEVER.into() }
    }

    /// Returns the cost of the run, or a note if no price is known.
    pub fn cost(&self) -> String {
        match (self.run.finishes(), self.is_priced) {
            (false, _) => NO_COST.into(),
            (true, false) => UNKNOWN.into(),
            (true, true) => format::dollars(self.run.cost.get()),
        }
    }

    /// Returns the cost of the run in dollars, if the run ends and the price is known.
    pub fn dollars(&self) -> Option<f64> {
        (self.run.finishes() && self.is_priced).then(|| self.run.cost.get())
    }

    /// Returns the time of the step that the limiter takes, of the whole step; or the missing
    /// memory, if memory is the limit.
    fn limited_text(&self) -> String {
        let (report, limited) = (&self.report, self.limited);
        let of_step = |does: &str| {
            let part = format::seconds(limited.unwrap_or_default());
            format!("{part} of {}{does}", format::seconds(self.step.time))
        };
        match self.limiter {
            Limiter::Memory if report.memory.fits() => "generation does not fit".to_owned(),
            Limiter::Memory => format::shortage(report.memory.headroom(), report.odds()),
            Limiter::InterNode | Limiter::IntraNode => of_step(" lost to it"),
            // The bar below says what the network costs.
            Limiter::Compute => of_step(" compute"),
            Limiter::Launch => of_step(" wait for launches") + self.remedy(),
            Limiter::Bubble => of_step(" idle"),
            Limiter::Data => of_step(" wait for data"),
            Limiter::Rollout => of_step(""),
        }
    }

    /// Returns the change that helps a step limited by launches, as the end of a sentence; empty
    /// for other limits.
    pub const fn remedy(&self) -> &'static str {
        match (self.limiter, self.is_captured) {
            (Limiter::Launch, false) => ": compile, or raise the batch",
            (Limiter::Launch, true) => ": raise the batch",
            _ => "",
        }
    }

    /// Returns the range of a figure of time, from the range of measured step times.
    fn range(&self, ends: impl Fn(Band) -> [String; 2]) -> String {
        self.time_band.map_or_else(
            || NOT_MEASURED.to_owned(),
            |band| {
                let [low, high] = ends(band);
                format::range(&low, &high)
            },
        )
    }

    fn run_band(&self) -> String {
        if !self.run.finishes() {
            return FAILS.into();
        }
        let [time, cost] = [self.run.time.get(), self.run.cost.get()];
        let times = self.range(|Band { low, high }| [low, high].map(|end| format::duration(Seconds::new(end * time))));
        if !self.is_priced || self.time_band.is_none() {
            return times;
        }
        let costs = self.range(|Band { low, high }| [low, high].map(|end| format::dollars(end * cost)));
        format!("{times}, {costs}")
    }
}

/// Returns the time of the whole step that its limiter takes; `None` if memory is the limit.
fn limited(report: &Report) -> Option<Seconds> {
    let (time, updates) = (&report.update.time, report.whole().updates);
    let of_update = match report.limiter {
        Limiter::Memory => return None,
        Limiter::Rollout => return report.rollout.as_ref().map(RolloutReport::time),
        Limiter::InterNode | Limiter::IntraNode => time.network().total(),
        Limiter::Compute => time.compute - time.contention,
        Limiter::Launch => time.launch_bound,
        Limiter::Bubble => time.bubble,
        Limiter::Data => time.loading,
    };
    Some(updates * of_update)
}

/// Returns the name of the format whose peak utilisation refers to, if fewer than 16 bits.
const fn peak(format: ComputeFormat) -> Option<&'static str> {
    match format {
        ComputeFormat::AsPolicy => None,
        ComputeFormat::Fp8 | ComputeFormat::Fp8Gather => Some("FP8"),
        ComputeFormat::Fp4 => Some("FP4"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use links::decode;

    fn answer(link: &str) -> Answer {
        let scenario = decode(link).scenario;
        Answer::new(&scenario, &scenario.report())
    }

    #[test]
    fn a_step_that_generates_is_limited_by_its_rollout_or_by_its_update() {
        let grpo = "cluster=dgx-h100&model=qwen-2.5-7b&gpus=8&seq=4k&objective=grpo";
        let answer = answer(grpo);
        assert_eq!((answer.limiter, answer.time_band.is_some()), (Limiter::Rollout, false));
        let figures = answer.figures();
        let [part, whole] = [answer.limited.unwrap(), answer.step.time].map(format::seconds);
        assert_eq!(figures.limited, format!("{part} of {whole}"));
        assert!(figures.bands[..3].iter().all(|band| band == NOT_MEASURED) && figures.run_band == NOT_MEASURED);
    }

    #[test]
    fn a_step_limited_by_launches_says_what_helps() {
        let eager = "cluster=dgx-h100&model=qwen-3-32b&seq=2048&gpus=8&recompute=full&strategy=ddp&tp=8";
        assert!(answer(eager).figures().limited.ends_with(" wait for launches: compile, or raise the batch"));
        assert_eq!(answer(&format!("{eager}&compile=yes&mbs=8")).remedy(), "");
    }

    #[test]
    fn utilisation_names_a_peak_of_fewer_bits() {
        let link = "cluster=dgx-h100&model=llama-3-8b&gpus=8&compute=";
        assert_eq!(answer(&format!("{link}fp8")).of_peak().unwrap(), "of the FP8 peak");
        assert!(answer(&format!("{link}fp8")).mfu().ends_with(" MFU of the FP8 peak"));
        assert_eq!(answer("cluster=dgx-h100&model=llama-3-8b&gpus=8").of_peak(), None);
    }

    #[test]
    fn needed_cache_and_free_are_the_usable_memory_of_a_run_that_fits() {
        for entry in catalog::SCENARIOS {
            let Answer { needed, cache, free, usable, .. } = answer(entry.link);
            if needed <= usable {
                assert!(((needed + cache + free) / usable - 1.0).abs() < 1e-12, "{}", entry.id);
            }
        }
    }
}

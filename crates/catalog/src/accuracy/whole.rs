//! Decides whether a whole run fits: the odds of its GPU memory, and the memory of its hosts. Page,
//! command line, JSON, Python and JavaScript all show this result.

use engine::format;
use engine::model::odds::Verdict;
use engine::model::report::Report;
use engine::model::run::HostMemory;
use engine::scenario::Scenario;

/// Result of the check whether a run fits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fit {
    /// The odds that the run fits its GPUs, 0 to 1.
    pub odds: f64,
    /// The verdict on GPUs and hosts.
    pub verdict: Verdict,
    /// Host memory that the run needs, and the capacity of a host.
    pub host: HostMemory,
    /// Whether the predicted memory fits, on the GPUs and on the hosts.
    pub fits: bool,
}

impl Fit {
    /// Checks a scenario with its report.
    ///
    /// ```
    /// # use catalog::accuracy::Fit;
    /// # use links::decode;
    /// // 8 ranks x 4 bytes x 69.2B parameters with adapters, and 926 MiB a process, on 2 TiB.
    /// let link = "cluster=dgx-h100&model=llama-2-70b&gpus=8&recompute=full&train=lora&deferred=no";
    /// let scenario = decode(link).scenario;
    /// let fit = Fit::check(&scenario, &scenario.report());
    /// assert_eq!(fit.verdict.key(), "host_does_not_fit");
    /// assert_eq!(fit.short().unwrap().replace('\u{2009}', " "), "2,070 of 2,048 GiB of host memory");
    /// ```
    pub fn check(scenario: &Scenario, report: &Report) -> Self {
        let (odds, of_gpus, host) = (report.odds(), report.verdict(), scenario.host_memory());
        let verdict = if of_gpus.fits() && !host.fits() { Verdict::HostDoesNotFit } else { of_gpus };
        Self { odds, verdict, host, fits: verdict.fits() }
    }

    /// Returns the shortage if host memory is short: `1,480 of 1,000 GiB of host memory`.
    pub fn short(&self) -> Option<String> {
        let of_host = || format::host_memory(self.host.needed(), self.host.capacity);
        (!self.host.fits()).then(|| format!("{} of host memory", of_host()))
    }
}

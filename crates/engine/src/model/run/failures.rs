//! Failures, restarts, and the checkpoint interval.

use super::share;
use crate::units::Seconds;

/// Returns the mean time between failures of a run, `M = MTBF / N`: a failure of any GPU stops all
/// of them.
///
/// ```
/// # use engine::{model::run::failures::run_mtbf, units::Seconds};
/// // Llama 3 lost a run of 16,384 GPUs about every 3 hours (arXiv 2407.21783, section 3.3.4).
/// assert_eq!(run_mtbf(Seconds::from_hours(50_700.0), 16_384.0).hours().round(), 3.0);
/// ```
pub fn run_mtbf(mtbf: Seconds, gpus: f64) -> Seconds {
    mtbf / if gpus < 1.0 { 1.0 } else { gpus }
}

/// Returns the expected failures in a time, `t / M`.
///
/// ```
/// # use engine::{model::run::failures::{interruptions, run_mtbf}, units::Seconds};
/// // Llama 3: 419 unexpected interruptions in 54 days on 16,384 GPUs (arXiv 2407.21783, section 3.3.4).
/// let run = run_mtbf(Seconds::from_hours(50_700.0), 16_384.0);
/// assert_eq!(interruptions(Seconds::from_hours(54.0 * 24.0), run).round(), 419.0);
/// ```
pub fn interruptions(time: Seconds, run_mtbf: Seconds) -> f64 {
    share(time.get(), run_mtbf.get())
}

/// Returns the interval between checkpoints that loses least time, `sqrt(2 C M)`; infinite without
/// failures.
///
/// C is the time to write a checkpoint, M the mean time between failures of the run. The interval
/// minimises [`overhead`] exactly and is valid while C is much shorter than M. Source: Young, CACM
/// 17 (1974); Daly, FGCS 22 (2006), first order.
///
/// ```
/// # use engine::{model::run::failures::best_interval, units::Seconds};
/// // A minute to write and three hours between failures: every 19 minutes.
/// let every = best_interval(Seconds::from_minutes(1.0), Seconds::from_hours(3.0));
/// assert_eq!(every.minutes().round(), 19.0);
/// ```
pub fn best_interval(write_time: Seconds, run_mtbf: Seconds) -> Seconds {
    let (write, mtbf) = (write_time.get(), run_mtbf.get());
    if mtbf == f64::INFINITY {
        Seconds::new(f64::INFINITY)
    } else if write <= 0.0 || mtbf <= 0.0 {
        Seconds::ZERO
    } else {
        Seconds::new((2.0 * write * mtbf).sqrt())
    }
}

/// Returns the share of the time that is lost, `C/τ + (τ/2 + R)/M`: writing checkpoints, and after
/// each failure half an interval of repeated work, and the restart. Above 1 if failures outpace
/// progress.
///
/// C is the time to write, during which training is paused; τ the interval between checkpoints; M
/// the mean time between failures of the run; R the time from a failure until training resumes.
/// First order in each: failures during writing and restarting are not counted, and asynchronous
/// writing would cost less.
///
/// ```
/// # use engine::{model::run::failures::{best_interval, overhead}, units::Seconds};
/// // At the best interval checkpoints and lost work cost the same, together sqrt(2 C / M).
/// let (write, mtbf) = (Seconds::new(50.0), Seconds::new(10_000.0));
/// assert_eq!(overhead(write, best_interval(write, mtbf), mtbf, Seconds::ZERO), 0.1);
/// ```
pub fn overhead(write_time: Seconds, interval: Seconds, run_mtbf: Seconds, restart: Seconds) -> f64 {
    let lost = interval * 0.5 + restart;
    share(write_time.get(), interval.get()) + share(lost.get(), run_mtbf.get())
}

/// Returns the share of the time that advances training, `1 - overhead`, at least 0.
///
/// ```
/// # use engine::{model::run::failures::*, units::{Bytes, BytesPerSecond, Seconds}};
/// // Llama 3 405B kept more than 90 % effective training time (arXiv 2407.21783, section 3.3.4). Its 4.9 TB of fp32
/// // weights and moments at Tectonic's 2 TB/s, with restarts of ten minutes:
/// let write = Bytes::new(12.0 * 405e9) / BytesPerSecond::from_gb_per_s(2000.0);
/// let mtbf = run_mtbf(Seconds::from_hours(50_700.0), 16_384.0);
/// let goodput = goodput(write, best_interval(write, mtbf), mtbf, Seconds::from_minutes(10.0));
/// assert!(goodput > 0.9 && goodput < 0.94);
/// ```
pub fn goodput(write_time: Seconds, interval: Seconds, run_mtbf: Seconds, restart: Seconds) -> f64 {
    let kept = 1.0 - overhead(write_time, interval, run_mtbf, restart);
    if kept > 0.0 { kept } else { 0.0 }
}

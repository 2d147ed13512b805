//! How long a job runs, how many follow each other, and when they write a checkpoint.

use analysis::answer::Answer;
use engine::format;
use engine::scenario::Scenario;
use engine::units::Seconds;

/// The jobs of a run.
pub(super) struct Schedule {
    /// The longest time of one job.
    pub(super) limit: Seconds,
    /// The run's time with its range, as text.
    run: String,
    /// Jobs at the predicted time, and at the ends of its range; `None` if the run never ends.
    jobs: Option<[f64; 3]>,
    /// The run's time at the slow end of its range, with start and last checkpoint; `None` without
    /// a range.
    slowest: Option<Seconds>,
    /// Steps from one checkpoint to the next.
    pub(super) save_steps: f64,
    /// The time of these steps.
    pub(super) save_every: Seconds,
    /// The time from the signal to the end that a last step and a checkpoint take.
    pub(super) notice: Seconds,
}

/// Slurm may send a signal up to a minute before the time that was asked for (`sbatch`,
/// `--signal`).
const EARLY: Seconds = Seconds::from_minutes(1.0);
/// Seconds of a half hour, to which a short job is rounded up.
const HALF_HOUR: f64 = 1800.0;

impl Schedule {
    /// Plans the jobs of a run within a limit.
    pub(super) fn new(answer: &Answer, scenario: &Scenario, limit: Seconds) -> Result<Self, String> {
        let (run, step) = (&answer.run, answer.step.time);
        let start = scenario.run_choices().restart;
        let lost = start + run.write_time;
        let useful = limit - lost;
        if useful <= Seconds::ZERO || step > useful && run.finishes() {
            return Err(format!(
                "A job of {} makes no progress: it starts in {}, writes a checkpoint in {}, and a step takes {}. Give a longer limit.",
                format::duration(limit),
                format::duration(start),
                format::duration(run.write_time),
                format::duration(step)
            ));
        }
        // A checkpoint is written in every job, however rare failures are.
        let save_steps = (run.interval.min(useful) / step).floor().clamp(1.0, run.steps.max(1.0));
        let jobs = |time: Seconds| (time / useful).ceil().max(1.0);
        let ends = answer.time_band.map(|band| [band.low * run.time, band.high * run.time]);
        let [low, high] = ends.unwrap_or([run.time; 2]);
        let ends = run.finishes() && run.time < Seconds::new(f64::INFINITY);
        let figures = answer.figures();
        let range = match answer.time_band {
            Some(_) => format!(" ({} to {})", format::duration(low), format::duration(high)),
            None => String::new(),
        };
        Ok(Self {
            limit,
            run: figures.time + &range,
            jobs: ends.then(|| [run.time, low, high].map(jobs)),
            slowest: answer.time_band.filter(|_| ends).map(|_| high + lost),
            save_steps,
            save_every: step * save_steps,
            notice: run.write_time + step + EARLY,
        })
    }

    /// Whether the run takes more than one job.
    pub(super) fn is_chain(&self) -> bool {
        self.jobs.is_some_and(|[jobs, ..]| jobs > 1.0)
    }

    /// Returns the number of jobs in the chain.
    pub(super) fn jobs(&self) -> f64 {
        self.jobs.map_or(1.0, |[jobs, ..]| jobs)
    }

    /// Says how long the run takes; `None` if it never ends.
    pub(super) fn takes(&self) -> Option<String> {
        self.jobs.map(|_| format!("The run takes {}.", self.run))
    }

    /// Says in how many jobs the run ends; `None` if it never does.
    pub(super) fn counted(&self) -> Option<String> {
        let [jobs, low, high] = self.jobs?;
        if high <= 1.0 {
            return Some("One job is enough.".to_owned());
        }
        let [count, low, high] = [jobs, low, high].map(format::count);
        let range = if low == high { String::new() } else { format!(" ({low} to {high})") };
        let word = if jobs == 1.0 { "job" } else { "jobs" };
        Some(format!("That is {count} {word}{range} of {}.", format::duration(self.limit)))
    }

    /// Returns the time that the job asks for: the limit, or less for a run that surely ends
    /// before.
    pub(super) fn time(&self) -> Seconds {
        let rounded = |time: Seconds| Seconds::new((time.get() / HALF_HOUR).ceil() * HALF_HOUR);
        self.slowest.map_or(self.limit, |slowest| rounded(slowest).min(self.limit))
    }

    /// Says when checkpoints are written.
    pub(super) fn saved(&self) -> String {
        format!(
            "A checkpoint every {} steps is one every {}.",
            format::count(self.save_steps),
            format::duration(self.save_every)
        )
    }
}

/// Writes a time as Slurm reads it, `days-hours:minutes:seconds`.
pub(super) fn slurm_time(time: Seconds) -> String {
    let all = time.get().floor() as u64;
    let [days, hours, minutes, seconds] = [all / 86_400, all / 3_600 % 24, all / 60 % 60, all % 60];
    format!("{days}-{hours:02}:{minutes:02}:{seconds:02}")
}

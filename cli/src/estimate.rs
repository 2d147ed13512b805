//! `shardwise estimate`: does it fit, how fast, what limits it.

use analysis::answer::Answer;
use analysis::held::Held;
use analysis::nearest_yes::{NearestYes, nearest_yes};
use analysis::network;
use analysis::plan::Question;
use analysis::releases::{change, describe_release};
use api::Open;
use api::plan::PlanRequest;
use catalog::accelerators::prices;
use catalog::accuracy::Fit;
use catalog::releases::Known;
use clap::Args;
use engine::model::memory::beyond_typical;
use engine::model::odds::Verdict;
use engine::model::report::Report;
use engine::scenario::Scenario;
use engine::units::Bytes;
use engine::{format, json, names};
use explain::run;
use export::report_json::report_json;
use export::summary_json::summary_json;
use files::brought::{Account, Spread};
use serde_json::{Value, json as object};

use crate::Answer as Output;
use crate::input::{Came, Input, notes, percent};
use crate::plan;
use crate::table::{lines, pairs, plain};

/// A scenario or a sentence about one, and how it is printed.
#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    input: Input,
    /// The odds in percent that the run fits from which on the status is 0 [default: 50]
    #[arg(long, value_parser = percent)]
    sure: Option<f64>,
    /// Expected values with their ranges, as JSON for alerts of monitors
    #[arg(long, conflicts_with = "json")]
    expect: bool,
    /// The whole report as JSON, the same to the bit as the page's, JavaScript's and Python's
    #[arg(long)]
    json: bool,
    /// The small report as JSON: verdict, odds, figures with ranges, evidence, assumptions, link
    #[arg(long, conflicts_with = "json")]
    brief: bool,
}

impl Arguments {
    /// Runs the command.
    pub(crate) fn run(&self) -> Result<Output, String> {
        let spoken = self.input.spoken()?;
        if let Some((read, spoken)) = &spoken
            && let Some((question, clusters, batch)) = spoken.question()
        {
            let hold: Vec<String> = spoken.read.held.iter().map(|key| (*key).to_owned()).collect();
            let limit = match question {
                Question::Cheapest { days: limit } | Question::Fastest { dollars: limit } => Some(limit),
                _ => None,
            };
            let asked = PlanRequest {
                question: question.key(),
                limit,
                batch,
                sure: self.sure,
                clusters: &clusters,
                hold: &hold,
                most: MOST_ANSWERS,
            };
            return plan::answer(
                read,
                &notes(spoken.notes_text().trim_end(), &read.issues),
                &asked,
                self.json || self.brief,
            );
        }
        let held = spoken.as_ref().map(|(_, spoken)| Held::from_keys(spoken.read.held.iter().copied()));
        let (read, Came { said, spread, account }) = match spoken {
            Some((read, spoken)) => {
                let said = spoken.notes_text().trim_end().to_owned();
                (read, Came { said, spread: None, account: Some(spoken.account()) })
            }
            None => self.input.read_scenario(&Open::ALL)?,
        };
        let report = read.scenario.report();
        if self.expect {
            let whole = report_json(&read.scenario, &report, &read.issues);
            return Ok(Output::new(json::pretty(&expected(&whole))));
        }
        let fit = Fit::check(&read.scenario, &report);
        // A “no” to a sentence goes on with the nearest yes.
        let held = held.filter(|_| !fit.fits);
        let nearest = held.map_or_else(Vec::new, |held| nearest_yes(&read.scenario, held));
        let text = if self.brief {
            let depends =
                spread.iter().filter(|spread| spread.disagrees()).flat_map(|spread| spread.said.iter().cloned());
            let assumed: Vec<String> = account.into_iter().flat_map(|account| account.assumed).chain(depends).collect();
            json::pretty(&summary_json(&read.scenario, &report, &read.issues, &assumed))
        } else if self.json {
            let mut whole = report_json(&read.scenario, &report, &read.issues);
            if let Some((lists, account)) = whole.as_object_mut().zip(account.and_then(Account::into_json)) {
                lists.extend(account);
            }
            if let Some(lists) = whole.as_object_mut().filter(|_| !nearest.is_empty()) {
                let yes = |yes: &NearestYes| {
                    serde_json::json!({
                        "change": yes.change, "layout": yes.layout, "odds": yes.odds,
                        "link": links::encode(&yes.scenario),
                    })
                };
                lists.insert("nearest_yes".to_owned(), nearest.iter().map(yes).collect());
            }
            json::pretty(&whole)
        } else {
            let open = spread.as_ref().map_or_else(String::new, |spread| lines(spread.said.iter().cloned()));
            let rows = rows(&read.scenario, &report, &fit, spread.as_ref());
            let nearest =
                nearest.iter().map(|yes| format!("It fits with {}: {}", yes.sentence(), links::encode(&yes.scenario)));
            plain(&(notes(&said, &read.issues) + &open + &pairs(&rows) + &lines(nearest)))
        };
        let yes = fit.fits && self.sure.is_none_or(|sure| fit.odds >= sure);
        Ok(Output::of(text, yes))
    }
}

/// Maximum number of answers of a plan that are printed.
const MOST_ANSWERS: usize = 10;

/// Returns the verdict with its odds.
fn verdict(fit: &Fit) -> String {
    let odds = format!("{} of such runs fit", format::odds(fit.odds));
    match fit.verdict {
        Verdict::Fits => format!("yes: {odds}"),
        Verdict::Tight => format!("tight: {odds}"),
        Verdict::HostDoesNotFit => format!("no: it {}; {odds} their GPUs", fit.verdict.phrase()),
        Verdict::DoesNotFit => format!("no: {odds}"),
    }
}

/// Returns the figures that monitors compare with measurements, each with the range that holds
/// about four of five published measurements; `null` if there is none.
fn expected(report: &Value) -> Value {
    const FIGURES: [&str; 4] = ["step_time_s", "tokens_per_s_per_gpu", "mfu", "needed_memory_bytes"];
    let figure = |name: &str| {
        let band = report.get("band").and_then(|bands| bands.get(name)).filter(|band| band.is_object());
        let end = |end: &str| band.and_then(|band| band.get(end)).cloned().unwrap_or_default();
        let value = report.get(name).cloned().unwrap_or_default();
        (name.to_owned(), object!({ "expected": value, "low": end("low"), "high": end("high") }))
    };
    let same = ["link", "tokens_per_step", "versions"].map(|name| (name, report.get(name)));
    let same = same.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.clone())));
    same.chain(FIGURES.map(figure)).collect()
}

/// Returns a range in brackets after its figure; nothing for an unknown one.
fn in_brackets(range: String) -> String {
    if range.is_empty() { range } else { format!(" ({range})") }
}

/// Returns the rows of the report in text form.
fn rows(scenario: &Scenario, report: &Report, fit: &Fit, spread: Option<&Spread>) -> Vec<(&'static str, String)> {
    let answer = Answer::new(scenario, report);
    let figures = answer.figures();
    let memory = &report.memory;
    let odds = match spread.filter(|spread| spread.disagrees()) {
        // Without agreement of the alternatives there is no verdict.
        Some(spread) => {
            format!(
                "tight: it depends on values that no file has; {} of the likely runs fit",
                format::odds(spread.share())
            )
        }
        None => verdict(fit),
    };
    let needed = &figures.needed;
    let [mfu_range, tokens_range, step_range, needed_range] = figures.bands.clone().map(in_brackets);
    let rest = if memory.is_within() {
        let [cache, free, shown] = [memory.cache(), memory.free(), memory.peak].map(format::bytes);
        format!("{needed}{needed_range}, + {cache} cache + {free} free; nvidia-smi shows {shown}")
    } else {
        format!("{needed}{needed_range}, {} missing", format::bytes(-memory.headroom()))
    };
    let assumed = |figure: String| if fit.fits { figure } else { figure + ", if memory were no limit" };
    let name = names::limiter(answer.limiter).name;
    let limiter = answer.limited.map_or_else(
        || name.to_owned(),
        |part| format!("{name}, {} of {}{}", format::seconds(part), figures.step, answer.remedy()),
    );
    let costs = network::write_cost(report).map(|cost| format!("costs {cost}"));
    let network = [costs, network::limits_from(scenario)].into_iter().flatten().collect::<Vec<_>>().join("; ");
    let cost = match prices::known(scenario) {
        Some(_) => assumed(format!("{} for {}", figures.cost, scenario.length())),
        None => figures.cost,
    };
    let software = scenario.release.map(|Known(release)| {
        ("Software", format!("{}. {}", release.full_name(), describe_release(release, change(scenario).as_ref())))
    });
    let host = fit.short().map(|short| ("Host memory", format!("needs {short}")));
    let more = beyond_typical(&scenario.setup());
    let longest = (more > Bytes::ZERO)
        .then(|| ("Longest batch", format!("needs {} more than a typical one", format::bytes(more))));
    let run = [("Run", run::title(scenario)), ("Layout", run::layout(scenario))];
    let memory = [("Fits", odds), ("Memory needed", rest)];
    let rows = [
        (
            "MFU",
            assumed(answer.of_peak().map_or(figures.mfu.clone(), |of| format!("{} {of}", figures.mfu)) + &mfu_range),
        ),
        ("Tokens/s/GPU", assumed(format::tokens_per_s(answer.step.tokens_per_s_per_gpu) + &tokens_range)),
        ("Step time", assumed(figures.step + &step_range)),
        ("Limited by", limiter),
        ("Network", network),
        ("Tokens per step", format::tokens(report.tokens_per_step)),
        ("Time to train", assumed(format!("{} for {}", figures.time, scenario.length()))),
        ("Cost", cost),
    ];
    run.into_iter()
        .chain(memory)
        .chain(longest)
        .chain(host)
        .chain(rows.into_iter().filter(|(_, value)| !value.is_empty()))
        .chain(software)
        .chain([("Evidence", run::on_accelerator(scenario))])
        .chain([("Scenario", links::encode(scenario))])
        .collect()
}

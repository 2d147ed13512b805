//! `shardwise lint`: checks configurations of runs.
//!
//! Paths become runs (`discover`), each is judged (`judge`) by what the command line, a
//! configuration (`configuration`) and its own comments (`instructions`) say, mended (`fix`), and
//! printed (`format`).

mod configuration;
mod discover;
mod fix;
mod format;
mod instructions;
mod judge;

use std::path::Path;

use clap::{Args, ValueEnum};
use files::run::{explain, prefixes};

use crate::Answer;
use crate::input::{Input, Options};
use configuration::Configuration;
use discover::RunFiles;
use judge::{Judged, Rules};

/// Paths to check, and what to do with findings.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Files, folders and globs [default: the present folder]; a link or a scenario in JSON for
    /// what no file says; `-` for standard input
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    #[command(flatten)]
    options: Options,
    /// Takes every file as a run of its own, and leaves out files that are none
    #[arg(long)]
    each: bool,
    /// Codes of findings or their beginnings, or ALL [default: SW1]: --select SW1,SW203
    #[arg(long, value_name = "CODES")]
    select: Vec<String>,
    /// Says too what would make runs faster that fit as they are: --select ALL
    #[arg(long)]
    suggest: bool,
    /// Leaves findings out by their codes or the beginnings of codes: --ignore SW201,SW3. What is
    /// left out is not written and does not count for the status
    #[arg(long, value_name = "CODES")]
    ignore: Vec<String>,
    /// Demands something of every run, as a finding SW103 where it does not hold: --assert
    /// 'odds >= 0.95'
    #[arg(long = "assert", value_name = "DEMAND")]
    assertions: Vec<String>,
    /// Writes the first change that leaves what is trained as it is (model, data, length, effective
    /// batch, precision)
    #[arg(long)]
    fix: bool,
    /// Writes the first change, whatever it changes of what is trained
    #[arg(long)]
    unsafe_fixes: bool,
    /// Prints what --fix would write, as a diff, and writes nothing
    #[arg(long)]
    diff: bool,
    /// How findings are printed [default: text]
    #[arg(long, alias = "format", value_enum)]
    output_format: Option<Format>,
    /// As JSON: --output-format json
    #[arg(long, conflicts_with = "output_format")]
    json: bool,
    /// The configuration to use in place of the nearest shardwise.toml or pyproject.toml
    #[arg(long, value_name = "FILE")]
    config: Option<String>,
    /// Uses no configuration
    #[arg(long, conflicts_with = "config")]
    isolated: bool,
    /// Ends with status 0 whatever was found
    #[arg(long)]
    exit_zero: bool,
    /// Says what a code means, and nothing else: --explain SW101
    #[arg(long, value_name = "CODE", exclusive = true)]
    explain: Option<String>,
}

/// Output format of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Sentences
    Text,
    /// A list of runs, each with its verdict and findings
    Json,
    /// GitHub's annotations, a line each
    Github,
    /// GitLab's code quality report
    Gitlab,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// JUnit's XML, a test for each run
    Junit,
}

impl Arguments {
    /// Runs the command. The answer is yes if there are no findings.
    pub(crate) fn run(&self) -> Result<Answer, String> {
        if let Some(code) = &self.explain {
            return Ok(Answer::new(explain(code)? + "\n"));
        }
        for codes in [&self.select, &self.ignore] {
            prefixes(codes)?;
        }
        let here = self.configuration(Path::new("."))?;
        let found = discover::runs(&self.paths, self.each, &here)?;
        Input::new(found.base.clone(), self.options.clone()).check()?;
        let mut judged = Vec::with_capacity(found.runs.len());
        let mut written = Vec::new();
        for files in &found.runs {
            let Some(mut one) = self.judge(files, &found.base)? else { continue };
            if (self.fix || self.unsafe_fixes || self.diff) && one.verdict.is_ok() {
                let mended = fix::first(&one, self.unsafe_fixes, self.diff)?;
                if mended.is_written && !self.diff {
                    // What is left to find is that of the new files.
                    one = self.judge(files, &found.base)?.unwrap_or(one);
                }
                written.push(mended);
            }
            judged.push(one);
        }
        let format = if self.json { Some(Format::Json) } else { self.output_format };
        let format = format.or(here.output_format()?).unwrap_or(Format::Text);
        // A single question is an error, as of the other commands.
        if !self.exit_zero
            && let ([Judged { verdict: Err(problem), .. }], Format::Text) = (judged.as_slice(), format)
        {
            return Err(problem.clone());
        }
        let asks = judged.iter().any(|one| one.verdict.is_err());
        let (yes, text) = if self.diff {
            (written.iter().all(|mended| !mended.is_written), fix::diffs(&written, &judged))
        } else {
            (judged.iter().all(|one| one.findings().is_empty()), format::printed(format, &judged, &written))
        };
        let is_forgiven = self.exit_zero;
        Ok(Answer { asks: asks && !is_forgiven, ..Answer::of(text, yes || is_forgiven) })
    }

    /// Judges one run by its own configuration.
    fn judge(&self, run: &RunFiles, base: &[String]) -> Result<Option<Judged>, String> {
        let folder = run.files.first().and_then(|file| Path::new(file).parent()).unwrap_or(Path::new(""));
        let configuration = self.configuration(folder)?;
        let rules = self.rules(&configuration, run).map_err(|problem| configuration.located(problem))?;
        Ok(judge::judge(run, base, &rules))
    }

    /// Returns the configuration of a folder.
    fn configuration(&self, folder: &Path) -> Result<Configuration, String> {
        match &self.config {
            Some(file) => Configuration::read(Path::new(file)),
            None if self.isolated => Ok(Configuration::default()),
            None => Configuration::nearest(folder),
        }
    }

    /// Returns what is demanded and selected for a run: the command line counts more than the
    /// configuration.
    fn rules(&self, configuration: &Configuration, run: &RunFiles) -> Result<Rules, String> {
        let typed: Vec<String> = if self.suggest { vec!["ALL".to_owned()] } else { self.select.clone() };
        let select = if typed.is_empty() { configuration.select() } else { typed };
        let ignore = [&self.ignore[..], &configuration.ignored(run.files.first().map(String::as_str))?].concat();
        let demands = configuration.assertions().iter().chain(&self.assertions);
        Ok(Rules {
            select: prefixes(&select)?,
            ignore: prefixes(&ignore)?,
            assertions: demands.map(|demand| demand.parse()).collect::<Result<_, _>>()?,
            scenario: configuration.scenario()?,
            configured: configuration.set(),
            options: self.options.clone(),
        })
    }
}

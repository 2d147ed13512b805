//! `cargo xtask <command>`: `cargo xtask --help` lists the commands.

use anyhow::{Result, anyhow};
use std::ffi::OsString;
use std::process::ExitCode;
use std::time::Duration;

use flags::{Npm, Xtask, XtaskCmd};
use xtask::checks::TestPart;
use xtask::packages::Then;
use xtask::site::{Profile, serve};
use xtask::{arguments, bench, book, checks, engine, graph, packages, prices, random, recipes, scaffold, site};

#[allow(unreachable_pub, reason = "xflags writes it so")]
mod flags {
    use std::ffi::OsString;
    use std::path::PathBuf;
    use xtask::checks::TestPart;
    use xtask::scaffold::Thing;

    xflags::xflags! {
        /// The project's commands, as in `cargo xtask serve`.
        cmd xtask {
            /// Builds the calculator, serves it on http://127.0.0.1:8080, and builds it again on
            /// every change.
            cmd serve {
                /// Serves the build that is shipped, which takes minutes.
                optional --release
                /// Serves on another port.
                optional --port port: u16
            }
            /// Builds the site into dist/, ready for any static file server.
            cmd build {}
            /// Begins a change of CONTRIBUTING.md: `new accelerator ID`, `new key PROGRAM KEY`,
            /// `new program FOLDER` or `new parameter FIELD` writes the rows and says what is left.
            cmd new {
                required thing: Thing
                repeated names: String
            }
            /// Prints the report of a link, a fragment or a scenario, as JSON.
            cmd estimate { repeated arguments: OsString }
            /// Prints the catalog as JSON, each entry with its source.
            cmd catalog { repeated arguments: OsString }
            /// Counts the parameters of models by their config.json files: a line of JSON a file.
            cmd params { repeated arguments: OsString }
            /// Finds the fastest layouts of a link's scenario on its GPUs.
            cmd rank { repeated arguments: OsString }
            /// Scores the engine against measurements and traced steps in CSV files: the errors of
            /// each source, or with --json or --rows a line a row; --help says more.
            cmd score { repeated arguments: OsString }
            /// Fits the constants to measurements in CSV files, each source held out in turn;
            /// --help says more.
            cmd calibrate { repeated arguments: OsString }
            /// Writes the tables of docs/book/accuracy from the rows under tests/measured.
            cmd accuracy {}
            /// Writes what depends on what into ARCHITECTURE.md; a circle is an error.
            cmd graph {}
            /// Writes the prices of data/prices.toml anew that SkyPilot's catalog has.
            cmd prices {
                /// Takes them from this clone of skypilot-org/skypilot-catalog, else from a new
                /// one.
                optional --from folder: PathBuf
                /// Takes them from this commit, else from the newest.
                optional --commit commit: String
            }
            /// Compares the arguments of training programs on PyPI, or of these folders of
            /// crates/programs/tables, with those recorded: what is new, gone or changed.
            cmd packages {
                repeated folders: String
                /// Records them.
                optional --record
                /// Lists the arguments that no reader knows, too.
                optional --unread
            }
            /// Runs every check and test, with a count at the end, and writes how long each step
            /// took to target/test-seconds.csv.
            cmd test {
                /// Runs the parts of these names alone: lint, docs, native, packages, browser; or
                /// nightly, which the full run leaves out.
                repeated parts: TestPart
                /// Runs what finds most, in a minute, once built.
                optional --fast
                /// Runs the tests of the libraries with UPDATE_EXPECT=1: they write anew what they
                /// record.
                optional --record
                /// Checks the frameworks' settings with their own parsers, and the parameters of
                /// every family of models with transformers.
                optional --exports
            }
            /// Runs the fuzz targets, or one, each for a minute.
            cmd fuzz {
                optional target: String
                /// Runs each for this long.
                optional --seconds seconds: u64
                /// Writes fuzz/corpora anew, with the fewest inputs that reach as much code.
                optional --save
            }
            /// Runs the laws of the engine and of what reads files under other seeds each day: 20,
            /// or this many.
            cmd laws {
                optional number: u64
                /// Takes the seeds from this one on, so that one which failed can be run again.
                optional --from seed: u64
            }
            /// Measures size, speed and latency of the built site, and prints a table.
            cmd bench {
                /// Prints the table of docs/book/speed.md.
                optional --markdown
                /// Measures the pages alone of sites that are built already, side by side.
                repeated --site folder: PathBuf
            }
            /// Visits the built site in each browser, 100 times or this often: no figure may be
            /// missing, old or late.
            cmd visits { optional number: u32 }
            /// Builds the engine and the command as npm packages, in target/npm/.
            cmd npm {
                /// Builds the command of this platform alone, such as linux-x64.
                optional --command platform: String
                /// Runs its tests too.
                optional --test
            }
            /// Builds the engine as a Python package, a wheel in target/python/.
            cmd python {
                /// Builds it for another target of the compiler, such as
                /// aarch64-unknown-linux-musl.
                optional --target triple: String
                /// Runs its tests too.
                optional --test
            }
            /// Packs the sources of the command for crates.io, in target/crates/.
            cmd crates {
                /// Compiles the packages outside the repository too.
                optional --check
                /// Publishes those that crates.io lacks, with the token of `cargo login` or of
                /// CARGO_REGISTRY_TOKEN.
                optional --publish
            }
            /// Checks that a tag is that of the version, and prints its part of the changelog.
            cmd release { optional tag: String }
            /// Builds the documentation alone, into target/book/docs.
            cmd book {}
            /// Adds the module that reads files to the site that Trunk assembles, which calls this.
            cmd files {}
            /// Adds the data files to the site that Trunk assembles, which calls this.
            cmd rows {}
            /// Builds the sites of docs/recipes, beside the built calculator, into target/recipes.
            cmd recipes {}
        }
    }
}

fn main() -> ExitCode {
    dispatch(std::env::args_os().skip(1).collect()).unwrap_or_else(|failure| {
        eprintln!("{failure:#}");
        ExitCode::FAILURE
    })
}

/// Parses the words of a command.
fn parse_words(mut words: Vec<OsString>) -> xflags::Result<Xtask> {
    match words.first() {
        None => words.push("--help".into()),
        Some(first) if first == "help" => words = vec!["--help".into()],
        // These commands parse their own arguments.
        Some(first) if engine::has(first) => words.insert(1, "--".into()),
        Some(_) => {}
    }
    Xtask::from_vec(words)
}

fn dispatch(words: Vec<OsString>) -> Result<ExitCode> {
    let command = match parse_words(words) {
        Ok(xtask) => xtask.subcommand,
        Err(help) if help.is_help() => {
            println!("{help}");
            return Ok(ExitCode::SUCCESS);
        }
        Err(failure) => return Err(anyhow!("Not understood: {failure}. `cargo xtask --help` lists the commands.")),
    };
    match command {
        XtaskCmd::Serve(flags) => {
            let profile = if flags.release { Profile::Shipped } else { Profile::Quick };
            serve::serve(profile, flags.port.unwrap_or(serve::PORT))?;
        }
        XtaskCmd::Build(_) => site::build(Profile::Shipped)?,
        XtaskCmd::New(flags) => scaffold::run(flags.thing, &flags.names)?,
        XtaskCmd::Estimate(flags) => return engine::run("estimate", &flags.arguments),
        XtaskCmd::Catalog(flags) => return engine::run("catalog", &flags.arguments),
        XtaskCmd::Params(flags) => return engine::run("params", &flags.arguments),
        XtaskCmd::Rank(flags) => return engine::run("rank", &flags.arguments),
        XtaskCmd::Score(flags) => return engine::run("score", &flags.arguments),
        XtaskCmd::Calibrate(flags) => return engine::run("calibrate", &flags.arguments),
        XtaskCmd::Accuracy(_) => engine::accuracy()?,
        XtaskCmd::Graph(_) => graph::run()?,
        XtaskCmd::Prices(flags) => prices::run(flags.from.as_deref(), flags.commit.as_deref().unwrap_or("HEAD"))?,
        XtaskCmd::Packages(flags) => {
            arguments::run(&flags.folders, arguments::Options { record: flags.record, unread: flags.unread })?;
        }
        XtaskCmd::Test(flags) => {
            return match (flags.fast, flags.record, flags.exports) {
                (false, false, false) => checks::run(&flags.parts),
                (true, false, false) => checks::run(&[TestPart::Fast]),
                (false, true, false) => checks::run(&[TestPart::Record]),
                (false, false, true) => engine::exports(),
                _ => Err(anyhow!("`test` takes one of --fast, --record and --exports.")),
            };
        }
        XtaskCmd::Fuzz(flags) => {
            random::fuzz(flags.target.as_deref(), Duration::from_secs(flags.seconds.unwrap_or(60)), flags.save)?;
        }
        XtaskCmd::Laws(flags) => {
            random::laws(flags.number.unwrap_or(20), flags.from.unwrap_or_else(random::first_seed), &random::ALL)?;
        }
        XtaskCmd::Bench(flags) => {
            let format = if flags.markdown { bench::Format::Markdown } else { bench::Format::Text };
            bench::run(format, &flags.site)?;
        }
        XtaskCmd::Visits(flags) => bench::visits(flags.number.unwrap_or(100))?,
        XtaskCmd::Npm(Npm { command: Some(platform), .. }) => packages::npm_command(&platform).map(drop)?,
        XtaskCmd::Npm(flags) if flags.test => packages::npm_check(Profile::Shipped)?,
        XtaskCmd::Npm(_) => packages::npm_packages(Profile::Shipped).map(drop)?,
        XtaskCmd::Python(flags) if flags.test => packages::wheel_check(Profile::Shipped)?,
        XtaskCmd::Python(flags) => packages::wheel(Profile::Shipped, flags.target.as_deref()).map(drop)?,
        XtaskCmd::Crates(flags) => {
            packages::crates(match (flags.check, flags.publish) {
                (false, false) => Then::Nothing,
                (true, false) => Then::Check,
                (false, true) => Then::Publish,
                (true, true) => return Err(anyhow!("`crates` takes one of --check and --publish.")),
            })?;
        }
        XtaskCmd::Release(flags) => packages::notes(flags.tag.as_deref())?,
        XtaskCmd::Book(_) => book::run_command()?,
        XtaskCmd::Files(_) => site::modules::files()?,
        XtaskCmd::Rows(_) => site::rows()?,
        XtaskCmd::Recipes(_) => recipes::build(&recipes::NAMES)?,
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(line: &str) -> String {
        dispatch(line.split(' ').map(OsString::from).collect()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_command_is_said() {
        for (line, word) in
            [("tset", "tset"), ("build --fast", "--fast"), ("test lnt", "lint, docs"), ("laws x", "number")]
        {
            assert!(said(line).contains(word), "{line}: {}", said(line));
        }
        assert!(said("test --fast --exports").contains("one of"));
    }

    #[test]
    fn an_own_argument_of_a_program_is_not_read() {
        let xtask = parse_words(["score", "--json", "--help"].map(OsString::from).to_vec());
        let Ok(Xtask { subcommand: XtaskCmd::Score(flags) }) = xtask else { panic!("score is a command") };
        assert_eq!(flags.arguments, ["--json", "--help"]);
    }
}

//! `cargo xtask <command>`: see [`USAGE`].

use anyhow::{Result, anyhow};
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use xtask::{accuracy, bench, book, checks, engine, exports, files, fuzz, laws, npm, python, recipes, site, visits};

const USAGE: &str = "\
Usage: cargo xtask <command>

  serve [--dev] [--port N]   build the site, serve it on http://127.0.0.1:8080, build again on every change
  build                      build the site into dist/, ready for any static file server

  estimate LINK              the report of a link, a fragment or a scenario in JSON
  catalog                    the catalog as JSON, each entry with its source
  params FILE...             the parameters of models, by their config.json: a line of JSON a file
  rank LINK                  the fastest layouts of a link's scenario on its GPUs
  score FILE.csv... [--json | --rows] [--without-words]
                             the engine against measurements and traced steps: the errors of each source, or a line a row
  calibrate FILE.csv...      the constants fitted to measurements, each source held out in turn

  test [--fast] [PART]...    every check and test, with a count at the end, or those of the parts lint, docs, native, browser;
                             --fast: in a minute, once built
  test --exports             the frameworks' settings against their own parsers, and the parameters of every family of models against
                             transformers
  fuzz [TARGET] [--seconds N]
                             the fuzz targets, or one, each for a minute
  laws [N] [--from SEED]     the laws of the engine and of what reads files under N seeds, each day others; the seeds with which one fails
  bench [--markdown] [--site DIR]...
                             size, speed and latency of the built site, as a table; --site: of the pages alone of sites that
                             are built already, side by side
  visits [N]                 a hundred visits of the built site in each browser: no figure may be missing, old or late
  npm [--test]               the engine as an npm package, in target/npm/; its tests
  python [--test]            the engine as a Python package, a wheel in target/python/; its tests
  accuracy                   the tables of docs/accuracy.md from the rows under tests/measured
  book                       the documentation alone, into target/book/docs
  recipes                    the sites of docs/recipes, beside the built calculator, into target/recipes

--dev skips the optimiser: a build takes seconds, and the page is slower.";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match dispatch(&arguments) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(arguments: &[OsString]) -> Result<ExitCode> {
    // These parse their own arguments.
    if let Some((first, rest)) = arguments.split_first()
        && let Some(name) = engine::named(first)
    {
        return engine::run(name, rest);
    }
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", options @ ..] => {
            let (profile, port) = serve_options(options)?;
            site::serve(profile, port)?;
        }
        ["build"] => site::build()?,
        ["python"] => python::build().map(drop)?,
        ["python", "--test"] => python::check()?,
        ["npm"] => npm::build().map(drop)?,
        ["npm", "--test"] => npm::check()?,
        ["test", "--exports"] => return exports::run(),
        ["test", "--fast"] => return Ok(checks::run_fast()),
        ["test", parts @ ..] => {
            let parts: Option<Vec<checks::Part>> = parts.iter().map(|name| checks::Part::named(name)).collect();
            let parts = parts.ok_or_else(|| anyhow!("The parts of `test` are lint, docs, native and browser."))?;
            return Ok(checks::run(&parts));
        }
        ["fuzz", options @ ..] => {
            let (target, time) = fuzz_options(options)?;
            fuzz::run(target, time)?;
        }
        ["laws", options @ ..] => {
            let (number, first) = laws_options(options)?;
            laws::run(number, first)?;
        }
        ["accuracy"] => accuracy::run()?,
        ["book"] => book::run_command()?,
        ["files"] => files::run_command()?,
        ["recipes"] => recipes::build()?,
        ["bench", options @ ..] => {
            let (format, sites) = bench_options(options)?;
            bench::run(format, &sites)?;
        }
        ["visits"] => visits::run(visits::USUAL)?,
        ["visits", number] => {
            let number = number.parse().map_err(|_| anyhow!("As in `cargo xtask visits 20`."))?;
            visits::run(number)?;
        }
        [] | ["help" | "--help" | "-h"] => println!("{USAGE}"),
        other => return Err(anyhow!("`{}` is not a command.\n\n{USAGE}", other.join(" "))),
    }
    Ok(ExitCode::SUCCESS)
}

fn serve_options(arguments: &[&str]) -> Result<(site::Profile, u16)> {
    let mut profile = site::Profile::Release;
    let mut port = site::PORT;
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        match argument {
            "--dev" => profile = site::Profile::Dev,
            "--port" => {
                port = rest
                    .next()
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(|| anyhow!("`--port` wants a number from 1 to 65535, as in `--port 8081`."))?;
            }
            other => return Err(anyhow!("`serve` has no option `{other}`.\n\n{USAGE}")),
        }
    }
    Ok((profile, port))
}

fn bench_options(arguments: &[&str]) -> Result<(bench::Format, Vec<PathBuf>)> {
    let mut format = bench::Format::Text;
    let mut sites = Vec::new();
    let mut rest = arguments.iter();
    while let Some(&argument) = rest.next() {
        match argument {
            "--markdown" => format = bench::Format::Markdown,
            "--site" => {
                let site = rest.next().ok_or_else(|| anyhow!("`--site` wants a folder, as in `--site dist`."))?;
                sites.push(PathBuf::from(site));
            }
            other => return Err(anyhow!("`bench` has no option `{other}`.\n\n{USAGE}")),
        }
    }
    Ok((format, sites))
}

fn laws_options(arguments: &[&str]) -> Result<(u64, u64)> {
    let (number, rest) = match arguments {
        [number, rest @ ..] if !number.starts_with('-') => (number.parse().ok(), rest),
        rest => (Some(laws::USUAL), rest),
    };
    let first = match rest {
        [] => Some(laws::first()),
        ["--from", seed] => seed.parse().ok(),
        _ => None,
    };
    number.zip(first).ok_or_else(|| anyhow!("As in `cargo xtask laws 20` or `cargo xtask laws 1 --from 2003`."))
}

fn fuzz_options<'a>(arguments: &[&'a str]) -> Result<(Option<&'a str>, Duration)> {
    let (target, rest) = match arguments {
        [target, rest @ ..] if !target.starts_with('-') => (Some(*target), rest),
        rest => (None, rest),
    };
    let seconds = match rest {
        [] => return Ok((target, fuzz::USUAL)),
        ["--seconds", number] => number.parse().ok(),
        _ => None,
    };
    let seconds = seconds.ok_or_else(|| anyhow!("As in `cargo xtask fuzz link --seconds 60`."))?;
    Ok((target, Duration::from_secs(seconds)))
}

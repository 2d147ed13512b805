//! `cargo xtask <command>`: see [`USAGE`].

use std::path::PathBuf;
use std::process::ExitCode;

use xtask::failure::{Failure, Result};
use xtask::{accuracy, bench, book, checks, exports, npm, recipes, site};

const USAGE: &str = "\
Usage: cargo xtask <command>

  serve [--dev] [--port N]   build the site, serve it on http://127.0.0.1:8080, build again on every change
  build                      build the site into dist/, ready for any static file server
  npm [--test]               the engine as an npm package, in target/npm/; its tests
  test [--exports]           every check and test, with a count at the end; or the frameworks' settings against their own parsers
  accuracy                   the tables of docs/accuracy.md from the rows under tests/measured
  book                       the documentation alone, into target/book/docs
  recipes                    the sites of docs/recipes, beside the built calculator, into target/recipes
  bench [--markdown]         size, speed and latency of the built site, as a table
        [--site DIR]...      or of the pages alone of sites that are built already, side by side

--dev skips the optimiser: a build takes seconds, and the page is slower.";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match dispatch(&words) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(words: &[&str]) -> Result<ExitCode> {
    match words {
        ["serve", options @ ..] => {
            let (profile, port) = serve_options(options)?;
            site::serve(profile, port)?;
        }
        ["build"] => site::build()?,
        ["npm"] => npm::build().map(drop)?,
        ["npm", "--test"] => npm::check()?,
        ["test"] => return checks::run(),
        ["test", "--exports"] => return exports::run(),
        ["accuracy"] => accuracy::run()?,
        ["book"] => book::run_command()?,
        ["recipes"] => recipes::build()?,
        ["bench", options @ ..] => {
            let (format, sites) = bench_options(options)?;
            bench::run(format, &sites)?;
        }
        [] | ["help" | "--help" | "-h"] => println!("{USAGE}"),
        other => return Err(Failure::new(format!("`{}` is not a command.\n\n{USAGE}", other.join(" ")))),
    }
    Ok(ExitCode::SUCCESS)
}

fn serve_options(words: &[&str]) -> Result<(site::Profile, u16)> {
    let mut profile = site::Profile::Release;
    let mut port = site::PORT;
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        match word {
            "--dev" => profile = site::Profile::Dev,
            "--port" => {
                port = rest
                    .next()
                    .and_then(|text| text.parse().ok())
                    .ok_or_else(|| Failure::new("`--port` wants a number from 1 to 65535, as in `--port 8081`."))?;
            }
            other => return Err(Failure::new(format!("`serve` has no option `{other}`.\n\n{USAGE}"))),
        }
    }
    Ok((profile, port))
}

fn bench_options(words: &[&str]) -> Result<(bench::Format, Vec<PathBuf>)> {
    let mut format = bench::Format::Text;
    let mut sites = Vec::new();
    let mut rest = words.iter();
    while let Some(&word) = rest.next() {
        match word {
            "--markdown" => format = bench::Format::Markdown,
            "--site" => {
                let site = rest.next().ok_or_else(|| Failure::new("`--site` wants a folder, as in `--site dist`."))?;
                sites.push(PathBuf::from(site));
            }
            other => return Err(Failure::new(format!("`bench` has no option `{other}`.\n\n{USAGE}"))),
        }
    }
    Ok((format, sites))
}

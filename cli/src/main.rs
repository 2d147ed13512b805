//! The program `shardwise`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(shardwise_cli::run(std::env::args_os().collect()))
}

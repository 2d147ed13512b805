//! Prints the table of parameters as JSON: `cargo xtask book` labels facts about programs with it.

use catalog::default_scenario;
use export::params_json::params_json;

fn main() {
    match serde_json::to_string(&params_json(&default_scenario())) {
        Ok(text) => println!("{text}"),
        Err(failure) => {
            eprintln!("The parameters could not be written: {failure}.");
            std::process::exit(1);
        }
    }
}

//! `shardwise schema`: JSON schemas of what goes in and comes out.

use clap::{Args, ValueEnum};
use engine::json::pretty;

use crate::Answer;

/// The schema.
#[derive(Args)]
pub(crate) struct Arguments {
    /// Of what
    name: Name,
}

/// Documents with a schema.
#[derive(Clone, Copy, ValueEnum)]
enum Name {
    /// The keys of a scenario
    Scenario,
    /// The whole report: `estimate --json`
    Report,
    /// The small report: `estimate --brief`
    Summary,
}

impl Arguments {
    /// Prints the schema.
    pub(crate) fn run(&self) -> Answer {
        Answer::new(pretty(&match self.name {
            Name::Scenario => export::schema::scenario(),
            Name::Report => export::schema::report(),
            Name::Summary => export::schema::summary(),
        }))
    }
}

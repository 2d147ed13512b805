//! What a person's run optimises, by the words of its program.

use crate::row::Row;
use crate::text::has;
use engine::model::objective::{Objective, Task};

/// Words of the framework's column and the remarks, the longest first; NeMo RL's rows say it in the remarks.
const TASKS: [(&str, Task); 6] = [
    ("grpo", Task::Grpo),
    ("ppo", Task::Ppo),
    ("dpo", Task::Dpo),
    ("orpo", Task::Orpo),
    ("kto", Task::Kto),
    ("reward model", Task::Reward),
];

/// Returns the objective of a row: the next token where a person's run names no other.
pub fn of(row: &Row) -> Objective {
    let text = if row.is_case() { format!("{} {}", row.framework, row.sharding) } else { String::new() };
    let task = TASKS.iter().find(|(word, _)| has(&text, &[word])).map_or(Task::NextToken, |(_, task)| *task);
    // Half of a text is its prompt.
    let prompt = row.seq_len.unwrap_or(0) / 2;
    match task {
        Task::NextToken => Objective::NEXT_TOKEN,
        task => Objective { task, prompt, ..Objective::NEXT_TOKEN },
    }
}

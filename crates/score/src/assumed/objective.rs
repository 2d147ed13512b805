//! What a person's run optimises, by the words of its program.

use crate::row::Row;
use crate::text::has;
use engine::model::objective::{Objective, RolloutEngine, Task};

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
    let mut text = if row.is_case() { format!("{} {}", row.framework, row.sharding) } else { String::new() };
    // DeepSpeed-Chat has a reference in its third step alone, reinforcement learning.
    if has(&text, &["deepspeed-chat"]) && has(&row.offload, &["reference"]) {
        text.push_str(" ppo");
    }
    let task = TASKS.iter().find(|(word, _)| has(&text, &[word])).map_or(Task::NextToken, |(_, task)| *task);
    // Half of a text is its prompt.
    let prompt = row.seq_len.unwrap_or(0) / 2;
    match task {
        Task::NextToken => Objective::NEXT_TOKEN,
        // Whether an engine of its own generates is hardly ever said: it counts as if on other GPUs, and training alone is judged.
        task => {
            let engine = RolloutEngine { gpus: row.num_gpus.unwrap_or(1), ..Objective::NEXT_TOKEN.engine };
            Objective { task, prompt, engine, ..Objective::NEXT_TOKEN }
        }
    }
}

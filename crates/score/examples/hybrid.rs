//! Prints the rows of models with state mixers: `cargo run --release -p score --example
//! hybrid -- FILE.csv`.

use engine::model::report::MemoryPart;
use score::cells::Cells;
use score::hybrid;

fn main() {
    for path in std::env::args().skip(1) {
        let Ok(mut reader) = csv::Reader::from_path(&path) else { continue };
        let Ok(header) = reader.headers().cloned() else { continue };
        for record in reader.records().flatten() {
            let cells: Cells = header.iter().zip(&record).collect();
            let Ok(row) = hybrid::read_hybrid_step(&cells) else { continue };
            let memory = row.predicted();
            let part = |part| format!("{:.2}", memory.parts.get(part).get() / 1e9);
            let of = |name: &str| cells.number(name).unwrap_or(0.0) / 1e9;
            println!(
                "{} {:18} {:>4} {:6.1} % {:7.2} GB, traced {:7.2} ({:?}, traced {}), unnamed {:.4}",
                row.id,
                row.model,
                cells.get("activation_checkpointing"),
                1e2 * row.error(),
                memory.allocated.get() / 1e9,
                row.allocated / 1e9,
                memory.moment,
                cells.get("moment"),
                row.unnamed(),
            );
            println!(
                "      weights {} gradients {} optimizer {} gathered {} unreduced {} activations {} working {} logits {}",
                part(MemoryPart::Weights),
                part(MemoryPart::Gradients),
                part(MemoryPart::Optimizer),
                part(MemoryPart::GatheredWeights),
                part(MemoryPart::UnreducedGradients),
                part(MemoryPart::Activations),
                part(MemoryPart::WorkingSet),
                part(MemoryPart::Logits),
            );
            println!(
                "      weights {:.2} gradients {:.2} optimizer {:.2} gathered {:.2} unreduced {:.2} activations {:.2} working {:.2} logits {:.2}",
                of("peak_param"),
                of("peak_grad"),
                of("peak_optimizer"),
                of("peak_unsharded_param"),
                of("peak_unsharded_grad") + of("peak_comm"),
                of("peak_activation"),
                of("peak_temp"),
                of("peak_logits"),
            );
        }
    }
}

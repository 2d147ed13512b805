//! Prints predicted and traced memory of training steps of models with image input, part by part,
//! in GiB.
//!
//!     cargo run --release -p score --example towers -- tests/measured/tower_memory.csv

use engine::model::report::MemoryPart;
use engine::names;
use score::cells::Cells;
use score::towers;

fn main() -> Result<(), Box<dyn core::error::Error>> {
    for path in std::env::args().skip(1) {
        let mut reader = csv::Reader::from_path(&path)?;
        let header = reader.headers()?.clone();
        for record in reader.records() {
            let record = record?;
            let cells: Cells = header.iter().zip(&record).collect();
            let row = towers::read_tower_step(&cells).map_err(|left_out| format!("{left_out:?}"))?;
            let memory = row.predicted();
            let gib = |bytes: f64| bytes / 1_073_741_824.0;
            println!(
                "{} {} {:?}: {:.2} of {:.2} GiB, {:+.1} %; traced at {}",
                row.id,
                row.model,
                memory.moment,
                gib(memory.allocated.get()),
                gib(row.allocated),
                100.0 * row.error(),
                cells.get("moment")
            );
            let parts =
                MemoryPart::ALL.map(|part| format!("{} {:.2}", names::part(part).key, memory.parts.get(part).gib()));
            println!("    {}", parts.join(", "));
            let traced = [
                "param",
                "grad",
                "optimizer",
                "activation",
                "logits",
                "unsharded_param",
                "unsharded_grad",
                "comm",
                "temp",
                "input",
            ];
            let traced = traced.map(|name| {
                let bytes = cells.number(&format!("peak_{name}")).unwrap_or(0.0);
                format!("{name} {:.2}", gib(bytes))
            });
            println!("    {}", traced.join(", "));
        }
    }
    Ok(())
}

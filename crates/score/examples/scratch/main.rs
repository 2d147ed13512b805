use score::row::Row;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let mut reader = csv::Reader::from_path(&args[1]).unwrap();
    let header = reader.headers().unwrap().clone();
    let names: Vec<&str> = header.iter().collect();
    for record in reader.records() {
        let record = record.unwrap();
        let row = Row::read(|name: &str| record.get(names.iter().position(|known| *known == name)?));
        if args[2] == "all" {
            if let Ok(p) = score::predict::predict(&row) {
                let m = p.memory_stage.memory(&p.scenario.setup());
                let g = |i: usize| m.parts.iter().nth(i).map(|(_, b)| b.gib()).unwrap();
                println!(
                    "{}\t{}\t{}\t{:?}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{:.2}\t{:?}",
                    row.row_id,
                    row.source,
                    row.model,
                    p.measured_gib.unwrap_or(0.0),
                    p.allocated_gib,
                    p.reserved_gib,
                    g(0),
                    g(1) + g(2),
                    g(5),
                    g(6),
                    g(7),
                    p.memory_kind
                );
            }
            continue;
        }
        if !args[2..].contains(&row.row_id) {
            continue;
        }
        match score::predict::predict(&row) {
            Err(e) => println!("{} {e}", row.row_id),
            Ok(p) => {
                println!(
                    "== {} measured {:?} predicted {:.2} alloc {:.2} res {:.2} kind {:?}",
                    row.row_id, p.measured_gib, p.peak_mem_gib, p.allocated_gib, p.reserved_gib, p.memory_kind
                );
                let s = &p.scenario;
                println!(
                    "{:?} {:?} tp{} cp{} pp{} shard{} {:?} {:?} {:?} {:?} {:?} {:?} {:?} {:?}",
                    s.framework,
                    s.strategy,
                    s.tp,
                    s.cp,
                    s.pp,
                    s.shard_size,
                    s.recipe,
                    s.trained,
                    s.kernels,
                    s.recompute,
                    s.optimizer,
                    s.optimizer_kernel,
                    s.offload,
                    s.network.id
                );
                let m = p.memory_stage.memory(&s.setup());
                println!("{:?}", m.moment);
                for (part, bytes) in m.parts.iter() {
                    println!("   {part:?} {:.3}", bytes.gib());
                }
                println!(
                    "   time {:.4} measured {:?} mfu {:.3} {:?}",
                    p.step_time_s, p.measured_step, p.report.mfu, p.report.time
                );
                for n in p.notes.iter() {
                    println!("   - {n}");
                }
            }
        }
    }
}

use engine::model::memory::trace::{Event, Trace};
fn main() {
    let path = std::env::args().nth(1).unwrap();
    let filter = std::env::args().nth(2).unwrap_or_default();
    let dump = std::env::args().nth(3).is_some();
    let mut reader = csv::Reader::from_path(path).unwrap();
    let header: Vec<String> = reader.headers().unwrap().iter().map(str::to_owned).collect();
    let (mut a, mut r, mut m, mut n) = (vec![], vec![], 0, 0);
    for record in reader.records() {
        let record = record.unwrap();
        let column = |name: &str| header.iter().position(|h| h == name).and_then(|i| record.get(i));
        let Ok(row) = score::traced::read(column) else { continue };
        if dump {
            if row.id != filter {
                continue;
            }
            let setup = row.scenario.setup();
            let trace = Trace::of(&setup, &engine::model::stages::stages(&setup).first);
            let mut sizes = std::collections::HashMap::new();
            for (part, events) in [
                ("rest", &trace.rest),
                ("pass", &trace.pass),
                ("first", &trace.first_update),
                ("update", &trace.update),
            ] {
                println!("# {part}");
                for event in events {
                    match event {
                        Event::Allocate { tensor, bytes, operator, stream, .. } => { sizes.insert(*tensor, (*bytes, *operator)); if *bytes > 0 { println!("+ {bytes} {operator} {stream:?} {tensor}") } }
                        Event::Free { tensor } => { let (b, o) = sizes[tensor]; if b > 0 { println!("- {b} {o} {tensor}") } }
                    }
                }
            }
            println!("# gradients"); for g in &trace.gradients { println!("{g}"); }
            return;
        }
        let p = row.predicted();
        let ea = p.allocated / row.measured.allocated - 1.0;
        let er = p.reserved[0] / row.measured.reserved[0] - 1.0;
        let ee = p.reserved[1] / row.measured.reserved[1] - 1.0;
        let closed = row.scenario.report().memory.allocated.get() / row.measured.allocated - 1.0;
        println!("C {closed:+.4} {}", row.id);
        let same = p.moment == row.measured.moment && p.operator == row.measured.operator;
        a.push(ea.abs());
        r.push(er.abs());
        n += 1;
        m += u32::from(same);
        if filter.is_empty() || row.id == filter {
            println!(
                "{:+.4} {:+.4} {:+.4} {} {} {} {} L{} acc{} {} | {} {} | {} {}",
                ea,
                er,
                ee,
                row.id,
                column("source_code").unwrap(),
                column("model").unwrap(),
                column("activation_checkpointing").unwrap(),
                column("layers").unwrap(),
                column("grad_accum").unwrap(),
                column("gpus").unwrap(),
                row.measured.moment,
                row.measured.operator,
                p.moment,
                p.operator
            );
        }
        if row.id == filter {
            for ((k, v), (_, w)) in p.by.iter().zip(&row.measured.by) {
                println!("   {k} {:.1} MB vs {:.1}", v / 1e6, w / 1e6);
            }
        }
    }
    for v in [&mut a, &mut r] {
        v.sort_by(f64::total_cmp);
        println!("median {:.4} worst {:.4}", v[v.len() / 2], v[v.len() - 1]);
    }
    println!("moments {m} of {n}");
}

//! Interconnects, and the clusters that they join.

use serde_json::Value;

use super::accelerators::{PRICE, fraction, share_price};
use super::rows::{File, Row, merge, place};
use super::shape::{Blank, Field, Kind, Shape, array, list, needed};

const INTERCONNECT: Shape = Shape {
    name: "InterconnectEntry",
    base: "",
    fields: &[
        needed("id", Kind::Text),
        needed("name", Kind::Text),
        needed("source", Kind::Text),
        needed("intra_node", Kind::Flag),
        needed("bandwidth", Kind::Name),
        Field("latency", "hop_us", Kind::Unit("Seconds::from_us"), Blank::Error),
        needed("efficiency", Kind::Number),
        Field("all_reduce_passes", "all_reduce_passes", Kind::Number, Blank::Is("RING")),
        Field("node_decay", "node_decay", Kind::Number, Blank::Is("0.0")),
        Field("torus", "torus", Kind::Whole, Blank::Is("0")),
    ],
};

const CLUSTER: Shape = Shape {
    name: "ClusterEntry",
    base: "",
    fields: &[
        needed("id", Kind::Text),
        needed("name", Kind::Text),
        needed("source", Kind::Text),
        needed("kind", Kind::By(kind)),
        needed("accelerator", Kind::Text),
        needed("gpus_per_node", Kind::Whole),
        needed("intra_node", Kind::Text),
        needed("inter_node", Kind::Text),
        Field("host", "host", Kind::Struct(&HOST), Blank::Is("Host::USUAL")),
        Field("price", "price", Kind::Some(&PRICE), Blank::Is("None")),
    ],
};

const HOST: Shape = Shape {
    name: "Host",
    base: "Host::USUAL",
    fields: &[
        Field("gpus", "gpus", Kind::Whole, Blank::Is("0")),
        Field("memory", "memory_gib", Kind::Unit("Bytes::from_gib"), Blank::Error),
        Field("bandwidth", "bandwidth_gb_per_s", Kind::Unit(RATE), Blank::Is("BytesPerSecond::from_gb_per_s(0.0)")),
        Field("speed", "cpu", Kind::Name, Blank::Error),
        Field("nvme", "nvme_gb_per_s", Kind::Unit(RATE), Blank::Base),
        Field("loader", "loader", Kind::Number, Blank::Base),
    ],
};

const RATE: &str = "BytesPerSecond::from_gb_per_s";

/// The table of interconnects.
pub(crate) fn interconnects(file: &File) -> Result<Vec<(&'static str, String)>, String> {
    let transports = file.rows("transport", "name")?;
    for transport in &transports {
        let known = ["name", "hop_us", "efficiency", "all_reduce_passes", "node_decay", "source"];
        transport.only(&known)?;
        transport.text("source")?;
    }
    let mut entries = Vec::new();
    for mut row in file.rows("interconnect", "id")? {
        let name = row.take_text("transport");
        let transport = place(&transports, &name).and_then(|place| transports.get(place));
        let transport = transport.ok_or_else(|| row.error(format!("has the transport {name:?}, which no row is")))?;
        let mut fields = transport.fields.clone();
        fields.retain(|name, _| name != "name" && name != "source");
        merge(&mut fields, Some(&row.fields));
        row.fields = fields;
        let mut rate = |unit: &str| row.take(unit).as_ref().and_then(Value::as_f64).map(|rate| (unit.to_owned(), rate));
        let (unit, rate) = rate("gb_per_s").or_else(|| rate("gbit_per_s")).ok_or_else(|| row.lacks("gb_per_s"))?;
        row.set("bandwidth", format!("BytesPerSecond::from_{unit}({rate:?})"));
        row.set("intra_node", unit == "gb_per_s");
        entries.push((row.key.clone(), INTERCONNECT.write(&row)?));
    }
    let named = [("nvlink3", "NVLINK_3"), ("ib-200", "IB_200")];
    Ok(vec![("interconnects.rs", array("InterconnectEntry", &entries, &named))])
}

/// The tables of clusters, and of what else they are called.
pub(crate) fn clusters(file: &File) -> Result<Vec<(&'static str, String)>, String> {
    let cpus = file.rows("cpu", "name")?;
    let (mut entries, mut names) = (Vec::new(), Vec::new());
    for mut row in file.rows("cluster", "id")? {
        names.extend(row.take_texts("also").iter().map(|also| format!("({also:?}, {:?})", row.key)));
        if let Some(cpu) = row.fields.get("host").map(|host| host.get("cpu").and_then(Value::as_str)) {
            row.set("host.cpu", speed(&row, &cpus, cpu.unwrap_or_default())?);
        }
        share_price(&mut row)?;
        entries.push((row.key.clone(), CLUSTER.write(&row)?));
    }
    let named = [("a100-40gb-200g", "A100_40GB_200G")];
    Ok(vec![("clusters.rs", array("ClusterEntry", &entries, &named)), ("cluster_names.rs", list(&names))])
}

/// The speed of a CPU as Rust says it.
fn speed(row: &Row, cpus: &[Row], name: &str) -> Result<String, String> {
    let cpu = cpus.iter().find(|cpu| cpu.key == name);
    let cpu = cpu.ok_or_else(|| row.error(format!("has a host of the CPU {name:?}, which no row is")))?;
    let speed = cpu.fields.get("speed").ok_or_else(|| cpu.lacks("speed"))?;
    fraction(speed).map_err(|says| cpu.error(says))
}

fn kind(value: &Value) -> Result<String, String> {
    match value.as_str() {
        Some("design") => Ok("ClusterKind::Design".to_owned()),
        Some("cloud") => Ok("ClusterKind::Cloud".to_owned()),
        Some("centre") => Ok("ClusterKind::Centre".to_owned()),
        Some("server") => Ok("ClusterKind::Server".to_owned()),
        _ => Err("it is design, cloud, centre or server".to_owned()),
    }
}

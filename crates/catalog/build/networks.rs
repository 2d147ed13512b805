//! Generates the tables of interconnects and of clusters.

use serde_json::Value;

use super::accelerators::{PRICE, fraction};
use super::prices::Prices;
use build::rows::{File, Row, merged, named};
use build::shape::{Kind, Shape, array, left, list, needed, or};

const INTERCONNECT: Shape = Shape {
    name: "InterconnectEntry",
    base: "",
    fields: &[
        needed(Kind::Text, "id name source"),
        needed(Kind::Flag, "intra_node"),
        needed(Kind::Name, "bandwidth"),
        needed(Kind::Unit("Seconds::from_us"), "latency=hop_us"),
        needed(Kind::Number, "efficiency"),
        or("RING", Kind::Number, "all_reduce_passes"),
        or("0.0", Kind::Number, "node_decay"),
        or("0", Kind::Whole, "torus"),
    ],
};

const CLUSTER: Shape = Shape {
    name: "ClusterEntry",
    base: "",
    fields: &[
        needed(Kind::Text, "id name source accelerator intra_node inter_node"),
        needed(Kind::By(kind), "kind"),
        needed(Kind::Whole, "gpus_per_node"),
        or("Host::USUAL", Kind::Struct(&HOST), "host"),
        or("None", Kind::Some(&PRICE), "price"),
    ],
};

const HOST: Shape = Shape {
    name: "Host",
    base: "Host::USUAL",
    fields: &[
        or("0", Kind::Whole, "gpus"),
        needed(Kind::Unit("Bytes::from_gib"), "memory=memory_gib"),
        or("BytesPerSecond::from_gb_per_s(0.0)", Kind::Unit(RATE), "bandwidth=bandwidth_gb_per_s"),
        needed(Kind::Name, "speed=cpu"),
        left(Kind::Unit(RATE), "nvme=nvme_gb_per_s"),
        left(Kind::Number, "loader"),
    ],
};

const RATE: &str = "BytesPerSecond::from_gb_per_s";

/// Generates the table of interconnects.
pub(crate) fn interconnects(file: &File) -> Result<Vec<(&'static str, String)>, String> {
    let [transports, interconnects] = file.rows([("transport", "name"), ("interconnect", "id")])?;
    for transport in &transports {
        let known = ["name", "hop_us", "efficiency", "all_reduce_passes", "node_decay", "source"];
        transport.only(&known)?;
        transport.text("source")?;
    }
    let mut entries = Vec::new();
    for mut row in interconnects {
        let name = row.take_text("transport");
        let mut transport = named(&transports, "of this table", &name, &row)?.clone();
        transport.fields.retain(|name, _| name != "name" && name != "source");
        row.fields = merged(&transport.fields, &row.fields);
        let mut rate = |unit: &str| row.take(unit).as_ref().and_then(Value::as_f64).map(|rate| (unit.to_owned(), rate));
        let (unit, rate) = rate("gb_per_s").or_else(|| rate("gbit_per_s")).ok_or_else(|| row.lacks("gb_per_s"))?;
        row.set("bandwidth", format!("BytesPerSecond::from_{unit}({rate:?})"));
        row.set("intra_node", unit == "gb_per_s");
        entries.push((row.key.clone(), INTERCONNECT.write(&row)?));
    }
    let named = [("nvlink3", "NVLINK_3"), ("ib-200", "IB_200")];
    Ok(vec![("interconnects.rs", array("InterconnectEntry", &entries, &named))])
}

/// Generates the tables of clusters and of further names for clusters.
pub(crate) fn clusters(file: &File, prices: &Prices) -> Result<Vec<(&'static str, String)>, String> {
    let [cpus, clusters] = file.rows([("cpu", "name"), ("cluster", "id")])?;
    prices.check("cluster", &clusters, "clusters.toml")?;
    let (mut entries, mut names) = (Vec::new(), Vec::new());
    for mut row in clusters {
        names.extend(row.take_texts("also").iter().map(|also| format!("({also:?}, {:?})", row.key)));
        if let Some(cpu) = row.fields.get("host").map(|host| host.get("cpu").and_then(Value::as_str)) {
            row.set("host.cpu", speed(&row, &cpus, cpu.unwrap_or_default())?);
        }
        prices.set("cluster", &mut row)?;
        entries.push((row.key.clone(), CLUSTER.write(&row)?));
    }
    let named = [("a100-40gb-200g", "A100_40GB_200G")];
    Ok(vec![("clusters.rs", array("ClusterEntry", &entries, &named)), ("cluster_names.rs", list(&names))])
}

/// Fails if an accelerator has no cluster: its GPUs would be joined by the links of another GPU.
pub(crate) fn every_accelerator_has_a_cluster(accelerators: &File, clusters: &File) -> Result<(), String> {
    let [rows] = accelerators.rows([("accelerator", "id")])?;
    let [_, clusters_of] = clusters.rows([("cpu", "name"), ("cluster", "id")])?;
    let has_one = |row: &Row| clusters_of.iter().any(|cluster| cluster.text("accelerator") == Ok(row.key.as_str()));
    let without: Vec<&str> = rows.iter().filter(|row| !has_one(row)).map(|row| row.key.as_str()).collect();
    match without.first() {
        None => Ok(()),
        Some(first) => Err(format!(
            "{} has no cluster for {}: add a [[cluster]] with accelerator = {first:?}, gpus_per_node, intra_node and inter_node",
            clusters.name,
            without.join(", ")
        )),
    }
}

/// Writes the speed of a CPU as a Rust expression.
fn speed(row: &Row, cpus: &[Row], name: &str) -> Result<String, String> {
    let cpu = named(cpus, "of this table", name, row)?;
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

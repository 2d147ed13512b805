//! Generates the tables of accelerators and of silicon (the chip generations in accelerators).

use serde_json::Value;

use super::prices::Prices;
use build::generations;
use build::rows::{File, Row, named, with_likes};
use build::shape::{Kind, Shape, array, list, needed, or};

const ENTRY: Shape = Shape {
    name: "AcceleratorEntry",
    base: "",
    fields: &[
        needed(Kind::Text, "id name maker source"),
        needed(Kind::Name, "values"),
        or("None", Kind::Some(&PRICE), "price"),
    ],
};

const SHEET: Shape = Shape {
    name: "Accelerator",
    base: "",
    fields: &[
        needed(Kind::Name, "generation efficiency"),
        needed(Kind::Unit("Bytes::from_gib"), "memory=memory_gib"),
        needed(Kind::Number, "usable_percent power=power_w"),
        or("false", Kind::Flag, "unified"),
        needed(Kind::Unit(RATE), "memory_bandwidth=bandwidth_gb_per_s"),
        needed(Kind::Unit(RATE), "host_link=host_link_gb_per_s"),
        needed(Kind::Unit(FLOPS), "peak_16bit=peak_16bit_tflops peak_8bit=peak_8bit_tflops"),
        needed(Kind::Unit(FLOPS), "peak_4bit=peak_4bit_tflops peak_32bit=peak_32bit_tflops"),
    ],
};

const RATE: &str = "BytesPerSecond::from_gb_per_s";
const FLOPS: &str = "FlopsPerSecond::from_tflops";

/// Fields of a list price, for accelerators and for cloud products.
pub(crate) const PRICE: Shape = Shape {
    name: "Price",
    base: "",
    fields: &[needed(Kind::Number, "usd_per_hour"), needed(Kind::Text, "source"), or("\"\"", Kind::Text, "date")],
};

/// Generates the tables of silicon, of accelerators, of further and assumed GPU names, of common
/// GPUs and of usual clusters.
pub(crate) fn tables(
    silicon: &File,
    accelerators: &File,
    prices: &Prices,
) -> Result<Vec<(&'static str, String)>, String> {
    let generations = generations::rows(silicon)?;
    let [_, silicon] = silicon.rows([("generation", "id"), ("silicon", "name")])?;
    let silicon = with_likes(silicon)?;
    let [accelerators] = accelerators.rows([("accelerator", "id")])?;
    prices.check("accelerator", &accelerators, "accelerators.toml")?;
    let constants = silicon.iter().map(constant).collect::<Result<Vec<_>, _>>()?;
    let (mut entries, mut names, mut usual) = (Vec::new(), Vec::new(), Vec::new());
    let (mut assumed, mut common) = (Vec::new(), Vec::new());
    for mut row in accelerators.iter().cloned() {
        names.extend(row.take_texts("also").iter().map(|also| format!("({also:?}, {:?})", row.key)));
        assumed.extend(row.take_texts("assumed_for").iter().map(|name| format!("({name:?}, {:?})", row.key)));
        if row.take("common").is_some_and(|is_common| is_common == true) {
            common.push(format!("{:?}", row.key));
        }
        let cluster = row.take_text("usual_cluster");
        if !cluster.is_empty() {
            usual.push(format!("({:?}, {cluster:?})", row.key));
        }
        prices.set("accelerator", &mut row)?;
        complete(&mut row, &accelerators, &silicon, &generations)?;
        entries.push((row.key.clone(), ENTRY.write(&row)?));
    }
    Ok(vec![
        ("silicon.rs", constants.concat()),
        ("accelerators.rs", array("AcceleratorEntry", &entries, &[("a100-40gb", "A100_40GB")])),
        ("gpu_names.rs", list(&names)),
        ("assumed_gpus.rs", list(&assumed)),
        ("common_gpus.rs", list(&common)),
        ("usual_clusters.rs", list(&usual)),
    ])
}

/// Fills in the values that a row derives: usable memory as a share, peaks of narrower formats, and
/// the constants of its silicon.
fn complete(row: &mut Row, all: &[Row], silicon: &[Row], generations: &[Row]) -> Result<(), String> {
    let memory = row.number("memory_gib")?;
    let usable = match row.take_text("usable_like").as_str() {
        "" => {
            row.text("usable_source")?;
            row.number("usable_gib")?
        }
        like => {
            let like = named(all, "of this table", like, row)?;
            let none = || row.error("has a usable_like that names a row without usable_gib");
            let (of, usable) = (like.number("memory_gib")?, like.number("usable_gib").map_err(|_| none())?);
            if of == memory { usable } else { usable / of * memory }
        }
    };
    row.set("usable_percent", usable / memory * 100.0);
    // Both are folded into `usable_percent`; later steps reject unknown fields.
    row.take("usable_gib");
    row.take("usable_source");
    let name = row.take_text("silicon");
    let silicon = named(silicon, "of silicon.toml", &name, row)?;
    let generation = named(generations, "of silicon.toml", silicon.text("generation")?, silicon)?;
    let emulated_bf16 = formats(row, all, generation)?;
    for [wide, narrow] in [["16", "8"], ["8", "4"]] {
        let wide = row.number(&format!("peak_{wide}bit_tflops"))?;
        row.fields.entry(format!("peak_{narrow}bit_tflops")).or_insert(Value::from(wide));
    }
    if let Some(products) = row.take("products_in_32bit").as_ref().and_then(Value::as_f64) {
        row.set("peak_32bit_tflops", row.number("peak_16bit_tflops")? / products);
    }
    let mut of = constant_name(&name);
    row.set("generation", format!("efficiency::{of}.generation"));
    if row.take("slowed_by_power").is_some_and(|slowed| slowed == true) {
        let [peak, power] = [row.number("peak_16bit_tflops")?, row.number("power_w")?];
        of = format!("hopper({peak:?}, {power:?})");
    }
    let multiprocessors = multiprocessors(row, silicon)?;
    row.set("efficiency", format!("efficiency::{of}.on({multiprocessors:?}, {emulated_bf16:?})"));
    // All fields that do not belong to the entry are fields of its data sheet.
    let sheet = row.take_all(|name| !ENTRY.has(name));
    row.set("values", SHEET.write(&sheet)?);
    Ok(())
}

/// Checks that a row has a peak in each format that its silicon multiplies natively, and in no
/// other. Returns the share of the 16-bit peak that emulated bf16 reaches; 0 with units of its own.
fn formats(row: &mut Row, all: &[Row], generation: &Row) -> Result<f64, String> {
    for (format, peak) in [("fp8", "peak_8bit_tflops"), ("fp4", "peak_4bit_tflops")] {
        match (generation.text(format)?, row.fields.contains_key(peak)) {
            ("native", false) => {
                return Err(row.error(format!("lacks a {peak}: {} multiplies {format} natively", generation.key)));
            }
            ("absent", true) => {
                return Err(row.error(format!("has a {peak}, but {} has no units for {format}", generation.key)));
            }
            _ => {}
        }
    }
    let like = row.take_text("bf16_like");
    let measured = row.take("bf16_tflops").as_ref().and_then(Value::as_f64);
    let share = |of: &Row, wide: &str| Ok::<f64, String>(of.number("bf16_tflops")? / of.number(wide)?);
    match (generation.text("bf16")?, measured, like.as_str()) {
        ("emulated", Some(measured), "") => Ok(measured / row.number("peak_16bit_tflops")?),
        // Other units multiply: the rate goes as the fp32 peak.
        ("emulated", None, like) if !like.is_empty() => {
            let like = share(named(all, "of this table", like, row)?, "peak_32bit_tflops")?;
            Ok(like * row.number("peak_32bit_tflops")? / row.number("peak_16bit_tflops")?)
        }
        ("emulated", ..) => Err(row.error(format!(
            "lacks a bf16_tflops: {} emulates bf16; state the rate that was measured, or a bf16_like",
            generation.key
        ))),
        (_, None, "") => Ok(0.0),
        (..) => Err(row.error(format!("has a rate of emulated bf16, but {} has units for it", generation.key))),
    }
}

/// Returns the multiprocessors of a GPU, or the number that fits the steps of silicon without any.
fn multiprocessors(row: &mut Row, silicon: &Row) -> Result<f64, String> {
    let own = row.take("multiprocessors").as_ref().and_then(Value::as_f64);
    match (own, silicon.number("multiprocessors").ok()) {
        (Some(number), None) | (None, Some(number)) => Ok(number),
        (None, None) => Err(row.error("lacks its multiprocessors: every board has its own number")),
        (Some(_), Some(_)) => Err(row.error(format!("has multiprocessors, as {} of silicon.toml has", silicon.key))),
    }
}

fn constant_name(name: &str) -> String {
    name.to_uppercase().replace(['-', '.'], "_")
}

/// Writes a row of silicon as a Rust constant.
fn constant(row: &Row) -> Result<String, String> {
    let known = [
        "name",
        "what",
        "source",
        "generation",
        "multiprocessors",
        "matmul",
        "matmul_8bit",
        "matmul_4bit",
        "attention",
        "attention_tuned",
        "faster",
        "power",
    ];
    row.only(&known)?;
    let (what, source, generation) = (row.text("what")?, row.text("source")?, row.text("generation")?);
    let pair = |name: &str| -> Option<[f64; 2]> {
        let ends = row.fields.get(name)?.as_array()?;
        Some([ends.first()?.as_f64()?, ends.get(1)?.as_f64()?])
    };
    let faster = pair("faster").map(|[a, b]| format!("{a:?} / {b:?} * "));
    let power = pair("power").map(|[a, b]| format!("square_root({a:?} / {b:?}) * "));
    let times = faster.or(power).unwrap_or_default();
    let share = |names: &[&str]| {
        let value = names.iter().find_map(|name| row.fields.get(*name));
        let value = value.ok_or_else(|| row.lacks(names.last().copied().unwrap_or_default()))?;
        fraction(value).map(|value| times.clone() + &value).map_err(|says| row.error(says))
    };
    let mut of = format!(
        "silicon_fractions(Generation::{generation}, {}, {}, {}, {})",
        share(&["matmul"])?,
        share(&["matmul_8bit", "matmul"])?,
        share(&["attention"])?,
        share(&["attention_tuned", "attention"])?,
    );
    if row.fields.contains_key("matmul_4bit") {
        of = format!("with_nvfp4({of}, {})", share(&["matmul_4bit"])?);
    }
    let name = constant_name(&row.key);
    Ok(format!("/// {}: {}.\npub const {name}: Silicon = {of};\n", what.trim(), source.trim()))
}

/// Writes a fraction of a peak: a number, a fitted constant, or a number scaled from llm.q or from
/// products alone.
pub(crate) fn fraction(value: &Value) -> Result<String, String> {
    let written = match value.as_str().and_then(|text| text.split_once(':')) {
        Some(("fitted", key)) => Some(format!("fitted::{}", key.to_uppercase())),
        Some((by @ ("llm_q" | "products"), share)) => {
            share.parse::<f64>().ok().map(|share| format!("by_{by}({share:?})"))
        }
        Some(_) | None => value.as_f64().map(|number| format!("{number:?}")),
    };
    written.ok_or_else(|| {
        format!("has {value} for a fraction: a number, \"fitted:key\", \"llm_q:number\" or \"products:number\"")
    })
}

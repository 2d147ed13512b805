//! Derives parameters from the rows: a value each, and a sentence about its source.

use engine::format;
use engine::model::hardware::Accelerator;
use engine::params::ParamId;
use engine::scenario::Scenario;
use engine::stats::median;
use engine::units::{BytesPerSecond, FlopsPerSecond};

use super::file::{Attention, File, Product};

/// A measured parameter, in the parameter's own unit.
pub(super) struct MeasuredParam {
    pub(super) id: ParamId,
    pub(super) value: f64,
    /// Description of the measurement, as the beginning of a sentence.
    pub(super) what: String,
}

const PERCENT: f64 = 100.0;
/// Columns of the product at which the half-saturation parameter is defined.
const REFERENCE_WIDTH: f64 = 4096.0;
/// Minimum output elements of a large product, maximum output elements of a small product, and
/// minimum inner dimension of both.
const LARGE: f64 = 67_000_000.0;
const SMALL: f64 = 4_200_000.0;
const LEAST_TERMS: f64 = 2048.0;
/// Minimum rows of a small product in a training step.
const LEAST_ROWS: f64 = 128.0;
/// Memory-bound operators: each byte is read or written once, with negligible compute.
const STREAMS: [&str; 4] = ["copy", "add", "cast_to_16_bits", "add_in_32_bits"];
/// FLOPs of the backward pass of attention relative to the forward pass: five products for two.
const BACKWARD: f64 = 2.5;

/// Returns all parameters that the file determines.
pub(super) fn found(file: &File, scenario: &Scenario) -> Vec<MeasuredParam> {
    let gpu = &scenario.accelerator.values;
    let half = half_saturation(file);
    let mut found = Vec::new();
    let wide = |format: &str| matches!(format, "bf16" | "fp16");
    found.extend(products(file, wide, gpu.peak_16bit, half, ParamId::MatmulEfficiency, "16-bit"));
    found.extend(products(file, |format| format == "fp8", gpu.peak_8bit, half, ParamId::Matmul8BitEfficiency, "8-bit"));
    found.extend(half.map(|value| MeasuredParam {
        id: ParamId::HalfSaturationTokens,
        value,
        what: "Small products, against large ones".into(),
    }));
    let other = find_kernel_row(file, "flash", scenario).or_else(|| find_kernel_row(file, "efficient", scenario));
    found.extend(other.map(|row| attention(row, gpu, ParamId::AttentionEfficiency)));
    let tuned = find_kernel_row(file, "cudnn", scenario);
    found.extend(tuned.map(|row| attention(row, gpu, ParamId::TunedAttentionEfficiency)));
    found.extend(streams(file, gpu));
    found.extend(host_link(file));
    found.extend(usable(file, gpu));
    found
}

/// Computes the sustained rate of large products, without the loss of the last wave of tiles, which
/// the engine models separately.
fn products(
    file: &File,
    is_of: impl Fn(&str) -> bool,
    peak: FlopsPerSecond,
    half: Option<f64>,
    id: ParamId,
    bits: &str,
) -> Option<MeasuredParam> {
    let lasting: Vec<&Product> = file.sustained.iter().filter(|row| is_of(&row.format)).collect();
    let tail = |row: &&Product| 1.0 + half.unwrap_or(0.0) * REFERENCE_WIDTH / (row.m * row.n);
    let own = median(&lasting.iter().map(|row| row.rate()).collect::<Vec<_>>())?;
    let tail = median(&lasting.iter().map(tail).collect::<Vec<_>>())?;
    let ranks: Vec<f64> = file.of_ranks.iter().filter(|(format, _)| is_of(format)).map(|(_, rate)| *rate).collect();
    let rate = if ranks.len() > 1 { median(&ranks)? } else { own };
    let said = |rate: f64| format::tflops(FlopsPerSecond::new(rate));
    let mut what = format!("{bits} products over several seconds, {} of {}", said(rate), format::tflops(peak));
    if ranks.len() > 1 {
        let least = ranks.iter().copied().fold(f64::INFINITY, f64::min);
        let most = ranks.iter().copied().fold(0.0, f64::max);
        what = format!("{what} ({} GPUs, from {} to {})", ranks.len(), said(least), said(most));
    }
    Some(MeasuredParam { id, value: PERCENT * rate * tail / peak.get(), what })
}

/// Returns the number of tokens at which products with 4,096 columns reach half the rate of large
/// products: `rate = largest / (1 + A / (m n))`, with the median of A.
fn half_saturation(file: &File) -> Option<f64> {
    let of_16_bits = || file.products.iter().filter(|row| row.format != "fp8" && row.k >= LEAST_TERMS);
    // A side that is not a multiple of 64 does not suit tensor cores and runs at a fraction of the
    // rate.
    let is_even = |row: &&Product| [row.n, row.k].iter().all(|side| side % 64.0 == 0.0);
    let large: Vec<f64> =
        of_16_bits().filter(is_even).filter(|row| row.m * row.n >= LARGE).map(Product::rate).collect();
    let largest = median(&large)?;
    let small = |row: &&Product| row.m * row.n <= SMALL && row.m >= LEAST_ROWS;
    let of_row = |row: &Product| row.m * row.n * (largest / row.rate() - 1.0) / REFERENCE_WIDTH;
    let tokens: Vec<f64> = of_16_bits().filter(is_even).filter(small).map(of_row).collect();
    (tokens.len() >= 3).then(|| median(&tokens)).flatten().map(|tokens| tokens.max(0.0))
}

/// Returns the row of a kernel with the head dimension and length closest to the run's.
fn find_kernel_row<'a>(file: &'a File, kernel: &str, scenario: &Scenario) -> Option<&'a Attention> {
    let (width, length) = (f64::from(scenario.model.architecture().head_dim), f64::from(scenario.seq_len));
    let away = |one: f64, other: f64| (one / other.max(1.0)).ln().abs();
    let rows = file.attention.iter().filter(|row| row.kernel == kernel);
    rows.min_by(|one, other| {
        let far = |row: &Attention| (away(row.head_dim, width), away(row.length, length));
        let (one, other) = (far(one), far(other));
        one.0.total_cmp(&other.0).then(one.1.total_cmp(&other.1))
    })
}

/// Computes one rate for both passes; the backward pass has five products for the forward pass's
/// two.
fn attention(row: &Attention, gpu: &Accelerator, id: ParamId) -> MeasuredParam {
    let forward = 2.0 * row.batch * row.heads * row.head_dim * row.length * row.length;
    let rate = (1.0 + BACKWARD) * forward / (row.forward + row.backward);
    MeasuredParam {
        id,
        value: PERCENT * rate / gpu.peak_16bit.get(),
        what: format!(
            "Attention by the kernel {}, both passes over {} tokens with heads of {}, {}",
            row.kernel,
            format::count(row.length),
            format::count(row.head_dim),
            format::tflops(FlopsPerSecond::new(rate))
        ),
    }
}

/// Computes the share of memory bandwidth that memory-bound operators reach.
fn streams(file: &File, gpu: &Accelerator) -> Option<MeasuredParam> {
    let rates = file.streams.iter().filter(|(operator, _)| STREAMS.contains(&operator.as_str()));
    let rate = median(&rates.map(|(_, rate)| *rate).collect::<Vec<_>>())?;
    let said = |rate: f64| format::gb_per_s(BytesPerSecond::new(rate));
    Some(MeasuredParam {
        id: ParamId::MemoryEfficiency,
        value: PERCENT * rate / gpu.memory_bandwidth.get(),
        what: format!(
            "Copies, sums and casts in the GPU's memory, {} of {}",
            said(rate),
            said(gpu.memory_bandwidth.get())
        ),
    })
}

/// Returns the slower direction of copies to and from the host's pinned memory.
fn host_link(file: &File) -> Option<MeasuredParam> {
    let of = |direction: &str| {
        let rates: Vec<f64> =
            file.host_link.iter().filter(|(own, _)| own == direction).map(|(_, rate)| *rate).collect();
        median(&rates)
    };
    let (to, from) = (of("to_gpu")?, of("from_gpu")?);
    let both = of("both_each").map_or_else(String::new, |rate| format!(", {} each way at once", said_gb(rate)));
    Some(MeasuredParam {
        id: ParamId::HostLink,
        value: to.min(from),
        what: format!("Copies from and to pinned memory, {} and {}{both}", said_gb(to), said_gb(from)),
    })
}

fn said_gb(rate: f64) -> String {
    format::gb_per_s(BytesPerSecond::from_gb_per_s(rate))
}

/// Computes the share of the nominal memory that the driver reports as usable.
fn usable(file: &File, gpu: &Accelerator) -> Option<MeasuredParam> {
    let bytes = file.usable_bytes.filter(|bytes| *bytes > 0.0)?;
    Some(MeasuredParam {
        id: ParamId::UsableMemory,
        value: PERCENT * bytes / gpu.memory.get(),
        what: format!(
            "The memory that the driver reports, {}",
            format::bytes_of(engine::units::Bytes::new(bytes), gpu.memory)
        ),
    })
}

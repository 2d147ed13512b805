//! The engine for Python: [`api`] with texts and lists of numbers. `shardwise/__init__.py` wraps
//! the functions to accept and return plain dicts.

mod figure;

use api::given::Code;
use api::{Given, Reading, Refusal};
use charts::paint::{Style, chart_svg};
use charts::views::{Metric, Scratch, feasible_region, mfu_curve};
use engine::params::ParamId;
use std::borrow::Cow;
use std::ffi::OsString;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;

/// The functions, as `shardwise._engine`.
#[pymodule(name = "_engine")]
mod engine_module {
    use super::{
        axis_key, catalog, columns, command, estimate, export, figure_png, figure_svg, figures, issues, limiters, link,
        mixed, parameters, plan, point, rank, read, resolve, sweep, understand,
    };
    use pyo3::prelude::*;

    /// The functions are defined above.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        for function in [
            wrap_pyfunction!(estimate, module)?,
            wrap_pyfunction!(issues, module)?,
            wrap_pyfunction!(link, module)?,
            wrap_pyfunction!(catalog, module)?,
            wrap_pyfunction!(parameters, module)?,
            wrap_pyfunction!(rank, module)?,
            wrap_pyfunction!(plan, module)?,
            wrap_pyfunction!(mixed, module)?,
            wrap_pyfunction!(axis_key, module)?,
            wrap_pyfunction!(resolve, module)?,
            wrap_pyfunction!(columns, module)?,
            wrap_pyfunction!(limiters, module)?,
            wrap_pyfunction!(sweep, module)?,
            wrap_pyfunction!(point, module)?,
            wrap_pyfunction!(read, module)?,
            wrap_pyfunction!(understand, module)?,
            wrap_pyfunction!(figures, module)?,
            wrap_pyfunction!(command, module)?,
            wrap_pyfunction!(figure_svg, module)?,
            wrap_pyfunction!(figure_png, module)?,
            wrap_pyfunction!(export, module)?,
        ] {
            module.add_function(function)?;
        }
        Ok(())
    }
}

/// A scenario given by Python: its text, values to set in it, and how strictly it is read.
#[derive(FromPyObject)]
struct ScenarioRequest {
    #[pyo3(item)]
    text: String,
    #[pyo3(item)]
    set: Vec<(String, String)>,
    #[pyo3(item)]
    strict: bool,
    #[pyo3(item)]
    assume: bool,
}

impl ScenarioRequest {
    fn given(&self) -> Given<'_> {
        Given { text: &self.text, set: &self.set, reading: Reading::from_switches(self.strict, self.assume) }
    }
}

/// Unknown keys raise `TypeError`, as an unknown keyword argument does; all other errors raise
/// `ValueError`.
fn raised(refusal: Refusal) -> PyErr {
    match refusal.code {
        Code::UnknownKey => PyTypeError::new_err(refusal.message),
        _ => PyValueError::new_err(refusal.message),
    }
}

/// [`api::estimate()`].
#[pyfunction]
fn estimate(asked: ScenarioRequest) -> PyResult<String> {
    api::estimate(&asked.given()).map_err(raised)
}

/// [`api::issues()`].
#[pyfunction]
fn issues(asked: ScenarioRequest, axes: Vec<String>) -> PyResult<String> {
    api::issues(&asked.given(), &axes).map_err(raised)
}

/// [`api::link()`].
#[pyfunction]
fn link(asked: ScenarioRequest) -> PyResult<String> {
    api::link(&asked.given()).map_err(raised)
}

/// [`api::catalog()`].
#[pyfunction]
fn catalog() -> String {
    api::catalog()
}

/// [`api::parameters()`].
#[pyfunction]
fn parameters(asked: ScenarioRequest) -> PyResult<String> {
    api::parameters(&asked.given()).map_err(raised)
}

/// [`api::rank()`], while other threads of Python run.
#[pyfunction]
fn rank(
    py: Python<'_>,
    asked: ScenarioRequest,
    batch: Option<f64>,
    hold: Vec<String>,
    most: usize,
) -> PyResult<String> {
    let wanted = api::rank::RankRequest { batch, hold: &hold, most };
    py.detach(|| api::rank(&asked.given(), &wanted)).map_err(raised)
}

/// [`api::plan()`], while other threads of Python run.
#[pyfunction]
fn plan(
    py: Python<'_>,
    asked: ScenarioRequest,
    question: &str,
    limits: [Option<f64>; 3],
    lists: [Vec<String>; 2],
    most: usize,
) -> PyResult<String> {
    let ([limit, batch, sure], [clusters, hold]) = (limits, lists);
    let wanted = api::plan::PlanRequest { question, limit, batch, sure, clusters: &clusters, hold: &hold, most };
    py.detach(|| api::plan(&asked.given(), &wanted)).map_err(raised)
}

/// [`api::mixed()`].
#[pyfunction]
fn mixed(asked: ScenarioRequest, others: Vec<String>) -> PyResult<String> {
    api::mixed(&asked.given(), &others).map_err(raised)
}

/// [`api::axis::key`].
#[pyfunction]
fn axis_key(key: &str) -> PyResult<String> {
    api::axis::key(key).map_err(raised)
}

/// [`api::axis::resolve`].
#[pyfunction]
fn resolve(asked: ScenarioRequest, key: &str, lines: &str) -> PyResult<String> {
    api::axis::resolve(&asked.given(), key, lines).map_err(raised)
}

/// [`api::sweep::columns`].
#[pyfunction]
fn columns() -> String {
    api::sweep::columns()
}

/// [`api::sweep::limiters`].
#[pyfunction]
fn limiters() -> String {
    api::sweep::limiters()
}

/// [`api::sweep::sweep`], while other threads of Python run.
#[pyfunction]
fn sweep(
    py: Python<'_>,
    asked: ScenarioRequest,
    outer: &str,
    outer_values: Vec<f64>,
    inner: &str,
    inner_values: Vec<f64>,
    run: bool,
) -> PyResult<Vec<f64>> {
    py.detach(|| api::sweep::sweep(&asked.given(), outer, &outer_values, inner, &inner_values, run)).map_err(raised)
}

/// [`api::sweep::point`].
#[pyfunction]
fn point(asked: ScenarioRequest, outer: &str, outer_value: f64, inner: &str, inner_value: f64) -> PyResult<String> {
    api::sweep::point(&asked.given(), outer, outer_value, inner, inner_value).map_err(raised)
}

/// [`api::files::read_files_of_disk`], while other threads of Python run.
#[pyfunction]
fn read(py: Python<'_>, asked: ScenarioRequest, names: Vec<String>, contents: Vec<Vec<u8>>) -> PyResult<String> {
    py.detach(|| api::files::read_files_of_disk(&asked.given(), names.into_iter().zip(contents))).map_err(raised)
}

/// [`api::sentence::understand`].
#[pyfunction]
fn understand(text: &str, link: &str) -> PyResult<String> {
    api::sentence::understand(text, link).map_err(raised)
}

/// Draws the feasible region over sequence length and model size, and MFU over the bandwidth
/// between nodes, as SVG; an empty text for a figure that could not be drawn.
#[pyfunction]
fn figures(scenario: &str, width: f64, height: f64, dark: bool) -> [String; 2] {
    let scenario = links::decode(scenario).scenario;
    let style = Style { theme: figure::theme(dark), css_width: width, css_height: height, device_pixel_ratio: 1.0 };
    let map = feasible_region(&scenario, ParamId::SequenceLength, ParamId::ModelSize, false, &mut Scratch::default());
    let curve = mfu_curve(&scenario, ParamId::LinkBandwidth, Metric::Mfu, false, &mut Scratch::default());
    [map, curve].map(|figure| chart_svg(&figure, &style, None).unwrap_or_default())
}

/// Runs the program of the shell with these arguments, of which the first is its name; returns the
/// exit status.
#[pyfunction]
fn command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| shardwise_cli::run(arguments))
}

/// [`figure::draw`], while other threads of Python run: a figure over one key or two, of a size in
/// CSS pixels.
#[pyfunction]
fn figure_svg(
    py: Python<'_>,
    asked: ScenarioRequest,
    axes: Vec<String>,
    metric: &str,
    size: (f64, f64),
    dark: bool,
) -> PyResult<String> {
    let (css_width, css_height) = size;
    let style = Style { theme: figure::theme(dark), css_width, css_height, device_pixel_ratio: 1.0 };
    py.detach(|| figure::draw(&asked.given(), &axes, metric, &style)).map_err(raised)
}

/// [`figure::png`], while other threads of Python run.
#[pyfunction]
fn figure_png(py: Python<'_>, svg: &str, scale: f32) -> PyResult<Cow<'static, [u8]>> {
    py.detach(|| figure::png(svg, scale)).map(Cow::Owned).map_err(raised)
}

/// [`api::export()`].
#[pyfunction]
fn export(asked: ScenarioRequest, program: &str) -> PyResult<String> {
    api::export(&asked.given(), program).map_err(raised)
}

//! The engine for Python: [`api`] with texts and lists of numbers; `shardwise/__init__.py` wraps them in functions that take and
//! give plain dicts.

use api::plan::Asked;
use charts::paint::{Style, chart_svg};
use charts::palette::Theme;
use charts::views::{Metric, Scratch, feasible_region, mfu_curve};
use engine::params::ParamId;
use engine::share;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The functions, as `shardwise._engine`.
#[pymodule(name = "_engine")]
mod engine_module {
    use super::{
        catalog, columns, estimate, figures, is_axis, issues, limiters, link, parameters, plan, point, rank, read,
        resolve, sweep, with,
    };
    use pyo3::prelude::*;

    /// The functions stand above.
    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        for function in [
            wrap_pyfunction!(estimate, module)?,
            wrap_pyfunction!(issues, module)?,
            wrap_pyfunction!(link, module)?,
            wrap_pyfunction!(with, module)?,
            wrap_pyfunction!(catalog, module)?,
            wrap_pyfunction!(parameters, module)?,
            wrap_pyfunction!(rank, module)?,
            wrap_pyfunction!(plan, module)?,
            wrap_pyfunction!(is_axis, module)?,
            wrap_pyfunction!(resolve, module)?,
            wrap_pyfunction!(columns, module)?,
            wrap_pyfunction!(limiters, module)?,
            wrap_pyfunction!(sweep, module)?,
            wrap_pyfunction!(point, module)?,
            wrap_pyfunction!(read, module)?,
            wrap_pyfunction!(figures, module)?,
        ] {
            module.add_function(function)?;
        }
        Ok(())
    }
}

/// [`api::estimate()`].
#[pyfunction]
fn estimate(scenario: &str) -> String {
    api::estimate(scenario)
}

/// [`api::issues()`].
#[pyfunction]
fn issues(scenario: &str) -> String {
    api::issues(scenario)
}

/// [`api::link()`].
#[pyfunction]
fn link(scenario: &str) -> String {
    api::link(scenario)
}

/// [`api::with`]; what is no value raises `ValueError`.
#[pyfunction(name = "with_values")]
fn with(scenario: &str, pairs: Vec<(String, String)>) -> PyResult<String> {
    api::with(scenario, &pairs).map_err(PyValueError::new_err)
}

/// [`api::catalog()`].
#[pyfunction]
fn catalog() -> String {
    api::catalog()
}

/// [`api::parameters()`].
#[pyfunction]
fn parameters(scenario: &str) -> String {
    api::parameters(scenario)
}

/// [`api::rank()`], while other threads of Python run.
#[pyfunction]
fn rank(py: Python<'_>, scenario: &str, most: usize) -> String {
    py.detach(|| api::rank(scenario, most))
}

/// [`api::plan()`], while other threads of Python run; what is no question raises `ValueError`.
#[pyfunction]
fn plan(
    py: Python<'_>,
    scenario: &str,
    question: &str,
    limit: Option<f64>,
    clusters: Vec<String>,
    most: usize,
) -> PyResult<String> {
    let asked = Asked { question, limit, clusters: &clusters, most };
    py.detach(|| api::plan(scenario, &asked)).map_err(PyValueError::new_err)
}

/// [`api::axis::is_axis`].
#[pyfunction]
fn is_axis(key: &str) -> bool {
    api::axis::is_axis(key)
}

/// [`api::axis::resolve`].
#[pyfunction]
fn resolve(scenario: &str, key: &str, lines: &str) -> String {
    api::axis::resolve(scenario, key, lines)
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
    scenario: &str,
    outer: &str,
    outer_values: Vec<f64>,
    inner: &str,
    inner_values: Vec<f64>,
    run: bool,
) -> Vec<f64> {
    py.detach(|| api::sweep::sweep(scenario, outer, &outer_values, inner, &inner_values, run))
}

/// [`api::sweep::point`].
#[pyfunction]
fn point(scenario: &str, outer: &str, outer_value: f64, inner: &str, inner_value: f64) -> String {
    api::sweep::point(scenario, outer, outer_value, inner, inner_value)
}

/// [`api::files::bring`], while other threads of Python run.
#[pyfunction]
fn read(py: Python<'_>, scenario: &str, names: Vec<String>, contents: Vec<Vec<u8>>) -> String {
    py.detach(|| api::files::bring(scenario, names.into_iter().zip(contents)))
}

/// The feasible region over sequence length and model size, and MFU over the bandwidth between nodes, as SVG; an empty text for a
/// figure that could not be drawn.
#[pyfunction]
fn figures(scenario: &str, width: f64, height: f64, dark: bool) -> [String; 2] {
    let scenario = share::decode(scenario).scenario;
    let theme = if dark { Theme::Dark } else { Theme::Light };
    let style = Style { theme, css_width: width, css_height: height, device_pixel_ratio: 1.0 };
    let map = feasible_region(&scenario, ParamId::SequenceLength, ParamId::ModelSize, false, &mut Scratch::default());
    let curve = mfu_curve(&scenario, ParamId::LinkBandwidth, Metric::Mfu, false, &mut Scratch::default());
    [map, curve].map(|figure| chart_svg(&figure, &style, None).unwrap_or_default())
}

//! Views, to Python: what is to be seen of a model, drawn here as SVG and PNG or handed over as marks on axes.

use mercer::gram::{Ideal, Lazy, Stored, alignment, statistics};
use mercer::kernel::KernelExpr;
use mercer::picture::{self, Drawn, PictureError, Rows, Slice};
use mercer::points::{Column, Points};
use mercer::report::{Reported, page};
use mercer::solve::loss::{LOSSES, LossSpec};
use mercer::view::{
    Boundary, Curves, Figure, Geometry, HeatMap, Look, Losses, Mark, Path, Reliability, Residuals, Roc,
    Spectrum, Sweep, Theme, Tone, Trace, Tuning, View,
};
use numpy::{IntoPyArray, PyArray1, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use serde::{Deserialize, Serialize};

use crate::errors::{Raise, exception};
use crate::fit::column;
use crate::model::PyModel;
use crate::run::{budget, detached};
use crate::table::PyTable;

/// Colours of a scale that are handed over.
const RAMP: usize = 256;

/// What is to be seen; it does not change.
#[pyclass(name = "View", module = "mercer._mercer", frozen)]
pub(crate) struct PyView {
    pub(crate) view: Shown,
}

/// Every kind of view there is; as plain data, a name and what it shows.
#[derive(Clone, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Shown {
    Boundary(Boundary),
    Sweep(Sweep),
    Curves(Curves),
    Trace(Trace),
    Spectrum(Spectrum),
    Gram(HeatMap),
    Tuning(Tuning),
    Path(Path),
    Roc(Roc),
    Reliability(Reliability),
    Residuals(Residuals),
    Losses(Losses),
    Geometry(Geometry),
}

/// Views that Python makes by itself.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Given {
    Boundary(Boundary),
    Curves(Curves),
    Tuning(Tuning),
}

impl Shown {
    fn figure(&self, look: Look) -> Figure {
        match self {
            Self::Boundary(view) => view.figure(look),
            Self::Sweep(view) => view.figure(look),
            Self::Curves(view) => view.figure(look),
            Self::Trace(view) => view.figure(look),
            Self::Spectrum(view) => view.figure(look),
            Self::Gram(view) => HeatMap { theme: look.theme, ..view.clone() }.figure(look),
            Self::Tuning(view) => view.figure(look),
            Self::Path(view) => view.figure(look),
            Self::Roc(view) => view.figure(look),
            Self::Reliability(view) => view.figure(look),
            Self::Residuals(view) => view.figure(look),
            Self::Losses(view) => view.figure(look),
            Self::Geometry(view) => view.figure(look),
        }
    }

    /// What draws itself: matrices have a picture of their own.
    fn drawn(&self, look: Look) -> Box<dyn View> {
        match self {
            Self::Gram(view) => {
                Box::new(HeatMap { theme: look.theme, width: Some(look.width), ..view.clone() })
            }
            other => Box::new(other.figure(look)),
        }
    }
}

#[pymethods]
impl PyView {
    /// A view made in Python: a boundary, curves or a search, under its kind, as JSON.
    #[staticmethod]
    fn of(text: &str) -> PyResult<Self> {
        let given = serde_json::from_str(text).map_err(|error| exception("MercerError", &error))?;
        Ok(Self {
            view: match given {
                Given::Boundary(view) => Shown::Boundary(view),
                Given::Curves(view) => Shown::Curves(view),
                Given::Tuning(view) => Shown::Tuning(view),
            },
        })
    }

    /// What a model answers in a plane.
    #[staticmethod]
    #[pyo3(signature = (model, table, target=None, *, name, classes=None, counted=false, slice="usual", columns=None, side=picture::SIDE))]
    #[allow(clippy::too_many_arguments)]
    fn boundary(
        py: Python<'_>,
        model: &PyModel,
        table: &PyTable,
        target: Option<&Bound<'_, PyAny>>,
        name: &str,
        classes: Option<Vec<String>>,
        counted: bool,
        slice: &str,
        columns: Option<[String; 2]>,
        side: usize,
    ) -> PyResult<Self> {
        let target = target.map(column).transpose()?;
        let slice = match (slice, columns) {
            ("usual", None) => Slice::Usual,
            ("usual" | "medians", columns) => Slice::Medians(columns),
            ("components", None) => Slice::Components,
            ("components", Some(_)) => {
                return Err(exception("MercerError", &"columns are for a slice at medians"));
            }
            (other, _) => {
                let said = format!("slice = '{other}'; there are usual, medians and components");
                return Err(exception("MercerError", &said));
            }
        };
        let rows = rows(table, target.as_ref(), name)?;
        let found = detached(py, None, || picture::boundary_on(&model.model, &rows, &slice, side))?;
        let mut view = found.map_err(Raise::raise)?;
        if let Some(names) = classes.filter(|names| names.len() == view.classes.len()) {
            view.classes = names;
        }
        if counted {
            (view.x, view.y) = (from_zero(view.x), from_zero(view.y));
        }
        Ok(Self { view: Shown::Boundary(view) })
    }

    /// Boundaries side by side.
    #[staticmethod]
    fn sweep(title: &str, panels: Vec<(String, Py<Self>)>) -> PyResult<Self> {
        let mut found = Vec::new();
        for (name, panel) in panels {
            let Shown::Boundary(view) = &panel.get().view else {
                return Err(exception("MercerError", &"only boundaries stand side by side"));
            };
            found.push((name, view.clone()));
        }
        let first = found.first().map(|(_, view)| view.clone());
        let (subtitle, notes) = first.map(|view| (view.subtitle, view.notes)).unwrap_or_default();
        let subtitle = format!("first panel: {subtitle}");
        Ok(Self { view: Shown::Sweep(Sweep { title: title.to_owned(), subtitle, panels: found, notes }) })
    }

    /// What models answer along the only number that they look at.
    #[staticmethod]
    #[pyo3(signature = (models, table, target=None, *, name, classes=None, counted=false))]
    fn curves(
        py: Python<'_>,
        models: Vec<(String, Py<PyModel>)>,
        table: &PyTable,
        target: Option<&Bound<'_, PyAny>>,
        name: &str,
        classes: Option<Vec<String>>,
        counted: bool,
    ) -> PyResult<Self> {
        let target = target.map(column).transpose()?;
        let rows = rows(table, target.as_ref(), name)?;
        let named: Vec<_> = models.iter().map(|(name, model)| (name.clone(), &model.get().model)).collect();
        let mut view = detached(py, None, || picture::curves(&named, &rows))?.map_err(Raise::raise)?;
        if let Some(names) = classes.filter(|names| names.len() == view.classes.len()) {
            view.classes = names;
        }
        if counted {
            view.x = from_zero(view.x);
        }
        Ok(Self { view: Shown::Curves(view) })
    }

    #[staticmethod]
    #[pyo3(signature = (model, machine=0, *, name))]
    fn trace(model: &PyModel, machine: usize, name: &str) -> PyResult<Self> {
        let mut view = picture::trace(&model.model, machine).map_err(Raise::raise)?;
        view.subtitle = view.subtitle.replace(", on Python", &format!(", on {name}"));
        Ok(Self { view: Shown::Trace(view) })
    }

    /// The eigenvalues of a kernel on some rows.
    #[staticmethod]
    #[pyo3(signature = (kernel, table, *, name))]
    fn spectrum(py: Python<'_>, kernel: &str, table: &PyTable, name: &str) -> PyResult<Self> {
        let kernel = parsed(kernel)?;
        let rows = Rows { table: &table.table, target: None, name };
        let view = detached(py, None, || picture::spectrum(&kernel, &rows))?.map_err(Raise::raise)?;
        Ok(Self { view: Shown::Spectrum(view) })
    }

    /// Gram matrices of titled kernels, beside the ideal one where there is a target.
    #[staticmethod]
    #[pyo3(signature = (kernels, table, target=None, *, title, subtitle, memory_limit=None))]
    fn gram(
        py: Python<'_>,
        kernels: Vec<(String, String)>,
        table: &PyTable,
        target: Option<&Bound<'_, PyAny>>,
        title: &str,
        subtitle: &str,
        memory_limit: Option<u64>,
    ) -> PyResult<Self> {
        let target = target.map(column).transpose()?;
        rows(table, target.as_ref(), "")?;
        let named = kernels.into_iter().map(|(title, text)| Ok((title, parsed(&text)?)));
        let named = named.collect::<PyResult<Vec<(String, KernelExpr)>>>()?;
        let made = || matrices(&named, table, target.as_ref(), (title, subtitle), memory_limit);
        let view = detached(py, None, made)?.map_err(Raise::raise)?;
        Ok(Self { view: Shown::Gram(view) })
    }

    /// How scores, rows × classes, rank the rows of each class.
    #[staticmethod]
    fn roc(
        scores: PyReadonlyArray2<'_, f64>,
        codes: PyReadonlyArray1<'_, i64>,
        classes: Vec<String>,
        subtitle: &str,
    ) -> PyResult<Self> {
        let codes = counted(&codes, classes.len())?;
        let scores = shaped(&scores, codes.len(), classes.len())?;
        let subtitle = subtitle.to_owned();
        Ok(Self { view: Shown::Roc(Roc { subtitle, ..picture::ranked(&scores, &codes, &classes) }) })
    }

    /// Whether probabilities, rows × classes, come true.
    #[staticmethod]
    fn reliability(
        probabilities: PyReadonlyArray2<'_, f64>,
        codes: PyReadonlyArray1<'_, i64>,
        subtitle: &str,
    ) -> PyResult<Self> {
        let classes = probabilities.as_array().ncols();
        let codes = counted(&codes, classes)?;
        let found = shaped(&probabilities, codes.len(), classes)?;
        let view = picture::calibrated(&found, &codes, classes).map_err(Raise::raise)?;
        Ok(Self { view: Shown::Reliability(Reliability { subtitle: subtitle.to_owned(), ..view }) })
    }

    /// Numbers that were answered against true ones.
    #[staticmethod]
    fn residuals(
        predicted: PyReadonlyArray1<'_, f64>,
        truth: PyReadonlyArray1<'_, f64>,
        target: &str,
        subtitle: &str,
    ) -> PyResult<Self> {
        let (predicted, truth) = (predicted.as_array().to_vec(), truth.as_array().to_vec());
        if predicted.len() != truth.len() {
            let said = format!("{} numbers were predicted, {} are true", predicted.len(), truth.len());
            return Err(exception("MercerError", &said));
        }
        let view = picture::compared(&predicted, &truth, target);
        Ok(Self { view: Shown::Residuals(Residuals { subtitle: subtitle.to_owned(), ..view }) })
    }

    /// Losses by name; all where none is named.
    #[staticmethod]
    fn losses(names: Vec<String>) -> PyResult<Self> {
        let all = || LOSSES.iter().map(|info| info.name.to_owned()).collect();
        let names: Vec<String> = if names.is_empty() { all() } else { names };
        let named: Result<Vec<LossSpec>, _> = names.iter().map(|name| name.parse()).collect();
        let view = picture::losses(&named.map_err(Raise::raise)?).map_err(Raise::raise)?;
        Ok(Self { view: Shown::Losses(view) })
    }

    /// What a feature map makes of two columns.
    #[staticmethod]
    #[pyo3(signature = (map, table, target=None, *, name))]
    fn geometry(
        py: Python<'_>,
        map: &str,
        table: &PyTable,
        target: Option<&Bound<'_, PyAny>>,
        name: &str,
    ) -> PyResult<Self> {
        let map = map.parse().map_err(|error| exception("KernelError", &error))?;
        let target = target.map(column).transpose()?;
        let rows = rows(table, target.as_ref(), name)?;
        let view = detached(py, None, || picture::geometry(&map, &rows))?.map_err(Raise::raise)?;
        Ok(Self { view: Shown::Geometry(view) })
    }

    /// The view as plain data: its kind and what it shows, as JSON.
    pub(crate) fn json(&self) -> PyResult<String> {
        serde_json::to_string(&self.view).map_err(|error| exception("MercerError", &error))
    }

    #[pyo3(signature = (width=640.0, dark=false))]
    fn svg(&self, py: Python<'_>, width: f64, dark: bool) -> PyResult<String> {
        let drawn = py.detach(|| self.view.drawn(look(width, dark)).svg());
        drawn.map_err(|error| exception("MercerError", &error))
    }

    #[pyo3(signature = (width=640.0, dark=false))]
    fn png<'py>(&self, py: Python<'py>, width: f64, dark: bool) -> PyResult<Bound<'py, PyBytes>> {
        let drawn = py.detach(|| self.view.drawn(look(width, dark)).png());
        Ok(PyBytes::new(py, &drawn.map_err(|error| exception("MercerError", &error))?))
    }

    /// The view as marks on axes: `figure` (JSON, images without their pixels), `images` (rows × columns × RGBA), `tones`
    /// (colours by name), `ramp` (the colours of the scale, if there is one).
    #[pyo3(signature = (width=640.0, dark=false))]
    fn figure<'py>(&self, py: Python<'py>, width: f64, dark: bool) -> PyResult<Bound<'py, PyDict>> {
        let look = look(width, dark);
        let mut figure = py.detach(|| self.view.figure(look));
        let told = PyDict::new(py);
        let mut images: Vec<Bound<'py, PyArray3<u8>>> = Vec::new();
        for mark in figure.plots.iter_mut().flat_map(|plot| &mut plot.marks) {
            let Mark::Image(image) = mark else { continue };
            let pixels = std::mem::take(&mut image.pixels);
            let bytes: Vec<u8> = pixels
                .iter()
                .flat_map(|pixel| pixel.map_or([0; 4], |rgb| [rgb.red, rgb.green, rgb.blue, 255]))
                .collect();
            let rows = pixels.len().checked_div(image.columns).unwrap_or(0);
            images.push(bytes.into_pyarray(py).reshape([rows, image.columns, 4])?);
        }
        told.set_item("images", images)?;
        if let Some(bar) = &figure.bar {
            let (low, high) = (bar.range.low, bar.range.high);
            let place = |k: usize| low + (high - low) * k as f64 / (RAMP - 1) as f64;
            let colours = (0..RAMP).map(|k| bar.range.colour(place(k)).to_string());
            told.set_item("ramp", colours.collect::<Vec<_>>())?;
        }
        let tones = PyDict::new(py);
        for (name, tone) in
            [("Strong", Tone::Strong), ("Quiet", Tone::Quiet), ("Faint", Tone::Faint), ("Paper", Tone::Paper)]
        {
            tones.set_item(name, tone.colour(look.theme))?;
        }
        let series: Vec<String> = (0..8).map(|number| Tone::Series(number).colour(look.theme)).collect();
        tones.set_item("Series", series)?;
        told.set_item("tones", tones)?;
        let text = serde_json::to_string(&figure).map_err(|error| exception("MercerError", &error))?;
        told.set_item("figure", text)?;
        Ok(told)
    }
}

/// What rows are to a model: 0 for none, 1 for a support vector, 2 for one at its bound; and how far each is on the wrong
/// side of its margin.
#[pyfunction]
#[pyo3(signature = (model, table, target=None))]
#[allow(clippy::type_complexity)]
fn roles<'py>(
    py: Python<'py>,
    model: &PyModel,
    table: &PyTable,
    target: Option<&Bound<'_, PyAny>>,
) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<f64>>)> {
    let target = target.map(column).transpose()?;
    let rows = rows(table, target.as_ref(), "")?;
    let found = detached(py, None, || picture::roles(&model.model, &rows))?.map_err(Raise::raise)?;
    let support: Vec<i64> = found.iter().map(|role| role.support as i64).collect();
    let slack: Vec<f64> = found.iter().map(|role| role.slack).collect();
    Ok((support.into_pyarray(py), slack.into_pyarray(py)))
}

/// A column without a name, which the engine counts from 1, as scikit-learn calls it.
fn from_zero(name: String) -> String {
    name.parse::<usize>().ok().and_then(|k| k.checked_sub(1)).map_or(name, |k| format!("x{k}"))
}

/// One page about a model: HTML that fetches nothing. `code` is what makes the model again.
#[pyfunction]
#[pyo3(signature = (model, table, target=None, *, name, code, dark=false))]
fn report(
    py: Python<'_>,
    model: &PyModel,
    table: &PyTable,
    target: Option<&Bound<'_, PyAny>>,
    name: &str,
    code: &str,
    dark: bool,
) -> PyResult<String> {
    let target = target.map(column).transpose()?;
    let rows = rows(table, target.as_ref(), name)?;
    let theme = look(0.0, dark).theme;
    let reported = Reported { code: Some(code), theme, ..Reported::new(&model.model, rows) };
    let html = detached(py, None, || page(&reported).html())?;
    html.map_err(|error| exception("MercerError", &error))
}

/// Rows with a target of as many values.
fn rows<'a>(table: &'a PyTable, target: Option<&'a Column>, name: &'a str) -> PyResult<Rows<'a>> {
    let (rows, given) = (table.table.len(), target.map(|target| target.data.len()));
    if let Some(given) = given.filter(|&given| given != rows) {
        return Err(exception("MercerError", &format!("the target has {given} values for {rows} rows")));
    }
    Ok(Rows { table: &table.table, target, name })
}

fn look(width: f64, dark: bool) -> Look {
    Look::wide(width).themed(if dark { Theme::Dark } else { Theme::Light })
}

fn parsed(text: &str) -> PyResult<KernelExpr> {
    text.parse().map_err(|error| exception("KernelError", &error))
}

fn matrices(
    kernels: &[(String, KernelExpr)],
    table: &PyTable,
    target: Option<&Column>,
    (title, subtitle): (&str, &str),
    memory_limit: Option<u64>,
) -> Result<HeatMap, PictureError> {
    let (table, budget) = (&table.table, budget(memory_limit));
    Stored::<f32>::fits(table.len(), budget)?;
    let ideal = target.map(|target| Ideal::of(&target.name, &target.data)).transpose()?;
    let Some((_, middle)) = kernels.get(kernels.len() / 2) else {
        return Err(PictureError::Nothing("there is no kernel to draw".to_owned()));
    };
    // One order for all, from the kernel in the middle.
    let order = picture::seriate(&Stored::<f32>::new(&Lazy::new(middle, table)?, budget)?, ideal.as_ref());
    let mut panels = Vec::new();
    for (title, kernel) in kernels {
        let lazy = Lazy::new(kernel, table)?;
        let gram = Stored::<f32>::new(&lazy, budget)?;
        let aligned = ideal.as_ref().map(|ideal| alignment(&lazy, |i, j| ideal.value(i, j)));
        let shape = statistics(&lazy).shape;
        panels.push(picture::panel(
            &Drawn { title: title.clone(), gram: &gram, alignment: aligned, shape },
            &order,
        ));
    }
    Ok(picture::matrices(title, subtitle, panels, ideal.as_ref().map(|ideal| (ideal, order.as_slice()))))
}

/// Codes of classes, each below the number of them.
fn counted(codes: &PyReadonlyArray1<'_, i64>, classes: usize) -> PyResult<Vec<usize>> {
    let code = |code: &i64| usize::try_from(*code).ok().filter(|code| *code < classes);
    let codes = codes.as_array().iter().map(code).collect::<Option<Vec<usize>>>();
    codes.ok_or_else(|| exception("MercerError", &"a row has a class that has no name"))
}

/// The values of a matrix, row after row, if it has that shape.
fn shaped(matrix: &PyReadonlyArray2<'_, f64>, rows: usize, columns: usize) -> PyResult<Vec<f64>> {
    let found = matrix.as_array();
    if found.dim() != (rows, columns) {
        let said =
            format!("{} x {} values for {rows} rows of {columns} classes", found.nrows(), found.ncols());
        return Err(exception("MercerError", &said));
    }
    Ok(found.iter().copied().collect())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(roles, module)?)?;
    module.add_function(wrap_pyfunction!(report, module)?)?;
    module.add_class::<PyView>()
}

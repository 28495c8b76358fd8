//! What a model answers, in the picture that suits it.

use mercer_model::Model;
use mercer_view::{Boundary, Curves, Figure, Look};

use crate::{PictureError, Rows, Slice, boundary_on, curves, features};

/// A model in a plane, or along a line if it looks at one number.
#[derive(Debug, Clone, PartialEq)]
pub enum Answered {
    /// In a plane.
    Plane(Box<Boundary>),
    /// Along a line.
    Line(Box<Curves>),
}

impl Answered {
    /// What suits the model; a slice that is asked for is a plane. `side` is as for [`boundary_on`].
    ///
    /// ```
    /// use mercer_model::{Learner, Setting, Spec, Training, fit};
    /// use mercer_picture::{Answered, Rows, SIDE, Slice};
    /// let mut table = mercer_points::read("@sinc(n=40)", &Default::default()).unwrap();
    /// let name = table.columns().last().unwrap().name.clone();
    /// let target = table.remove(&name).unwrap();
    /// let spec = Spec::new("rbf(sigma=1)".parse().unwrap(), Learner::Cholesky);
    /// let model = fit(&spec, &Training::new(&table, &target), &Setting::default()).unwrap();
    /// let rows = Rows { table: &table, target: Some(&target), name: "@sinc" };
    /// assert!(matches!(Answered::of(&model, &rows, &Slice::Usual, SIDE).unwrap(), Answered::Line(_)));
    /// ```
    pub fn of(model: &Model, rows: &Rows<'_>, slice: &Slice, side: usize) -> Result<Self, PictureError> {
        let is_line = features(model, rows.table).is_some_and(|names| names.len() == 1);
        if is_line && *slice == Slice::Usual {
            return Ok(Self::Line(Box::new(curves(&[("the model".to_owned(), model)], rows)?)));
        }
        Ok(Self::Plane(Box::new(boundary_on(model, rows, slice, side)?)))
    }

    /// The picture on axes.
    pub fn figure(&self, look: Look) -> Figure {
        match self {
            Self::Plane(view) => view.figure(look),
            Self::Line(view) => view.figure(look),
        }
    }
}

//! Functions of the user's, under names of the user's.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use mercer_points::{Dense, Points, Texts};

use super::Kernel;
use crate::{KernelError, KernelExpr, ParseErrors};

type OnVectors = dyn Fn(&[f64], &[f64]) -> f64 + Send + Sync;
type OnTexts = dyn Fn(&str, &str) -> f64 + Send + Sync;

/// A function of the user's.
#[derive(Clone)]
pub(crate) enum UserKernel {
    Vectors(Arc<OnVectors>),
    Texts(Arc<OnTexts>),
}

/// The names that a user gave to kernels of their own.
///
/// Nothing is known about such a function: its Mercer status is *unknown*, and `check` measures it.
///
/// ```
/// use mercer_kernel::Registry;
/// let mut registry = Registry::new();
/// registry.vectors("overlap", |x, z| x.iter().zip(z).map(|(a, b)| a.min(*b)).sum()).unwrap();
/// let k = registry.parse("overlap + 0.1*linear").unwrap();
/// assert_eq!(k.to_string(), "overlap + 0.1*linear");
/// ```
#[derive(Clone, Default)]
pub struct Registry {
    kernels: BTreeMap<String, UserKernel>,
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.kernels.keys()).finish()
    }
}

impl Registry {
    /// No names yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Registers a function of two vectors. It should be symmetric and not change.
    pub fn vectors(
        &mut self,
        name: &str,
        kernel: impl Fn(&[f64], &[f64]) -> f64 + Send + Sync + 'static,
    ) -> Result<(), KernelError> {
        self.register(name, UserKernel::Vectors(Arc::new(kernel)))
    }

    /// Registers a function of two texts. It should be symmetric and not change.
    pub fn texts(
        &mut self,
        name: &str,
        kernel: impl Fn(&str, &str) -> f64 + Send + Sync + 'static,
    ) -> Result<(), KernelError> {
        self.register(name, UserKernel::Texts(Arc::new(kernel)))
    }

    fn register(&mut self, name: &str, kernel: UserKernel) -> Result<(), KernelError> {
        crate::language::check_user_name(name).map_err(KernelError::Name)?;
        self.kernels.insert(name.to_owned(), kernel);
        Ok(())
    }

    /// Parses an expression in which the registered names stand for kernels.
    pub fn parse(&self, text: &str) -> Result<KernelExpr, ParseErrors> {
        let names: Vec<String> = self.kernels.keys().cloned().collect();
        crate::language::parse_with(text, &names)
    }

    pub(crate) fn find(&self, name: &str) -> Option<&UserKernel> {
        self.kernels.get(name)
    }
}

/// Runs a function of the user's over a block, pair by pair.
pub(crate) struct EachPair<F: ?Sized>(pub(crate) Arc<F>);

impl Kernel<Dense<f64>> for EachPair<OnVectors> {
    type Ready = Dense<f64>;

    fn eval(&self, x: &[f64], z: &[f64]) -> f64 {
        (self.0)(x, z)
    }

    fn ready(&self, points: &Dense<f64>) -> Dense<f64> {
        points.clone()
    }

    fn tile(
        &self,
        x: (&Dense<f64>, &[usize]),
        z: (&Dense<f64>, Range<usize>),
        out: &mut [f64],
        stride: usize,
    ) {
        each_pair(x, z, out, stride, |x, z| (self.0)(x, z));
    }
}

impl Kernel<Texts> for EachPair<OnTexts> {
    type Ready = Texts;

    fn eval(&self, x: &str, z: &str) -> f64 {
        (self.0)(x, z)
    }

    fn ready(&self, points: &Texts) -> Texts {
        points.clone()
    }

    fn tile(&self, x: (&Texts, &[usize]), z: (&Texts, Range<usize>), out: &mut [f64], stride: usize) {
        each_pair(x, z, out, stride, |x, z| (self.0)(x, z));
    }
}

fn each_pair<P: Points>(
    (x, rows): (&P, &[usize]),
    (z, columns): (&P, Range<usize>),
    out: &mut [f64],
    stride: usize,
    kernel: impl Fn(P::Point<'_>, P::Point<'_>) -> f64,
) {
    for (&row, out) in rows.iter().zip(out.chunks_mut(stride)) {
        for (slot, j) in out.iter_mut().zip(columns.clone()) {
            *slot = kernel(x.point(row), z.point(j));
        }
    }
}

//! A Gram matrix that remembers its last product.

use std::sync::{Mutex, PoisonError};

use crate::gram::stand_for;
use crate::{Gram, Stop};

/// The same matrix; [`products`](Gram::products) of the vector that was asked for last are not computed again, and what a
/// solver has [noted](Gram::remember) is there for the certificate.
///
/// ```
/// use mercer_gram::{Gram, Lazy, Remembered};
/// use mercer_points::{ReadOptions, read};
/// let mut table = read("@moons(n=50)", &ReadOptions::default()).unwrap();
/// table.remove("label").unwrap();
/// let gram = Lazy::new(&"rbf".parse().unwrap(), &table).unwrap();
/// let alpha = vec![0.5; 50];
/// let remembered = Remembered::new(&gram);
/// let products = remembered.products(&alpha, &|_, _| false).unwrap();
/// // What the matrix has computed is not what a solver said.
/// assert_eq!(remembered.recall(&alpha), None);
/// remembered.remember(&alpha, &products, vec![7]);
/// assert_eq!(remembered.recall(&alpha), Some((products, vec![7])));
/// ```
pub struct Remembered<'a> {
    gram: &'a dyn Gram,
    last: Mutex<Option<Noted>>,
}

/// A vector and its products.
struct Noted {
    alpha: Vec<f64>,
    products: Vec<f64>,
    /// Where those are in single precision, if a solver said what they are; else the matrix has computed them.
    said: Option<Vec<usize>>,
}

impl<'a> Remembered<'a> {
    /// Nothing is remembered yet.
    pub fn new(gram: &'a dyn Gram) -> Self {
        Self { gram, last: Mutex::new(None) }
    }

    fn note(&self, alpha: &[f64], products: &[f64], said: Option<Vec<usize>>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some(Noted { alpha: alpha.to_vec(), products: products.to_vec(), said });
    }

    /// What was noted of this vector.
    fn noted<R>(&self, alpha: &[f64], take: impl FnOnce(&Noted) -> Option<R>) -> Option<R> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().filter(|noted| noted.alpha == alpha).and_then(take)
    }
}

impl Gram for Remembered<'_> {
    stand_for!(gram);

    fn keeps_square(&self) -> bool {
        self.gram.keeps_square()
    }

    fn whole_single(&self, stop: &Stop<'_>) -> Option<&[f32]> {
        self.gram.whole_single(stop)
    }

    fn products(&self, alpha: &[f64], stop: &dyn Fn(usize, usize) -> bool) -> Option<Vec<f64>> {
        let computed = |noted: &Noted| noted.said.is_none().then(|| noted.products.clone());
        if let Some(products) = self.noted(alpha, computed) {
            return Some(products);
        }
        let products = self.gram.products(alpha, stop)?;
        self.note(alpha, &products, None);
        Some(products)
    }

    fn remember(&self, alpha: &[f64], products: &[f64], rough: Vec<usize>) {
        self.note(alpha, products, Some(rough));
    }

    fn recall(&self, alpha: &[f64]) -> Option<(Vec<f64>, Vec<usize>)> {
        self.noted(alpha, |noted| Some((noted.products.clone(), noted.said.clone()?)))
    }
}

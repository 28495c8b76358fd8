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
/// assert_eq!(remembered.recall(&alpha), Some((products, vec![])));
/// ```
pub struct Remembered<'a> {
    gram: &'a dyn Gram,
    last: Mutex<Option<Noted>>,
}

/// A vector, its products, and where those are in single precision.
type Noted = (Vec<f64>, Vec<f64>, Vec<usize>);

impl<'a> Remembered<'a> {
    /// Nothing is remembered yet.
    pub fn new(gram: &'a dyn Gram) -> Self {
        Self { gram, last: Mutex::new(None) }
    }

    fn note(&self, alpha: &[f64], products: &[f64], rough: Vec<usize>) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        *last = Some((alpha.to_vec(), products.to_vec(), rough));
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
        if let Some((products, rough)) = self.recall(alpha)
            && rough.is_empty()
        {
            return Some(products);
        }
        let products = self.gram.products(alpha, stop)?;
        self.note(alpha, &products, Vec::new());
        Some(products)
    }

    fn remember(&self, alpha: &[f64], products: &[f64], rough: Vec<usize>) {
        self.note(alpha, products, rough);
    }

    fn recall(&self, alpha: &[f64]) -> Option<(Vec<f64>, Vec<usize>)> {
        let last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, products, rough) = last.as_ref().filter(|(of, _, _)| of == alpha)?;
        Some((products.clone(), rough.clone()))
    }
}

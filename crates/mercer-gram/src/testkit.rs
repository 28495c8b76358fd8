//! The laws that every Gram matrix obeys, as one function.

use crate::{Crossings, Gram, Precision, Remembered, Selection, Shifted, Sub};

/// Checks a Gram matrix: diagonal, rows in both precisions and any order, sums of rows, squares, products with one and
/// several vectors, a sub-matrix and a shift, all against its entries; `tolerance` is relative to the largest diagonal entry.
///
/// # Panics
/// With the law that does not hold, and where.
///
/// ```
/// use mercer_gram::{Lazy, testkit::check_gram};
/// use mercer_points::{ReadOptions, read};
/// let table = read("@xor(n=30)", &ReadOptions::default()).unwrap();
/// check_gram(&Lazy::new(&"rbf".parse().unwrap(), &table).unwrap(), 2e-6);
/// ```
pub fn check_gram(gram: &dyn Gram, tolerance: f64) {
    one(gram, tolerance);
    one(&Shifted::new(gram, 0.25), tolerance);
    let rows: Vec<usize> = (0..gram.len()).rev().step_by(3).collect();
    one(&Sub::new(gram, rows), tolerance);
    one(&Remembered::new(gram), tolerance);
}

fn one(gram: &dyn Gram, tolerance: f64) {
    let n = gram.len();
    let mut diagonal = vec![0.0; n];
    gram.diagonal(&mut diagonal);
    let scale = diagonal.iter().fold(1.0, |scale: f64, v| scale.max(v.abs()));
    let near = |a: f64, b: f64| (a - b).abs() <= tolerance * scale;
    for (i, &k) in diagonal.iter().enumerate() {
        assert_eq!(k, gram.entry(i, i), "the diagonal at {i}");
    }
    let order: Vec<usize> = (0..n).map(|i| (i * 7 + 3) % n.max(1)).collect();
    let (mut single, mut double) = (vec![0.0; n * n], vec![0.0; n * n]);
    gram.rows_single(&order, &mut single);
    gram.rows_double(&order, &mut double);
    for (at, &i) in order.iter().enumerate() {
        for j in 0..n {
            let want = gram.entry(i, j);
            assert!(near(double[at * n + j], want), "({i},{j}) in f64: {} and {want}", double[at * n + j]);
            assert!((f64::from(single[at * n + j]) - want).abs() <= 2e-6 * scale, "({i},{j}) in f32");
        }
    }
    sums_and_squares(gram, &order[..n - n / 3], (tolerance * scale, 2e-6 * scale));
    let vectors: Vec<f64> = (0..3 * n).map(|at| ((at * 31 % 17) as f64 - 8.0) / 8.0).collect();
    let mut products = vec![0.0; 3 * n];
    gram.apply(&vectors, &mut products);
    for (vector, product) in vectors.chunks_exact(n.max(1)).zip(products.chunks_exact(n.max(1))) {
        for (i, &found) in product.iter().enumerate() {
            let want: f64 = (0..n).map(|j| gram.entry(i, j) * vector[j]).sum();
            assert!(
                (found - want).abs() <= tolerance * scale * n as f64,
                "product at {i}: {found} and {want}"
            );
        }
    }
}

/// Sums of rows, the square at their crossings and products, in both precisions.
fn sums_and_squares(gram: &dyn Gram, rows: &[usize], (double, single): (f64, f64)) {
    let (n, count) = (gram.len(), rows.len());
    let weights: Vec<f64> = (0..count).map(|at| ((at * 13 % 9) as f64 - 4.0) / 4.0).collect();
    let mut alpha = vec![0.0; n];
    rows.iter().zip(&weights).for_each(|(&i, w)| alpha[i] += *w);
    let (mut in_double, mut in_single) = (vec![1.0; n], vec![1.0; n]);
    gram.add_rows_double(rows, &weights, &mut in_double);
    gram.add_rows_single(rows, &weights, &mut in_single);
    // At some rows alone: with and without coefficients, in any order, one of them twice.
    let at: Vec<usize> = (0..n).rev().step_by(2).chain((0..n).take(1)).chain((0..n).take(1)).collect();
    let few: Vec<usize> = (0..n).step_by(7).take(3).collect();
    let precisions = [(Precision::Double, double), (Precision::Single, single)];
    for (at, (precision, allowed)) in [&at, &few].into_iter().flat_map(|at| precisions.map(|p| (at, p))) {
        let found = gram.products_at(at, &alpha, precision, &|_, _| false).expect("nobody stops it");
        for (&i, found) in at.iter().zip(found) {
            let want: f64 = (0..n).map(|j| gram.entry(i, j) * alpha[j]).sum();
            assert!((found - want).abs() <= allowed * n as f64, "product at {i} alone: {found} and {want}");
        }
    }
    let products = gram.products(&alpha, &|_, _| false).expect("nobody stops it");
    assert_eq!(gram.products(&alpha, &|_, _| false).as_ref(), Some(&products), "the same product twice");
    for j in 0..n {
        let want: f64 = rows.iter().zip(&weights).map(|(&i, w)| w * gram.entry(i, j)).sum();
        assert!((in_double[j] - 1.0 - want).abs() <= double * n as f64, "sum at {j} in f64");
        assert!((in_single[j] - 1.0 - want).abs() <= single * n as f64, "sum at {j} in f32");
        assert!((products[j] - want).abs() <= double * n as f64, "product at {j}");
    }
    let (mut square, mut rough) = (vec![0.0; count * count], vec![0.0; count * count]);
    gram.square_double(rows, &mut square, &|| false);
    gram.square_single(rows, &mut rough, &|| false);
    for (at, (fine, rough)) in square.iter().zip(&rough).enumerate() {
        let want = gram.entry(rows[at / count], rows[at % count]);
        assert!((fine - want).abs() <= double, "square at {at} in f64: {fine} and {want}");
        assert!((f64::from(*rough) - want).abs() <= single, "square at {at} in f32: {rough} and {want}");
    }
    if let Some(mut selection) = gram.selection() {
        // Another one, that one with others behind it, and less of it, before the rows that are asked for.
        let turned: Vec<usize> = rows.iter().rev().copied().collect();
        for rows in [&turned, &[&turned[..], rows].concat(), &turned[..count / 2], &[], rows] {
            selection.arrange(rows);
            summed(gram, &*selection, rows, (double, single));
        }
        crossed(&*selection, &rough);
    }
}

/// Sums over rows that have no place, at the places of some others.
fn summed(gram: &dyn Gram, selection: &dyn Selection, places: &[usize], (double, single): (f64, f64)) {
    let n = gram.len();
    let rows: Vec<usize> = (0..n).filter(|row| !places.contains(row)).collect();
    let weights: Vec<f64> = rows.iter().map(|row| ((row * 7 % 5) as f64 - 2.0) / 2.0).collect();
    let (mut in_double, mut in_single) = (vec![1.0; places.len()], vec![1.0; places.len()]);
    selection.add_rows_double(&rows, &weights, &mut in_double);
    selection.add_rows_single(&rows, &weights, &mut in_single);
    for (place, &j) in places.iter().enumerate() {
        let want: f64 = 1.0 + rows.iter().zip(&weights).map(|(&i, w)| w * gram.entry(i, j)).sum::<f64>();
        assert!(
            (in_double[place] - want).abs() <= double * n as f64,
            "sum at place {place}, row {j}, in f64"
        );
        assert!(
            (in_single[place] - want).abs() <= single * n as f64,
            "sum at place {place}, row {j}, in f32"
        );
    }
}

/// A square that is had in parts is the one that is had as a whole, to the last bit; nothing else is written.
fn crossed(crossings: &dyn Crossings, square: &[f32]) {
    let count = square.len().isqrt();
    let cut = (count / 2).next_multiple_of(16).min(count);
    for (lines, columns) in [(0..count, 0..count), (count / 3..count, cut..count), (0..count / 2, 0..cut)] {
        let mut out = vec![f32::NAN; lines.len() * count];
        crossings.fill(lines.clone(), columns.clone(), &mut out);
        for (at, found) in out.iter().enumerate() {
            let (line, column) = (lines.start + at / count, at % count);
            let is_right = if columns.contains(&column) {
                found.to_bits() == square[line * count + column].to_bits()
            } else {
                found.is_nan()
            };
            assert!(is_right, "({line},{column}) of a square in parts");
        }
    }
}

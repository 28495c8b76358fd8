//! Products of blocks with many weights: what a matrix of all entries gives.

use mercer_gram::{Gram, Lazy, Precision, Segment};
use mercer_points::{ReadOptions, read};

#[test]
fn segments_of_few_and_of_many_outputs_are_sums_over_entries() {
    let mut table = read("@moons(n=431)", &ReadOptions::default()).unwrap();
    table.remove("label").unwrap();
    let gram = Lazy::new(&"rbf(sigma=0.6)".parse().unwrap(), &table).unwrap();
    let weight = |column: usize, output: usize| ((column * 7 + output * 13) % 19) as f64 / 9.0 - 1.0;
    for counts in [[1, 7, 8], [32, 2, 33], [40, 64, 9]] {
        let outputs = counts.iter().max().unwrap() + 3;
        let mut start = 0;
        let segments: Vec<Segment> = [130, 1, 300]
            .iter()
            .zip(counts)
            .map(|(&length, count)| {
                let columns = start..start + length;
                start += length;
                // Every output but some, the last ones first.
                let named: Vec<usize> = (0..outputs).rev().filter(|o| o % 5 != 2).take(count).collect();
                let weights =
                    named.iter().flat_map(|&o| columns.clone().map(move |c| weight(c, o))).collect();
                Segment { columns, outputs: named, weights }
            })
            .collect();
        for (precision, allowed) in [(Precision::Double, 1e-10), (Precision::Single, 1e-3)] {
            let mut each = Vec::new();
            for threads in [1, 3, 7] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let mut out = vec![f64::NAN; outputs * gram.len()];
                pool.install(|| gram.cross_segments(gram.points(), &segments, precision, &mut out));
                each.push(out);
            }
            assert!(
                each.windows(2).all(|pair| pair[0] == pair[1]),
                "the same bits for any number of threads"
            );
            for row in (0..gram.len()).step_by(37) {
                for output in 0..outputs {
                    let having = segments.iter().filter(|segment| segment.outputs.contains(&output));
                    let want: f64 = having
                        .flat_map(|segment| segment.columns.clone())
                        .map(|column| gram.entry(row, column) * weight(column, output))
                        .sum();
                    let found = each[0][output * gram.len() + row];
                    assert!((found - want).abs() <= allowed, "{counts:?} {row} {output}: {found} {want}");
                }
            }
        }
    }
}

#[test]
fn a_segment_without_columns_adds_nothing() {
    let mut table = read("@moons(n=40)", &ReadOptions::default()).unwrap();
    table.remove("label").unwrap();
    let gram = Lazy::new(&"rbf(sigma=0.6)".parse().unwrap(), &table).unwrap();
    let segment = |columns: std::ops::Range<usize>, outputs: usize| Segment {
        weights: vec![0.5; columns.len() * outputs],
        columns,
        outputs: (0..outputs).collect(),
    };
    for outputs in [1, 9] {
        let product = |segments: &[Segment]| {
            let mut out = vec![f64::NAN; outputs * gram.len()];
            gram.cross_segments(gram.points(), segments, Precision::Double, &mut out);
            out
        };
        let with = product(&[
            segment(0..0, outputs),
            segment(0..5, outputs),
            segment(5..5, outputs),
            segment(5..40, outputs),
            segment(40..40, outputs),
        ]);
        assert_eq!(with, product(&[segment(0..5, outputs), segment(5..40, outputs)]));
        assert_eq!(product(&[segment(5..5, outputs)]), vec![0.0; outputs * gram.len()]);
    }
}

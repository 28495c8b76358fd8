//! The numbers along a scale: three to five round ones, or the ends and the middle.

use crate::Range;

/// A value on a scale and how it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

/// Three to five ticks of a drawable range, in order.
pub(super) fn ticks(range: Range) -> Vec<Tick> {
    let Range { low, high } = range;
    let width = high - low;
    if !(width.is_finite() && width > 0.0) {
        return ends_and_middle(range);
    }
    let magnitude = (width / 10.0).log10().floor() as i32;
    let steps = (magnitude..magnitude + 3).flat_map(|power| [1.0, 2.0, 2.5, 5.0].map(|round| (round, power)));
    for (round, power) in steps {
        let step = round * 10_f64.powi(power);
        let slack = 1e-9 * (high - low);
        let (first, last) = (((low - slack) / step).ceil(), ((high + slack) / step).floor());
        let count = last - first + 1.0;
        if (3.0..=5.0).contains(&count) {
            // One digit after the step's own, for 0.25 and the like.
            let decimals = (-power + i32::from(round == 2.5)).max(0) as usize;
            return (0..count as usize)
                .map(|place| (first + place as f64) * step)
                .map(|value| Tick { value, label: label(value, decimals, range) })
                .collect();
        }
    }
    ends_and_middle(range)
}

/// The two ends and the middle, to three significant digits of the width.
pub(super) fn ends_and_middle(range: Range) -> Vec<Tick> {
    let Range { low, high } = range;
    // A width that is no number, or none at all, asks for no more digits than 1 does.
    let width = Some(high - low).filter(|width| width.is_finite() && *width > 0.0).unwrap_or(1.0);
    let decimals = (2 - width.log10().floor() as i32).max(0) as usize;
    [low, 0.5 * low + 0.5 * high, high]
        .map(|value| Tick { value, label: label(value, decimals, range) })
        .into()
}

/// One number by itself, in three digits.
pub(super) fn number_label(value: f64) -> String {
    let decimals = (2 - value.abs().max(f64::MIN_POSITIVE).log10().floor() as i32).max(0) as usize;
    label(value, decimals, Range::new(value.min(0.0), value.max(0.0)))
}

/// A number with a true minus sign; very large and very small scales use powers of ten.
fn label(value: f64, decimals: usize, range: Range) -> String {
    let largest = range.low.abs().max(range.high.abs());
    let written = if value.abs() < 1e-12 * largest {
        "0".to_owned()
    } else if (1e-3..1e5).contains(&largest) || ((1e5..1e9).contains(&largest) && decimals > 0) {
        let fixed = format!("{value:.decimals$}");
        let trimmed =
            if fixed.contains('.') { fixed.trim_end_matches('0').trim_end_matches('.') } else { &fixed };
        if trimmed == "-0" { "0".to_owned() } else { trimmed.to_owned() }
    } else {
        let scientific = format!("{value:.2e}");
        match scientific.split_once('e') {
            Some((digits, power)) => {
                format!("{}e{power}", digits.trim_end_matches('0').trim_end_matches('.'))
            }
            None => scientific,
        }
    };
    written.replace('-', "−")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64) -> Vec<String> {
        ticks(Range::new(low, high)).into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn labels_are_round() {
        assert_eq!(labels(0.0, 1.0), ["0", "0.25", "0.5", "0.75", "1"]);
        assert_eq!(labels(-1.0, 1.0), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(labels(0.0, 40.0), ["0", "10", "20", "30", "40"]);
        assert_eq!(labels(0.0, 2e7), ["0", "5e6", "1e7", "1.5e7", "2e7"]);
        assert_eq!(labels(-0.37, 0.93), ["−0.25", "0", "0.25", "0.5", "0.75"]);
        assert_eq!(labels(0.0, 4e-8), ["0", "1e−8", "2e−8", "3e−8", "4e−8"]);
    }

    #[test]
    fn every_range_has_three_to_five_distinct_ticks_inside() {
        for (low, high) in [
            (0.0, 1.0),
            (0.37, 0.93),
            (-3.3, 0.01),
            (7.0, 7.9),
            (1e6, 1e6 + 1.0),
            (-1e-9, 3e-9),
            (0.0, 3.4e38),
        ] {
            let range = Range::new(low, high);
            for ticks in [ticks(range), ends_and_middle(range)] {
                assert!((3..=5).contains(&ticks.len()), "{ticks:?}");
                let slack = 1e-6 * (high - low);
                for tick in &ticks {
                    assert!(tick.value >= low - slack && tick.value <= high + slack);
                }
                assert!(ticks.windows(2).all(|pair| pair[0].label != pair[1].label), "{ticks:?}");
            }
        }
    }
}

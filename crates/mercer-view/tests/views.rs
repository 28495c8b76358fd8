//! Every view on data that are fine, empty, constant, not finite, of one class, of two hundred, and with markup in every
//! name: a picture comes of all of it, at both ends of the widths and in both themes.

use mercer_view::{
    Boundary, Curve, Curves, Field, Figure, Geometry, Ground, Look, Losses, Path, Ranking, Reliability,
    Residuals, Roc, Share, Spectrum, Spot, Step, Support, Sweep, Theme, Trace, Trial, Tuning, View, Visited,
};

const EVIL: &str = "<script>&\"'\u{0}\u{202e} a rather long name that does not fit anywhere at all";

/// What a number of a row may be.
#[derive(Clone, Copy, Debug)]
enum Kind {
    Fine,
    Constant,
    NotFinite,
    Huge,
}

impl Kind {
    fn value(self, k: usize) -> f64 {
        match self {
            Self::Fine => (k as f64 * 0.7).sin() * 3.0,
            Self::Constant => 5.0,
            Self::NotFinite => [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1.0][k % 4],
            Self::Huge => [f64::MAX, f64::MIN, 5e-324, 0.0][k % 4],
        }
    }
}

fn look(width: f64, theme: Theme) -> Look {
    Look::wide(width).themed(theme)
}

fn names(count: usize) -> Vec<String> {
    (0..count).map(|k| format!("{k}{EVIL}")).collect()
}

fn boundary(kind: Kind, rows: usize, classes: usize) -> Boundary {
    let side = rows.min(12);
    let field = Field {
        x: (kind.value(0), kind.value(1)),
        y: (kind.value(2), kind.value(3)),
        columns: side,
        rows: side,
        values: (0..side * side).map(|k| kind.value(k)).collect(),
    };
    let ground = match classes {
        0 => Ground::Numbers(field),
        1 | 2 => Ground::Scores(field),
        _ => Ground::Regions(Field {
            values: (0..side * side).map(|k| (k % classes) as f64).collect(),
            ..field
        }),
    };
    let spot = |k: usize| Spot {
        support: [Support::None, Support::Free, Support::Bound][k % 3],
        slack: kind.value(k),
        ..Spot::new([kind.value(k), kind.value(k + 1)], (classes > 0).then(|| k % classes.max(1)))
    };
    Boundary {
        subtitle: EVIL.into(),
        target: EVIL.into(),
        classes: names(classes),
        spots: (0..rows).map(spot).collect(),
        captions: vec![EVIL.into()],
        notes: vec![EVIL.into()],
        ..Boundary::new(EVIL, [EVIL, EVIL], ground)
    }
}

fn all(kind: Kind, rows: usize, classes: usize, look: Look) -> Vec<Figure> {
    let pairs = || (0..rows).map(|k| [kind.value(k), kind.value(k + 1)]).collect::<Vec<_>>();
    let curve = || Curve { name: EVIL.into(), points: pairs(), tube: Some(kind.value(1)) };
    let values = || (0..rows).map(|k| kind.value(k)).collect::<Vec<_>>();
    let plane = boundary(kind, rows, classes);
    let curves = Curves {
        title: EVIL.into(),
        x: EVIL.into(),
        curves: vec![curve(), curve()],
        spots: plane.spots.clone(),
        classes: names(classes),
        levels: vec![0.0],
        ..Curves::default()
    };
    let visited = |k: usize| Visited {
        iteration: k as f64,
        primal: Some(kind.value(k)),
        dual: Some(kind.value(k + 1)),
    };
    let ranking = || Ranking { name: EVIL.into(), roc: pairs(), precision: pairs(), ..Ranking::default() };
    let share = |k: usize| Share {
        from: kind.value(k),
        to: kind.value(k + 1),
        probability: kind.value(k),
        correct: kind.value(k),
        weight: kind.value(k),
    };
    let trial = |k: usize| Trial {
        kernel: k % 3,
        strength: k / 3,
        mean: kind.value(k),
        error: Some(kind.value(k)),
        near: k.is_multiple_of(2),
    };
    let tuning = |kernels: usize| Tuning {
        kernels: names(kernels),
        strengths: names(rows.div_ceil(3)),
        trials: (0..rows).map(trial).collect(),
        best: Some(0),
        simplest: Some(rows),
        ..Tuning::default()
    };
    let step = |k: usize| Step {
        strength: kind.value(k),
        training: kind.value(k),
        held_out: Some((kind.value(k), Some(kind.value(k)))),
        support: k,
    };
    let geometry = Geometry {
        features: [EVIL.into(), EVIL.into(), EVIL.into()],
        points: pairs(),
        lifted: (0..rows).map(|k| [kind.value(k), kind.value(k + 1), kind.value(k + 2)]).collect(),
        codes: (0..rows).map(|k| k % classes.max(1)).collect(),
        classes: names(classes),
        plane: Some([kind.value(0), 1.0, 0.0, kind.value(1)]),
        score: Some(plane.ground.field().clone()),
        ..Geometry::default()
    };
    let panels =
        vec![(EVIL.to_owned(), plane.clone()), (String::new(), plane.clone()), (EVIL.into(), plane.clone())];
    vec![
        plane.figure(look),
        Sweep { title: EVIL.into(), panels, ..Sweep::default() }.figure(look),
        curves.figure(look),
        Losses { margins: vec![curve()], residuals: vec![curve(); 9], highest: 3.0, ..Losses::default() }
            .figure(look),
        Trace { points: (0..rows).map(visited).collect(), ..Trace::default() }.figure(look),
        Spectrum { values: values(), error: kind.value(1), ..Spectrum::default() }.figure(look),
        Roc { rankings: (0..classes).map(|_| ranking()).collect(), ..Roc::default() }.figure(look),
        Reliability { shares: (0..rows.min(10)).map(share).collect(), ..Reliability::default() }.figure(look),
        Residuals { predicted: values(), truth: values(), target: EVIL.into(), ..Residuals::default() }
            .figure(look),
        tuning(3).figure(look),
        tuning(1).figure(look),
        Path { steps: (0..rows).map(step).collect(), best: Some(0), ..Path::default() }.figure(look),
        geometry.figure(look),
    ]
}

#[test]
fn whatever_comes_is_drawn_and_nothing_is_markup() {
    for kind in [Kind::Fine, Kind::Constant, Kind::NotFinite, Kind::Huge] {
        for (rows, classes) in [(0, 0), (1, 1), (30, 2), (30, 0), (40, 200)] {
            for (place, figure) in all(kind, rows, classes, look(300.0, Theme::Light)).iter().enumerate() {
                let svg = figure.svg().unwrap();
                let said = format!("view {place}, {kind:?}, {rows} rows, {classes} classes");
                assert!(!svg.contains("<script") && !svg.contains("NaN") && !svg.contains("inf"), "{said}");
                figure.png().unwrap_or_else(|error| panic!("{said}: {error}"));
            }
        }
    }
}

#[test]
fn pictures_keep_to_their_width_in_both_themes() {
    for width in [300.0, 400.0, 900.0, 2400.0] {
        for theme in [Theme::Light, Theme::Dark] {
            for figure in all(Kind::Fine, 30, 2, look(width, theme)) {
                let svg = figure.svg().unwrap();
                let found: f64 =
                    svg.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
                assert!(found <= width + 0.5, "{}: {found} at {width}", figure.title);
            }
        }
    }
}

#[test]
fn views_are_plain_data() {
    fn is_data<T: serde::Serialize>(_: &T) {}
    is_data(&boundary(Kind::Fine, 3, 2));
    is_data(&boundary(Kind::Fine, 3, 2).figure(Look::default()));
}

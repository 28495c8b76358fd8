//! Views at the edges of what can be drawn. Set `MERCER_VIEW_PICTURES` to a folder to look at them.

use std::env;
use std::path::Path;

use mercer_view::{ColourMap, Error, Grid, Group, HeatMap, Panel, Range, Scale, Theme, View, write};

/// Draws the view both ways, and checks what holds of every picture.
fn draw(name: &str, view: &HeatMap) -> String {
    let svg = view.svg().expect("the view is drawn");
    let tree =
        resvg::usvg::Tree::from_str(&svg, &resvg::usvg::Options::default()).expect("the SVG is well formed");
    assert!(tree.size().width() >= 100.0 && tree.size().height() >= 50.0);
    for tag in ["<title>", "<desc>", "viewBox", "font-family"] {
        assert!(svg.contains(tag), "{name}: no {tag}");
    }
    assert!(!svg.contains("<script") && !svg.contains("NaN") && !svg.contains("inf\""), "{name}");
    assert!(view.png().expect("the SVG is rasterised").starts_with(b"\x89PNG"), "{name}");
    if let Some(folder) = env::var_os("MERCER_VIEW_PICTURES") {
        for ending in ["svg", "png"] {
            write(Path::new(&folder).join(format!("{name}.{ending}")), view).expect("the folder is there");
        }
    }
    svg
}

fn wave(n: usize) -> Grid {
    Grid::symmetric(n, |i, j| (-((i as f64 - j as f64) * 6.0 / n as f64).powi(2)).exp())
}

#[test]
fn sizes_zero_one_two() {
    for n in [0, 1, 2] {
        let svg =
            draw(&format!("size-{n}"), &HeatMap::new(format!("{n} rows"), vec![Panel::new("k", wave(n))]));
        assert_eq!(svg.contains("<image"), n > 0);
        assert_eq!(svg.contains("no rows"), n == 0);
    }
    draw("no-panels", &HeatMap::new("nothing", Vec::new()));
    draw("no-text", &HeatMap::new("", vec![Panel::new("", wave(20))]));
}

#[test]
fn constant_matrices_have_a_scale() {
    for constant in [0.0, 1.0, -2.5, 1e-300, 1e300] {
        let panel = Panel::new("constant", Grid::from_fn(5, |_, _| constant));
        let svg = draw(&format!("constant-{constant:e}"), &HeatMap::new("Constant", vec![panel]));
        assert!(svg.matches("<text").count() >= 5, "title, panel and three numbers");
    }
}

#[test]
fn missing_cells_are_hatched_and_told() {
    let broken = Grid::from_fn(20, |i, j| match (i, j) {
        (3, 4..=9) => f64::NAN,
        (12.., 2) => f64::INFINITY,
        _ => (i as f64 - j as f64) / 19.0,
    });
    let view = HeatMap::new("Missing", vec![Panel::new("a", broken), Panel::new("b", wave(20))]);
    for (name, theme) in [("missing-light", Theme::Light), ("missing-dark", Theme::Dark)] {
        let svg = draw(name, &HeatMap { theme, ..view.clone() });
        assert!(svg.contains("14 entries are not finite") && svg.contains("pattern id="));
    }
    let all = Panel::new("", Grid::from_fn(3, |_, _| f64::NAN));
    draw("missing-all", &HeatMap::new("All missing", vec![all]));
}

#[test]
fn many_classes_become_ticks() {
    for classes in [3, 10, 26, 200] {
        let groups: Vec<Group> =
            (0..classes).map(|class| Group::new(format!("class {class}"), 600 / classes)).collect();
        let rows = groups.iter().map(|group| group.count).sum();
        let panels = vec![Panel::new("wave", wave(rows)), Panel::ideal(&groups)];
        let svg = draw(&format!("classes-{classes}"), &HeatMap { groups, ..HeatMap::new("Classes", panels) });
        assert_eq!(svg.contains(">class 1<"), classes <= 10);
        assert_eq!(svg.contains("rows in 200 groups"), classes == 200);
    }
}

#[test]
fn hostile_and_long_text_stays_inside() {
    let hostile = "<script>&\"'\u{0}\u{202e}</title><image href='x'/>";
    let long = "normalize(0.5*rbf(sigma=0.25)+polynomial(degree=3)) ".repeat(6);
    let groups = vec![Group::new(hostile, 4), Group::new("unbroken".repeat(20), 6)];
    let panel = Panel { captions: vec![hostile.into(), long.clone()], ..Panel::new(long.clone(), wave(10)) };
    let panels = vec![panel.clone(), Panel::new(hostile, wave(10)), panel];
    let view = HeatMap {
        subtitle: "W".repeat(300),
        note: format!("{hostile} {long}"),
        groups,
        ..HeatMap::new(long.clone(), panels)
    };
    let svg = draw("hostile", &view);
    assert_eq!(svg.matches("<image").count(), 3);
    assert!(svg.contains(long.trim()), "the whole title is in <title>");
}

#[test]
fn one_to_twelve_panels() {
    for count in 1..=12 {
        let panels = (1..=count).map(|place| Panel {
            captions: vec![format!("alignment {:.2}", 1.0 / place as f64), "centred 0.41".into()],
            ..Panel::new(format!("sigma = {place}"), wave(40 * place))
        });
        let svg =
            draw(&format!("panels-{count}"), &HeatMap::new(format!("{count} panels"), panels.collect()));
        assert_eq!(svg.matches("<image").count(), count);
    }
}

#[test]
fn matrices_keep_to_a_width() {
    let groups = vec![Group::new("a rather long name", 20), Group::new("b", 20)];
    for (width, count) in [(300.0, 1), (400.0, 2), (400.0, 6), (900.0, 12)] {
        let panel = Panel { captions: vec!["alignment 0.62".into()], ..Panel::new("sigma = 0.5", wave(40)) };
        let panels = vec![panel; count];
        let view = HeatMap { groups: groups.clone(), width: Some(width), ..HeatMap::new("Narrow", panels) };
        let svg = draw(&format!("width-{width}-{count}"), &view);
        let found: f64 = svg.split("width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(found <= 1.13 * width, "{found} at {width}");
    }
}

#[test]
fn own_scales_have_their_own_bars() {
    let signed = Grid::symmetric(60, |i, j| ((i as f64 - j as f64) / 8.0).cos() - 0.3);
    let large = Grid::symmetric(60, |i, j| (i * j) as f64 * 1e4);
    let own = |title: &str, grid: &Grid| Panel {
        scale: Scale::Own(Range::of([grid])),
        ..Panel::new(title, grid.clone())
    };
    let panels = vec![Panel::new("shared", wave(60)), own("signed", &signed), own("large", &large)];
    let view = HeatMap { note: "every 3rd row of 1 500 shown".into(), ..HeatMap::new("Own scales", panels) };
    assert_eq!(draw("own", &view).matches("<linearGradient").count(), 3);
    let signed =
        HeatMap::new("Signed", vec![Panel::new("cosine", signed.clone()), Panel::new("again", signed)]);
    draw("signed", &HeatMap { theme: Theme::Dark, ..signed });
}

#[test]
fn a_view_is_always_the_same_picture() {
    let view = HeatMap::new("Twice", vec![Panel::new("k", wave(50))]);
    assert_eq!(view.png().unwrap(), view.clone().png().unwrap());
}

#[test]
fn matrices_reach_the_png_in_their_colours() {
    let view = HeatMap::new("", vec![Panel::new("", Grid::from_fn(1, |_, _| 1.0))]);
    let mut reader = png::Decoder::new(std::io::Cursor::new(view.png().unwrap())).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let frame = reader.next_frame(&mut pixels).unwrap();
    let middle = 3 * (frame.width / 2 + frame.width * (frame.height / 2)) as usize;
    let top = ColourMap::Sequential.colour(1.0);
    assert_eq!(pixels[middle..middle + 3], [top.red, top.green, top.blue]);
}

#[test]
fn groups_must_cover_the_rows() {
    let view =
        HeatMap { groups: vec![Group::new("a", 2)], ..HeatMap::new("", vec![Panel::new("k", wave(3))]) };
    assert!(matches!(view.svg(), Err(Error::GroupCount { panel: 1, counted: 2, rows: 3, .. })));
}

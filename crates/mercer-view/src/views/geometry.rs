//! What a feature map does to a plane: points of two coordinates, and the same points lifted to three, where a plane may
//! part what no line could (`docs/maths.md` §7).

use serde::Serialize;

use super::spot::{Spot, keys};
use crate::plot::{Axis, Dash, Dot, Field, Figure, Key, Look, Mark, Plot, Swatch, Tone, contours, hull};

/// A feature map from two coordinates to three.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Geometry {
    /// The heading.
    pub title: String,
    /// The map, the name of the data.
    pub subtitle: String,
    /// The names of the two coordinates.
    pub names: [String; 2],
    /// The names of the three features.
    pub features: [String; 3],
    /// The points.
    pub points: Vec<[f64; 2]>,
    /// The same points, lifted.
    pub lifted: Vec<[f64; 3]>,
    /// The class of each point.
    pub codes: Vec<usize>,
    /// The names of the classes.
    pub classes: Vec<String>,
    /// A plane of feature space: a·u + b·v + c·w + d = 0.
    pub plane: Option<[f64; 4]>,
    /// The same function of the two coordinates.
    pub score: Option<Field>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// Where the eye is: turned by so much around the third axis, raised by so much, in radians.
const TURNED: f64 = 0.2;
const RAISED: f64 = 0.42;

impl Geometry {
    /// The plane and the space side by side.
    pub fn figure(&self, look: Look) -> Figure {
        let class = |row: usize| self.codes.get(row).copied();
        let spot = |(row, &at): (usize, &[f64; 2])| Spot::new(at, class(row));
        let spots: Vec<Spot> = self.points.iter().enumerate().map(spot).collect();
        let mut legend = keys(&self.classes, &spots);
        let mut marks = Vec::new();
        let line = (Tone::Strong, 2.0, Dash::Solid);
        if let Some(field) = &self.score {
            let (tone, width, dash) = line;
            marks.extend(contours(field, 0.0).into_iter().map(|points| Mark::Line {
                points,
                tone,
                width,
                dash,
            }));
            legend.push(Key {
                swatch: Swatch::Line { tone, width, dash },
                text: "what the plane cuts out".to_owned(),
            });
        }
        if self.plane.is_some() {
            legend.push(Key {
                swatch: Swatch::Area { tone: Tone::Quiet },
                text: "a plane between the classes".to_owned(),
            });
        }
        marks.push(Mark::Dots(spots.iter().map(Spot::dot).collect()));
        let axis = |place: usize| match self.score.as_ref().map(|field| [field.x, field.y][place]) {
            Some((low, high)) => Axis::new(&self.names[place], low, high),
            None => Axis::around(&self.names[place], self.points.iter().map(|at| at[place])),
        };
        let flat =
            Plot { title: "two coordinates".to_owned(), marks, square: true, ..Plot::new(axis(0), axis(1)) };
        let lifted = Plot {
            title: "three features".to_owned(),
            marks: self.space(),
            square: true,
            ..Plot::new(Axis::bare(-0.95, 0.95), Axis::bare(-0.95, 0.95))
        };
        Figure {
            subtitle: self.subtitle.clone(),
            legend,
            notes: self.notes.clone(),
            ..Figure::new(&self.title, vec![flat, lifted], look)
        }
    }

    fn space(&self) -> Vec<Mark> {
        let bounds: [(f64, f64); 3] = std::array::from_fn(|k| {
            let (low, high) = hull(self.lifted.iter().map(|at| at[k])).unwrap_or((0.0, 1.0));
            if high > low { (low, high) } else { (low - 0.5, low + 0.5) }
        });
        let unit = |at: &[f64; 3]| -> [f64; 3] {
            std::array::from_fn(|k| (at[k] - bounds[k].0) / (bounds[k].1 - bounds[k].0))
        };
        let mut marks = back(&self.features);
        if let Some(plane) = self.plane {
            marks.push(Mark::Surface { points: cut(plane, &bounds), tone: Tone::Quiet });
        }
        let mut rows: Vec<(f64, Dot)> = self
            .lifted
            .iter()
            .enumerate()
            .filter(|(_, at)| at.iter().all(|part| part.is_finite()))
            .map(|(row, at)| {
                let (at, depth) = seen(unit(at));
                (depth, Dot::new(at, self.codes.get(row).copied().unwrap_or(0)))
            })
            .collect();
        // The farthest first, so that the nearest are in front.
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        marks.push(Mark::Dots(rows.into_iter().map(|(_, dot)| dot).collect()));
        marks
    }
}

/// A point of the unit cube as the eye sees it, and how far away it is.
fn seen([u, v, w]: [f64; 3]) -> ([f64; 2], f64) {
    let (u, v, w) = (u - 0.5, v - 0.5, w - 0.5);
    let across = u * TURNED.cos() + v * TURNED.sin();
    let away = v * TURNED.cos() - u * TURNED.sin();
    ([across, w * RAISED.cos() + away * RAISED.sin()], away * RAISED.cos() - w * RAISED.sin())
}

/// The edges of the cube that lie behind the points and below them, with the names of the features.
fn back(features: &[String; 3]) -> Vec<Mark> {
    let edge = |from: [f64; 3], to: [f64; 3]| Mark::Line {
        points: vec![seen(from).0, seen(to).0],
        tone: Tone::Faint,
        width: 0.9,
        dash: Dash::Solid,
    };
    let mut marks = Vec::new();
    for [from, to] in [
        [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]],
        [[1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        [[0.0, 1.0, 0.0], [0.0, 0.0, 0.0]],
        [[0.0, 1.0, 0.0], [0.0, 1.0, 1.0]],
        [[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]],
        [[0.0, 1.0, 1.0], [1.0, 1.0, 1.0]],
        [[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
        [[0.0, 0.0, 1.0], [0.0, 1.0, 1.0]],
    ] {
        marks.push(edge(from, to));
    }
    let places = [[0.45, -0.16, 0.0], [1.08, 0.35, 0.0], [0.0, 0.0, 1.08]];
    for (name, place) in features.iter().zip(places) {
        let [x, y] = seen(place).0;
        marks.push(Mark::Words { at: [x - 0.05, y - 0.03], text: name.clone(), tone: Tone::Strong });
    }
    marks
}

/// The part of a plane that lies in the cube, as the eye sees it.
fn cut([a, b, c, d]: [f64; 4], bounds: &[(f64, f64); 3]) -> Vec<[f64; 2]> {
    let at = |corner: [f64; 3]| -> f64 {
        let place: [f64; 3] = std::array::from_fn(|k| bounds[k].0 + corner[k] * (bounds[k].1 - bounds[k].0));
        a * place[0] + b * place[1] + c * place[2] + d
    };
    let mut points = Vec::new();
    for along in 0..3 {
        for corner in 0..4_u8 {
            let mut from = [0.0; 3];
            from[(along + 1) % 3] = f64::from(corner & 1);
            from[(along + 2) % 3] = f64::from(corner >> 1);
            let mut to = from;
            to[along] = 1.0;
            let (low, high) = (at(from), at(to));
            let part = low / (low - high);
            if (0.0..=1.0).contains(&part) {
                from[along] = part;
                points.push(seen(from).0);
            }
        }
    }
    // The cut of a cube is convex: around its middle, corners come in the order of their direction.
    let count = points.len().max(1) as f64;
    let middle = points.iter().fold([0.0, 0.0], |sum, at| [sum[0] + at[0] / count, sum[1] + at[1] / count]);
    let direction = |at: &[f64; 2]| (at[1] - middle[1]).atan2(at[0] - middle[0]);
    points.sort_by(|one, two| direction(one).total_cmp(&direction(two)));
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_cuts_a_cube_in_a_polygon() {
        let cube = [(0.0, 1.0); 3];
        assert_eq!(cut([0.0, 0.0, 1.0, -0.5], &cube).len(), 4);
        assert_eq!(cut([1.0, 1.0, 1.0, -1.5], &cube).len(), 6);
        assert_eq!(cut([1.0, 1.0, 1.0, 9.0], &cube).len(), 0);
        assert_eq!(cut([0.0, 0.0, 0.0, 0.0], &cube).len(), 0);
    }
}

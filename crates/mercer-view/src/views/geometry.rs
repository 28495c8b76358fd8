//! What a feature map does to a plane: points of two coordinates, and the same points lifted to three, where a plane may
//! part what no line could (`docs/maths.md` §7).

use serde::{Deserialize, Serialize};

use super::spot::{Spot, keys};
use crate::plot::{
    Axis, Dash, Dot, Field, Figure, Key, Look, Mark, Plot, Swatch, Tone, contours, hull, share,
};

/// A feature map from two coordinates to three.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
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

/// How far the eye is raised above the floor, in radians.
const RAISED: f64 = 0.42;
/// How far the eye is turned around the third axis where nothing speaks for another side.
const TURNED: f64 = 0.6;
/// How much of a plane the eye sees from above: nearly its edge, so that it parts the points on paper too.
const SLANTED: f64 = 0.28;

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
        let lifted = self.space();
        Figure {
            subtitle: self.subtitle.clone(),
            legend,
            notes: self.notes.clone(),
            ..Figure::new(&self.title, vec![flat, lifted], look)
        }
    }

    /// The lifted points in a cube.
    fn space(&self) -> Plot {
        let bounds: [(f64, f64); 3] = std::array::from_fn(|k| {
            let axis = Axis::around("", self.lifted.iter().map(|at| at[k]));
            let (low, high) = hull(self.lifted.iter().map(|at| at[k])).unwrap_or((0.0, 1.0));
            if high > low { (low, high) } else { (axis.low, axis.high) }
        });
        let unit =
            |at: &[f64; 3]| -> [f64; 3] { std::array::from_fn(|k| share(at[k], bounds[k].0, bounds[k].1)) };
        let eye = Eye::before(self.plane, &bounds);
        let mut marks = eye.cube(&self.features);
        if let Some(plane) = self.plane {
            marks.push(Mark::Surface { points: eye.cut(plane, &bounds), tone: Tone::Quiet });
        }
        let mut rows: Vec<(f64, Dot)> = self
            .lifted
            .iter()
            .enumerate()
            .filter(|(_, at)| at.iter().all(|part| part.is_finite()))
            .map(|(row, at)| {
                let (at, depth) = eye.seen(unit(at));
                let dot = Dot::new(at, self.codes.get(row).copied().unwrap_or(0));
                (depth, Dot { size: if self.lifted.len() > 300 { 2.0 } else { 2.4 }, ..dot })
            })
            .collect();
        // The farthest first, so that the nearest are in front.
        rows.sort_by(|a, b| b.0.total_cmp(&a.0));
        marks.push(Mark::Dots(rows.into_iter().map(|(_, dot)| dot).collect()));
        // As near as the corners of the cube allow, with room for the name at the left.
        let reach = (0..8_u8).map(|corner| eye.seen(corner_of(corner)).0[0].abs()).fold(0.0, f64::max);
        let side = 2.0 * reach + breadth(&self.features[2]) + 0.12;
        let (x, y) = (Axis::bare(reach + 0.06 - side, reach + 0.06), Axis::bare(-0.5 * side, 0.5 * side));
        Plot { title: "three features".to_owned(), marks, square: true, ..Plot::new(x, y) }
    }
}

/// About how wide a name is beside a cube with sides of 1.
fn breadth(name: &str) -> f64 {
    (0.036 * name.chars().count() as f64).clamp(0.04, 0.6)
}

/// A corner of the unit cube by its number.
fn corner_of(number: u8) -> [f64; 3] {
    std::array::from_fn(|k| f64::from(number >> k & 1))
}

/// From where the cube is seen: turned around the third axis by so much, in radians.
struct Eye {
    turned: f64,
}

impl Eye {
    /// Where a plane is seen nearly from its edge, so that what it parts does not overlap on paper.
    fn before(plane: Option<[f64; 4]>, bounds: &[(f64, f64); 3]) -> Self {
        let Some(plane) = plane else { return Self { turned: TURNED } };
        let normal: [f64; 3] = std::array::from_fn(|k| plane[k] * (bounds[k].1 - bounds[k].0));
        let length = normal.iter().map(|part| part * part).sum::<f64>().sqrt();
        if !(length.is_finite() && length > 0.0) {
            return Self { turned: TURNED };
        }
        let slanted = |eye: &Self| {
            let [u, v, w] = normal.map(|part| part / length);
            let away = v * eye.turned.cos() - u * eye.turned.sin();
            (away * RAISED.cos() - w * RAISED.sin()).abs()
        };
        // Angles near a right one hide a side of the cube.
        let angles = (0..36).map(|k| Self { turned: f64::from(k) * std::f64::consts::TAU / 36.0 });
        let open = angles.filter(|eye| (2.0 * eye.turned).sin().abs() > 0.3);
        let off = |eye: &Self| (slanted(eye) - SLANTED).abs();
        open.min_by(|one, two| off(one).total_cmp(&off(two))).unwrap_or(Self { turned: TURNED })
    }

    /// A point of the unit cube on paper, and how far away it is.
    fn seen(&self, [u, v, w]: [f64; 3]) -> ([f64; 2], f64) {
        let (u, v, w) = (u - 0.5, v - 0.5, w - 0.5);
        let across = u * self.turned.cos() + v * self.turned.sin();
        let away = v * self.turned.cos() - u * self.turned.sin();
        ([across, w * RAISED.cos() + away * RAISED.sin()], away * RAISED.cos() - w * RAISED.sin())
    }

    /// The edges of the cube that lie behind the points and below them, with the names of the features.
    fn cube(&self, features: &[String; 3]) -> Vec<Mark> {
        let depth = |corner: [f64; 3]| self.seen(corner).1;
        let nearest = (0..8_u8)
            .map(corner_of)
            .min_by(|one, two| depth(*one).total_cmp(&depth(*two)))
            .unwrap_or([0.0; 3]);
        let mut marks = Vec::new();
        for along in 0..3 {
            for number in 0..4_u8 {
                let mut from = [0.0; 3];
                from[(along + 1) % 3] = f64::from(number & 1);
                from[(along + 2) % 3] = f64::from(number >> 1);
                let mut to = from;
                to[along] = 1.0;
                // The three edges that meet at the nearest corner would lie over the points.
                if from != nearest && to != nearest {
                    let points = vec![self.seen(from).0, self.seen(to).0];
                    marks.push(Mark::Line { points, tone: Tone::Faint, width: 0.9, dash: Dash::Solid });
                }
            }
        }
        let [near_u, near_v, _] = nearest;
        let upright = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]].map(|[u, v]| [u, v, 0.5]);
        let leftmost =
            upright.into_iter().min_by(|one, two| self.seen(*one).0[0].total_cmp(&self.seen(*two).0[0]));
        // Beside the floor on the side of the eye, and at the left of the outermost edge.
        let beside = |near: f64| 1.25 * near - 0.125;
        let places = [
            ([0.5, beside(near_v), 0.0], [0.0, -0.035]),
            ([beside(near_u), 0.5, 0.0], [0.0, -0.035]),
            (leftmost.unwrap_or([0.0, 0.0, 0.5]), [-0.5 * breadth(&features[2]) - 0.03, 0.0]),
        ];
        for (name, (place, [right, up])) in features.iter().zip(places) {
            let [x, y] = self.seen(place).0;
            marks.push(Mark::Words { at: [x + right, y + up], text: name.clone(), tone: Tone::Strong });
        }
        marks
    }

    /// The part of a plane that lies in the cube.
    fn cut(&self, [a, b, c, d]: [f64; 4], bounds: &[(f64, f64); 3]) -> Vec<[f64; 2]> {
        let at = |corner: [f64; 3]| -> f64 {
            let place: [f64; 3] =
                std::array::from_fn(|k| bounds[k].0 + corner[k] * (bounds[k].1 - bounds[k].0));
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
                    points.push(self.seen(from).0);
                }
            }
        }
        // The cut of a cube is convex: around its middle, corners come in the order of their direction.
        let count = points.len().max(1) as f64;
        let middle =
            points.iter().fold([0.0, 0.0], |sum, at| [sum[0] + at[0] / count, sum[1] + at[1] / count]);
        let direction = |at: &[f64; 2]| (at[1] - middle[1]).atan2(at[0] - middle[0]);
        points.sort_by(|one, two| direction(one).total_cmp(&direction(two)));
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_cuts_a_cube_in_a_polygon() {
        let (cube, eye) = ([(0.0, 1.0); 3], Eye { turned: TURNED });
        assert_eq!(eye.cut([0.0, 0.0, 1.0, -0.5], &cube).len(), 4);
        assert_eq!(eye.cut([1.0, 1.0, 1.0, -1.5], &cube).len(), 6);
        assert_eq!(eye.cut([1.0, 1.0, 1.0, 9.0], &cube).len(), 0);
        assert_eq!(eye.cut([0.0, 0.0, 0.0, 0.0], &cube).len(), 0);
    }
}

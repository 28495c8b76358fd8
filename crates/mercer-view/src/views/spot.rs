//! A row of data in a picture, and what it is to the model.

use serde::{Deserialize, Serialize};

use crate::plot::{Dot, Key, Ring, Shape, Swatch, Tone};

/// What a row is to a machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Support {
    /// It has no coefficient, or it is not known whether it has one.
    #[default]
    None,
    /// It has a coefficient below the bound: it lies on the margin.
    Free,
    /// Its coefficient is at the bound: it lies within the margin or on the wrong side.
    Bound,
}

/// A row of data.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spot {
    /// Where it stands.
    pub at: [f64; 2],
    /// Its class, counted from 0; none for numbers.
    pub class: Option<usize>,
    /// What it is to the machine.
    pub support: Support,
    /// How far it is on the wrong side of its margin, in units of the margin.
    pub slack: f64,
}

impl Spot {
    /// A row that no machine leans on.
    pub fn new(at: [f64; 2], class: Option<usize>) -> Self {
        Self { at, class, support: Support::None, slack: 0.0 }
    }

    /// The row as a dot: colour and form are its class, the ring its support, the size its slack.
    pub(super) fn dot(&self) -> Dot {
        let slack = if self.slack.is_finite() { self.slack.clamp(0.0, 4.0) } else { 0.0 };
        Dot {
            at: self.at,
            shape: self.class.map_or(Shape::Disc, Shape::of),
            tone: self.class.map_or(Tone::Strong, Tone::Series),
            size: 2.6 + 1.5 * slack.sqrt(),
            ring: match self.support {
                Support::None => Ring::None,
                Support::Free => Ring::Halo,
                Support::Bound => Ring::Outline,
            },
        }
    }
}

/// Classes that a legend names at most.
const NAMED: usize = 10;

/// The keys of classes and of what rows are to the machine, as far as they occur.
pub(super) fn keys(classes: &[String], spots: &[Spot]) -> Vec<Key> {
    let mut keys: Vec<Key> =
        classes.iter().take(NAMED).enumerate().map(|(class, name)| Key::class(class, name)).collect();
    let dot = |ring: Ring, size: f64| Swatch::Dot { shape: Shape::Disc, tone: Tone::Faint, size, ring };
    if classes.len() > NAMED {
        let text = format!("and {} more classes", classes.len() - NAMED);
        keys.push(Key { swatch: dot(Ring::None, 4.0), text });
    }
    let occurs = |support: Support| spots.iter().any(|spot| spot.support == support);
    let mut add = |is: bool, swatch: Swatch, text: &str| {
        if is {
            keys.push(Key { swatch, text: text.to_owned() });
        }
    };
    // Where nothing is at a bound, or nobody knows what is, there is nothing to be told apart.
    let free = if occurs(Support::Bound) { "support vector, free" } else { "support vector" };
    add(occurs(Support::Free), dot(Ring::Halo, 3.0), free);
    add(occurs(Support::Bound), dot(Ring::Outline, 3.6), "support vector at the bound");
    add(spots.iter().any(|spot| spot.slack > 0.05), dot(Ring::None, 5.2), "larger: more slack");
    keys
}

/// What to say where colours do not tell all classes apart.
pub(super) fn repeated(classes: &[String]) -> Option<String> {
    (classes.len() > 8)
        .then(|| format!("{} classes: colours repeat after 8, and forms after 5", classes.len()))
}

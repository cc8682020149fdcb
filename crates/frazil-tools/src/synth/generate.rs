//! Raw values of the generators, at any elements of a field, before they are brought into a range.

use noise::{NoiseFn, OpenSimplex};

use super::field::position;
use super::pattern::Generator;
use super::random::Stream;

/// A generator bound to a shape and a seed. Its values depend on nothing but the element.
#[derive(Debug, Clone)]
pub(super) struct Source {
    shape: Vec<u64>,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    Constant,
    Random(Stream),
    Steps {
        levels: u64,
    },
    /// A sum of one function per axis.
    Separable(Separable),
    Simplex {
        noise: Box<OpenSimplex>,
        hills: f64,
        passes: u32,
    },
}

/// Functions of one axis each.
#[derive(Debug, Clone)]
enum Separable {
    Sine {
        waves: f64,
        passes: u32,
    },
    /// By axis: the places of the zeros, as shares of the axis.
    Polynomial {
        zeros: Vec<Vec<f64>>,
    },
}

/// How the extremes of raw values are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Extremes {
    /// They are known.
    Known(f64, f64),
    /// They are the sums of those of every axis on its own.
    ByAxis,
    /// All values must be looked at.
    ByElement,
}

impl Source {
    /// Binds a generator; `seed` chooses its random numbers.
    pub(super) fn new(generator: Generator, shape: &[u64], seed: u64) -> Self {
        let kind = match generator {
            Generator::Constant => Kind::Constant,
            Generator::Random => Kind::Random(Stream::new(seed, "random")),
            Generator::Steps { levels } => Kind::Steps { levels },
            Generator::Sine { waves, passes } => Kind::Separable(Separable::Sine { waves, passes }),
            Generator::Polynomial { seed: own, zeros } => {
                let stream = Stream::new(seed, &format!("zeros {own}"));
                let zeros = (0..shape.len() as u64)
                    .map(|axis| zero_places(stream, axis, zeros))
                    .collect();
                Kind::Separable(Separable::Polynomial { zeros })
            }
            Generator::Simplex { hills, passes } => Kind::Simplex {
                // The noise has seeds of 32 bits.
                noise: Box::new(OpenSimplex::new(
                    (Stream::new(seed, "simplex").bits(0) >> 32) as u32,
                )),
                hills,
                passes,
            },
        };
        Self {
            shape: shape.to_vec(),
            kind,
        }
    }

    /// How to find the least and the largest raw value.
    pub(super) fn extremes(&self) -> Extremes {
        match &self.kind {
            Kind::Constant => Extremes::Known(0.0, 0.0),
            Kind::Random(_) => Extremes::Known(0.0, 1.0),
            Kind::Steps { levels } => Extremes::Known(0.0, (self.period(*levels) - 1) as f64),
            Kind::Separable(_) => Extremes::ByAxis,
            Kind::Simplex { .. } => Extremes::ByElement,
        }
    }

    /// Raw values at the crossings of the elements named for each axis, row-major.
    pub(super) fn values(&self, axes: &[Vec<u64>]) -> Vec<f64> {
        let count = axes.iter().map(Vec::len).product();
        let mut values = vec![0.0; count];
        match &self.kind {
            Kind::Constant => {}
            Kind::Random(stream) => {
                by_row(axes, &mut values, |outer, inner, row| {
                    let first = position(&self.shape, outer);
                    for (value, &element) in row.iter_mut().zip(inner) {
                        *value = stream.uniform(first.wrapping_add(element));
                    }
                });
            }
            Kind::Steps { levels } => {
                let period = self.period(*levels);
                by_row(axes, &mut values, |outer, inner, row| {
                    let sum = outer
                        .iter()
                        .fold(0, |sum, &element| (sum + element) % period);
                    for (value, &element) in row.iter_mut().zip(inner) {
                        *value = ((sum + element % period) % period) as f64;
                    }
                });
            }
            Kind::Separable(_) => self.add_up(axes, &mut values),
            Kind::Simplex {
                noise,
                hills,
                passes,
            } => {
                let octaves = (0..*passes).map(|pass| f64::from(1_u32 << pass));
                let octaves: Vec<f64> = octaves.collect();
                let mut point = vec![0.0; self.shape.len()];
                by_row(axes, &mut values, |outer, inner, row| {
                    for (value, &element) in row.iter_mut().zip(inner) {
                        self.locate(outer, element, *hills, &mut point);
                        *value = octaves.iter().map(|&o| octave(noise, &point, o)).sum();
                    }
                });
            }
        }
        values
    }

    /// Raw values of one axis of a separable source, at some elements; else nothing.
    pub(super) fn axis_values(&self, axis: usize, elements: &[u64]) -> Vec<f64> {
        match &self.kind {
            Kind::Separable(function) => {
                let length = self.shape[axis] as f64;
                let value = |&element: &u64| function.value(axis, element, length);
                elements.iter().map(value).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Adds up the functions of all axes, slowest axis first.
    fn add_up(&self, axes: &[Vec<u64>], values: &mut [f64]) {
        let tables: Vec<Vec<f64>> = (0..axes.len())
            .map(|axis| self.axis_values(axis, &axes[axis]))
            .collect();
        let Some((last, outer)) = tables.split_last() else {
            return;
        };
        for (number, row) in values.chunks_exact_mut(last.len().max(1)).enumerate() {
            let mut rest = number;
            let mut parts = [0.0; 4];
            for (axis, table) in outer.iter().enumerate().rev() {
                parts[axis] = table[rest % table.len()];
                rest /= table.len();
            }
            let sum = sum_of(&parts[..outer.len()]);
            for (value, part) in row.iter_mut().zip(last) {
                *value = sum + part;
            }
        }
    }

    /// Levels after which steps begin again.
    fn period(&self, levels: u64) -> u64 {
        levels.saturating_mul(self.shape.len().max(1) as u64)
    }

    /// Where an element lies in the noise, fastest axis first; `hills` is one whole axis.
    fn locate(&self, outer: &[u64], last: u64, hills: f64, point: &mut [f64]) {
        let elements = outer.iter().chain([&last]).zip(&self.shape);
        for (place, (&element, &length)) in point.iter_mut().rev().zip(elements) {
            *place = element as f64 / length as f64 * hills;
        }
    }
}

impl Separable {
    /// The function of one axis of `length` elements.
    fn value(&self, axis: usize, element: u64, length: f64) -> f64 {
        match self {
            Self::Sine { waves, passes } => {
                let angle = (element as f64 + 1.0) / length * waves * std::f64::consts::TAU;
                (0..*passes)
                    .map(|pass| {
                        let share = 1.0 / f64::from(1_u32 << pass);
                        share * libm::sin(angle * f64::from(pass + 1))
                    })
                    .sum()
            }
            Self::Polynomial { zeros } => {
                let place = element as f64 / length;
                zeros[axis].iter().map(|zero| place - zero).product()
            }
        }
    }
}

/// The sum in the order of the axes: always the same roundings, hence the same bits.
pub(super) fn sum_of(parts: &[f64]) -> f64 {
    parts.iter().fold(0.0, |sum, part| sum + part)
}

/// The zeros of one axis: its ends, and one at random in each part between.
fn zero_places(stream: Stream, axis: u64, zeros: u32) -> Vec<f64> {
    let parts = zeros + 2;
    let share = 1.0 / f64::from(parts);
    let mut places: Vec<f64> = (0..parts)
        .map(|part| {
            let position = axis * u64::from(u32::MAX) + u64::from(part);
            (f64::from(part) + stream.uniform(position)) * share
        })
        .collect();
    if let [first, .., last] = places.as_mut_slice() {
        (*first, *last) = (0.0, 1.0);
    }
    places
}

/// One octave of noise: `factor` times the frequency, and as many times less of it.
fn octave(noise: &OpenSimplex, point: &[f64], factor: f64) -> f64 {
    let raw = match *point {
        [x] => noise.get([1.0, x * factor]),
        [x, y] => noise.get([x * factor, y * factor]),
        [x, y, z] => noise.get([x * factor, y * factor, z * factor]),
        [x, y, z, w] => noise.get([x * factor, y * factor, z * factor, w * factor]),
        _ => 0.0,
    };
    raw / factor
}

/// Calls `fill` for every row: elements of the outer axes, elements of the last axis, the row.
pub(super) fn by_row(
    axes: &[Vec<u64>],
    values: &mut [f64],
    mut fill: impl FnMut(&[u64], &[u64], &mut [f64]),
) {
    let Some((inner, outer)) = axes.split_last() else {
        return;
    };
    let mut elements = vec![0; outer.len()];
    for (number, row) in values.chunks_exact_mut(inner.len().max(1)).enumerate() {
        let mut rest = number;
        for (axis, known) in outer.iter().enumerate().rev() {
            elements[axis] = known[rest % known.len()];
            rest /= known.len();
        }
        fill(&elements, inner, row);
    }
}

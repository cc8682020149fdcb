//! The adaptive predictor: for each number, the one of several predictors that did best before.
//!
//! Source: `adaptive-filter.c`. Predictors are zero, and along each axis the last number, the line
//! through the last two, and a parabola through the last three; their neighbours are found by fixed
//! strides, also across the borders of rows. Predictors from earlier chunks are there too, but no
//! chunk has earlier ones: they predict zero.

use super::number::Number;

/// `3 * rank + 4` for as many axes as HDF5 has.
const MOST: usize = 3 * 32 + 4;
/// A predictor's reward, and one when it begins.
const REWARD: i64 = 1 << 32;

/// How the next predictor is chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Learning {
    /// The best one for the last number (`al`).
    Last,
    /// The one that was best most often, late successes counting more (`as`).
    Rewards,
}

/// The state of the predictors while numbers go by.
struct Predictors {
    learning: Learning,
    /// Elements between neighbours along each axis, slowest first.
    strides: Vec<usize>,
    predictions: [i64; MOST],
    weights: [i64; MOST],
    count: usize,
    chosen: usize,
}

impl Predictors {
    fn new(learning: Learning, shape: &[usize]) -> Self {
        let mut strides = vec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis];
        }
        let mut weights = [0; MOST];
        weights[0] = REWARD;
        Self {
            learning,
            strides,
            predictions: [0; MOST],
            weights,
            count: 3 * shape.len() + 4,
            chosen: 0,
        }
    }

    /// What is predicted for the number behind `known`.
    fn predict<T: Number>(&mut self, known: &[T]) -> T {
        let (rank, i) = (self.strides.len(), known.len());
        for (axis, &stride) in self.strides.iter().enumerate() {
            if i < stride {
                continue;
            }
            let one = known[i - stride];
            self.predictions[1 + axis] = one.wide();
            if i < 2 * stride {
                continue;
            }
            let two = known[i - 2 * stride];
            self.predictions[2 + rank + axis] = T::linear(one, two);
            if i < 3 * stride {
                continue;
            }
            let three = known[i - 3 * stride];
            self.predictions[3 + 2 * rank + axis] = T::quadratic(one, two, three);
        }
        T::narrow(self.predictions[self.chosen])
    }

    /// Compares the predictions with what the number was.
    fn learn<T: Number>(&mut self, number: T) {
        let (mut least, mut best) = (i64::MAX, 0);
        // The first of those that are equally near wins.
        for (i, prediction) in self.predictions[..self.count].iter().enumerate().rev() {
            let error = prediction.wrapping_sub(number.wide());
            // The smallest integer has no magnitude and counts as it is.
            let error = if error < 0 {
                error.wrapping_neg()
            } else {
                error
            };
            if error <= least {
                (least, best) = (error, i);
            }
        }
        self.chosen = match self.learning {
            Learning::Last => best,
            Learning::Rewards => self.reward(best),
        };
    }

    /// All weights fade and the best predictor's grows; returns the one with the largest.
    fn reward(&mut self, best: usize) -> usize {
        let (mut most, mut chosen) = (0, 0);
        for i in (0..self.count).rev() {
            self.weights[i] = self.weights[i].wrapping_mul(0xFFFF) >> 16;
            if i == best {
                self.weights[i] = self.weights[i].wrapping_add(REWARD);
            }
            if self.weights[i] >= most {
                (most, chosen) = (self.weights[i], i);
            }
        }
        chosen
    }
}

/// Replaces each number by its difference to what is predicted.
pub(crate) fn apply<T: Number>(learning: Learning, numbers: &mut [T], shape: &[usize]) {
    let known = numbers.to_vec();
    let mut predictors = Predictors::new(learning, shape);
    for (i, number) in numbers.iter_mut().enumerate() {
        let prediction = predictors.predict(&known[..i]);
        *number = known[i].minus(prediction);
        predictors.learn(known[i]);
    }
}

/// Undoes [`apply`].
pub(crate) fn undo<T: Number>(learning: Learning, numbers: &mut [T], shape: &[usize]) {
    let mut predictors = Predictors::new(learning, shape);
    for i in 0..numbers.len() {
        let prediction = predictors.predict(&numbers[..i]);
        let number = numbers[i].plus(prediction);
        numbers[i] = number;
        predictors.learn(number);
    }
}

//! Which few candidates serve many variables best, when a trial may choose among them.

use crate::regret::Costs;

/// Regrets count up to this: one odd variable must not speak for all.
const MOST_REGRET: f64 = 0.5;

/// Up to `most` candidates, the one that is best alone first, each next the one that helps most.
/// `weights` is by variable. Fewer, where more do not help.
pub(crate) fn cover(costs: &Costs, weights: &[f64], most: usize) -> Vec<usize> {
    let mut set: Vec<usize> = Vec::new();
    let mut least = f64::INFINITY;
    while set.len() < most {
        let mut best: Option<(f64, usize)> = None;
        for &candidate in &costs.allowed {
            if set.contains(&candidate) {
                continue;
            }
            set.push(candidate);
            let loss = loss(costs, weights, &set);
            set.pop();
            // Of equals the first: the one that more readers know.
            if best.is_none_or(|(least, _)| loss < least) {
                best = Some((loss, candidate));
            }
        }
        match best {
            Some((loss, candidate)) if loss < least - 1e-9 => {
                least = loss;
                set.push(candidate);
            }
            _ => break,
        }
    }
    set
}

/// Regret of what a trial takes of a set for one variable.
pub(crate) fn loss_of_one(costs: &Costs, variable: usize, set: &[usize]) -> f64 {
    costs.regret_of_set(variable, set).min(MOST_REGRET)
}

/// Mean regret by weight of what trials take of a set.
pub(crate) fn loss(costs: &Costs, weights: &[f64], set: &[usize]) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for (variable, &weight) in weights.iter().enumerate() {
        if weight > 0.0 {
            sum += weight * loss_of_one(costs, variable, set);
            total += weight;
        }
    }
    if total > 0.0 { sum / total } else { 0.0 }
}

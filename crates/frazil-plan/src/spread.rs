//! How much the stored shares of samples differ.

/// Of one sample nothing is known about how much samples differ.
pub(crate) const OF_ONE: f64 = 0.25;

/// Stored bytes by raw bytes of samples; `sizes`: raw and stored bytes of each. `None`: nothing is stored.
#[must_use]
pub fn share(sizes: &[(usize, usize)]) -> Option<f64> {
    let (raw, stored) = (sizes.iter()).fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (stored > 0).then(|| stored as f64 / raw as f64)
}

/// The standard error of the stored share of samples, by that share; `sizes`: raw and stored bytes of each.
#[must_use]
pub fn spread(sizes: &[(usize, usize)]) -> f64 {
    if sizes.len() < 2 {
        return OF_ONE;
    }
    let ratio = share(sizes).unwrap_or(0.0);
    let stored: usize = sizes.iter().map(|one| one.1).sum();
    let count = sizes.len() as f64;
    let differences = sizes
        .iter()
        .map(|&(raw, stored)| (stored as f64 - ratio * raw as f64).powi(2));
    let variance = differences.sum::<f64>() / (count - 1.0);
    variance.sqrt() * count.sqrt() / (stored as f64).max(1.0)
}

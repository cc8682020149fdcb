//! Energy: joules by a model, what they emit and cost, and what a year of storage costs.
//!
//! Pure arithmetic. The facade measures where the machine has counters, and says of every figure
//! whether it was measured or comes from [`PowerModel`].

mod cost;
mod power;

pub use cost::{EnergyRates, JOULES_PER_KWH, StorageCost, StorageSaving, kwh};
pub use power::{PowerModel, joules_of};

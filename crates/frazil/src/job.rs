//! What all stages of packing one file share.

use std::time::Instant;

use cpu_time::ProcessTime;
use frazil_pipeline::MemoryBudget;
use frazil_plan::energy::EnergyRates;

use crate::energy::{Meter, Metered};
use crate::kept::Keep;
use crate::options::LayoutProfile;
use crate::pending::Attempt;
use crate::progress::Progress;
use crate::resources::Resources;

/// What writing needs to know beside the decisions.
pub(crate) struct Job<'a> {
    pub(crate) layout: LayoutProfile,
    /// When the input stays as it is.
    pub(crate) keep: Keep,
    pub(crate) verify: bool,
    pub(crate) attempt: Option<&'a Attempt>,
    pub(crate) resources: &'a Resources,
    pub(crate) budget: &'a MemoryBudget,
    pub(crate) clock: &'a Clock,
}

/// Wall and CPU time and joules since the start.
pub(crate) struct Clock {
    wall: Instant,
    cpu: ProcessTime,
    meter: Meter,
    pub(crate) rates: EnergyRates,
}

impl Clock {
    pub(crate) fn start(rates: EnergyRates) -> Self {
        Self {
            wall: Instant::now(),
            cpu: ProcessTime::now(),
            meter: Meter::start(),
            rates,
        }
    }

    /// Progress that keeps the meter going.
    pub(crate) fn watching<'a>(&'a self, inner: &'a mut dyn Progress) -> Metered<'a> {
        Metered {
            inner,
            meter: &self.meter,
        }
    }

    /// Joules since the start; why there is no figure.
    pub(crate) fn joules(&self) -> Result<f64, String> {
        self.meter.joules()
    }

    /// Wall and CPU seconds.
    pub(crate) fn elapsed(&self) -> (f64, f64) {
        (
            self.wall.elapsed().as_secs_f64(),
            self.cpu.elapsed().as_secs_f64(),
        )
    }
}

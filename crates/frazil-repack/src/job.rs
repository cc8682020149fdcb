//! What all stages of packing one file share.

use std::time::Instant;

use cpu_time::ProcessTime;
use frazil_pipeline::MemoryBudget;
use frazil_plan::energy::EnergyRates;

use crate::energy::{Meter, Metered};
use crate::kept::Keep;
use frazil_file::pending::Attempt;
use frazil_file::progress::Progress;
use frazil_file::resources::Resources;
use frazil_types::LayoutProfile;

/// What writing needs to know beside the decisions.
pub(crate) struct Job<'a> {
    pub layout: LayoutProfile,
    /// When the input stays as it is.
    pub keep: Keep,
    pub verify: bool,
    pub attempt: Option<&'a Attempt>,
    pub resources: &'a Resources,
    pub budget: &'a MemoryBudget,
    pub(crate) clock: &'a Clock,
}

/// Wall and CPU time and joules since the start.
pub(crate) struct Clock {
    wall: Instant,
    cpu: ProcessTime,
    meter: Meter,
    pub rates: EnergyRates,
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

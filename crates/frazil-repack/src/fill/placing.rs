//! Places what is packed, and copies what is not.

use std::path::Path;

use frazil_container::hdf5::Hdf5Output;

use super::packing::{Batch, PackedBatch, Packing, Step};
use super::{Define, Filled, Stored};
use crate::copying;
use crate::job::Job;
use crate::routes::{CopyPlan, Decisions};
use frazil_file::error::Result;
use frazil_file::input::Input;
use frazil_file::pending::PendingOutput;
use frazil_file::placer::Placer;
use frazil_file::run;
use frazil_file::storage_error::{from_container, from_copying};
use frazil_precision::{final_attributes, stored_form};

/// The placing side of a run: the defined output and where chunks go in it.
pub(super) struct Placing<'a> {
    output: Hdf5Output,
    placer: Placer<'a>,
    /// First addresses of contiguous variables.
    bases: Vec<u64>,
    stored: Vec<Stored>,
    /// By variable: stored bytes that are too many.
    most_bytes: Vec<u64>,
    /// Variables that have more: the rest is only counted.
    overgrown: Vec<usize>,
}

impl<'a> Placing<'a> {
    /// Defines the output and copies what is not packed.
    pub(super) fn begin(
        source: &Input,
        define: &Define<'_>,
        pending: &'a PendingOutput,
        decisions: &Decisions,
        job: &Job<'_>,
    ) -> Result<Self> {
        let output = define()?;
        let stored = copy_values(source, &output, pending, decisions, job)?;
        let bases = contiguous_bases(source, &output, pending.path(), decisions)?;
        let placer = Placer::new(pending.file(), pending.path());
        let fallbacks = decisions.fallbacks.iter();
        let most = fallbacks.map(|one| one.as_ref().map_or(u64::MAX, |one| one.most_bytes));
        Ok(Self {
            output,
            placer,
            bases,
            stored,
            most_bytes: most.collect(),
            overgrown: Vec::new(),
        })
    }

    /// Places a batch and counts what was stored.
    pub(super) fn place(
        &mut self,
        plan: &Packing<'_>,
        batch: &Batch,
        (chunks, seconds): PackedBatch,
    ) -> Result<()> {
        self.stored[plan.dataset].seconds += seconds;
        for (&tile, packed) in batch.tiles.iter().zip(chunks) {
            let Some(packed) = packed else {
                continue;
            };
            let bytes = &packed.bytes;
            let stored = &mut self.stored[plan.dataset];
            stored.bytes += bytes.len() as u64;
            stored.rounding.merge(&packed.rounding);
            if stored.bytes > self.most_bytes[plan.dataset]
                && !self.overgrown.contains(&plan.dataset)
            {
                self.overgrown.push(plan.dataset);
            }
            if !self.overgrown.is_empty() {
                continue;
            }
            match &plan.step {
                Step::Copy { grid, .. } | Step::Encode { grid, .. } => {
                    let offset = grid.offset(tile);
                    self.placer.chunk(
                        &self.output,
                        plan.dataset,
                        &offset,
                        packed.filter_mask,
                        bytes,
                    )?;
                }
                Step::Plain { grid, .. } => {
                    let base = self.bases[plan.dataset];
                    self.placer
                        .write(plan.slab_address(grid, tile, base)?, bytes)?;
                }
                Step::None => {}
            }
        }
        Ok(())
    }

    /// Writes what had to wait for the last chunk.
    pub(super) fn finish(mut self, decisions: &Decisions) -> Result<Filled> {
        if !self.overgrown.is_empty() {
            return Ok(Filled::Overgrown(self.overgrown));
        }
        self.placer.flush()?;
        for (dataset, (plan, stored)) in decisions.plans.iter().zip(&self.stored).enumerate() {
            let Some(quantize) = &plan.quantize else {
                continue;
            };
            let before = decisions.earlier.get(dataset).and_then(Option::as_ref);
            for attribute in final_attributes(quantize, &stored.rounding, before) {
                self.output
                    .set_attribute(dataset, &attribute)
                    .map_err(|error| {
                        from_container(error, self.placer.path()).at_variable(&plan.path)
                    })?;
            }
        }
        Ok(Filled::Whole(self.output, self.stored))
    }
}

/// Copies what is not packed, on this thread.
fn copy_values(
    source: &Input,
    output: &Hdf5Output,
    pending: &PendingOutput,
    decisions: &Decisions,
    job: &Job<'_>,
) -> Result<Vec<Stored>> {
    let mut stored = vec![Stored::default(); decisions.routes.len()];
    for (i, route) in decisions.routes.iter().enumerate() {
        if !matches!(route, CopyPlan::Library) {
            continue;
        }
        run::check_cancel(job.resources).map_err(|error| error.in_file(source.path()))?;
        let wrap = |error| from_copying(error, source.path(), pending.path());
        copying::copy_values(source, i, (output, pending.path()), job.resources)?;
        stored[i].bytes = output.stored_bytes(i).map_err(wrap)?;
    }
    Ok(stored)
}

/// Allocates all contiguous variables; their first addresses. `path`: the output's, for errors.
pub(super) fn contiguous_bases(
    source: &Input,
    output: &Hdf5Output,
    path: &Path,
    decisions: &Decisions,
) -> Result<Vec<u64>> {
    let mut bases = vec![0; decisions.routes.len()];
    for (i, base) in bases.iter_mut().enumerate() {
        if let Some(bytes) = run_bytes(source, decisions, i) {
            *base = output.place_contiguous(i, bytes).map_err(|error| {
                let path_of_variable = &source.variables()[i].path;
                from_copying(error, source.path(), path).at_variable(path_of_variable)
            })?;
        }
    }
    Ok(bases)
}

/// Bytes of a variable that lies in one run; `None`: it does not.
pub(super) fn run_bytes(source: &Input, decisions: &Decisions, number: usize) -> Option<u64> {
    let is_run = matches!(decisions.routes[number], CopyPlan::Contiguous { .. });
    let quantize = decisions.plans[number].quantize.as_ref();
    let stored = is_run.then(|| stored_form(&source.variables()[number], quantize))?;
    Some(stored.raw_bytes().unwrap_or(0))
}

//! The growing answers to one task's requests.

use std::sync::Arc;

use frazil_types::sync::Mutex;

use crate::demand::{PartPlan, ValuesPlan};
use crate::gather::{fill_values, gather_chunk};
use crate::source::ArraySource;
use crate::{Block, Values};

/// The answers to one task's requests. Several workers may add chunks to it at a time.
#[derive(Debug)]
pub(crate) struct Assembly {
    parts: Vec<Mutex<Part>>,
}

#[derive(Debug)]
struct Part {
    plan: PartPlan,
    content: Content,
}

#[derive(Debug)]
enum Content {
    /// Nothing came in yet; buffers are allocated with the first chunk.
    Empty,
    Owned(Vec<u8>),
    Shared(Arc<Vec<u8>>),
}

impl Assembly {
    pub(crate) fn new(plans: Vec<PartPlan>) -> Self {
        let part = |plan| {
            Mutex::new(Part {
                plan,
                content: Content::Empty,
            })
        };
        Self {
            parts: plans.into_iter().map(part).collect(),
        }
    }

    /// Takes what request `request` needs from a decoded chunk that others may need, too.
    pub(crate) fn add_shared(
        &self,
        sources: &[ArraySource],
        request: usize,
        chunk: u64,
        decoded: &Arc<Vec<u8>>,
    ) {
        let Part { plan, content } = &mut *self.parts[request].lock();
        if let PartPlan::Values(plan) = plan {
            if plan.is_one_chunk {
                *content = Content::Shared(Arc::clone(decoded));
            } else {
                add_values(plan, content, sources, chunk, decoded);
            }
        }
    }

    /// The same for a chunk that nobody else needs.
    pub(crate) fn add_owned(
        &self,
        sources: &[ArraySource],
        request: usize,
        chunk: u64,
        decoded: Vec<u8>,
    ) {
        let Part { plan, content } = &mut *self.parts[request].lock();
        if let PartPlan::Values(plan) = plan {
            if plan.is_one_chunk {
                *content = Content::Owned(decoded);
            } else {
                add_values(plan, content, sources, chunk, &decoded);
            }
        }
    }

    /// Answers a `Stored` request.
    pub(crate) fn add_stored(&self, request: usize, stored: Vec<u8>) {
        self.parts[request].lock().content = Content::Owned(stored);
    }

    /// The finished answers, in the order of the requests.
    pub(crate) fn take_blocks(&self, sources: &[ArraySource]) -> Vec<Block> {
        self.parts
            .iter()
            .map(|part| {
                let Part { plan, content } = &mut *part.lock();
                finish(plan, std::mem::replace(content, Content::Empty), sources)
            })
            .collect()
    }
}

fn finish(plan: &PartPlan, content: Content, sources: &[ArraySource]) -> Block {
    match (plan, content) {
        (PartPlan::Values(_), Content::Shared(chunk)) => Block::Values(Values::shared(chunk)),
        (PartPlan::Values(_), Content::Owned(values)) => Block::Values(Values::owned(values)),
        (PartPlan::Values(plan), Content::Empty) => {
            Block::Values(Values::owned(empty_box(plan, sources)))
        }
        (PartPlan::Stored { filter_mask }, Content::Owned(bytes)) => Block::Stored {
            bytes,
            filter_mask: *filter_mask,
        },
        (PartPlan::Absent | PartPlan::Stored { .. }, _) => Block::Absent,
    }
}

fn add_values(
    plan: &ValuesPlan,
    content: &mut Content,
    sources: &[ArraySource],
    chunk: u64,
    decoded: &[u8],
) {
    if matches!(content, Content::Empty) {
        *content = Content::Owned(empty_box(plan, sources));
    }
    if let Content::Owned(target) = content {
        let source = &sources[plan.source];
        gather_chunk(source, chunk, decoded, &plan.selection, target);
    }
}

/// The box before any chunk came in: fill value where no chunk will come.
fn empty_box(plan: &ValuesPlan, sources: &[ArraySource]) -> Vec<u8> {
    let mut values = vec![0; plan.bytes];
    let fill = &sources[plan.source].fill;
    if plan.needs_fill && fill.iter().any(|&byte| byte != 0) {
        fill_values(&mut values, fill);
    }
    values
}

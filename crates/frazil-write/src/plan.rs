//! What a writer decided, as a plan.

use frazil_plan::{ExistingShape, ShapeInput, TOTAL_CACHE_BYTES, share_caches};
use frazil_types::{ReaderCache, StorageLayout, VariablePlan, WritePlan};

use super::layout::{dimension_names, element_bytes};
use super::variable::Variable;
use super::writer::Writer;
use frazil_container::schema::VariableId;
use frazil_file::error::Result;
use frazil_options::chunk_goal::{Chooser, Subject, roles_of_schema};

impl Writer {
    /// What was decided so far, to be replayed by [`WriterOptions::plan`](super::WriterOptions::plan):
    /// nothing about variables whose values tell nothing yet. Where reads are stated, also the chunk
    /// caches that they want; else those of the plan that is replayed.
    ///
    /// # Errors
    /// If the filters of a variable could not be chosen.
    pub fn plan(&self) -> Result<WritePlan> {
        let (mut variables, mut caches) = (Vec::new(), Vec::new());
        for (number, details) in self.details.iter().enumerate() {
            let Some(variable) = &details.active else {
                continue;
            };
            let filters = self.submission.filters(number).transpose()?;
            if filters.is_none() && !variable.is_contiguous {
                continue;
            }
            let stored = variable.stored_filters().cloned();
            caches.push(self.reader_cache(VariableId(number), variable));
            variables.push(VariablePlan {
                path: variable.path.clone(),
                layout: match variable.is_contiguous {
                    true => StorageLayout::Contiguous,
                    false => StorageLayout::Chunked {
                        chunk: variable.chunk.clone(),
                    },
                },
                quantize: variable.quantize.clone(),
                pipeline: stored.unwrap_or_default(),
                deflate_encoder: filters.and_then(|filters| filters.deflate),
                copy_raw: false,
                predicted_bytes: None,
                cache: None,
                reason: filters.map(|f| f.reason.clone()).unwrap_or_default(),
            });
        }
        // A plan's own were shared when it was made, or are as somebody wants them.
        if self.options.chunk_goal.is_stated() {
            share_caches(&mut caches, TOTAL_CACHE_BYTES);
        }
        for (plan, cache) in variables.iter_mut().zip(caches) {
            plan.cache = cache;
        }
        Ok(WritePlan {
            layout: None,
            variables,
        })
    }

    /// The chunk cache that readers of a variable should use.
    fn reader_cache(&self, id: VariableId, variable: &Variable) -> Option<ReaderCache> {
        let goal = &self.options.chunk_goal;
        if variable.is_contiguous {
            return None;
        }
        if !goal.is_stated() {
            return self.planned(&variable.path)?.cache;
        }
        let names = dimension_names(&self.schema, id);
        let expected: Vec<Option<u64>> = names
            .iter()
            .map(|name| goal.expected_length(name))
            .collect();
        let limits = self.schema.limits(id);
        let subject = Subject {
            shape: ShapeInput {
                shape: &self.schema.shape(id),
                unlimited: &limits.iter().map(Option::is_none).collect::<Vec<_>>(),
                element_bytes: element_bytes(&self.schema, id),
                current: None,
                dimension_names: &names,
                must_chunk: false,
            },
            roles: &roles_of_schema(&self.schema, id, goal),
            expected: &expected,
            is_filtered: true,
            most_bytes: u64::MAX,
            most_records: u64::MAX,
            existing: ExistingShape::Replace,
        };
        Chooser::new(goal).cache(&subject, &variable.chunk)
    }
}

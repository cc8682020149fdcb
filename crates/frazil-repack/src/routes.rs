//! What happens to each variable: where its values come from and how they will lie.

mod choose;
mod fallback;

use frazil_container::hdf5::{
    Additions, AttributeValue, DatasetInfo, DatasetStorage, NewAttribute, OutputStorage,
};
use frazil_pipeline::ArraySource;
use frazil_plan::FilterChoice;
use frazil_types::{ChunkGrid, DeflateEncoder, FilterPipeline, QuantizePlan, VariablePlan};

use crate::compared::Compared;
use crate::input_filters::checksum_only;
use crate::planning::Planning;
use crate::shapes_tried::TriedShape;
use crate::tried_chunks::Told;
pub(crate) use fallback::Fallback;
use frazil_file::chunk_subset::ChunkSubset;
use frazil_file::error::Result;
use frazil_file::history::{self, HISTORY};
use frazil_file::input::Input;
use frazil_file::sources::{Access, AccessPath};
use frazil_file::wording::enumerate;
use frazil_precision::rules::VariableRule;
use frazil_precision::stated::StatedPrecision;

/// What happens to one variable's values.
pub(crate) enum CopyPlan {
    /// Nothing: there are none, or the definition already says it all.
    Nothing,
    /// libhdf5 copies them.
    Library,
    /// Stored chunks are copied as they are.
    CopyChunks {
        /// Position in [`Decisions::sources`].
        source: usize,
        /// Chunks to copy.
        tiles: ChunkSubset,
    },
    /// Values are gathered into output chunks and encoded.
    Pack {
        /// Position in [`Decisions::sources`].
        source: usize,
        /// The output's chunks.
        grid: ChunkGrid,
        /// Which of them to make.
        tiles: ChunkSubset,
        /// Filters of the output.
        pipeline: FilterPipeline,
        /// Encoder behind a deflate stage.
        deflate_encoder: Option<DeflateEncoder>,
    },
    /// Values are gathered into slabs of one contiguous run.
    Contiguous {
        /// Position in [`Decisions::sources`].
        source: usize,
        /// Slabs, contiguous in the output.
        grid: ChunkGrid,
    },
}

/// Everything decided about one file.
pub(crate) struct Decisions {
    /// Plans in file order.
    pub plans: Vec<VariablePlan>,
    /// Routes in file order.
    pub routes: Vec<CopyPlan>,
    /// Storage classes for the container, in file order.
    pub storage: Vec<OutputStorage>,
    /// In file order: what a variable falls back on where it comes out larger than in the input.
    pub(crate) fallbacks: Vec<Option<Fallback>>,
    /// In file order: half of the range that nine of ten stored sizes lie in, by the predicted one.
    pub(crate) uncertainties: Vec<f64>,
    /// In file order: what chunks that were tried say, for predictions; empty where none were.
    pub(crate) told: Vec<Told>,
    /// Sources that routes refer to.
    pub sources: Vec<ArraySource>,
    /// What the output has beside what it copies.
    pub(crate) additions: Additions,
    /// In file order: what the input says of earlier roundings.
    pub(crate) earlier: Vec<Option<StatedPrecision>>,
    /// The global attribute `history` with a line about this run.
    pub(crate) history: Option<NewAttribute>,
    /// Rounding is stated in netCDF-C's words, too.
    pub(crate) netcdf_attribute: bool,
    /// The decisions about precision as rules.
    pub(crate) precision_rules: Vec<VariableRule>,
    /// What the user should know.
    pub notices: Vec<String>,
    /// Variables that stay exact, since rounding would make them larger than in the input.
    pub(crate) not_rounded: Vec<String>,
    /// By variable: the chunk shapes that were tried, where bytes count.
    pub(crate) shapes_tried: Vec<Vec<TriedShape>>,
    /// By variable: what filters make of samples, where they were compared.
    pub(crate) filters_tried: Vec<Vec<Compared>>,
    /// In a dry run: what one thread would take to encode everything, by the speed of the trials.
    pub(crate) predicted_seconds: f64,
    /// Raw bytes of all that was ever written.
    pub(crate) written_bytes: u64,
    /// What deciding took.
    pub planning: Planning,
    /// What it would have taken more, had other plans of the file not found a part of it before.
    pub(crate) spared: Planning,
}

/// What was chosen for the values of one variable.
pub(crate) struct Chosen {
    pub filters: FilterChoice,
    pub quantize: Option<QuantizePlan>,
}

impl Decisions {
    pub(crate) fn new() -> Self {
        Self {
            plans: Vec::new(),
            routes: Vec::new(),
            storage: Vec::new(),
            fallbacks: Vec::new(),
            uncertainties: Vec::new(),
            told: Vec::new(),
            sources: Vec::new(),
            additions: Additions::default(),
            earlier: Vec::new(),
            history: None,
            netcdf_attribute: false,
            precision_rules: Vec::new(),
            notices: Vec::new(),
            not_rounded: Vec::new(),
            shapes_tried: Vec::new(),
            filters_tried: Vec::new(),
            predicted_seconds: 0.0,
            written_bytes: 0,
            planning: Planning::default(),
            spared: Planning::default(),
        }
    }

    /// Finds what the output has beside what it copies.
    ///
    /// # Errors
    /// If attributes of the input cannot be read.
    pub(crate) fn find_additions(&mut self, input: &Input) -> Result<()> {
        self.earlier = frazil_precision::earlier_roundings(input, &self.plans)?;
        let (plans, earlier) = (&self.plans, &self.earlier);
        self.additions = frazil_precision::additions(input, plans, earlier, self.netcdf_attribute)?;
        self.additions.root.extend(self.history.clone());
        Ok(())
    }

    /// Has the output say which command made it.
    ///
    /// # Errors
    /// If attributes of the input cannot be read.
    pub(crate) fn tell_command(&mut self, input: &Input, command: Option<&str>) -> Result<()> {
        let Some(command) = command else {
            return Ok(());
        };
        match history::prolonged(&input.attributes(None)?, command) {
            Ok(text) => {
                self.history = Some(NewAttribute {
                    name: HISTORY.to_owned(),
                    value: AttributeValue::Text(text),
                });
            }
            Err(why) => self.notices.push(format!(
                "the attribute {HISTORY} gets no line of this run: {why}"
            )),
        }
        Ok(())
    }

    /// All that the user should know.
    pub(crate) fn notices(&self) -> Vec<String> {
        let mut notices = self.notices.clone();
        if !self.not_rounded.is_empty() {
            let paths: Vec<&str> = self.not_rounded.iter().map(String::as_str).collect();
            let names = enumerate(&paths);
            notices.push(format!(
                "kept exact, because they would become larger if rounded: {names}"
            ));
        }
        notices
    }

    /// Takes over a variable's source.
    pub(crate) fn reach(&mut self, access: Access) -> AccessPath {
        match access {
            Access::Parallel(source, stored) => {
                self.sources.push(source);
                AccessPath::Parallel(self.sources.len() - 1, stored)
            }
            Access::Undecodable(source, stored, missing) => {
                self.sources.push(source);
                AccessPath::Undecodable(self.sources.len() - 1, stored, missing)
            }
            // What is compact is too small to be worth a worker's while.
            Access::Library | Access::Indirect(..) | Access::Elsewhere(_) | Access::Apart(_) => {
                AccessPath::Library
            }
            Access::Nothing => AccessPath::Nothing,
        }
    }

    /// Takes the filters away from what is stored like the input or copied by libhdf5.
    pub(crate) fn strip_filters(&mut self, variables: &[DatasetInfo]) {
        for (i, variable) in variables.iter().enumerate() {
            let DatasetStorage::Chunked { chunk, .. } = &variable.storage else {
                continue;
            };
            let is_copied = matches!(self.routes[i], CopyPlan::CopyChunks { .. });
            if variable.is_dimension_only || is_copied {
                continue;
            }
            self.plans[i].pipeline = checksum_only(variable);
            match &mut self.storage[i] {
                OutputStorage::Chunked { pipeline, .. } => *pipeline = checksum_only(variable),
                kept @ OutputStorage::Keep => {
                    let pipeline = checksum_only(variable);
                    *kept = OutputStorage::Chunked {
                        chunk: chunk.clone(),
                        pipeline,
                    };
                }
                OutputStorage::Contiguous => {}
            }
        }
    }
}

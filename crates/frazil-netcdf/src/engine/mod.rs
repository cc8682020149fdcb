//! netCDF-4 files in the hands of this crate's writer.

mod access;
mod attributes;
mod dimensions;
mod filters;
mod groups;
mod read_back;
mod settings;
mod undo;
mod user_types;
mod variables;

use std::path::Path;

use self::undo::Undo;
use crate::reading::Reading;
use crate::status::{Answer, Refusal, Status};
use crate::types::{
    ChunkCache, FORMAT_NETCDF4, FORMAT_NETCDF4_CLASSIC, GLOBAL, GroupNumber, Mode, State,
};
use crate::user_types::UserTypes;
use frazil_container::schema::{
    AttributeOwner, DimensionId, GroupId, Schema, SchemaVariable, VariableId,
};
use frazil_write::{Comm, Writer, WriterOptions, WriterReport};

/// `NC_NOFILL`.
const NOFILL: i32 = 0x100;
/// `NC_FORMATX_NC_HDF5`.
const FORMATX_HDF5: i32 = 2;

/// A netCDF-4 file being written.
///
/// Definitions go to the writer at once; define mode is only remembered, to refuse what netCDF-C
/// refuses.
#[derive(Debug)]
pub(crate) struct Engine {
    writer: Writer,
    /// Only what the classic formats can.
    classic_model: bool,
    in_define_mode: bool,
    fill_mode: i32,
    /// The variables of each group in the order of definition: a `varid` is a place here.
    variables: Vec<Vec<VariableId>>,
    /// What netCDF tells of a variable again, but the file need not hold.
    remembered: Vec<Remembered>,
    /// The types that the program has defined.
    types: UserTypes,
    /// So many of them can get no more members.
    ended_types: usize,
    /// Of a file that was opened, by group: its unlimited dimensions as netCDF-C finds them there. Those that are
    /// defined since come behind them.
    found_unlimited: Vec<Vec<DimensionId>>,
    /// What the file was created with.
    options: WriterOptions,
    /// So many variables were there when define mode was last left: how they are stored is settled.
    defined: usize,
    /// By group, how many of its variables were there at the last `nc_enddef` of this group: their fill values
    /// are settled, as in netCDF-C.
    ended: Vec<usize>,
    /// Whether it was created, not opened.
    is_new: bool,
    /// Whether values were put.
    is_put: bool,
    /// Whether anything was made since the last commit.
    is_changed: bool,
    /// The last commit of a file that several ranks write, once values of it were asked for.
    read_back: Option<Box<Reading>>,
    /// In define mode: what `nc_abort` goes back to.
    undo: Undo,
}

/// What netCDF tells of a variable again, but the file need not hold.
#[derive(Debug, Clone, Default)]
struct Remembered {
    cache: Option<ChunkCache>,
    /// The chunk shape that was stated last, also where other storage was asked for since.
    chunk: Option<Vec<u64>>,
    endian: i32,
    /// Asked for compact storage, an economy of HDF5's: the values lie contiguous here.
    is_compact: bool,
    /// Defined while `nc_set_fill` said so, and nothing else said of its fill value since.
    is_unfilled_by_mode: bool,
}

impl Engine {
    /// Begins a new file, in define mode.
    pub(crate) fn create(path: &Path, options: &WriterOptions) -> Answer<Self> {
        let writer = Writer::create(path, options)?;
        Ok(Self::new(writer, options.clone(), true))
    }

    /// Begins a new file that several ranks write, in define mode.
    pub(crate) fn create_parallel(
        path: &Path,
        comm: Box<dyn Comm>,
        options: &WriterOptions,
    ) -> Answer<Self> {
        let writer = Writer::create_parallel(path, comm, options)?;
        Ok(Self::new(writer, options.clone(), true))
    }

    /// Whether several ranks write the file.
    pub(crate) fn is_parallel(&self) -> bool {
        self.writer.is_parallel()
    }

    /// Opens a file to go on writing it, in data mode.
    pub(crate) fn append(path: &Path, options: &WriterOptions) -> Answer<Self> {
        let writer = Writer::append(path, options)?;
        Ok(Self::new(writer, options.clone(), false))
    }

    /// As [`Self::append`], with the types that programs have defined, and what is of them.
    pub(crate) fn append_with_types(path: &Path, options: &WriterOptions) -> Answer<Self> {
        let writer = Writer::append_with_types(path, options)?;
        let mut engine = Self::new(writer, options.clone(), false);
        engine.find_types()?;
        Ok(engine)
    }

    /// Goes on with the file of a writer, in data mode.
    pub(crate) fn of(writer: Writer, options: WriterOptions) -> Self {
        Self::new(writer, options, false)
    }

    fn new(mut writer: Writer, options: WriterOptions, is_new: bool) -> Self {
        writer.allow_dimensions_of_any_group();
        let schema = writer.schema();
        let mut variables = vec![Vec::new(); schema.groups.len()];
        for (i, variable) in schema.variables.iter().enumerate() {
            variables[variable.group.0].push(VariableId(i));
        }
        let endian = |variable: &SchemaVariable| Remembered {
            endian: match variable.is_big_endian {
                true => settings::ENDIAN_BIG,
                false => settings::ENDIAN_LITTLE,
            },
            ..Remembered::default()
        };
        let remembered = schema.variables.iter().map(endian).collect();
        Self {
            classic_model: options.classic_model,
            in_define_mode: is_new,
            fill_mode: 0,
            variables,
            remembered,
            types: UserTypes::default(),
            ended_types: 0,
            found_unlimited: Vec::new(),
            options,
            is_new,
            is_put: false,
            is_changed: is_new,
            defined: 0,
            ended: Vec::new(),
            read_back: None,
            undo: Undo::ToCommit,
            writer,
        }
    }

    pub(crate) fn redef(&mut self) -> Answer<()> {
        if self.in_define_mode && self.classic_model {
            return Err(Status::EINDEFINE.into());
        }
        self.begin_definitions();
        Ok(())
    }

    pub(crate) fn enddef(&mut self, group: GroupNumber) -> Answer<()> {
        let group = self.group(group)?;
        self.ended.resize(self.schema().groups.len(), 0);
        self.ended[group.0] = self.variables[group.0].len();
        if !self.in_define_mode {
            return Err(Status::ENOTINDEFINE.into());
        }
        self.end_types()?;
        self.end_definitions();
        Ok(self.writer.end_definitions()?)
    }

    pub(crate) fn enddef_with(
        &mut self,
        group: GroupNumber,
        _header_free: u64,
        _variable_align: u64,
        _variable_free: u64,
        _record_align: u64,
    ) -> Answer<()> {
        self.enddef(group)
    }

    /// Where it is between its making and its end.
    pub(crate) fn state(&self) -> State {
        State {
            is_in_data_mode: !self.in_define_mode,
            is_ended: !self.ended.is_empty(),
            has_values: self.is_put,
        }
    }

    pub(crate) fn sync(&mut self) -> Answer<()> {
        self.enter_data_mode()?;
        if self.is_as_opened() {
            return Ok(());
        }
        self.read_back = None;
        self.writer.sync()?;
        self.is_changed = false;
        Ok(())
    }

    pub(crate) fn close(mut self) -> Answer<WriterReport> {
        self.end_types()?;
        let so_far = self.writer.report()?;
        if !self.is_as_opened() || so_far.commits > 0 {
            return Ok(self.writer.close()?);
        }
        self.writer.abandon();
        Ok(so_far)
    }

    /// Whether nothing was made in a file that was opened, since its last commit: it stays as it is, to the
    /// byte. What other ranks have made is not known.
    fn is_as_opened(&self) -> bool {
        !self.is_new && !self.is_changed && !self.is_parallel()
    }

    /// Lets go of the file at its last commit, in whatever mode it is.
    pub(crate) fn discard(self) {
        self.writer.abandon();
    }

    pub(crate) fn set_fill(&mut self, mode: i32) -> Answer<i32> {
        if ![0, NOFILL].contains(&mode) {
            return Err(Status::EINVAL.into());
        }
        Ok(std::mem::replace(&mut self.fill_mode, mode))
    }

    pub(crate) fn report(&mut self) -> Answer<WriterReport> {
        Ok(self.writer.report()?)
    }

    pub(crate) fn inq_format(&mut self) -> Answer<i32> {
        Ok(if self.classic_model {
            FORMAT_NETCDF4_CLASSIC
        } else {
            FORMAT_NETCDF4
        })
    }

    pub(crate) fn inq_format_extended(&mut self) -> Answer<(i32, i32)> {
        let mut mode = Mode::NETCDF4;
        if self.classic_model {
            mode = mode | Mode::CLASSIC_MODEL;
        }
        // As it was opened or created.
        match (self.is_new, self.options.overwrite) {
            (true, true) => {}
            (true, false) => mode = mode | Mode::NOCLOBBER,
            (false, _) => mode = mode | Mode::WRITE,
        }
        Ok((FORMATX_HDF5, mode.0))
    }

    fn schema(&self) -> &Schema {
        self.writer.schema()
    }

    /// Before a definition: enters define mode, or refuses where the classic model demands that
    /// the program does.
    fn enter_define_mode(&mut self) -> Answer<()> {
        if !self.in_define_mode && self.classic_model {
            return Err(Status::ENOTINDEFINE.into());
        }
        self.begin_definitions();
        Ok(())
    }

    fn begin_definitions(&mut self) {
        if !self.in_define_mode {
            self.remember();
        }
        self.in_define_mode = true;
        self.is_changed = true;
    }

    /// Before values move: leaves define mode, or refuses where the classic model demands that the
    /// program does.
    fn enter_data_mode(&mut self) -> Answer<()> {
        self.check_data_mode()?;
        self.end_types()?;
        self.end_definitions();
        Ok(())
    }

    fn end_definitions(&mut self) {
        if self.in_define_mode {
            self.in_define_mode = false;
            self.defined = self.schema().variables.len();
        }
    }

    /// Refuses values where the classic model demands that the program leaves define mode first.
    fn check_data_mode(&self) -> Answer<()> {
        if self.in_define_mode && self.classic_model {
            return Err(Status::EINDEFINE.into());
        }
        Ok(())
    }

    fn group(&self, group: GroupNumber) -> Answer<GroupId> {
        let id = GroupId(usize::from(group.0));
        if id.0 < self.schema().groups.len() {
            Ok(id)
        } else {
            Err(Status::EBADID.into())
        }
    }

    fn variable(&self, group: GroupNumber, varid: i32) -> Answer<VariableId> {
        let group = self.group(group)?;
        let place = usize::try_from(varid).ok();
        let found = place.and_then(|place| self.variables.get(group.0)?.get(place));
        found.copied().ok_or_else(|| Status::ENOTVAR.into())
    }

    fn owner(&self, group: GroupNumber, varid: i32) -> Answer<AttributeOwner> {
        if varid == GLOBAL {
            self.group(group).map(AttributeOwner::Group)
        } else {
            self.variable(group, varid).map(AttributeOwner::Variable)
        }
    }

    fn described(&self, variable: VariableId) -> &SchemaVariable {
        &self.schema().variables[variable.0]
    }
}

/// A number of objects as netCDF counts them.
fn count(objects: usize) -> Answer<i32> {
    i32::try_from(objects).map_err(|_| Refusal::new(Status::EINVAL, "too many objects"))
}

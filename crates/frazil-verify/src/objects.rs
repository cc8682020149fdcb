//! Two HDF5 files, object by object.

use std::collections::HashMap;

use frazil_container::hdf5::{
    DatasetInfo, DatasetStorage, Entry, EntryKind, Extent, FillStatus, FillTime, Hdf5Input,
    TypeDescription,
};
use frazil_pipeline::ByteSource as _;

use super::attributes::{self, Objects};
use super::elements::compare_expanded;
use super::findings::Findings;
use super::plan::{Pair, Side};
use super::{datatypes, lossy, order, particulars};
use frazil_file::error::{Error, Result};
use frazil_file::input::Input;
use frazil_file::resources::Resources;
use frazil_file::run;
use frazil_file::storage_error::from_container;

type File<'a> = (&'a Input, &'a Hdf5Input);

/// Compares all objects; returns the datasets whose values are to be compared.
pub(super) fn compare(
    a: File<'_>,
    b: File<'_>,
    resources: &Resources,
    findings: &mut Findings,
) -> Result<Vec<Pair>> {
    let mut comparison = Comparison {
        a: Names::new(a.1),
        b: Names::new(b.1),
        files: (a, b),
        findings,
        pairs: Vec::new(),
        new_containers: Vec::new(),
        is_rounded: false,
    };
    comparison.user_block()?;
    particulars::form(a.1, b.1, comparison.findings);
    comparison.group("/", "/")?;
    comparison.missing_names()?;
    comparison.identities();
    for entry in a.1.entries() {
        run::check_cancel(resources)?;
        if let Some(twin) = comparison.b.entries.get(entry.path.as_str()).copied() {
            comparison.findings.objects += 1;
            let sets = (entry.is_utf8, twin.is_utf8);
            (comparison.findings).character_set(&entry.path, &entry.name, sets);
            comparison.entry(entry, twin)?;
        }
    }
    comparison.containers_of_nothing();
    Ok(comparison.pairs)
}

/// The names of one file.
struct Names<'a> {
    entries: HashMap<&'a str, &'a Entry>,
    /// Members of each group in reading order, by the group's path.
    members: HashMap<&'a str, Vec<&'a str>>,
    datasets: HashMap<u64, usize>,
    file: &'a Hdf5Input,
}

impl<'a> Names<'a> {
    fn new(file: &'a Hdf5Input) -> Self {
        let mut members: HashMap<&str, Vec<&str>> = HashMap::new();
        for entry in file.entries() {
            members.entry(&entry.parent).or_default().push(&entry.name);
        }
        let numbers = file.datasets().iter().enumerate();
        Self {
            entries: file
                .entries()
                .iter()
                .map(|entry| (entry.path.as_str(), entry))
                .collect(),
            members,
            datasets: numbers
                .map(|(i, dataset)| (dataset.object_address, i))
                .collect(),
            file,
        }
    }

    /// Identity of the object behind a hard link; `None` for other links.
    fn address(&self, entry: &Entry) -> Option<u64> {
        match &entry.kind {
            EntryKind::Group { object_address, .. }
            | EntryKind::NamedDatatype { object_address }
            | EntryKind::HardLink { object_address } => Some(*object_address),
            EntryKind::Dataset(i) => self.file.datasets().get(*i).map(|d| d.object_address),
            EntryKind::Soft(_) | EntryKind::External { .. } | EntryKind::UserDefined { .. } => None,
        }
    }

    /// The object behind a name: the entry it was met by first.
    fn object(&self, entry: &'a Entry) -> &'a Entry {
        let EntryKind::HardLink { object_address } = &entry.kind else {
            return entry;
        };
        let first = self.file.paths().get(object_address);
        first
            .and_then(|path| self.entries.get(path.as_str()).copied())
            .unwrap_or(entry)
    }

    fn link_order(&self, group: &str) -> u32 {
        match self.entries.get(group).map(|entry| &entry.kind) {
            Some(EntryKind::Group { link_order, .. }) => *link_order,
            _ => self.file.root_link_order(),
        }
    }
}

struct Comparison<'a, 'f> {
    a: Names<'a>,
    b: Names<'a>,
    files: (File<'a>, File<'a>),
    findings: &'f mut Findings,
    pairs: Vec<Pair>,
    /// Quantization containers that only the second file has: its number, and the difference that
    /// it is unless a variable is rounded.
    new_containers: Vec<(usize, &'a str, String)>,
    /// Whether a variable of the second file states a rounding that the first one does not.
    is_rounded: bool,
}

impl<'a> Comparison<'a, '_> {
    fn user_block(&mut self) -> Result<()> {
        let ((input_a, a), (input_b, b)) = self.files;
        let (size_a, size_b) = (a.user_block_bytes(), b.user_block_bytes());
        if size_a != size_b {
            let what = format!("user block: {size_a} against {size_b} bytes");
            self.findings.differ("/", what);
            return Ok(());
        }
        let mut at = 0;
        while at < size_a {
            let length = usize::try_from((size_a - at).min(1 << 20)).unwrap_or(1 << 20);
            let read = |input: &Input| {
                let mut buffer = vec![0; length];
                let outcome = input.bytes().read_exact_at(&mut buffer, at);
                outcome
                    .map(|()| buffer)
                    .map_err(|error| Error::io(&error, "read the user block", input.path()))
            };
            if read(input_a)? != read(input_b)? {
                self.findings
                    .differ("/", format!("user block: different in bytes {at} and on"));
                return Ok(());
            }
            at += length as u64;
        }
        Ok(())
    }

    /// Names that only one file has, in places that both have.
    fn missing_names(&mut self) -> Result<()> {
        let only = |names: &Names<'a>, others: &Names<'a>, which: &str| {
            let mut found = Vec::new();
            for entry in names.file.entries() {
                let is_there = others.entries.contains_key(entry.path.as_str());
                // What lies below a missing group is missing with it.
                let has_parent =
                    entry.parent == "/" || others.entries.contains_key(entry.parent.as_str());
                if !is_there && has_parent {
                    let what = format!("{} only in the {which} file", kind_name(&entry.kind));
                    found.push((entry, what));
                }
            }
            found
        };
        for (entry, what) in only(&self.a, &self.b, "first") {
            self.findings.differ_in_values(&entry.path, what);
        }
        for (entry, what) in only(&self.b, &self.a, "second") {
            match entry.kind {
                EntryKind::Dataset(i) if lossy::is_container(self.files.1.0, i)? => {
                    self.new_containers.push((i, &entry.path, what));
                }
                _ => self.findings.differ_in_values(&entry.path, what),
            }
        }
        Ok(())
    }

    /// New containers in a file that is not rounded are differences like any other. A file that was
    /// rounded twice may keep that of the first time, which no variable names any more.
    fn containers_of_nothing(&mut self) {
        if self.is_rounded {
            return;
        }
        for (_, path, what) in std::mem::take(&mut self.new_containers) {
            self.findings.differ_in_values(path, what);
        }
    }

    /// Several names of one object in one file must be names of one object in the other.
    fn identities(&mut self) {
        let mut second_of: HashMap<u64, (u64, &str)> = HashMap::new();
        let mut first_of: HashMap<u64, (u64, &str)> = HashMap::new();
        for entry in self.a.file.entries() {
            let Some(twin) = self.b.entries.get(entry.path.as_str()) else {
                continue;
            };
            let (Some(a), Some(b)) = (self.a.address(entry), self.b.address(twin)) else {
                continue;
            };
            let (known_b, name_b) = *second_of.entry(a).or_insert((b, &entry.path));
            let (known_a, name_a) = *first_of.entry(b).or_insert((a, &entry.path));
            if known_b != b {
                let what = format!("the same object as {name_b} only in the first file");
                self.findings.differ(&entry.path, what);
            } else if known_a != a {
                let what = format!("the same object as {name_a} only in the second file");
                self.findings.differ(&entry.path, what);
            }
        }
    }

    fn entry(&mut self, entry: &'a Entry, twin: &'a Entry) -> Result<()> {
        let (object, other) = (self.a.object(entry), self.b.object(twin));
        match (&object.kind, &other.kind) {
            // An object is compared by its first name only.
            _ if matches!(entry.kind, EntryKind::HardLink { .. })
                && kind_name(&object.kind) == kind_name(&other.kind) =>
            {
                Ok(())
            }
            (EntryKind::Group { .. }, EntryKind::Group { .. }) => {
                self.group(&entry.path, &other.path)
            }
            (EntryKind::Dataset(i), EntryKind::Dataset(_)) => {
                let address = self.b.address(other).unwrap_or(0);
                match self.b.datasets.get(&address) {
                    Some(&j) => self.dataset(*i, j),
                    None => Ok(()),
                }
            }
            (EntryKind::NamedDatatype { .. }, EntryKind::NamedDatatype { .. }) => {
                self.named_datatype(&entry.path, &other.path)
            }
            (first, second) => {
                if first != second {
                    let what = format!("{} against {}", kind_words(first), kind_words(second));
                    self.findings.differ_in_values(&entry.path, what);
                }
                Ok(())
            }
        }
    }

    /// The order of a group's members, and its attributes.
    fn group(&mut self, path_a: &'a str, path_b: &'a str) -> Result<()> {
        let none = Vec::new();
        let first = self.a.members.get(path_a).unwrap_or(&none);
        let second = self.b.members.get(path_b).unwrap_or(&none);
        if let Some((one, other)) = order::compare(first, second).order {
            let ordered = |flags: u32| flags & 1 != 0;
            let (a, b) = (
                ordered(self.a.link_order(path_a)),
                ordered(self.b.link_order(path_b)),
            );
            match (a, b) {
                (true, true) => {
                    let what = format!(
                        "order of members: `{one}` in the first file where the second has `{other}`"
                    );
                    self.findings.differ(path_a, what);
                }
                (false, false) => {}
                (first_only, _) => {
                    self.findings
                        .notice(order::lost_notice(path_a, "members", first_only));
                }
            }
        }
        if path_a == "/" {
            self.findings.objects += 1;
        }
        self.attributes(path_a, path_b)
    }

    fn attributes(&mut self, path_a: &str, path_b: &str) -> Result<()> {
        let (a, b) = self.files;
        attributes::compare(
            Objects {
                a,
                b,
                path_a,
                path_b,
            },
            self.findings,
        )
    }

    /// Compares a dataset's attributes, of whose values the second file promises something.
    fn variable_attributes(
        &mut self,
        (i, j): (usize, usize),
        promise: Option<&lossy::Promise>,
    ) -> Result<()> {
        let (a, b) = self.files;
        let objects = Objects {
            a,
            b,
            path_a: &a.1.datasets()[i].object_path,
            path_b: &b.1.datasets()[j].object_path,
        };
        attributes::compare_variable(objects, promise, self.findings)?;
        self.is_rounded |= promise.is_some();
        Ok(())
    }

    fn named_datatype(&mut self, path_a: &str, path_b: &str) -> Result<()> {
        let describe = |(input, hdf5): File<'_>, path: &str| {
            hdf5.describe_named_datatype(path)
                .map_err(|error| from_container(error, input.path()).at_variable(path))
        };
        let (a, b) = self.files;
        if let Some(what) = datatypes::difference(&describe(a, path_a)?, &describe(b, path_b)?) {
            self.findings.differ(path_a, format!("datatype: {what}"));
        }
        self.attributes(path_a, path_b)
    }

    fn dataset(&mut self, i: usize, j: usize) -> Result<()> {
        let (a, b) = self.files;
        let (info_a, info_b) = (&a.1.datasets()[i], &b.1.datasets()[j]);
        let path = info_a.path.as_str();
        let (type_a, type_b) = (datatype(a, info_a)?, datatype(b, info_b)?);
        let promise = lossy::promise((a.0, i, &type_a), (b.0, j, &type_b), self.findings)?;
        let is_packed = (promise.as_ref()).is_some_and(|promise| promise.packing.is_some());
        if let Some(what) = datatypes::difference(&type_a, &type_b).filter(|_| !is_packed) {
            self.findings
                .differ_in_values(path, format!("datatype: {what}"));
        }
        let (extent_a, extent_b) = (extent(a, info_a)?, extent(b, info_b)?);
        if extent_a != extent_b {
            let (first, second) = (attributes::extent(&extent_a), attributes::extent(&extent_b));
            self.findings
                .differ_in_values(path, format!("shape: {first} against {second}"));
        }
        match promise.as_ref().and_then(|promise| promise.packing) {
            None => self.fill((info_a, &type_a), (info_b, &type_b))?,
            Some(packing) if info_b.fill != packing.bytes_of(packing.fill_code()) => {
                let what = "fill value: not the code of packed integers";
                self.findings.differ(path, what.to_owned());
            }
            Some(_) => {}
        }
        self.variable_attributes((i, j), promise.as_ref())?;
        let is_virtual = |info: &DatasetInfo| info.storage == DatasetStorage::Virtual;
        if is_virtual(info_a) && is_virtual(info_b) {
            return particulars::mappings((a, info_a), (b, info_b), self.findings);
        }
        let is_empty = info_a.shape.contains(&0) || info_b.shape.contains(&0);
        if is_empty && is_virtual(info_a) != is_virtual(info_b) {
            // No values show that what its sources will hold appears in one of them only.
            let what = "a virtual dataset against one that is none";
            self.findings.differ_in_values(path, what.to_owned());
        }
        let same_shape = info_a.shape == info_b.shape && info_a.is_null == info_b.is_null;
        // netCDF never reads what lies in a dimension without a variable.
        let is_placeholder = info_a.is_dimension_only && info_b.is_dimension_only;
        if !same_shape || info_a.is_null || info_a.shape.contains(&0) || is_placeholder {
            return Ok(());
        }
        if !type_a.can_be_expanded() || !type_b.can_be_expanded() {
            self.findings.notice(format!(
                "{path}: values are not compared (references of HDF5 1.12)"
            ));
        } else if is_packed || datatypes::are_comparable(&type_a, &type_b) {
            self.pairs.push(Pair {
                path: path.to_owned(),
                shape: info_a.shape.clone(),
                a: Side {
                    variable: i,
                    datatype: type_a,
                },
                b: Side {
                    variable: j,
                    datatype: type_b,
                },
                promise,
            });
        }
        Ok(())
    }

    fn fill(
        &mut self,
        (info_a, type_a): (&DatasetInfo, &TypeDescription),
        (info_b, type_b): (&DatasetInfo, &TypeDescription),
    ) -> Result<()> {
        let path = info_a.path.as_str();
        if info_a.fill_time != info_b.fill_time {
            let (a, b) = (fill_time(info_a.fill_time), fill_time(info_b.fill_time));
            self.findings
                .differ(path, format!("fill value: {a} against {b}"));
        }
        if info_a.fill_status != info_b.fill_status {
            let (a, b) = (
                fill_status(info_a.fill_status),
                fill_status(info_b.fill_status),
            );
            self.findings
                .differ(path, format!("fill value: {a} against {b}"));
            return Ok(());
        }
        let read = |(input, hdf5): File<'_>, info: &DatasetInfo, datatype: &TypeDescription| {
            hdf5.expanded_fill(info, datatype)
                .map_err(|error| from_container(error, input.path()).at_variable(&info.path))
        };
        let (a, b) = self.files;
        let (first, second) = (read(a, info_a, type_a)?, read(b, info_b, type_b)?);
        if let (Some(first), Some(second)) = (first, second)
            && datatypes::are_comparable(type_a, type_b)
            && let Some((_, values)) = compare_expanded((type_a, &first), (type_b, &second)).first
        {
            self.findings.differ(path, format!("fill value: {values}"));
        }
        Ok(())
    }
}

fn datatype((input, hdf5): File<'_>, info: &DatasetInfo) -> Result<TypeDescription> {
    hdf5.describe_datatype(info)
        .map_err(|error| from_container(error, input.path()).at_variable(&info.path))
}

fn extent((input, hdf5): File<'_>, info: &DatasetInfo) -> Result<Extent> {
    hdf5.extent(info)
        .map_err(|error| from_container(error, input.path()).at_variable(&info.path))
}

fn fill_time(time: FillTime) -> &'static str {
    match time {
        FillTime::Allocation => "written when space is allocated",
        FillTime::Never => "never written",
        FillTime::IfSet => "written when space is allocated, if set",
    }
}

fn fill_status(status: FillStatus) -> &'static str {
    match status {
        FillStatus::Undefined => "undefined",
        FillStatus::Default => "default",
        FillStatus::User => "set",
    }
}

fn kind_name(kind: &EntryKind) -> &'static str {
    match kind {
        EntryKind::Group { .. } => "group",
        EntryKind::Dataset(_) => "dataset",
        EntryKind::NamedDatatype { .. } => "committed datatype",
        EntryKind::HardLink { .. } => "hard link",
        EntryKind::Soft(_) => "soft link",
        EntryKind::External { .. } => "external link",
        EntryKind::UserDefined { .. } => "user-defined link",
    }
}

fn kind_words(kind: &EntryKind) -> String {
    match kind {
        EntryKind::Soft(target) => format!("soft link to {target}"),
        EntryKind::External { file, path } => format!("external link to {path} in {file}"),
        EntryKind::UserDefined { class, value } => {
            let shown = String::from_utf8_lossy(value);
            format!("user-defined link of class {class} with the value {shown:?}")
        }
        other => kind_name(other).to_owned(),
    }
}

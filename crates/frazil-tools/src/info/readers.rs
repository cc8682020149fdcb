//! Who can read a whole file, in one sentence.

use std::collections::BTreeSet;

use frazil_container::classic::ClassicFormat;
use frazil_container::hdf5::{DatasetStorage, Hdf5Input};
use frazil_types::{FilterSpec, filter_id};

use crate::info::VariableInfo;
use frazil_file::error::Result;
use frazil_file::input::{Input, InputKind};
use frazil_file::storage_error::from_container;

/// Filter numbers from here on are registered ones, which come as plugins.
const FIRST_PLUGIN: i32 = 256;

/// Who can read the file.
pub(super) fn sentence(input: &Input, variables: &[VariableInfo]) -> Result<String> {
    let hdf5 = match input.kind() {
        InputKind::Classic(classic) => {
            return Ok(match classic.format() {
                ClassicFormat::Cdf5 => "netCDF readers that know CDF-5 (netCDF-C 4.4 or newer)",
                _ => "any netCDF reader",
            }
            .to_owned());
        }
        InputKind::Hdf5(hdf5) => hdf5,
    };
    let is_netcdf4 = hdf5
        .is_netcdf4()
        .map_err(|error| from_container(error, input.path()))?;
    let kind = if is_netcdf4 { "netCDF-4" } else { "HDF5" };
    let since = match (is_netcdf4, hdf5.superblock() >= 3) {
        (true, false) => "",
        (true, true) => " (with HDF5 1.10 or newer)",
        (false, false) => " (1.8 or newer)",
        (false, true) => " (1.10 or newer)",
    };
    let needs = needs(hdf5);
    let who = if needs.is_empty() {
        format!("any {kind} reader{since}")
    } else {
        format!("{kind} readers{since} with {}", needs.join(" and with "))
    };
    Ok(match unreadable(variables) {
        Some(what) => format!("{who}; nobody here can read {what}"),
        None => who,
    })
}

/// What readers need beside the filters that all have.
fn needs(hdf5: &Hdf5Input) -> Vec<String> {
    let mut plugins = BTreeSet::new();
    let mut built_in = BTreeSet::new();
    for dataset in hdf5.datasets() {
        let DatasetStorage::Chunked { pipeline, .. } = &dataset.storage else {
            continue;
        };
        for filter in pipeline.0.iter().filter(|filter| !is_everywhere(filter.id)) {
            let named = (filter.id, name(filter));
            if filter.id >= FIRST_PLUGIN {
                plugins.insert(named)
            } else {
                built_in.insert(named)
            };
        }
    }
    let list = |filters: &BTreeSet<(i32, String)>| {
        let names: Vec<&str> = filters.iter().map(|(_, name)| name.as_str()).collect();
        names.join(" and ")
    };
    let mut needs = Vec::new();
    if !built_in.is_empty() {
        needs.push(format!("libhdf5's own {}", list(&built_in)));
    }
    match plugins.len() {
        0 => {}
        1 => needs.push(format!("the plugin for {}", list(&plugins))),
        _ => needs.push(format!("the plugins for {}", list(&plugins))),
    }
    needs
}

fn is_everywhere(id: i32) -> bool {
    [
        filter_id::DEFLATE,
        filter_id::SHUFFLE,
        filter_id::FLETCHER32,
    ]
    .contains(&id)
}

fn name(filter: &FilterSpec) -> String {
    let name = filter.display_name();
    if name == format!("filter {}", filter.id) {
        name
    } else {
        format!("{name} ({})", filter.id)
    }
}

/// The first variable with a filter that nobody here can undo, and how many there are.
fn unreadable(variables: &[VariableInfo]) -> Option<String> {
    let mut all = variables
        .iter()
        .filter(|variable| !variable.missing_filters.is_empty());
    let first = all.next()?;
    let (id, _) = first.missing_filters.first()?;
    Some(match all.count() {
        0 => format!("{} (filter {id})", first.path),
        more => format!("{} (filter {id}) and {more} more", first.path),
    })
}

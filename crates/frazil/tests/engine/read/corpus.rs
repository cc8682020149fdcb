//! Every variable of the real files: whole, beside libhdf5's own values; and parts of it.

use std::path::Path;

use frazil::model::{DatasetStorage, Variable};
use frazil::schema::VariableId;
use frazil::{AxisSelection, ElementClass, ErrorCode, Reader, ReaderOptions};
use frazil_container::hdf5::{Expanded, Hdf5Input, expand_plain};

use crate::sampling::{is_full, sampled};

use super::support::{Random, corpus_files, pick, random_selections, whole};

/// Larger variables are left to the benchmarks.
const MOST_BYTES: u64 = 48 << 20;

#[test]
fn every_variable_of_the_corpus_reads_as_libhdf5_reads_it() {
    let Some(files) = corpus_files() else {
        return;
    };
    let (mut variables, mut refused) = (0, Vec::new());
    for path in sampled(files, 4) {
        let options = ReaderOptions::default();
        let reader = match Reader::open(&path, &options) {
            Ok(reader) => reader,
            Err(error) => {
                assert!(
                    matches!(error.code, ErrorCode::Corrupt | ErrorCode::Unsupported),
                    "{error}"
                );
                refused.push(error.to_string());
                continue;
            }
        };
        let hdf5 = Hdf5Input::open(&path).ok();
        for number in 0..reader.model().variables.len() {
            let id = VariableId(number);
            let variable = &reader.model().variables[number];
            if variable
                .dataset
                .raw_bytes()
                .is_none_or(|bytes| bytes > MOST_BYTES)
            {
                continue;
            }
            match check(&reader, hdf5.as_ref(), id, variable) {
                Ok(()) => variables += 1,
                Err(reason) => refused.push(reason),
            }
        }
    }
    for reason in &refused {
        println!("{reason}");
    }
    println!("{variables} variables agree, {} refused", refused.len());
    assert!(variables > if is_full() { 3000 } else { 100 });
    assert!(refused.len() < 20);
}

/// Compares one variable; an error says why it cannot be read, by libhdf5 either.
pub(crate) fn check(
    reader: &Reader,
    hdf5: Option<&Hdf5Input>,
    id: VariableId,
    variable: &Variable,
) -> Result<(), String> {
    let element = reader.element(id).unwrap();
    let name = format!("{}:{}", reader.path().display(), variable.dataset.path);
    let mut random = Random(variable.dataset.object_address ^ name.len() as u64);
    let shape = reader.model().shape(id);
    let is_stretched = shape != variable.dataset.shape;
    if element.class == ElementClass::Indirect {
        return check_expanded(reader, id, &name, &mut random);
    }
    let values = match whole(reader, id) {
        Ok(values) => values,
        Err(error) => {
            let reference = hdf5.map(|hdf5| reference(hdf5, variable));
            assert!(
                reference.is_some_and(|reference| reference.is_err()),
                "{name}: {error}"
            );
            return Err(error.to_string());
        }
    };
    let has_reference = !is_stretched && !variable.dataset.is_null && has_common_filters(variable);
    let hdf5 = hdf5.filter(|_| has_reference);
    if let Some(hdf5) = hdf5 {
        let expected = reference(hdf5, variable).unwrap_or_else(|e| panic!("{name}: {e}"));
        let is_number = variable.datatype.number().is_some();
        if !is_number {
            let got = expand_plain(&variable.datatype, &values);
            assert!(got.is_ok_and(|got| got == expected), "{name}");
        } else if variable.datatype.is_whole_number() {
            assert!(values == expected.bytes(), "{name}");
        }
    }
    for _ in 0..6 {
        let selections = random_selections(&shape, &mut random);
        let expected = pick(&values, &shape, &selections, element.size_bytes);
        let mut got = vec![0xa5; expected.len()];
        reader
            .read(id, &selections, &mut got)
            .unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(got == expected, "{name}: {selections:?}");
    }
    Ok(())
}

/// Whether libhdf5 has all the filters itself; others need plugins.
fn has_common_filters(variable: &Variable) -> bool {
    match &variable.dataset.storage {
        DatasetStorage::Chunked { pipeline, .. } => {
            pipeline.0.iter().all(|filter| (1..=6).contains(&filter.id))
        }
        _ => true,
    }
}

fn reference(hdf5: &Hdf5Input, variable: &Variable) -> Result<Expanded, String> {
    if variable.dataset.is_null {
        return Err("there are no values".to_owned());
    }
    let selection = frazil_types::Selection::whole(&variable.dataset.shape);
    hdf5.expanded_values(&variable.dataset, &variable.datatype, &selection)
        .map_err(|error| error.to_string())
}

/// Values of any size: parts are those of the whole.
fn check_expanded(
    reader: &Reader,
    id: VariableId,
    name: &str,
    random: &mut Random,
) -> Result<(), String> {
    let shape = reader.model().shape(id);
    let all = AxisSelection::whole(&shape);
    let values = reader
        .read_expanded(id, &all)
        .map_err(|error| error.to_string())?;
    let numbers: Vec<u8> = (0..values.len() as u64)
        .flat_map(u64::to_le_bytes)
        .collect();
    for _ in 0..3 {
        let selections = random_selections(&shape, random);
        let places = pick(&numbers, &shape, &selections, 8);
        let part = reader.read_expanded(id, &selections);
        let part = part.unwrap_or_else(|e| panic!("{name}: {e}"));
        let places: Vec<usize> = places
            .chunks_exact(8)
            .map(|place| u64::from_le_bytes(place.try_into().unwrap()) as usize)
            .collect();
        assert_eq!(part.len(), places.len(), "{name}");
        for (i, place) in places.into_iter().enumerate() {
            assert_eq!(part.element(i), values.element(place), "{name}");
        }
    }
    Ok(())
}

#[test]
fn classic_and_netcdf4_forms_of_one_model_agree() {
    let folder = tempfile::tempdir().unwrap();
    let Some(files) = corpus_files() else {
        return;
    };
    let mut compared = 0;
    for path in files {
        let Ok(classic) = Reader::open(&path, &ReaderOptions::default()) else {
            continue;
        };
        if !classic.format().starts_with("CDF") || compared > 25 {
            continue;
        }
        let packed = folder.path().join("packed.nc");
        pack(&path, &packed);
        let other = Reader::open(&packed, &ReaderOptions::default()).unwrap();
        for number in 0..classic.model().variables.len() {
            let id = VariableId(number);
            let there = other
                .model()
                .variable(&classic.model().variable_path(id))
                .unwrap();
            assert_eq!(classic.model().shape(id), other.model().shape(there));
            assert_eq!(whole(&classic, id).unwrap(), whole(&other, there).unwrap());
            assert_eq!(classic.element(id).unwrap(), other.element(there).unwrap());
        }
        compared += 1;
    }
    assert!(compared > 10);
}

fn pack(from: &Path, to: &Path) {
    let _ = std::fs::remove_file(to);
    let destination = frazil::Destination::File(to.to_owned());
    let options = frazil::PackOptions::default();
    frazil::pack(from, &destination, &options, &mut frazil::Silent).unwrap();
}

//! The reader of HDF5's metadata: no file makes it panic, hang or take much memory.
//! Wrong checksums are believed here.

#![no_main]

use frazil_hdf5::{File, LinkTarget, Object, ObjectKind};

libfuzzer_sys::fuzz_target!(|input: &[u8]| {
    let Ok(file) = File::open(Box::new(input.to_vec()), None) else {
        return;
    };
    let mut next = vec![file.superblock().root];
    let mut seen = std::collections::HashSet::new();
    while let Some(address) = next.pop() {
        if !seen.insert(address) {
            continue;
        }
        let Ok(object) = file.object(address) else {
            continue;
        };
        let _ = file.attributes(&object);
        match object.kind {
            ObjectKind::Group => next.extend(members(&file, &object)),
            ObjectKind::Dataset => {
                let Ok(dataset) = file.dataset(&object) else {
                    continue;
                };
                let _ = file.virtual_parts(&dataset);
                let records = file.locate(&dataset).unwrap_or_default();
                for record in &records {
                    assert!(record.address + record.stored_bytes <= input.len() as u64);
                }
                if let Some(middle) = records.get(records.len() / 2) {
                    let within = middle.index..middle.index + 1;
                    let found = file.locate_within(&dataset, Some(&within));
                    assert_eq!(found.unwrap(), std::slice::from_ref(middle));
                }
            }
            ObjectKind::NamedDatatype => drop(file.datatype(&object)),
        }
    }
});

fn members(file: &File, group: &Object) -> Vec<u64> {
    let address = |link: frazil_hdf5::Link| match link.target {
        LinkTarget::Hard(address) => Some(address),
        _ => None,
    };
    let links = file.links(group).unwrap_or_default();
    links.into_iter().filter_map(address).collect()
}

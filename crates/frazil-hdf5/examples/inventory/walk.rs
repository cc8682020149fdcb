//! The walk over a file.

use std::collections::HashMap;
use std::error::Error;

use frazil_hdf5::{
    Attribute, Dataset, File, FillStatus, Link, LinkTarget, Object, ObjectKind, Storage,
};

use crate::words::{extent_text, hex, shown, type_text};

/// Printed lists of chunks have at most so many entries.
const MOST_CHUNKS: usize = 50_000;

/// The facts of a file, and whether there were more.
pub(crate) fn inventory(file: &File) -> (Vec<String>, Result<(), Box<dyn Error>>) {
    let mut inventory = Inventory {
        file,
        seen: HashMap::new(),
        lines: Vec::new(),
    };
    let outcome = inventory.visit("/", file.superblock().root);
    (inventory.lines, outcome)
}

struct Inventory<'a> {
    file: &'a File,
    seen: HashMap<u64, String>,
    lines: Vec<String>,
}

impl Inventory<'_> {
    fn visit(&mut self, root: &str, address: u64) -> Result<(), Box<dyn Error>> {
        let mut next = vec![(root.to_owned(), address)];
        while let Some((path, address)) = next.pop() {
            if let Some(known) = self.seen.get(&address) {
                self.lines.push(format!("{path} same {known}"));
                continue;
            }
            self.seen.insert(address, path.clone());
            let object = self
                .file
                .object(address)
                .map_err(|error| format!("{path}: {error}"))?;
            let links = self
                .describe(&path, &object)
                .map_err(|error| format!("{path}: {error}"))?;
            for link in links.into_iter().rev() {
                let path = format!("{}/{}", path.trim_end_matches('/'), shown(&link.name));
                match link.target {
                    LinkTarget::Hard(address) => next.push((path, address)),
                    LinkTarget::Soft(target) => {
                        self.lines.push(format!("{path} soft {}", shown(&target)));
                    }
                    LinkTarget::External { file, path: to } => {
                        self.lines
                            .push(format!("{path} external {} {}", shown(&file), shown(&to)));
                    }
                    LinkTarget::UserDefined { class, .. } => {
                        self.lines.push(format!("{path} user {class}"));
                    }
                }
            }
        }
        Ok(())
    }

    fn describe(&mut self, path: &str, object: &Object) -> frazil_hdf5::Result<Vec<Link>> {
        let mut links = Vec::new();
        match object.kind {
            ObjectKind::Group => {
                links = self.file.links(object)?;
                let order = self.file.link_order(object)?;
                let names: Vec<String> = links.iter().map(|link| shown(&link.name)).collect();
                let order = (u8::from(order.is_tracked), u8::from(order.is_indexed));
                self.lines
                    .push(format!("{path} group {order:?} {}", names.join(" ")));
            }
            ObjectKind::NamedDatatype => {
                let datatype = self.file.datatype(object)?;
                self.lines
                    .push(format!("{path} type {}", type_text(&datatype)));
            }
            ObjectKind::Dataset => {
                let dataset = self.file.dataset(object)?;
                self.dataset(path, &dataset)?;
            }
        }
        if let Some(comment) = object.comment() {
            self.lines
                .push(format!("{path} comment {}", shown(&comment)));
        }
        for attribute in self.file.attributes(object)? {
            self.attribute(path, &attribute);
        }
        Ok(links)
    }

    fn dataset(&mut self, path: &str, dataset: &Dataset) -> frazil_hdf5::Result<()> {
        let (extent, datatype) = (extent_text(&dataset.extent), type_text(&dataset.datatype));
        self.lines
            .push(format!("{path} dataset {extent} {datatype}"));
        let fill = match dataset.fill.status {
            FillStatus::Undefined => "undefined".to_owned(),
            FillStatus::Default => "default".to_owned(),
            FillStatus::User if dataset.datatype.is_indirect() => "user".to_owned(),
            FillStatus::User => hex(&dataset.fill.value),
        };
        self.lines
            .push(format!("{path} fill {fill} {:?}", dataset.fill.time));
        let storage = match &dataset.storage {
            Storage::Compact(bytes) => format!("compact {}", bytes.len()),
            Storage::Contiguous { address, .. } => match address {
                Some(address) => format!("contiguous {address}"),
                None => "contiguous none".to_owned(),
            },
            Storage::External(files) => format!("external {}", files.len()),
            Storage::Virtual(_) => {
                format!("virtual {}", self.file.virtual_parts(dataset)?.len())
            }
            Storage::Chunked(chunks) => {
                let stage = |stage: &frazil_types::FilterSpec| {
                    format!("{}{:?}{}", stage.id, stage.cd_values, stage.flags)
                };
                let stages: Vec<String> = chunks.pipeline.0.iter().map(stage).collect();
                format!("chunked {:?} {}", chunks.chunk, stages.join(","))
            }
        };
        self.lines.push(format!("{path} storage {storage}"));
        let records = self.file.locate(dataset)?;
        if let Some(middle) = records.get(records.len() / 2) {
            let within = middle.index..middle.index + 1;
            let alone = self.file.locate_within(dataset, Some(&within))?;
            assert_eq!(
                alone,
                std::slice::from_ref(middle),
                "a chunk that is looked up alone"
            );
        }
        if !records.is_empty() {
            let record = |r: &frazil_types::ChunkRecord| {
                format!(
                    "{}:{}:{}:{}",
                    r.index, r.filter_mask, r.address, r.stored_bytes
                )
            };
            let records: Vec<String> = records.iter().take(MOST_CHUNKS).map(record).collect();
            self.lines
                .push(format!("{path} chunks {}", records.join(" ")));
        }
        Ok(())
    }

    fn attribute(&mut self, path: &str, attribute: &Attribute) {
        let name = shown(&attribute.name);
        let values = match attribute.datatype.is_indirect() {
            true => "indirect".to_owned(),
            false => hex(&attribute.values),
        };
        let (extent, datatype) = (
            extent_text(&attribute.extent),
            type_text(&attribute.datatype),
        );
        self.lines.push(format!(
            "{path} attribute {name} {extent} {datatype} {values}"
        ));
    }
}

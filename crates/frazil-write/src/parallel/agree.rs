//! Whether all ranks have defined the same.

use std::fmt::Write as _;

use frazil_types::ErrorCode;

use super::super::cooperation::Call;
use super::super::repeats::hash;
use super::super::writer::Writer;
use super::link::Link;
use super::wire::{Agreement, Arrival, Item, TextPut};
use frazil_container::schema::{AttributeOwner, GroupId, Schema, SchemaAttribute, VariableId};
use frazil_file::error::{Error, Result};
use frazil_options::plan_text::PLAN_ATTRIBUTE;

/// Words of a definition that an error repeats.
const SHOWN_CHARS: usize = 200;

impl Writer {
    /// Brings the ranks together: the same call, the same definitions, the longest of the lengths.
    /// Beside that, on rank 0, the texts that all have put, in the order of the ranks.
    pub(super) fn agree(
        &mut self,
        link: &mut Link,
        call: Call,
        texts: Vec<TextPut>,
        ready: Result<()>,
    ) -> Result<(Agreement, Vec<TextPut>)> {
        let share = ready.map(|()| Arrival {
            call,
            digest: digest(&self.items(true)),
            lengths: self.lengths(),
            is_begun: (0..self.details.len())
                .map(|number| self.submission.has_any(number))
                .collect(),
            raw_bytes: self.raw_bytes,
            borders: self.open_borders(),
            texts,
        });
        let mut arrived = Vec::new();
        let agreement = link.consult(share, |link, all| {
            let agreement = agreed(&all, link.number(0))?;
            arrived = (all.into_iter())
                .flat_map(|arrival| arrival.texts)
                .collect();
            Ok(vec![agreement; link.size()])
        })?;
        if !agreement.is_same {
            let items = Ok(self.items(true));
            return link.consult(items, |link, all| {
                let all: Vec<_> = (all.into_iter().enumerate())
                    .map(|(member, items)| (link.number(member), items))
                    .collect();
                Err(first_difference(&all))
            });
        }
        Ok((agreement, arrived))
    }

    /// Everything that must be the same on all ranks, in words; with the chunk shapes that were
    /// fixed, or without.
    pub(super) fn items(&self, with_chunks: bool) -> Vec<Item> {
        let mut items = Vec::new();
        for (number, dimension) in self.schema.dimensions.iter().enumerate() {
            let mut text = format!("{:?} in {}", dimension.name, dimension.group.0);
            // Writing to a String cannot fail.
            let _ = match dimension.is_unlimited {
                true => write!(text, ", unlimited, expected {:?}", self.expected[number]),
                false => write!(text, ", {} long", dimension.length),
            };
            items.push(Item {
                name: format!("dimension `{}`", dimension.name),
                text,
            });
        }
        for number in 0..self.schema.groups.len() {
            let id = GroupId(number);
            let path = self.schema.group_path(id);
            add_attributes(&mut items, &self.schema, AttributeOwner::Group(id), &path);
            items.push(Item {
                name: format!("group `{path}`"),
                text: String::new(),
            });
        }
        for (number, details) in self.details.iter().enumerate() {
            let id = VariableId(number);
            let path = self.schema.variable_path(id);
            let variable = &self.schema.variables[number];
            let with_chunk = with_chunks && details.existing.is_none();
            let active = details.active.as_ref().filter(|_| with_chunk);
            let chunk = active.map(|active| &active.chunk);
            let text = format!(
                "{:?} over {:?}, {:?}, chunks of {chunk:?}",
                variable.value_type, variable.dimensions, details.settings
            );
            items.push(Item {
                name: format!("variable `{path}`"),
                text,
            });
            add_attributes(
                &mut items,
                &self.schema,
                AttributeOwner::Variable(id),
                &path,
            );
        }
        items
    }
}

fn add_attributes(items: &mut Vec<Item>, schema: &Schema, owner: AttributeOwner, path: &str) {
    let attributes = schema.attributes(owner).iter();
    // What was decided is no definition, and those that only hand values on do not know it.
    let attributes = attributes.filter(|attribute| attribute.name != PLAN_ATTRIBUTE);
    items.extend(attributes.map(|SchemaAttribute { name, value }| Item {
        name: format!("attribute `{name}` of `{path}`"),
        text: format!("{value:?}"),
    }));
}

pub(super) fn digest(items: &[Item]) -> u64 {
    let mut text = Vec::new();
    for item in items {
        text.extend_from_slice(item.name.as_bytes());
        text.push(0);
        text.extend_from_slice(item.text.as_bytes());
        text.push(0);
    }
    hash(&text)
}

/// The error of ranks, given by number, that make different calls.
pub(super) fn different_calls((rank, call): (usize, Call), (other, its): (usize, Call)) -> Error {
    let cause = format!(
        "rank {rank} calls {}, rank {other} calls {}",
        call.name(),
        its.name()
    );
    Error::new(ErrorCode::InvalidArgument, cause)
}

/// What the ranks of a group go on with; the group begins with rank `first`.
fn agreed(all: &[Arrival], first: usize) -> Result<Agreement> {
    let calls = all.iter().map(|arrival| arrival.call);
    if let Some((member, call)) = calls.enumerate().find(|(_, call)| *call != all[0].call) {
        return Err(different_calls(
            (first + member, call),
            (first, all[0].call),
        ));
    }
    let is_same = all.iter().all(|arrival| arrival.digest == all[0].digest);
    let mut agreement = Agreement {
        is_same,
        lengths: all[0].lengths.clone(),
        is_begun: all[0].is_begun.clone(),
        raw_bytes: all.iter().map(|arrival| arrival.raw_bytes).sum(),
        borders: all[0].borders.clone(),
    };
    for arrival in all.iter().filter(|_| is_same) {
        for (longest, &length) in agreement.lengths.iter_mut().zip(&arrival.lengths) {
            *longest = length.max(*longest);
        }
        for (any, &one) in agreement.is_begun.iter_mut().zip(&arrival.is_begun) {
            *any |= one;
        }
        for (common, own) in agreement.borders.iter_mut().zip(&arrival.borders) {
            common.merge(own);
        }
    }
    Ok(agreement)
}

/// The beginning of a text, for a message.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS).collect()
}

/// Names the first thing that a rank has defined otherwise than the first one; ranks with what
/// they have defined.
pub(super) fn first_difference(all: &[(usize, Vec<Item>)]) -> Error {
    let differ = || Error::new(ErrorCode::Internal, "the ranks' definitions differ");
    let Some(((first, ours), others)) = all.split_first() else {
        return differ();
    };
    for (rank, items) in others {
        let known: KeyNames<'_> = items.iter().map(|item| item.name.as_str()).collect();
        let own: KeyNames<'_> = ours.iter().map(|item| item.name.as_str()).collect();
        let cause = if let Some(item) = ours.iter().find(|i| !known.contains(i.name.as_str())) {
            format!("rank {rank} lacks the {} of rank {first}", item.name)
        } else if let Some(item) = items.iter().find(|i| !own.contains(i.name.as_str())) {
            format!(
                "rank {rank} has the {}, which rank {first} lacks",
                item.name
            )
        } else if let Some((item, other)) = ours.iter().zip(items).find(|(a, b)| a.name != b.name) {
            format!(
                "rank {rank} defines the {} where rank {first} defines the {}",
                other.name, item.name
            )
        } else if let Some((item, other)) = ours.iter().zip(items).find(|(a, b)| a != b) {
            format!(
                "rank {rank} has another {} than rank {first}: {}, not {}",
                item.name,
                shown(&other.text),
                shown(&item.text)
            )
        } else {
            continue;
        };
        return Error::new(ErrorCode::InvalidArgument, cause)
            .with_cure("define the same on all ranks, in the same order");
    }
    differ()
}

type KeyNames<'a> = std::collections::HashSet<&'a str>;

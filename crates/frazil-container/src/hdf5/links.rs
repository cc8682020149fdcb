//! What links lead to, within a file.

use std::collections::HashMap;

use super::contents::{Contents, Entry, EntryKind};

/// Soft links that libhdf5 follows on one way (`H5L_NUM_LINKS`).
const MOST_LINKS: usize = 16;

/// What is at a path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found<'a> {
    Nothing,
    /// The first entry of an object, or a link of a class that only its author's program knows.
    Entry(&'a Entry),
    /// What is at a path in another file.
    Elsewhere {
        file: &'a str,
        path: String,
    },
}

/// Finds the objects behind links. Every link is followed once, however links lead to each other.
pub(super) struct Links<'a> {
    contents: &'a Contents,
    by_path: HashMap<&'a str, &'a Entry>,
    /// Paths of soft links, as far as known; `None`: nowhere, or not yet known.
    known: HashMap<&'a str, Option<&'a str>>,
}

impl<'a> Links<'a> {
    pub(super) fn new(contents: &'a Contents) -> Self {
        let entries = contents.entries.iter();
        Self {
            contents,
            by_path: entries.map(|entry| (entry.path.as_str(), entry)).collect(),
            known: HashMap::new(),
        }
    }

    /// The first entry of the object that an entry stands for: itself, if it is no link. `None`
    /// where a link leads nowhere, to the root group, or out of the file.
    pub(super) fn follow(&mut self, entry: &'a Entry) -> Option<&'a Entry> {
        let path = match &entry.kind {
            EntryKind::Dataset(_) | EntryKind::Group { .. } | EntryKind::NamedDatatype { .. } => {
                return Some(entry);
            }
            EntryKind::HardLink { object_address } => self.contents.paths.get(object_address)?,
            EntryKind::Soft(target) => self.soft(entry, target)?,
            EntryKind::External { .. } | EntryKind::UserDefined { .. } => return None,
        };
        self.by_path.get(path).copied()
    }

    /// What is at a path from the root, through links.
    pub(super) fn find(&self, path: &str) -> Found<'a> {
        let mut waiting = parts_of(path);
        let (mut at, mut entry, mut traversed) = ("", None, 0);
        while let Some(part) = waiting.pop() {
            let next = self.by_path.get(format!("{at}/{part}").as_str());
            let Some(&next) = next else {
                return Found::Nothing;
            };
            traversed += usize::from(matches!(&next.kind, EntryKind::Soft(_)));
            match &next.kind {
                EntryKind::Soft(_) if traversed > MOST_LINKS => return Found::Nothing,
                EntryKind::Soft(target) => {
                    waiting.extend(parts_of(target));
                    at = if target.starts_with('/') { "" } else { at };
                }
                EntryKind::HardLink { object_address } => {
                    let path = self.contents.paths.get(object_address);
                    at = path.map_or("", |path| path.trim_end_matches('/'));
                    entry = self.by_path.get(at).copied();
                }
                EntryKind::External { file, path } => {
                    waiting.push(path);
                    waiting.reverse();
                    let path = waiting.join("/");
                    return Found::Elsewhere { file, path };
                }
                EntryKind::UserDefined { .. } => return Found::Entry(next),
                _ => (at, entry) = (&next.path, Some(next)),
            }
        }
        entry.map_or(Found::Nothing, Found::Entry)
    }

    /// The first path of the object behind a soft link.
    fn soft(&mut self, entry: &'a Entry, target: &'a str) -> Option<&'a str> {
        // Entries that wait for the link they lead through; each with what is left of its target.
        let mut waiting = vec![Walk::new(entry, target)];
        // Where the link on top of those leads to, once that is known.
        let mut found: Option<Option<&'a str>> = None;
        while let Some(walk) = waiting.last_mut() {
            match found.take() {
                Some(Some(path)) => walk.at = path,
                Some(None) => walk.is_lost = true,
                None => {}
            }
            match self.step(walk) {
                Step::On => {}
                Step::Through(next, target) => match self.known.get(next.path.as_str()) {
                    Some(known) => found = Some(*known),
                    None => {
                        // Whoever comes back here goes round in circles.
                        self.known.insert(&next.path, None);
                        waiting.push(Walk::new(next, target));
                    }
                },
                Step::Arrived(path) => {
                    self.known.insert(walk.path, path);
                    found = Some(path);
                    waiting.pop();
                }
            }
        }
        found?
    }

    fn step(&self, walk: &mut Walk<'a>) -> Step<'a> {
        let next = walk.parts.find(|part| !part.is_empty() && *part != ".");
        let Some(part) = next.filter(|_| !walk.is_lost) else {
            return Step::Arrived((!walk.is_lost).then_some(walk.at));
        };
        let path = format!("{}/{part}", walk.at.trim_end_matches('/'));
        match self.by_path.get(path.as_str()) {
            Some(entry) => match &entry.kind {
                EntryKind::Soft(target) => return Step::Through(entry, target),
                EntryKind::HardLink { object_address } => {
                    match self.contents.paths.get(object_address) {
                        Some(path) => walk.at = path,
                        None => walk.is_lost = true,
                    }
                }
                EntryKind::External { .. } | EntryKind::UserDefined { .. } => walk.is_lost = true,
                _ => walk.at = &entry.path,
            },
            None => walk.is_lost = true,
        }
        Step::On
    }
}

/// The parts of a path, the first one last.
fn parts_of(path: &str) -> Vec<&str> {
    let parts = path.rsplit('/').filter(|part| !matches!(*part, "" | "."));
    parts.collect()
}

/// The way along a soft link's target.
struct Walk<'a> {
    /// Of the link.
    path: &'a str,
    at: &'a str,
    parts: std::str::Split<'a, char>,
    is_lost: bool,
}

impl<'a> Walk<'a> {
    fn new(link: &'a Entry, target: &'a str) -> Self {
        Self {
            path: &link.path,
            at: if target.starts_with('/') {
                "/"
            } else {
                &link.parent
            },
            parts: target.split('/'),
            is_lost: false,
        }
    }
}

enum Step<'a> {
    /// One part further, or lost.
    On,
    /// There is another soft link in the way.
    Through(&'a Entry, &'a str),
    /// At the end: the path; `None`: the link leads nowhere.
    Arrived(Option<&'a str>),
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn entry(path: &str, kind: EntryKind) -> Entry {
        let (parent, name) = path.rsplit_once('/').unwrap();
        let parent = if parent.is_empty() { "/" } else { parent };
        Entry {
            path: path.to_owned(),
            parent: parent.to_owned(),
            name: name.to_owned(),
            is_utf8: true,
            kind,
        }
    }

    fn contents(entries: Vec<Entry>) -> Contents {
        Contents {
            is_swmr: false,
            path: PathBuf::new(),
            file_bytes: 0,
            user_block_bytes: 0,
            superblock: 2,
            root_link_order: 0,
            has_times: false,
            unusual_form: Vec::new(),
            entries,
            datasets: Vec::new(),
            paths: HashMap::from([(1, "/g".to_owned()), (2, "/g/x".to_owned())]),
            addresses: HashMap::new(),
            source: None,
        }
    }

    #[test]
    fn links_lead_through_links_and_circles_lead_nowhere() {
        let soft = |path: &str, target: &str| entry(path, EntryKind::Soft(target.to_owned()));
        let group = EntryKind::Group {
            object_address: 1,
            link_order: 0,
        };
        let external = EntryKind::External {
            file: "other.h5".to_owned(),
            path: "/x".to_owned(),
        };
        let contents = contents(vec![
            entry("/g", group),
            entry("/g/x", EntryKind::Dataset(0)),
            soft("/g/near", "x"),
            soft("/g/dotted", "./x/"),
            entry("/hard", EntryKind::HardLink { object_address: 2 }),
            entry("/again", EntryKind::HardLink { object_address: 1 }),
            soft("/far", "/again/near"),
            soft("/two", "/far"),
            soft("/one", "two"),
            soft("/circle", "/back/x"),
            soft("/back", "/circle"),
            soft("/self", "self"),
            soft("/gone", "/g/y"),
            entry("/outside", external),
            soft("/out", "/outside"),
            soft("/root", "/"),
        ]);
        let mut links = Links::new(&contents);
        for _ in 0..2 {
            for found in &contents.entries {
                let leads_to = links.follow(found).map(|one| one.path.as_str());
                let expected = match found.path.as_str() {
                    "/g" | "/again" => Some("/g"),
                    "/g/x" | "/g/near" | "/g/dotted" | "/hard" | "/far" | "/two" | "/one" => {
                        Some("/g/x")
                    }
                    _ => None,
                };
                assert_eq!(leads_to, expected, "{}", found.path);
            }
        }
    }

    #[test]
    fn paths_lead_through_links_and_out_of_the_file() {
        let group = EntryKind::Group {
            object_address: 1,
            link_order: 0,
        };
        let external = EntryKind::External {
            file: "other.h5".to_owned(),
            path: "/x".to_owned(),
        };
        let soft = |path: &str, target: &str| entry(path, EntryKind::Soft(target.to_owned()));
        let contents = contents(vec![
            entry("/g", group),
            entry("/g/x", EntryKind::Dataset(0)),
            entry("/again", EntryKind::HardLink { object_address: 1 }),
            soft("/near", "again/./x"),
            entry("/g/out", external),
            soft("/far", "/g/out"),
            soft("/circle", "circle"),
        ]);
        let links = Links::new(&contents);
        let own = |path: &str| match links.find(path) {
            Found::Entry(entry) => Some(entry.path.clone()),
            _ => None,
        };
        for path in ["/g/x", "g//x", "again/x", "/near"] {
            assert_eq!(own(path).as_deref(), Some("/g/x"), "{path}");
        }
        for path in ["/", "/y", "/g/x/y", "/circle", "/circle/x"] {
            assert_eq!(links.find(path), Found::Nothing, "{path}");
        }
        let elsewhere = |path: &str| match links.find(path) {
            Found::Elsewhere { file, path } => format!("{file} {path}"),
            _ => String::new(),
        };
        assert_eq!(elsewhere("/far"), "other.h5 /x");
        assert_eq!(elsewhere("/again/out/y/z"), "other.h5 /x/y/z");
    }

    #[test]
    fn links_that_lead_through_many_are_followed_once() {
        let mut entries = vec![entry(
            "/l0",
            EntryKind::Group {
                object_address: 1,
                link_order: 0,
            },
        )];
        for i in 1..60 {
            let target = format!("/l{0}/../l{0}/l{0}", i - 1);
            entries.push(entry(&format!("/l{i}"), EntryKind::Soft(target)));
        }
        let contents = contents(entries);
        let mut links = Links::new(&contents);
        assert!(links.follow(&contents.entries[59]).is_none());
    }
}

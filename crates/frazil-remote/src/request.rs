//! One range of a file, asked for until it is there, or it is clear that it will not come.

use std::io;
use std::ops::Range;
use std::time::Instant;

use frazil_types::{ErrorCode, SourceError};
use futures_util::StreamExt;
use object_store::{GetOptions, GetRange, GetResult};

use crate::client::Refusal;
use crate::cost::Cost;
use crate::failure::{Again, Failure};
use crate::limits;
use crate::runtime::Network;
use crate::store::Store;

/// Which version of a file is read: all of its parts must be of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    /// Bytes of the whole file.
    pub(crate) length: u64,
    pub(crate) tag: Option<String>,
    pub(crate) modified: i64,
}

/// Which versions of a file are of use.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// Whichever there is.
    Any,
    /// This one, of which parts were read.
    Only(&'a Version),
    /// Whichever there is; if it is this one, its bytes are known.
    Unless(&'a Version),
}

impl Wanted<'_> {
    fn is_known(self) -> bool {
        matches!(self, Self::Only(_))
    }
}

/// What came of a request.
#[derive(Debug)]
pub(crate) enum Found {
    /// Bytes, and the version that they are of.
    Bytes(Vec<u8>, Version),
    /// The version is the one that is known.
    Same,
}

impl Version {
    fn of(answer: &GetResult) -> Self {
        Self {
            length: answer.meta.size,
            tag: answer.meta.e_tag.clone(),
            modified: answer.meta.last_modified.timestamp_millis(),
        }
    }

    #[cfg(test)]
    pub(crate) fn test(length: u64) -> Self {
        Self {
            length,
            tag: Some("\"tag\"".to_owned()),
            modified: -5,
        }
    }

    /// The tag by which a server can refuse another version. Weak ones never match, by the rules of HTTP.
    pub(crate) fn condition(&self) -> Option<String> {
        let is_strong = |tag: &&String| !tag.starts_with("W/");
        self.tag.as_ref().filter(is_strong).cloned()
    }

    pub(crate) fn is_same(&self, now: &Self) -> bool {
        let by_tag = match (&self.tag, &now.tag) {
            (Some(then), Some(now)) => then == now,
            _ => self.modified == now.modified,
        };
        by_tag && self.length == now.length
    }
}

/// The bytes of a range of the version that is known.
pub(crate) async fn fetch(
    store: &Store,
    network: &Network,
    cost: &Cost,
    range: Range<u64>,
    known: &Version,
) -> io::Result<Vec<u8>> {
    match fetch_wanted(store, network, cost, range, Wanted::Only(known)).await? {
        Found::Bytes(bytes, _) => Ok(bytes),
        Found::Same => Err(io::Error::other(
            "an answer to a question that nobody asked",
        )),
    }
}

/// The bytes of a range, which ends where the file does, and the version that they are of.
pub(crate) async fn fetch_wanted(
    store: &Store,
    network: &Network,
    cost: &Cost,
    range: Range<u64>,
    wanted: Wanted<'_>,
) -> io::Result<Found> {
    let begun = Instant::now();
    let mut attempt = 0;
    loop {
        attempt += 1;
        let turn = network.turns.acquire().await;
        let outcome = ask(store, cost, range.clone(), wanted).await;
        drop(turn);
        let failure = match outcome {
            Ok(found) => return Ok(found),
            Err(failure) => failure,
        };
        let Again::Yes(asked) = failure.again else {
            return Err(failure.error.into());
        };
        let pause = limits::pause(attempt, asked);
        let is_over =
            attempt >= limits::MOST_ATTEMPTS || begun.elapsed() + pause > limits::all_attempts();
        if is_over {
            return Err(after(failure.error, attempt, begun).into());
        }
        tokio::time::sleep(pause).await;
    }
}

/// The last of several failures.
fn after(mut error: SourceError, attempts: u32, begun: Instant) -> SourceError {
    let seconds = begun.elapsed().as_secs_f64();
    let times = match attempts {
        1 => "one attempt".to_owned(),
        times => format!("{times} attempts"),
    };
    error.cause = format!("{}, after {times} in {seconds:.1} s", error.cause);
    error
}

async fn ask(
    store: &Store,
    cost: &Cost,
    range: Range<u64>,
    wanted: Wanted<'_>,
) -> Result<Found, Failure> {
    let (only, unless) = match wanted {
        Wanted::Any => (None, None),
        Wanted::Only(version) => (version.condition(), None),
        Wanted::Unless(version) => (None, version.condition()),
    };
    let options = GetOptions {
        range: Some(GetRange::Bounded(range.clone())),
        if_match: only,
        if_none_match: unless,
        ..GetOptions::default()
    };
    let service = store.service();
    let service = service.map_err(|error| Failure::passing(error.to_string()))?;
    let begun = Instant::now();
    let late = |_| Failure::passing("the server did not answer in time");
    let answer = tokio::time::timeout(limits::answer(), service.get_opts(&store.path, options));
    let answer = answer.await.map_err(late)?;
    let answer = match answer {
        Err(error) if matches!(wanted, Wanted::Unless(_)) && is_unmodified(&error) => {
            return Ok(Found::Same);
        }
        answer => answer.map_err(|error| Failure::of(&error, store, wanted.is_known()))?,
    };
    let first = begun.elapsed();
    let version = Version::of(&answer);
    match wanted {
        Wanted::Only(known) if !known.is_same(&version) => return Err(Failure::changed()),
        // A server that takes no conditions sends what is known.
        Wanted::Unless(known) if known.is_same(&version) => return Ok(Found::Same),
        _ => {}
    }
    let bytes = body(answer, &range, store).await?;
    cost.learn(first, begun.elapsed() - first, bytes.len() as u64);
    Ok(Found::Bytes(bytes, version))
}

/// Whether a server says that a file is of the version that is known.
fn is_unmodified(error: &object_store::Error) -> bool {
    let mut link: Option<&(dyn std::error::Error + 'static)> = Some(error);
    while let Some(found) = link {
        if let Some(Refusal::Status(304, ..)) = found.downcast_ref::<Refusal>() {
            return true;
        }
        link = found.source();
    }
    matches!(error, object_store::Error::NotModified { .. })
}

/// The bytes of an answer: as many as it promises, no more and no less.
async fn body(answer: GetResult, range: &Range<u64>, store: &Store) -> Result<Vec<u8>, Failure> {
    let promised = answer.range.end.saturating_sub(answer.range.start);
    if answer.range.start != range.start || promised > range.end.saturating_sub(range.start) {
        let cause = "the server sent another part of the file than frazil requested";
        return Err(Failure::last(SourceError::new(ErrorCode::Io, cause)));
    }
    let mut bytes = Vec::new();
    let mut pace = Pace::begin();
    let mut parts = answer.into_stream();
    while let Some(part) = parts.next().await {
        let part = part.map_err(|error| Failure::of(&error, store, true))?;
        if bytes.len() as u64 + part.len() as u64 > promised {
            let cause = "the server sent more bytes than it announced";
            return Err(Failure::last(SourceError::new(ErrorCode::Io, cause)));
        }
        if bytes.is_empty() {
            // As much as was asked for: the caller has room for it.
            bytes.reserve_exact(usize::try_from(promised).unwrap_or(0));
        }
        bytes.extend_from_slice(&part);
        pace.check(bytes.len() as u64)?;
    }
    if bytes.len() as u64 != promised {
        let cause = format!(
            "the connection broke: {} of {promised} bytes came",
            bytes.len()
        );
        return Err(Failure::passing(cause));
    }
    Ok(bytes)
}

/// Whether bytes come as fast as they must.
struct Pace {
    since: Instant,
    bytes: u64,
}

impl Pace {
    fn begin() -> Self {
        Self {
            since: Instant::now(),
            bytes: 0,
        }
    }

    /// Compares, from time to time, with the bytes that have come by now.
    fn check(&mut self, bytes: u64) -> Result<(), Failure> {
        if self.since.elapsed() < limits::silence() {
            return Ok(());
        }
        if bytes - self.bytes < limits::least_bytes() {
            return Err(Failure::passing("the server sends bytes too slowly"));
        }
        *self = Self {
            since: Instant::now(),
            bytes,
        };
        Ok(())
    }
}

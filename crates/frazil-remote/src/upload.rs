//! A finished file that appears behind a URL: whole, or not at all.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use frazil_types::{ErrorCode, SourceError};
use object_store::{MultipartUpload, ObjectStoreExt, PutPayload};

use crate::StorageOptions;
use crate::address::Service;
use crate::failure::Failure;
use crate::runtime::{Network, wait};
use crate::store::Store;

/// Parts of an upload; services take 10,000 at most.
const PART_BYTES: u64 = 16 << 20;
const MOST_PARTS: u64 = 10_000;
/// Parts under way at a time.
const PARTS_AT_ONCE: usize = 4;

/// Checks that a file may be written to a URL.
///
/// # Errors
/// Carries a [`SourceError`]: the service takes no files, there is one already and `overwrite` is not said, or
/// access is refused.
pub fn check_new(url: &str, options: &StorageOptions, overwrite: bool) -> io::Result<()> {
    let store = Arc::new(open(url, options)?);
    let network = Network::current()?;
    let checked = network.begin(async move {
        let service = store.service()?;
        match service.head(&store.path).await {
            Ok(_) if !overwrite => {
                Err(SourceError::new(ErrorCode::AlreadyExists, "exists already")
                    .with_cure("add --overwrite to replace it")
                    .into())
            }
            Ok(_) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Failure::of(&error, &store, false).error.into()),
        }
    });
    wait(&checked)
}

/// Sends a file to a URL. Nobody sees any of it before all of it is there; the service compares checksums of the
/// parts, and its length is compared in the end.
///
/// # Errors
/// Carries a [`SourceError`]; then nothing was written.
pub fn upload(file: File, url: &str, options: &StorageOptions) -> io::Result<()> {
    let store = Arc::new(open(url, options)?);
    let network = Network::current()?;
    let done = network.begin(async move {
        let service = store.service()?;
        let bytes = file.metadata()?.len();
        let failed = |error: object_store::Error| -> io::Error {
            Failure::of(&error, &store, false).error.into()
        };
        let upload = service.put_multipart(&store.path).await.map_err(failed)?;
        send(&file, bytes, upload, &failed).await?;
        let found = service.head(&store.path).await.map_err(failed)?;
        if found.size != bytes {
            let cause = format!("{} of {bytes} bytes arrived", found.size);
            return Err(SourceError::new(ErrorCode::Mismatch, cause).into());
        }
        Ok(())
    });
    wait(&done)
}

async fn send(
    file: &File,
    bytes: u64,
    mut upload: Box<dyn MultipartUpload>,
    failed: &impl Fn(object_store::Error) -> io::Error,
) -> io::Result<()> {
    let sent = send_parts(file, bytes, upload.as_mut(), failed).await;
    let completed = match sent {
        Ok(()) => upload.complete().await.map(drop).map_err(failed),
        Err(error) => Err(error),
    };
    if completed.is_err() {
        // Parts that stay behind cost money; what went wrong before is what counts.
        let _ = upload.abort().await;
    }
    completed
}

async fn send_parts(
    file: &File,
    bytes: u64,
    upload: &mut dyn MultipartUpload,
    failed: &impl Fn(object_store::Error) -> io::Error,
) -> io::Result<()> {
    let part_bytes = PART_BYTES.max(bytes.div_ceil(MOST_PARTS));
    let mut under_way = std::collections::VecDeque::new();
    let mut at = 0;
    while at < bytes || at == 0 {
        let length = part_bytes.min(bytes - at);
        let mut part = vec![0; usize::try_from(length).map_err(io::Error::other)?];
        file.read_exact_at(&mut part, at)?;
        let sending = upload.put_part(PutPayload::from(part));
        let network = Network::current()?;
        under_way.push_back(network.spawn(sending));
        if under_way.len() >= PARTS_AT_ONCE
            && let Some(first) = under_way.pop_front()
        {
            first.await.map_err(io::Error::other)?.map_err(failed)?;
        }
        at += length.max(1);
    }
    for rest in under_way {
        rest.await.map_err(io::Error::other)?.map_err(failed)?;
    }
    Ok(())
}

fn open(url: &str, options: &StorageOptions) -> Result<Store, SourceError> {
    let store = Store::new(url, options, true)?;
    if store.address.service == Service::Http {
        let cause = "frazil cannot write to a web server";
        let error = SourceError::new(ErrorCode::Unsupported, cause);
        return Err(error.with_cure("write to s3://, gs://, az:// or a local file"));
    }
    Ok(store)
}

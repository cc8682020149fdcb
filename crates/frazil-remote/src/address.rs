//! Who is asked: a URL taken apart, and its form without secrets.

use frazil_types::{ErrorCode, SourceError};
use url::Url;

/// Services that are reached in different ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Service {
    /// A web server.
    Http,
    /// S3, and what speaks like it.
    S3,
    /// Google's.
    Gcs,
    /// Azure's blobs.
    Azure,
}

/// A file behind a URL.
#[derive(Debug, Clone)]
pub(crate) struct Address {
    pub(crate) service: Service,
    pub(crate) url: Url,
    /// Bucket or container; of web servers: the host.
    pub(crate) bucket: String,
    /// Path in the bucket, decoded.
    pub(crate) key: String,
}

impl Address {
    /// Takes a URL apart.
    pub(crate) fn parse(text: &str) -> Result<Self, SourceError> {
        let invalid = |why: &str| {
            SourceError::new(
                ErrorCode::InvalidArgument,
                format!("this is no URL of a file: {why}"),
            )
            .with_cure("write https://HOST/FILE, s3://BUCKET/FILE, gs://BUCKET/FILE or az://CONTAINER/FILE")
        };
        let (scheme, rest) = text
            .split_once("://")
            .ok_or_else(|| invalid("there is no scheme"))?;
        let service = match scheme.to_ascii_lowercase().as_str() {
            "http" | "https" => Service::Http,
            "s3" | "s3a" => Service::S3,
            "gs" | "gcs" => Service::Gcs,
            "az" | "azure" | "abfs" | "abfss" | "adl" => Service::Azure,
            _ => return Err(invalid("its scheme is unknown")),
        };
        if service != Service::Http {
            // Keys of buckets are texts, not parts of URLs: a `?` or `%` is a character.
            let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
            let bucket_only = format!("{scheme}://{bucket}");
            let url = Url::parse(&bucket_only).map_err(|error| invalid(&error.to_string()))?;
            if bucket.is_empty() || key.is_empty() {
                return Err(invalid("it names no file in a bucket"));
            }
            return Ok(Self {
                service,
                url,
                bucket: bucket.to_owned(),
                key: key.to_owned(),
            });
        }
        let url = Url::parse(text).map_err(|error| invalid(&error.to_string()))?;
        let host = url.host_str().ok_or_else(|| invalid("it has no host"))?;
        Ok(Self {
            service,
            bucket: host.to_owned(),
            key: String::new(),
            url,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_buckets_are_texts() {
        let found = Address::parse("s3://bucket/a b/50%?.nc").unwrap();
        assert_eq!(
            (found.bucket.as_str(), found.key.as_str()),
            ("bucket", "a b/50%?.nc")
        );
        let found = Address::parse("abfs://box@account.dfs.core.windows.net/x.nc").unwrap();
        assert_eq!(found.key, "x.nc");
        for wrong in ["s3://", "s3://bucket", "https://", "ftp://a/b", "x.nc"] {
            assert!(Address::parse(wrong).is_err(), "{wrong}");
        }
    }
}

//! Who is asked: a URL taken apart, and its form without secrets.

use frazil_types::{ErrorCode, SourceError, without_secrets};
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

    /// The URL of a file that this one names: a path beside it, or a URL in the same place. Of an absolute path the last
    /// part counts, as HDF5's library looks for it.
    pub(crate) fn beside(&self, name: &str) -> Result<String, SourceError> {
        if name.contains("://") {
            let other = Self::parse(name)?;
            return match self.is_same_place(&other) {
                true => Ok(name.to_owned()),
                false => Err(elsewhere(name)),
            };
        }
        let relative = match name.starts_with('/') {
            true => name.rsplit('/').next().unwrap_or_default(),
            false => name,
        };
        let own_path = match self.service {
            Service::Http => self.url.path(),
            _ => self.key.as_str(),
        };
        let mut parts: Vec<&str> = own_path.trim_start_matches('/').split('/').collect();
        parts.pop();
        let own = parts.len();
        for part in relative.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop().ok_or_else(|| elsewhere(name))?),
                part => parts.push(part),
            }
        }
        if parts.is_empty() {
            return Err(elsewhere(name));
        }
        if self.service != Service::Http {
            let bucket = self.url.as_str().trim_end_matches('/');
            return Ok(format!("{bucket}/{}", parts.join("/")));
        }
        // What is of this file's own path is escaped already.
        let kept = parts
            .iter()
            .zip(own_path.trim_start_matches('/').split('/'));
        let kept = kept
            .take(own)
            .take_while(|(one, other)| *one == other)
            .count();
        let mut url = self.url.clone();
        url.set_path(&parts[..kept].join("/"));
        url.set_query(None);
        url.set_fragment(None);
        let mut segments = url.path_segments_mut().map_err(|()| elsewhere(name))?;
        segments.pop_if_empty().extend(&parts[kept..]);
        drop(segments);
        Ok(url.into())
    }

    /// Whether requests for another file go where those for this one go.
    fn is_same_place(&self, other: &Self) -> bool {
        let place = |one: &Self| {
            let url = &one.url;
            // In some URLs of Azure the container stands where a user would.
            let container = match one.service {
                Service::Http => String::new(),
                _ => url.username().to_owned(),
            };
            let host = url.host_str().map(str::to_ascii_lowercase);
            let scheme = url.scheme().to_owned();
            (scheme, container, host, url.port_or_known_default())
        };
        self.service == other.service && place(self) == place(other)
    }
}

fn elsewhere(name: &str) -> SourceError {
    let cause = format!(
        "it has values in `{}`, which is in another place, and that is not followed",
        without_secrets(name)
    );
    SourceError::new(ErrorCode::PermissionDenied, cause)
        .with_cure("copy all of the files into one folder first")
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

    #[test]
    fn other_files_are_looked_for_beside_the_file_in_the_same_place() {
        let of = |file: &str, name: &str| Address::parse(file).unwrap().beside(name).ok();
        let some = |text: &str| Some(text.to_owned());
        let web = "https://host/a%20b/all.h5?signed=1";
        assert_eq!(of(web, "p 1?.h5"), some("https://host/a%20b/p%201%3F.h5"));
        assert_eq!(of(web, "./c/p.h5"), some("https://host/a%20b/c/p.h5"));
        assert_eq!(of(web, "../p.h5"), some("https://host/p.h5"));
        assert_eq!(of(web, "/data/p.h5"), some("https://host/a%20b/p.h5"));
        assert_eq!(of("http://host/x.h5", "p.h5"), some("http://host/p.h5"));
        assert_eq!(of("s3://box/a/x.h5", "b?.h5"), some("s3://box/a/b?.h5"));
        assert_eq!(of("s3://box/x.h5", "s3://box/y.h5"), some("s3://box/y.h5"));
        for (file, name) in [
            ("https://host/x.h5", "../p.h5"),
            ("https://host/x.h5", "https://other/p.h5"),
            ("https://host/x.h5", "http://host/p.h5"),
            ("https://host/x.h5", "https://host:8080/p.h5"),
            ("https://host/x.h5", "file:///etc/passwd"),
            ("s3://box/x.h5", "s3://other/p.h5"),
            ("s3://box/x.h5", "../../p.h5"),
            ("s3://box/x.h5", "/"),
            ("abfs://box@a.host/x.h5", "abfs://other@a.host/x.h5"),
        ] {
            assert_eq!(of(file, name), None, "{name}");
        }
    }
}

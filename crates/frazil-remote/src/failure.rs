//! Why bytes did not come, in words for users, and whether it helps to ask again.

use std::time::Duration;

use frazil_types::{ErrorCode, SourceError};

use crate::address::Service;
use crate::client::{REDIRECTS_VARIABLE, Refusal};
use crate::limits::TIMEOUT_VARIABLE;
use crate::store::Store;

/// Why a request failed.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) error: SourceError,
    pub(crate) again: Again,
}

/// Whether it helps to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Again {
    /// It fails again.
    Never,
    /// It may help; after the pause that the server asks for, if it does.
    Yes(Option<Duration>),
}

impl Failure {
    /// A failure for good.
    pub(crate) fn last(error: SourceError) -> Self {
        Self {
            error,
            again: Again::Never,
        }
    }

    /// A failure that may pass.
    pub(crate) fn passing(cause: impl Into<String>) -> Self {
        let error = SourceError::new(ErrorCode::Io, cause);
        Self {
            error: error.with_cure(patience()),
            again: Again::Yes(None),
        }
    }

    /// The file is another than it was.
    pub(crate) fn changed() -> Self {
        let cause = "the file was replaced while it was being read";
        let error = SourceError::new(ErrorCode::FileChanged, cause);
        Self::last(error.with_cure("open it again"))
    }

    /// What object_store says; `is_known`: the file has been read before.
    pub(crate) fn of(error: &object_store::Error, store: &Store, is_known: bool) -> Self {
        let mut link: Option<&(dyn std::error::Error + 'static)> = Some(error);
        let (mut timed_out, mut unreachable, mut innermost) = (false, false, String::new());
        while let Some(found) = link {
            match found.downcast_ref::<Refusal>() {
                Some(Refusal::Status(status, said, pause)) => {
                    let mut failure = Self::of_status(*status, said, store, is_known);
                    if failure.again != Again::Never {
                        failure.again = Again::Yes(*pause);
                    }
                    return failure;
                }
                Some(refusal) => return Self::of_refusal(refusal),
                None => {}
            }
            if let Some(found) = found.downcast_ref::<reqwest::Error>() {
                timed_out |= found.is_timeout();
                unreachable |= found.is_connect();
            }
            innermost = found.to_string();
            link = found.source();
        }
        match (timed_out, unreachable) {
            (true, _) => Self::passing("the server did not answer in time"),
            (false, true) => Self::passing(format!("the server cannot be reached ({innermost})")),
            (false, false) if innermost.contains("credential") => {
                Self::last(SourceError::new(ErrorCode::PermissionDenied, innermost))
            }
            (false, false) => Self::passing(format!("the connection broke ({innermost})")),
        }
    }

    fn of_refusal(refusal: &Refusal) -> Self {
        let refused = |code, cause: String, cure: String| {
            Self::last(SourceError::new(code, cause).with_cure(cure))
        };
        match refusal {
            Refusal::Redirect(host) => refused(
                ErrorCode::PermissionDenied,
                format!(
                    "the server redirects to another host, {host}, and frazil does not follow that"
                ),
                format!("if you trust that host, set {REDIRECTS_VARIABLE}={host}, or name its URL"),
            ),
            Refusal::Circle => refused(
                ErrorCode::Io,
                "the server redirects too often".to_owned(),
                "check the URL".to_owned(),
            ),
            Refusal::NoRanges => refused(
                ErrorCode::Unsupported,
                "the server sends only whole files, no parts of them (HTTP ranges)".to_owned(),
                "copy the file here first, or serve it from a server that supports range \
                 requests"
                    .to_owned(),
            ),
            Refusal::OtherRange(given) => refused(
                ErrorCode::Io,
                format!("the server sent another part of the file than frazil requested ({given})"),
                "a proxy or cache between may be at fault; copy the file here first".to_owned(),
            ),
            Refusal::Status(status, ..) => Self::passing(format!("HTTP {status}")),
        }
    }

    fn of_status(status: u16, body: &str, store: &Store, is_known: bool) -> Self {
        let code = code_in(body);
        let named = match code {
            Some(code) => format!("HTTP {status}, {code}"),
            None => format!("HTTP {status}"),
        };
        match (status, code.unwrap_or_default()) {
            (_, "ExpiredToken" | "TokenRefreshRequired" | "RequestTimeTooSkewed") => Self::last(
                SourceError::new(
                    ErrorCode::PermissionDenied,
                    format!("the credentials have expired ({named})"),
                )
                .with_cure("get new ones, and set them where the old ones are"),
            ),
            (301 | 307 | 308, _) | (400, "AuthorizationHeaderMalformed") => {
                Self::last(other_region())
            }
            (401 | 403, _) => Self::last(refused(&named, store)),
            (404 | 410, _) if is_known => Self::changed(),
            (404 | 410, _) => Self::last(SourceError::new(
                ErrorCode::NotFound,
                format!("there is no such file ({named})"),
            )),
            (412, _) => Self::changed(),
            (416, _) if is_known => Self::changed(),
            (416, _) => Self::last(SourceError::new(ErrorCode::Corrupt, "the file is empty")),
            (408 | 429 | 500.., _) => {
                Self::passing(format!("the server is busy or out of order ({named})"))
            }
            _ => Self::last(SourceError::new(
                ErrorCode::Io,
                format!("the server refuses the request ({named})"),
            )),
        }
    }
}

fn patience() -> String {
    format!("try again later; {TIMEOUT_VARIABLE}=SECONDS says how long a server may be silent")
}

fn other_region() -> SourceError {
    let cause = "the bucket is in another region";
    SourceError::new(ErrorCode::InvalidArgument, cause)
        .with_cure("set AWS_REGION to the bucket's region")
}

/// Access that a server refuses, with what there is to be done.
fn refused(named: &str, store: &Store) -> SourceError {
    let service = store.address.service;
    let cause = match (store.is_signed, service) {
        (true, _) => format!("the server refuses access with these credentials ({named})"),
        (false, Service::Http) => format!("the server refuses access ({named})"),
        (false, _) => format!("the server refuses access, and there are no credentials ({named})"),
    };
    let cure = match service {
        Service::Http => {
            "give what the server asks for as storage option `headers`, or a signed URL"
        }
        Service::S3 => {
            "set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give them as storage options"
        }
        Service::Gcs => "set GOOGLE_APPLICATION_CREDENTIALS, or give a storage option",
        Service::Azure => {
            "set AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY, or give them as \
             storage options"
        }
    };
    SourceError::new(ErrorCode::PermissionDenied, cause).with_cure(cure)
}

/// The code in the XML that S3 and its like answer.
fn code_in(body: &str) -> Option<&str> {
    let (_, behind) = body.split_once("<Code>")?;
    let (code, _) = behind.split_once("</Code>")?;
    let is_word = code.len() < 64 && code.chars().all(|c| c.is_ascii_alphanumeric());
    is_word.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StorageOptions;

    #[test]
    fn every_status_has_one_message_and_one_code() {
        let store = Store::new("s3://bucket/x.nc", &StorageOptions::new(), false).unwrap();
        let of = |status, body: &str, is_known| {
            let failure = Failure::of_status(status, body, &store, is_known);
            (failure.error.code, failure.again)
        };
        let expired = "<Error><Code>ExpiredToken</Code></Error>";
        assert_eq!(
            of(400, expired, false),
            (ErrorCode::PermissionDenied, Again::Never)
        );
        assert_eq!(
            of(403, "", false),
            (ErrorCode::PermissionDenied, Again::Never)
        );
        assert_eq!(of(404, "", false), (ErrorCode::NotFound, Again::Never));
        assert_eq!(of(404, "", true), (ErrorCode::FileChanged, Again::Never));
        assert_eq!(of(412, "", true), (ErrorCode::FileChanged, Again::Never));
        assert_eq!(of(503, "", true), (ErrorCode::Io, Again::Yes(None)));
        assert_eq!(code_in("<Code>a b</Code>"), None);
    }
}

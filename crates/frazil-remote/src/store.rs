//! The service that has a file, made ready from its URL, the environment and a user's options.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use frazil_types::sync::Mutex;
use frazil_types::{ErrorCode, SourceError};
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{HeaderMap, HeaderValue, ObjectStore, RetryConfig};
use ring::digest::{Context, SHA256};

use crate::StorageOptions;
use crate::address::{Address, Service};
use crate::aws_profile::{self, Profile};
use crate::client::Connector;
use crate::limits;

/// The option of web servers whose value is a line for each header, `Name: value`.
const HEADERS_OPTION: &str = "headers";
/// Asks the machine's own service for credentials (S3 only), which nobody is asked for else.
const INSTANCE_OPTION: &str = "instance_credentials";
/// A profile of Amazon's command (S3 only).
const PROFILE_OPTION: &str = "profile";
const INSTANCE_VARIABLE: &str = "FRAZIL_REMOTE_INSTANCE";

/// Parts of the names of options, and variables, that say where a bucket's URL leads.
const WHERE_OPTIONS: [&str; 5] = [
    "endpoint",
    "url",
    "account_name",
    "region",
    "virtual_hosted",
];
const WHERE_VARIABLES: [&str; 9] = [
    "AWS_ENDPOINT",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "AZURE_STORAGE_ACCOUNT_NAME",
    "AZURE_STORAGE_ENDPOINT",
    "GOOGLE_BASE_URL",
];

/// The service that has a file, and the file's place in it.
#[derive(Debug)]
pub(crate) struct Store {
    pub(crate) address: Address,
    pub(crate) options: StorageOptions,
    profile: Profile,
    pub(crate) path: Path,
    /// Whether object_store repeats requests that fail.
    repeats: bool,
    /// Of the process with this number: connections are not shared with children after a fork.
    made: Mutex<Option<(u32, Arc<dyn ObjectStore>)>>,
    /// Whether requests are signed.
    pub(crate) is_signed: bool,
}

impl Store {
    /// The service behind a URL.
    pub(crate) fn new(
        url: &str,
        options: &StorageOptions,
        repeats: bool,
    ) -> Result<Self, SourceError> {
        let address = Address::parse(url)?;
        let path = Path::parse(&address.key).map_err(|error| {
            SourceError::new(
                ErrorCode::InvalidArgument,
                format!("no object has this name: {error}"),
            )
        })?;
        let options = renamed(&address, options);
        let profile = match address.service {
            Service::S3 => profile(&options)?,
            _ => Profile::new(),
        };
        let is_signed = is_signed(&address, &options) || profile.contains_key("access_key_id");
        let store = Self {
            address,
            options,
            profile,
            path,
            repeats,
            made: Mutex::default(),
            is_signed,
        };
        let built = store.build()?;
        *store.made.lock() = Some((std::process::id(), built));
        Ok(store)
    }

    /// The service, with connections of this process.
    pub(crate) fn service(&self) -> io::Result<Arc<dyn ObjectStore>> {
        let id = std::process::id();
        let mut made = self.made.try_lock_for(Duration::from_secs(1));
        if let Some((of, known)) = made.as_ref().and_then(|made| made.as_ref())
            && *of == id
        {
            return Ok(Arc::clone(known));
        }
        let built = self.build()?;
        if let Some(made) = &mut made {
            **made = Some((id, Arc::clone(&built)));
        }
        Ok(built)
    }

    /// Which file it is, whoever asks for it: its URL, and where that leads.
    pub(crate) fn key(&self) -> [u8; 32] {
        let mut all = Context::new(&SHA256);
        let mut add = |text: &str| {
            all.update(&(text.len() as u64).to_le_bytes());
            all.update(text.as_bytes());
        };
        add(self.address.url.as_str());
        add(&self.address.key);
        for (name, value) in &self.options {
            if WHERE_OPTIONS.iter().any(|part| name.contains(part)) {
                add(name);
                add(value);
            }
        }
        for name in WHERE_VARIABLES {
            add(&std::env::var(name).unwrap_or_default());
        }
        let mut key = [0; 32];
        key.copy_from_slice(all.finish().as_ref());
        key
    }

    fn build(&self) -> Result<Arc<dyn ObjectStore>, SourceError> {
        let built = match self.address.service {
            Service::Http => self.http(),
            Service::S3 => self.s3(),
            Service::Gcs => self.gcs(),
            Service::Azure => self.azure(),
        };
        built.map_err(|error| match error {
            Unbuilt::Option(name) => unknown_option(&name),
            Unbuilt::Store(error) => SourceError::new(
                ErrorCode::InvalidArgument,
                format!("access cannot be set up: {}", without_url(&error)),
            )
            .with_cure("see the environment variables and storage options in docs/remote.md"),
        })
    }

    fn retry(&self) -> RetryConfig {
        RetryConfig {
            max_retries: if self.repeats {
                limits::MOST_ATTEMPTS as usize
            } else {
                0
            },
            retry_timeout: limits::all_attempts(),
            ..RetryConfig::default()
        }
    }

    fn http(&self) -> Result<Arc<dyn ObjectStore>, Unbuilt> {
        let mut headers = HeaderMap::new();
        for (name, value) in &self.options {
            if name != HEADERS_OPTION {
                return Err(Unbuilt::Option(name.clone()));
            }
            for line in value.lines() {
                let invalid = || Unbuilt::Option(format!("{HEADERS_OPTION} ({line})"));
                let (name, value) = line.split_once(':').ok_or_else(invalid)?;
                let mut value = HeaderValue::from_str(value.trim()).map_err(|_| invalid())?;
                value.set_sensitive(true);
                let name: reqwest::header::HeaderName =
                    name.trim().parse().map_err(|_| invalid())?;
                headers.insert(name, value);
            }
        }
        let builder = HttpBuilder::new()
            .with_url(self.address.url.as_str())
            .with_retry(self.retry())
            .with_http_connector(Connector { headers });
        Ok(Arc::new(builder.build()?))
    }

    fn s3(&self) -> Result<Arc<dyn ObjectStore>, Unbuilt> {
        let mut builder = AmazonS3Builder::from_env()
            .with_bucket_name(&self.address.bucket)
            .with_http_connector(plain_connector())
            .with_retry(self.retry())
            .with_skip_signature(!self.is_signed);
        for (name, value) in &self.options {
            if ![INSTANCE_OPTION, PROFILE_OPTION].contains(&name.as_str()) {
                let key: AmazonS3ConfigKey =
                    name.parse().map_err(|_| Unbuilt::Option(name.clone()))?;
                builder = builder.with_config(key, value);
            }
        }
        for (name, value) in &self.profile {
            let key: AmazonS3ConfigKey = name.parse()?;
            let is_key = !aws_profile::SAID_ELSEWHERE.contains(name);
            if is_key || builder.get_config_value(&key).is_none() {
                builder = builder.with_config(key, value);
            }
        }
        if builder
            .get_config_value(&AmazonS3ConfigKey::Region)
            .is_none()
            && let Some(region) = builder.get_config_value(&AmazonS3ConfigKey::DefaultRegion)
        {
            builder = builder.with_region(region);
        }
        Ok(Arc::new(builder.build()?))
    }

    fn gcs(&self) -> Result<Arc<dyn ObjectStore>, Unbuilt> {
        let mut builder = GoogleCloudStorageBuilder::from_env()
            .with_bucket_name(&self.address.bucket)
            .with_http_connector(plain_connector())
            .with_retry(self.retry())
            .with_skip_signature(!self.is_signed);
        for (name, value) in &self.options {
            let key: GoogleConfigKey = name.parse().map_err(|_| Unbuilt::Option(name.clone()))?;
            builder = builder.with_config(key, value);
        }
        Ok(Arc::new(builder.build()?))
    }

    fn azure(&self) -> Result<Arc<dyn ObjectStore>, Unbuilt> {
        let mut builder = MicrosoftAzureBuilder::from_env()
            .with_url(self.address.url.as_str())
            .with_http_connector(plain_connector())
            .with_retry(self.retry())
            .with_skip_signature(!self.is_signed);
        for (name, value) in &self.options {
            let key: AzureConfigKey = name.parse().map_err(|_| Unbuilt::Option(name.clone()))?;
            builder = builder.with_config(key, value);
        }
        Ok(Arc::new(builder.build()?))
    }
}

/// Why a service cannot be made ready.
enum Unbuilt {
    /// An option that means nothing.
    Option(String),
    /// What object_store says.
    Store(object_store::Error),
}

impl From<object_store::Error> for Unbuilt {
    fn from(error: object_store::Error) -> Self {
        Self::Store(error)
    }
}

fn plain_connector() -> Connector {
    Connector {
        headers: HeaderMap::new(),
    }
}

fn unknown_option(name: &str) -> SourceError {
    SourceError::new(
        ErrorCode::InvalidArgument,
        format!("this kind of URL has no storage option {name}"),
    )
    .with_cure("docs/remote.md lists the storage options of each kind of URL")
}

/// What object_store says, in its innermost words: outer ones repeat the URL, with what is secret in it.
fn without_url(error: &object_store::Error) -> String {
    let mut innermost: &dyn std::error::Error = error;
    while let Some(inner) = innermost.source() {
        innermost = inner;
    }
    innermost.to_string()
}

/// Options under the names that object_store knows.
fn renamed(address: &Address, options: &StorageOptions) -> StorageOptions {
    let rename = |name: &str| {
        match (address.service, name) {
            (_, "anon") => "skip_signature",
            (Service::S3, "key") => "access_key_id",
            (Service::S3, "secret") => "secret_access_key",
            (Service::S3, "region_name") => "region",
            (Service::Gcs, "token") => "service_account",
            (Service::Gcs, "endpoint_url") => "base_url",
            _ => name,
        }
        .to_owned()
    };
    let named = options.iter();
    named
        .map(|(name, value)| (rename(name), value.clone()))
        .collect()
}

/// What the files of Amazon's command say, if their profile is named, or keys are nowhere else.
fn profile(options: &StorageOptions) -> Result<Profile, SourceError> {
    let named = options.get(PROFILE_OPTION);
    if is_true(options, "skip_signature") || (named.is_none() && has_s3_keys(options)) {
        return Ok(Profile::new());
    }
    aws_profile::settings(named)
}

fn is_true(options: &StorageOptions, name: &str) -> bool {
    let is_true = |value: &String| matches!(value.as_str(), "true" | "True" | "1" | "on");
    options.get(name).is_some_and(is_true)
}

fn has_option(options: &StorageOptions, names: &[&str]) -> bool {
    let mut names = names.iter();
    names.any(|name| options.keys().any(|key| key.ends_with(name)))
}

fn has_variable(names: &[&str]) -> bool {
    let mut names = names.iter();
    names.any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Whether keys, or a way to them, are said by options or the environment.
fn has_s3_keys(options: &StorageOptions) -> bool {
    let asks = is_true(options, INSTANCE_OPTION)
        || std::env::var(INSTANCE_VARIABLE).is_ok_and(|value| value == "on");
    asks || has_option(options, &["access_key_id", "web_identity_token_file"])
        || has_variable(&[
            "AWS_ACCESS_KEY_ID",
            "AWS_WEB_IDENTITY_TOKEN_FILE",
            "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
            "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        ])
}

/// Whether there is anything to sign requests with. Where nothing is, they go out unsigned, as public buckets take
/// them: object_store would ask the machine's own service for credentials, which is not where the URL leads.
fn is_signed(address: &Address, options: &StorageOptions) -> bool {
    if is_true(options, "skip_signature") {
        return false;
    }
    match address.service {
        Service::Http => false,
        Service::S3 => has_s3_keys(options),
        Service::Gcs => {
            has_option(
                options,
                &[
                    "service_account",
                    "service_account_key",
                    "application_credentials",
                    "bearer_token",
                ],
            ) || has_variable(&[
                "GOOGLE_SERVICE_ACCOUNT",
                "GOOGLE_SERVICE_ACCOUNT_PATH",
                "GOOGLE_SERVICE_ACCOUNT_KEY",
                "GOOGLE_APPLICATION_CREDENTIALS",
            ])
        }
        Service::Azure => {
            has_option(options, &["key", "token", "client_id"])
                || has_variable(&[
                    "AZURE_STORAGE_ACCOUNT_KEY",
                    "AZURE_STORAGE_ACCESS_KEY",
                    "AZURE_STORAGE_SAS_KEY",
                    "AZURE_STORAGE_SAS_TOKEN",
                    "AZURE_STORAGE_TOKEN",
                    "AZURE_CLIENT_ID",
                    "AZURE_FEDERATED_TOKEN_FILE",
                ])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(pairs: &[(&str, &str)]) -> StorageOptions {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        pairs.iter().map(own).collect()
    }

    #[test]
    fn the_names_of_fsspec_are_known_and_others_refused() {
        let known = options(&[
            ("key", "k"),
            ("secret", "s"),
            ("endpoint_url", "http://127.0.0.1:1"),
        ]);
        let store = Store::new("s3://bucket/x.nc", &known, false).unwrap();
        assert!(store.is_signed);
        let both = options(&[("key", "k"), ("secret", "s"), ("anon", "true")]);
        assert!(
            !Store::new("s3://bucket/x.nc", &both, false)
                .unwrap()
                .is_signed
        );
        for url in ["s3://bucket/x.nc", "https://host/x.nc", "gs://b/x.nc"] {
            let error = Store::new(url, &options(&[("colour", "red")]), false).unwrap_err();
            assert!(error.cause.contains("colour"), "{error}");
        }
        let lines = options(&[("headers", "Authorization: Bearer x\nX-Y: z")]);
        assert!(Store::new("https://host/x.nc", &lines, false).is_ok());
    }
}

//! Keys and settings in the files of Amazon's command, `~/.aws/credentials` and `~/.aws/config`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use frazil_types::{ErrorCode, SourceError};

/// Which profile is meant; without it, the one of this name.
const PROFILE_VARIABLES: [&str; 2] = ["AWS_PROFILE", "AWS_DEFAULT_PROFILE"];
const USUAL_PROFILE: &str = "default";
const KEYS_VARIABLE: &str = "AWS_SHARED_CREDENTIALS_FILE";
const SETTINGS_VARIABLE: &str = "AWS_CONFIG_FILE";
/// Longer files are none of these.
const MOST_BYTES: u64 = 1 << 20;

/// Names in the files, and as `object_store` has them.
const SETTINGS: [(&str, &str); 5] = [
    ("aws_access_key_id", "access_key_id"),
    ("aws_secret_access_key", "secret_access_key"),
    ("aws_session_token", "session_token"),
    ("region", "region"),
    ("endpoint_url", "endpoint"),
];

/// Settings that give way to the environment and to options.
pub(crate) const SAID_ELSEWHERE: [&str; 2] = ["region", "endpoint"];

/// What a profile says, under the names of `object_store`.
pub(crate) type Profile = BTreeMap<&'static str, String>;

/// What the files say for the profile that is meant, under the names of `object_store`.
///
/// # Errors
/// If a profile is named, by `option` or the environment, and no file has its keys.
pub(crate) fn settings(option: Option<&String>) -> Result<Profile, SourceError> {
    let stated = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
    let mut variables = PROFILE_VARIABLES.iter();
    let named = option
        .cloned()
        .or_else(|| variables.find_map(|name| stated(name)));
    let profile = named.as_deref().unwrap_or(USUAL_PROFILE);
    let file = |variable: &str, usual: &str| {
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(usual));
        stated(variable).map(PathBuf::from).or_else(home)
    };
    let texts = [
        (
            file(SETTINGS_VARIABLE, ".aws/config"),
            format!("profile {profile}"),
        ),
        (file(KEYS_VARIABLE, ".aws/credentials"), profile.to_owned()),
    ];
    let mut found = Profile::new();
    for (path, section) in &texts {
        let text = path.as_ref().and_then(|path| {
            let is_usable = path.metadata().is_ok_and(|one| one.len() <= MOST_BYTES);
            is_usable.then(|| std::fs::read_to_string(path).ok())?
        });
        let text = text.unwrap_or_default();
        found.extend(section_of(&text, section));
        if profile == USUAL_PROFILE {
            found.extend(section_of(&text, USUAL_PROFILE));
        }
    }
    match named {
        Some(profile) if !found.contains_key("access_key_id") => Err(without_keys(&profile)),
        _ => Ok(found),
    }
}

/// The settings of a section that mean something here.
fn section_of(text: &str, section: &str) -> Profile {
    let mut found = Profile::new();
    let mut is_here = false;
    for line in text.lines() {
        // Deeper ones belong to a service.
        if line.starts_with([' ', '\t', '#', ';']) {
            continue;
        }
        let line = line.trim();
        if let Some(name) = line
            .strip_prefix('[')
            .and_then(|line| line.strip_suffix(']'))
        {
            let words: Vec<&str> = name.split_whitespace().collect();
            is_here = words.join(" ") == section;
        } else if is_here && let Some((name, value)) = line.split_once('=') {
            let name = name.trim().to_ascii_lowercase();
            let known = SETTINGS.iter().find(|(theirs, _)| *theirs == name);
            found.extend(known.map(|(_, ours)| (*ours, value.trim().to_owned())));
        }
    }
    found
}

fn without_keys(profile: &str) -> SourceError {
    let cause = format!("the AWS profile `{profile}` has no keys in the credentials file");
    SourceError::new(ErrorCode::PermissionDenied, cause).with_cure(
        "add them, or set what `aws configure export-credentials --format env` prints: roles and single sign-on are \
         not looked up here",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_section_has_its_own_settings() {
        let text = "[default]\naws_access_key_id=A\n# x\n[ profile  far ]\nregion = eu-1\n\
                    s3 =\n  endpoint_url = http://no\nendpoint_url = http://yes=1\nunknown = 3\n";
        let found = section_of(text, "profile far");
        assert_eq!(found["region"], "eu-1");
        assert_eq!(found["endpoint"], "http://yes=1");
        assert_eq!(found.len(), 2);
        assert_eq!(section_of(text, "default")["access_key_id"], "A");
        assert!(section_of(text, "far").is_empty());
    }
}

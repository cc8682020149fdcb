//! What this build is made of and what it can do.

use std::path::PathBuf;

use serde::Serialize;

/// One filter and what this build does with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FilterSupport {
    /// Registered HDF5 filter identifier.
    pub id: i32,
    /// Its name.
    pub name: &'static str,
    /// Whether files with it can be read.
    pub can_read: bool,
    /// Whether it can be written.
    pub can_write: bool,
    /// The library that does the work; empty if none does.
    pub library: &'static str,
    /// What a user should know, or empty.
    pub note: &'static str,
}

/// This build.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct About {
    /// Version of frazil.
    pub version: &'static str,
    /// Names and versions of the libraries inside.
    pub libraries: Vec<(String, String)>,
    /// Every filter that frazil knows something about.
    pub filters: Vec<FilterSupport>,
    /// The vector instructions in use.
    pub simd: String,
    /// Where HDF5 filter plugins are looked for.
    pub plugin_path: Vec<PathBuf>,
    /// Whether this program can reach the network.
    pub network: bool,
}

/// What this build is made of and what it can do on this machine.
#[must_use]
pub fn about() -> About {
    About {
        version: env!("CARGO_PKG_VERSION"),
        libraries: libraries(),
        filters: filters(),
        simd: frazil_codec::simd_summary(),
        plugin_path: frazil_container::plugin_path()
            .into_iter()
            .map(PathBuf::from)
            .collect(),
        network: frazil_file::remote::is_built_in(),
    }
}

fn filters() -> Vec<FilterSupport> {
    let support = |filter: &frazil_codec::FilterInfo| FilterSupport {
        id: filter.id,
        name: filter.name,
        can_read: filter.can_decode,
        can_write: filter.can_encode,
        library: filter.library,
        note: filter.note,
    };
    frazil_codec::filters().iter().map(support).collect()
}

/// The container libraries, then the compressors behind the filters.
fn libraries() -> Vec<(String, String)> {
    let netcdf = frazil_container::netcdf::library_version();
    // netCDF-C adds the date it was built on.
    let netcdf = netcdf
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned();
    let mut libraries = vec![
        ("HDF5".to_owned(), frazil_container::hdf5_version()),
        ("netCDF-C".to_owned(), netcdf),
    ];
    for library in frazil_codec::filters()
        .iter()
        .flat_map(|filter| filter.library.split(", "))
    {
        if let Some((name, version)) = library.rsplit_once(' ')
            && !libraries.iter().any(|(known, _)| known == name)
        {
            libraries.push((name.to_owned(), version.to_owned()));
        }
    }
    libraries
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_library_has_a_version() {
        let about = about();
        let is_version = |text: &str| text.starts_with(|first: char| first.is_ascii_digit());
        assert!(
            about
                .libraries
                .iter()
                .all(|(_, version)| is_version(version)),
            "{about:?}"
        );
        for name in ["HDF5", "netCDF-C", "libdeflate", "zlib", "zstd"] {
            assert!(
                about.libraries.iter().any(|(known, _)| known == name),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_written_can_be_read() {
        let about = about();
        assert!(
            about
                .filters
                .iter()
                .all(|filter| filter.can_read || !filter.can_write)
        );
        assert!(
            about
                .filters
                .iter()
                .any(|filter| filter.name == "deflate" && filter.can_write)
        );
        assert!(!about.network && !about.simd.is_empty());
    }
}

//! What reading costs: measured constants, and kinds of storage.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::spelling;

/// Where a file will lie while it is read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Storage {
    /// The machine's own memory or solid-state disk.
    #[default]
    Local,
    /// A rotating disk, or a network file system on such disks.
    Disk,
    /// A parallel file system (Lustre, GPFS): wide, but each request costs a round trip.
    ParallelFs,
    /// An object store (S3, Swift): one request over the network for each chunk.
    ObjectStore,
}

crate::words!(pub Storage: Local "local", Disk "disk", ParallelFs "parallel-fs", ObjectStore "object-store");

impl Storage {
    /// Least and most uncompressed bytes of a chunk that such storage is served well by.
    ///
    /// Below the least, reaching a chunk costs more than its values, and compressors lack context.
    /// The most on a local or rotating disk is the cache that HDF5 before 2.0 gives a dataset (1 MiB):
    /// a larger chunk is decoded again by each call that touches it.
    #[must_use]
    pub fn chunk_bytes(self) -> (u64, u64) {
        match self {
            Self::Local => (4 << 10, 1 << 20),
            Self::Disk => (256 << 10, 1 << 20),
            Self::ParallelFs => (1 << 20, 4 << 20),
            Self::ObjectStore => (4 << 20, 16 << 20),
        }
    }
}

impl fmt::Display for Storage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

impl FromStr for Storage {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::from_name(text).ok_or_else(|| {
            let meant = spelling::question(text, Self::ALL.map(Self::name));
            format!("there is no storage {text:?}: local, disk, parallel-fs, object-store{meant}")
        })
    }
}

/// How fast stored bytes come.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StorageSpeed {
    /// Seconds until the first byte of a run of stored chunks arrives.
    pub seek_seconds: f64,
    /// Stored bytes a second after that.
    pub fetch_bytes_per_second: f64,
    /// Stored bytes a second that one program writes; `None`: as fast as they come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub store_bytes_per_second: Option<f64>,
}

impl StorageSpeed {
    /// Stored bytes a second that one program writes.
    #[must_use]
    pub fn store_rate(&self) -> f64 {
        self.store_bytes_per_second
            .unwrap_or(self.fetch_bytes_per_second)
    }
}

/// Where a figure of a calibration comes from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FigureSource {
    /// Nobody measured or stated it: a round figure.
    #[default]
    Default,
    /// The file was written before sources were, or by hand.
    NotSaid,
    /// Measured, out of the system's page cache.
    PageCache,
    /// Measured in this folder: written to the storage, and read from it.
    Measured(String),
    /// Somebody stated it.
    Stated,
    /// The speed that the system says of the link of this network interface.
    Interface(String),
}

impl fmt::Display for FigureSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default, not measured"),
            Self::NotSaid => f.write_str("no source said"),
            Self::PageCache => f.write_str("measured, out of the page cache"),
            Self::Measured(folder) => write!(f, "measured in {folder}"),
            Self::Stated => f.write_str("as stated"),
            Self::Interface(name) => write!(f, "link speed of {name}"),
        }
    }
}

/// Where the figures of storage and network come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct FigureSources {
    /// Of [`Calibration::local`].
    pub local: FigureSource,
    /// Of [`Calibration::disk`].
    pub disk: FigureSource,
    /// Of [`Calibration::parallel_fs`].
    pub parallel_fs: FigureSource,
    /// Of [`Calibration::object_store`].
    pub object_store: FigureSource,
    /// Of [`Calibration::network_bytes_per_second`].
    pub network: FigureSource,
}

impl FigureSources {
    /// What a file says that has no word of it.
    fn not_said() -> Self {
        Self {
            local: FigureSource::NotSaid,
            disk: FigureSource::NotSaid,
            parallel_fs: FigureSource::NotSaid,
            object_store: FigureSource::NotSaid,
            network: FigureSource::NotSaid,
        }
    }
}

/// How fast one core encodes and decodes, in raw bytes a second.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CodecSpeed {
    /// Raw bytes encoded a second.
    pub encode_bytes_per_second: f64,
    /// Raw bytes decoded a second.
    pub decode_bytes_per_second: f64,
}

/// The constants of the cost of reads. The defaults are sane for a machine of 2020 to 2026;
/// `frazil calibrate` measures those of one machine.
///
/// The reader is a stock one: libhdf5 on one core, a chunk at a time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Calibration {
    /// Seconds of a read call whatever it reads, as a program in Python sees it: never measured here,
    /// since it is the caller's.
    pub read_seconds: f64,
    /// Seconds of each chunk beside its bytes: finding it in the index, setting up the decoder,
    /// its place in the cache.
    pub chunk_seconds: f64,
    /// Raw bytes decoded a second, shuffle and deflate.
    pub decode_bytes_per_second: f64,
    /// Raw bytes copied a second where there are no filters.
    pub copy_bytes_per_second: f64,
    /// By kind of storage.
    pub local: StorageSpeed,
    /// By kind of storage.
    pub disk: StorageSpeed,
    /// By kind of storage.
    pub parallel_fs: StorageSpeed,
    /// By kind of storage.
    pub object_store: StorageSpeed,
    /// Bytes a second that one program gets through the network; the default is that of 10 Gbit/s
    /// Ethernet.
    pub network_bytes_per_second: f64,
    /// Where those of storage and network come from.
    #[serde(default = "FigureSources::not_said")]
    pub sources: FigureSources,
    /// Speeds by filters, as plans name them (`shuffle+deflate(4)`); empty where nothing was
    /// measured.
    pub codecs: BTreeMap<String, CodecSpeed>,
}

impl Default for Calibration {
    fn default() -> Self {
        let speed = |seek_seconds, fetch_bytes_per_second| StorageSpeed {
            seek_seconds,
            fetch_bytes_per_second,
            store_bytes_per_second: None,
        };
        Self {
            read_seconds: 300e-6,
            chunk_seconds: 10e-6,
            decode_bytes_per_second: 320e6,
            copy_bytes_per_second: 4e9,
            local: speed(2e-6, 2e9),
            disk: speed(8e-3, 150e6),
            parallel_fs: speed(2e-3, 800e6),
            object_store: speed(50e-3, 100e6),
            network_bytes_per_second: 1.25e9,
            sources: FigureSources::default(),
            codecs: BTreeMap::new(),
        }
    }
}

impl Calibration {
    /// How fast stored bytes come from one kind of storage.
    #[must_use]
    pub fn speed(&self, storage: Storage) -> StorageSpeed {
        match storage {
            Storage::Local => self.local,
            Storage::Disk => self.disk,
            Storage::ParallelFs => self.parallel_fs,
            Storage::ObjectStore => self.object_store,
        }
    }

    /// Whether every constant is a time or speed that can be: finite, no speed of 0, no negative
    /// time.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let is_time = |seconds: f64| seconds.is_finite() && seconds >= 0.0;
        let is_speed = |rate: f64| rate.is_finite() && rate > 0.0;
        let storages = Storage::ALL.map(|one| self.speed(one));
        is_time(self.read_seconds)
            && is_time(self.chunk_seconds)
            && is_speed(self.decode_bytes_per_second)
            && is_speed(self.copy_bytes_per_second)
            && is_speed(self.network_bytes_per_second)
            && storages.iter().all(|one| {
                is_time(one.seek_seconds)
                    && is_speed(one.fetch_bytes_per_second)
                    && is_speed(one.store_rate())
            })
            && self.codecs.values().all(|one| {
                is_speed(one.encode_bytes_per_second) && is_speed(one.decode_bytes_per_second)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn storage_has_one_word_each() {
        for one in Storage::ALL {
            assert_eq!(one.name().parse(), Ok(one));
            let (least, most) = one.chunk_bytes();
            assert!(least < most);
        }
        let error = "tape".parse::<Storage>().unwrap_err();
        assert!(error.contains("object-store"), "{error}");
    }

    #[test]
    fn a_calibration_with_a_speed_of_nothing_is_not_sound() {
        assert!(Calibration::default().is_sound());
        let mut odd = Calibration::default();
        odd.disk.fetch_bytes_per_second = 0.0;
        assert!(!odd.is_sound());
        odd = Calibration::default();
        odd.parallel_fs.store_bytes_per_second = Some(0.0);
        assert!(!odd.is_sound());
        odd = Calibration {
            chunk_seconds: f64::NAN,
            ..Calibration::default()
        };
        assert!(!odd.is_sound());
    }
}

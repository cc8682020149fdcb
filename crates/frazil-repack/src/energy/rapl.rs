//! The energy counters of x86 processors (RAPL), as Linux shows them in `powercap`.
//!
//! A folder for each counter holds its `name`, `energy_uj` (microjoules since some time, readable
//! by root only since Linux 5.10) and `max_energy_range_uj`, after which it begins at 0 again.
//! Source: Linux, Documentation/power/powercap/powercap.rst.

use std::io;
use std::path::{Path, PathBuf};

/// Where Linux shows them.
pub(super) const ROOT: &str = "/sys/class/powercap";

/// One counter: a processor package, or memory that its package does not count.
#[derive(Debug)]
struct Counter {
    file: PathBuf,
    /// Microjoules after which it begins at 0 again.
    range: u64,
    last: u64,
    /// Microjoules since it was opened.
    spent: u64,
}

/// The counters of a machine's packages and memory, sampled often enough not to miss that one
/// begins again.
#[derive(Debug)]
pub(super) struct Counters(Vec<Counter>);

impl Counters {
    /// The counters below `root`; why there are none.
    pub(super) fn open(root: &Path) -> Result<Self, String> {
        let folders = match std::fs::read_dir(root) {
            Ok(folders) => folders,
            Err(_) => return Err("this machine shows no energy counters".to_owned()),
        };
        let mut counters = Vec::new();
        for folder in folders.flatten() {
            let is_rapl = |name: &str| name.starts_with("intel-rapl:");
            if !folder.file_name().to_str().is_some_and(is_rapl) {
                continue;
            }
            counters.extend(counter(&folder.path())?);
        }
        match counters.is_empty() {
            true => Err("this machine shows no energy counters".to_owned()),
            false => Ok(Self(counters)),
        }
    }

    /// Adds what was spent since the last sample.
    ///
    /// # Errors
    /// Why a counter cannot be read any more.
    pub(super) fn sample(&mut self) -> Result<(), String> {
        for counter in &mut self.0 {
            let now = number(&counter.file)?;
            counter.spent += since(counter.last, now, counter.range);
            counter.last = now;
        }
        Ok(())
    }

    /// Joules of all samples.
    pub(super) fn joules(&self) -> f64 {
        self.0.iter().map(|one| one.spent as f64).sum::<f64>() / 1e6
    }
}

/// The counter of one folder, if it is a package's or memory's. Cores and graphics are parts of
/// their package; `psys` holds the packages once more.
fn counter(folder: &Path) -> Result<Option<Counter>, String> {
    let name = std::fs::read_to_string(folder.join("name")).unwrap_or_default();
    let name = name.trim();
    if !(name.starts_with("package") || name == "dram") {
        return Ok(None);
    }
    let file = folder.join("energy_uj");
    let last = number(&file)?;
    // A counter that does not say when it begins again is taken to have 64 bits.
    let range = number(&folder.join("max_energy_range_uj")).unwrap_or(u64::MAX);
    Ok(Some(Counter {
        file,
        range,
        last,
        spent: 0,
    }))
}

/// Microjoules between two values of a counter that begins again once at most.
fn since(last: u64, now: u64, range: u64) -> u64 {
    match now >= last {
        true => now - last,
        false => range.saturating_sub(last).saturating_add(now),
    }
}

fn number(file: &Path) -> Result<u64, String> {
    let text = std::fs::read_to_string(file).map_err(|error| match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "the machine's energy counters may be read by root only".to_owned()
        }
        _ => format!("{} cannot be read: {error}", file.display()),
    })?;
    text.trim()
        .parse()
        .map_err(|_| format!("{} holds no number", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter as Linux shows one.
    fn make(root: &Path, folder: &str, name: &str, value: u64) -> PathBuf {
        let folder = root.join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("name"), format!("{name}\n")).unwrap();
        std::fs::write(folder.join("max_energy_range_uj"), "1000000\n").unwrap();
        let file = folder.join("energy_uj");
        std::fs::write(&file, format!("{value}\n")).unwrap();
        file
    }

    #[test]
    fn packages_and_memory_are_summed_and_nothing_twice() {
        let root = tempfile::tempdir().unwrap();
        let package = make(root.path(), "intel-rapl:0", "package-0", 100);
        let core = make(root.path(), "intel-rapl:0:0", "core", 50);
        let memory = make(root.path(), "intel-rapl:0:1", "dram", 10);
        let platform = make(root.path(), "intel-rapl:1", "psys", 500);
        let again = make(root.path(), "intel-rapl-mmio:0", "package-0", 100);
        let mut counters = Counters::open(root.path()).unwrap();
        for file in [&package, &core, &memory, &platform, &again] {
            std::fs::write(file, "600100\n").unwrap();
        }
        counters.sample().unwrap();
        assert!((counters.joules() - (0.6 + 0.600_09)).abs() < 1e-9);
    }

    #[test]
    fn a_counter_that_begins_again_is_followed() {
        let root = tempfile::tempdir().unwrap();
        let file = make(root.path(), "intel-rapl:0", "package-0", 900_000);
        let mut counters = Counters::open(root.path()).unwrap();
        for value in ["200000\n", "900000\n", "100000\n"] {
            std::fs::write(&file, value).unwrap();
            counters.sample().unwrap();
        }
        // 0.3 J over the end, 0.7 J, 0.2 J over the end.
        assert!((counters.joules() - 1.2).abs() < 1e-9);
    }

    #[test]
    fn without_counters_it_says_why() {
        let root = tempfile::tempdir().unwrap();
        let none = Counters::open(&root.path().join("none")).unwrap_err();
        assert!(none.contains("no energy counters"), "{none}");
        assert!(Counters::open(root.path()).is_err());
        let file = make(root.path(), "intel-rapl:0", "package-0", 1);
        std::fs::write(&file, "many\n").unwrap();
        let odd = Counters::open(root.path()).unwrap_err();
        assert!(odd.contains("holds no number"), "{odd}");
    }

    #[cfg(unix)]
    #[test]
    fn counters_that_are_not_for_us_are_no_error() {
        use std::os::unix::fs::PermissionsExt;

        let root = tempfile::tempdir().unwrap();
        let file = make(root.path(), "intel-rapl:0", "package-0", 1);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o000)).unwrap();
        // Root reads everything.
        if let Err(why) = Counters::open(root.path()) {
            assert!(why.contains("root only"), "{why}");
        }
    }
}

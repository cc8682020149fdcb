//! What Linux tells of the machine's network.

use std::path::Path;

/// Where Linux shows network interfaces.
pub(super) const INTERFACES: &str = "/sys/class/net";

/// ARPHRD_LOOPBACK, the type of the machine's own loop.
const LOOPBACK: &str = "772";

/// A network link.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Link {
    pub(super) interface: String,
    /// Of its line, one way.
    pub(super) bytes_per_second: f64,
}

/// The fastest link that is up and whose speed is known; `None`: there is none, or no such system.
///
/// Only what has a device behind it counts, and bonds of such: bridges and the ends of virtual
/// cables say a speed that nothing keeps to.
pub(super) fn fastest(interfaces: &Path) -> Option<Link> {
    let entries = std::fs::read_dir(interfaces).ok()?;
    let links = entries.flatten().filter_map(|entry| link(&entry.path()));
    // Of equal ones always the same.
    links.max_by(|a, b| {
        let speeds = a.bytes_per_second.total_cmp(&b.bytes_per_second);
        speeds.then_with(|| b.interface.cmp(&a.interface))
    })
}

fn link(interface: &Path) -> Option<Link> {
    let read = |name: &str| std::fs::read_to_string(interface.join(name)).ok();
    let is = |name: &str, value: &str| read(name).is_some_and(|text| text.trim() == value);
    let is_real = ["device", "bonding"]
        .iter()
        .any(|name| interface.join(name).exists());
    if !is_real || is("type", LOOPBACK) || !is("operstate", "up") {
        return None;
    }
    // -1, or an error, where the driver does not know.
    let megabits: f64 = read("speed")?.trim().parse().ok()?;
    // 4294967295: -1 of older kernels.
    let is_known = megabits > 0.0 && megabits < 1e8;
    is_known.then(|| Link {
        interface: interface
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default(),
        bytes_per_second: megabits * 1e6 / 8.0,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(folder: &Path, name: &str, files: &[(&str, &str)]) {
        let interface = folder.join(name);
        std::fs::create_dir(&interface).unwrap();
        for (file, text) in files {
            std::fs::write(interface.join(file), format!("{text}\n")).unwrap();
        }
    }

    #[test]
    fn the_fastest_real_link_that_is_up_counts() {
        let folder = tempfile::tempdir().unwrap();
        let net = folder.path();
        assert_eq!(fastest(net), None);
        assert_eq!(fastest(&net.join("none")), None);
        let device = ("device", "");
        let up = ("operstate", "up");
        let ethernet = ("type", "1");
        add(
            net,
            "lo",
            &[device, up, ("type", "772"), ("speed", "99999")],
        );
        add(net, "veth0", &[up, ethernet, ("speed", "10000")]);
        add(net, "eth0", &[device, up, ethernet, ("speed", "-1")]);
        add(
            net,
            "eth1",
            &[device, up, ethernet, ("speed", "4294967295")],
        );
        let down = ("operstate", "down");
        add(net, "eth2", &[device, down, ethernet, ("speed", "100000")]);
        add(net, "wlan0", &[device, up, ethernet]);
        assert_eq!(fastest(net), None);
        add(net, "eth3", &[device, up, ethernet, ("speed", "1000")]);
        let found = fastest(net).unwrap();
        assert_eq!(
            (found.interface.as_str(), found.bytes_per_second),
            ("eth3", 125e6)
        );
        add(
            net,
            "ib0",
            &[device, up, ("type", "32"), ("speed", "25000")],
        );
        add(
            net,
            "bond0",
            &[("bonding", ""), up, ethernet, ("speed", "25000")],
        );
        let found = fastest(net).unwrap();
        assert_eq!(
            (found.interface.as_str(), found.bytes_per_second),
            ("bond0", 3.125e9)
        );
    }
}

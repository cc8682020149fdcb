//! Progress of a running operation.

/// Progress of a running operation; called from the coordinating thread only.
pub trait Progress {
    /// A new stage begins: `plan`, `pack`, `verify`; `total_bytes` of raw data to go through.
    fn stage(&mut self, name: &str, total_bytes: u64);
    /// `bytes` more raw bytes are done, or so many steps.
    fn advance(&mut self, bytes: u64);
    /// A new stage of so many steps begins.
    fn steps(&mut self, name: &str, _count: u64) {
        self.stage(name, 0);
    }
    /// A line for the user that should not wait for the end.
    fn notice(&mut self, line: &str);
}

/// Reports nothing.
#[derive(Debug, Default, Clone, Copy)]
pub struct Silent;

impl Progress for Silent {
    fn stage(&mut self, _name: &str, _total_bytes: u64) {}
    fn advance(&mut self, _bytes: u64) {}
    fn notice(&mut self, _line: &str) {}
}

//! Which vector instructions the kernels use, chosen at run time.

/// An instruction set that kernels are written for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Simd {
    /// Plain Rust; the compiler's baseline vectors.
    Portable,
    /// x86-64 with AVX2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
}

impl Simd {
    /// The best set this machine has.
    pub(crate) fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") {
            return Self::Avx2;
        }
        Self::Portable
    }

    /// Every set this machine can run, for tests that compare them.
    #[cfg(test)]
    pub(crate) fn available() -> Vec<Self> {
        let mut sets = vec![Self::Portable];
        if Self::detect() != Self::Portable {
            sets.push(Self::detect());
        }
        sets
    }
}

/// One line: which code paths this machine runs.
#[must_use]
pub fn simd_summary() -> String {
    let set = match Simd::detect() {
        Simd::Portable => "portable",
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => "avx2",
    };
    format!("shuffle: {set}; bitshuffle: {set}; libdeflate and zstd: chosen by their own dispatch")
}

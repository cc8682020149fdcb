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

/// Work in plain Rust that a compiler can turn into vector instructions.
pub(crate) trait Kernel {
    /// What comes of it.
    type Output;

    /// Does the work. To be marked `#[inline(always)]`, as are the functions it calls: only then
    /// are they compiled for the instruction set that [`Simd::run`] chooses.
    fn run(self) -> Self::Output;
}

impl Simd {
    /// Runs a kernel compiled for this instruction set. The result is the same for all sets:
    /// nothing is contracted or reordered.
    #[expect(unsafe_code, reason = "calls a function that is compiled for AVX2")]
    pub(crate) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Self::Portable => kernel.run(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                // SAFETY: this variant is made by `detect` only, where the machine has AVX2.
                unsafe { run_avx2(kernel) }
            }
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// One line: which code paths this machine runs.
#[must_use]
pub fn simd_summary() -> String {
    let set = match Simd::detect() {
        Simd::Portable => "portable",
        #[cfg(target_arch = "x86_64")]
        Simd::Avx2 => "avx2",
    };
    format!(
        "shuffle, bitshuffle, quantization: {set}; libdeflate and zstd: chosen by their own dispatch"
    )
}

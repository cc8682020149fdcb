//! Power spectra along the last axis.
//!
//! Rows without special values are transformed with no window and no trend removed; rows
//! longer than [`MAX_LENGTH`] are cut into pieces of that length, and each piece counts as a row. The
//! power of each wavenumber is added up over all rows.

use std::fmt;
use std::sync::Arc;

use realfft::num_complex::Complex;
use realfft::{RealFftPlanner, RealToComplex};

/// Longest piece that is transformed at once.
pub(super) const MAX_LENGTH: u64 = 1 << 15;
/// Rows of fewer values have no spectrum worth comparing.
const MIN_LENGTH: u64 = 8;

/// How rows of one length are transformed.
#[derive(Clone)]
pub(super) struct Transform {
    fft: Arc<dyn RealToComplex<f64>>,
}

impl fmt::Debug for Transform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Transform({})", self.fft.len())
    }
}

/// Power by wavenumber, from wavenumber 1, added up over rows.
#[derive(Debug, Clone, Default)]
pub(super) struct Spectra {
    pub(super) original: Vec<f64>,
    pub(super) rounded: Vec<f64>,
    pub(super) rows: u64,
}

/// Buffers of one thread.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    input: Vec<f64>,
    output: Vec<Complex<f64>>,
    inside: Vec<Complex<f64>>,
}

impl Transform {
    /// For rows of `length` values; `None` where these are too few.
    pub(super) fn new(length: u64) -> Option<Self> {
        if length < MIN_LENGTH {
            return None;
        }
        let length = usize::try_from(length.min(MAX_LENGTH)).ok()?;
        let fft = RealFftPlanner::<f64>::new().plan_fft_forward(length);
        Some(Self { fft })
    }

    /// Wavenumbers of a spectrum.
    pub(super) fn wavenumbers(&self) -> usize {
        self.fft.len() / 2
    }

    /// Adds the spectra of a row without special values.
    pub(super) fn add(
        &self,
        original: &[f64],
        rounded: &[f64],
        to: &mut Spectra,
        with: &mut Scratch,
    ) {
        let length = self.fft.len();
        to.original.resize(self.wavenumbers(), 0.0);
        to.rounded.resize(self.wavenumbers(), 0.0);
        let pieces = original
            .chunks_exact(length)
            .zip(rounded.chunks_exact(length));
        for (a, b) in pieces {
            let both = [(a, &mut to.original), (b, &mut to.rounded)];
            let mut is_done = true;
            for (piece, power) in both {
                is_done &= self.transform(piece, with);
                for (sum, z) in power.iter_mut().zip(with.output.iter().skip(1)) {
                    *sum += z.norm_sqr();
                }
            }
            to.rows += u64::from(is_done);
        }
    }

    fn transform(&self, piece: &[f64], with: &mut Scratch) -> bool {
        with.input.clear();
        // A shift changes wavenumber 0 only, which does not count; without it a constant row would
        // have the power of rounding errors.
        let shift = piece.first().copied().unwrap_or(0.0);
        with.input.extend(piece.iter().map(|value| value - shift));
        let zero = Complex::new(0.0, 0.0);
        with.output.resize(self.fft.complex_len(), zero);
        with.inside.resize(self.fft.get_scratch_len(), zero);
        self.fft
            .process_with_scratch(&mut with.input, &mut with.output, &mut with.inside)
            .is_ok()
    }
}

impl Spectra {
    pub(super) fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        for (mine, others) in [
            (&mut self.original, &other.original),
            (&mut self.rounded, &other.rounded),
        ] {
            mine.resize(others.len().max(mine.len()), 0.0);
            for (sum, power) in mine.iter_mut().zip(others) {
                *sum += power;
            }
        }
    }

    /// Root of the mean squared relative error of the power, over the wavenumbers that have any in
    /// the original; `None` without rows.
    pub(super) fn relative_error(&self) -> Option<f64> {
        let powers = self.original.iter().zip(&self.rounded);
        let errors = powers.filter(|(original, _)| **original > 0.0);
        let (mut squares, mut count) = (0.0, 0_u64);
        for (original, rounded) in errors {
            let error = (rounded - original) / original;
            squares += error * error;
            count += 1;
        }
        let error = (squares / count.max(1) as f64).sqrt();
        (self.rows > 0 && count > 0 && error.is_finite()).then_some(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_rows_have_no_power() {
        let transform = Transform::new(100).unwrap();
        let mut spectra = Spectra::default();
        let mut scratch = Scratch::default();
        transform.add(&[0.1; 100], &[0.100_1; 100], &mut spectra, &mut scratch);
        assert!(spectra.original.iter().all(|&power| power == 0.0));
        assert_eq!(spectra.relative_error(), None);
    }

    /// By the definition of the discrete Fourier transform.
    fn power(row: &[f64], k: usize) -> f64 {
        let n = row.len() as f64;
        let (mut re, mut im) = (0.0, 0.0);
        for (i, x) in row.iter().enumerate() {
            let angle = std::f64::consts::TAU * (k * i) as f64 / n;
            re += x * angle.cos();
            im -= x * angle.sin();
        }
        re * re + im * im
    }

    #[test]
    fn spectra_are_those_of_the_definition() {
        for length in [8_u32, 13, 60] {
            let a: Vec<f64> = (0..length).map(|i| f64::from(i * i * 7919 % 31)).collect();
            let b: Vec<f64> = a.iter().map(|x| (x / 3.0).round() * 3.0).collect();
            let transform = Transform::new(u64::from(length)).unwrap();
            let mut spectra = Spectra::default();
            transform.add(&a, &b, &mut spectra, &mut Scratch::default());
            let mut squares = 0.0;
            for k in 1..=transform.wavenumbers() {
                let (original, rounded) = (power(&a, k), power(&b, k));
                assert!((spectra.original[k - 1] / original - 1.0).abs() < 1.0e-9);
                squares += ((rounded - original) / original).powi(2);
            }
            let expected = (squares / transform.wavenumbers() as f64).sqrt();
            let found = spectra.relative_error().unwrap();
            assert!(
                (found / expected - 1.0).abs() < 1.0e-9,
                "{found} {expected}"
            );
        }
        assert!(Transform::new(7).is_none());
    }

    #[test]
    fn long_rows_are_cut() {
        let transform = Transform::new(MAX_LENGTH * 2 + 5).unwrap();
        let row: Vec<f64> = (0..MAX_LENGTH * 2 + 5).map(|i| (i % 97) as f64).collect();
        let mut spectra = Spectra::default();
        transform.add(&row, &row, &mut spectra, &mut Scratch::default());
        assert_eq!((spectra.rows, spectra.relative_error()), (2, Some(0.0)));
    }
}

//! Random numbers by position: any element of a field can be drawn on its own, so that threads and
//! chunks cannot change it.

/// The odd increment of SplitMix64.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// A stream of random numbers, addressed by position.
///
/// Number `i` is output `i` of SplitMix64 (Steele, Lea and Flood 2014, "Fast splittable
/// pseudorandom number generators"), which needs only the position, not what came before it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stream {
    state: u64,
}

impl Stream {
    /// The stream of `purpose` under `seed`: streams of other purposes have nothing in common with
    /// it.
    pub(super) fn new(seed: u64, purpose: &str) -> Self {
        // FNV-1a tells purposes apart; mixing twice keeps near seeds far from each other.
        let hash = purpose
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
            });
        Self {
            state: mix(mix(seed).wrapping_add(hash)),
        }
    }

    /// 64 random bits.
    pub(super) fn bits(self, position: u64) -> u64 {
        let steps = position.wrapping_add(1);
        mix(self.state.wrapping_add(steps.wrapping_mul(GAMMA)))
    }

    /// Uniform in [0, 1): one of 2^53 evenly spaced numbers.
    pub(super) fn uniform(self, position: u64) -> f64 {
        const STEP: f64 = 1.0 / (1_u64 << 53) as f64;
        (self.bits(position) >> 11) as f64 * STEP
    }

    /// Normal with mean 0 and standard deviation 1 (Box and Muller 1958); at most 8.6 away from 0.
    pub(super) fn normal(self, position: u64) -> f64 {
        let first = position.wrapping_mul(2);
        // In (0, 1]: the logarithm needs it.
        let radius = 1.0 - self.uniform(first);
        let angle = self.uniform(first.wrapping_add(1));
        (-2.0 * libm::log(radius)).sqrt() * libm::cos(std::f64::consts::TAU * angle)
    }
}

/// SplitMix64's finalizer.
fn mix(mut bits: u64) -> u64 {
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_splitmix64() {
        let stream = Stream { state: 1_234_567 };
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
            4_593_380_528_125_082_431,
            16_408_922_859_458_223_821,
        ];
        for (position, bits) in (0..).zip(expected) {
            assert_eq!(stream.bits(position), bits);
        }
    }

    #[test]
    fn normal_numbers_have_mean_0_and_deviation_1() {
        let stream = Stream::new(3, "test");
        let count = 200_000;
        let numbers: Vec<f64> = (0..count).map(|i| stream.normal(i)).collect();
        let mean = numbers.iter().sum::<f64>() / count as f64;
        let square = numbers.iter().map(|n| n * n).sum::<f64>() / count as f64;
        let within = numbers.iter().filter(|n| n.abs() < 1.0).count() as f64 / count as f64;
        assert!(mean.abs() < 0.01 && (square - 1.0).abs() < 0.02);
        assert!((within - 0.6827).abs() < 0.005, "{within}");
    }

    #[test]
    fn purposes_and_seeds_have_streams_of_their_own() {
        let first = |seed, purpose| Stream::new(seed, purpose).bits(0);
        assert_eq!(first(1, "noise"), first(1, "noise"));
        assert_ne!(first(1, "noise"), first(2, "noise"));
        assert_ne!(first(1, "noise"), first(1, "zeros"));
    }
}

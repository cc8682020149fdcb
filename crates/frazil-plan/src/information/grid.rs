//! Values that lie on a grid: integers times a scale plus an offset, and decimal steps.

/// A step below this many units in the last place is not told from rounding.
const LEAST_STEP_ULPS: f64 = 12.0;
/// How far off the grid rounding can push a value, in units in the last place of the largest one:
/// product and sum are rounded, and so is the grid's own first point.
const TOLERANCE_ULPS: f64 = 2.5;
/// Largest share of values off the grid (the rare value put in by hand).
const MOST_OFF_GRID: f64 = 0.001;
/// By chance, values lie on a grid at most this often.
const MOST_CHANCE: f64 = 1e-9;
/// No integer type that values are packed into has more values than this.
const MOST_POINTS: f64 = 4_294_967_296.0;
/// Decimal steps tried: 1, 0.1, ... 0.000001.
const DECIMALS: i32 = 6;

/// The step of the grid on which all of `values` lie within rounding error; `None` for values that
/// lie anywhere.
///
/// `values` are ordinary numbers in any order, `epsilon` is the distance of 1 to the next number of
/// their type.
#[must_use]
pub fn grid_step(values: &[f64], epsilon: f64) -> Option<f64> {
    let mut distinct = values.to_vec();
    distinct.sort_unstable_by(f64::total_cmp);
    distinct.dedup();
    gap_step(&distinct, epsilon).or_else(|| decimal_step(&distinct, epsilon))
}

/// Unit in the last place of numbers as large as `value`.
fn ulp(value: f64, epsilon: f64) -> f64 {
    // The power of two at or below the value: its bits without mantissa.
    f64::from_bits(value.abs().to_bits() & (0x7ff << 52)) * epsilon
}

/// Whether so many values on a grid can hardly be chance, each being there with this probability.
fn is_no_chance(probability: f64, values: usize) -> bool {
    probability < 1.0 && probability.powf(values as f64 - 2.0) < MOST_CHANCE
}

/// Tries the steps that gaps between neighbouring values suggest.
fn gap_step(distinct: &[f64], epsilon: f64) -> Option<f64> {
    let (first, last) = (*distinct.first()?, *distinct.last()?);
    let ulp = ulp(first.abs().max(last.abs()), epsilon);
    let mut gaps: Vec<f64> = distinct.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable_by(f64::total_cmp);
    let least = LEAST_STEP_ULPS * ulp;
    let mut tried = 0.0;
    for part in [usize::MAX, 100, 20, 4] {
        let smallest = *gaps.get(gaps.len() / part)?;
        if smallest < least || smallest == tried {
            continue;
        }
        tried = smallest;
        // Gaps of one step scatter by rounding; half of those near the smallest are below this.
        let from = gaps.partition_point(|&gap| gap < smallest);
        let to = gaps.partition_point(|&gap| gap < 1.5 * smallest);
        let near = gaps[from + (to - from) / 2];
        // The smallest gap may be two or three steps.
        for divisor in 1..=4 {
            let step = near / f64::from(divisor);
            if step < least {
                break;
            }
            let found = refine(&gaps, step, TOLERANCE_ULPS * ulp)
                .filter(|&step| fits(distinct, step, TOLERANCE_ULPS * ulp));
            if found.is_some() {
                return found;
            }
        }
    }
    None
}

/// A better estimate of the step: gaps, the smallest first, are taken for multiples of it.
fn refine(gaps: &[f64], step: f64, tolerance: f64) -> Option<f64> {
    let most_off = (gaps.len() as f64 * MOST_OFF_GRID) as usize;
    let (mut sum, mut steps, mut off) = (0.0, 0.0, 0);
    let mut better = step;
    for gap in gaps {
        let multiple = (gap / better).round();
        if multiple < 1.0 || (gap - multiple * better).abs() > 2.0 * tolerance {
            off += 1;
            if off > most_off {
                return None;
            }
            continue;
        }
        sum += gap;
        steps += multiple;
        better = sum / steps;
    }
    (steps > 0.0 && steps < MOST_POINTS).then_some(better)
}

/// Whether all values are whole steps away from the first one.
fn fits(distinct: &[f64], step: f64, tolerance: f64) -> bool {
    if !is_no_chance(2.0 * tolerance / step, distinct.len()) {
        return false;
    }
    let most_off = (distinct.len() as f64 * MOST_OFF_GRID) as usize;
    let mut at = distinct[0];
    let off = distinct[1..].iter().filter(|&&value| {
        // From the last value on the grid, so that an error of the step does not add up.
        let multiple = ((value - at) / step).round();
        let is_off = (value - at - multiple * step).abs() > 2.0 * tolerance;
        if !is_off {
            at = value;
        }
        is_off
    });
    off.count() <= most_off
}

/// Values with a fixed number of decimals, however wide their range is.
fn decimal_step(distinct: &[f64], epsilon: f64) -> Option<f64> {
    let sharp = |step: f64| {
        distinct
            .iter()
            .filter(move |&&value| LEAST_STEP_ULPS * ulp(value, epsilon) <= step)
    };
    (0..=DECIMALS)
        .map(|decimals| 10_f64.powi(-decimals))
        .find(|&step| {
            let count = sharp(step).count();
            if 2 * count < distinct.len() || !is_no_chance(2.0 / LEAST_STEP_ULPS, count) {
                return false;
            }
            let off = sharp(step).filter(|&&value| {
                (value - (value / step).round() * step).abs() > ulp(value, epsilon)
            });
            off.count() <= (count as f64 * MOST_OFF_GRID) as usize
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGLE: f64 = f32::EPSILON as f64;

    /// Numbers from 0 to 1 that look random, always the same ones.
    fn noise(seed: u64) -> impl Iterator<Item = f64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 11) as f64 / (1_u64 << 53) as f64
        })
    }

    fn assert_step(values: &[f64], step: f64) {
        let found = grid_step(values, SINGLE).expect("a grid");
        assert!((found / step - 1.0).abs() < 1e-3, "{found} is not {step}");
    }

    #[test]
    fn unpacked_integers_are_found_in_either_arithmetic() {
        for (scale, offset) in [
            (0.0015, 270.0),
            (0.1526, 101_325.0),
            (7.6, 0.0),
            (3e-9, 1e-4),
        ] {
            let packed = || {
                noise(7)
                    .take(20_000)
                    .map(|x| ((x - 0.5) * 65_000.0).round())
            };
            let double: Vec<f64> = packed()
                .map(|k| f64::from((k * scale + offset) as f32))
                .collect();
            assert_step(&double, scale);
            let single: Vec<f64> = packed()
                .map(|k| f64::from(k as f32 * scale as f32 + offset as f32))
                .collect();
            assert_step(&single, scale);
        }
    }

    #[test]
    fn few_and_sparse_integers_are_found() {
        let sparse: Vec<f64> = noise(3)
            .take(40)
            .map(|x| (x * 500.0).round() * 0.37 + 2.0)
            .collect();
        assert_step(&sparse, 0.37);
        assert_step(&[0.0, 0.25, 0.5, 0.75, 1.0], 0.25);
        let counts: Vec<f64> = noise(4).take(1000).map(|x| (x * 300.0).floor()).collect();
        assert_step(&counts, 1.0);
    }

    #[test]
    fn decimals_are_found_over_any_range() {
        let rain: Vec<f64> = noise(5)
            .take(5000)
            .map(|x| f64::from(((x.powi(8) * 5e6).round() / 100.0) as f32))
            .collect();
        assert_step(&rain, 0.01);
    }

    #[test]
    fn one_value_put_in_by_hand_hides_no_grid() {
        let mut values: Vec<f64> = noise(6)
            .take(5000)
            .map(|x| (x * 6e4).round() * 0.01 + 3.3)
            .collect();
        values.push(0.0012);
        assert_step(&values, 0.01);
    }

    #[test]
    fn continuous_values_lie_on_no_grid() {
        for n in [10, 100, 3000, 100_000] {
            let temperature: Vec<f64> = noise(n as u64)
                .take(n)
                .map(|x| f64::from((250.0 + 60.0 * x) as f32))
                .collect();
            assert_eq!(grid_step(&temperature, SINGLE), None, "{n}");
            let rain: Vec<f64> = noise(n as u64)
                .take(n)
                .map(|x| f64::from((x - 0.7).max(0.0) as f32))
                .collect();
            assert_eq!(grid_step(&rain, SINGLE), None, "{n}");
            let double: Vec<f64> = noise(n as u64).take(n).map(|x| (6.0 * x).exp()).collect();
            assert_eq!(grid_step(&double, f64::EPSILON), None, "{n}");
        }
        assert_eq!(grid_step(&[], SINGLE), None);
        assert_eq!(grid_step(&[1.5], SINGLE), None);
        assert_eq!(grid_step(&[0.3, 0.7, 1.9], SINGLE), None);
    }
}

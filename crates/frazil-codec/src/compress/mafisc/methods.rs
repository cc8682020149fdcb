//! The methods that encoders choose from.
//!
//! Source: the tables at the start of `mafisc.c`: up to three differences, along the slowest or the
//! fastest axis, then one of each of the other kinds.

use super::adaptive::Learning;
use super::step::Step;

/// The kinds of steps behind the differences, with their letters.
pub(crate) const ADAPTIVE: [Option<(Step, &str)>; 2] =
    [None, Some((Step::Adaptive(Learning::Last), "al"))];
pub(crate) const SIGN: [Option<(Step, &str)>; 3] = [
    None,
    Some((Step::SignInverted, "sn")),
    Some((Step::SignRotated, "sr")),
];
pub(crate) const BITS: [Option<(Step, &str)>; 3] = [
    None,
    Some((Step::BitsOfEach, "bb")),
    Some((Step::BitsOfAll, "bg")),
];

const SLOWEST: (Step, &str) = (Step::Difference(0), "d0");
const FASTEST: (Step, &str) = (Step::Difference(35), "dz");
const MOST_DIFFERENCES: usize = 3;

/// Sequences of differences that are not the same for chunks of so many axes, shortest first.
pub(crate) fn differences(rank: usize) -> Vec<Vec<(Step, &'static str)>> {
    let ends = if rank == 1 {
        &[FASTEST][..]
    } else {
        &[SLOWEST, FASTEST]
    };
    let mut all = vec![Vec::new()];
    let mut longest = 0..1;
    for _ in 0..MOST_DIFFERENCES {
        for i in longest.clone() {
            for &end in ends {
                let longer = [&all[i][..], &[end]].concat();
                all.push(longer);
            }
        }
        longest = longest.end..all.len();
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_methods_as_the_registered_encoder_has() {
        let others = ADAPTIVE.len() * SIGN.len() * BITS.len();
        assert_eq!(differences(2).len() * others, 270);
        assert_eq!(differences(1).len() * others, 72);
        let text = |steps: &[(Step, &str)]| steps.iter().map(|&(_, text)| text).collect::<String>();
        let texts: Vec<String> = differences(3).iter().map(|steps| text(steps)).collect();
        assert_eq!(texts[..5], ["", "d0", "dz", "d0d0", "d0dz"]);
        assert_eq!(texts[14], "dzdzdz");
    }
}

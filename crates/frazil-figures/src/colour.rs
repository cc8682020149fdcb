//! Colours: perceptually uniform for fields, diverging for differences, told apart by all eyes for
//! lines.

use colorous::{Color, Gradient};

/// No value.
pub(crate) const MISSING: Color = Color {
    r: 0xc8,
    g: 0xc8,
    b: 0xc8,
};
/// Lines of original values (Okabe and Ito's blue).
pub(crate) const ORIGINAL: &str = "#0072b2";
/// Lines of rounded values (their vermilion).
pub(crate) const ROUNDED: &str = "#d55e00";

/// How values between 0 and 1 become colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Map {
    /// Viridis, dark to light: for fields.
    Field,
    /// Blue over white to red: for differences; 0.5 is none.
    Difference,
    /// Pale yellow over green to dark blue: for information on a white page.
    Information,
}

impl Map {
    /// The colour of a share, which is brought between 0 and 1.
    pub(crate) fn colour(self, share: f64) -> Color {
        let share = share.clamp(0.0, 1.0);
        let (gradient, share): (Gradient, f64) = match self {
            Self::Field => (colorous::VIRIDIS, share),
            Self::Difference => (colorous::RED_BLUE, 1.0 - share),
            Self::Information => (colorous::YELLOW_GREEN_BLUE, share),
        };
        gradient.eval_continuous(share)
    }
}

/// `#rrggbb`.
pub(crate) fn hex(colour: Color) -> String {
    format!("#{:02x}{:02x}{:02x}", colour.r, colour.g, colour.b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_blue_white_red() {
        let (low, middle, high) = (
            Map::Difference.colour(0.0),
            Map::Difference.colour(0.5),
            Map::Difference.colour(1.0),
        );
        assert!(low.b > low.r && high.r > high.b);
        assert!(
            [middle.r, middle.g, middle.b]
                .iter()
                .all(|&part| part > 230)
        );
    }

    #[test]
    fn shares_outside_are_brought_inside() {
        assert_eq!(hex(Map::Field.colour(-3.0)), hex(Map::Field.colour(0.0)));
        assert_eq!(hex(Map::Field.colour(3.0)), hex(Map::Field.colour(1.0)));
        assert_eq!(hex(MISSING), "#c8c8c8");
    }
}

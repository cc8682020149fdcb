//! Enumerations whose values have words.

/// Gives an enumeration its values in order (`ALL`), the word of each (`name`), and the value of a
/// word (`from_name`).
#[macro_export]
macro_rules! words {
    ($visibility:vis $enumeration:ident: $($value:ident $word:literal),+ $(,)?) => {
        impl $enumeration {
            /// All values, in order.
            $visibility const ALL: [Self; [$($word),+].len()] = [$(Self::$value),+];

            /// Its word.
            #[must_use]
            $visibility const fn name(self) -> &'static str {
                match self {
                    $(Self::$value => $word,)+
                }
            }

            /// The value of a word.
            #[must_use]
            $visibility fn from_name(word: &str) -> Option<Self> {
                Self::ALL.into_iter().find(|value| value.name() == word)
            }
        }
    };
}

//! Texts of files, which C ends with a NUL and does not promise to be UTF-8.
//!
//! A text that is not UTF-8 keeps its bytes: each stray one becomes a NUL and two hexadecimal
//! digits. No text of C holds a NUL, so that two texts are equal exactly if their bytes are, and
//! the bytes come back when libhdf5 is asked for the name.

use std::fmt::Write as _;

/// Stands before the digits of a byte that is not UTF-8.
const STRAY: char = '\0';

/// The text of these bytes, which hold no NUL.
#[must_use]
pub fn from_bytes(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for part in bytes.utf8_chunks() {
        text.push_str(part.valid());
        for byte in part.invalid() {
            let _ = write!(text, "{STRAY}{byte:02x}");
        }
    }
    text
}

/// The bytes of a text; `None` if it holds a NUL that stands for no byte.
#[must_use]
pub fn to_bytes(text: &str) -> Option<Vec<u8>> {
    let mut parts = text.split(STRAY);
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let (digits, rest) = part.split_at_checked(2)?;
        let byte = u8::from_str_radix(digits, 16).ok()?;
        if byte.is_ascii() {
            return None;
        }
        bytes.push(byte);
        bytes.extend_from_slice(rest.as_bytes());
    }
    Some(bytes)
}

/// The bytes that a file has for a name or text that was read from it: one that is not UTF-8 is
/// shown with a NUL and two hexadecimal digits for each stray byte.
#[must_use]
pub fn bytes_of_text(text: &str) -> Vec<u8> {
    to_bytes(text).unwrap_or_else(|| text.as_bytes().to_vec())
}

/// The text in a buffer, up to its NUL.
#[must_use]
pub fn from_buffer(buffer: &[u8]) -> String {
    let end = buffer.iter().position(|&byte| byte == 0);
    from_bytes(&buffer[..end.unwrap_or(buffer.len())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_keeps_its_bytes() {
        let texts: [&[u8]; 6] = [
            b"",
            b"plain",
            "Grüße".as_bytes(),
            b"Gr\xfc\xdfe",
            b"\xff",
            b"half \xe2\x82",
        ];
        for bytes in texts {
            assert_eq!(to_bytes(&from_bytes(bytes)).unwrap(), bytes);
        }
        assert_eq!(from_bytes("Grüße".as_bytes()), "Grüße");
        assert_ne!(from_bytes(b"Gr\xfc"), from_bytes(b"Gr\xdf"));
        assert_eq!(from_buffer(b"ab\0cd"), "ab");
    }

    #[test]
    fn a_nul_that_stands_for_no_byte_is_no_text() {
        for text in ["a\0b", "\0", "a\x0041", "a\0zz", "a\0é"] {
            assert_eq!(to_bytes(text), None, "{text:?}");
        }
    }
}

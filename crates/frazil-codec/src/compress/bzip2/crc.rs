//! CRC-32 as bzip2 computes it: polynomial 0x04c11db7, highest bit first.

const TABLE: [u32; 256] = table();

const fn table() -> [u32; 256] {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut crc = (byte as u32) << 24;
        let mut bit = 0;
        while bit < 8 {
            crc = if crc & 0x8000_0000 == 0 {
                crc << 1
            } else {
                crc << 1 ^ 0x04c1_1db7
            };
            bit += 1;
        }
        table[byte] = crc;
        byte += 1;
    }
    table
}

/// The checksum of `bytes`.
pub(super) fn crc32(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(u32::MAX, |crc, &byte| {
        (crc << 8) ^ TABLE[((crc >> 24) ^ u32::from(byte)) as usize]
    })
}

#[cfg(test)]
mod tests {
    use super::crc32;

    #[test]
    fn the_check_value_is_that_of_crc32_bzip2() {
        assert_eq!(crc32(b"123456789"), 0xfc89_1918);
    }
}

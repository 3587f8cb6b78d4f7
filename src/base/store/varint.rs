//! Variable-length numbers: seven bits in each byte, the lowest first; each byte but the last has its highest bit set.

/// Appends a number.
pub fn push_varint(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Removes a number from the front; `None` if there is no valid number.
pub fn take_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_cut_off_ones_do_not() {
        let numbers = [0, 1, 127, 128, 300, u64::from(u32::MAX), u64::MAX];
        let mut bytes = Vec::new();
        numbers.iter().for_each(|number| push_varint(&mut bytes, *number));
        let mut rest = bytes.as_slice();
        assert_eq!(numbers.map(|_| take_varint(&mut rest).unwrap()), numbers);
        assert_eq!((take_varint(&mut rest), take_varint(&mut &[0x80u8; 3][..])), (None, None));
        assert_eq!(take_varint(&mut &[0x80u8; 12][..]), None, "longer than any number");
    }
}

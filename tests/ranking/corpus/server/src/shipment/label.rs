//! The label that goes on a parcel: an image for printers, and the number that it is tracked by.

#[derive(Clone, Debug)]
pub struct Label {
    pub tracking_number: String,
    pub format: LabelFormat,
    pub bytes: Vec<u8>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelFormat {
    Pdf,
    Zpl,
}

impl Label {
    /// Turns dots into ZPL for thermal printers, 203 to the inch.
    pub fn zpl(dots: &[bool], width: usize) -> Vec<u8> {
        let mut out = format!("^XA^GFA,{0},{0},{1},", dots.len() / 8, width / 8).into_bytes();
        for byte in dots.chunks(8) {
            let value = byte.iter().fold(0u8, |value, dot| value << 1 | u8::from(*dot));
            out.extend(format!("{value:02X}").bytes());
        }
        out.extend(b"^XZ");
        out
    }

    /// The last digit of a tracking number, modulo 11, as in the postal union's S10.
    pub fn check_digit(digits: &[u8; 8]) -> u8 {
        let weights = [8, 6, 4, 2, 3, 5, 9, 7];
        let sum: u32 = digits.iter().zip(weights).map(|(digit, weight)| u32::from(*digit) * weight).sum();
        match 11 - sum % 11 {
            10 => 0,
            11 => 5,
            digit => digit as u8,
        }
    }
}

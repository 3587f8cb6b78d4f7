//! The brackets of a text without comments and strings, each with its partner.

/// Brackets, in the order of their positions.
pub(super) struct Brackets {
    at: Vec<u32>,
    /// The position of the partner of each; `u32::MAX` without one.
    partner: Vec<u32>,
}

impl Brackets {
    /// The brackets of `bare`. A bracket that closes takes the nearest open one of its kind; those in between stay open.
    pub fn new(bare: &[u8]) -> Brackets {
        let (mut at, mut partner) = (Vec::new(), Vec::new());
        let mut open: Vec<(u8, u32)> = Vec::new();
        let mut counts = [0u32; 3];
        let kind = |byte: u8| match byte {
            b'(' | b')' => 0,
            b'[' | b']' => 1,
            _ => 2,
        };
        for (position, &byte) in bare.iter().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => {
                    counts[kind(byte)] += 1;
                    open.push((kind(byte) as u8, at.len() as u32));
                }
                b')' | b']' | b'}' => {
                    if counts[kind(byte)] > 0 {
                        while let Some((other, place)) = open.pop() {
                            counts[usize::from(other)] -= 1;
                            if usize::from(other) == kind(byte) {
                                partner[place as usize] = position as u32;
                                at.push(position as u32);
                                partner.push(at[place as usize]);
                                break;
                            }
                        }
                        continue;
                    }
                }
                _ => continue,
            }
            at.push(position as u32);
            partner.push(u32::MAX);
        }
        Brackets { at, partner }
    }

    /// The partner of the bracket at `position`.
    pub fn partner(&self, position: u32) -> Option<u32> {
        let place = self.at.binary_search(&position).ok()?;
        Some(self.partner[place]).filter(|partner| *partner != u32::MAX)
    }

    /// The brackets from the place `from` on that lie before `end`: the place behind them, and `outermost` or the end of the
    /// outermost pair that opens among them.
    pub fn enclosing(&self, from: usize, end: u32, mut outermost: u32) -> (usize, u32) {
        let mut place = from;
        while let Some(&at) = self.at.get(place).filter(|at| **at < end) {
            let partner = self.partner[place];
            if at >= outermost && partner != u32::MAX && partner > at {
                outermost = partner;
            }
            place += 1;
        }
        (place, outermost)
    }
}

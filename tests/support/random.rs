//! Numbers for tests that generate their input.

use std::time::Duration;

/// Numbers that look random and are the same every time (splitmix64).
pub struct Random(pub u64);

impl Random {
    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    /// A moment of a run that takes `whole`, or shortly after it.
    pub fn moment(&mut self, whole: Duration) -> Duration {
        whole.mul_f64(self.below(1 << 20) as f64 / (1 << 20) as f64 * 1.1)
    }

    /// One of `among`.
    pub fn pick<'a, T: ?Sized>(&mut self, among: &[&'a T]) -> &'a T {
        among[self.below(among.len())]
    }
}

//! The budget of a pack, in tokens.

/// The bytes of a token, on average.
pub const BYTES_PER_TOKEN: usize = 4;

/// The tokens of a text.
pub fn tokens_of_bytes(bytes: usize) -> usize {
    bytes.div_ceil(BYTES_PER_TOKEN)
}

/// The tokens that may be used, and those that are.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    all: usize,
    used: usize,
}

impl Budget {
    /// An unused budget.
    pub fn new(all: usize) -> Budget {
        Budget { all, used: 0 }
    }

    /// The tokens that are used.
    pub fn used(&self) -> usize {
        self.used
    }

    /// The tokens that are left.
    pub fn left(&self) -> usize {
        self.all - self.used
    }

    /// Uses tokens, if enough are left.
    pub fn take(&mut self, tokens: usize) -> bool {
        let fits = tokens <= self.left();
        self.used += if fits { tokens } else { 0 };
        fits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_that_does_not_fit_uses_no_tokens() {
        let mut budget = Budget::new(10);
        assert!(budget.take(7) && !budget.take(4) && budget.take(3));
        assert_eq!((budget.used(), budget.left(), tokens_of_bytes(9)), (10, 0, 3));
    }
}

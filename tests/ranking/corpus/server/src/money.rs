//! Amounts in the smallest unit of a currency; never a float.

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Money {
    pub minor: i64,
    pub currency: Currency,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Currency {
    Eur,
    Chf,
    Jpy,
}

impl Currency {
    /// Digits behind the point; the yen has none.
    pub fn decimals(self) -> usize {
        match self {
            Currency::Jpy => 0,
            _ => 2,
        }
    }
}

impl Money {
    /// Adds amounts of one currency; `None` when they differ or overflow.
    pub fn plus(self, other: Money) -> Option<Money> {
        (self.currency == other.currency)
            .then(|| self.minor.checked_add(other.minor))
            .flatten()
            .map(|minor| Money { minor, ..self })
    }

    /// A percentage, rounded half to even, as bookkeepers do.
    pub fn percent(self, percent: i64) -> Money {
        let product = self.minor * percent;
        let (whole, rest) = (product.div_euclid(100), product.rem_euclid(100));
        let up = rest > 50 || (rest == 50 && whole % 2 != 0);
        Money { minor: whole + i64::from(up), ..self }
    }
}

impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = 10i64.pow(self.currency.decimals() as u32);
        write!(f, "{}.{:02} {:?}", self.minor / scale, self.minor % scale, self.currency)
    }
}

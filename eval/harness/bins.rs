//! Whether a shown score means what it says: hits in ten bins of their score, and the share of each that is right.

/// How many bins there are between 0 and 1.
pub const BINS: usize = 10;

/// Hits by their score.
pub struct Bins(pub [Bin; BINS]);

/// The hits whose score is in one tenth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bin {
    /// How many.
    pub hits: usize,
    /// How many of them answer.
    pub right: usize,
    /// The sum of their scores.
    pub scores: f64,
}

impl Bin {
    /// The share that answers.
    pub fn share(&self) -> f64 {
        self.right as f64 / self.hits.max(1) as f64
    }

    /// The mean of the shown scores.
    pub fn shown(&self) -> f64 {
        self.scores / self.hits.max(1) as f64
    }
}

impl Bins {
    /// Of hits with their scores and whether they answer.
    pub fn of(hits: impl IntoIterator<Item = (f32, bool)>) -> Bins {
        let mut bins = [Bin::default(); BINS];
        for (score, right) in hits {
            let bin = &mut bins[((score * BINS as f32) as usize).min(BINS - 1)];
            bin.hits += 1;
            bin.right += usize::from(right);
            bin.scores += f64::from(score);
        }
        Bins(bins)
    }

    /// How many hits there are.
    pub fn hits(&self) -> usize {
        self.0.iter().map(|bin| bin.hits).sum()
    }

    /// The expected calibration error (Naeini, Cooper and Hauskrecht 2015): how far a bin's mean score is from its share,
    /// each bin weighed by its hits.
    pub fn error(&self) -> f64 {
        let off = |bin: &Bin| (bin.scores - bin.right as f64).abs();
        self.0.iter().map(off).sum::<f64>() / self.hits().max(1) as f64
    }
}

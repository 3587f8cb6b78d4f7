//! Which features are learned, and which sign a weight may have.

use spyhop::{Feature, Profile, QueryKind, Signal, Transform};

use super::descent::Bounds;

/// The effect that a signal may have on a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The signal says that something matches, which must never count against a hit.
    For,
    /// Its sentence says that a file stands back, so it must not lift one.
    Against,
    /// The signal says what a file is, which can count for the file or against it.
    Either,
    /// The weight is not learned, because no question of a set depends on the signal.
    Kept,
}

/// The effect that a signal may have on a score.
pub fn sign(signal: Signal) -> Sign {
    use Signal as S;
    match signal {
        S::Lexical | S::Chunks | S::File | S::Coverage | S::Comment => Sign::For,
        S::Symbol | S::Symbols | S::Definition | S::DefinedName | S::AdjacentWords => Sign::For,
        S::Mentions | S::Reference | S::Related => Sign::For,
        S::Path | S::PathRelated | S::Folder | S::FileName | S::FileNameRelated => Sign::For,
        S::Test | S::Docs | S::Legacy | S::Platform | S::OlderCopy | S::Header => Sign::Against,
        S::Depth | S::Size | S::NamedAsFolder => Sign::Either,
        // The base is calibrated; candidates are separate files, and nobody touched one.
        S::Base | S::Session | S::Sibling | S::Own => Sign::Kept,
        // A fit has no model.
        S::Similar | S::Expanded | S::Rerank => Sign::Kept,
        // Only the first files have places, and their order decides which files are the first.
        S::BestPlace => Sign::Kept,
        // The development sets hold next to none of these.
        S::Literal | S::Frame | S::Run | S::Data | S::Generated => Sign::Kept,
    }
}

/// The range of a weight of the signal.
pub fn bounds(signal: Signal) -> Bounds {
    match sign(signal) {
        Sign::For => [0.0, f64::INFINITY],
        Sign::Against => [f64::NEG_INFINITY, 0.0],
        Sign::Either => [f64::NEG_INFINITY, f64::INFINITY],
        Sign::Kept => [0.0, 0.0],
    }
}

/// The features to learn: those that `start` weighs in some kind of query.
pub fn weighed(start: &Profile) -> Vec<Feature> {
    let is_weighed =
        |feature: &Feature| QueryKind::ALL.iter().any(|kind| start.weight(*kind, *feature) != 0.0);
    learnable().filter(is_weighed).collect()
}

/// Features that are not learned and play a part in the heads that are learned from: what is shown counts them, so what
/// is calibrated does.
pub fn weighed_alone() -> impl Iterator<Item = Feature> {
    let signals = [Signal::Literal, Signal::Frame, Signal::Run, Signal::Data, Signal::Generated];
    signals.into_iter().flat_map(|signal| Transform::ALL.map(|transform| Feature { signal, transform }))
}

/// Every feature that can be learned.
pub fn learnable() -> impl Iterator<Item = Feature> {
    let signals = Signal::ALL.iter().copied().filter(|signal| sign(*signal) != Sign::Kept);
    signals.flat_map(|signal| Transform::ALL.map(|transform| Feature { signal, transform }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_without_weight_are_not_learned() {
        let mut start = Profile::built_in().clone();
        learnable().for_each(|feature| start.set_weight(None, feature, 0.0));
        assert_eq!(weighed(&start), []);
        let names = ["lexical.rank", "test.value", "base.value", "literal.value"];
        let [lexical, test, base, literal] = names.map(|name| name.parse().unwrap());
        for feature in [lexical, test, base, literal] {
            start.set_weight(None, feature, 1.0);
        }
        assert_eq!(weighed(&start), [lexical, test]);
    }
}

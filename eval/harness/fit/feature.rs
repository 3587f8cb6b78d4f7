//! Which features are learned, and which sign a weight may have.

use std::collections::BTreeSet;

use spyhop::{Feature, Profile, QueryKind, Signal, Transform};

use super::descent::Bounds;
use crate::failure::Failure;

/// What a signal may do to a score.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// It says that something matches, which must never count against a hit, whatever the other signals say.
    For,
    /// Its sentence says that a file stands back, so it must not lift one.
    Against,
    /// It says what a file is, and that can speak for it or against it.
    Either,
    /// It is not learned: no question of a set says anything about it.
    Kept,
}

/// What a signal may do to a score.
pub fn sign(signal: Signal) -> Sign {
    use Signal as S;
    match signal {
        S::Lexical | S::Chunks | S::File | S::Coverage | S::Comment => Sign::For,
        S::Symbol | S::Symbols | S::Definition | S::DefinedName | S::AdjacentWords => Sign::For,
        S::Mentions | S::Reference => Sign::For,
        S::Path | S::PathRelated | S::Folder | S::FileName | S::FileNameRelated => Sign::For,
        S::Test | S::Docs | S::Legacy | S::Platform | S::OlderCopy | S::Header => Sign::Against,
        S::Depth | S::Size | S::NamedAsFolder => Sign::Either,
        // The base is calibrated; candidates are files of their own, and nobody touched one.
        S::Base | S::Session | S::Sibling | S::Graph | S::Own => Sign::Kept,
        // Only the first files have places, and their order decides which files are the first.
        S::BestPlace => Sign::Kept,
        // The development sets hold next to none of these.
        S::Literal | S::Frame | S::Run | S::Data | S::Generated => Sign::Kept,
    }
}

/// What a weight of the signal may be.
pub fn bounds(signal: Signal) -> Bounds {
    match sign(signal) {
        Sign::For => [0.0, f64::INFINITY],
        Sign::Against => [f64::NEG_INFINITY, 0.0],
        Sign::Either => [f64::NEG_INFINITY, f64::INFINITY],
        Sign::Kept => [0.0, 0.0],
    }
}

/// The features to learn: those that `start` weighs in some kind of query, with those that are added and without those
/// that are left out. A signal stands for all its transforms, `all` for everything.
pub fn chosen(start: &Profile, add: &[String], without: &[String]) -> Result<Vec<Feature>, Failure> {
    let weighed = |feature: &Feature| QueryKind::ALL.iter().any(|kind| start.weight(*kind, *feature) != 0.0);
    let mut chosen: BTreeSet<Feature> = learnable().filter(weighed).collect();
    for name in add {
        chosen.extend(named("--add", name)?);
    }
    for name in without {
        for feature in named("--without", name)? {
            chosen.remove(&feature);
        }
    }
    if chosen.is_empty() {
        return Err(Failure::Asked("no feature is left to learn".to_string()));
    }
    Ok(chosen.into_iter().collect())
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

fn named(option: &str, name: &str) -> Result<Vec<Feature>, Failure> {
    if name == "all" {
        return Ok(learnable().collect());
    }
    let features = match Signal::by_name(name) {
        Some(signal) => Transform::ALL.map(|transform| Feature { signal, transform }).to_vec(),
        None => vec![name.parse()?],
    };
    match features[0].signal {
        kept if sign(kept) == Sign::Kept => {
            Err(Failure::Asked(format!("{option}: '{kept}' is not learned; it stays as the start has it")))
        }
        _ => Ok(features),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(add: &[&str], without: &[&str]) -> Vec<String> {
        let [add, without] =
            [add, without].map(|names| names.iter().map(ToString::to_string).collect::<Vec<_>>());
        let chosen = chosen(Profile::built_in(), &add, &without).unwrap();
        chosen.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn features_are_chosen_by_weight_and_by_name() {
        let all: Vec<String> = learnable().map(|feature| feature.to_string()).collect();
        let kept = Signal::ALL.iter().filter(|signal| sign(**signal) == Sign::Kept).count();
        assert_eq!(all.len(), 3 * (Signal::COUNT - kept));
        assert_eq!(names(&["all"], &[]), all);
        let as_it_is = names(&[], &[]);
        let unweighed = all.iter().find(|name| !as_it_is.contains(name)).expect("flags have one form");
        assert_eq!(names(&[unweighed], &[]).len(), as_it_is.len() + 1);
        assert!(!names(&["lexical"], &["lexical.relative"]).contains(&"lexical.relative".to_string()));
        let error = chosen(Profile::built_in(), &[], &["all".to_string()]).unwrap_err().to_string();
        assert_eq!(error, "no feature is left to learn");
    }

    #[test]
    fn what_is_not_learned_cannot_be_added() {
        for name in ["base", "session.value", "sibling"] {
            let error = chosen(Profile::built_in(), &[name.to_string()], &[]).unwrap_err().to_string();
            assert!(error.contains("is not learned"), "{error}");
        }
        assert!(chosen(Profile::built_in(), &["dogs".to_string()], &[]).is_err());
    }
}

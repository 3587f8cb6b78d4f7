//! The weights of the signals that a host adds.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::error::ProfileError;
use super::signal::{QueryKind, Transform};

/// The weights of one signal by kind of query and transform.
pub(crate) type TransformWeights = [[f32; Transform::ALL.len()]; QueryKind::ALL.len()];

/// The weights of the signals that a host adds, by their names.
#[derive(Clone, Debug, Default)]
pub(super) struct HostWeights(BTreeMap<String, WeightsOfSignal>);

/// The weights of one signal.
#[derive(Clone, Debug, Default)]
struct WeightsOfSignal {
    /// On files.
    file: TransformWeights,
    /// On places, by kind of query.
    place: [f32; QueryKind::ALL.len()],
}

impl WeightsOfSignal {
    fn all(&self) -> impl Iterator<Item = &f32> {
        self.file.iter().flatten().chain(&self.place)
    }
}

impl HostWeights {
    pub fn set(&mut self, name: &str, kind: QueryKind, transform: Transform, weight: f32) {
        let weights = self.0.entry(name.to_string()).or_default();
        weights.file[kind as usize][transform as usize] = weight;
    }

    pub(crate) fn set_place(&mut self, name: &str, kind: QueryKind, weight: f32) {
        self.0.entry(name.to_string()).or_default().place[kind as usize] = weight;
    }

    pub fn get(&self, name: &str, kind: QueryKind) -> [f32; Transform::ALL.len()] {
        self.0.get(name).map_or([0.0; Transform::ALL.len()], |weights| weights.file[kind as usize])
    }

    pub(crate) fn get_place(&self, name: &str, kind: QueryKind) -> f32 {
        self.0.get(name).map_or(0.0, |weights| weights.place[kind as usize])
    }

    /// The names of signals with a weight other than 0.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let is_weighed = |weights: &WeightsOfSignal| weights.all().any(|weight| *weight != 0.0);
        self.0.iter().filter(move |(_, weights)| is_weighed(weights)).map(|(name, _)| name.as_str())
    }

    pub fn check(&self) -> Result<(), ProfileError> {
        let broken = |weights: &WeightsOfSignal| weights.all().any(|weight| !weight.is_finite());
        match self.0.iter().find(|(_, weights)| broken(weights)) {
            Some((name, _)) => Err(ProfileError::Syntax(format!("a weight of own.{name} is not a number"))),
            None => Ok(()),
        }
    }

    /// Appends the tables of a profile.
    pub(crate) fn push_toml(&self, text: &mut String, mut push: impl FnMut(&mut String, &str, [f32; 3])) {
        for (name, weights) in &self.0 {
            let _ = writeln!(text, "\n[own.{}]", toml::Value::from(name.as_str()));
            for transform in Transform::ALL {
                let by_kind = QueryKind::ALL.map(|kind| weights.file[kind as usize][transform as usize]);
                push(text, transform.name(), by_kind);
            }
            push(text, "place", weights.place);
        }
    }
}

//! The ranking profile: the signals, the weight of each signal, and the sentence that describes what the signal
//! measures.
//!
//! All weights and constants of ranking are in one file, `default.toml` in this folder. A profile of a caller has the
//! same schema. This module only holds data; [`crate`] computes the signals.
//!
//! ```toml
//! [signals.lexical]
//! text = "how well its best chunk matches the words (BM25)"
//! relative = 1.4                                          # one weight for every query
//! rank = { names = 0.2, mixed = 0.5, words = 0.8 }        # or one weight for each kind of query
//! ```

mod error;
mod host_weights;
mod report;
mod scores;
mod signal;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;
use std::str::FromStr;
use std::sync::OnceLock;

use serde::Deserialize;

pub use error::ProfileError;
pub use report::ReportParameters;
pub use scores::{Calibration, ScoreCalibration};
pub(crate) use signal::PROFILE_VERSION;
pub use signal::{Feature, PlaceSignal, QueryKind, ScoreInput, Signal, Transform};

/// A ranking profile.
#[derive(Clone, Debug)]
pub struct Profile {
    /// The name of the profile.
    pub name: String,
    /// The parameters of fusion.
    pub fusion: Fusion,
    /// The BM25 parameters of each scoring pass.
    pub bm25: Bm25Fields,
    /// The calibration of scores.
    pub scores: ScoreCalibration,
    /// The parameters for reports.
    pub reports: ReportParameters,
    texts: BTreeMap<Signal, String>,
    places: Places,
    host_weights: host_weights::HostWeights,
    weights: Box<[[[f32; Transform::ALL.len()]; Signal::COUNT]; QueryKind::ALL.len()]>,
}

/// The sentences and weights of the signals of places.
#[derive(Clone, Debug)]
struct Places {
    texts: BTreeMap<PlaceSignal, String>,
    /// By kind of query and signal: the weight of the value and of the relative value.
    weights: [[[f32; 2]; PlaceSignal::COUNT]; QueryKind::ALL.len()],
}

/// The parameters of reciprocal rank fusion.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fusion {
    /// The constant of reciprocal rank fusion.
    pub k: f32,
    /// The number of files that each list contributes.
    pub depth: usize,
    /// The number of files of the fused list that are rescored.
    pub head: usize,
}

/// The two parameters of BM25.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bm25 {
    /// The saturation of the term frequency, at least 0.
    pub k1: f32,
    /// The influence of the length, 0 to 1.
    pub b: f32,
}

/// The BM25 parameters of each scoring pass. `chunk` and `file` both score the field `body`, for chunks and for whole
/// files. `symbol` and `symbols` both score the field `symbol`.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bm25Fields {
    /// Text of chunks.
    pub chunk: Bm25,
    /// Text of whole files.
    pub file: Bm25,
    /// Comments of chunks.
    pub comment: Bm25,
    /// Names that a chunk defines.
    pub symbol: Bm25,
    /// All names that a file defines.
    pub symbols: Bm25,
    /// File names.
    pub name: Bm25,
    /// Paths.
    pub path: Bm25,
}

/// The TOML document, before its weights are expanded.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    #[serde(rename = "version")]
    _version: u32,
    fusion: Fusion,
    bm25: Bm25Fields,
    #[serde(default)]
    scores: Option<ScoreCalibration>,
    #[serde(default)]
    reports: Option<ReportParameters>,
    signals: BTreeMap<Signal, Entry>,
    #[serde(default)]
    places: Option<BTreeMap<PlaceSignal, PlaceEntry>>,
    #[serde(default)]
    own: BTreeMap<String, HostEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostEntry {
    #[serde(default)]
    value: Weights,
    #[serde(default)]
    relative: Weights,
    #[serde(default)]
    rank: Weights,
    #[serde(default)]
    place: Weights,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceEntry {
    text: String,
    #[serde(default)]
    value: Weights,
    #[serde(default, alias = "share")]
    relative: Weights,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    text: String,
    #[serde(default)]
    value: Weights,
    #[serde(default, alias = "share")]
    relative: Weights,
    #[serde(default)]
    rank: Weights,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(untagged)]
enum Weights {
    Same(f32),
    ByKind(ByKind),
}

#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct ByKind {
    #[serde(alias = "name")]
    names: f32,
    #[serde(alias = "sentence")]
    mixed: f32,
    #[serde(alias = "question")]
    words: f32,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights::Same(0.0)
    }
}

impl Weights {
    fn for_kind(self, kind: QueryKind) -> f32 {
        match (self, kind) {
            (Weights::Same(weight), _) => weight,
            (Weights::ByKind(by), QueryKind::Names) => by.names,
            (Weights::ByKind(by), QueryKind::Mixed) => by.mixed,
            (Weights::ByKind(by), QueryKind::Words) => by.words,
        }
    }
}

impl Profile {
    /// The built-in profile.
    pub fn built_in() -> &'static Profile {
        static PROFILE: OnceLock<Profile> = OnceLock::new();
        PROFILE.get_or_init(|| {
            Profile::parse(include_str!("default.toml")).expect("the built-in profile is checked by a test")
        })
    }

    /// Reads the profile in a file.
    ///
    /// # Errors
    /// `Unreadable`, and the errors of [`Profile::parse`].
    pub fn read(path: &Path) -> Result<Profile, ProfileError> {
        let text = spyhop_base::input::named_text(path)
            .map_err(|source| ProfileError::Unreadable { path: path.to_path_buf(), source })?;
        Profile::parse(&text)
    }

    /// Parses the profile in a TOML document.
    ///
    /// # Errors
    /// `Syntax`, `Version`, and `UnknownSignals` with all unknown names.
    pub fn parse(text: &str) -> Result<Profile, ProfileError> {
        let syntax = |error: toml::de::Error| ProfileError::Syntax(error.to_string());
        let table: toml::Table = toml::from_str(text).map_err(syntax)?;
        let found = table.get("version").and_then(toml::Value::as_integer).unwrap_or(0);
        if found != i64::from(PROFILE_VERSION) {
            return Err(ProfileError::Version { found });
        }
        let names = |of: &str| {
            let named = table.get(of).and_then(toml::Value::as_table);
            named.into_iter().flat_map(|signals| signals.keys().cloned()).collect::<Vec<_>>()
        };
        let mut unknown = names("signals");
        unknown.retain(|name| Signal::by_name(name).is_none());
        let places = names("places").into_iter().filter(|name| PlaceSignal::by_name(name).is_none());
        unknown.extend(places.map(|name| format!("places.{name}")));
        if !unknown.is_empty() {
            return Err(ProfileError::UnknownSignals { unknown });
        }
        let written: Written = toml::from_str(text).map_err(syntax)?;
        let places = match written.places {
            Some(places) => Places::from_entries(places)?,
            // A profile without signals of places takes the built-in ones.
            None => Profile::built_in().places.clone(),
        };
        let mut host_weights = host_weights::HostWeights::default();
        for (name, entry) in &written.own {
            for kind in QueryKind::ALL {
                host_weights.set_place(name, kind, entry.place.for_kind(kind));
            }
            for (transform, weights) in
                Transform::ALL.into_iter().zip([entry.value, entry.relative, entry.rank])
            {
                for kind in QueryKind::ALL {
                    host_weights.set(name, kind, transform, weights.for_kind(kind));
                }
            }
        }
        let mut profile = Profile {
            places,
            host_weights,
            name: written.name,
            fusion: written.fusion,
            bm25: written.bm25,
            scores: written.scores.unwrap_or(ScoreCalibration::UNCALIBRATED),
            reports: written.reports.unwrap_or(ReportParameters::PLAIN),
            texts: BTreeMap::new(),
            weights: Box::new([[[0.0; Transform::ALL.len()]; Signal::COUNT]; QueryKind::ALL.len()]),
        };
        for (signal, entry) in written.signals {
            for kind in QueryKind::ALL {
                for (transform, weights) in [
                    (Transform::Value, entry.value),
                    (Transform::Relative, entry.relative),
                    (Transform::Rank, entry.rank),
                ] {
                    let weight = weights.for_kind(kind);
                    if !weight.is_finite() {
                        return Err(ProfileError::Syntax(format!("the weight of {signal} is {weight}")));
                    }
                    if signal.has_only_value() && transform != Transform::Value && weight != 0.0 {
                        let feature = Feature { signal, transform };
                        let text =
                            format!("{feature} is {weight}; {signal} takes a weight for its value only");
                        return Err(ProfileError::Syntax(text));
                    }
                    profile.weights[kind as usize][signal as usize][transform as usize] = weight;
                }
            }
            profile.texts.insert(signal, entry.text);
        }
        profile.check()?;
        Ok(profile)
    }

    fn check(&self) -> Result<(), ProfileError> {
        self.scores.check()?;
        self.host_weights.check()?;
        self.reports.check().map_err(ProfileError::Syntax)?;
        let Fusion { k, depth, head } = self.fusion;
        let refuse = |text: String| Err(ProfileError::Syntax(text));
        if !(k.is_finite() && k >= 0.0) {
            return refuse(format!("fusion.k is {k}; choose 0 or more"));
        }
        if depth == 0 || head == 0 {
            return refuse("fusion.depth and fusion.head are at least 1".to_string());
        }
        let Bm25Fields { chunk, file, comment, symbol, symbols, name, path } = self.bm25;
        for Bm25 { k1, b } in [chunk, file, comment, symbol, symbols, name, path] {
            if !(k1.is_finite() && k1 >= 0.0 && (0.0..=1.0).contains(&b)) {
                return refuse(format!("k1 = {k1}, b = {b}; choose k1 of 0 or more and b of 0 to 1"));
            }
        }
        Ok(())
    }

    /// The weight of a feature for this kind of query, in log-odds; 0 if the profile has none.
    pub fn weight(&self, kind: QueryKind, feature: Feature) -> f32 {
        self.weights[kind as usize][feature.signal as usize][feature.transform as usize]
    }

    /// The weights for this kind of query, by signal and transform.
    #[doc(hidden)]
    pub fn weights(&self, kind: QueryKind) -> &[[f32; Transform::ALL.len()]; Signal::COUNT] {
        &self.weights[kind as usize]
    }

    /// The weights of the signals of places for this kind of query, in log-odds: of the value, and of the value divided
    /// by the greatest value in the file.
    pub(crate) fn place_weights(&self, kind: QueryKind) -> &[[f32; 2]; PlaceSignal::COUNT] {
        &self.places.weights[kind as usize]
    }

    /// The two weights of one signal of places, see `place_weights`.
    pub fn place_weight(&self, kind: QueryKind, signal: PlaceSignal) -> [f32; 2] {
        self.places.weights[kind as usize][signal as usize]
    }

    /// Sets the weights of a signal of places for one kind of query.
    pub fn set_place_weight(&mut self, kind: QueryKind, signal: PlaceSignal, weights: [f32; 2]) {
        self.places.weights[kind as usize][signal as usize] = weights;
    }

    /// Sets the weight of a feature for one kind of query, or for all kinds.
    pub fn set_weight(&mut self, kind: Option<QueryKind>, feature: Feature, weight: f32) {
        for each in QueryKind::ALL.into_iter().filter(|each| kind.is_none_or(|kind| kind == *each)) {
            self.weights[each as usize][feature.signal as usize][feature.transform as usize] = weight;
        }
    }

    /// Sets the weight of a signal that a host adds (`HostSignal`), by its name, for one kind of query
    /// or for all kinds.
    pub fn set_own_weight(&mut self, name: &str, kind: Option<QueryKind>, transform: Transform, weight: f32) {
        for each in QueryKind::ALL.into_iter().filter(|each| kind.is_none_or(|kind| kind == *each)) {
            self.host_weights.set(name, each, transform, weight);
        }
    }

    /// Sets the weight of a signal that a host adds on the places of a file, in log-odds for a measure of 1, for one kind of
    /// query or for all kinds.
    pub fn set_own_place_weight(&mut self, name: &str, kind: Option<QueryKind>, weight: f32) {
        for each in QueryKind::ALL.into_iter().filter(|each| kind.is_none_or(|kind| kind == *each)) {
            self.host_weights.set_place(name, each, weight);
        }
    }

    /// The weight of a signal that a host adds on the places of a file.
    pub fn own_place_weight(&self, kind: QueryKind, name: &str) -> f32 {
        self.host_weights.get_place(name, kind)
    }

    /// The weights of a signal that a host adds, in the order of [`Transform::ALL`].
    pub fn own_weights(&self, kind: QueryKind, name: &str) -> [f32; Transform::ALL.len()] {
        self.host_weights.get(name, kind)
    }

    /// The names of the signals of a host that have a weight other than 0.
    pub fn own_signals(&self) -> impl Iterator<Item = &str> {
        self.host_weights.names()
    }

    /// The sentence that describes what a signal measures.
    pub fn sentence(&self, signal: Signal) -> &str {
        self.texts.get(&signal).map_or("", String::as_str)
    }

    /// The profile as a TOML document. Weights have four decimals.
    pub fn to_toml(&self) -> String {
        let mut text = format!(
            "name = {}\nversion = {PROFILE_VERSION}\n\n[fusion]\nk = {:?}\ndepth = {}\nhead = {}\n\n[bm25]\n",
            toml::Value::from(self.name.as_str()),
            self.fusion.k,
            self.fusion.depth,
            self.fusion.head,
        );
        let Bm25Fields { chunk, file, comment, symbol, symbols, name, path } = self.bm25;
        for (field, Bm25 { k1, b }) in [
            ("chunk", chunk),
            ("file", file),
            ("comment", comment),
            ("symbol", symbol),
            ("symbols", symbols),
            ("name", name),
            ("path", path),
        ] {
            let _ = writeln!(text, "{field} = {{ k1 = {k1:?}, b = {b:?} }}");
        }
        let _ = writeln!(text, "\n[scores]\ndoubt = {:?}", self.scores.doubt);
        for (kind, calibration) in self.scores.by_name() {
            let _ = writeln!(text, "{kind} = {calibration}");
        }
        let ReportParameters { best_place, spread } = self.reports;
        let _ = writeln!(text, "\n[reports]\nbest_place = {best_place:?}\nspread = {spread:?}");
        for signal in Signal::ALL {
            let _ =
                writeln!(text, "\n[signals.{signal}]\ntext = {}", toml::Value::from(self.sentence(*signal)));
            for transform in Transform::ALL {
                let by_kind =
                    QueryKind::ALL.map(|kind| self.weight(kind, Feature { signal: *signal, transform }));
                push_weights(&mut text, transform.name(), by_kind);
            }
        }
        for signal in PlaceSignal::ALL {
            let sentence = self.places.texts.get(signal).map_or("", String::as_str);
            let _ = writeln!(text, "\n[places.{signal}]\ntext = {}", toml::Value::from(sentence));
            for (at, name) in
                [Transform::Value, Transform::Relative].map(Transform::name).into_iter().enumerate()
            {
                push_weights(
                    &mut text,
                    name,
                    QueryKind::ALL.map(|kind| self.place_weight(kind, *signal)[at]),
                );
            }
        }
        self.host_weights.push_toml(&mut text, push_weights);
        text
    }
}

/// A profile is serialized as its TOML document.
#[cfg(feature = "serde")]
impl serde::Serialize for Profile {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.to_toml())
    }
}

#[cfg(feature = "serde")]
impl<'de> Deserialize<'de> for Profile {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Profile, D::Error> {
        Profile::parse(&String::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}

impl FromStr for Feature {
    type Err = ProfileError;

    fn from_str(text: &str) -> Result<Feature, ProfileError> {
        let (signal, transform) = text.split_once('.').unwrap_or((text, "value"));
        let known = Signal::by_name(signal);
        let transform = match transform {
            "share" => Some(Transform::Relative), // the former name
            name => Transform::ALL.into_iter().find(|known| known.name() == name),
        };
        match (known, transform) {
            (Some(signal), Some(transform)) => Ok(Feature { signal, transform }),
            _ => Err(ProfileError::UnknownSignals { unknown: vec![text.to_string()] }),
        }
    }
}

impl Places {
    fn from_entries(written: BTreeMap<PlaceSignal, PlaceEntry>) -> Result<Places, ProfileError> {
        let weights = [[[0.0; 2]; PlaceSignal::COUNT]; QueryKind::ALL.len()];
        let mut places = Places { texts: BTreeMap::new(), weights };
        for (signal, entry) in written {
            for kind in QueryKind::ALL {
                let weights = [entry.value.for_kind(kind), entry.relative.for_kind(kind)];
                if let Some(weight) = weights.iter().find(|weight| !weight.is_finite()) {
                    return Err(ProfileError::Syntax(format!("the weight of places.{signal} is {weight}")));
                }
                places.weights[kind as usize][signal as usize] = weights;
            }
            places.texts.insert(signal, entry.text);
        }
        Ok(places)
    }
}

/// Appends the weights of one transform, unless all are 0.
fn push_weights(text: &mut String, name: &str, by_kind: [f32; QueryKind::ALL.len()]) {
    let [names, mixed, words] = by_kind;
    let _ = match by_kind {
        [0.0, 0.0, 0.0] => return,
        _ if names == mixed && mixed == words => writeln!(text, "{name} = {names:.4}"),
        _ => writeln!(text, "{name} = {{ names = {names:.4}, mixed = {mixed:.4}, words = {words:.4} }}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_profile_names_every_signal() {
        let profile = Profile::built_in();
        for signal in Signal::ALL {
            assert!(!profile.sentence(*signal).is_empty(), "{signal}");
        }
        for signal in PlaceSignal::ALL {
            assert!(profile.places.texts.contains_key(signal), "{signal}");
        }
    }

    #[test]
    fn a_profile_with_former_names_of_signals_and_keys_is_the_same_profile() {
        let new = include_str!("default.toml");
        let former = [
            ("adjacent-words", "pairs"),
            ("path-related", "path-kin"),
            ("file-name", "name-share"),
            ("file-name-related", "name-kin"),
            ("named-as-folder", "eponym"),
            ("legacy", "compat"),
            ("older-copy", "twin"),
        ];
        let mut old = new.to_string();
        for (name, before) in former {
            assert!(old.contains(&format!("[signals.{name}]")), "{name}");
            old = old.replace(&format!("[signals.{name}]"), &format!("[signals.{before}]"));
            assert_eq!(Signal::by_name(before).map(Signal::name), Some(name));
        }
        let former_keys = [
            ("{ names = ", "{ name = "),
            (", mixed = ", ", sentence = "),
            (", words = ", ", question = "),
            ("\nrelative = ", "\nshare = "),
        ];
        for (key, before) in former_keys {
            assert!(old.contains(key), "{key}");
            old = old.replace(key, before);
        }
        assert_eq!(Profile::parse(&old).unwrap().to_toml(), Profile::parse(new).unwrap().to_toml());
    }

    #[test]
    fn unknown_signals_are_refused_all_by_name() {
        let text = include_str!("default.toml")
            .replace("[signals.size]", "[signals.sise]")
            .replace("[signals.depth]", "[signals.dept]");
        let error = Profile::parse(&text).unwrap_err().to_string();
        assert!(error.contains("dept, sise;") && error.contains("lexical"), "{error}");
        let text = include_str!("default.toml").replace("[places.size]", "[places.sise]");
        let error = Profile::parse(&text).unwrap_err().to_string();
        assert!(error.contains("places.sise;") && error.contains("declaration"), "{error}");
    }

    #[test]
    fn another_version_is_refused() {
        let text = include_str!("default.toml").replace("version = 2", "version = 1");
        let error = Profile::parse(&text).unwrap_err().to_string();
        assert!(error.starts_with("profile version 1 is not 2"), "{error}");
        assert!(matches!(Profile::parse("name = 'x'"), Err(ProfileError::Version { found: 0 })));
    }

    #[test]
    fn weights_out_of_range_are_refused() {
        let check = |from: &str, to: &str, expected: &str| {
            let text = include_str!("default.toml");
            assert!(text.contains(from), "{from}");
            let error = Profile::parse(&text.replacen(from, to, 1)).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        };
        check("k = 10.0", "k = -1.0", "fusion.k is -1");
        check("head = ", "head = 0 # ", "at least 1");
        check("b = 0.75", "b = 7.5", "choose k1 of 0 or more");
        check(
            "value = 6.0000",
            "value = 6.0\nrank = 0.5",
            "run.rank is 0.5; run takes a weight for its value only",
        );
        check("spread = 0.6", "spread = -0.6", "reports has best_place 0.4 and spread -0.6");
        check("\nrelative = ", "\nrelative = nan # ", "is NaN");
        check("\nrelative = ", "\nrelatives = ", "unknown field `relatives`");
        check(
            ", share = ",
            ", softmax = ",
            "scores have no input 'softmax'; choose of intercept, sum, share,",
        );
        check(", share = ", ", share = nan, known = ", "share is NaN; choose a finite number");
    }

    #[test]
    fn a_profile_is_written_as_it_is_read() {
        let mut profile = Profile::built_in().clone();
        let feature: Feature = "lexical.rank".parse().unwrap();
        profile.set_weight(Some(QueryKind::Names), feature, 0.25);
        profile.reports.spread = 0.75;
        let again = Profile::parse(&profile.to_toml()).unwrap();
        assert_eq!(again.to_toml(), profile.to_toml());
        assert_eq!(again.weight(QueryKind::Names, feature), 0.25);
        assert_eq!(again.reports, profile.reports);
        assert!("lexical.sum".parse::<Feature>().is_err());
        assert_eq!("lexical.share".parse::<Feature>().unwrap().to_string(), "lexical.relative");
    }
}

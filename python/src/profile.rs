//! Ranking profiles: read, changed by name, and written.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use spyhop::{Feature, QueryKind, Signal, Transform};

use crate::failure::Failure;

/// A ranking profile: the weight of each feature, and the constants of ranking.
#[pyclass(frozen, module = "spyhop")]
#[derive(Clone)]
pub struct Profile {
    pub inner: Arc<spyhop::Profile>,
}

/// An argument that names a profile: a profile, or the path of a TOML file.
#[derive(FromPyObject)]
pub enum ProfileArg<'py> {
    Profile(Bound<'py, Profile>),
    Path(PathBuf),
}

impl ProfileArg<'_> {
    /// The profile.
    pub fn read(self) -> Result<Arc<spyhop::Profile>, Failure> {
        match self {
            ProfileArg::Profile(profile) => Ok(Arc::clone(&profile.get().inner)),
            ProfileArg::Path(path) => Ok(Arc::new(spyhop::Profile::read(&path)?)),
        }
    }
}

/// Every feature, in the order of the columns of a feature matrix.
pub fn all_features() -> impl Iterator<Item = Feature> {
    let takes = |feature: &Feature| feature.transform == Transform::Value || !feature.signal.has_only_value();
    let of_signal = |signal: &Signal| {
        let signal = *signal;
        Transform::ALL.map(move |transform| Feature { signal, transform })
    };
    Signal::ALL.iter().flat_map(of_signal).filter(takes)
}

/// The names of all features, in the order of the columns of a feature matrix.
#[pyfunction]
pub fn feature_names() -> Vec<String> {
    all_features().map(|feature| feature.to_string()).collect()
}

/// Restores a pickled profile.
#[pyfunction]
pub fn _parse_profile(py: Python<'_>, text: &str) -> PyResult<Profile> {
    Profile::parse(py, text)
}

/// The feature with this name; a signal stands for its value.
pub fn feature(name: &str) -> Result<Feature, Failure> {
    Ok(name.parse::<Feature>()?)
}

fn kind(name: &str) -> Result<QueryKind, Failure> {
    let found = QueryKind::ALL.into_iter().find(|kind| kind.name() == name);
    found.ok_or_else(|| Failure::bad(format!("kind is '{name}'; choose names, mixed or words")))
}

impl From<spyhop::Profile> for Profile {
    fn from(profile: spyhop::Profile) -> Profile {
        Profile { inner: Arc::new(profile) }
    }
}

/// The profile as a table, as TOML files have it.
fn table(profile: &spyhop::Profile) -> Result<toml::Table, Failure> {
    toml::from_str(&profile.to_toml()).map_err(|error| Failure::internal(error.to_string()))
}

/// Puts the values of `over` into `table`; tables are merged.
fn merge(table: &mut toml::Table, over: toml::Table) {
    for (key, value) in over {
        match (table.get_mut(&key), value) {
            (Some(toml::Value::Table(own)), toml::Value::Table(value)) => merge(own, value),
            (_, value) => _ = table.insert(key, value),
        }
    }
}

#[pymethods]
impl Profile {
    /// The profile that searches use unless they name another one.
    #[staticmethod]
    fn built_in() -> Profile {
        Profile::from(spyhop::Profile::built_in().clone())
    }

    /// Parses a TOML document.
    #[staticmethod]
    fn parse(py: Python<'_>, text: &str) -> PyResult<Profile> {
        let parsed = spyhop::Profile::parse(text).map_err(Failure::from);
        Ok(Profile::from(parsed.map_err(|failure| failure.raised(py))?))
    }

    /// Reads a TOML file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Profile> {
        let read = spyhop::Profile::read(&path).map_err(Failure::from);
        Ok(Profile::from(read.map_err(|failure| failure.raised(py))?))
    }

    /// The profile `base` (default: the built-in one) with the values of a dict in the form of `to_dict`.
    #[staticmethod]
    #[pyo3(signature = (values, *, base=None))]
    fn from_dict(
        py: Python<'_>,
        values: Bound<'_, PyAny>,
        base: Option<Bound<'_, Profile>>,
    ) -> PyResult<Profile> {
        let json: String = py.import("json")?.call_method1("dumps", (values,))?.extract()?;
        let made = || -> Result<spyhop::Profile, Failure> {
            let over: toml::Table = serde_json::from_str(&json)
                .map_err(|error| Failure::bad(format!("the dict is not the table of a profile: {error}")))?;
            let base = base.as_ref().map_or(spyhop::Profile::built_in(), |base| &base.get().inner);
            let mut table = table(base)?;
            merge(&mut table, over);
            let text = toml::to_string(&table).map_err(|error| Failure::bad(error.to_string()))?;
            Ok(spyhop::Profile::parse(&text)?)
        };
        Ok(Profile::from(made().map_err(|failure| failure.raised(py))?))
    }

    /// The profile as a dict, in the form of the TOML document.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let table = table(&self.inner).map_err(|failure| failure.raised(py))?;
        let json =
            serde_json::to_string(&table).map_err(|error| Failure::internal(error.to_string()).raised(py))?;
        py.import("json")?.call_method1("loads", (json,))
    }

    /// The profile as a TOML document. Weights have four decimals.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// Writes the profile to a TOML file.
    fn write(&self, path: PathBuf) -> PyResult<()> {
        Ok(std::fs::write(path, self.inner.to_toml())?)
    }

    /// The name.
    #[getter]
    fn name(&self) -> &str {
        &self.inner.name
    }

    /// The weight of a feature, such as `lexical.rank`, for a kind of query: `names`, `mixed` or `words`.
    fn weight(&self, py: Python<'_>, feature: &str, kind: &str) -> PyResult<f32> {
        let weight = || Ok(self.inner.weight(self::kind(kind)?, self::feature(feature)?));
        weight().map_err(|failure: Failure| failure.raised(py))
    }

    /// The weights that are not 0 for a kind of query.
    fn weights(&self, py: Python<'_>, kind: &str) -> PyResult<BTreeMap<String, f32>> {
        let kind = self::kind(kind).map_err(|failure| failure.raised(py))?;
        let weighed = all_features().map(|feature| (feature.to_string(), self.inner.weight(kind, feature)));
        Ok(weighed.filter(|(_, weight)| *weight != 0.0).collect())
    }

    /// A copy with other weights, for one kind of query or for all.
    #[pyo3(signature = (weights, *, kind=None, name=None))]
    fn with_weights(
        &self,
        py: Python<'_>,
        weights: BTreeMap<String, f32>,
        kind: Option<&str>,
        name: Option<String>,
    ) -> PyResult<Profile> {
        let changed = || -> Result<spyhop::Profile, Failure> {
            let mut profile = (*self.inner).clone();
            let kind = kind.map(self::kind).transpose()?;
            for (name, weight) in weights {
                profile.set_weight(kind, self::feature(&name)?, weight);
            }
            profile.name = name.unwrap_or(profile.name);
            // The parser refuses what a file may not have, such as a weight that is not a number.
            Ok(spyhop::Profile::parse(&profile.to_toml())?)
        };
        Ok(Profile::from(changed().map_err(|failure| failure.raised(py))?))
    }

    /// The sentence that describes what a signal measures.
    fn sentence(&self, py: Python<'_>, signal: &str) -> PyResult<String> {
        let feature = feature(signal).map_err(|failure| failure.raised(py))?;
        Ok(self.inner.sentence(feature.signal).to_string())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Profile>().is_ok_and(|other| other.get().inner.to_toml() == self.inner.to_toml())
    }

    fn __hash__(&self) -> u64 {
        use std::hash::{DefaultHasher, Hash, Hasher};
        let mut hasher = DefaultHasher::new();
        self.inner.to_toml().hash(&mut hasher);
        hasher.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        let restore = py.import("spyhop._spyhop")?.getattr("_parse_profile")?;
        Ok((restore, (self.inner.to_toml(),)))
    }

    fn __repr__(&self) -> String {
        format!("<Profile {:?}>", self.inner.name)
    }
}

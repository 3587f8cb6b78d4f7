//! Signals that a host adds.

use std::fmt;
use std::sync::Arc;

use crate::id::ContentHash;
use crate::profile::{Profile, QueryKind, Signal};

/// A signal that a host adds to the ranking: a number for each file, with a sentence.
///
/// The signal is measured on the files that ranking rescores. It orders these files and finds no others. A profile gives
/// its weight ([`Profile::set_own_weight`]); with a weight of 0, the default, the signal is not measured.
///
/// ```
/// use std::sync::Arc;
///
/// use spyhop::{
///     Engine, HostSignal, MemoryTree, Options, Profile, SearchRequest, SignalInput, SignalValue, Transform,
/// };
///
/// /// Prefers the files that were deployed.
/// struct Deployed;
///
/// impl HostSignal for Deployed {
///     fn name(&self) -> &str {
///         "deployed"
///     }
///
///     fn measure(&self, input: &SignalInput<'_>) -> Option<SignalValue> {
///         input.path.starts_with("live/").then(|| SignalValue::new(1.0, "runs in production"))
///     }
/// }
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let text = "pub fn resolve_api_key() {}\n";
/// let tree = MemoryTree::of([("draft/key.rs", text), ("live/key.rs", text)])?;
/// let options = Options { signals: vec![Arc::new(Deployed) as _].into(), ..Options::default() };
/// let engine = Engine::in_memory(tree, options)?;
///
/// let mut profile = Profile::built_in().clone();
/// profile.set_own_weight("deployed", None, Transform::Value, 2.0);
/// let profile = Some(Arc::new(profile));
/// let reply = engine.search(&SearchRequest { profile, ..SearchRequest::new("resolve_api_key") })?;
/// assert_eq!(reply.results[0].path.as_str(), "live/key.rs");
/// assert!(reply.results[0].reasons.iter().any(|reason| reason.text == "deployed: runs in production"));
/// # Ok(())
/// # }
/// ```
pub trait HostSignal: Send + Sync {
    /// The name in profiles and reasons, such as `recently-deployed`.
    fn name(&self) -> &str;

    /// The measure of a file for a query; `None` is 0. Threads call this at the same time. Equal inputs must give equal
    /// values, or pages of one query contradict each other.
    fn measure(&self, input: &SignalInput<'_>) -> Option<SignalValue>;
}

/// What a [`HostSignal`] measures.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct SignalInput<'a> {
    /// The text of the query.
    pub query: &'a str,
    /// The kind of the query.
    pub kind: QueryKind,
    /// The path of the file, relative to the root.
    pub path: &'a str,
    /// The name of the language of the file.
    pub language: &'a str,
    /// The number of lines of the file.
    pub lines: u32,
    /// The hash of the indexed bytes; `None` if only the path of the file is ranked.
    pub content: Option<ContentHash>,
}

/// The value of a [`HostSignal`] for a file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SignalValue {
    /// The measure. A value that is not a number counts as 0.
    pub value: f32,
    /// The end of the reason, such as `changed yesterday`.
    pub sentence: String,
}

impl SignalValue {
    /// A value and its sentence.
    pub fn new(value: f32, sentence: impl Into<String>) -> SignalValue {
        SignalValue { value, sentence: sentence.into() }
    }
}

/// The signals that a host adds to an engine.
#[derive(Clone, Default)]
pub struct HostSignals(Vec<Arc<dyn HostSignal>>);

impl HostSignals {
    /// The signals.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn HostSignal>> {
        self.0.iter()
    }

    /// An error about the names of the signals, if one is invalid, built in or given twice.
    pub(crate) fn fault(&self) -> Option<String> {
        let names: Vec<&str> = self.0.iter().map(|signal| signal.name()).collect();
        let is_name = |name: &str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        };
        names.iter().enumerate().find_map(|(place, name)| match () {
            () if !is_name(name) => {
                Some(format!("the name of the signal '{name}' has other than letters, digits, '-' and '_'"))
            }
            () if Signal::by_name(name).is_some() => {
                Some(format!("'{name}' is a built-in signal; choose another name"))
            }
            () if names[..place].contains(name) => Some(format!("two signals have the name '{name}'")),
            () => None,
        })
    }

    /// The weighed signal of a profile that is missing here.
    pub(crate) fn missing<'p>(&self, profile: &'p Profile) -> Option<&'p str> {
        profile.own_signals().find(|name| self.0.iter().all(|signal| signal.name() != *name))
    }
}

impl From<Vec<Arc<dyn HostSignal>>> for HostSignals {
    fn from(signals: Vec<Arc<dyn HostSignal>>) -> HostSignals {
        HostSignals(signals)
    }
}

impl fmt::Debug for HostSignals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|signal| signal.name())).finish()
    }
}

/// The value of a weighed signal of the host on a file.
#[derive(Clone, Debug)]
pub struct OwnMeasure {
    /// The name of the signal.
    pub name: String,
    /// The value and the sentence.
    pub value: SignalValue,
}

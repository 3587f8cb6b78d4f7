//! Signals that a host adds.

use std::fmt;
use std::sync::Arc;

use crate::profile::{Profile, QueryKind, Signal};
use spyhop_base::id::ContentHash;
use spyhop_base::model::SymbolKind;
use spyhop_base::text::Lines;

/// A signal that a host adds to the ranking: a number for each file or for each place in a file, with a sentence.
///
/// The signal is measured on the files that ranking rescores, and on the places of the first ten of these, twenty for a
/// report or a message. A signal orders these files and places and finds no others. A profile gives its weights ([`Profile::set_own_weight`] for files,
/// [`Profile::set_own_place_weight`] for places); with a weight of 0, the default, the signal is not measured.
pub trait HostSignal: Send + Sync {
    /// The name in profiles and reasons, such as `recently-deployed`.
    fn name(&self) -> &str;

    /// The measure of a file for a query; `None` is 0. Threads call this at the same time. Equal inputs must give equal
    /// values, or pages of one query contradict each other.
    fn measure(&self, input: &SignalInput<'_>) -> Option<SignalValue>;

    /// The measure of a place in a file for a query; `None`, the default, is 0. Only places with some evidence of the query
    /// are measured. The rules for [`measure`](HostSignal::measure) apply.
    fn measure_place(&self, input: &PlaceInput<'_>) -> Option<SignalValue> {
        let _ = input;
        None
    }
}

/// The file that a [`HostSignal`] measures, and the query.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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

/// The place that a [`HostSignal`] measures: a function, a type, a constant, a section, or text outside of these.
#[derive(Clone, Copy, Debug)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
pub struct PlaceInput<'a> {
    /// The query and the file.
    pub file: SignalInput<'a>,
    /// The lines of the place.
    pub lines: Lines,
    /// The kind.
    pub kind: SymbolKind,
    /// The name that the place defines.
    pub name: Option<&'a str>,
    /// The type or module that contains this name.
    pub container: Option<&'a str>,
    /// The text of the place, with the comments and attributes before the item. A type is followed by its members.
    pub text: &'a str,
}

/// The value of a [`HostSignal`] for a file or a place.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(not(feature = "exhaustive"), non_exhaustive)]
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
    #[doc(hidden)]
    pub fn fault(&self) -> Option<String> {
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
    #[doc(hidden)]
    pub fn missing<'p>(&self, profile: &'p Profile) -> Option<&'p str> {
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
pub struct HostMeasure {
    pub name: String,
    pub value: SignalValue,
}

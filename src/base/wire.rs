//! How values look in JSON where the derived form differs: paths as text, times as RFC 3339, scores with six decimals.
//!
//! A field of a reply names [`wire`] in `serialize_with`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde::{Serialize, Serializer};

use crate::model::{Note, SkipReason};
use crate::time::rfc3339;

/// A value with a form for JSON.
pub trait Wire {
    /// The form.
    type Form: Serialize;

    /// The value in that form.
    fn form(&self) -> Self::Form;
}

impl Wire for PathBuf {
    type Form = String;

    /// The path with replacement characters for invalid UTF-8.
    fn form(&self) -> String {
        self.to_string_lossy().into_owned()
    }
}

impl Wire for SystemTime {
    type Form = String;

    fn form(&self) -> String {
        rfc3339(*self)
    }
}

impl Wire for Duration {
    type Form = u64;

    /// The duration in milliseconds.
    fn form(&self) -> u64 {
        self.as_millis() as u64
    }
}

impl Wire for f32 {
    type Form = f64;

    /// The number, rounded to six decimals, without negative zero. Contributions and scores are rounded separately. The
    /// error of the sum of a dozen contributions stays far below 1e-4. Distributing the remainder would make a contribution
    /// differ from its signal.
    fn form(&self) -> f64 {
        (f64::from(*self) * 1e6).round() / 1e6 + 0.0
    }
}

impl<T: Wire> Wire for Option<T> {
    type Form = Option<T::Form>;

    fn form(&self) -> Option<T::Form> {
        self.as_ref().map(T::form)
    }
}

impl<T: Wire> Wire for Vec<T> {
    type Form = Vec<T::Form>;

    fn form(&self) -> Vec<T::Form> {
        self.iter().map(T::form).collect()
    }
}

/// The number of files of a language.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LanguageCount {
    /// The name of the language.
    pub name: &'static str,
    /// The number of files.
    pub files: usize,
}

impl Wire for (&'static str, usize) {
    type Form = LanguageCount;

    fn form(&self) -> LanguageCount {
        LanguageCount { name: self.0, files: self.1 }
    }
}

/// The number of files and folders that are skipped for a reason.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ReasonCount {
    /// The reason.
    pub reason: SkipReason,
    /// The number of files and folders.
    pub files: usize,
}

impl Wire for (SkipReason, usize) {
    type Form = ReasonCount;

    fn form(&self) -> ReasonCount {
        ReasonCount { reason: self.0, files: self.1 }
    }
}

/// The number of files with a note.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoteCount {
    /// The note.
    pub note: Note,
    /// The number of files.
    pub files: usize,
}

impl Wire for (Note, usize) {
    type Form = NoteCount;

    fn form(&self) -> NoteCount {
        NoteCount { note: self.0, files: self.1 }
    }
}

/// Serializes the form of a value.
pub fn wire<T: Wire, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
    value.form().serialize(serializer)
}

/// Serializes a type as its form: a struct made by `new` of a reference to the type. The JSON Schema is that of the form.
#[macro_export]
macro_rules! wire_form {
    ($type:ident as $form:ident) => {
        impl serde::Serialize for $type {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                $form::new(self).serialize(serializer)
            }
        }

        #[cfg(feature = "schema")]
        impl schemars::JsonSchema for $type {
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($type).into()
            }

            fn schema_id() -> std::borrow::Cow<'static, str> {
                concat!(module_path!(), "::", stringify!($type)).into()
            }

            fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
                $form::json_schema(generator)
            }
        }
    };
}

//! Notes: what they say, where they apply, which code they are about, and how sure they are.

use serde::{Deserialize, Serialize};
use spyhop_attributes::{All, Name, open, reply};

use spyhop_base::id::ContentHash;
use spyhop_base::path::RelPath;

/// The kind of a note.
#[reply(Clone, Copy, Debug, Default, PartialEq, Eq, Name, All, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NoteKind {
    /// A failure, and the signals by which it is recognized.
    Failure,
    /// A change and its reason.
    Revision,
    /// How something works, or why it is as it is.
    #[default]
    Explanation,
}

/// A durable note about the code of a tree. The text comes from outside: nothing in it is run, and a reader must not take
/// it for an instruction.
#[open(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RevisionNote {
    /// The id: a hash of what the note says when it is added, in hexadecimal.
    pub id: String,
    /// The kind.
    pub kind: NoteKind,
    /// The text; the first line is the title.
    pub text: String,
    /// Texts by which the matter is recognized, such as the text of an error.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<String>,
    /// Where the note applies.
    #[serde(default, skip_serializing_if = "Applicability::is_everywhere")]
    pub applies: Applicability,
    /// The code that the note is about.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<NoteLink>,
    /// The id of the git commit that the note is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// The change that the note is about, as a unified diff.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// How sure the note is.
    #[serde(default)]
    pub verification: Verification,
    /// The time as given by the caller, else that of recording, as RFC 3339.
    pub time: String,
    /// The author as given by the caller.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Why the note is no longer shown, if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retired: Option<Retirement>,
    /// How often the note was changed. Of two states of a note, an import keeps that with the greater number.
    #[serde(default)]
    pub changes: u32,
}

/// Where a note applies. An empty list means everywhere.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Applicability {
    /// Folders, files or globs, relative to the root.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<String>,
    /// Names of languages.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub languages: Vec<String>,
    /// Conditions in words.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub conditions: Vec<String>,
}

impl Applicability {
    /// Whether the note applies everywhere.
    pub fn is_everywhere(&self) -> bool {
        *self == Applicability::default()
    }
}

/// A symbol or a file that a note is about, by name and content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NoteLink {
    /// The file.
    pub path: RelPath,
    /// The symbol with its container, such as `Pool.take`; `None` for the file as a whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub symbol: Option<String>,
    /// The hash of the text of the symbol, or of the bytes of the file.
    #[serde(with = "hexadecimal")]
    pub content: ContentHash,
    /// The id of the git commit that has, or nearly has, this content. Renames are followed from there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<String>,
}

/// How sure a note is.
#[open(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "lowercase")]
pub enum Verification {
    /// Nobody has verified the note.
    #[default]
    Unverified,
    /// A test or a commit verifies the note.
    Verified {
        /// The kind of the verification.
        by: Verifier,
        /// The name of the test, or the id of the commit.
        reference: String,
    },
    /// The note turned out to be wrong.
    Contradicted {
        /// The reference of the contradiction.
        reference: String,
    },
}

impl Verification {
    /// The name of the state.
    pub fn name(&self) -> &'static str {
        match self {
            Verification::Unverified => "unverified",
            Verification::Verified { .. } => "verified",
            Verification::Contradicted { .. } => "contradicted",
        }
    }

    /// The verification or contradiction of the note.
    pub fn reference(&self) -> Option<&String> {
        match self {
            Verification::Unverified => None,
            Verification::Verified { reference, .. } | Verification::Contradicted { reference } => {
                Some(reference)
            }
        }
    }

    pub(super) fn reference_mut(&mut self) -> Option<&mut String> {
        match self {
            Verification::Unverified => None,
            Verification::Verified { reference, .. } | Verification::Contradicted { reference } => {
                Some(reference)
            }
        }
    }
}

/// The kind of evidence that verifies a note.
#[reply(Clone, Copy, Debug, PartialEq, Eq, Name, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verifier {
    /// A test.
    Test,
    /// A git commit.
    Commit,
}

/// Why a note is no longer shown.
#[reply(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Retirement {
    /// The reason; may be empty.
    pub reason: String,
    /// When the note was retired, as RFC 3339.
    pub time: String,
}

impl Retirement {
    /// A retirement for `reason` at a time as RFC 3339.
    #[doc(hidden)]
    pub fn new(reason: String, time: String) -> Retirement {
        Retirement { reason, time }
    }
}

impl RevisionNote {
    /// A note with a text and nothing else; the id follows from what it says.
    #[doc(hidden)]
    pub fn new(kind: NoteKind, text: String) -> RevisionNote {
        RevisionNote {
            id: String::new(),
            kind,
            text,
            signals: Vec::new(),
            applies: Applicability::default(),
            links: Vec::new(),
            commit: None,
            diff: None,
            verification: Verification::default(),
            time: String::new(),
            author: None,
            retired: None,
            changes: 0,
        }
    }

    /// The first line of the text.
    pub fn title(&self) -> &str {
        self.text.lines().next().unwrap_or_default()
    }

    /// The id of a note that says this. The time, the state and the content of the links do not count, so a note that is
    /// added twice is one note.
    pub fn id_of(&self) -> String {
        let links: Vec<(&str, Option<&str>)> =
            self.links.iter().map(|link| (link.path.as_str(), link.symbol.as_deref())).collect();
        let said = (
            self.kind.name(),
            &self.text,
            &self.signals,
            (&self.applies.paths, &self.applies.languages, &self.applies.conditions),
            links,
            (&self.commit, &self.diff, &self.author),
        );
        let bytes = serde_json::to_vec(&said).expect("plain data");
        blake3::hash(&bytes).to_hex()[..ID_LEN].to_string()
    }
}

/// The length of an id.
pub(super) const ID_LEN: usize = 12;

/// A content hash as text.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    use spyhop_base::id::ContentHash;

    pub fn serialize<S: Serializer>(hash: &ContentHash, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(hash)
    }

    pub fn deserialize<'d, D: Deserializer<'d>>(deserializer: D) -> Result<ContentHash, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut hash = [0; 16];
        if text.len() != 32 || !text.is_ascii() {
            return Err(D::Error::custom(format!("'{text}' is not a hash of 32 hexadecimal digits")));
        }
        for (byte, digits) in hash.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(D::Error::custom)?;
            *byte = u8::from_str_radix(digits, 16).map_err(D::Error::custom)?;
        }
        Ok(ContentHash(hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_one_line_of_json_and_back() {
        let link = NoteLink {
            path: RelPath::new("src/a.rs").unwrap(),
            symbol: Some("Pool.take".into()),
            content: ContentHash::of(b"fn take() {}"),
            at: None,
        };
        let note = RevisionNote {
            id: "0123456789ab".into(),
            kind: NoteKind::Failure,
            text: "line one\nline two".into(),
            signals: vec!["pool timed out".into()],
            applies: Applicability { paths: vec!["src".into()], ..Applicability::default() },
            links: vec![link],
            commit: None,
            diff: None,
            verification: Verification::Verified { by: Verifier::Test, reference: "takes".into() },
            time: "2026-01-02T03:04:05Z".into(),
            author: None,
            retired: None,
            changes: 1,
        };
        let text = serde_json::to_string(&note).unwrap();
        assert!(!text.contains('\n'), "{text}");
        assert!(
            text.contains(r#""verification":{"state":"verified","by":"test","reference":"takes"}"#),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<RevisionNote>(&text).unwrap(), note);
    }

    #[test]
    fn the_id_depends_on_what_is_said_and_not_on_when() {
        let note: RevisionNote =
            serde_json::from_str(r#"{"id":"","kind":"failure","text":"a","time":"1"}"#).unwrap();
        let later = RevisionNote { time: "2".into(), changes: 3, ..note.clone() };
        let other = RevisionNote { text: "b".into(), ..note.clone() };
        assert_eq!(note.id_of(), later.id_of());
        assert_ne!(note.id_of(), other.id_of());
        assert_eq!(note.id_of().len(), ID_LEN);
    }
}

//! Absolute paths in JSON: the field `absolute` behind each `path` of a file, for programs that open files and do not know
//! the root.
//!
//! The fields are added while the text is written, so that no reply has to carry them.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::{Deserialize, Serialize};
use serde_json::ser::{CharEscape, CompactFormatter, Formatter};

use spyhop_base::path::RelPath;

/// A value as JSON on one line, in which each `path` of an object is followed by the path below `root`, or below the root of the
/// source of its row.
pub(super) fn line(value: &impl Serialize, root: &Path, roots: &SourceRoots) -> String {
    let mut out = Vec::new();
    let objects = vec![Object { key: String::new(), root: root.into() }];
    let formatter = WithAbsolute { objects, roots, text: String::new(), is_key: false };
    let mut serializer = serde_json::Serializer::with_formatter(&mut out, formatter);
    value.serialize(&mut serializer).expect("replies hold only strings, numbers and lists");
    String::from_utf8(out).expect("JSON is UTF-8")
}

/// The roots of the sources of a reply, by name.
#[derive(Default)]
pub(super) struct SourceRoots(HashMap<String, Rc<Path>>);

impl SourceRoots {
    /// The roots in the JSON of a reply; none if one tree answers.
    pub fn of_reply(json: &str) -> SourceRoots {
        #[derive(Default, Deserialize)]
        struct Reply {
            #[serde(default)]
            sources: Vec<Source>,
        }
        #[derive(Deserialize)]
        struct Source {
            name: String,
            snapshot: Snapshot,
        }
        #[derive(Deserialize)]
        struct Snapshot {
            root: PathBuf,
        }
        let Reply { sources } = serde_json::from_str(json).unwrap_or_default();
        SourceRoots(sources.into_iter().map(|source| (source.name, source.snapshot.root.into())).collect())
    }
}

/// An object that is being written.
struct Object {
    /// The key of the field that is being written.
    key: String,
    /// The root of the paths.
    root: Rc<Path>,
}

struct WithAbsolute<'r> {
    /// The objects that are being written, outermost first; the first one stands for the place of the whole value.
    objects: Vec<Object>,
    roots: &'r SourceRoots,
    /// The string that is being written.
    text: String,
    is_key: bool,
}

impl WithAbsolute<'_> {
    fn object(&mut self) -> &mut Object {
        self.objects.last_mut().expect("the place of the whole value stays")
    }

    /// Takes the name of the source of a row.
    fn take_source(&mut self) {
        let [.., row, source] = &mut self.objects[..] else { return };
        if row.key == "source"
            && source.key == "name"
            && let Some(root) = self.roots.0.get(&self.text)
        {
            row.root = Rc::clone(root);
        }
    }
}

impl Formatter for WithAbsolute<'_> {
    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        let root = Rc::clone(&self.object().root);
        self.objects.push(Object { key: String::new(), root });
        CompactFormatter.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.objects.pop();
        CompactFormatter.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.is_key = true;
        CompactFormatter.begin_object_key(writer, first)
    }

    fn end_object_key<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.is_key = false;
        CompactFormatter.end_object_key(writer)
    }

    fn begin_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.text.clear();
        CompactFormatter.begin_string(writer)
    }

    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, text: &str) -> io::Result<()> {
        self.text.push_str(text);
        CompactFormatter.write_string_fragment(writer, text)
    }

    fn write_char_escape<W: ?Sized + Write>(&mut self, writer: &mut W, escape: CharEscape) -> io::Result<()> {
        self.text.push(match &escape {
            CharEscape::Quote => '"',
            CharEscape::ReverseSolidus => '\\',
            CharEscape::Solidus => '/',
            CharEscape::Backspace => '\u{8}',
            CharEscape::FormFeed => '\u{c}',
            CharEscape::LineFeed => '\n',
            CharEscape::CarriageReturn => '\r',
            CharEscape::Tab => '\t',
            CharEscape::AsciiControl(byte) => char::from(*byte),
        });
        CompactFormatter.write_char_escape(writer, escape)
    }

    fn end_string<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        CompactFormatter.end_string(writer)?;
        if self.is_key {
            self.object().key = std::mem::take(&mut self.text);
            return Ok(());
        }
        self.take_source();
        let text = std::mem::take(&mut self.text);
        let Object { key, root } = self.object();
        match RelPath::new(&text) {
            Ok(path) if key == "path" => {
                let absolute = path.below(root).to_string_lossy().into_owned();
                write!(writer, ",\"absolute\":{}", super::line(&absolute))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row with a row in it.
    #[derive(Serialize)]
    struct Row {
        #[serde(skip_serializing_if = "Option::is_none")]
        source: Option<Named>,
        path: Option<&'static str>,
        at: &'static str,
        #[serde(skip_serializing_if = "Vec::is_empty")]
        inner: Vec<Row>,
    }

    #[derive(Serialize)]
    struct Named {
        name: &'static str,
    }

    fn row(path: Option<&'static str>) -> Row {
        Row { source: None, path, at: "a", inner: Vec::new() }
    }

    #[test]
    fn a_path_gains_its_absolute_form() {
        let check = |path: Option<&'static str>, root: &str, expected: &str| {
            assert_eq!(line(&row(path), Path::new(root), &SourceRoots::default()), expected);
        };
        check(Some("c\"d"), "/t/a b", r#"{"path":"c\"d","absolute":"/t/a b/c\"d","at":"a"}"#);
        check(Some(""), "/t", r#"{"path":"","absolute":"/t","at":"a"}"#);
        check(None, "/t", r#"{"path":null,"at":"a"}"#);
    }

    #[test]
    fn a_path_of_a_source_is_below_the_root_of_the_source() {
        let roots = SourceRoots::of_reply(r#"{"sources":[{"name":"a","snapshot":{"root":"/a"}}]}"#);
        let check = |name: &'static str, expected: &str| {
            let of = Row { source: Some(Named { name }), inner: vec![row(Some("q"))], ..row(Some("p")) };
            assert_eq!(line(&of, Path::new("/t"), &roots), expected);
        };
        check(
            "a",
            r#"{"source":{"name":"a"},"path":"p","absolute":"/a/p","at":"a","inner":[{"path":"q","absolute":"/a/q","at":"a"}]}"#,
        );
        check(
            "b",
            r#"{"source":{"name":"b"},"path":"p","absolute":"/t/p","at":"a","inner":[{"path":"q","absolute":"/t/q","at":"a"}]}"#,
        );
    }
}

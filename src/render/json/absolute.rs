//! Absolute paths beside the root-relative ones, for programs that open files and do not know the root.
//!
//! The field is added to finished JSON, so that every reply with paths has it, and no wire struct knows of the option.

use std::path::Path;

use crate::path::RelPath;

/// The beginning of a field with a root-relative path. Inside of a string each `"` has a `\` before it, and a string that
/// ends is not followed by a name, so these bytes are always the beginning of this field.
const FIELD: &str = "\"path\":\"";

/// A reply of this module with a field `absolute` after each field `path`: the path below `root`.
pub fn with_absolute(json: &str, root: &Path) -> String {
    let mut out = String::with_capacity(json.len() + json.len() / 4);
    let mut rest = json;
    while let Some(at) = rest.find(FIELD) {
        let (before, value) = rest.split_at(at + FIELD.len());
        out.push_str(before);
        if !json[..json.len() - value.len() - FIELD.len()].ends_with(['{', ',']) {
            rest = value;
            continue;
        }
        let end = end_of_string(value);
        let quoted = format!("\"{}\"", &value[..end]);
        out.push_str(&quoted[1..]);
        if let Some(absolute) = absolute(&quoted, root) {
            out.push_str(",\"absolute\":");
            out.push_str(&absolute);
        }
        rest = &value[(end + 1).min(value.len())..];
    }
    out + rest
}

/// The offset of the `"` that ends a JSON string.
fn end_of_string(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.bytes().position(|byte| match byte {
        _ if is_escaped => {
            is_escaped = false;
            false
        }
        b'\\' => {
            is_escaped = true;
            false
        }
        byte => byte == b'"',
    });
    end.unwrap_or(text.len())
}

/// The absolute form of a path, both as JSON strings.
fn absolute(quoted: &str, root: &Path) -> Option<String> {
    let path: String = serde_json::from_str(quoted).ok()?;
    let whole = RelPath::new(&path).ok()?.below(root);
    serde_json::to_string(&whole.to_string_lossy()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_path_gains_its_absolute_form() {
        let check = |json: &str, expected: &str| {
            let whole = with_absolute(json, Path::new("/t/a \"b\""));
            assert_eq!(whole, expected);
            serde_json::from_str::<serde_json::Value>(&whole).unwrap();
        };
        check(r#"{"query":"x"}"#, r#"{"query":"x"}"#);
        check(r#"{"path":null,"text":"path"}"#, r#"{"path":null,"text":"path"}"#);
        check(
            r#"{"n":1,"path":"c\"d\\","to":{"path":""}}"#,
            r#"{"n":1,"path":"c\"d\\","absolute":"/t/a \"b\"/c\"d\\","to":{"path":"","absolute":"/t/a \"b\""}}"#,
        );
    }

    #[test]
    fn text_that_looks_like_a_field_is_left_alone() {
        let text = r#"x,"path":"y",{"path":"z"#;
        let json = serde_json::json!({ "text": text, "texts": [text, text] }).to_string();
        assert_eq!(with_absolute(&json, Path::new("/t")), json);
    }
}

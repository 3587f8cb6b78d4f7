//! Reads the values of arguments as clients really send them.
//!
//! Models and their hosts write numbers and booleans as strings, put one value into a list, and write a list as the text
//! of a JSON list. This module is the only place that accepts these forms. A value that has none of them is an error of
//! the caller, which names the parameter.

use serde_json::{Map, Value};

/// The arguments of a call: an object, the text of one, or nothing.
pub fn arguments(given: &Value) -> Option<Map<String, Value>> {
    match given {
        Value::Object(fields) => Some(fields.clone()),
        Value::Null => Some(Map::new()),
        Value::Array(list) if list.is_empty() => Some(Map::new()),
        Value::String(text) if text.trim().is_empty() => Some(Map::new()),
        // An object within a text within a text is a mistake of another kind.
        Value::String(text) => match serde_json::from_str(text).ok()? {
            Value::Object(fields) => Some(fields),
            Value::Null => Some(Map::new()),
            _ => None,
        },
        _ => None,
    }
}

/// The only element of a list with one element; any other value as given.
pub fn single(given: &Value) -> &Value {
    match given {
        Value::Array(list) if list.len() == 1 => &list[0],
        other => other,
    }
}

/// A text, or a list with one text.
pub fn text(given: &Value) -> Option<&str> {
    single(given).as_str()
}

/// A word or a path: a text, a list with one text, or the text of such a list. A query or a pattern may itself look like a
/// JSON list, so these are read by [`text`].
pub fn word(given: &Value) -> Option<String> {
    let text = text(given)?;
    match list_in(text).as_deref() {
        Some([only]) => Some(only.clone()),
        _ => Some(text.to_string()),
    }
}

/// A list of texts, the text of a JSON list of texts, or a single text.
pub fn texts(given: &Value) -> Option<Vec<String>> {
    match given {
        Value::Array(list) => list.iter().map(|value| value.as_str().map(str::to_string)).collect(),
        Value::String(text) => Some(list_in(text).unwrap_or_else(|| vec![text.clone()])),
        _ => None,
    }
}

fn list_in(text: &str) -> Option<Vec<String>> {
    text.trim_start().starts_with('[').then(|| serde_json::from_str(text).ok())?
}

/// A boolean, also as a string, 1 or 0.
pub fn flag(given: &Value) -> Option<bool> {
    match single(given) {
        Value::Bool(on) => Some(*on),
        Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(true),
        Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(false),
        other => match number(other) {
            Some(1) => Some(true),
            Some(0) => Some(false),
            _ => None,
        },
    }
}

/// A number, also as a string.
pub fn fraction(given: &Value) -> Option<f64> {
    match single(given) {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok().filter(|number: &f64| number.is_finite()),
        _ => None,
    }
}

/// A whole number, also as a string. `3.0` is a whole number in JSON.
pub fn integer(given: &Value) -> Option<i64> {
    let exact = match single(given) {
        Value::Number(number) => number.as_i64(),
        Value::String(text) => text.trim().parse().ok(),
        _ => None,
    };
    let whole = || fraction(given).filter(|number| number.fract() == 0.0 && number.abs() < 1e15);
    exact.or_else(|| whole().map(|number| number as i64))
}

/// A whole number that is not negative, also as a string.
pub fn number(given: &Value) -> Option<u64> {
    let exact = single(given).as_u64();
    exact.or_else(|| integer(given).and_then(|number| number.try_into().ok()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_as_clients_send_them() {
        for ten in
            [json!(10), json!(10.0), json!("10"), json!(" 10 "), json!("10.0"), json!([10]), json!(["10"])]
        {
            assert_eq!(
                (number(&ten), integer(&ten), fraction(&ten)),
                (Some(10), Some(10), Some(10.0)),
                "{ten}"
            );
        }
        for none in
            [json!("ten"), json!(1.5), json!("1.5"), json!([1, 2]), json!({}), json!(true), json!("inf")]
        {
            assert_eq!(number(&none), None, "{none}");
        }
        assert_eq!((number(&json!("-1")), integer(&json!("-1"))), (None, Some(-1)));
        for (given, expected) in [
            (json!("True"), Some(true)),
            (json!(["false"]), Some(false)),
            (json!(true), Some(true)),
            (json!(1), Some(true)),
            (json!("0"), Some(false)),
            (json!(2), None),
            (json!("yes"), None),
        ] {
            assert_eq!(flag(&given), expected, "{given}");
        }
        for list in [json!(["a", "b"]), json!("[\"a\", \"b\"]")] {
            assert_eq!(texts(&list), Some(vec!["a".to_string(), "b".to_string()]), "{list}");
        }
        assert_eq!(texts(&json!("[a-z]*.rs")), Some(vec!["[a-z]*.rs".to_string()]));
        assert_eq!(texts(&json!(["a", 1])), None);
        assert_eq!((text(&json!(["a"])), text(&json!(["a", "b"])), text(&json!(3))), (Some("a"), None, None));
        assert_eq!(
            (text(&json!("[\"a\"]")), word(&json!("[\"a\"]"))),
            (Some("[\"a\"]"), Some("a".to_string()))
        );
    }

    #[test]
    fn arguments_may_be_a_text() {
        let object = json!({ "query": "a" });
        for given in [object.clone(), object.to_string().into()] {
            assert_eq!(arguments(&given).map(Value::Object), Some(object.clone()), "{given}");
        }
        for nothing in [json!(null), json!(""), json!("{}"), json!("null"), json!([])] {
            assert_eq!(arguments(&nothing), Some(Map::new()), "{nothing}");
        }
        for wrong in [json!("query"), json!("[1]"), json!([1]), json!(7), json!("\"{}\"")] {
            assert_eq!(arguments(&wrong), None, "{wrong}");
        }
    }
}

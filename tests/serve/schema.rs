//! Checks of values by the part of JSON Schema that `docs/openapi.json` uses. A keyword of another part fails, so that no
//! schema is stricter than its check.

use serde_json::{Map, Value};

/// What is wrong with a value, each with its place; empty if the value is as the schema says. References are looked up in
/// `document`.
pub fn faults(document: &Value, schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    Check { document }.check(schema, value, "", &mut found);
    found
}

struct Check<'d> {
    document: &'d Value,
}

impl Check<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str, found: &mut Vec<String>) {
        let rules = schema.as_object().unwrap_or_else(|| panic!("{schema} is no schema"));
        for (keyword, rule) in rules {
            match keyword.as_str() {
                "$ref" => {
                    let pointer = rule.as_str().unwrap().trim_start_matches('#');
                    let target =
                        self.document.pointer(pointer).unwrap_or_else(|| panic!("{pointer} is nowhere"));
                    self.check(target, value, at, found);
                }
                "type" => {
                    let names = rule.as_array().cloned().unwrap_or_else(|| vec![rule.clone()]);
                    if !names.iter().any(|name| is_of_type(name.as_str().unwrap(), value)) {
                        found.push(format!("{at}: {value} is not of type {rule}"));
                    }
                }
                "enum" => {
                    if !rule.as_array().unwrap().contains(value) {
                        found.push(format!("{at}: {value} is none of {rule}"));
                    }
                }
                "anyOf" => self.any_of(rule.as_array().unwrap(), value, at, found),
                "required" => {
                    for name in rule.as_array().unwrap() {
                        if value.is_object() && value.get(name.as_str().unwrap()).is_none() {
                            found.push(format!("{at}: {name} is missing"));
                        }
                    }
                }
                "properties" | "additionalProperties" => {}
                "items" | "prefixItems" => {}
                "minItems" | "maxItems" => {
                    let (count, limit) =
                        (value.as_array().map_or(0, Vec::len), rule.as_u64().unwrap() as usize);
                    let fits = if keyword == "minItems" { count >= limit } else { count <= limit };
                    if !fits {
                        found.push(format!("{at}: {count} items, {keyword} is {limit}"));
                    }
                }
                "description" => {}
                other => panic!("this check does not know the keyword {other}"),
            }
        }
        if let Some(fields) = value.as_object() {
            self.fields(rules, fields, at, found);
        }
        if let Some(items) = value.as_array() {
            self.items(rules, items, at, found);
        }
    }

    fn any_of(&self, choices: &[Value], value: &Value, at: &str, found: &mut Vec<String>) {
        let mut fewest: Option<Vec<String>> = None;
        for choice in choices {
            let mut errors = Vec::new();
            self.check(choice, value, at, &mut errors);
            if fewest.as_ref().is_none_or(|fewest| errors.len() < fewest.len()) {
                fewest = Some(errors);
            }
        }
        found.append(&mut fewest.unwrap_or_default());
    }

    fn fields(
        &self,
        rules: &Map<String, Value>,
        fields: &Map<String, Value>,
        at: &str,
        found: &mut Vec<String>,
    ) {
        let further = rules.get("additionalProperties");
        for (name, value) in fields {
            let at = format!("{at}/{name}");
            match (rules.get("properties").and_then(|known| known.get(name)), further) {
                (Some(schema), _) => self.check(schema, value, &at, found),
                (None, Some(Value::Bool(false))) => found.push(format!("{at} is not documented")),
                (None, Some(schema)) if schema.is_object() => self.check(schema, value, &at, found),
                (None, _) => {}
            }
        }
    }

    fn items(&self, rules: &Map<String, Value>, items: &[Value], at: &str, found: &mut Vec<String>) {
        let first = rules.get("prefixItems").and_then(Value::as_array).cloned().unwrap_or_default();
        for (number, item) in items.iter().enumerate() {
            let at = format!("{at}/{number}");
            match (first.get(number), rules.get("items")) {
                (Some(schema), _) => self.check(schema, item, &at, found),
                (None, Some(Value::Bool(false))) => found.push(format!("{at} is one too many")),
                (None, Some(schema)) => self.check(schema, item, &at, found),
                (None, None) => {}
            }
        }
    }
}

fn is_of_type(name: &str, value: &Value) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "string" => value.is_string(),
        "integer" => value.is_u64() || value.is_i64(),
        "number" => value.is_number(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is no type"),
    }
}

#[test]
fn values_against_the_schema_are_found() {
    use serde_json::json;
    let document = json!({ "s": { "Row": {
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "type": ["integer", "null"] }, "b": { "type": "array", "items": { "enum": ["x"] } } },
    } } });
    let row = json!({ "$ref": "#/s/Row" });
    let check = |value: Value, expected: &[&str]| {
        let faults = faults(&document, &row, &value);
        assert_eq!(faults, expected, "{value}");
    };
    check(json!({ "a": 1, "b": ["x"] }), &[]);
    check(json!({ "a": null }), &[]);
    check(json!({ "a": "1" }), &["/a: \"1\" is not of type [\"integer\",\"null\"]"]);
    check(json!({ "b": ["x", "y"] }), &[": \"a\" is missing", "/b/1: \"y\" is none of [\"x\"]"]);
    check(json!({ "a": 1, "c": 1 }), &["/c is not documented"]);
    check(json!([]), &[": [] is not of type \"object\""]);
    let pair =
        json!({ "type": "array", "prefixItems": [{ "type": "integer" }], "items": false, "minItems": 1 });
    assert_eq!(faults(&document, &pair, &json!([1, 2])), ["/1 is one too many"]);
    assert_eq!(faults(&document, &pair, &json!([])), [": 0 items, minItems is 1"]);
    let either = json!({ "anyOf": [row, { "type": "null" }] });
    assert!(faults(&document, &either, &Value::Null).is_empty());
    assert_eq!(faults(&document, &either, &json!({ "a": 1, "c": 1 })).len(), 1);
}

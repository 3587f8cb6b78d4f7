//! Generates a tool's JSON Schema. The words come from the rows, so the schema cannot become outdated.

use serde_json::{Map, Value, json};

use super::param::{Param, Takes};
use super::params::QUERY_LIST;
use super::row::max_items;
use super::tools::Tool;

/// The schema of a tool's arguments. Aliases of parameters are accepted and not shown: a model needs only one name.
pub fn of(tool: &Tool) -> Map<String, Value> {
    let properties: Map<String, Value> =
        tool.params().map(|param| (param.name.to_string(), property(param))).collect();
    let required: Vec<&str> = tool.required.iter().map(|param| param.name).collect();
    let mut schema = Map::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties.into());
    if !required.is_empty() {
        schema.insert("required".into(), required.into());
    }
    schema.insert("additionalProperties".into(), false.into());
    schema
}

/// The full description of a tool: name, description, input schema.
pub fn described(tool: &Tool) -> Value {
    json!({ "name": tool.name, "description": tool.description(), "inputSchema": of(tool) })
}

fn property(param: &Param) -> Value {
    let list = |items: Value| json!({ "type": "array", "items": items });
    let mut schema = match param.takes {
        Takes::Nothing => json!({ "type": "boolean" }),
        Takes::Text | Takes::Texts | Takes::Path | Takes::Bytes => json!({ "type": "string" }),
        Takes::Repeated | Takes::List | Takes::Paths => list(json!({ "type": "string" })),
        Takes::Choice(choices) => json!({ "type": "string", "enum": choices() }),
        Takes::Choices(choices) => list(json!({ "type": "string", "enum": choices() })),
        Takes::Number(least, most) if most >= u32::MAX.into() => {
            json!({ "type": "integer", "minimum": least })
        }
        Takes::Number(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Takes::Fraction => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
    };
    if param.name == QUERY_LIST.name && schema["type"] == "array" {
        schema["maxItems"] = max_items(param).into();
    }
    // The schema already says that the value is a list.
    let is_list = schema["type"] == "array";
    let typed = param.help.find("; separate several by").filter(|_| is_list);
    let help = &param.help[..typed.unwrap_or(param.help.len())];
    // And it has the range.
    let range = match param.takes {
        Takes::Number(least, most) => format!(", {least} to {most}"),
        Takes::Fraction => ", 0 to 1".to_string(),
        _ => String::new(),
    };
    let is_ranged = schema.get("maximum").is_some();
    schema["description"] = if is_ranged { help.replacen(&range, "", 1) } else { help.to_string() }.into();
    if let Some(default) = param.default {
        let text = || Value::from(default);
        schema["default"] = match param.takes {
            Takes::Number(..) | Takes::Fraction => serde_json::from_str(default).unwrap_or_else(|_| text()),
            _ => text(),
        };
    }
    schema
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schema_says_what_the_rows_say() {
        let tool = super::super::tools::tool("skipped_files").unwrap();
        let schema = of(tool);
        let names: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
        assert_eq!(names, ["cursor", "in", "max_tokens", "reason", "root", "view"]);
        assert_eq!(
            schema["properties"]["max_tokens"],
            json!({ "type": "integer", "minimum": 100, "maximum": 100000, "default": 4000,
                    "description": super::super::params::MAX_TOKENS.help })
        );
        assert_eq!(schema.get("required"), None);
        assert_eq!(schema["additionalProperties"], false);
    }
}

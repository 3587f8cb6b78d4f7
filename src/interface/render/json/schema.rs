//! JSON Schemas of replies, derived from their types.
//!
//! A schema is in the part of JSON Schema that `docs/openapi.json` uses: closed objects, `enum` in place of `const`, no formats.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use spyhop_engine::api::Languages;
use spyhop_engine::api::{
    Checkup, EntriesReply, Explanation, FileGraphReply, FilesReply, GraphReply, GrepReply, MapReply,
    NotesReply, PackReply, ReadReply, SearchReply, SkippedReply, SourceStatuses, Status, SymbolsReply,
    ViewsReply, WhyNot,
};
use spyhop_library::{LibraryReply, LibraryStatus, ShownSource};

/// The definitions of the replies that servers give, and of their parts, by name. References lead to `path` in the document.
pub fn definitions(path: &'static str) -> Map<String, Value> {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.definitions_path = path.into();
    let mut generator = settings.into_generator();
    macro_rules! add {
        ($($reply:ty),+ $(,)?) => { $(generator.subschema_for::<$reply>();)+ };
    }
    add!(
        Checkup,
        EntriesReply,
        Explanation,
        FileGraphReply,
        FilesReply,
        GraphReply,
        GrepReply,
        Languages,
        LibraryReply,
        LibraryStatus,
        MapReply,
        NotesReply,
        PackReply,
        ReadReply,
        SearchReply,
        ShownSource<'static>,
        SkippedReply,
        SourceStatuses,
        Status,
        SymbolsReply,
        ViewsReply,
        WhyNot,
    );
    let mut definitions = generator.take_definitions(true);
    definitions.values_mut().for_each(tidy);
    definitions
}

/// Reduces a schema, and the schemas in it, to the keywords of `docs/openapi.json`.
fn tidy(schema: &mut Value) {
    let Some(rules) = schema.as_object_mut() else { return };
    for keyword in ["format", "minimum", "title"] {
        rules.remove(keyword);
    }
    if let Some(Value::String(text)) = rules.get_mut("description") {
        *text = plain(text);
    }
    if let Some(value) = rules.remove("const") {
        rules.insert("enum".into(), Value::Array(vec![value]));
    }
    for keyword in ["anyOf", "oneOf", "allOf", "prefixItems"] {
        rules.get_mut(keyword).and_then(Value::as_array_mut).into_iter().flatten().for_each(tidy);
    }
    rules.get_mut("items").into_iter().for_each(tidy);
    let fields = rules.get_mut("properties").and_then(Value::as_object_mut);
    fields.into_iter().flat_map(|fields| fields.values_mut()).for_each(tidy);
    if let Some(choices) = rules.remove("oneOf") {
        match names(&choices) {
            Some(names) => _ = rules.insert("enum".into(), names.into()),
            None => _ = rules.insert("anyOf".into(), choices),
        }
        if rules.contains_key("enum") {
            rules.insert("type".into(), "string".into());
        }
    }
    if rules.contains_key("properties") {
        rules.insert("additionalProperties".into(), false.into());
        let required = rules.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let all = rules.get_mut("properties").and_then(Value::as_object_mut).into_iter().flatten();
        // A field that can be absent is never null.
        all.filter(|(name, _)| !required.contains(&Value::from(name.as_str())))
            .for_each(|(_, own)| not_null(own));
    }
}

/// The names that a choice of names permits.
fn names(choices: &Value) -> Option<Vec<Value>> {
    let of = |choice: &Value| choice.get("enum").and_then(Value::as_array).cloned();
    Some(choices.as_array()?.iter().map(of).collect::<Option<Vec<_>>>()?.concat())
}

fn not_null(schema: &mut Value) {
    let Some(rules) = schema.as_object_mut() else { return };
    if let Some(types) = rules.get_mut("type").and_then(Value::as_array_mut) {
        types.retain(|name| name != "null");
        if let [only] = &types[..] {
            let only = only.clone();
            rules.insert("type".into(), only);
        }
    }
    if let Some(choices) = rules.get_mut("anyOf").and_then(Value::as_array_mut) {
        choices.retain(|choice| choice.get("type").is_none_or(|name| name != "null"));
        if let [Value::Object(only)] = &choices[..] {
            let only = only.clone();
            rules.remove("anyOf");
            rules.extend(only);
        }
    }
}

/// A doc comment without the marks of links.
fn plain(text: &str) -> String {
    let links = regex::Regex::new(r"\[(`[^`]*`)\](?:\([^)]*\))?").expect("the pattern is sound");
    links.replace_all(text, "$1").replace('\n', " ")
}

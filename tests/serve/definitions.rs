//! JSON Schemas of replies, derived from their types.
//!
//! A schema is in the part of JSON Schema that `docs/openapi.json` uses: closed objects, `enum` in place of `const`, no formats.

use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use spyhop_engine::api::Languages;
use spyhop_engine::api::{
    Checkup, EntriesReply, Explanation, FileGraphReply, FilesReply, GraphReply, GrepReply, MapReply,
    NotesReply, PackReply, ReadReply, SearchReply, SkippedReply, SourceStatuses, Status, SymbolsReply,
    ViewsReply, WhyNot,
};
use spyhop_interface::render::agent::{IN_TEXT, TextFields};
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

/// The answer while the first index is made.
const INDEXING: &str = "Indexing";

/// The replies of the tools that answer with the reply of an operation, and the fields that a tool adds to the reply.
const OF_TOOLS: &[(&str, &[&str], &[&str])] = &[
    ("codebase_search", &["SearchReply", INDEXING], &[]),
    ("search_batch", &["SearchReply", INDEXING], &[]),
    ("grep_files", &["GrepReply"], &[]),
    ("file_search", &["FilesReply", INDEXING], &[]),
    ("symbol_search", &["SymbolsReply", INDEXING], &[]),
    ("project_map", &["MapReply", INDEXING], &[]),
    ("read_file", &["ReadReply", INDEXING], &[]),
    ("find_references", &["GraphReply", INDEXING], &[]),
    ("trace_symbol", &["GraphReply", INDEXING], &[]),
    ("impact", &["GraphReply", INDEXING], &[]),
    ("file_imports", &["FileGraphReply", INDEXING], &[]),
    ("list_routes", &["EntriesReply", INDEXING], &[]),
    ("list_commands", &["EntriesReply", INDEXING], &[]),
    ("get_context_pack", &["PackReply", INDEXING], &[]),
    ("why_not", &["WhyNot", INDEXING], &[]),
    ("skipped_files", &["SkippedReply", INDEXING], &["total", "next"]),
    ("index_status", &["Status", "SourceStatuses"], &["roots", "indexing"]),
    ("list_views", &["ViewsReply", INDEXING], &[]),
    ("search_revision_memory", &["NotesReply"], &[]),
    ("list_revisions", &["NotesReply"], &[]),
    ("record_revision", &["NotesReply"], &[]),
    ("verify_revision", &["NotesReply"], &[]),
    ("retire_revision", &["NotesReply"], &[]),
    ("library", &["LibraryReply", "ShownSource"], &[]),
    ("library_status", &["LibraryStatus"], &[]),
];

/// The schemas of the structured results of tools (`docs/tool-schemas.json`): `tools` has one for each tool, and `$defs` their
/// parts. In a list of tools they would cost more than the tools themselves.
pub fn of_tools() -> Value {
    let mut defs = definitions("/$defs");
    // A client opens the file of a row by the link.
    let link = json!({ "description": "The file as a link.", "type": "string" });
    for schema in defs.values_mut() {
        if let Some(fields) = schema.get_mut("properties").and_then(Value::as_object_mut)
            && fields.contains_key("path")
        {
            fields.insert("link".into(), link.clone());
        }
    }
    defs.insert(INDEXING.into(), of_indexing());
    for (_, replies, added) in OF_TOOLS {
        for reply in replies.iter().filter(|reply| **reply != INDEXING) {
            let fields = defs.get_mut(*reply).and_then(|schema| schema.get_mut("properties"));
            let fields = fields.and_then(Value::as_object_mut).into_iter();
            fields.for_each(|fields| fields.extend(added.iter().map(|name| (name.to_string(), json!({})))));
            IN_TEXT.iter().for_each(|told| make_optional(&mut defs, reply, told));
        }
    }
    let of_tool = |(tool, replies, _): &(&str, &[&str], &[&str])| {
        let refs: Vec<Value> =
            replies.iter().map(|reply| json!({ "$ref": format!("#/$defs/{reply}") })).collect();
        let schema = if let [only] = &refs[..] { only.clone() } else { json!({ "anyOf": refs }) };
        (tool.to_string(), schema)
    };
    let tools: Map<String, Value> = OF_TOOLS.iter().map(of_tool).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "description": "The structured results of calls that succeed. Fields that the text has too are not required: only \
                        `--structured full` sends them.",
        "$defs": defs,
        "tools": tools,
    })
}

/// The schema of the answer while the first index is made.
fn of_indexing() -> Value {
    json!({
        "description": "The first index is being made; there are no results yet.",
        "type": "object",
        "properties": {
            "state": { "type": "string", "enum": ["indexing"] },
            "root": { "type": "string" },
            "results": { "type": "array", "maxItems": 0 },
            "complete": { "type": "boolean" },
            "indexing": { "description": "The progress of the update, once it has any.", "type": ["object", "null"] },
        },
        "required": ["state", "root", "results", "complete", "indexing"],
        "additionalProperties": false,
    })
}

/// Takes fields that the default content leaves out from the required fields of a reply, or of rows that its lists lead to.
fn make_optional(defs: &mut Map<String, Value>, reply: &str, told: &TextFields) {
    let mut name = reply.to_string();
    for list in told.lists {
        let items =
            defs.get(&name).and_then(|schema| schema["properties"].get(list)?.get("items")?.get("$ref"));
        let Some(target) = items.and_then(Value::as_str) else { return };
        name = target.trim_start_matches("#/$defs/").to_string();
    }
    let Some(schema) = defs.get_mut(&name) else { return };
    if told.beside.is_none_or(|field| schema["properties"].get(field).is_some())
        && let Some(required) = schema.get_mut("required").and_then(Value::as_array_mut)
    {
        required.retain(|field| field.as_str().is_none_or(|field| !told.fields.contains(&field)));
    }
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

//! Types and functions of standard libraries that pass on the types of their arguments.

use super::written::{LIST, TUPLE, WrittenType};
use crate::family::Family;
use crate::syntax_facts::SyntaxFacts;

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|own| own == name)
}

/// The type that the members of a type of the library are passed on from.
pub(super) fn inner<'t>(syntax: &SyntaxFacts, written: &'t WrittenType) -> Option<&'t WrittenType> {
    has(&syntax.wrappers, &written.name).then(|| written.args.first()).flatten()
}

/// The type that the only argument of a type of a library is, in a language in which such a type may be a pointer. Of those with
/// several arguments, such as one for what destroys the object, the name tells.
pub(super) fn held<'t>(syntax: &SyntaxFacts, written: &'t WrittenType) -> Option<&'t WrittenType> {
    let name = written.name.to_ascii_lowercase();
    let is_pointer = written.args.len() == 1 || name.contains("ptr") || name.contains("pointer");
    (syntax.pointers && is_pointer).then(|| written.args.first()).flatten()
}

/// The type inside of an optional value or of a result.
pub(super) fn unwrapped(written: &WrittenType) -> Option<WrittenType> {
    written.args.first().cloned()
}

/// The type of the elements of a list or map.
pub(super) fn element(syntax: &SyntaxFacts, written: &WrittenType) -> Option<WrittenType> {
    match &*written.name {
        "map" if written.args.len() == 2 && syntax.mappings.is_empty() => written.args.last().cloned(),
        _ if is_map(syntax, written) => {
            Some(WrittenType::new(written.file, TUPLE).with(written.args.clone()))
        }
        _ => inner(syntax, written).map_or_else(|| written.args.first().cloned(), |own| element(syntax, own)),
    }
}

/// The type of what an index or a key finds.
pub(super) fn indexed(syntax: &SyntaxFacts, written: &WrittenType) -> Option<WrittenType> {
    if is_map(syntax, written) { written.args.last().cloned() } else { element(syntax, written) }
}

/// The type of a value that is received from a channel.
pub(super) fn received(written: &WrittenType) -> Option<WrittenType> {
    written.args.first().filter(|_| &*written.name == "chan").cloned()
}

/// Whether a type holds several values.
pub(super) fn is_tuple(syntax: &SyntaxFacts, written: &WrittenType) -> bool {
    &*written.name == TUPLE || has(&syntax.tuples, &written.name)
}

/// The place of the value of a tuple that a field names.
pub(super) fn place_in_tuple(field: &str) -> Option<usize> {
    match field {
        "first" | "key" | "Key" | "Item1" => Some(0),
        "second" | "value" | "Value" | "Item2" => Some(1),
        _ => field.parse().ok(),
    }
}

/// Whether a type is a map from keys to values.
fn is_map(syntax: &SyntaxFacts, written: &WrittenType) -> bool {
    let name = &*written.name;
    let is_named = name.ends_with("Map")
        || name.ends_with("Dictionary")
        || matches!(name, "map" | "Hashtable")
        || has(&syntax.mappings, name);
    is_named && written.args.len() == 2
}

/// A list of several values each.
pub(super) fn list_of_tuples(file: u32, parts: Vec<WrittenType>) -> WrittenType {
    WrittenType::new(file, LIST).with(vec![WrittenType::new(file, TUPLE).with(parts)])
}

/// The type that a method of a collection of Python or of the web gives.
pub(super) fn scoped_result(syntax: &SyntaxFacts, written: &WrittenType, name: &str) -> Option<WrittenType> {
    match name {
        _ if has(&syntax.elements, name) => written.args.last().cloned(),
        _ if has(&syntax.same, name) => Some(written.clone()),
        "get" | "pop" | "at" | "shift" | "find" | "findLast" | "popleft" | "setdefault" => {
            written.args.last().cloned()
        }
        "values" => Some(WrittenType::new(written.file, LIST).with(vec![written.args.last()?.clone()])),
        "items" | "entries" => Some(list_of_tuples(written.file, written.args.clone())),
        "filter" | "slice" | "concat" | "sort" | "toSorted" | "reverse" | "toReversed" | "copy" => {
            Some(written.clone())
        }
        _ => None,
    }
}

/// Functions that are given what was made so far, and then an element.
const FOLDS: &[&str] = &["fold", "reduce", "scan", "try_fold"];

/// The type of a parameter of a function that is the argument of the function `name` of a library type: of a parameter with this
/// number of so many.
pub(super) fn parameter(
    (family, syntax): (Family, &SyntaxFacts),
    written: &WrittenType,
    name: &str,
    (number, count): (usize, usize),
) -> Option<WrittenType> {
    if family == Family::Web && !has(&syntax.passes, name) {
        return None;
    }
    if has(&syntax.receives, name) {
        return Some(written.clone()).filter(|_| number == 0);
    }
    // A map of the web passes the value before the key.
    if family == Family::Web && is_map(syntax, written) {
        return written.args.get(1_usize.checked_sub(number)?).cloned();
    }
    if family.has_scopes() {
        return written.args.first().cloned().filter(|_| number == 0 || matches!(name, "sort" | "toSorted"));
    }
    if let Some(inner) = inner(syntax, written) {
        return parameter((family, syntax), inner, name, (number, count));
    }
    match name {
        _ if is_map(syntax, written) && count == 2 => written.args.get(number).cloned(),
        "computeIfAbsent" | "removeIf" if is_map(syntax, written) => written.args.first().cloned(),
        "map_err" | "or_else" | "unwrap_or_else" | "exceptionally" | "inspect_err" => {
            written.args.get(1).filter(|_| &*written.name == "Result").cloned()
        }
        _ if FOLDS.contains(&name) && count == 2 && number == 0 => None,
        _ if name.ends_with("Indexed") && count == 2 && number == 0 => None,
        _ => element(syntax, written),
    }
}

/// Functions whose result holds what the function that they are given returns.
const MAPS: &[&str] =
    &["map", "mapToObj", "mapMulti", "filter_map", "thenApply", "thenApplyAsync", "and_then"];

/// Whether the result of a function of the library holds what the function that it is given returns.
pub(super) fn maps(syntax: &SyntaxFacts, name: &str) -> bool {
    MAPS.contains(&name) || has(&syntax.maps, name)
}

/// Functions whose result is what the function that they are given returns.
pub(super) const FLAT_MAPS: &[&str] = &["flatMap", "flat_map", "then", "thenCompose"];

/// The type that a function of Java's library gives for a receiver whose type is not of the tree.
pub(super) fn java_result(written: &WrittenType, name: &str) -> Option<WrittenType> {
    let facts = SyntaxFacts::of("java");
    let element = |written: &WrittenType| element(facts, written);
    let is_map = |written: &WrittenType| is_map(facts, written);
    let of =
        |holder: &str, argument: WrittenType| WrittenType::new(written.file, holder).with(vec![argument]);
    match (name, &*written.name) {
        ("getKey", TUPLE) => written.args.first().cloned(),
        ("getValue", TUPLE) => written.args.last().cloned(),
        ("values", _) if is_map(written) => Some(of("Collection", written.args.last()?.clone())),
        ("keySet" | "navigableKeySet", _) if is_map(written) => {
            Some(of("Set", written.args.first()?.clone()))
        }
        ("entrySet", _) if is_map(written) => Some(of("Set", element(written)?)),
        ("firstEntry" | "lastEntry" | "floorEntry" | "ceilingEntry", _) if is_map(written) => {
            element(written)
        }
        (
            "get" | "getOrDefault" | "put" | "remove" | "computeIfAbsent" | "computeIfPresent" | "compute"
            | "merge" | "replace",
            _,
        ) if is_map(written) => written.args.last().cloned(),
        ("findFirst" | "findAny" | "min" | "max" | "reduce", _) => Some(of("Optional", element(written)?)),
        ("spliterator", _) => None,
        _ if has(&facts.same, name) => Some(written.clone()),
        // The peeked element of a queue; a stream stays a stream.
        _ if has(&facts.elements, name) => element(written),
        _ => None,
    }
}

/// The type of elements that are paired with their numbers or with those of another list, or taken out of inner lists.
fn rearranged(syntax: &SyntaxFacts, written: &WrittenType, name: &str) -> Option<WrittenType> {
    let (own, other) = (element(syntax, written)?, WrittenType::new(written.file, ""));
    match name {
        "flatten" => Some(own),
        "zip" => Some(list_of_tuples(written.file, vec![own, other])),
        _ => Some(list_of_tuples(written.file, vec![other, own])),
    }
}

/// The type that a function of Rust's library gives for a receiver whose type is not of the tree.
pub(super) fn result(written: &WrittenType, name: &str) -> Option<WrittenType> {
    let facts = SyntaxFacts::of("rust");
    let element = |written: &WrittenType| element(facts, written);
    if let Some(inner) = inner(facts, written) {
        return match name {
            "clone" | "as_ref" | "as_mut" => Some(written.clone()),
            _ => result(inner, name),
        };
    }
    let option = |argument: WrittenType| WrittenType::new(written.file, "Option").with(vec![argument]);
    match name {
        "lock" | "read" | "write" | "try_lock" if matches!(&*written.name, "Mutex" | "RwLock") => {
            Some(option(written.args.first()?.clone()))
        }
        "borrow" | "borrow_mut" if &*written.name == "RefCell" => written.args.first().cloned(),
        "enumerate" | "zip" | "flatten" => rearranged(facts, written, name),
        "values" | "values_mut" | "into_values" => {
            Some(WrittenType::new(written.file, LIST).with(vec![written.args.get(1)?.clone()]))
        }
        "keys" | "into_keys" => {
            Some(WrittenType::new(written.file, LIST).with(vec![written.args.first()?.clone()]))
        }
        _ if has(&facts.same, name) => Some(written.clone()),
        _ if has(&facts.arguments, name) => unwrapped(written),
        "get" | "get_mut" | "remove" | "insert" if written.args.len() == 2 => {
            Some(option(written.args[1].clone()))
        }
        _ if has(&facts.elements, name) => Some(option(element(written)?)),
        _ => None,
    }
}

/// The type that a function of the library of another language gives, as far as the table of languages knows the function.
pub(super) fn table_result(syntax: &SyntaxFacts, written: &WrittenType, name: &str) -> Option<WrittenType> {
    let map = |key: Option<WrittenType>, value: WrittenType| {
        let key = key.unwrap_or_else(|| WrittenType::new(written.file, ""));
        WrittenType::new(written.file, "Map").with(vec![key, value])
    };
    match name {
        "groupBy" if syntax.properties => {
            Some(map(None, WrittenType::new(written.file, LIST).with(vec![element(syntax, written)?])))
        }
        "associateBy" => Some(map(None, element(syntax, written)?)),
        "associateWith" => Some(map(element(syntax, written), WrittenType::new(written.file, ""))),
        "withIndex" | "enumerated" | "zip" | "flatten" => rearranged(syntax, written, name),
        _ if &*written.name == LIST && has(&syntax.elements, name) => element(syntax, written),
        "get" | "getOrDefault" | "getOrPut" | "getValue" | "remove" | "value" if is_map(syntax, written) => {
            written.args.last().cloned()
        }
        _ if has(&syntax.arguments, name) => {
            inner(syntax, written).or_else(|| held(syntax, written)).cloned()
        }
        "values" | "Values" if is_map(syntax, written) && syntax.properties => {
            Some(WrittenType::new(written.file, LIST).with(vec![written.args.last()?.clone()]))
        }
        "keys" | "Keys" if is_map(syntax, written) && syntax.properties => {
            Some(WrittenType::new(written.file, LIST).with(vec![written.args.first()?.clone()]))
        }
        "entries" if is_map(syntax, written) && syntax.properties => {
            Some(list_of_tuples(written.file, written.args.clone()))
        }
        _ if has(&syntax.same, name)
            || has(&syntax.receives, name) && matches!(name, "also" | "apply" | "tap") =>
        {
            Some(written.clone())
        }
        _ if has(&syntax.elements, name) => element(syntax, written),
        _ if has(&syntax.groups, name) => {
            Some(WrittenType::new(written.file, LIST).with(vec![written.clone()]))
        }
        _ => None,
    }
}

//! Types and functions of standard libraries that pass on the types of their arguments.

use super::written::{LIST, TUPLE, WrittenType};
use crate::family::Family;
use crate::syntax_facts::SyntaxFacts;

fn has(names: &[String], name: &str) -> bool {
    names.iter().any(|own| own == name)
}

/// The type that the members of a type of the library are passed on from.
pub(super) fn inner(written: &WrittenType) -> Option<&WrittenType> {
    has(&SyntaxFacts::of("rust").wrappers, &written.name).then(|| written.args.first()).flatten()
}

/// The type inside of an optional value or of a result.
pub(super) fn unwrapped(written: &WrittenType) -> Option<WrittenType> {
    written.args.first().cloned()
}

/// The type of the elements of a list or map.
pub(super) fn element(written: &WrittenType) -> Option<WrittenType> {
    match &*written.name {
        "map" if written.args.len() == 2 => written.args.last().cloned(),
        _ if is_map(written) => Some(WrittenType::new(written.file, TUPLE).with(written.args.clone())),
        _ => inner(written).map_or_else(|| written.args.first().cloned(), element),
    }
}

/// The type of what an index or a key finds.
pub(super) fn indexed(written: &WrittenType) -> Option<WrittenType> {
    if is_map(written) { written.args.last().cloned() } else { element(written) }
}

/// Whether a type is a map from keys to values.
fn is_map(written: &WrittenType) -> bool {
    let name = &*written.name;
    let is_named =
        name.ends_with("Map") || name.ends_with("Dictionary") || matches!(name, "map" | "Hashtable");
    is_named && written.args.len() == 2
}

/// A list of several values each.
pub(super) fn list_of_tuples(file: u32, parts: Vec<WrittenType>) -> WrittenType {
    WrittenType::new(file, LIST).with(vec![WrittenType::new(file, TUPLE).with(parts)])
}

/// The type that a method of a collection of Python or of the web gives.
pub(super) fn scoped_result(written: &WrittenType, name: &str) -> Option<WrittenType> {
    match name {
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
    family: Family,
    written: &WrittenType,
    name: &str,
    (number, count): (usize, usize),
) -> Option<WrittenType> {
    if family == Family::Web && !has(&SyntaxFacts::of("typescript").passes, name) {
        return None;
    }
    // A map of the web passes the value before the key.
    if family == Family::Web && is_map(written) {
        return written.args.get(1_usize.checked_sub(number)?).cloned();
    }
    if family.has_scopes() {
        return element(written).filter(|_| number == 0 || matches!(name, "sort" | "toSorted"));
    }
    if let Some(inner) = inner(written) {
        return parameter(family, inner, name, (number, count));
    }
    match name {
        _ if is_map(written) && count == 2 => written.args.get(number).cloned(),
        "computeIfAbsent" | "removeIf" if is_map(written) => written.args.first().cloned(),
        "map_err" | "or_else" | "unwrap_or_else" | "exceptionally" | "inspect_err" => {
            written.args.get(1).filter(|_| &*written.name == "Result").cloned()
        }
        _ if FOLDS.contains(&name) && count == 2 && number == 0 => None,
        _ => element(written),
    }
}

/// Functions whose result holds what the function that they are given returns.
pub(super) const MAPS: &[&str] =
    &["map", "mapToObj", "mapMulti", "filter_map", "thenApply", "thenApplyAsync", "and_then"];

/// Functions whose result is what the function that they are given returns.
pub(super) const FLAT_MAPS: &[&str] = &["flatMap", "flat_map", "thenCompose"];

/// The type that a function of Java's library gives for a receiver whose type is not of the tree.
pub(super) fn java_result(written: &WrittenType, name: &str) -> Option<WrittenType> {
    let facts = SyntaxFacts::of("java");
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

/// The type that a function of Rust's library gives for a receiver whose type is not of the tree.
pub(super) fn result(written: &WrittenType, name: &str) -> Option<WrittenType> {
    if let Some(inner) = inner(written) {
        return match name {
            "clone" | "as_ref" | "as_mut" => Some(written.clone()),
            _ => result(inner, name),
        };
    }
    let facts = SyntaxFacts::of("rust");
    let option = |argument: WrittenType| WrittenType::new(written.file, "Option").with(vec![argument]);
    match name {
        "lock" | "read" | "write" | "try_lock" if matches!(&*written.name, "Mutex" | "RwLock") => {
            Some(option(written.args.first()?.clone()))
        }
        "borrow" | "borrow_mut" if &*written.name == "RefCell" => written.args.first().cloned(),
        "enumerate" => {
            let number = WrittenType::new(written.file, "usize");
            let pair = WrittenType::new(written.file, TUPLE).with(vec![number, element(written)?]);
            Some(WrittenType::new(written.file, LIST).with(vec![pair]))
        }
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

//! Types and functions of standard libraries that pass on the types of their arguments.

use super::written::{LIST, TUPLE, WrittenType};

/// Types whose members are also those of their argument.
const TRANSPARENT: &[&str] = &[
    "Arc",
    "Box",
    "Cow",
    "ManuallyDrop",
    "MutexGuard",
    "NonNull",
    "Pin",
    "Rc",
    "Ref",
    "RefMut",
    "RwLockReadGuard",
    "RwLockWriteGuard",
];

/// Functions of Rust's library whose result has the type of the receiver, as far as members go.
const SAME: &[&str] = &[
    "as_mut",
    "as_ref",
    "as_deref",
    "as_deref_mut",
    "borrow",
    "borrow_mut",
    "by_ref",
    "chain",
    "clone",
    "cloned",
    "context",
    "copied",
    "deref",
    "err_into",
    "filter",
    "inspect",
    "inspect_err",
    "into_boxed_slice",
    "into_iter",
    "iter",
    "iter_mut",
    "map_err",
    "ok",
    "ok_or",
    "ok_or_else",
    "or",
    "or_else",
    "peekable",
    "replace",
    "rev",
    "skip",
    "skip_while",
    "step_by",
    "take",
    "take_while",
    "to_owned",
    "to_vec",
    "with_context",
    "drain",
    "as_slice",
];

/// Functions of Rust's library whose result is the argument of the type of the receiver.
const ARGUMENT: &[&str] = &[
    "unwrap",
    "expect",
    "unwrap_or",
    "unwrap_or_default",
    "unwrap_or_else",
    "unwrap_unchecked",
    "into_inner",
];

/// Functions of Rust's library that give an optional element.
const ELEMENT: &[&str] = &[
    "back",
    "back_mut",
    "entry",
    "find",
    "first",
    "first_mut",
    "front",
    "front_mut",
    "get",
    "get_mut",
    "last",
    "last_mut",
    "max",
    "max_by_key",
    "min",
    "min_by_key",
    "next",
    "next_back",
    "nth",
    "peek",
    "pop",
    "pop_back",
    "pop_front",
    "remove",
];

/// The type that the members of a type of the library are passed on from.
pub(super) fn inner(written: &WrittenType) -> Option<&WrittenType> {
    TRANSPARENT.contains(&&*written.name).then(|| written.args.first()).flatten()
}

/// The type inside of an optional value or of a result.
pub(super) fn unwrapped(written: &WrittenType) -> Option<WrittenType> {
    written.args.first().cloned()
}

/// The type of the elements of a list or map.
pub(super) fn element(written: &WrittenType) -> Option<WrittenType> {
    match &*written.name {
        "map" | "Map" | "HashMap" | "TreeMap" if written.args.len() == 2 => written.args.last().cloned(),
        "BTreeMap" | "IndexMap" => Some(WrittenType::new(written.file, TUPLE).with(written.args.clone())),
        _ => inner(written).map_or_else(|| written.args.first().cloned(), element),
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
        _ if SAME.contains(&name) => Some(written.clone()),
        _ if ARGUMENT.contains(&name) => unwrapped(written),
        "get" | "get_mut" | "remove" | "insert" if written.args.len() == 2 => {
            Some(option(written.args[1].clone()))
        }
        _ if ELEMENT.contains(&name) => Some(option(element(written)?)),
        _ => None,
    }
}

//! The words by which a task is divided.

/// Verbs that begin a goal.
const VERBS: &[&str] = &[
    "accept",
    "add",
    "adjust",
    "align",
    "allow",
    "apply",
    "avoid",
    "bound",
    "build",
    "bump",
    "cache",
    "call",
    "change",
    "check",
    "clean",
    "clear",
    "close",
    "collect",
    "compare",
    "compute",
    "configure",
    "convert",
    "copy",
    "correct",
    "count",
    "cover",
    "create",
    "cut",
    "debounce",
    "decode",
    "deduplicate",
    "default",
    "define",
    "delete",
    "deprecate",
    "detect",
    "disable",
    "display",
    "document",
    "drop",
    "emit",
    "enable",
    "encode",
    "enforce",
    "ensure",
    "escape",
    "exclude",
    "expand",
    "explain",
    "expose",
    "export",
    "extend",
    "extract",
    "fail",
    "fetch",
    "filter",
    "find",
    "fix",
    "flush",
    "format",
    "generate",
    "handle",
    "hide",
    "highlight",
    "ignore",
    "implement",
    "import",
    "improve",
    "include",
    "increase",
    "infer",
    "inline",
    "insert",
    "introduce",
    "keep",
    "limit",
    "list",
    "load",
    "lock",
    "log",
    "lower",
    "make",
    "map",
    "mark",
    "mask",
    "measure",
    "mention",
    "merge",
    "migrate",
    "mock",
    "move",
    "normalize",
    "notify",
    "open",
    "optimize",
    "override",
    "parse",
    "pass",
    "persist",
    "pin",
    "port",
    "prefer",
    "prevent",
    "print",
    "propagate",
    "provide",
    "prune",
    "put",
    "raise",
    "read",
    "record",
    "reduce",
    "refactor",
    "refuse",
    "register",
    "reject",
    "release",
    "reload",
    "remove",
    "rename",
    "render",
    "replace",
    "report",
    "require",
    "reset",
    "resolve",
    "restore",
    "restrict",
    "retry",
    "return",
    "reuse",
    "revert",
    "rewrite",
    "run",
    "save",
    "scan",
    "send",
    "serve",
    "set",
    "show",
    "silence",
    "simplify",
    "skip",
    "sort",
    "speed",
    "split",
    "start",
    "stop",
    "store",
    "strip",
    "support",
    "suppress",
    "switch",
    "test",
    "throw",
    "track",
    "trim",
    "truncate",
    "turn",
    "unify",
    "update",
    "upgrade",
    "use",
    "validate",
    "verify",
    "wait",
    "warn",
    "wire",
    "wrap",
    "write",
];

/// Words between a conjunction and its verb.
const ADVERBS: &[&str] =
    &["also", "then", "finally", "please", "afterwards", "additionally", "just", "always", "never"];

/// Conjunctions and adverbs that join two clauses.
const JOINTS: &[&str] = &["and", "then", "but", "plus"];

/// Words behind which a clause says where, when or why.
const QUALIFIERS: &[&str] = &[
    "in", "into", "to", "for", "from", "with", "without", "of", "on", "at", "by", "when", "while", "if",
    "unless", "after", "before", "during", "inside", "within", "under", "because", "since", "so", "such",
    "instead", "as", "via", "through", "per", "across", "where", "whenever", "until",
];

/// Pronouns that stand for the object of the goal before.
const PRONOUNS: &[&str] = &["it", "them", "this", "that", "these", "those"];

/// Words that are not the subject of a goal by themselves.
const ARTICLES: &[&str] =
    &["a", "an", "the", "each", "every", "all", "any", "some", "its", "their", "our", "both"];

fn has(list: &[&str], word: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(word))
}

pub(super) fn is_verb(word: &str) -> bool {
    has(VERBS, word)
}

pub(super) fn is_adverb(word: &str) -> bool {
    has(ADVERBS, word)
}

pub(super) fn is_joint(word: &str) -> bool {
    has(JOINTS, word)
}

pub(super) fn is_qualifier(word: &str) -> bool {
    has(QUALIFIERS, word)
}

pub(super) fn is_pronoun(word: &str) -> bool {
    has(PRONOUNS, word)
}

pub(super) fn is_article(word: &str) -> bool {
    has(ARTICLES, word)
}

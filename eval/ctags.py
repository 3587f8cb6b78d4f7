#!/usr/bin/env python3
"""Compare our outlines with those of universal-ctags, file by file, on real trees.

    python3 eval/ctags.py --eval target/release/spyhop-eval --lang java TREE       one language
    python3 eval/ctags.py --eval target/release/spyhop-eval java=TREE go=TREE...   a row for each pair

--grammars DIR reads manifests from a folder, --files N says how many files of a tree are looked at, --seed which ones,
and --verbose lists each miss, each unexplained symbol and each tag that is counted as wrong, with its source line.

What is compared are callables (functions, methods, macros) and types (classes, modules, aliases and what else a
language has of the kind). The table LANGUAGES says for each kind of ctags which of the two it is, or why it is left
out. A tag and a symbol are the same definition when they are of the same sort, have the same name, and the tag's line
is in the symbol: near its first line (attributes and a return type stand before the name that ctags points at), or
anywhere in it when the symbol is made of several clauses, each of which is a tag for ctags.

- Recall: the share of ctags' definitions that we have. Not counted are tags left out by a rule of OMITTED, and tags
  that are wrong: by a rule of WRONG, because their name is not on their line, or because nothing but a comment or a
  string stands there by our parser's tree, in a file that it reads without an error. Both have a column.
- Precision: the share of our definitions, of the same sorts, that ctags has or whose absence from ctags has one of the
  two reasons of explained(): it is there with a kind that is left out, or its line has the syntax that only a
  declaration has.

Files are taken in turn from the folders of the tree, in a random order that depends on --seed alone. Left out are
files with fewer than --least definitions by ctags or above 1 MiB, and folders of test data, which often is broken on
purpose, of copies of other projects, and of generated files.

For a few files ctags' Kotlin parser says something else each time; nothing else here depends on the run.

The exit code is 1 when a row is below 95 % recall or 90 % precision. Python 3.9 and universal-ctags 5.9 are needed.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys

RECALL, PRECISION = 95.0, 90.0
LARGEST = 1 << 20
MAX_LINE = 2000  # a longer line is minified or data
AFTER = 12  # lines from a symbol's first one to the one with its name: attributes, templates, a return type

CALLABLE, TYPE = "callable", "type"
OURS = {
    "fn": CALLABLE, "method": CALLABLE, "macro": CALLABLE,
    "struct": TYPE, "class": TYPE, "enum": TYPE, "trait": TYPE, "interface": TYPE, "impl": TYPE, "module": TYPE,
    "type": TYPE,
}  # fmt: skip
CLAUSES = {"elixir"}  # where a symbol can be several clauses, each of which has a tag
FUNCTION = re.compile(r"(\w+)\s*[=:]\s*(?:async\s+)?function\s*\*?\s*(\w+)")
TWINS = {  # what has two names, each of which is a good one
    "cpp": re.compile(r"^\s*(\w+)\s*\(\s*\w+\s*,\s*(\w+)\s*\)"),  # TEST(suite, name)
    "javascript": FUNCTION,  # a.b = function c
    "typescript": FUNCTION,
}
SKIPPED = re.compile(
    r"(^|/)(\.\w[^/]*|(test[-_]?)?(fixtures?|data)|(test[-_]?)?cases|baselines?|__snapshots__|vendor(ed)?"
    r"|third[-_]?party|gtest|gmock|googletest|single_include|deps|node_modules|dist|build|generated)/"
    r"|[.-]min\.|\.pb\.|zz_generated"
)

Language = collections.namedtuple("Language", "ctags extensions compared left_out flags")
Tag = collections.namedtuple("Tag", "name line kind sort scope within")
Symbol = collections.namedtuple("Symbol", "name line end kind sort container")
Node = collections.namedtuple("Node", "line kind holder text")
File = collections.namedtuple("File", "language path lines tags others symbols")


def language(ctags, extensions, callables, types, left_out, flags=()):
    compared = {**{kind: CALLABLE for kind in callables.split()}, **{kind: TYPE for kind in types.split()}}
    return Language(ctags, tuple(extensions.split()), compared, left_out, tuple(flags))


MEMBER, VALUE, IMPORT = "a member that holds a value", "a value", "an import defines nothing here"
PACKAGE = "says where the file belongs, as its path does"
LANGUAGES = {
    "bash": language(
        "Sh", ".sh .bash", "function alias", "",
        {"heredoc": "the end mark of a text", "script": IMPORT},
    ),
    "c": language(
        "C", ".c .h", "function prototype macro", "struct union enum typedef",
        {"enumerator": VALUE, "member": MEMBER, "variable": VALUE, "header": IMPORT},
        ["--kinds-C=+p"],
    ),
    "cpp": language(
        "C++", ".cc .cpp .cxx .hh .hpp .hxx .h", "function prototype macro",
        "class struct union enum typedef namespace alias",
        {"enumerator": VALUE, "member": MEMBER, "variable": VALUE, "header": IMPORT},
        ["--kinds-C++=+p"],
    ),
    "csharp": language(
        "C#", ".cs", "method", "class interface struct enum namespace",
        {
            "typedef": IMPORT,  # using A = B.C
            "field": MEMBER, "property": MEMBER, "event": MEMBER, "enumerator": VALUE,
            "macro": "a switch without a value: C# has no others",
        },
    ),
    "elixir": language(
        "Elixir", ".ex .exs", "function macro delegate guard operator callback",
        "module protocol implementation type exception record",
        {"test": "named by a sentence, not by an identifier"},
    ),
    "go": language(
        "Go", ".go", "func methodSpec", "struct interface type talias",
        {
            "package": PACKAGE, "packageName": IMPORT, "const": VALUE, "var": VALUE, "member": MEMBER,
            "anonMember": MEMBER, "unknown": IMPORT,
        },
    ),
    "java": language(
        "Java", ".java", "method", "class interface enum annotation",
        {"field": MEMBER, "enumConstant": VALUE, "package": PACKAGE},
    ),
    "javascript": language(
        "JavaScript", ".js .mjs .cjs", "function generator method getter setter", "class",
        {"constant": VALUE, "variable": VALUE, "property": MEMBER, "field": MEMBER},
    ),
    "kotlin": language(
        "Kotlin", ".kt", "method", "class interface object typealias",
        {"constant": VALUE, "variable": VALUE, "package": PACKAGE},
    ),
    "lua": language("Lua", ".lua", "function", "", {}),
    "php": language(
        "PHP", ".php", "function", "class interface trait namespace",
        {"alias": IMPORT, "define": VALUE, "variable": VALUE},
    ),
    "python": language(
        "Python", ".py", "function member", "class",
        {"variable": VALUE, "namespace": IMPORT, "module": IMPORT, "unknown": IMPORT},
    ),
    "ruby": language(
        "Ruby", ".rb", "method singletonMethod alias", "class module",
        {"accessor": MEMBER, "constant": VALUE, "library": IMPORT},
    ),
    "rust": language(
        "Rust", ".rs", "function method macro",
        "struct enum interface typedef module implementation",
        {"enumerator": VALUE, "field": MEMBER, "variable": VALUE},
    ),
    "typescript": language(
        "TypeScript", ".ts", "function method generator", "class interface enum alias namespace",
        {"constant": VALUE, "variable": VALUE, "property": MEMBER, "enumerator": VALUE},
    ),
}  # fmt: skip

# Kinds of ctags that are of the other sort where the line says so.
RESORTED = {
    ("JavaScript", "class"): (r"\bfunction\b", CALLABLE),  # a function that is called with `new`
    ("Java", "method"): (r"\brecord\s", TYPE),  # younger than ctags
    ("C#", "method"): (r"\b(class|struct|record|delegate)\s", TYPE),
}

Rule = collections.namedtuple("Rule", "reason kinds has lacks scope", defaults=("", "", "", ""))

# Tags that are definitions, but not of what is compared, by language: of one of `kinds`, in a scope of kind `scope`, on
# a line that matches `has` and does not match `lacks`. NAME stands for the tag's name.
LOCAL_ALIAS = Rule("alias local to a function", "typedef", scope="function")
VALUELESS = Rule("macro without a value", "macro", r"^\s*#\s*define\s+NAME\s*(/[/*].*)?$")
OMITTED = {
    "c": [VALUELESS, LOCAL_ALIAS],
    "cpp": [
        VALUELESS,
        LOCAL_ALIAS,
        Rule("instance of a template", "prototype", r"^\s*(extern\s+)?template\s+(?!<)"),
    ],
    "elixir": [Rule("computed name", has=r"\bdef\w*\s+unquote\(")],
    "lua": [Rule("computed key", has=r"^\s*\w+\[(?!['\"]).*\]\s*=\s*function")],
    "typescript": [
        Rule("construct signature, without a name", has=r"^\s*new\s*[(<]"),
        Rule("property with the type of a function", has=r"\bNAME\??:\s*[<(].*[^{]$"),
        Rule("import, or export of an import", has=r"^\s*(im|ex)port (type )?\{"),
    ],
}

# Tags that are wrong, in the same form. The rules for every language are in wrong().
CALLED = [
    Rule("call as prototype", "prototype", r"(\.|->|\()NAME\s*\("),
    Rule("macro's call as prototype", "prototype", r"^\s*(?=\w)(?!operator)NAME\s*\("),  # without a type
]
WRONG = {
    "bash": [Rule("array as function", has=r"NAME(?<==)\s*\(")],
    "c": CALLED,
    "cpp": CALLED,
    "csharp": [Rule("call as method", "method", r"^\s*(?=\w+\.)NAME\s*[<(].*;")],
    "javascript": [
        Rule("value as class", "class", lacks=r"\b(class|function)\b"),
        Rule("value as function", lacks=r"\b(class|function)\b|=>|NAME\s*\("),
        Rule("value as function", has=r"\bNAME\s*=\s*\{"),
        Rule("object for the member assigned", has=r"(^|\.|\s)NAME(\.\w+|\[[^]]*\])+\s*="),
        Rule("call as method", "method", r"\.NAME\(.*\)[^{]*$"),
        Rule("module.exports as a name", has=r"\bmodule\.NAME\s*="),
    ],
    "kotlin": [Rule("variable as method", "method", lacks=r"\bfun\b[^={]*NAME")],
    "lua": [
        Rule(
            "line with the word function",
            lacks=r"\bfunction\s+[\w.:]*NAME\s*\(|\bNAME['\"\]]*\s*=\s*([\w.]+\s+or\s+)?function\b",
        ),
    ],
    "ruby": [Rule("receiver for the method", has=r"\bdef\s+NAME\.")],
    "typescript": [Rule("word in an expression or import", "alias", lacks=r"^\s*(export\s+|declare\s+)*type\s+NAME\b")],
}

# What only a declaration looks like, by language and sort; NAME stands for the symbol's name. It explains a symbol that
# ctags does not have: in bodies that it does not look into, behind syntax that makes it lose its way, or younger than
# itself.
C_TYPES = (
    r"\b(class|struct|union|enum|namespace|interface|record|typedef|using)\s+(\w+\s+)*([\w.]+[.:]+)*NAME\b"
    r"|\bdelegate\s.*\bNAME\s*[<(]"
)
TYPED = (  # attributes and a type before the name
    r"^\s*(\[[^]]*\]\s*|@\w+(\([^)]*\))?\s*)*"
    r"(?!(return|new|else|throw|await|yield|case|goto|delete|co_return|co_await)\b)"
    r"(::)?[\w<~][\w<>\[\],.?:&*@~ %s]*[\s*&>](?<!operator\s)([\w<>,]+[.:]+)*NAME\s*(<[^(]*>)?\s*\("
)
C_CALLABLES = TYPED % "" + r"|#\s*define\s+NAME\b|(^|\s)(?=~)NAME\s*\(\s*\)"
CSHARP_CALLABLES = TYPED % "()" + r"|\bthis\s*\["  # a type may be a tuple
JS_CALLABLES = (
    r"\bfunction\b\s*\*?\s*NAME\b|NAME['\"\]]?\s*(:[^=]*)?[:=]\s*(async\s*)?(function\b|\(|<|\w+\s*=>)"
    r"|^\s*((public|private|protected|static|async|get|set|abstract|override|export|declare)\s+|\*\s*)*"
    r"#?\[?NAME\]?[?!]?\s*[(<]"
    r"|[{,]\s*(async\s+|get\s+|set\s+|\*\s*)*NAME\s*\([^()]*\)\s*\{"
)
CONSTRUCTOR = r"^\s*NAME\s*([(][^;]*)?\{"
RUBY_BLOCK = r"(^|\{)\s*(\w+\.)?\w+[\s(]+[:'\"]?NAME.*(\bdo\b|\{)"  # describe "a name" do
RESERVED = set(
    "if else for while do switch case return new throw catch int long short char void float double bool unsigned signed"
    " const static default sizeof typeof in is as"
    " auto decltype noexcept struct class union enum namespace template typename concept requires operator".split()
)  # no name in any of these languages: where one is ours, the parser was lost
DECLARES = {
    "bash": {CALLABLE: r"\bfunction\s+NAME(\s|\(|$)|(^|[\s;&|])NAME\s*\(\s*\)"},
    "c": {CALLABLE: C_CALLABLES, TYPE: C_TYPES + r"|^\s*\}.*\bNAME\b"},
    "cpp": {
        CALLABLE: C_CALLABLES,
        TYPE: C_TYPES + r"|^\s*\}.*\bNAME\b|\bconcept\s+NAME\b",
    },
    "csharp": {CALLABLE: CSHARP_CALLABLES, TYPE: C_TYPES},
    "elixir": {
        CALLABLE: r"(\bdef\w*|@callback|@macrocallback)\s+\(?.*NAME|^\s*\w+[\s(]+\":?NAME.*(\bdo|,)\s*$",
        TYPE: r"\bdef(module|protocol|impl|exception|record)\s.*NAME|@(type|typep|opaque)\s+NAME\b|^\s*NAME\s+[\[\w]"
        r"|^\s*\w+[\s(]+\":?NAME.*(\bdo|,)\s*$",
    },
    "go": {CALLABLE: r"\bfunc\b.*\bNAME\s*[(\[]", TYPE: r"\btype\s+NAME\b"},
    "java": {CALLABLE: C_CALLABLES, TYPE: C_TYPES},
    "javascript": {CALLABLE: JS_CALLABLES, TYPE: r"\bclass\s+NAME\b|NAME\s*=\s*class\b"},
    "kotlin": {
        CALLABLE: r"\bfun\b.*NAME`?\s*\(|\bconstructor\s*\(",
        TYPE: r"\b(class|interface|object|typealias)\s+`?NAME\b",
    },
    "lua": {CALLABLE: r"\bfunction\s+([\w.:]+[.:])?NAME\s*\(|NAME['\"\]]*\s*=\s*function\b"},
    "php": {
        CALLABLE: r"\bfunction\s+&?\s*NAME\s*\(",
        TYPE: r"\b(class|interface|trait|enum|namespace)\s+([\w\\]+\\)?NAME\b",
    },
    "python": {CALLABLE: r"\bdef\s+NAME\b", TYPE: r"\b(class|type)\s+NAME\b"},
    "ruby": {
        CALLABLE: r"\bdef\s+([\w@]+\.)?NAME|\b(alias|alias_method|define_method|attr_\w+)\b.*NAME|" + RUBY_BLOCK,
        TYPE: r"\b(class|module)\s+([\w:]+::)?NAME\b|\bNAME\s*=\s*(Struct|Class|Module|Data)\.|" + RUBY_BLOCK,
    },
    "rust": {
        CALLABLE: r"\bfn\s+(r#)?NAME\b|\bmacro_rules!\s*NAME\b",
        TYPE: r"\b(struct|enum|union|trait|mod|type)\s+NAME\b|\bimpl\b.*\bNAME\b",
    },
    "typescript": {
        CALLABLE: JS_CALLABLES,
        TYPE: r"\b(class|interface|enum|type|namespace|module)\s+['\"]?NAME\b|NAME\s*=\s*class\b",
    },
}  # fmt: skip


def holds(rule, tag, line):
    if rule in CALLED and re.split(r"\W+", tag.scope)[-1] == tag.name:
        return False  # a constructor, which has no type
    return (
        (not rule.kinds or tag.kind in rule.kinds.split())
        and (not rule.scope or tag.within == rule.scope)
        and (not rule.has or declares(tag, line, rule.has))
        and (not rule.lacks or not declares(tag, line, rule.lacks))
    )


def declares(row, text, pattern):
    return bool(re.search(pattern.replace("NAME", re.escape(row.name)), text, re.MULTILINE))


def explained(name, symbol, file):
    """Why ctags has no tag for a symbol of ours."""
    if has_other(symbol, file):
        return "in ctags, of a kind left out"
    pattern = DECLARES.get(name, {}).get(symbol.sort)
    if name in ("c", "cpp", "csharp", "java") and symbol.name in RESERVED:
        return None
    if symbol.sort == CALLABLE and (symbol.container or "").endswith(symbol.name):
        pattern = f"{pattern}|{CONSTRUCTOR}"
    head = file.lines[symbol.line - 1 : min(symbol.line + AFTER, symbol.end)]
    if pattern and any(declares(symbol, line, pattern) for line in head):
        return f"declared as a {symbol.kind}"
    return None


def has_other(symbol, file):
    return any(tag.name == symbol.name and within(tag, symbol) for tag in file.others)


def main():
    args = arguments()
    pairs = [pair(text, args.lang) for text in args.trees]
    print("| language | tree | files | ctags | found | recall % | omitted | ctags wrong | ours | in ctags | explained "
          "| unexplained | precision % |")  # fmt: skip
    print("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    below = [row(args, name, tree) for name, tree in pairs]
    sys.exit(1 if any(below) else 0)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--eval", required=True, help="the program spyhop-eval")
    parser.add_argument("--grammars", help="a folder of manifests")
    parser.add_argument("--lang", choices=sorted(LANGUAGES), help="the language of trees without one")
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--least", type=int, default=5, help="definitions by ctags that a file must have")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("trees", nargs="+", metavar="TREE or LANG=TREE")
    return parser.parse_args()


def pair(text, name):
    if name is None:
        name, _, text = text.partition("=")
    if name not in LANGUAGES or not os.path.isdir(text):
        sys.exit(f"{text}: no tree, or no language of {', '.join(sorted(LANGUAGES))}")
    return name, text


def row(args, name, tree):
    counts, reasons, notes = collections.Counter(), collections.Counter(), []
    for file in sample(args, name, tree):
        counts["files"] += 1
        recall_of(args, name, tree, file, counts, notes)
        precision_of(name, file, counts, reasons, notes)
    recall = percent(counts["found"], counts["tags"])
    precision = percent(counts["known"] + counts["explained"], counts["symbols"])
    cells = [name, os.path.basename(os.path.abspath(tree)), counts["files"], counts["tags"], counts["found"]]
    cells += [f"{recall:.1f}", counts["omitted"], counts["wrong"], counts["symbols"], counts["known"]]
    cells += [counts["explained"], counts["symbols"] - counts["known"] - counts["explained"], f"{precision:.1f}"]
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)
    if args.verbose:
        for reason, count in reasons.most_common():
            print(f"    {count:5} explained: {reason}")
        for reason, count in counts.most_common():
            if reason.startswith(("omitted: ", "wrong: ")):
                print(f"    {count:5} {reason}")
        for note in notes:
            print(f"    {note}")
    return recall < RECALL or precision < PRECISION


def percent(part, whole):
    return 100.0 * part / whole if whole else 0.0


def sample(args, name, tree):
    """Files of a language, in turn from the folders of a tree."""
    folders = collections.defaultdict(list)
    for path in paths(tree, LANGUAGES[name].extensions):
        folders[os.path.dirname(path)].append(path)
    chance = random.Random(args.seed)
    queues = [folders[folder] for folder in sorted(folders)]
    for queue in queues:
        chance.shuffle(queue)
    chance.shuffle(queues)
    taken = 0
    while queues and taken < args.files:
        for queue in queues:
            file = read(args, name, tree, queue.pop())
            if file is not None:
                taken += 1
                yield file
            if taken == args.files:
                return
        queues = [queue for queue in queues if queue]


def paths(tree, extensions):
    found = []
    for folder, folders, names in os.walk(tree):
        folders[:] = [below for below in folders if below != ".git"]
        for name in names:
            path = os.path.join(folder, name)
            relative = os.path.relpath(path, tree).replace(os.sep, "/")
            if name.endswith(extensions) and not SKIPPED.search(relative) and not os.path.islink(path):
                if os.path.getsize(path) <= LARGEST:
                    found.append(relative)
    return sorted(found)


def read(args, name, tree, path):
    """What both say about a file, or None where ctags has too few definitions."""
    whole = os.path.join(tree, path)
    rows = ctags(LANGUAGES[name], whole)
    compared = LANGUAGES[name].compared
    tags = [tag for tag in rows if tag.kind in compared]
    if len(tags) < args.least:
        return None
    with open(whole, encoding="utf-8-sig", errors="replace", newline="") as file:
        lines = re.split(r"\r\n|\r|\n", file.read())
    if max(map(len, lines)) > MAX_LINE:
        return None
    others = [tag for tag in rows if tag.kind not in compared]
    return File(name, path, lines, tags, others, outline(args, name, whole))


def ctags(spec, path):
    command = ["ctags", "--options=NONE", "--quiet", "--sort=no", "--output-format=json", "--fields=+nKSlsZe"]
    command += [f"--language-force={spec.ctags}", *spec.flags, "-f", "-", path]
    seen = {}
    for line in run(command).splitlines():
        tag = json.loads(line)
        if tag["language"] != spec.ctags:
            continue  # a language inside another, such as RSpec's descriptions in Ruby
        kind = tag["kind"]
        if kind not in spec.compared and kind not in spec.left_out:
            sys.exit(f"no word on kind {kind} of {spec.ctags}")
        if re.match(r"__anon|anonymous[A-Z]|<", tag["name"], re.IGNORECASE):
            continue  # what has no name in the source
        scope = tag.get("scope", ""), tag.get("scopeKind", "")
        row = Tag(tag["name"].rstrip(), tag["line"], kind, sort_of(spec, tag), *scope)
        seen.setdefault((row.name, row.line, row.sort), row)
    return sorted(seen.values(), key=lambda tag: (tag.line, tag.name))


def sort_of(spec, tag):
    pattern, sort = RESORTED.get((spec.ctags, tag["kind"]), (None, None))
    if pattern and re.search(pattern, tag.get("pattern", "")):
        return sort
    return spec.compared.get(tag["kind"])


def outline(args, name, path):
    rows = [json.loads(line) for line in run([*program(args, name), "--json", path]).splitlines()]
    return [
        Symbol(row["name"], row["line"], row["end_line"], row["kind"], OURS.get(row["kind"]), row["container"])
        for row in rows
    ]


def program(args, name):
    return [args.eval, "outline", "--lang", name] + (["--grammars", args.grammars] if args.grammars else [])


def run(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stderr.decode('utf-8', 'replace')}")
    return done.stdout.decode("utf-8", "replace")


def within(tag, symbol):
    return symbol.line <= tag.line <= min(symbol.line + AFTER, symbol.end)


def same(tag, symbol, file):
    """Whether a tag and a symbol are one definition."""
    if tag.sort != symbol.sort or not symbol.line <= tag.line <= symbol.end:
        return False
    if file.language not in CLAUSES and tag.line > symbol.line + AFTER and tag.line != symbol.end:  # } name;
        return False
    if symbol.name == tag.name or last(symbol.name) == last(tag.name):  # a name may be qualified on either side
        return True
    if "operator" in tag.name:
        return spaceless(symbol.name) == spaceless(tag.name)
    if tag.line != symbol.line:
        return False
    if tag.kind == "alias" and symbol.name.startswith(tag.name):  # ctags ends the names of aliases at any sign
        return True
    twin = TWINS.get(file.language) and TWINS[file.language].search(file.lines[tag.line - 1])
    return bool(twin) and {twin[1], twin[2]} == {tag.name, symbol.name}


def last(name):
    return re.split(r"[.:\\]+(?=\w)", name)[-1]


def spaceless(text):
    return re.sub(r"\s", "", text)


def recall_of(args, name, tree, file, counts, notes):
    nodes = None
    for tag in file.tags:
        line = file.lines[tag.line - 1] if tag.line <= len(file.lines) else ""
        if any(same(tag, symbol, file) for symbol in file.symbols):
            counts["tags"] += 1
            counts["found"] += 1
            continue
        if nodes is None:
            nodes = syntax(args, name, os.path.join(tree, file.path))
        if reason := omitted(name, tag, line, nodes):
            counts["omitted"] += 1
            counts[f"omitted: {reason}"] += 1
        elif reason := wrong(name, tag, line, nodes):
            counts["wrong"] += 1
            counts[f"wrong: {reason}"] += 1
            notes.append(f"WRONG {note(file, tag, line)} [{reason}]")
        else:
            counts["tags"] += 1
            notes.append(f"MISS {note(file, tag, line)}{instead(tag, file)}")


def precision_of(name, file, counts, reasons, notes):
    for symbol in file.symbols:
        if symbol.sort is None:
            continue
        counts["symbols"] += 1
        if any(same(tag, symbol, file) for tag in file.tags):
            counts["known"] += 1
            continue
        if reason := explained(name, symbol, file):
            counts["explained"] += 1
            reasons[reason] += 1
        else:
            notes.append(f"EXTRA {note(file, symbol, file.lines[symbol.line - 1])}")


def note(file, row, line):
    return f"{file.path}:{row.line} {row.kind} {row.name}: {line.strip()[:110]}"


def instead(tag, file):
    """What we have under the name of a tag that we miss."""
    alike = [symbol for symbol in file.symbols if symbol.name == tag.name]
    if not alike:
        return ""
    symbol = min(alike, key=lambda symbol: abs(symbol.line - tag.line))
    return f" [ours: {symbol.kind} on line {symbol.line}]"


def syntax(args, name, path):
    """Our parser's leaves and errors: their lines, their kinds, the kinds of what holds them, and how they begin."""
    nodes, above = [], []
    for line in run([*program(args, name), "--tree", path]).splitlines():
        match = re.match(r" *(\d+) (( *)(\w+: )?)\(?(?:MISSING )?([^\s)]+)\)?(?: (\".*\"))?$", line)
        if not match:
            continue
        depth = len(match[3]) // 2
        above[depth:] = [match[5]]
        if match[6] != '""' or match[5] == "ERROR":
            nodes.append(Node(int(match[1]), match[5], above[depth - 1] if depth else "", match[6] or match[5]))
    return nodes


def omitted(name, tag, line, nodes):
    """Why a tag is no definition of a callable or a type."""
    for rule in OMITTED.get(name, []):
        if holds(rule, tag, line):
            return rule.reason
    return None


def wrong(name, tag, line, nodes):
    """Why a tag is no definition at all, whatever one calls a definition."""
    for rule in WRONG.get(name, []):
        if holds(rule, tag, line):
            return rule.reason
    if re.search(r"\w", tag.name) and spaceless(tag.name) not in spaceless(line):
        return "its name is not on its line"
    if any(node.kind == "ERROR" for node in nodes):
        return None  # our parser was lost somewhere: what it takes for a string proves nothing
    here = [node for node in nodes if node.line == tag.line] or [node for node in nodes if node.line < tag.line][-1:]
    texts = [node for node in here if re.search("comment|string|heredoc|quoted_content|escape", node.kind)]
    if texts and not any(tag.name in node.text for node in here if node not in texts):
        if len(texts) == len(here) or any(tag.name in node.text for node in texts):
            return "in a comment or a string"
    return None


if __name__ == "__main__":
    main()

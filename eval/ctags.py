#!/usr/bin/env python3
"""Compare our outlines with those of universal-ctags, file by file, on real trees.

    python3 eval/ctags.py --eval target/release/spyhop-eval --lang java TREE       one language
    python3 eval/ctags.py --eval target/release/spyhop-eval java=TREE go=TREE...   a row for each pair

--grammars DIR reads manifests from a folder, --files N says how many files of a tree are looked at, --seed which ones,
and --verbose lists each miss, each unexplained symbol and each tag that is counted as wrong, with its source line.

What is compared are callables (functions, methods, macros), types (classes, modules, aliases and what else a language
has of the kind) and values (constants, members, enumerators). The table LANGUAGES says for each kind of ctags which of the
three it is, or why it is left out. A tag and a symbol are the same definition when they are of the same sort, have the
same name, and the tag's line is in the symbol: near its first line (attributes and a return type stand before the name that ctags points at), or
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

The exit code is 1 when a row is below 99 % recall or 98 % precision. Python 3.9 and universal-ctags 5.9 are needed.
"""

import argparse
import collections
import json
import os
import random
import re
import subprocess
import sys

RECALL, PRECISION = 99.0, 98.0
LARGEST = 1 << 20
MAX_LINE = 2000  # a longer line is minified or data
AFTER = 12  # lines from a symbol's first one to the one with its name: attributes, templates, a return type

CALLABLE, TYPE, VALUE = "callable", "type", "value"
OURS = {
    "fn": CALLABLE, "method": CALLABLE, "macro": CALLABLE,
    "struct": TYPE, "class": TYPE, "enum": TYPE, "trait": TYPE, "interface": TYPE, "impl": TYPE, "module": TYPE,
    "type": TYPE, "const": VALUE, "field": VALUE, "variant": VALUE,
}  # fmt: skip
BY_RULE = set(
    "clojure cmake commonlisp d elm emacslisp erlang fortran julia objc ocaml pascal perl powershell protobuf r scss tcl"
    " verilog vhdl vim".split()
)  # without a parser
CLAUSES = {"elixir", "erlang"}  # where a symbol can be several clauses, each of which has a tag
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


def language(ctags, extensions, callables, types, values, left_out, flags=()):
    sorts = {CALLABLE: callables, TYPE: types, VALUE: values}
    compared = {kind: sort for sort, kinds in sorts.items() for kind in kinds.split()}
    return Language(ctags, tuple(extensions.split()), compared, left_out, tuple(flags))


IMPORT = "an import defines nothing here"
PACKAGE = "says where the file belongs, as its path does"
LOCAL = "may be a variable of a function, which ctags does not tell apart"
PART = "a part of another definition"
LANGUAGES = {
    "bash": language(
        "Sh", ".sh .bash", "function alias", "", "",
        {"heredoc": "the end mark of a text", "script": IMPORT},
    ),
    "c": language(
        "C", ".c .h", "function prototype macro", "struct union enum typedef", "enumerator member variable",
        {"header": IMPORT},
        ["--kinds-C=+p"],
    ),
    "clojure": language("Clojure", ".clj .cljc .cljs", "function", "", "", {"namespace": PACKAGE}),
    "cmake": language(
        "CMake", ".cmake", "function macro", "", "",
        {"option": LOCAL, "project": PACKAGE, "target": PART, "variable": LOCAL},
    ),
    "commonlisp": language(
        "Lisp", ".lisp .lsp .cl", "function macro", "", "variable const", {"unknown": "any other form that begins with def"},
    ),
    "cpp": language(
        "C++", ".cc .cpp .cxx .hh .hpp .hxx .h", "function prototype macro",
        "class struct union enum typedef namespace alias", "enumerator member variable",
        {"header": IMPORT},
        ["--kinds-C++=+p"],
    ),
    "csharp": language(
        "C#", ".cs", "method", "class interface struct enum", "field property event enumerator",
        {
            "namespace": PACKAGE,
            "typedef": IMPORT,  # using A = B.C
            "macro": "a switch without a value: C# has no others",
        },
    ),
    "d": language(
        "D", ".d", "function", "class struct interface union enum alias template", "enumerator member variable",
        {"module": PACKAGE, "version": PART, "mixin": IMPORT, "namespace": PACKAGE},
    ),
    "elixir": language(
        "Elixir", ".ex .exs", "function macro delegate guard operator callback",
        "module protocol implementation type exception record", "",
        {"test": "named by a sentence, not by an identifier"},
    ),
    "elm": language(
        "Elm", ".elm", "function port", "type alias", "constructor", {"module": PACKAGE, "namespace": IMPORT},
    ),
    "emacslisp": language(
        "EmacsLisp", ".el", "function macro subst inline alias derivedMode minorMode", "", "variable custom const varalias",
        {"group": PACKAGE, "face": PART, "error": PART, "theme": PART, "unknown": "any other form that begins with def"},
    ),
    "erlang": language(
        "Erlang", ".erl .hrl", "function macro", "record type", "", {"module": PACKAGE},
    ),
    "fortran": language(
        "Fortran", ".f90 .F90 .f95 .f03 .f08 .f .for", "function subroutine", "module submodule program type interface", "component",
        {
            "variable": LOCAL, "method": "names a procedure of the module", "label": PART, "namelist": PART, "common": PART,
            "enum": "has no name", "enumerator": LOCAL, "blockData": PART, "entry": PART,
        },
    ),
    "go": language(
        "Go", ".go", "func methodSpec", "struct interface type talias", "const var member",
        {"package": PACKAGE, "packageName": IMPORT, "anonMember": "an embedded type", "unknown": IMPORT},
    ),
    "java": language(
        "Java", ".java", "method", "class interface enum annotation", "field enumConstant", {"package": PACKAGE},
    ),
    "javascript": language(
        "JavaScript", ".js .mjs .cjs", "function generator method getter setter", "class", "constant",
        {"variable": LOCAL, "property": "a key of any object", "field": "a field or a key of any object"},
    ),
    "julia": language(
        "Julia", ".jl", "function macro", "struct type module", "field constant", {"unknown": IMPORT},
    ),
    "kotlin": language(
        "Kotlin", ".kt", "method", "class interface object typealias", "",
        {"constant": LOCAL, "variable": LOCAL, "package": PACKAGE},
    ),
    "lua": language("Lua", ".lua", "function", "", "", {}),
    "objc": language(
        "ObjectiveC", ".m .mm", "method function macro", "interface implementation protocol enum struct typedef", "property",
        {"class": IMPORT, "category": "an extension of a class", "field": LOCAL, "var": LOCAL},
    ),
    "ocaml": language(
        "OCaml", ".ml .mli", "method", "module class type Exception", "RecordField",
        {"function": LOCAL, "var": LOCAL, "val": LOCAL, "Constructor": LOCAL},
    ),
    "pascal": language("Pascal", ".pas .pp .lpr .dpr", "function procedure", "", "", {}),
    "perl": language(
        "Perl", ".pl .pm .t", "subroutine", "package", "constant", {"label": PART, "format": PART},
    ),
    "php": language(
        "PHP", ".php", "function", "class interface trait namespace", "define",
        {"alias": IMPORT, "variable": LOCAL},
    ),
    "powershell": language("PowerShell", ".ps1 .psm1", "function", "", "", {"variable": LOCAL}),
    "protobuf": language(
        "Protobuf", ".proto", "rpc", "message enum service", "field enumerator oneof",
        {"package": PACKAGE, "protodef": PART, "group": PART},
    ),
    "python": language(
        "Python", ".py", "function member", "class", "",
        {"variable": LOCAL, "namespace": IMPORT, "module": IMPORT, "unknown": IMPORT},
    ),
    "r": language(
        "R", ".r .R", "function", "", "",
        {
            "functionVar": LOCAL, "globalVar": LOCAL, "vector": LOCAL, "list": LOCAL, "dataframe": LOCAL, "nameattr": PART, "library": IMPORT,
            "source": IMPORT,
        },
    ),
    "ruby": language(
        "Ruby", ".rb", "method singletonMethod alias", "class module", "constant",
        {"accessor": "a member that a call makes", "library": IMPORT},
    ),
    "rust": language(
        "Rust", ".rs", "function method macro",
        "struct enum interface typedef module implementation", "enumerator field variable", {},
    ),
    "scss": language(
        "SCSS", ".scss", "mixin function", "", "",
        {"class": PART, "id": PART, "placeholder": PART, "variable": LOCAL, "parameter": PART},
    ),
    "tcl": language("Tcl", ".tcl", "procedure", "namespace", "", {}),
    "typescript": language(
        "TypeScript", ".ts", "function method generator", "class interface enum alias namespace", "property enumerator",
        {"constant": LOCAL, "variable": LOCAL},
    ),
    "verilog": language(
        "Verilog", ".v", "function task", "module", "constant",
        {"block": PART, "event": PART, "instance": PART, "net": PART, "port": PART, "register": PART},
    ),
    "vhdl": language(
        "VHDL", ".vhd .vhdl", "function procedure", "entity package architecture type subtype", "constant signal",
        {
            "alias": PART, "generic": PART, "port": PART, "process": PART, "record": PART, "variable": LOCAL,
        },
    ),
    "vim": language(
        "Vim", ".vim", "function", "", "",
        {"command": PART, "augroup": PART, "map": PART, "variable": LOCAL, "constant": LOCAL, "filename": PART},
    ),
}  # fmt: skip

# Kinds of ctags that are of the other sort where the line says so.
RESORTED = {
    ("JavaScript", "class"): (r"\bfunction\b", CALLABLE),  # a function that is called with `new`
    ("JavaScript", "constant"): (r"=\s*(async\s*)?(function\b|\([^()]*\)\s*=>|[\w$]+\s*=>|\((?!\(|\w+\s*=>)[^()]*\$?/?$)", CALLABLE),
    ("Verilog", "constant"): (r"`define\b", CALLABLE),
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
    "elm": [Rule("bound inside a function", "function", has=r"^\s+")],
    "julia": [Rule("local to a function or a block", "function", has=r"^\s+(?!.*\bfunction\b)")],
    "vhdl": [Rule("local to a process or a subprogram", "constant", has=r"^\s{4,}")],
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
    "cpp": [*CALLED, Rule("macro's call as function", "function prototype", has=r"^\s*(?=[A-Z0-9_]+\s*\()NAME\s*\(\)\s*$")],
    "csharp": [Rule("call as method", "method", r"^\s*(?=\w+\.)NAME\s*[<(].*;")],
    "javascript": [
        Rule("value as class", "class", lacks=r"\b(class|function)\b"),
        Rule("value as function", lacks=r"\b(class|function)\b|=>|NAME\s*\("),
        Rule("value as function", has=r"\bNAME\s*=\s*\{"),
        Rule("object for the member assigned", has=r"(^|\.|\s)NAME(\.\w+|\[[^]]*\])+\s*="),
        Rule("call as method", "method", r"\.NAME\(.*\)[^{]*$"),
        Rule("module.exports as a name", has=r"\bmodule\.NAME\s*="),
    ],
    "d": [
        Rule("attribute as value", "member variable", has=r"\b(?=nothrow|pure|safe|nogc|const|trusted)NAME\s*;"),
        Rule("parameter as value", "variable", lacks=r"\bNAME\s*([=;,]|$)"),
        Rule("assignment as value", "member variable", has=r"^\s*NAME\s*="),
        Rule("parameter as alias", "alias", lacks=r"\balias\s+NAME\b"),
    ],
    "erlang": [Rule("word of a text", "function", lacks=r"^\s*'?NAME'?\s*\(")],
    "kotlin": [Rule("variable as method", "method", lacks=r"\bfun\b[^={]*NAME")],
    "lua": [
        Rule(
            "line with the word function",
            lacks=r"\bfunction\s+[\w.:]*NAME\s*\(|\bNAME['\"\]]*\s*=\s*([\w.]+\s+or\s+)?function\b",
        ),
    ],
    "objc": [Rule("property as method", "method", has=r"^\s*@property\b")],
    "ocaml": [
        Rule("constraint of a signature", has=r"\b(with|and)\s+(type|module)\b"),
        Rule("module as a value", "module", has=r"\(\s*module\s+NAME"),
        Rule("module that is used", "module", lacks=r"\bmodule\s+(type\s+|rec\s+)*NAME\b"),
        Rule("word of a type", "type", lacks=r"\b(type|and)\b[^=]*\bNAME\b"),
        Rule("word of a type", "type", has=r"\btype\s+NAME\s+\w+\s*(=|$)"),
    ],
    "pascal": [
        Rule("word of a text", has=r"'[^']*\b(function|procedure)\s+NAME\b"),
        Rule("type of a procedure", has=r"=\s*(function|procedure)\s+NAME\b"),
        Rule("word of a comment", has=r"(//|\*).*\b(function|procedure)\s+NAME\b"),
        Rule("word of a type", lacks=r"\b(function|procedure)\s+([\w.]+\.)?NAME\b"),
    ],
    "protobuf": [Rule("key of an option", "field", has=r"\bNAME\s*:|\breserved\b")],
    "ruby": [Rule("receiver for the method", has=r"\bdef\s+NAME\."), Rule("constant compared", "constant", has=r"NAME\s*===")],
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
    "clojure": {CALLABLE: r"\(NAME\b|\(\S*(def|fn)\S*\s+(\^\S+\s+)?NAME"},
    "cmake": {CALLABLE: r"\b(function|macro)\s*\(\s*NAME\b"},
    "commonlisp": {CALLABLE: r"\(def\S*\s+\(?(setf\s+)?NAME", VALUE: r"\(def\S*\s+\(?NAME"},
    "d": {
        CALLABLE: TYPED % "!()" + r"|~?\bthis\s*\(|\bunittest\b",
        TYPE: C_TYPES + r"|\b(alias|template|enum)\s+NAME\b|\benum\b.*\bNAME\b|\bNAME\s*(\{|$)",
        VALUE: r"\bNAME\s*([=;,]|$)|\benum\b.*\bNAME\b|[{,]\s*NAME\s*[},]",
    },
    "elm": {CALLABLE: r"^NAME\b", TYPE: r"\btype\s+(alias\s+)?NAME\b", VALUE: r"[=|]\s*NAME\b"},
    "emacslisp": {
        CALLABLE: r"\(\S*(def|transient-define)\S*\s+'?NAME", VALUE: r"\(\S*def\S*\s+'?NAME",
    },
    "erlang": {CALLABLE: r"^'?NAME'?\s*\(|^-define\(\s*NAME\b", TYPE: r"^-(type|opaque|record|callback)\s*\(?\s*'?NAME\b"},
    "fortran": {
        CALLABLE: r"(?i)\b(function|subroutine|entry)\s+NAME\b|\bprocedure\b.*\bNAME\b|\b(generic|final)\b.*\bNAME\b",
        TYPE: r"(?i)\b(module|submodule|program|type|interface|block\s*data)\b.*NAME|\bNAME\s*$",
        VALUE: r"(?i)::.*\bNAME\b",
    },
    "julia": {
        CALLABLE: r"\b(function|macro)\b.*NAME|NAME\s*(\{.*\})?\(.*\).*=",
        TYPE: r"\b(struct|type|module)\s+NAME\b", VALUE: r"\bconst\s+NAME\b|^\s*(const\s+)?NAME\s*(::|$|;)",
    },
    "objc": {
        CALLABLE: TYPED % "" + r"|^\s*[-+]\s*\([^)]*\).*?\bNAME\b|#\s*define\s+NAME\b",
        TYPE: C_TYPES + r"|@(interface|implementation|protocol)\s+NAME\b|\bNS_\w+\(.*\bNAME\b|^\s*\}.*\bNAME\b",
        VALUE: r"@property\b.*\bNAME\b|\b(const|static|extern)\b.*\bNAME\b|^\s*NAME\s*([=,]|$)",
    },
    "ocaml": {
        CALLABLE: r"\b(let|and|val|external|method)\b.*NAME",
        TYPE: r"\b(module|class|type|and|exception)\b.*\bNAME\b",
        VALUE: r"\b(let|and|val|external)\b.*NAME|[{;]?\s*(mutable\s+)?NAME\s*:|[=|]\s*NAME\b",
    },
    "pascal": {CALLABLE: r"(?i)\b(procedure|function|constructor|destructor|operator)\s+([\w<>]+\.)?NAME\b"},
    "perl": {
        CALLABLE: r"\b(sub|method)\s+([\w:]+::)?NAME\b", TYPE: r"\b(package|class|role)\s+NAME\b",
        VALUE: r"\bconstant\s+NAME\b|\bour\s+[$@%]NAME\b|\bhas\s+['\"]?\+?NAME\b",
    },
    "powershell": {CALLABLE: r"(?i)\b(function|filter|workflow)\s+(\w+:)?NAME\b|^\s*(\[[^]]*\]\s*)?((static|hidden)\s+)*NAME\s*\("},
    "protobuf": {
        CALLABLE: r"\brpc\s+NAME\b", TYPE: r"\b(message|enum|service|extend)\s+NAME",
        VALUE: r"^\s*[\w.<>, ]+\s+NAME\s*=|^\s*NAME\s*=|\boneof\s+NAME\b",
    },
    "r": {CALLABLE: r"NAME[`\"]?\s*(<<?-|=)\s*(function\b|\\\()|set(Generic|Method|Validity)\(.*NAME"},
    "scss": {CALLABLE: r"@(mixin|function)\s+NAME"},
    "tcl": {CALLABLE: r"\b(proc|method)\s+(\S*::)?NAME|\b(constructor|destructor)\b", TYPE: r"\b(namespace\s+eval|class)\b.*NAME"},
    "verilog": {
        CALLABLE: r"\b(function|task)\b.*\bNAME\b|`define\s+NAME\b", TYPE: r"\b(module|macromodule|primitive)\s+NAME\b",
        VALUE: r"\b(parameter|localparam)\b.*\bNAME\b",
    },
    "vhdl": {
        CALLABLE: r"(?i)\b(function|procedure)\s+NAME|\bNAME\s*:\s*(postponed\s+)?process\b",
        TYPE: r"(?i)\b(entity|architecture|package|type|subtype|component|configuration|context)\s+(body\s+)?NAME\b",
        VALUE: r"(?i)\b(constant|alias|signal|variable|type)\b.*\bNAME\b|^\s*\(?(\s*\w+\s*,)*\s*NAME\s*([,):]|$)",
    },
    "vim": {CALLABLE: r"\bfu\w*!?\s+NAME|\bcommand!?\s.*NAME"},
    "typescript": {
        CALLABLE: JS_CALLABLES,
        TYPE: r"\b(class|interface|enum|type|namespace|module)\s+['\"]?NAME\b|NAME\s*=\s*class\b",
    },
}  # fmt: skip

C_VALUES = (
    r"^\s*(?!(return|goto|delete|throw|else|case)\b)[\w:<>,.*&?\[\]() ]+[\w>*&\]?)]\s*\bNAME\b\s*(\[[^]]*\]\s*)*([=;,:{(]|$)"
    r"|^\s*NAME\s*([=,}({]|$)|[{,*]\s*NAME\s*[,}=;\[]"
)
JS_VALUES = (
    r"\b(const|let|var)\b.*\bNAME\b|(\bthis|exports|prototype|^\s*\w+)\.NAME\s*="
    r"|^\s*(/\*.*?\*/\s*)?((static|public|private|protected|readonly|declare|abstract|override)\s+)*['\"#]?NAME['\"]?[?!]?\s*([=:;,]|$)"
    r"|[{;(,]\s*((public|private|protected|readonly)\s+)*['\"]?NAME['\"]?[?!]?\s*[=:,}]"
)
for name, pattern in {
    "c": C_VALUES, "cpp": C_VALUES, "csharp": C_VALUES + r"|\bNAME\s*(\{|=>|$)|\bthis\s*\[", "java": C_VALUES,
    "go": r"^\s*((const|var)\s+)?(\w+\s*,\s*)*NAME\b|[{;]\s*NAME\s", "javascript": JS_VALUES, "typescript": JS_VALUES,
    "rust": r"\b(const|static)\s+(mut\s+|ref\s+)*NAME\b|\bNAME\s*:|^\s*NAME\b",
    "php": r"\bconst\b.*\bNAME\b|\bdefine\s*\(|\$NAME\b|\bcase\s+NAME\b",
    "ruby": r"\bNAME\s*(\|\|)?=|\b(attr|attr_\w+|cattr_\w+|mattr_\w+)\b.*:NAME\b|@NAME\b",
    "r": r"^\s*[`\"]?NAME[`\"]?\s*(<<?-|=)",
}.items():
    DECLARES[name][VALUE] = pattern


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
    symbols = outline(args, name, whole)
    return None if symbols is None else File(name, path, lines, tags, others, symbols)


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
        name = tag["name"].split()[0] if spec.ctags == "Elm" else tag["name"].rstrip()
        row = Tag(name, tag["line"], kind, sort_of(spec, tag), *scope)
        seen.setdefault((row.name, row.line, row.sort), row)
    return sorted(seen.values(), key=lambda tag: (tag.line, tag.name))


def sort_of(spec, tag):
    pattern, sort = RESORTED.get((spec.ctags, tag["kind"]), (None, None))
    if pattern and re.search(pattern, tag.get("pattern", "")):
        return sort
    return spec.compared.get(tag["kind"])


def outline(args, name, path):
    """Our symbols; None for a file of another language with the same extension."""
    command = [args.eval, "outline"] + (["--grammars", args.grammars] if args.grammars else [])
    rows = [json.loads(line) for line in run([*command, "--json", path]).splitlines()]
    if any(row["language"] != name for row in rows):
        return None
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
    if symbol.name.startswith("operator(") and symbol.name[9:-1] == tag.name:  # of Fortran
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
    return re.split(r"[.:\\]+(?=\w)", name.split(":", 1)[0] if name.endswith(":") else name)[-1]


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
        if symbol.sort not in LANGUAGES[name].compared.values():
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
    if name in BY_RULE:
        return nodes
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
    if not nodes or any(node.kind == "ERROR" for node in nodes):
        return None  # our parser was lost somewhere: what it takes for a string proves nothing
    here = [node for node in nodes if node.line == tag.line] or [node for node in nodes if node.line < tag.line][-1:]
    texts = [node for node in here if re.search("comment|string|heredoc|quoted_content|escape", node.kind)]
    if texts and not any(tag.name in node.text for node in here if node not in texts):
        if len(texts) == len(here) or any(tag.name in node.text for node in texts):
            return "in a comment or a string"
    return None


if __name__ == "__main__":
    main()

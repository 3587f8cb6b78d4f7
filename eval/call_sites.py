#!/usr/bin/env python3
"""Draws call sites of source trees by seed, with the definitions that a compiler or type checker finds: the sets of `graph_oracle.py`.

    python3 eval/call_sites.py LANGUAGE TREE... [--sites 80] [--seed 1] > eval/sets/graph/LANGUAGE.tsv

A set has a line for each site: tree, path, line, column, name, expected. `graph_oracle.py` explains the column `expected`.
Sites that the judge does not resolve are left out. The judges, which registries of packages have:

| LANGUAGE | sites | judge |
|---|---|---|
| c, cpp | calls and macros that libclang sees | libclang with the folders of headers of the tree: `pip install libclang`; `--clang` names arguments |
| python | calls of `ast` | `pyright-langserver`: `pip install pyright` |
| php | names before `(` | `intelephense`: `npm install intelephense` |
| rust | calls of the compiler's MIR | `cargo +nightly rustc`; the tree is built |
| typescript | calls and `new` of TypeScript's syntax tree | TypeScript's checker: `npm install typescript@5`, in the folder `--typescript` |
"""
import argparse
import ast
import collections
import json
import os
import pathlib
import random
import re
import subprocess
import sys
import urllib.parse

ENDINGS = {"python": (".py",), "php": (".php",), "c": (".c",), "cpp": (".cc", ".cpp", ".cxx")}
SERVERS = {"python": ["pyright-langserver", "--stdio"], "php": ["intelephense", "--stdio"]}
LEFT_OUT = {"node_modules", "vendor", ".git"}


def sources(tree, endings):
    for path in sorted(tree.rglob("*")):
        if path.suffix in endings and path.is_file() and not LEFT_OUT & set(path.relative_to(tree).parts):
            yield path


class Server:
    """A language server, asked for definitions."""

    def __init__(self, command, tree, language):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        self.tree, self.language, self.last, self.opened = tree, language, 0, set()
        folder = [{"uri": tree.as_uri(), "name": tree.name}]
        link = {"textDocument": {"definition": {"linkSupport": True}}, "workspace": {"configuration": True, "workspaceFolders": True}}
        self.ask("initialize", {"processId": os.getpid(), "rootUri": tree.as_uri(), "workspaceFolders": folder, "capabilities": link,
                                "initializationOptions": {"clearCache": True}})
        self.say("initialized", {})

    def say(self, method, params, **more):
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        self.process.stdin.flush()

    def next(self):
        size = 0
        while (line := self.process.stdout.readline().strip()):
            if line.lower().startswith(b"content-length:"):
                size = int(line.split(b":")[1])
        return json.loads(self.process.stdout.read(size))

    def ask(self, method, params):
        self.last += 1
        self.say(method, params, id=self.last)
        while True:
            message = self.next()
            if message.get("id") == self.last and "method" not in message:
                return message.get("result")
            if "id" in message:
                items = (message.get("params") or {}).get("items")
                answer = [None] * len(items) if items else None
                body = json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": answer}).encode()
                self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
                self.process.stdin.flush()

    def open(self, path):
        if path not in self.opened:
            self.opened.add(path)
            text = path.read_text(errors="replace")
            self.say("textDocument/didOpen", {"textDocument": {"uri": path.as_uri(), "languageId": self.language, "version": 1, "text": text}})

    def definitions(self, path, line, column):
        """[(path, line)] of the definitions, counted from 1; those outside of the tree have no path."""
        self.open(path)
        where = {"textDocument": {"uri": path.as_uri()}, "position": {"line": line - 1, "character": column - 1}}
        found = self.ask("textDocument/definition", where) or []
        places = []
        for one in found if isinstance(found, list) else [found]:
            target, span = one.get("targetUri") or one["uri"], one.get("targetSelectionRange") or one["range"]
            file = pathlib.Path(urllib.parse.unquote(urllib.parse.urlparse(target).path))
            inside = file.is_relative_to(self.tree) and not LEFT_OUT & set(file.relative_to(self.tree).parts)
            places.append((file.relative_to(self.tree).as_posix() if inside else None, span["start"]["line"] + 1))
        return places


def python_sites(path):
    try:
        parsed = ast.parse(path.read_text(errors="replace"))
    except SyntaxError:
        return
    lines = path.read_text(errors="replace").split("\n")
    for node in ast.walk(parsed):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name):
            line, start, name = called.lineno, called.col_offset, called.id
        elif isinstance(called, ast.Attribute):
            line, name = called.end_lineno, called.attr
            start = called.end_col_offset - len(name.encode())
        else:
            continue
        if lines[line - 1].isascii():
            yield line, start + 1, name


def php_sites(path):
    text = path.read_text(errors="replace")
    pattern = r'//[^\n]*|#(?!\[)[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
    text = re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S)
    words = set("if elseif for foreach while switch return isset empty unset list array match catch fn function use exit die and or".split())
    for number, line in enumerate(text.split("\n"), 1):
        for found in re.finditer(r"(?<![$\w\\])([A-Za-z_]\w*)\(", line):
            if found[1].lower() not in words and not re.search(r"\bfunction\s+&?$", line[:found.start()]):
                yield number, found.start() + 1, found[1]


def by_server(args, tree):
    """The sites of a tree with the answers of a language server."""
    sites_of = {"python": python_sites, "php": php_sites}[args.language]
    paths = list(sources(tree, ENDINGS[args.language]))
    sites = sorted((path, *site) for path in paths for site in set(sites_of(path)))
    chosen = sorted(random.Random(args.seed).sample(sites, min(args.sites, len(sites))))
    server = Server(SERVERS[args.language], tree, args.language)
    head = re.compile({"python": r"\s*(async\s+def|def|class|@)", "php": r".*\b(function|class|interface|trait|enum)\b"}[args.language])
    for path, line, column, name in chosen:
        places = server.definitions(path, line, column)
        if not places:
            continue
        inside = [place for place in places if place[0]]
        texts = {place: (tree / place[0]).read_text(errors="replace").split("\n")[place[1] - 1] for place in inside}
        mark = "" if all(head.match(text) for text in texts.values()) else "~"
        yield path, line, column, name, " ".join(f"{mark}{file}:{at}" for file, at in inside) or "-"
    server.process.kill()


def by_clang(args, tree):
    """The sites of C and C++ with the answers of libclang."""
    from clang import cindex
    kinds = cindex.CursorKind
    headers = sorted({path.parent for path in sources(tree, (".h", ".hpp", ".hh"))} | {path.parent.parent for path in sources(tree, (".h", ".hpp", ".hh"))})
    options = [f"-I{folder}" for folder in headers if folder.is_relative_to(tree)] + args.clang.split()
    if args.language == "cpp":
        options += ["-x", "c++", "-std=c++17"]
    bodies, found = collections.defaultdict(set), {}
    inside = lambda location: location.file and pathlib.Path(location.file.name).resolve().is_relative_to(tree)
    def place(location):
        return pathlib.Path(location.file.name).resolve(), location.line
    def visit(cursor, path):
        for child in cursor.get_children():
            location = child.location
            if not location.file or not inside(location):
                continue
            if child.is_definition() and child.get_usr():
                bodies[child.get_usr()].add(place(location))
            if child.kind == kinds.MACRO_INSTANTIATION or child.kind == kinds.CALL_EXPR and child.referenced:
                note(child)
            visit(child, path)
    def note(child):
        name = child.spelling
        file, line = place(child.location)
        target = child.get_definition() if child.kind == kinds.MACRO_INSTANTIATION else child.referenced
        if not name or not target:
            return
        # The name of a call is the last one before its arguments.
        at = (line, child.location.column)
        if child.kind == kinds.CALL_EXPR:
            inner = next(iter(child.get_children()), None)
            while inner and inner.kind == kinds.UNEXPOSED_EXPR and inner.spelling == name:
                inner = next(iter(inner.get_children()), None)
            if inner is None or inner.spelling != name or inner.kind not in (kinds.DECL_REF_EXPR, kinds.MEMBER_REF_EXPR):
                return
            at = (inner.location.line, inner.location.column)
        text = texts(file)[at[0] - 1]
        if text[at[1] - 1:at[1] - 1 + len(name)] != name or not re.match(r"\s*(<[^()]*>)?\s*\(", text[at[1] - 1 + len(name):]):
            return
        generic = cindex.conf.lib.clang_getSpecializedCursorTemplate(target) if args.language == "cpp" else None
        target = generic if generic and generic.kind != kinds.INVALID_FILE and generic.location.file else target
        variable = target.kind in (kinds.VAR_DECL, kinds.PARM_DECL, kinds.FIELD_DECL)
        where = place(target.location) if inside(target.location) else None
        found[file, *at, name] = (target.get_usr(), where, "~" if variable else "")
    known = {}
    def texts(file):
        if file not in known:
            known[file] = file.read_text(errors="replace").split("\n")
        return known[file]
    index = cindex.Index.create()
    for path in sources(tree, ENDINGS[args.language]):
        try:
            unit = index.parse(str(path), options, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        except cindex.TranslationUnitLoadError:
            continue
        visit(unit.cursor, path)
    sites = sorted(found)
    for site in sorted(random.Random(args.seed).sample(sites, min(args.sites, len(sites)))):
        usr, where, mark = found[site]
        places = sorted(bodies.get(usr) or ([where] if where else []))
        yield *site, " ".join(f"{mark}{file.relative_to(tree).as_posix()}:{line}" for file, line in places) or "-"


def rust_definitions(tree):
    """{name: [(type or trait around it, trait of the implementation, path, line)]} of the functions of a tree, and its type names."""
    functions, types, macros = collections.defaultdict(list), set(), collections.defaultdict(list)
    head = re.compile(r"\b(impl|trait|struct|enum|union|type|mod|fn)\b[^\S\n]*|macro_rules!|[{};]")
    for path in sources(tree, (".rs",)):
        text = blanked(path.read_text(errors="replace"))
        relative, around, pending, at = path.relative_to(tree).as_posix(), [], None, 0
        while (found := head.search(text, at)):
            at, word = found.end(), found[0]
            line = text.count("\n", 0, found.start()) + 1
            if word == "{":
                around.append((pending, found.start()))
                pending = None
            elif word == "}":
                if around:
                    opened, start = around.pop()
                    if opened == "macro":
                        macros[relative].append((text.count("\n", 0, start) + 1, line))
            elif word == ";":
                pending = None if pending != "impl" else pending
            elif word == "macro_rules!":
                pending = "macro"
            elif found[1] == "fn":
                name = re.match(r"(?:r#)?(\w+)", text[at:])
                if name:
                    owner = next((own for own, _ in reversed(around) if isinstance(own, tuple)), ("", ""))
                    functions[name[1]].append((*owner, relative, line))
                    pending = "fn"
            elif found[1] == "impl" and pending != "fn":
                end = text.index("{", at)
                written = text[at:end]
                written = re.sub(r"\bwhere\b.*", "", without_arguments(written), flags=re.S)
                trait, _, own = written.rpartition(" for ")
                pending = (last_word(own), last_word(trait), text[at:end]) [:2]
            elif found[1] in ("trait", "struct", "enum", "union", "type") and pending != "fn" and not (around and isinstance(around[-1][0], tuple)):
                name = re.match(r"\w+", text[at:])
                if name:
                    types.add(name[0])
                    pending = (name[0], "")
    return functions, types, macros


def last_word(path):
    words = re.findall(r"\w+", path)
    return words[-1] if words else ""


def without_arguments(path):
    """A path of Rust without its generic arguments."""
    depth, kept = 0, []
    for at, sign in enumerate(path):
        if sign == "<":
            depth += 1
        elif sign == ">" and path[at - 1:at] != "-":
            depth -= 1
        elif depth == 0:
            kept.append(sign)
    return "".join(kept)


def is_balanced(path):
    path = path.replace("->", "")
    return path.count("<") == path.count(">")


def by_rustc(args, tree):
    """The sites of Rust with the paths that the compiler's MIR names."""
    functions, types, macros = rust_definitions(tree)
    site = re.compile(r"\+ span: (\S+?):(\d+):(\d+): (\d+):(\d+)\n.*?\+ const_: Const \{ ty: .*?fn\(.*val: Value\((.*)\) \}")
    texts, sites = {}, {}
    metadata = json.loads(subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1"], cwd=tree, capture_output=True, check=True).stdout)
    for package in metadata["packages"]:
        for target in package["targets"]:
            kind = {"lib": ["--lib"], "test": ["--test", target["name"]]}.get(target["kind"][0])
            if kind is None:
                continue
            command = ["cargo", "+nightly", "rustc", "--manifest-path", package["manifest_path"], *kind, "--profile", "test", "--all-features", "--", "-Zunpretty=mir", "-Zmir-include-spans=yes"]
            for path, line, column, last, end, called in site.findall(subprocess.run(command, cwd=tree, capture_output=True, text=True).stdout):
                file = tree / path
                if not file.is_file() or any(first <= int(line) <= last for first, last in macros[path]):
                    continue
                lines = texts.setdefault(path, file.read_text(errors="replace").split("\n"))
                name = last_word(without_arguments(called.replace("::<", "<")))
                word = [found for found in re.finditer(r"\w+", lines[int(line) - 1]) if found[0] == name and int(column) <= found.start() + 1 < int(end)]
                places = rust_places(called, name, functions, types)
                # The head of a function is a site where an attribute such as `test` generates calls.
                if word and last == line and lines[int(line) - 1].isascii() and places and f"{path}:{line}" not in places.split():
                    sites[path, int(line), word[-1].start() + 1, name] = places
    sites = sorted((*site, places) for site, places in sites.items())
    for path, *site in sorted(random.Random(args.seed).sample(sites, min(args.sites, len(sites)))):
        yield tree / path, *site


def rust_places(called, name, functions, types):
    """The places of the function that a path means; `-` outside of the tree, and None if the path does not tell."""
    places = lambda found: " ".join(sorted({f"{path}:{line}" for _, _, path, line in found}))
    if called.startswith("<"):
        end = next(at for at in range(1, len(called)) if is_balanced(called[1:at]) and called[at] == ">")
        middle = [found.start() for found in re.finditer(" as ", called[:end]) if is_balanced(called[1:found.start()])]
        if not middle:
            return None
        owner, of = last_word(without_arguments(called[1:middle[0]])), last_word(without_arguments(called[middle[0] + 4:end]))
        found = [own for own in functions[name] if own[0] == of or own[1] == of and own[0] == owner]
        return places(found) if found else None if of in types else "-"
    path = without_arguments(called.replace("::<", "<"))
    owner = last_word(path.rpartition("::")[0])
    if re.match(r"(std|core|alloc)::", path):
        return "-"
    found = [own for own in functions[name] if own[0] == owner and not own[1]] if owner in types else []
    free = [own for own in functions[name] if not own[0]]
    if found or owner in types:
        return places(found) or None
    if free and not owner[:1].isupper():
        return places(free) if len(free) == 1 or not owner else None
    return "-" if owner[:1].isupper() else None


def blanked(text):
    """A text of Rust with blanks for comments and literals."""
    pattern = r'//[^\n]*|/\*.*?\*/|b?r(#*)".*?"\1|"(?:\\.|[^"\\])*"|\'(?:\\[^\']+|[^\'\\\n])\''
    return re.sub(pattern, lambda found: re.sub(r"[^\n]", " ", found[0]), text, flags=re.S)


TYPESCRIPT = """
const ts = require('typescript'), fs = require('fs'), path = require('path')
const tree = process.argv[2]
const files = ts.sys.readDirectory(tree, ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx'], ['**/node_modules', '**/dist'], undefined)
const config = ts.findConfigFile(tree, ts.sys.fileExists)
const read = config ? ts.parseJsonConfigFileContent(ts.readConfigFile(config, ts.sys.readFile).config ?? {}, ts.sys, tree).options : {}
const program = ts.createProgram(files, { ...read, allowJs: true, noEmit: true, skipLibCheck: true })
const checker = program.getTypeChecker()
const place = declaration => {
  const file = declaration.getSourceFile(), name = declaration.name ?? declaration
  const at = file.getLineAndCharacterOfPosition(name.getStart(file))
  return { path: path.relative(tree, file.fileName), line: at.line + 1 }
}
const functions = new Set([ts.SyntaxKind.FunctionDeclaration, ts.SyntaxKind.MethodDeclaration, ts.SyntaxKind.MethodSignature,
  ts.SyntaxKind.ClassDeclaration, ts.SyntaxKind.ClassExpression, ts.SyntaxKind.Constructor, ts.SyntaxKind.GetAccessor,
  ts.SyntaxKind.InterfaceDeclaration])
const isFunction = declaration => functions.has(declaration.kind) || (declaration.initializer &&
  (ts.isArrowFunction(declaration.initializer) || ts.isFunctionExpression(declaration.initializer) || ts.isClassExpression(declaration.initializer)))
for (const file of program.getSourceFiles()) {
  const relative = path.relative(tree, file.fileName)
  if (relative.startsWith('..') || relative.includes('node_modules')) continue
  const visit = node => {
    if (ts.isCallExpression(node) || ts.isNewExpression(node)) {
      const called = node.expression, name = ts.isPropertyAccessExpression(called) ? called.name : called
      if (ts.isIdentifier(name)) {
        let symbol = checker.getSymbolAtLocation(name)
        if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol)
        const declarations = symbol?.declarations ?? []
        if (declarations.length) {
          const at = file.getLineAndCharacterOfPosition(name.getStart(file))
          const inside = declarations.filter(own => { const to = place(own).path; return !to.startsWith('..') && !to.includes('node_modules') })
          console.log(JSON.stringify([relative, at.line + 1, at.character + 1, name.text,
            inside.map(own => (isFunction(own) ? '' : '~') + place(own).path + ':' + place(own).line).join(' ') || '-']))
        }
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
}
"""


def by_typescript(args, tree):
    """The sites of TypeScript and JavaScript with the answers of TypeScript's checker."""
    script = pathlib.Path(args.typescript) / "call-sites.cjs"
    script.write_text(TYPESCRIPT)
    ran = subprocess.run(["node", "--max-old-space-size=6000", str(script), str(tree)], capture_output=True, text=True, check=True)
    script.unlink()
    sites = sorted({tuple(json.loads(line)) for line in ran.stdout.splitlines()})
    for path, *site in sorted(random.Random(args.seed).sample(sites, min(args.sites, len(sites)))):
        yield tree / path, *site


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("language", choices=("c", "cpp", "python", "php", "rust", "typescript"))
    parser.add_argument("trees", nargs="+", type=pathlib.Path)
    parser.add_argument("--sites", type=int, default=80)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--clang", default="")
    parser.add_argument("--typescript", default=".")
    args = parser.parse_args()
    judge = {"typescript": by_typescript, "c": by_clang, "cpp": by_clang, "rust": by_rustc}.get(args.language, by_server)
    print("tree\tpath\tline\tcolumn\tname\texpected")
    for tree in args.trees:
        tree = tree.resolve()
        for path, line, column, name, expected in judge(args, tree):
            print(tree.name, path.relative_to(tree).as_posix(), line, column, name, expected, sep="\t")


if __name__ == "__main__":
    sys.exit(main())

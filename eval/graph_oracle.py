#!/usr/bin/env python3
"""The code graph against references that compilers and type checkers make: references, calls and imports between files.

    cargo build --release -p spyhop-eval
    python3 eval/graph_oracle.py EVAL TREE=INDEX.scip ... [--verbose] [--all-kinds] [--typescript DIR]
    python3 eval/graph_oracle.py EVAL eval/sets/graph/go.tsv ... --sites TREES [--verbose]

EVAL is the program `spyhop-eval`; its command `graph-rows` writes every definition, use and import of a tree in one run.
INDEX.scip is made by an indexer with a real type checker, in TREE:

    npx @sourcegraph/scip-typescript index --infer-tsconfig --output /tmp/a.scip
    npx @sourcegraph/scip-python index . --project-name a --project-version 1 --environment /tmp/env.json --output /tmp/a.scip

where /tmp/env.json holds `[]`.

Compared are all functions, methods and types that both the graph and SCIP define on one line under one name; with
--all-kinds also constants and fields. A reference is a pair of a symbol and a line. A row of the graph is right if SCIP has a
reference to the symbol on that line; a reference of SCIP is found if the graph has a row there. Lines of imports count in
both. Calls are the references that a `(` follows. Rules of the comparison:

- A row decides nothing where SCIP has no occurrence where the row is, because an indexer without the packages that
  a tree needs leaves names unresolved.
- scip-typescript gives a name that passes through `export { a as b }` a local symbol of the file of the use, which no
  occurrence defines. Such an occurrence decides nothing either.
- scip-python gives every name that passes through `from module import *` to the first name of the module. An occurrence
  in Python whose text is neither the name of its symbol nor an alias (`as text`) in its file is therefore left out.
- A constructor's call is a use of the constructor for SCIP and one of the class for the graph; both count as the class.
- The definitions of one symbol, such as overloads, are one.

Imports between files are pairs of files. Their reference is TypeScript's `resolveModuleName` for a tree with TypeScript
(--typescript names a folder with the package), and for Python the syntax trees of `ast` with the rules of Python's
`importlib`, from the folders of the tree that hold top-level packages.

The first tables have a row for each threshold of confidence. The last table is the calibration: of the rows of each rule,
the mean confidence and the share that is right; the error is their mean distance, weighted by rows.

With --sites, call sites that were drawn by seed are compared with what a reader or a compiler found they mean. The last column of a
sample is `PATH:LINE` of the definition in the tree, several with blanks between where any of them is right, or `-` for a
definition outside of the tree or for what is no call. `~PATH:LINE` is the declaration of a called variable or field: a row that
names it is right, and a site without a row is not missed. Among rows with a confidence of at least .5, a row is right if it names
an expected definition; a site counts as found if one of its rows is right.
"""

import argparse
import ast
import collections
import json
import pathlib
import re
import subprocess
import sys

KINDS = ("fn", "method", "class", "interface", "type", "enum", "struct", "trait", "macro")
MORE_KINDS = ("const", "field")
THRESHOLDS = (0.3, 0.5, 0.8)


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7


def fields(data):
    """(field number, value) of each field of a protobuf message."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
        elif key & 7 == 1:
            value, at = data[at:at + 8], at + 8
        else:
            value, at = data[at:at + 4], at + 4
        yield key >> 3, value


def packed(data):
    at, values = 0, []
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


class Texts:
    """The lines of the files of a tree."""

    def __init__(self, tree):
        self.tree, self.known = tree, {}

    def line(self, path, number):
        if path not in self.known:
            self.known[path] = (self.tree / path).read_text(errors="replace").split("\n")
        lines = self.known[path]
        return lines[number - 1] if number <= len(lines) else ""

    def has(self, path, text):
        """Whether a file has a text."""
        self.line(path, 1)
        return any(text in line for line in self.known[path])

    def word(self, path, line, column):
        found = re.match(r"[\w$]+", self.line(path, line)[column:])
        return found[0] if found else ""


class Scip:
    """The definitions and references of a SCIP index."""

    def __init__(self, path, texts):
        self.documents, self.strays = set(), 0
        self.definitions = collections.defaultdict(list)  # symbol -> [(file, line, column)]
        self.references = collections.defaultdict(lambda: collections.defaultdict(list))  # symbol -> (file, line) -> columns
        self.at = collections.defaultdict(set)  # (file, line, column) -> symbols
        for number, document in fields(pathlib.Path(path).read_bytes()):
            if number == 2:
                self.read(document)
        self.leave_out_strays(texts)
        for symbol in list(self.references):
            for constructor in ("__init__().", "`<constructor>`()."):
                if symbol.endswith("#" + constructor):
                    self.move_calls(symbol, symbol[:-len(constructor)], texts)

    def leave_out_strays(self, texts):
        """Leaves out occurrences in Python whose text is neither the name of their symbol nor an alias of an import."""
        for symbol in list(self.references):
            name = re.search(r"[/#.]`?([\w$]+)`?(?:\(\))?[.#]$", symbol)
            if self.is_local(symbol) or not name:
                continue
            for (path, line), columns in list(self.references[symbol].items()):
                for column in [column for column in columns if path.endswith(".py")]:
                    word = texts.word(path, line, column)
                    if word not in (name[1], "super", "cls", "self") and not texts.has(path, f"as {word}"):
                        columns.remove(column)
                        self.at[path, line, column].discard(symbol)
                        self.strays += 1
                if not columns:
                    del self.references[symbol][path, line]

    @staticmethod
    def is_local(symbol):
        return " local " in symbol

    def read(self, document):
        occurrences, name = [], ""
        for part, value in fields(document):
            if part == 1:
                name = value.decode()
            elif part == 2:
                occurrences.append(value)
        self.documents.add(name)
        for occurrence in occurrences:
            span, symbol, roles = [], "", 0
            for part, value in fields(occurrence):
                if part == 1:
                    span = packed(value)
                elif part == 2:
                    symbol = value.decode()
                elif part == 3:
                    roles = value
            key = symbol if not symbol.startswith("local ") else f"{name} {symbol}"
            self.at[name, span[0] + 1, span[1]].add(key)
            if roles & 1:
                self.definitions[key].append((name, span[0] + 1, span[1]))
            else:
                self.references[key][name, span[0] + 1].append(span[1])

    def move_calls(self, constructor, owner, texts):
        for where, columns in list(self.references[constructor].items()):
            moved = [column for column in columns if texts.word(*where, column) not in ("__init__", "super", "constructor")]
            if moved:
                self.references[owner][where] += moved
                self.references[constructor][where] = [column for column in columns if column not in moved]
                if not self.references[constructor][where]:
                    del self.references[constructor][where]

    def decides(self, path, line, column):
        symbols = self.at.get((path, line, column), ())
        return any(not self.is_local(symbol) or symbol in self.definitions for symbol in symbols)


def rows_of(program, tree):
    ran = subprocess.run([program, "graph-rows", str(tree)], capture_output=True, text=True, check=True)
    found = {"def": [], "use": [], "import": []}
    for line in ran.stdout.splitlines():
        (kind, row), = json.loads(line).items()
        found[kind].append(row)
    return found


def is_call(texts, where, column, name):
    return re.match(r"\s*(<[^()]*>)?\s*\(", texts.line(*where)[column + len(name):]) is not None


def compare(rows, scip, texts, kinds):
    """(rows of the graph, wanted references, undecided rows, symbols) of one tree."""
    ours = {}
    for path, line, name, kind, _ in rows["def"]:
        if kind in kinds:
            ours[path, line, name] = (path, line, name)
    symbol_of = {}
    for symbol, defined in scip.definitions.items():
        for path, line, column in defined:
            name = texts.word(path, line, column)
            near = (ours.get((path, at, name)) for at in range(line, line - 6, -1))
            definition = next(filter(None, near), None)
            # Parameters and type parameters are no symbols of the graph.
            if definition and not scip.is_local(symbol) and not re.search(r"\((?!\))[^)]*\)$|\]$", symbol):
                symbol_of[definition] = symbol
    best, undecided = {}, 0
    for path, line, column, relation, to_path, to_line, name, confidence, rule in rows["use"]:
        symbol = symbol_of.get((to_path, to_line, name))
        if symbol is None or path not in scip.documents:
            continue
        where = (path, line)
        right = where in scip.references[symbol]
        if not right and not scip.decides(path, line, column - 1):
            undecided += 1
            continue
        row = (confidence, right, rule, relation == "calls", symbol, where, column)
        key = (symbol, where)
        if key not in best or best[key][0] < confidence:
            best[key] = row
    wanted = []
    for symbol in set(symbol_of.values()):
        for where, columns in scip.references[symbol].items():
            called = any(is_call(texts, where, column, texts.word(*where, column)) for column in columns)
            found = best.get((symbol, where))
            wanted.append((found[0] if found else 0.0, called, symbol, where))
    return list(best.values()), wanted, undecided, len(set(symbol_of.values()))


def share(part, whole):
    return f"{part / whole:.3f}" if whole else "-"


def table(rows, wanted):
    print("| confidence | precision | recall | precision of calls | recall of calls |\n|---|--:|--:|--:|--:|")
    for least in THRESHOLDS:
        taken = [row for row in rows if row[0] >= least]
        calls = [row for row in taken if row[3]]
        found = [want for want in wanted if want[0] >= least]
        print(f"| {least} | {share(sum(row[1] for row in taken), len(taken))} | {share(len(found), len(wanted))} "
              f"| {share(sum(row[1] for row in calls), len(calls))} "
              f"| {share(sum(want[1] for want in found), sum(want[1] for want in wanted))} |")


def calibration(rows):
    print("\n| rule | rows | mean confidence | right |\n|---|--:|--:|--:|")
    by_rule = collections.defaultdict(list)
    for row in rows:
        by_rule[row[2], round(row[0], 2)].append(row)
    error = 0.0
    for (rule, confidence), alike in sorted(by_rule.items()):
        mean, right = sum(row[0] for row in alike) / len(alike), sum(row[1] for row in alike) / len(alike)
        error += len(alike) * abs(mean - right)
        if len(alike) >= 5:
            print(f"| {rule} | {len(alike)} | {mean:.2f} | {right:.2f} |")
    print(f"\ncalibration error, by rule and confidence: {error / max(len(rows), 1):.3f}")


TYPESCRIPT = """
const ts = require('typescript'), fs = require('fs'), path = require('path')
const tree = process.argv[2], files = JSON.parse(fs.readFileSync(0, 'utf8')), configs = new Map()
function options(file) {
  const config = ts.findConfigFile(path.dirname(file), ts.sys.fileExists)
  if (!config) return {}
  if (!configs.has(config)) {
    const read = ts.readConfigFile(config, ts.sys.readFile)
    configs.set(config, ts.parseJsonConfigFileContent(read.config ?? {}, ts.sys, path.dirname(config)).options)
  }
  return configs.get(config)
}
for (const file of files) {
  const whole = path.join(tree, file), text = fs.readFileSync(whole, 'utf8')
  // `preProcessFile` leaves out `export * as name from`.
  const exported = ts.createSourceFile(file, text, ts.ScriptTarget.Latest).statements
    .filter(node => ts.isExportDeclaration(node) && node.moduleSpecifier).map(node => ({ fileName: node.moduleSpecifier.text }))
  for (const { fileName } of ts.preProcessFile(text, true, true).importedFiles.concat(exported)) {
    const configured = options(whole)
    const found = ts.resolveModuleName(fileName, whole, { moduleResolution: ts.ModuleResolutionKind.Node10, allowJs: true,
      ...configured }, ts.sys)
    const to = found.resolvedModule && path.relative(tree, found.resolvedModule.resolvedFileName)
    if (to && !to.startsWith('..') && !to.includes('node_modules')) console.log(JSON.stringify([file, to]))
  }
}
"""


def web_imports(tree, files, package):
    """Pairs of files by TypeScript's resolution."""
    script = pathlib.Path(package) / "resolve-modules.cjs"
    script.write_text(TYPESCRIPT)
    ran = subprocess.run(["node", str(script), str(tree)], input=json.dumps(files), capture_output=True, text=True, check=True)
    script.unlink()
    return {tuple(json.loads(line)) for line in ran.stdout.splitlines()}


def python_imports(tree, files):
    """Pairs of files by the statements of `ast` and the rules of `importlib`."""
    known = set(files)
    packages = {pathlib.PurePath(file).parent.as_posix() for file in files if file.endswith("/__init__.py")}
    roots = {pathlib.PurePath(package).parent.as_posix() for package in packages}
    roots = sorted({root for root in roots if root not in packages} | {"."})
    found = set()

    def module(parts, file):
        """The file of an absolute module, in the root that is nearest to the importing file."""
        near = sorted(roots, key=lambda root: (not pathlib.PurePath(file).is_relative_to(root), -len(root)))
        for root in near + [pathlib.PurePath(file).parent.as_posix()]:
            base = pathlib.PurePath(root, *parts).as_posix()
            for path in (base + "/__init__.py", base + ".py", base + ".pyi"):
                if path in known:
                    return path
        return None

    for file in files:
        try:
            parsed = ast.parse((tree / file).read_text(errors="replace"))
        except SyntaxError:
            continue
        for node in ast.walk(parsed):
            if isinstance(node, ast.Import):
                for name in node.names:
                    found.add((file, module(name.name.split("."), file)))
            elif isinstance(node, ast.ImportFrom):
                parts = node.module.split(".") if node.module else []
                if node.level:
                    folder = pathlib.PurePath(file).parent
                    for _ in range(node.level - 1):
                        folder = folder.parent
                    base = pathlib.PurePath(folder, *parts).as_posix()
                    at = lambda path: next((p for p in (path + "/__init__.py", path + ".py", path + ".pyi") if p in known), None)
                else:
                    base, at = ".".join(parts), lambda path: module(re.split(r"[./]", path), file)
                submodules = [at(f"{base}/{name.name}") for name in node.names if name.name != "*"]
                found.update((file, to) for to in submodules)
                # A statement of modules only, such as `from . import pool`, does not depend on their package.
                if not submodules or None in submodules:
                    found.add((file, at(base)))
    return {(file, to) for file, to in found if to and to != file}


def imports(rows, tree, documents, typescript):
    """(pairs of the graph, pairs of the reference) of one tree."""
    files = sorted({row[0] for row in rows["import"]} | {row[0] for row in rows["def"]} | documents)
    python = [file for file in files if file.endswith((".py", ".pyi"))]
    web = [file for file in files if re.search(r"\.[cm]?[jt]sx?$", file)]
    gold = python_imports(tree, python) if python else set()
    if web and typescript:
        gold |= web_imports(tree, web, typescript)
    judged = set(python) | (set(web) if typescript else set())
    gold = {(file, to) for file, to in gold if file != to and re.search(r"\.(pyi?|[cm]?[jt]sx?)$", to)}
    got = {(path, to): line for path, line, _, targets in rows["import"] for to in targets
           if path in judged and re.search(r"\.(pyi?|[cm]?[jt]sx?)$", to)}
    return got, gold


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("eval")
    parser.add_argument("trees", nargs="+", metavar="TREE=INDEX.scip")
    parser.add_argument("--sites", metavar="TREES", type=pathlib.Path)
    parser.add_argument("--typescript")
    parser.add_argument("--all-kinds", action="store_true")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    if args.sites:
        return compare_sites(args)
    kinds = KINDS + (MORE_KINDS if args.all_kinds else ())
    all_rows, all_wanted, pairs = [], [], [0, 0, 0]
    for pair in args.trees:
        tree, index = pair.split("=")
        tree = pathlib.Path(tree).resolve()
        texts = Texts(tree)
        rows = rows_of(args.eval, tree)
        scip = Scip(index, texts)
        judged, wanted, undecided, symbols = compare(rows, scip, texts, kinds)
        print(f"\n{tree.name}: {symbols} symbols, {len(wanted)} references of SCIP, {len(judged)} rows, {undecided} undecided, {scip.strays} occurrences left out")
        table(judged, wanted)
        got, gold = imports(rows, tree, scip.documents, args.typescript)
        both = sum(edge in gold for edge in got)
        print(f"imports between files: {len(gold)}; precision {share(both, len(got))}, recall {share(both, len(gold))}")
        pairs = [pairs[0] + both, pairs[1] + len(got), pairs[2] + len(gold)]
        all_rows += judged
        all_wanted += wanted
        if args.verbose:
            show(judged, wanted, got, gold, texts)
    if len(args.trees) > 1:
        print(f"\nall trees: {len(all_wanted)} references of SCIP, {len(all_rows)} rows")
        table(all_rows, all_wanted)
        print(f"imports between files: precision {share(pairs[0], pairs[1])}, recall {share(pairs[0], pairs[2])}")
    calibration(all_rows)


def compare_sites(args):
    rows = {}
    for sample in args.trees:
        sites = [line.split("\t") for line in pathlib.Path(sample).read_text().splitlines()[1:]]
        for tree in {site[0] for site in sites} - set(rows):
            rows[tree] = collections.defaultdict(list)
            for path, at, column, _, to, to_line, _, confidence, rule in rows_of(args.eval, args.sites / tree)["use"]:
                rows[tree][path, at, column].append((confidence, to, to_line, rule))
        given = right = wanted = found = 0
        for tree, path, line, column, name, expected in sites:
            answers = [answer.lstrip("~").rsplit(":", 1) for answer in expected.split()] if expected != "-" else []
            got = [row for row in rows[tree][path, int(line), int(column)] if row[0] >= 0.5]
            good = any(row[1] == to and abs(row[2] - int(at)) <= 2 for row in got for to, at in answers)
            given, right = given + bool(got), right + good
            if expected.startswith("~"):
                continue
            wanted, found = wanted + bool(answers), found + good
            if args.verbose and (bool(got) != good or bool(answers) != good):
                print("WRONG" if got and not good else "missed", tree, f"{path}:{line}:{column}", name, "expected", expected, "got", got)
        print(f"{pathlib.Path(sample).stem}: {len(sites)} sites, {wanted} of the tree; "
              f"precision {share(right, given)}, recall {share(found, wanted)}")


def show(rows, wanted, got, gold, texts):
    line = lambda where: texts.line(*where).strip()[:110]
    for confidence, right, rule, called, symbol, where, column in rows:
        if not right:
            print("wrong", f"{confidence:.2f}", rule, "call" if called else "ref", symbol.split(" ", 4)[-1], *where, column, "|", line(where))
    for confidence, called, symbol, where in wanted:
        if confidence < 0.5:
            print("missed", f"{confidence:.2f}", "call" if called else "ref", symbol.split(" ", 4)[-1], *where, "|", line(where))
    for edge in got:
        if edge not in gold:
            print("wrong import", *edge)
    for edge in gold - set(got):
        print("missed import", *edge)


if __name__ == "__main__":
    sys.exit(main())

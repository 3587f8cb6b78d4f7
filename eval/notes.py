#!/usr/bin/env python3
"""Plants notes over the commits of real histories, and measures which notes are shown and whether staleness is found.

    python3 eval/notes.py target/release/spyhop CLONES --only FOLDER,FOLDER,FOLDER [--each 20] [--back 150] [--seed 1]
                          [--rows FILE] [--show] [--fit]

CLONES is as for commit_sets.py. The tree of each repository is its commit --back first parents before HEAD. Notes and
questions follow one rule, without a reader in between:

- A note is a commit before the base that changes up to five source files and whose message has a body of prose. The
  sentence of the body with the most words is left out of the note; the rest of the message is its text. The commit is
  linked (`memory add --commit`), and texts of three words and more in its changed lines are its signals. A message with
  a word such as "fix" or "crash" is a failure, any other one a revision. --seed draws --each notes.
- A note helps with three questions: `sentence`, the sentence that was left out; `symbol`, "change NAME" with the first
  function that the commit changed, if no other note is about that function; `signal`, a signal in a longer line, as a log
  shows it.
- No note helps with the subject and the longest sentence of other commits: twice as many drawn commits whose files no
  note is about, and whose text names no symbol that a note is about.

A question is asked as a search, as people and agents do; the notes that the reply shows are counted. A shown note is
right if it helps with the question, or is about a symbol of that name. Precision is the share of shown notes
that are right, recall the share of helped questions whose own note is shown.

Staleness is judged by git: a symbol is stale at the base, and at HEAD, if `git diff -M` from the note's commit has a hunk
in the lines of the symbol with its comment, if the file is gone, or if the symbol is; a file is stale if git lists it as
changed. The tool is right if it says so of a link; a link to a renamed file must name the file that git names.

--fit prints weights for src/memory/relevance.rs: a logistic regression over all pairs of a question and a note of its
repository, with the signs of the present weights, and the base at which the precision on these pairs is .95. Weights are
fitted on other repositories than those that are reported.
"""

import argparse
import collections
import json
import math
import pathlib
import random
import re
import shutil
import subprocess
import tempfile

from commit_sets import BOT, ELSEWHERE, LEFT_OUT, Repository, is_source, message

BEFORE = 1_500
MOST_FILES = 5
FAILURE = re.compile(r"\b(fix\w*|bugs?|crash\w*|fail\w*|errors?|broken|wrong\w*|regress\w*|leak\w*|panic\w*|hang\w*|deadlock\w*)\b", re.I)
STRING = re.compile(r'"((?:[^"\\]|\\.){12,120})"|\'((?:[^\'\\]|\\.){12,120})\'')
SENTENCE = re.compile(r"(?<=[.!?:])\s+")


class Tree:
    """A checkout of a repository with an index and notes of its own."""

    def __init__(self, program, repository, folder, base):
        self.program, self.folder, self.repository = program, folder / "tree", repository
        self.index = folder / "index"
        self.git_at(folder, "clone", "-q", "--shared", "--no-checkout", str(repository.directory.resolve()), "tree")
        self.checkout(base)

    def git_at(self, folder, *arguments):
        return subprocess.run(["git", *arguments], cwd=folder, check=True, capture_output=True).stdout.decode(errors="replace")

    def checkout(self, revision):
        self.git_at(self.folder, "-c", "advice.detachedHead=false", "checkout", "-q", "--force", revision)

    def run(self, *arguments, text=None):
        command = [self.program, *arguments, "--root", str(self.folder), "--index-dir", str(self.index)]
        done = subprocess.run(command, input=text, capture_output=True, text=True)
        if done.returncode > 1:
            raise SystemExit(f"{arguments[:3]}: {done.stderr.strip()[:400]}")
        return done.stdout


def prose(text):
    """The sentences of a body that are prose: six words and more, no code, no list, no quotation."""
    lines = [line for line in text.split("\n") if not re.match(r"\s*([-*+>#|]|\d+\.|```|    |\t|[\w-]+: <|https?:|\(cherry)", line)]
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines))
    found = []
    for paragraph in paragraphs:
        for sentence in SENTENCE.split(" ".join(paragraph.split())):
            words = re.findall(r"[A-Za-z]{2,}", sentence)
            if 6 <= len(words) <= 60 and "http" not in sentence:
                found.append(sentence.strip())
    return found


def drafts(repository, newest):
    """Commits that can be notes or questions: subject, body without the longest sentence, the sentence, files, signals."""
    log = repository.git("log", "--no-merges", f"--max-count={BEFORE}", "--format=%H%x1f%s%x1f%b%x1f%an%x1f%aI%x1e", newest)
    seen = set()
    for entry in log.split("\x1e")[:-1]:
        commit, subject, body, author, time = entry.strip("\n").split("\x1f")
        text = message(subject, body)
        title, _, rest = text.partition("\n")
        if BOT.search(author) or LEFT_OUT.search(title) or ELSEWHERE.search(text) or title in seen:
            continue
        sentences = prose(rest)
        if not sentences or len(re.findall(r"[A-Za-z]{2,}", title)) < 3:
            continue
        names = repository.git("diff-tree", "-r", "--no-commit-id", "--name-only", commit).split("\n")[:-1]
        sources = [name for name in names if is_source(name)]
        if not 1 <= len(sources) <= MOST_FILES or len(names) > 3 * MOST_FILES:
            continue
        seen.add(title)
        longest = max(sentences, key=lambda sentence: len(sentence.split()))
        kept = [sentence for sentence in sentences if sentence != longest]
        yield {"commit": commit, "title": title, "kept": kept, "sentence": longest, "files": sources, "author": author,
               "time": time, "kind": "failure" if FAILURE.search(f"{title} {rest}") else "revision"}


def signals(repository, draft):
    """Texts of three words and more in the changed lines."""
    diff = repository.git("show", "-U0", "--format=", draft["commit"], "--", *draft["files"])
    found = []
    for line in diff.split("\n"):
        if line[:1] in "+-" and line[:3] not in ("+++", "---"):
            for match in STRING.finditer(line):
                text = match[1] or match[2]
                if len(re.findall(r"[A-Za-z]{2,}", text)) >= 3 and text not in found and "\\" not in text:
                    found.append(text)
    return found[:3]


def plant(tree, draft):
    text = "\n".join([draft["title"], *draft["kept"]])[:4_000]
    arguments = ["memory", "add", text, "--kind", draft["kind"], "--commit", draft["commit"], "--author", draft["author"],
                 "--time", draft["time"], "--json"]
    for signal in draft["signals"]:
        arguments += [f"--signals={signal}"]
    if text.startswith("-"):
        return None
    row = json.loads(tree.run(*arguments))["results"][0]
    return dict(draft, id=row["id"], links=[(link["path"], link["symbol"]) for link in row["links"]])


def about_symbols(notes):
    """The ids of the notes about each symbol, by its name."""
    about = collections.defaultdict(set)
    for note in notes:
        for _, symbol in note["links"]:
            if symbol:
                about[symbol].add(note["id"])
    return about


def questions(notes, others):
    """(kind, text, the notes that may be shown, the note that should be)."""
    about = about_symbols(notes)
    for note in notes:
        near = {note["id"]}.union(*(about[symbol] for _, symbol in note["links"] if symbol))
        yield "sentence", note["sentence"], near, note["id"]
        own = [symbol for _, symbol in note["links"] if symbol and about[symbol] == {note["id"]}]
        if own:
            yield "symbol", f"change {own[0]}", near, note["id"]
        if note["signals"]:
            yield "signal", f"2026-01-31 12:00:00 app[4711]: {note['signals'][0]} (x)", near, note["id"]
    for other in others:
        yield "other-subject", other["title"], set(), None
        yield "other-sentence", other["sentence"], set(), None


def asked(tree, rows):
    queries = "".join(" ".join(text.split()) + "\n" for _, text, _, _ in rows)
    replies = tree.run("search", "--batch", "--quiet", text=queries).split("\n")
    for row, line in zip(rows, replies):
        reply = json.loads(line)
        shown = [(note["id"], note["score"], {reason["signal"]: reason["weight"] for reason in note["reasons"]})
                 for note in reply.get("notes", [])]
        yield row, shown


def evidence(tree, rows):
    """For each question, the measures of each note with any evidence: contributions without their weights."""
    source = (pathlib.Path(__file__).parent.parent / "src/memory/relevance.rs").read_text()
    weights = {name: float(value) for name, value in re.findall(r"^const (\w+): f32 = (-?[\d.]+);", source, re.M)}
    named = {"words": "COVERED", "rare": "AMOUNT"}
    for row in rows:
        reply = tree.run("memory", "search", row[1], "--json", "--min-score", "0", "--max-results", "50")
        found = {}
        for note in json.loads(reply)["results"]:
            found[note["id"]] = {reason["signal"]: reason["weight"] / weights[named.get(reason["signal"], reason["signal"].upper())]
                                 for reason in note["reasons"]}
        yield row, found


SIGNS = {"words": 1, "rare": 1, "title": 1, "signal": 1, "symbol": 1, "file": 1, "found": 1, "elsewhere": -1}


def fit(questions):
    """Weights and base by gradient descent; the base is then raised until few wrong notes are shown."""
    pairs = [(measures, note in row[2]) for row, found in questions for note, measures in found.items()]
    weights, base = {name: float(sign) for name, sign in SIGNS.items()}, -3.0
    for turn in range(1_500):
        slope, at_base = dict.fromkeys(weights, 0.0), 0.0
        for measures, is_right in pairs:
            score = base + sum(weights[name] * value for name, value in measures.items())
            off = 1 / (1 + math.exp(-score)) - is_right
            at_base += off
            for name, value in measures.items():
                slope[name] += off * value
        rate = 4.0 / len(pairs) if turn < 1_000 else 1.0 / len(pairs)
        base -= rate * 8 * at_base
        for name in weights:
            weights[name] -= rate * (8 * slope[name] + 0.3 * weights[name])
            if weights[name] * SIGNS[name] < 0:
                weights[name] = 0.0
    print("weights", {name: round(value, 2) for name, value in weights.items()}, "base", round(base, 2), len(pairs), "pairs")
    for shift in [step / 10 for step in range(-15, 31)]:
        shown = right = hits = helped = 0
        for row, found in questions:
            best = sorted(((base - shift + sum(weights[name] * value for name, value in measures.items()), note)
                           for note, measures in found.items()), reverse=True)[:3]
            best = [note for score, note in best if score >= 0]
            shown, right = shown + len(best), right + sum(note in row[2] for note in best)
            helped, hits = helped + (row[3] is not None), hits + (row[3] in best)
        print(f"base {base - shift:.2f}: precision {right / max(1, shown):.3f}, recall {hits / max(1, helped):.3f}")


def symbol_lines(tree, commit, path, symbol, scratch):
    """The first and last line of a symbol in a commit, with the comment above."""
    text = tree.repository.git("show", f"{commit}:{path}")
    file = scratch / commit / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    command = [tree.program, "symbols", "--json", "--max-results", "1000", "--path", path, "--root", str(scratch / commit),
               "--index-dir", str(scratch / "index" / commit)]
    rows = json.loads(subprocess.run(command, capture_output=True, text=True).stdout)["results"]
    lines = text.split("\n")
    for row in rows:
        name = f"{row['container']}.{row['name']}" if row["container"] else row["name"]
        if name == symbol:
            first = row["line"]
            while first > 1 and re.match(r"\s*(//|#|/?\*|@|\"\"\")", lines[first - 2]):
                first -= 1
            yield first, row["end_line"]


def judged(tree, note, newer, scratch):
    """By git: for each link, whether its code differs in `newer`, and the path there."""
    listing = tree.repository.git("diff", "-M", "--name-status", note["commit"], newer).split("\n")[:-1]
    state = {}
    for line in listing:
        kind, path, *to = line.split("\t")
        state[path] = (kind, to[0] if to else path)
    for path, symbol in note["links"]:
        kind, to = state.get(path, ("", path))
        if kind == "D":
            yield True, None
        elif not kind or kind == "R100":
            yield False, to
        elif not symbol:
            yield True, to
        else:
            diff = tree.repository.git("diff", "-U0", "-M", note["commit"], newer, "--", path, to)
            hunks = [(int(at), int(count or 1)) for at, count in re.findall(r"^@@ -(\d+)(?:,(\d+))? ", diff, re.M)]
            ranges = list(symbol_lines(tree, note["commit"], path, symbol, scratch))
            def touches(first, last):
                return any(at <= last and at + count - 1 >= first if count else first <= at < last for at, count in hunks)
            # A name with several definitions is as recorded while one of them is.
            yield bool(ranges) and all(touches(*lines) for lines in ranges), to


def staleness(tree, notes, revision, newer, scratch, tally):
    arguments = ["--view", revision] if revision else []
    listed = json.loads(tree.run("memory", "list", "--max-results", "2000", "--json", *arguments))["results"]
    by_id = {row["id"]: row for row in listed}
    for note in notes:
        for link, (is_stale, to) in zip(by_id[note["id"]]["links"], judged(tree, note, newer, scratch)):
            said = link["state"] != "current"
            tally[is_stale, said] += 1
            if is_stale != said:
                tally["wrong"].append((note["commit"][:10], link["path"], link["symbol"], is_stale, link["state"]))
            if to and to != link["path"]:
                tally["renamed", link["renamed_to"] == to] += 1


def measure(options, program, folder, rows, tally):
    repository = Repository(options.clones / folder)
    base = repository.git("rev-list", "--first-parent", f"--skip={options.back}", "--max-count=1", "HEAD").strip()
    head = repository.git("rev-parse", "HEAD").strip()
    with tempfile.TemporaryDirectory(prefix="spyhop-notes-") as scratch:
        scratch = pathlib.Path(scratch)
        tree = Tree(program, repository, scratch, base)
        found = list(drafts(repository, base))
        random.Random(f"{options.seed} {folder}").shuffle(found)
        notes = []
        for draft in found[: options.each]:
            note = plant(tree, dict(draft, signals=signals(repository, draft)))
            notes += [note] if note else []
        linked = {path for note in notes for path, _ in note["links"]} | {path for note in notes for path in note["files"]}
        names = {symbol.split(".")[-1] for symbol in about_symbols(notes)}
        def is_other(draft):
            words = set(re.findall(r"\w+", f"{draft['title']} {draft['sentence']}"))
            return not linked & set(draft["files"]) and not words & names
        others = [draft for draft in found[options.each :] if is_other(draft)][: 2 * options.each]
        tree.run("index", "--quiet")
        all_rows = list(questions(notes, others))
        for row, shown in asked(tree, all_rows):
            rows.append((folder, *row, shown))
        if options.fit:
            # Without git, no renames are followed for notes that are only measured.
            lines = tree.run("memory", "export")
            shutil.rmtree(tree.folder / ".git")
            tree.index = scratch / "index-without-git"
            tree.run("index", "--quiet")
            tree.run("memory", "import", "-", text=lines)
            tally["evidence"].extend(evidence(tree, all_rows))
            print(f"{folder}: {len(all_rows)} questions measured", flush=True)
            return
        staleness(tree, notes, None, base, scratch, tally)
        tree.checkout(head)
        staleness(tree, notes, None, head, scratch, tally)
        staleness(tree, notes, base, base, scratch, tally)
        print(f"{folder}: {len(notes)} notes of {len(found)} commits, {len(others)} others", flush=True)


def report(rows, show):
    print("\n| questions | asked | own note shown | shown | right |\n|---|--:|--:|--:|--:|")
    totals = collections.Counter()
    for kind in ["sentence", "symbol", "signal", "other-subject", "other-sentence"]:
        own = [row for row in rows if row[1] == kind]
        hits = sum(row[4] is not None and any(note[0] == row[4] for note in row[5]) for row in own)
        shown = sum(len(row[5]) for row in own)
        right = sum(note[0] in row[3] for row in own for note in row[5])
        helped = sum(row[4] is not None for row in own)
        totals.update(hits=hits, shown=shown, right=right, helped=helped)
        print(f"| {kind} | {len(own)} | {hits} | {shown} | {right} |")
        if show:
            for row in own:
                wrong = [note for note in row[5] if note[0] not in row[3]]
                if wrong or (row[4] and not any(note[0] == row[4] for note in row[5])):
                    print(f"    {row[0]} {kind}: {row[2][:150]!r} wanted {row[4]} shown {wrong}")
    precision, recall = totals["right"] / max(1, totals["shown"]), totals["hits"] / max(1, totals["helped"])
    print(f"\nprecision {precision:.3f}, recall {recall:.3f}, {totals['helped']} helped questions, {len(rows)} in all")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("clones", type=pathlib.Path)
    parser.add_argument("--only", required=True, help="the folders of CLONES")
    parser.add_argument("--each", type=int, default=20, help="notes per repository")
    parser.add_argument("--back", type=int, default=150, help="first parents between the base and HEAD")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=pathlib.Path, help="writes the questions with what was shown")
    parser.add_argument("--show", action="store_true", help="prints what is wrong")
    parser.add_argument("--fit", action="store_true", help="prints weights, and measures no staleness")
    options = parser.parse_args()
    program = str(pathlib.Path(options.program).resolve())
    rows, tally = [], collections.defaultdict(int, wrong=[], evidence=[])
    for folder in options.only.split(","):
        measure(options, program, folder, rows, tally)
    if options.rows:
        options.rows.write_text("".join(json.dumps([*row[:3], sorted(row[3]), *row[4:]]) + "\n" for row in rows))
    report(rows, options.show)
    if options.fit:
        fit(tally["evidence"])
        return
    found, missed, false, fresh = tally[True, True], tally[True, False], tally[False, True], tally[False, False]
    print(f"stale links: {found} of {found + missed} found ({found / max(1, found + missed):.3f}), "
          f"{false} of {false + fresh} unchanged ones called stale; "
          f"renames named as git names them: {tally['renamed', True]} of {tally['renamed', True] + tally['renamed', False]}")
    for wrong in tally["wrong"] if options.show else []:
        print("   ", *wrong)


if __name__ == "__main__":
    main()

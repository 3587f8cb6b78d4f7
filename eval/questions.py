#!/usr/bin/env python3
"""Ask questions whose answers are known, and measure where the answers stand.

    questions.py --bin BIN --tree TREE --questions FILE.jsonl       one tree
    questions.py --bin BIN --trees FOLDER --annotations FOLDER [NAME...]
                                                                    the trees of a benchmark, by name

FILE.jsonl has a line a question: {"query", "relevant": [path, ...]}. An annotations folder has NAME.json for each
tree, a list of {"query", "category", "relevant", "secondary"}, whose targets are paths or {path, start_line, end_line};
beside it (or at --repos) lies repos.json, which says for each NAME which folder of the tree is its root. Trees that are
not in the folder are named and left out.

The real binary is asked, once a tree, through standard input. The measures look at the first ten results as they are
returned, places and not files, since that is what a caller reads:

- A result hits a target when its path equals the target's, or one of the two is the other's end behind a '/', and,
  where the target has lines, when the lines overlap. `relevant` and `secondary` count alike.
- A target's rank is that of the first result that hits it; targets that share it count once.
- NDCG has gain 1 for each rank that hits; its ideal is as many hits as there are targets, ten at most, from rank 1.
- Recall is the share of targets that are hit, success whether any is, MRR one over the first rank that hits.

Averages over several trees are means of the trees' means, so that a tree counts the same with few questions as with
many. Nothing in the output depends on time or place, so that two runs can be compared line by line.
"""

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile

SEEN = 10
ASKED = 50  # the largest page, to tell rank 14 from absence
MEASURES = ("recall", "success", "MRR", "NDCG")


def main():
    args = arguments()
    with tempfile.TemporaryDirectory(prefix="questions-") as scratch:
        if "SPYHOP_INDEX_DIR" not in os.environ:
            os.environ["SPYHOP_INDEX_DIR"] = scratch
        trees = one_tree(args) if args.questions else benchmark(args)
        asked = [(name, binary, binary.ask(questions)) for name, binary, questions in trees]
        if not asked:
            sys.exit("no tree is there to be asked")
        for name, _, answers in asked:
            print(f"== {name}")
            for answer in answers:
                print(answer.line())
        misses = [(name, binary, answer) for name, binary, answers in asked for answer in answers]
        misses.sort(key=lambda miss: miss[2].measures()["NDCG"])  # stable: equal ones stay in order
        misses = [miss for miss in misses if miss[2].missed()]
        if args.reasons is not None:
            for name, binary, answer in misses[: args.reasons or None]:
                explain(name, binary, answer)
        table([(name, answers) for name, _, answers in asked])


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the spyhop binary")
    parser.add_argument("--tree", help="the tree that --questions are about")
    parser.add_argument("--questions", help="a file of questions, a JSON document a line")
    parser.add_argument("--trees", help="the folder with the benchmark's trees")
    parser.add_argument("--annotations", help="the folder with the benchmark's NAME.json")
    parser.add_argument("--repos", help="repos.json, if it does not lie beside the annotations folder")
    parser.add_argument(
        "--reasons",
        nargs="?",
        type=int,
        const=0,
        metavar="N",
        help="for each question with a target that is not among the first ten (the N worst), what came first "
        "and why the target did not",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these trees of the benchmark")
    args = parser.parse_args()
    if bool(args.questions) == bool(args.annotations):
        parser.error("give --questions with --tree, or --annotations with --trees")
    if (args.questions and not args.tree) or (args.annotations and not args.trees):
        parser.error("give --questions with --tree, or --annotations with --trees")
    return args


def one_tree(args):
    with open(args.questions, encoding="utf-8") as lines:
        questions = [Question(json.loads(line)) for line in lines if line.strip()]
    yield os.path.basename(os.path.abspath(args.tree)), Binary(args.bin, args.tree, "."), questions


def benchmark(args):
    repos = args.repos or os.path.join(os.path.dirname(os.path.abspath(args.annotations)), "repos.json")
    with open(repos, encoding="utf-8") as file:
        specs = json.load(file)
    unknown = set(args.names) - {spec["name"] for spec in specs}
    if unknown:
        sys.exit(f"unknown names: {', '.join(sorted(unknown))}")
    for spec in specs:
        name, root = spec["name"], spec["root"]
        if args.names and name not in args.names:
            continue
        tree = os.path.join(args.trees, name, root)
        if not os.path.isdir(tree):
            print(f"not there: {name}", file=sys.stderr)
            continue
        with open(os.path.join(args.annotations, f"{name}.json"), encoding="utf-8") as file:
            questions = [Question(entry) for entry in json.load(file)]
        yield name, Binary(args.bin, tree, root), questions


class Question:
    """A query and the places that answer it."""

    def __init__(self, entry):
        self.query = " ".join(entry["query"].split())
        self.category = entry.get("category", "")
        self.targets = [Target(target) for target in entry["relevant"] + entry.get("secondary", [])]


class Target:
    """A file, or lines of one."""

    def __init__(self, target):
        target = {"path": target} if isinstance(target, str) else target
        self.path = target["path"]
        self.lines = (target["start_line"], target["end_line"]) if "start_line" in target else None

    def is_hit(self, hit):
        first, last = self.lines or (0, math.inf)
        return same_file(self.path, hit["path"]) and hit["line"] <= last and first <= hit["end_line"]


def same_file(one, other):
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


class Binary:
    """The program over one tree."""

    def __init__(self, path, tree, root):
        self.path = os.path.abspath(path)
        self.tree = os.path.abspath(tree)
        self.root = root

    def run(self, *words, stdin=None):
        command = [self.path, *words, "--root", self.tree]
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, encoding="utf-8", cwd=self.tree, check=False
        )
        # 1 is "nothing found"; a batch gives 2 at its end when one query was refused.
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}\n{done.stderr or done.stdout}")
        return done.stdout

    def ask(self, questions):
        self.run("index", "--quiet")
        queries = "".join(question.query + "\n" for question in questions)
        page = ("-n", str(ASKED), "--mode", "compact")
        lines = self.run("search", "--batch", "--no-refresh", *page, stdin=queries).splitlines()
        assert len(lines) == len(questions), "one line for each query"
        replies = [json.loads(line)["results"] for line in lines]
        return [Answer(question, hits) for question, hits in zip(questions, replies)]

    def why_not(self, path, query):
        """What the program says about a target. Its path may begin above the tree's root."""
        below = path.removeprefix(self.root + "/")
        text = self.run("why-not", "--json", "--no-refresh", "--", below, query)
        return json.loads(text)


class Answer:
    """A question with the hits that it got."""

    def __init__(self, question, hits):
        self.question = question
        self.hits = hits
        files = list(dict.fromkeys(hit["path"] for hit in hits))
        self.ranks = []
        for target in question.targets:
            rank = next((at for at, hit in enumerate(hits, 1) if target.is_hit(hit)), None)
            file = rank and files.index(hits[rank - 1]["path"]) + 1
            self.ranks.append((target, rank, file))

    def found(self):
        return sorted({rank for _, rank, _ in self.ranks if rank and rank <= SEEN})

    def missed(self):
        return [target for target, rank, _ in self.ranks if not rank or rank > SEEN]

    def measures(self):
        found = self.found()
        ideal = range(1, min(SEEN, len(self.ranks)) + 1)
        return {
            "recall": sum(1 for _, rank, _ in self.ranks if rank and rank <= SEEN) / len(self.ranks),
            "success": 1.0 if found else 0.0,
            "MRR": 1 / found[0] if found else 0.0,
            "NDCG": gain(found) / gain(ideal),
        }

    def line(self):
        ranks = ", ".join(f"{target.path} {shown(rank, file)}" for target, rank, file in self.ranks)
        return f"{self.measures()['NDCG']:.3f}  {self.question.query}\n       {ranks}"


def shown(rank, file):
    if not rank:
        return "-"
    return f"{rank}" if rank == file else f"{rank} (file {file})"


def gain(ranks):
    return sum(1 / math.log2(rank + 1) for rank in ranks)


def explain(name, binary, answer):
    print(f"\n?? {name}: {answer.question.query}")
    for rank, hit in enumerate(answer.hits[:3], 1):
        print(f"   {rank}. {hit['path']}:{hit['line']} {hit['symbol'] or '-'} {hit['score']:.3f}")
        print("      " + ", ".join(f"{r['signal']} {r['share']:+.3f}" for r in hit["reasons"][:6]))
    for target in answer.missed():
        why = binary.why_not(target.path, answer.question.query)
        print(f"   missed {target.path}: {why['text']}")
        gaps = [f"{gap['signal']} {gap['own']:+.3f} against {gap['tenth']:+.3f}" for gap in why["missing"][:5]]
        if gaps:
            print("      " + ", ".join(gaps))


def table(asked):
    """Averages by tree, by category and over all."""
    rows = [(name, [answers]) for name, answers in asked]
    categories = sorted({answer.question.category for _, answers in asked for answer in answers} - {""})
    for category in categories:
        of = [[answer for answer in answers if answer.question.category == category] for _, answers in asked]
        rows.append((category, [answers for answers in of if answers]))
    if len(asked) > 1:
        rows.append(("all", [answers for _, answers in asked]))
    width = max(len(name) for name, _ in rows)
    head = "  ".join(f"{measure + '@' + str(SEEN):>10}" for measure in MEASURES)
    print(f"\n{'':<{width}}  questions  {head}")
    for name, trees in rows:
        means = [mean([mean([a.measures()[measure] for a in tree]) for tree in trees]) for measure in MEASURES]
        count = sum(len(tree) for tree in trees)
        print(f"{name:<{width}}  {count:>9}  " + "  ".join(f"{value:>10.3f}" for value in means))


def mean(values):
    return sum(values) / len(values)


if __name__ == "__main__":
    main()

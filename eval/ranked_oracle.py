"""Proves that an exhaustive ranked search misses no file that ripgrep 15 finds for the same text.

    python3 eval/ranked_oracle.py --bin target/release/spyhop --rg rg TREE...
    python3 eval/ranked_oracle.py --bin target/release/spyhop --rg rg --count 60 kubernetes-1.20.2

The texts are the literal patterns of `grep_oracle.py`, sampled from the files of each tree by the same seeded generator:
identifiers, parts of them, phrases with blanks and punctuation, one-character and Unicode texts. The tree is indexed
first. Each text is asked as `spyhop search --exhaustive`, paged to its end under `--stale-policy ignore`; its hits must
name every file that `rg -l -F` names, no hit may stand twice, scores must not rise from page to page, and the reply must
say that it is complete. Beside it stands how many files the same search finds within its budget, not
exhaustive, over all its pages. Exit code 1 when anything is missing.
"""

import argparse
import json
import os
import random
import re
import sys
import tempfile

from grep_oracle import listed, patterns, run, version

PLAIN = re.compile(r"\w+", re.UNICODE)


def texts(tree, files, chance, count):
    """`count` of the sampled patterns that are texts."""
    found = []
    while len(found) < count:
        asked, _ = patterns(tree, files, chance, 2 * count)
        found += [text for _, text, flags in asked if "-F" in flags or PLAIN.fullmatch(text)]
    return found[:count]


def ranked(args, tree, index, text, flags):
    """The paths of all hits, and what is wrong with the pages."""
    paths, wrong, cursor, last, seen = set(), [], [], 2.0, set()
    while True:
        command = [args.bin, "search", "--root", ".", "--index-dir", index, "--stale-policy", "ignore", "--json",
                   "--mode", "compact", *flags, *cursor, "-q", "--", text]
        done = run(command, tree)
        if done.returncode not in (0, 1):
            return paths, [done.stderr.decode()[:200]]
        reply = json.loads(done.stdout)
        for hit in reply["results"]:
            if hit["score"] > last + 1e-6:
                wrong.append(f"the score rises at {hit['path']}")
            last = hit["score"]
            identity = (hit["path"], hit["line"], hit["end_line"], hit["symbol"])
            if identity in seen:
                wrong.append(f"a hit stands twice: {identity}")
            paths.add(hit["path"])
            seen.add(identity)
        if reply["next"] is None:
            break
        cursor = ["--cursor", reply["next"]]
    if "--exhaustive" in flags and not reply["complete"]:
        wrong.append("the reply is not complete")
    return paths, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+")
    parser.add_argument("--bin", default="target/release/spyhop")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--show", type=int, default=5)
    args = parser.parse_args()
    args.bin = os.path.abspath(args.bin)
    name = version(args.rg)
    if name is None or not name.startswith("ripgrep 15"):
        sys.exit(f"this compares with ripgrep 15, and {args.rg} is {name}")
    failed = 0
    for tree in map(os.path.abspath, args.trees):
        chance = random.Random(f"{args.seed} {os.path.basename(tree)}")
        with tempfile.TemporaryDirectory() as scratch:
            index = os.path.join(scratch, "index")
            run([args.bin, "index", "--root", ".", "--index-dir", index, "-q"], tree).check_returncode()
            files = listed(args, tree)
            asked = texts(tree, files, chance, args.count)
            bad, hits, budget = 0, 0, 0
            for text in asked:
                out = run([args.rg, "--no-config", "--no-require-git", "-l", "-F", "-e", text], tree).stdout
                wanted = set(out.decode("utf-8", "surrogateescape").splitlines())
                found, wrong = ranked(args, tree, index, text, ["--exhaustive", "--max-results", "1000", "--per-file", "1"])
                usual, _ = ranked(args, tree, index, text, ["--max-results", "50", "--per-file", "1"])
                hits += len(wanted)
                budget += len(wanted & usual)
                missing = wanted - found
                if missing or wrong:
                    bad += 1
                    if bad <= args.show:
                        print(f"  {text!r}: {len(missing)} of {len(wanted)} missing {sorted(missing)[:3]} {wrong[:2]}")
        failed += bad
        print(f"{os.path.basename(tree)}: {len(asked)} texts, {hits} files hold them, {bad} texts miss any; "
              f"within the budget {budget} files ({100 * budget / max(1, hits):.1f} %)", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()

"""How long `spyhop grep` takes beside ripgrep: whole processes, warm, interleaved, on one tree.

    python3 eval/grep_speed.py --bin target/release/spyhop --rg rg --count 60 TREE

Patterns are sampled as in `grep_oracle.py`; both write to a pipe and print line numbers. The pipe is read to its end, or
with --first closed after the first line, as `head -1` does. --policy refresh compares the tree with the index. The last
figures are processor times, which other programs on the machine change less.
"""

import argparse
import os
import random
import resource
import statistics
import subprocess
import tempfile
import time

import grep_oracle


def timed(command, tree, first=False):
    """Wall seconds, processor seconds and lines of a process; with `first`, of one whose pipe is closed after a line."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with subprocess.Popen(command, cwd=tree, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL) as process:
        out = process.stdout.readline() if first else process.stdout.read()
        process.stdout.close()
        process.wait()
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    processor = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return wall, processor, out.count(b"\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--bin", default="target/release/spyhop")
    parser.add_argument("--rg", default="rg")
    parser.add_argument("--count", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--index-dir")
    parser.add_argument("--policy", default="ignore")
    parser.add_argument("--first", action="store_true", help="close the pipe after the first line")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--pattern", action="append", default=[], metavar="FLAGS_AND_PATTERN",
                        help="measure this pattern, such as '-w return', in place of sampled ones; several are possible")
    parser.add_argument("--extra", action="append", default=[], help="a further flag for Spyhop, such as --show-secrets")
    parser.add_argument("--distinct", action="store_true",
                        help="each word of the tree is as likely as any other, however often it stands there")
    args = parser.parse_args()
    tree = os.path.abspath(args.tree)
    binary = os.path.abspath(args.bin)
    with tempfile.TemporaryDirectory() as scratch:
        index = args.index_dir or os.path.join(scratch, "index")
        subprocess.run([binary, "index", "--root", ".", "--index-dir", index, "-q"], cwd=tree, check=True)
        files = grep_oracle.listed(args, tree)
        chance = random.Random(f"{args.seed} {os.path.basename(tree)}")
        if args.pattern:
            typed = [text.split() for text in args.pattern]
            asked = [(None, words[-1], words[:-1]) for words in typed]
        else:
            asked, _ = grep_oracle.patterns(tree, files, chance, args.count, args.distinct)
        rows, processor = [], []
        for _, pattern, flags in asked:
            flags = [flag for flag in flags if flag == "-F"] + [flag for flag in flags if flag in ("-i", "-w")] + ["-n"]
            own = [binary, "grep", *flags, "--root", ".", "--index-dir", index, "--stale-policy", args.policy,
                   *args.extra, "-e", pattern]
            other = [args.rg, "--no-config", "--no-require-git", *flags, "-e", pattern]
            pairs = [(timed(own, tree, args.first), timed(other, tree, args.first)) for _ in range(args.runs)]
            mine = statistics.median(own[0] for own, _ in pairs)
            theirs = statistics.median(other[0] for _, other in pairs)
            rows.append((theirs / mine, mine, theirs, pairs[0][0][2], pattern, flags))
            processor.append([statistics.median(run[which][1] for run in pairs) for which in (0, 1)])
            if args.pattern:
                spent = ", rg ".join(f"{seconds * 1000:.0f}" for seconds in processor[-1])
                print(f"{' '.join(flags)} {pattern!r}: {rows[-1][3]} lines, processor ms at p50: {spent}", flush=True)
    rows.sort()
    if args.show:
        for ratio, mine, theirs, lines, pattern, flags in rows:
            print(f"{ratio:7.1f}  {mine * 1000:8.1f}  {theirs * 1000:8.1f}  {lines:8}  {' '.join(flags)} {pattern!r}")
    ratios = [row[0] for row in rows]
    own = [row[1] * 1000 for row in rows]
    other = [row[2] * 1000 for row in rows]
    print(f"{os.path.basename(tree)}: {len(rows)} patterns, {len(files)} files; ms at p50: {statistics.median(own):.1f},"
          f" rg {statistics.median(other):.1f}; rg takes {statistics.median(ratios):.1f} times as long at p50,"
          f" {ratios[0]:.2f} at the worst, {ratios[-1]:.1f} at the best; processor ms at p50:"
          f" {statistics.median(row[0] for row in processor) * 1000:.1f},"
          f" rg {statistics.median(row[1] for row in processor) * 1000:.1f}")


if __name__ == "__main__":
    main()

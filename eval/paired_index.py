#!/usr/bin/env python3
"""Indexes a tree with two builds of the program in turns, and compares time and processor time.

    python3 eval/paired_index.py BEFORE AFTER TREE --runs 3

Each run makes a complete index in a new folder with `spyhop index --wait`. Processor time is that of the program and of
its parser workers: the script adopts and awaits processes whose parent has ended (Linux).
"""

import argparse
import ctypes
import os
import resource
import statistics
import subprocess
import tempfile
import time

PR_SET_CHILD_SUBREAPER = 36


def index(program, tree):
    """Seconds on the clock and of processor time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory(prefix="spyhop-paired-") as folder:
        began = time.monotonic()
        command = [os.path.abspath(program), "index", "--wait", "-q", "--index-dir", os.path.join(folder, "index")]
        subprocess.run(command, cwd=tree, check=True, stdout=subprocess.DEVNULL)
        wall = time.monotonic() - began
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("tree")
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    took = {"before": [], "after": []}
    for run in range(arguments.runs):
        for name in sorted(took, reverse=run % 2 == 0):
            took[name].append(index(getattr(arguments, name), arguments.tree))
    medians = {name: [statistics.median(column) for column in zip(*rows)] for name, rows in took.items()}
    for name, (wall, processor) in medians.items():
        print(f"{name:<7} {wall:8.2f} s  {processor:8.2f} s of processor time")
    ratios = [after / before for before, after in zip(medians["before"], medians["after"])]
    print(f"after / before: {ratios[0]:.3f}, processor time {ratios[1]:.3f}")


if __name__ == "__main__":
    main()

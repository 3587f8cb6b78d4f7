#!/usr/bin/env python3
"""What a person who keeps Spyhop open all day expects, each line a command with its outcome.

    python3 eval/daily.py target/debug/spyhop [--only WORD]

Each check runs the program in a small repository, from a subfolder where that matters, and says what came out where it differs
from what is expected. Terminals, the picker, editors and completions have tests of their own in `tests/`. The exit code is 1
if a check fails.
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import daily_around  # noqa: F401  each module registers its checks
import daily_commands  # noqa: F401
import daily_grep  # noqa: F401
from daily_tree import CHECKS, Tree


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    program = str(pathlib.Path(args.program).resolve())
    failed = ran = 0
    for name, run in CHECKS:
        if args.only not in name:
            continue
        ran += 1
        with tempfile.TemporaryDirectory() as folder:
            try:
                run(Tree(program, pathlib.Path(folder)))
                print(f"ok      {name}")
            except (AssertionError, subprocess.TimeoutExpired, KeyError, IndexError) as error:
                failed += 1
                print(f"FAILED  {name}: {error}")
    print(f"{ran} checks, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs ripgrep's tests against `spyhop grep`.

    eval/ripgrep_suite.py --bin target/debug/spyhop [--source DIR] [--target DIR]

The source of ripgrep 15 is looked for in cargo's registry, where `cargo install ripgrep` leaves it; nothing of it is kept
in this repository. The tests are built with cargo, then ripgrep's binary is replaced by a script that runs `spyhop grep`.
Tests that are expected to fail stand in `ripgrep_exceptions.txt`, each with the reason. Any other failure fails the run,
and so does an exception that passes: it has to go from the list.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def source_in_registry():
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    found = sorted(home.glob("registry/src/*/ripgrep-15.*"))
    return found[-1] if found else None


def exceptions():
    lines = (HERE / "ripgrep_exceptions.txt").read_text().splitlines()
    rows = (line.split(None, 1) for line in lines if line.strip() and not line.startswith("#"))
    return {name: reason.strip() for name, reason in rows}


def built(source, target):
    """The binary of the tests, and the place where the tests look for ripgrep."""
    copy = target / "source"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(source, copy)
    # The copy may lie in the target folder of this workspace, and is not a member of it.
    with (copy / "Cargo.toml").open("a") as manifest:
        manifest.write("\n[workspace]\n")
    command = ["cargo", "test", "--locked", "--test", "integration", "--no-run", "--target-dir", str(target / "build")]
    ran = subprocess.run(command, cwd=copy, capture_output=True, text=True)
    match = re.search(r"Executable .*\((.*integration-[^)]*)\)", ran.stderr)
    if ran.returncode or not match:
        sys.exit(f"ripgrep's tests cannot be built: {ran.stderr[-2000:]}")
    tests = copy / match.group(1)
    return tests, tests.parent.parent / "rg", copy


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="the program")
    parser.add_argument("--source", type=pathlib.Path, help="the source of ripgrep 15; else that of cargo's registry")
    parser.add_argument("--target", type=pathlib.Path, help="where the tests are built; else a temporary folder")
    args = parser.parse_args()
    source = args.source or source_in_registry()
    if source is None:
        print("skipped: ripgrep's tests did not run, the source of ripgrep 15 is not in cargo's registry")
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        target = (args.target or pathlib.Path(scratch) / "target").absolute()
        tests, program, copy = built(source, target)
        program.unlink(missing_ok=True)
        program.write_text(f'#!/bin/sh\nexec "{args.bin.resolve()}" grep "$@"\n')
        program.chmod(0o755)
        env = {**os.environ, "SPYHOP_INDEX_DIR": str(pathlib.Path(scratch) / "index"), "RUST_BACKTRACE": "0"}
        ran = subprocess.run([tests], cwd=copy, env=env, capture_output=True, text=True, errors="replace")
    results = dict(re.findall(r"^test (\S+) \.\.\. (ok|FAILED)$", ran.stdout, re.M))
    expected = exceptions()
    passed = sum(result == "ok" for result in results.values())
    failed = {name for name, result in results.items() if result == "FAILED"}
    print(f"{passed} of {len(results)} of ripgrep's tests pass, {len(failed & expected.keys())} fail for a named reason")
    for name in sorted(failed - expected.keys()):
        print(f"FAILED {name}")
    for name in sorted(expected.keys() & results.keys() - failed):
        print(f"passes, take it from the list of exceptions: {name}")
    return 0 if results and failed == failed & expected.keys() and not expected.keys() & results.keys() - failed else 1


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Times a cold build of a program that depends on the library, with an empty target folder each time.

    python3 eval/cold_build.py [--tree FOLDER] [--features ''] [--features lang-rust,lang-typescript] [--features default]
    python3 eval/cold_build.py --tantivy

The program lies outside of the workspace, so Cargo's default profile applies to every package, as in the program of a stranger.
FOLDER is a checkout of this repository, by default this one. With --tantivy, the program depends on the library's tantivy alone. All packages are downloaded before the first build. Nothing else
should run; the load before each build is printed.
"""

import argparse
import os
import pathlib
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
USE_OF_LIBRARY = "spyhop::Options::default()"
USE_OF_TANTIVY = "tantivy::schema::Schema::builder()"


def dependency_on_library(tree, features):
    default = "true" if features == "default" else "false"
    named = [] if features == "default" else [name for name in features.split(",") if name]
    listed = ", ".join(f'"{name}"' for name in named)
    return f'spyhop = {{ path = "{tree}", default-features = {default}, features = [{listed}] }}'


def dependency_on_tantivy(tree):
    return next(line for line in (tree / "Cargo.toml").read_text().splitlines() if line.startswith("tantivy = "))


def write_host(folder, tree, dependency, use):
    """A program with one dependency, and with the versions of the library's own lock file."""
    (folder / "src").mkdir(parents=True)
    (folder / "src/main.rs").write_text(f"fn main() {{ let _ = {use}; }}\n")
    (folder / "Cargo.toml").write_text(
        f'[package]\nname = "host"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n{dependency}\n'
    )
    (folder / "Cargo.lock").write_text((tree / "Cargo.lock").read_text())


def packages_of(folder):
    tree = subprocess.run(
        ["cargo", "tree", "-e", "normal,build", "--prefix", "none"], cwd=folder, check=True, capture_output=True, text=True
    ).stdout
    return len({line.removesuffix(" (*)") for line in tree.splitlines()}) - 1


def seconds_of_build(folder, arguments):
    """Seconds by the clock and of processor time."""
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CARGO_")}
    subprocess.run(["cargo", "build", "--quiet", *arguments], cwd=folder, check=True, env=environment)
    clock, after = time.monotonic() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return clock, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tree", type=pathlib.Path, default=ROOT)
    parser.add_argument("--features", action="append", help="names with commas between them; `default` for the default; may be repeated")
    parser.add_argument("--release", action="store_true", help="with optimization")
    parser.add_argument("--tantivy", action="store_true", help="tantivy alone, for comparison")
    arguments = parser.parse_args()
    tree = arguments.tree.resolve()
    hosts = [
        (features or "none", dependency_on_library(tree, features), USE_OF_LIBRARY)
        for features in arguments.features or ["", "lang-rust,lang-typescript", "default"]
    ]
    if arguments.tantivy:
        hosts = [("tantivy alone", dependency_on_tantivy(tree), USE_OF_TANTIVY)]
    print("| features | packages | seconds | of processor time | load before |\n|---|--:|--:|--:|--:|")
    for name, dependency, use in hosts:
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            write_host(folder, tree, dependency, use)
            subprocess.run(["cargo", "fetch", "--quiet"], cwd=folder, check=True)
            packages, load = packages_of(folder), os.getloadavg()[0]
            clock, processor = seconds_of_build(folder, ["--release"] if arguments.release else [])
        print(f"| {name} | {packages} | {clock:.0f} | {processor:.0f} | {load:.1f} |", flush=True)


if __name__ == "__main__":
    main()

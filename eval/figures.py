"""Times the real program on real trees, as a table for docs/figures.md.

    python3 eval/figures.py --bin target/release/spyhop TREE...

For each tree: a first index from nothing (median of --runs), its peak resident memory, files, source bytes and index
bytes; then, as whole processes on the finished index, a question that is answered from the index as it is
(--no-refresh) and the same with the tree compared first, each the median over the questions below, --runs times.
Trees are read once before, so the page cache is warm. Only the standard library is used; Linux gives the memory.
"""
import argparse
import json
import os
import statistics
import subprocess
import tempfile
import time

QUESTIONS = [
    "where is the configuration file parsed",
    "how are errors reported to the user",
    "retry after a timeout",
    "close the connection",
    "cache invalidation",
]


def timed(command, env):
    """Seconds, peak resident MB and standard output of one process."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    if os.waitstatus_to_exitcode(status) > 1:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - begun, usage.ru_maxrss / 1024, output


def warm(tree):
    for folder, _, names in os.walk(tree):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    while file.read(1 << 20):
                        pass


def measure(program, tree, runs):
    builds, peaks = [], []
    for _ in range(runs):
        with tempfile.TemporaryDirectory() as index:
            env = dict(os.environ, SPYHOP_INDEX_DIR=index)
            seconds, peak, _ = timed([program, "index", "--quiet", tree], env)
            builds.append(seconds)
            peaks.append(peak)
    with tempfile.TemporaryDirectory() as index:
        env = dict(os.environ, SPYHOP_INDEX_DIR=index)
        timed([program, "index", "--quiet", tree], env)
        status = json.loads(timed([program, "status", "--root", tree, "--json"], env)[2])
        time.sleep(2.1)  # what was just written counts as unproven for two seconds
        answers = {}
        for name, flags in (("index as it is", ["--no-refresh"]), ("tree compared", [])):
            command = [program, "--root", tree, "--json", *flags]
            times = [timed([*command, question], env)[0] for question in QUESTIONS for _ in range(runs)]
            answers[name] = statistics.median(times)
    return statistics.median(builds), max(peaks), status, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the program to measure")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("trees", nargs="+")
    arguments = parser.parse_args()
    print("| tree | files | source MB | first index s | peak MB | index MB | question ms | with refresh ms |")
    print("|---|--:|--:|--:|--:|--:|--:|--:|")
    for tree in arguments.trees:
        warm(tree)
        build, peak, status, answers = measure(os.path.abspath(arguments.bin), tree, arguments.runs)
        print(
            f"| {os.path.basename(os.path.abspath(tree))} | {status['files']} | {status['source_bytes'] / 1e6:.1f} "
            f"| {build:.2f} | {peak:.0f} | {status['index_bytes'] / 1e6:.1f} "
            f"| {answers['index as it is'] * 1000:.0f} | {answers['tree compared'] * 1000:.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()

"""How much memory builds and queries take, as the system counts it.

    python3 eval/memory.py --bin target/release/spyhop [--bounds 128M,256M,1G] [--index-dir DIR] TREE...

For each tree: a first index under each bound (--max-memory), then questions, each a whole process that answers from the
index as it is. "Anonymous" is the process's own memory (RssAnon), the greatest that was seen when looking every
--interval milliseconds (for questions, as often as possible); "with pages of files" is the peak that the kernel keeps
(VmHWM), in which the mapped pages of the index count, that are the page cache's and not the process's. With --index-dir
nothing is built, and the index there is only read. Only the standard library is used; Linux gives the figures.
"""
import argparse
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


def look(status):
    """RssAnon and VmHWM of a process in KiB; nothing once it has ended."""
    status.seek(0)
    found = {}
    for line in status.read().split(b"\n"):
        name, _, value = line.partition(b":")
        if name in (b"RssAnon", b"VmHWM"):
            found[name] = int(value.split()[0])
    return found.get(b"RssAnon", 0), found.get(b"VmHWM", 0)


def watched(command, env, interval):
    """Seconds, the greatest RssAnon and the greatest VmHWM in MB of one process."""
    begun = time.perf_counter()
    process = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    anonymous = peak = 0
    with open(f"/proc/{process.pid}/status", "rb", buffering=0) as status:
        while process.poll() is None:
            try:
                now = look(status)
            except ProcessLookupError:
                break
            anonymous, peak = max(anonymous, now[0]), max(peak, now[1])
            if interval:
                time.sleep(interval)
    if process.wait() > 1:
        raise SystemExit(f"{command} failed")
    return time.perf_counter() - begun, anonymous / 1024, peak / 1024


def row(tree, what, bound, seconds, anonymous, peak):
    name = os.path.basename(os.path.abspath(tree))
    print(f"| {name} | {what} | {bound} | {seconds:.3f} | {anonymous:.0f} | {peak:.0f} |", flush=True)


def questions(program, tree, index, runs):
    flags = ["--root", tree, "--index-dir", index, "--stale-policy", "ignore", "--require-index"]
    of_all = []
    for question in QUESTIONS:
        of_all += [watched([program, "search", question, *flags], os.environ, 0) for _ in range(runs)]
    seconds = statistics.median(run[0] for run in of_all)
    row(tree, "question", "", seconds, max(run[1] for run in of_all), max(run[2] for run in of_all))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, help="the program to measure")
    parser.add_argument("--bounds", default="128M,256M,1G", help="values of --max-memory, with commas between them")
    parser.add_argument("--interval", type=float, default=5, help="milliseconds between looks at a build")
    parser.add_argument("--runs", type=int, default=3, help="of each question")
    parser.add_argument("--index-dir", help="an index to ask, instead of building one")
    parser.add_argument("trees", nargs="+")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.bin)
    print("| tree | what | bound | s | anonymous MB | with pages of files MB |")
    print("|---|---|--:|--:|--:|--:|")
    for tree in arguments.trees:
        if arguments.index_dir:
            questions(program, tree, os.path.abspath(arguments.index_dir), arguments.runs)
            continue
        with tempfile.TemporaryDirectory() as index:
            for bound in filter(None, arguments.bounds.split(",")):
                place = os.path.join(index, bound)
                command = [program, "index", "--quiet", "--max-memory", bound, "--index-dir", place, tree]
                row(tree, "first index", bound, *watched(command, os.environ, arguments.interval / 1000))
            questions(program, tree, place, arguments.runs)


if __name__ == "__main__":
    main()

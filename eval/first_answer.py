"""How long it takes from nothing to a first answer, while the index of a large tree is being built.

    python3 eval/first_answer.py --bin target/release/spyhop TREE [--question TEXT]

One process builds the index of TREE in an empty folder. A second one is started again and again from the same moment
on, asks, and ends: `spyhop search --json`, with --pause milliseconds between one answer and the next question, and with
--require-index, so that it never builds itself and is refused as long as there is nothing to answer from. The rows tell when an answer came, from how many files (`snapshot.building`, where the answer says so), and whether it said
that it is not complete; they are the first answer, the first with a result, the first after each tenth of the files, the first from
all of them by their text, and the first from half of them by their structure. A program that cannot answer before the build is done gives its first answer then, and the table says that too.
Beside it, from the same run, what others need to their first answer from nothing: `rg -F` without an index, and Google
codesearch with `cindex` (`apt-get install codesearch`), where they are installed. The tree is read once before, so the
page cache is warm. The exit code is 1 when a partial answer did not say that it is one, or when the last answer does
not come from all files. Only the standard library is used; Linux gives the memory.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

from figures import timed, warm


class Build(threading.Thread):
    """The process that builds."""

    def __init__(self, command, env):
        super().__init__()
        self.command, self.env, self.done = command, env, None
        self.begun = time.monotonic()
        self.start()

    def run(self):
        _, self.peak, _ = timed(self.command, self.env)
        self.done = time.monotonic() - self.begun


def ask(program, tree, env, question):
    command = [program, "search", "--json", "--no-refresh", "--require-index", "--root", tree, question]
    run = subprocess.run(command, env=env, capture_output=True, stdin=subprocess.DEVNULL)
    if run.returncode not in (0, 1):
        return {"refused": run.stderr.decode().strip().replace("\n", " ")}
    return json.loads(run.stdout)


def watch(options, program, env):
    """The build, and the answers that came meanwhile: seconds asked, seconds answered, the reply."""
    build = Build([program, "index", "--quiet", "--root", options.tree], env)
    seen = []
    while True:
        was_done = build.done is not None
        asked = time.monotonic() - build.begun
        reply = ask(program, options.tree, env, options.question)
        seen.append((asked, time.monotonic() - build.begun, reply))
        if was_done:
            break
        time.sleep(options.pause / 1000)
    build.join()
    return build, seen


def progress(reply):
    building = reply["snapshot"].get("building")
    return (building["files"], building["of"]) if building else (reply["snapshot"]["indexed_files"],) * 2


def by_text(reply):
    return (reply["snapshot"].get("building") or {}).get("text_only", 0)


def show(build, seen):
    answers = [(asked, answered, reply) for asked, answered, reply in seen if "refused" not in reply]
    refused = [reply["refused"] for *_, reply in seen if "refused" in reply]
    rows = [("first answer", answers[0])]
    rows += [("first result", answer) for answer in answers if answer[2]["results"]][:1]
    for tenth in range(1, 10):
        later = (answer for answer in answers if progress(answer[2])[0] >= progress(answer[2])[1] * tenth / 10)
        new = next(later, None)
        rows += [(f"{tenth * 10} % of the files", new)] if new and new is not rows[-1][1] else []
    partial = [answer for answer in answers if answer[2]["snapshot"].get("building")]
    most = max((progress(answer[2])[0] for answer in partial), default=0)
    rows += [("all by text", answer) for answer in partial if progress(answer[2])[0] == most and by_text(answer[2])][:1]
    rows += [("half by structure", answer) for answer in partial if progress(answer[2])[0] == most and by_text(answer[2]) * 2 <= most][:1]
    rows.append(("after the build", answers[-1]))
    print("| answer | came after s | took ms | files | of | by text only | results | complete |")
    print("|---|--:|--:|--:|--:|--:|--:|---|")
    for name, (asked, answered, reply) in rows:
        done, of = progress(reply)
        print(f"| {name} | {answered:.2f} | {(answered - asked) * 1000:.0f} | {done} | {of} "
              f"| {by_text(reply)} | {len(reply['results'])} of {reply['total']} | {str(reply['complete']).lower()} |")
    print(f"\nbuild: {build.done:.2f} s, peak {build.peak:.0f} MB; {len(answers)} answers, {len(refused)} refusals")
    if refused:
        print(f"first refusal: {refused[0]}")


def wrong(build, seen):
    """What an answer may not do."""
    answers = [(answered, reply) for _, answered, reply in seen if "refused" not in reply]
    for answered, reply in answers:
        done, of = progress(reply)
        if done < of and reply["complete"]:
            yield f"the answer after {answered:.2f} s is from {done} of {of} files and calls itself complete"
    last = answers[-1][1]
    if last["snapshot"].get("building"):
        yield "the answer after the build still says that it is being built"
    counts = [progress(reply)[0] for _, reply in answers]
    if counts != sorted(counts):
        yield "files that were there have gone"


def others(options, folder):
    print("\n| from nothing | s |\n|---|--:|")
    text = options.question.split()[-1]
    if shutil.which("rg"):
        took, *_ = timed(["rg", "-F", "-l", text, options.tree], dict(os.environ))
        print(f"| `rg -F {text}` | {took:.2f} |")
    if shutil.which("cindex"):
        env = dict(os.environ, CSEARCHINDEX=os.path.join(folder, "csearchindex"))
        built, *_ = timed(["cindex", os.path.abspath(options.tree)], env)
        asked, *_ = timed(["csearch", "-l", text], env)
        print(f"| `cindex` and `csearch {text}` | {built + asked:.2f} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("--bin", required=True)
    parser.add_argument("--question", default="where is the page cache invalidated")
    parser.add_argument("--pause", type=float, default=100, help="milliseconds")
    options = parser.parse_args()
    program = os.path.abspath(options.bin)
    with tempfile.TemporaryDirectory() as folder:
        warm(options.tree)
        env = dict(os.environ, SPYHOP_INDEX_DIR=os.path.join(folder, "index"))
        build, seen = watch(options, program, env)
        show(build, seen)
        others(options, folder)
        complaints = list(wrong(build, seen))
        for text in complaints:
            print(f"wrong: {text}")
        sys.exit(bool(complaints))


if __name__ == "__main__":
    main()

"""Tests of eval/fetch.py without a network: archives are made here, the repository is a local one."""
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import unittest

EVAL = pathlib.Path(__file__).resolve().parents[2] / "eval"
sys.path.insert(0, str(EVAL))
import fetch  # noqa: E402

NONE = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def pin(source, tree=NONE, name="made"):
    return {"name": name, "about": "a test", "languages": ["c"], "root": ".", "tree": tree, "from": source}


class Fetch(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name).resolve()
        self.trees = self.here / "trees"
        self.trees.mkdir()

    def archive(self, *members):
        """An archive of (name, text); a text that begins with `->` is a link."""
        path = self.here / "made.tar.gz"
        with tarfile.open(path, "w:gz") as made:
            for name, text in members:
                member = tarfile.TarInfo(name)
                if text.startswith("->"):
                    member.type, member.linkname, text = tarfile.SYMTYPE, text[2:], ""
                member.size = len(text)
                made.addfile(member, io.BytesIO(text.encode()))
        return path

    def refused(self, pattern, do, *arguments):
        with self.assertRaisesRegex(fetch.Problem, pattern):
            do(*arguments)

    def test_the_first_folder_is_taken_off_and_links_are_left_out(self):
        aim = self.here / "aim"
        aim.mkdir()
        fetch.unpack(self.archive(("top/a.c", "one"), ("top/sub", f"->{aim}"), ("top/sub/file", "x")), self.here / "tree")
        self.assertEqual((self.here / "tree/a.c").read_text(), "one")
        self.assertEqual((self.here / "tree/sub/file").read_text(), "x")
        self.assertEqual(list(aim.iterdir()), [])

    def test_no_file_is_written_outside(self):
        for number, name in enumerate(("../away", "top/../../away", "/away", "away")):
            self.refused("outside.*away", fetch.unpack, self.archive((name, "x")), self.here / f"tree{number}")
        self.assertEqual(list(self.here.rglob("away")), [])

    def test_a_broken_archive_is_refused(self):
        path = self.archive(("top/a.c", "text " * 10_000))
        path.write_bytes(path.read_bytes()[:-40])
        self.refused("cannot be unpacked", fetch.unpack, path, self.here / "tree")

    def test_a_tree_has_the_documented_checksum_and_any_change_another(self):
        # What `printf 'a\0001\0xb/c\0002\0yz' | sha256sum` prints.
        documented = "f88ae00b251ca22aab0c813ad942454e53e73fa1e34ed5144687c73897335e83"
        self.assertEqual(fetch.checksum(self.trees), NONE)
        (self.trees / "b").mkdir()
        (self.trees / "b/c").write_text("yz")
        (self.trees / "a").write_text("x")
        self.assertEqual(fetch.checksum(self.trees), documented)
        (self.trees / "d").symlink_to("b")
        self.assertNotEqual(fetch.checksum(self.trees), documented)

    def test_a_revision_is_fetched_once_and_a_failure_leaves_nothing(self):
        source = self.here / "source"
        (source / "src").mkdir(parents=True)
        (source / "src/a.c").write_bytes(b"one\r\n")

        def git(*arguments):
            who = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "core.autocrlf=false"]
            env = {**os.environ, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1"}
            return subprocess.run(["git", *who, *arguments], cwd=source, env=env, check=True, capture_output=True, text=True).stdout.strip()

        git("init", "-q")
        git("add", ".")
        git("commit", "-qm", "one")
        made = {"kind": "git", "url": f"file://{source}", "revision": git("rev-parse", "HEAD")}
        self.refused("is not what is pinned", fetch.fetch, pin(made), self.trees)
        self.refused("git failed", fetch.fetch, pin({**made, "revision": "1" * 40}), self.trees)
        self.assertEqual(list(self.trees.iterdir()), [])
        (self.here / "plain/src").mkdir(parents=True)
        (self.here / "plain/src/a.c").write_bytes(b"one\r\n")
        corpus = pin(made, fetch.checksum(self.here / "plain"))
        self.assertEqual(fetch.fetch(corpus, self.trees), "fetched")
        self.assertEqual(fetch.fetch({**corpus, "from": {"kind": "git", "url": "file:///nowhere"}}, self.trees), "was there")
        (self.trees / "made/src/a.c").write_text("two")
        self.refused("move it away", fetch.fetch, corpus, self.trees)
        self.assertEqual((self.trees / "made/src/a.c").read_text(), "two")

    def test_an_archive_has_the_pinned_hash(self):
        path = self.archive(("top/a.c", "one"))
        self.addCleanup(fetch.CLIENTS.update, npm=fetch.CLIENTS["npm"])
        fetch.CLIENTS["npm"] = lambda source, scratch: path
        tree = self.here / "tree"
        fetch.unpack(path, tree)
        source = {"kind": "npm", "package": "p", "version": "1", "sha256": fetch.digest(path)}
        self.refused("the archive is not", fetch.fetch, pin({**source, "sha256": NONE}, fetch.checksum(tree)), self.trees)
        self.assertEqual(fetch.fetch(pin(source, fetch.checksum(tree)), self.trees), "fetched")

    def test_what_clients_say_is_understood(self):
        said = """  Link requires a different Python (3.11): Found link https://a.example/x-1.0.tar.gz#sha256=00 (from a), version: 1.0
            Found link https://a.example/x-1.0-py3-none-any.whl#sha256=00 (from b), version: 1.0
            Found link https://a.example/x-1.0.1.tar.gz#sha256=00 (from b), version: 1.0.1
            Found link https://b.example/x-1.0.tar.gz#sha256=00 (from b) (requires-python:>=3), version: 1.0"""
        self.assertEqual(fetch.sdist(said, "1.0"), "https://b.example/x-1.0.tar.gz")
        self.assertIsNone(fetch.sdist(said, "1"))
        known = "Package: x\nVersion: 1:2.3-4+deb12u1\n\nVersion: 2.3.1~rc1-1\nVersion: 5\n"
        self.assertEqual(fetch.full_version(known, "2.3"), "1:2.3-4+deb12u1")
        self.assertEqual(fetch.full_version(known, "5"), "5")
        self.assertIsNone(fetch.full_version(known, "2.3.1"))

    def test_pins_that_could_mean_something_else_are_refused(self):
        def npm(package="p", version="1.0"):
            return {"kind": "npm", "package": package, "version": version, "sha256": NONE}

        fetch.check(pin(npm("@s/p"), name="a.b-c"))
        for corpus, problem in (
            (pin(npm(), name=".."), "'..' is no name of a folder"),
            (pin(npm(), name="a/b"), "'a/b' is no name of a folder"),
            (pin(npm("--registry=x")), "'--registry=x' is no name of a package"),
            (pin(npm("a/../b")), "'a/../b' is no name of a package"),
            (pin(npm(version="1.0 x")), "'1.0 x' is no version"),
            (pin({"kind": "git", "url": "file:///x", "revision": "main"}), "'main' is no full hash of a commit"),
            (pin({"kind": "git", "url": "--upload-pack=x://", "revision": "1" * 40}), "is no URL"),
            ({**pin(npm()), "more": 1}, "its fields are not"),
        ):
            self.refused(problem, fetch.check, corpus)

    def test_the_pins_and_the_sets_agree(self):
        """The sets beside the pins are about pinned trees, say the same about them, and have enough of each kind."""
        corpora = fetch.pins(fetch.PINS)
        self.assertGreaterEqual(len(corpora), 4)
        for corpus in corpora:
            made = tomllib.loads((EVAL / "sets" / f"{corpus['name']}.toml").read_text(encoding="utf-8"))
            self.assertEqual((made["corpus"], made.get("root", ".")), (corpus["name"], corpus["root"]))
            self.assertIn(made["language"], corpus["languages"])
            kinds = [query["kind"] for query in made["queries"]]
            for kind, least in (("semantic", 10), ("architecture", 5), ("symbol", 5)):
                self.assertGreaterEqual(kinds.count(kind), least, (corpus["name"], kind))
            self.assertEqual(set(kinds), {"semantic", "architecture", "symbol"})


if __name__ == "__main__":
    unittest.main()

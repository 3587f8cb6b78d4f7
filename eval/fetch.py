#!/usr/bin/env python3
"""Fetches the source trees that corpora.toml pins, and verifies them.

    python3 eval/fetch.py TREES [--only NAME,...] [--corpora FILE]

An archive comes through the client of its registry, as the client is configured: pip for the address of a source distribution,
which curl then loads; npm, cargo, apt-get and git. Mirrors, proxies and passwords are found where they are configured. Nothing of
a package is run: pip builds what it downloads in order to know its metadata, so it is only asked for the address.

An archive must have the pinned SHA-256. Only its regular files are unpacked, without the first folder of each name, below names
that cannot leave the new folder. Links are left out, so no file is written through one. The tree must have the pinned checksum:
the SHA-256 over its files in the order of their paths, for each its path, a NUL, its length in decimal digits, a NUL, its bytes.
A tree that is there is compared with the checksum and otherwise left alone. The exit code is 1 if a tree could not be had.
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zlib

PINS = pathlib.Path(__file__).resolve().parent / "corpora.toml"
MAX_BYTES = 4 << 30
DIGEST = re.compile(r"[0-9a-f]{64}")
FIELDS = {"name", "about", "languages", "root", "tree", "from"}
# The names and versions become arguments of other programs and names of folders.
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
PACKAGE = re.compile(r"@?[A-Za-z0-9](?!.*\.\.)[A-Za-z0-9_./+-]*")
VERSION = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+~-]*")
REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


class Problem(Exception):
    """Why a tree could not be had."""


def pins(path):
    """The pinned trees of a file, checked."""
    corpora = tomllib.loads(path.read_text(encoding="utf-8"))["corpora"]
    for corpus in corpora:
        try:
            check(corpus)
        except Problem as problem:
            sys.exit(f"{path}: '{corpus.get('name')}': {problem}")
    names = [corpus["name"] for corpus in corpora]
    if twice := {name for name in names if names.count(name) > 1}:
        sys.exit(f"{path}: pinned twice: {', '.join(sorted(twice))}")
    return corpora


def check(corpus):
    def must(pattern, value, what):
        if not isinstance(value, str) or not pattern.fullmatch(value):
            raise Problem(f"'{value}' is no {what}")

    if set(corpus) != FIELDS:
        raise Problem(f"its fields are not {', '.join(sorted(FIELDS))}")
    must(NAME, corpus["name"], "name of a folder")
    must(DIGEST, corpus["tree"], "SHA-256")
    source = corpus["from"]
    if source["kind"] == "git":
        must(re.compile(r"[^-].*://.*"), source["url"], "URL of a repository")
        must(REVISION, source["revision"], "full hash of a commit")
        return
    must(re.compile("|".join(CLIENTS)), source["kind"], "kind of source")
    must(PACKAGE, source["package"], "name of a package")
    must(VERSION, source["version"], "version")
    must(DIGEST, source["sha256"], "SHA-256")


def run(*command, cwd, **env):
    """What a program wrote to both its outputs."""
    try:
        done = subprocess.run(command, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True, errors="replace", env={**os.environ, "LC_ALL": "C", **env})
    except OSError as error:
        raise Problem(f"{command[0]} cannot be run: {error}") from error
    if done.returncode:
        raise Problem(f"{command[0]} failed: {' / '.join(done.stdout.split(chr(10))[-4:]).strip(' /')}")
    return done.stdout


def pypi(source, scratch):
    said = run("python3", "-m", "pip", "index", "versions", "-vv", "--no-color", "--no-binary", ":all:", source["package"], cwd=scratch)
    address = sdist(said, source["version"])
    if not address:
        raise Problem(f"pip names no source distribution of {source['package']} {source['version']}")
    run("curl", "--fail", "--silent", "--show-error", "--location", "--proto", "=https,http,file", "--connect-timeout", "30",
        "--max-time", "900", "--output", "sdist.tar.gz", "--", address, cwd=scratch)
    return scratch / "sdist.tar.gz"


def sdist(said, version):
    """The address in pip's line `Found link ADDRESS#sha256=... (from ...), version: 1.2.3`."""
    links = re.findall(r"^\s*Found link ([^\s#]+\.tar\.gz)[\s#].*, version: (\S+)\s*$", said, re.M)
    return next((address for address, of in links if of == version), None)


def npm(source, scratch):
    run("npm", "pack", "--loglevel=error", "--ignore-scripts", "--", f"{source['package']}@{source['version']}", cwd=scratch)
    return next(scratch.glob("*.tgz"))


def crate(source, scratch):
    """The `.crate`, from cargo's cache. Caches of several registries can hold different files under one name."""
    home = pathlib.Path(os.environ.get("CARGO_HOME") or pathlib.Path.home() / ".cargo")
    name = f"registry/cache/*/{source['package']}-{source['version']}.crate"
    if not list(home.glob(name)):
        run("cargo", "info", "--quiet", "--color", "never", f"{source['package']}@{source['version']}", cwd=scratch)
    cached = sorted(home.glob(name), key=lambda path: digest(path) != source["sha256"])
    if not cached:
        raise Problem(f"cargo keeps no {name}")
    return cached[0]


def debian(source, scratch):
    known = run("apt-cache", "showsrc", "--only-source", "--", source["package"], cwd=scratch)
    full = full_version(known, source["version"])
    if not full:
        raise Problem(f"apt-cache knows no source of {source['package']} {source['version']}; it needs lines `deb-src` and an update")
    run("apt-get", "source", "--download-only", "--tar-only", "-qq", "--", f"{source['package']}={full}", cwd=scratch)
    return scratch / f"{source['package']}_{source['version']}.orig.tar.gz"


def full_version(known, upstream):
    """The Debian version of an upstream version, from the lines `Version: EPOCH:UPSTREAM-REVISION`."""
    versions = re.findall(r"^Version: (\S+)\s*$", known, re.M)
    return next((full for full in versions if re.sub(r"^\d+:|-[^-]*$", "", full) == upstream), None)


def git(source, scratch):
    # A pin may name an address, and no program.
    env = {"GIT_ALLOW_PROTOCOL": "https:http:ssh:git:file", "GIT_TERMINAL_PROMPT": "0"}
    command = ["git", "-c", "core.autocrlf=false", "-c", "init.templateDir=", "--git-dir", "repository"]
    run(*command, "init", "--quiet", "--bare", cwd=scratch, **env)
    run(*command, "fetch", "--quiet", "--depth=1", "--no-tags", source["url"], source["revision"], cwd=scratch, **env)
    run(*command, "archive", "--format=tar", "--prefix=tree/", "--output=revision.tar", source["revision"], cwd=scratch, **env)
    return scratch / "revision.tar"


CLIENTS = {"pypi": pypi, "npm": npm, "crate": crate, "debian": debian}


def unpack(archive, into):
    into.mkdir()
    left = MAX_BYTES
    try:
        with tarfile.open(archive) as members:
            for member in members:
                parts = [part for part in member.name.split("/") if part not in ("", ".")]
                if member.type not in (tarfile.REGTYPE, tarfile.AREGTYPE):
                    continue
                if member.name.startswith("/") or ".." in parts or len(parts) < 2:
                    raise Problem(f"the archive has a file that would lie outside its folder: {member.name!r}")
                left -= member.size
                if left < 0:
                    raise Problem(f"the archive holds more than {MAX_BYTES} bytes")
                file_path = into.joinpath(*parts[1:])
                file_path.parent.mkdir(parents=True, exist_ok=True)
                with members.extractfile(member) as content, open(file_path, "xb") as file:
                    shutil.copyfileobj(content, file)
    except (OSError, EOFError, tarfile.TarError, zlib.error) as error:
        raise Problem(f"the archive cannot be unpacked: {error}") from error


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checksum(root):
    """The checksum of a tree. A link or a special file makes it another one."""
    found = []
    for folder, folders, names in os.walk(root):
        links = [name for name in folders if os.path.islink(os.path.join(folder, name))]
        found += [pathlib.Path(folder, name) for name in names + links]
    whole = hashlib.sha256()
    for name, path in sorted((path.relative_to(root).as_posix().encode("utf-8", "replace"), path) for path in found):
        whole.update(name + b"\0")
        if path.is_symlink() or not path.is_file():
            whole.update(b"no file\0")
            continue
        whole.update(b"%d\0" % path.stat().st_size)
        with open(path, "rb") as file:
            while piece := file.read(1 << 20):
                whole.update(piece)
    return whole.hexdigest()


def fetch(corpus, trees):
    tree = trees / corpus["name"]
    if os.path.lexists(tree):
        if checksum(tree) != corpus["tree"]:
            raise Problem(f"{tree} is not what is pinned; move it away to have it fetched again")
        return "was there"
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=trees) as scratch:
        scratch, source = pathlib.Path(scratch), corpus["from"]
        if source["kind"] == "git":
            archive = git(source, scratch)  # A revision names its contents.
        else:
            archive = CLIENTS[source["kind"]](source, scratch)
            if digest(archive) != source["sha256"]:
                raise Problem(f"the archive is not what is pinned: its SHA-256 is {digest(archive)}")
        unpack(archive, scratch / "tree")
        if (found := checksum(scratch / "tree")) != corpus["tree"]:
            raise Problem(f"what was unpacked is not what is pinned: its checksum is {found}")
        (scratch / "tree").rename(tree)
    return "fetched"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", type=pathlib.Path)
    parser.add_argument("--only", default="", metavar="NAME,...")
    parser.add_argument("--corpora", type=pathlib.Path, default=PINS, metavar="FILE")
    args = parser.parse_args()
    corpora = pins(args.corpora)
    only = [name for name in args.only.split(",") if name]
    known = [corpus["name"] for corpus in corpora]
    if unknown := set(only) - set(known):
        sys.exit(f"nothing is pinned as '{unknown.pop()}'; there are {', '.join(known)}")
    args.trees.mkdir(parents=True, exist_ok=True)
    failed = 0
    for corpus in corpora:
        if only and corpus["name"] not in only:
            continue
        try:
            done = fetch(corpus, args.trees.resolve())
            print(f"{corpus['name']}: {done}, verified; {', '.join(corpus['languages'])}: {corpus['about']}")
        except (Problem, OSError) as problem:
            print(f"{corpus['name']}: not there: {problem}", file=sys.stderr)
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main())

"""The searcher of one machine: it has its copies of shards, fetches and indexes their repositories, and answers fronts."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import threading
from pathlib import Path
from typing import Any, Optional, Sequence

import spyhop

from .front import Names, Told
from .shards import Repository, Shard


#: The most combinations of shards whose joined files are kept.
KEPT = 64


class Searcher:
    """The copies of shards on one machine. An actor of Ray has one; a test may use it without Ray."""

    def __init__(self, machine: str, data: str) -> None:
        self.machine = machine
        self.folder = Path(data) / machine
        self.shards: dict[str, Shard] = {}
        self.engines: dict[str, spyhop.Engine] = {}
        self.searchers: dict[Names, spyhop.Searcher] = {}
        self.commits: dict[str, dict[str, str]] = {}
        self.table = "[]"
        #: Held by what changes work trees and indexes: a push may arrive while others are polled for.
        self._changing = threading.Lock()

    def remember(self, table: str) -> None:
        """Keeps the table of all shards, for fronts."""
        self.table = table

    def recall(self) -> str:
        """The table of all shards."""
        return self.table

    def take(self, shard: Shard) -> None:
        """Fetches and indexes a copy of a shard."""
        root = self.folder / "trees" / shard.name
        root.mkdir(parents=True, exist_ok=True)
        with self._changing:
            self.shards[shard.name] = shard
            for repository in shard.repositories:
                _fetch(repository, root / repository.name)
            # A front decides when an index is updated, so that both copies of a shard do so when they are told.
            engine = spyhop.Engine(root, index_dir=self.folder / "indexes" / shard.name, stale="ignore")
            engine.update()
            self.engines[shard.name] = engine
            self.commits[shard.name] = self._commits(shard)
            self.searchers.clear()

    def sync(self, repository: Optional[str]) -> dict[str, Any]:
        """Fetches a repository, or all, and indexes the shards whose commits are not the indexed ones. Returns the names of these
        shards; and what failed, with the reason, which keeps no other repository from its update."""
        updated, failed = [], {}
        with self._changing:
            for shard in (self.shards[name] for name in self.engines):
                own = [one for one in shard.repositories if repository in (None, one.name)]
                for one in own:
                    try:
                        _fetch(one, self.folder / "trees" / shard.name / one.name)
                    except (RuntimeError, OSError) as error:
                        failed[one.name] = str(error)
                try:
                    if own and (commits := self._commits(shard)) != self.commits[shard.name]:
                        self.engines[shard.name].update()
                        self.commits[shard.name] = commits
                        updated.append(shard.name)
                except (spyhop.SpyhopError, RuntimeError) as error:
                    failed[shard.name] = str(error)
        return {"updated": updated, "failed": failed}

    def _commits(self, shard: Shard) -> dict[str, str]:
        root = self.folder / "trees" / shard.name
        return {one.name: _git(root / one.name, "rev-parse", "HEAD") for one in shard.repositories}

    def _searcher(self, names: Names) -> spyhop.Searcher:
        """The searcher that answers for these shards as one."""
        known = self.searchers.pop(names, None) or spyhop.Searcher([self.engines[name] for name in names])
        # The last one is the newest.
        self.searchers[names] = known
        while len(self.searchers) > KEPT:
            self.searchers.pop(next(iter(self.searchers)), None)
        return known

    def answer(self, messages: Sequence[tuple[Names, bytes]]) -> list[Optional[Told]]:
        """The answers to messages, each about shards that are asked as one, with the commits of their repositories; `None` for
        shards without a copy here."""
        told: list[Optional[Told]] = []
        for names, message in messages:
            if all(name in self.engines for name in names):
                commits = {name: commit for shard in names for name, commit in self.commits[shard].items()}
                told.append((self._searcher(names).answer(message), commits))
            else:
                told.append(None)
        return told

    def ask(self, shard: str, operation: str, request: str) -> dict[str, Any]:
        """The reply of one copy to an operation about its index."""
        reply: dict[str, Any] = self.engines[shard].ask(operation, json.loads(request)).to_dict()
        return reply

    def status(self) -> dict[str, Any]:
        """The process, and the copies: of each shard the number of its files, and the commit of each repository."""
        copies = {}
        for name, shard in self.shards.items():
            files = self.engines[name].status().files if name in self.engines else None
            copies[name] = {"files": files, "commits": self._commits(shard)}
        return {"machine": self.machine, "pid": os.getpid(), "copies": copies}


def _git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise RuntimeError(f"'{' '.join(command)}' failed: {ran.stderr.strip()}")
    return ran.stdout.strip()


def _fetch(repository: Repository, folder: Path) -> None:
    """Brings a work tree to the newest commit of the branch, without history."""
    if not (folder / ".git").is_dir():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        _git(folder, "init", "--quiet")
    _git(folder, "fetch", "--quiet", "--depth", "1", "--", repository.url, repository.branch)
    _git(folder, "checkout", "--quiet", "--force", "--detach", "FETCH_HEAD")

"""Repositories, the shards that they are packed into, and the machines that have copies of a shard."""

from __future__ import annotations

import hashlib
import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Sequence, Union

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

#: The size of a repository whose entry has none, in megabytes.
USUAL_MEGABYTES = 50

#: The size up to which repositories are packed into one shard, in megabytes. A larger repository is a shard of its own.
SHARD_MEGABYTES = 2048

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*\Z")


@dataclass(frozen=True)
class Repository:
    """A repository: the folder of its files in a shard, its address for git, its branch, who may read it, and its size."""

    name: str
    url: str
    branch: str = "main"
    group: str = "all"
    megabytes: int = USUAL_MEGABYTES


@dataclass(frozen=True)
class Shard:
    """Repositories of one group that are indexed together."""

    name: str
    group: str
    repositories: tuple[Repository, ...]


def read_repositories(path: Union[str, "os.PathLike[str]"]) -> list[Repository]:
    """The repositories of a file ``repos.toml``, each a table ``[[repository]]``."""
    document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    rows: list[dict[str, Any]] = document.get("repository", [])
    known = set(Repository.__dataclass_fields__)
    repositories = []
    for row in rows:
        unknown = sorted(set(row) - known)
        if unknown:
            raise ValueError(f"{path}: a repository has the key '{unknown[0]}'; the keys are {', '.join(sorted(known))}")
        repository = Repository(**row)
        # The name is a folder of the shard, so it must not lead out of it.
        if not _NAME.match(repository.name) or ".." in repository.name:
            raise ValueError(f"{path}: the repository name '{repository.name}' is not a relative path of plain words")
        repositories.append(repository)
    names = [repository.name for repository in repositories]
    for name in names:
        if names.count(name) > 1 or any(other.startswith(name + "/") for other in names):
            raise ValueError(f"{path}: the repository name '{name}' occurs twice, or is a folder of another one")
    if not repositories:
        raise ValueError(f"{path} has no [[repository]]; add one")
    return repositories


def packed(repositories: Sequence[Repository], megabytes: int = SHARD_MEGABYTES) -> list[Shard]:
    """The shards of repositories, group by group, in their order: a repository at the end changes no earlier shard."""
    shards = []
    for group in dict.fromkeys(repository.group for repository in repositories):
        open_shard: list[Repository] = []
        of_group = []
        for repository in (one for one in repositories if one.group == group):
            if open_shard and sum(one.megabytes for one in open_shard) + repository.megabytes > megabytes:
                of_group.append(open_shard)
                open_shard = []
            open_shard.append(repository)
        of_group.append(open_shard)
        shards += [Shard(f"{group}-{number:03}", group, tuple(own)) for number, own in enumerate(of_group)]
    return shards


def placed(shard: str, machines: Sequence[str], copies: int) -> list[str]:
    """The machines that have a copy of a shard, the best first, by rendezvous hashing: a machine that comes or goes moves
    only its own copies."""

    def weight(machine: str) -> bytes:
        return hashlib.blake2b(f"{shard}\0{machine}".encode(), digest_size=8).digest()

    return sorted(machines, key=weight, reverse=True)[:copies]

"""Spyhop over several machines, on Ray: one ranking, which is that of one engine over all repositories.

:mod:`spyhop_cluster.shards` packs repositories into shards and places their copies; a :class:`Cluster` starts the searchers and
answers questions. The command ``spyhop-cluster`` does the same from a shell; ``docs/scale.md`` explains its use.
"""

from __future__ import annotations

from .cluster import Cluster
from .front import Answered, Front, NoCopyError
from .shards import Repository, Shard, packed, placed, read_repositories

__all__ = ["Answered", "Cluster", "Front", "NoCopyError", "Repository", "Shard", "packed", "placed", "read_repositories"]

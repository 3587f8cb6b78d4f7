"""Searchers as actors of Ray, one on each machine that has the resource ``spyhop``, each of which has the table of all shards."""

from __future__ import annotations

import contextlib
import json
import os
import time
from dataclasses import asdict
from typing import Any, Callable, Iterable, Optional, Sequence, Union

import ray
from ray.exceptions import GetTimeoutError, RayActorError, RayError

from .front import Call, Front, Names, NoCopyError, Told
from .searcher import Searcher
from .shards import SHARD_MEGABYTES, Repository, Shard, packed, placed, read_repositories

NAMESPACE = "spyhop"

#: The seconds for which a searcher may take to tell the table.
TOLD = 5.0


class _RayCall:
    """A call of an actor."""

    def __init__(self, reference: Any) -> None:
        self._reference = reference

    def result(self, timeout: float) -> Optional[list[Optional[Told]]]:
        try:
            answers: list[Optional[Told]] = ray.get(self._reference, timeout=timeout)
            return answers
        except GetTimeoutError:
            return None
        except RayError as error:
            raise NoCopyError(str(error)) from error


class Cluster:
    """A cluster that runs: `ray.init` has been called.

    Every machine that takes part was started with ``--resources='{"spyhop": 1}'``.
    """

    def __init__(self) -> None:
        self._actors: dict[str, Any] = {}

    @staticmethod
    def machines() -> list[str]:
        """The numbers of the machines that are alive and have the resource ``spyhop``."""
        nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
        return sorted(node["NodeID"] for node in nodes if node["Alive"] and node["Resources"].get("spyhop", 0) > 0)

    def up(
        self,
        repositories: Union[str, "os.PathLike[str]", Sequence[Repository]],
        data: str,
        *,
        copies: int = 2,
        megabytes: int = SHARD_MEGABYTES,
    ) -> list[Shard]:
        """Starts a searcher on each machine, and has them fetch and index their copies.

        - `repositories`: the path of ``repos.toml``, or its repositories.
        - `data`: a folder of each machine for work trees and indexes.
        - `copies`: the machines that have a copy of a shard.
        - `megabytes`: the size up to which repositories are packed into one shard.
        """
        listed = read_repositories(repositories) if isinstance(repositories, (str, os.PathLike)) else repositories
        machines = self.machines()
        if not machines:
            raise RuntimeError("no machine has the resource 'spyhop'; start Ray with --resources='{\"spyhop\": 1}'")
        shards = packed(listed, megabytes)
        table = {shard.name: placed(shard.name, machines, copies) for shard in shards}
        pending = []
        for machine in machines:
            actor = self._started(machine, data)
            pending += [actor.take.remote(shard) for shard in shards if machine in table[shard.name]]
        ray.get(pending)
        rows = json.dumps([{"shard": asdict(shard), "machines": table[shard.name]} for shard in shards])
        # Each searcher has the table, so that no machine is needed for it.
        ray.get([self._actor(machine).remember.remote(rows) for machine in machines])
        return shards

    def _started(self, machine: str, data: str) -> Any:
        where = ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(node_id=machine, soft=False)
        actor = ray.remote(Searcher).options(
            name=f"searcher-{machine}",
            namespace=NAMESPACE,
            lifetime="detached",
            get_if_exists=True,
            scheduling_strategy=where,
            num_cpus=0,
            resources={"spyhop": 1},
            # A front asks while another one waits for an update.
            max_concurrency=8,
        )
        self._actors[machine] = actor.remote(machine, data)
        return self._actors[machine]

    def rows(self) -> list[dict[str, Any]]:
        """The shards with their machines, as `up` placed them: what the first searcher tells that answers. All are asked at once,
        because a call of a lost machine does not end before Ray notices the loss."""
        begun, calls = time.monotonic(), []
        for name in self._names():
            with contextlib.suppress(ValueError):
                actor: Any = ray.get_actor(name, namespace=NAMESPACE)
                calls.append(actor.recall.remote())
        while calls and (left := begun + TOLD - time.monotonic()) > 0:
            told, calls = ray.wait(calls, timeout=left)
            for one in told:
                with contextlib.suppress(RayError):
                    rows: list[dict[str, Any]] = json.loads(ray.get(one))
                    return rows
        raise RuntimeError("no searcher answers; run 'spyhop-cluster up'")

    @staticmethod
    def _names() -> list[str]:
        named = ray.util.list_named_actors(all_namespaces=True)
        return [one["name"] for one in named if one["namespace"] == NAMESPACE]

    def front(self) -> Front:
        """A front over all shards."""
        return self.front_of(self.rows())

    def front_of(self, rows: Sequence[dict[str, Any]]) -> Front:
        """A front over the shards of these rows of the table."""
        copies = {row["shard"]["name"]: row["machines"] for row in rows}
        names = {row["shard"]["name"]: [one["name"] for one in row["shard"]["repositories"]] for row in rows}
        return Front(self._send, copies, names)

    def _actor(self, machine: str) -> Any:
        if machine not in self._actors:
            try:
                self._actors[machine] = ray.get_actor(f"searcher-{machine}", namespace=NAMESPACE)
            except ValueError as error:
                raise NoCopyError(f"the searcher of the machine {machine} is gone") from error
        return self._actors[machine]

    def _send(self, machine: str, messages: list[tuple[Names, bytes]]) -> Call:
        try:
            return _RayCall(self._actor(machine).answer.remote(messages))
        except RayActorError as error:
            raise NoCopyError(str(error)) from error

    def _each(self, machines: Iterable[str], act: str, *arguments: Any) -> list[dict[str, Any]]:
        """What each machine says to a call; an error is said instead."""
        calls = []
        for machine in sorted(machines):
            try:
                calls.append((machine, getattr(self._actor(machine), act).remote(*arguments)))
            except NoCopyError as error:
                calls.append((machine, error))
        said = []
        for machine, call in calls:
            try:
                if isinstance(call, NoCopyError):
                    raise call
                said.append({"machine": machine, act: ray.get(call)})
            except (RayError, NoCopyError) as error:
                said.append({"machine": machine, "error": _why(error)})
        return said

    def _all(self) -> set[str]:
        return {machine for row in self.rows() for machine in row["machines"]}

    def ask(self, shard: str, operation: str, request: dict[str, Any]) -> list[dict[str, Any]]:
        """What each copy of a shard says to an operation about one index, such as `doctor`, `views` or `add_note`. Every copy is
        asked, so that a note is recorded in all of them."""
        copies = {row["shard"]["name"]: row["machines"] for row in self.rows()}
        if shard not in copies:
            raise ValueError(f"there is no shard '{shard}'; the shards are {', '.join(copies)}")
        return self._each(copies[shard], "ask", shard, operation, json.dumps(request))

    def status(self) -> list[dict[str, Any]]:
        """Of each machine its copies with their files and commits, or why it does not answer."""
        return self._each(self._all(), "status")

    def sync(self, repository: Optional[str] = None) -> list[dict[str, Any]]:
        """Fetches a repository, or all, on every machine that has a copy, and indexes what changed."""
        return self._each(self._all(), "sync", repository)

    def watch(self, every: float, told: Callable[[dict[str, Any]], None]) -> None:
        """Syncs all repositories again and again, with `every` seconds from the end of one time to the beginning of the next. What a
        machine updated, and what failed, is told; a failure does not end this."""
        while True:
            try:
                said = self.sync()
            except (RuntimeError, RayError) as error:
                said = [{"error": str(error)}]
            for one in said:
                if "error" in one or any(one["sync"].values()):
                    told(one)
            time.sleep(every)

    def down(self) -> None:
        """Ends the searchers. Work trees and indexes stay for the next `up`."""
        for name in self._names():
            ray.kill(ray.get_actor(name, namespace=NAMESPACE))
        self._actors.clear()


def _why(error: Exception) -> str:
    """The error of a call, without the trace of the process that was called."""
    cause = getattr(error, "cause", None) or error
    return str(cause).split("\n", 1)[0]

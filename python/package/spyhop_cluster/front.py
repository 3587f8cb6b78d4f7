"""The front: carries the messages of a question to the searchers, and asks another copy of a shard if one is late or gone."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from typing import Any, Callable, Optional, Protocol, Sequence

import spyhop

#: A copy is late after this many seconds, or after the 95th of a hundred recent calls, if that is longer.
LATE = 0.3

#: The most seconds for which a copy is waited for.
GIVEN_UP = 30.0

#: The seconds after which a machine that was late is tried again.
AVOIDED = 5.0

#: The operations whose answer is that of one engine over all files, so that a machine answers for its shards as one.
MERGED = frozenset(("search", "search_batch", "grep", "files", "symbols", "why_not"))

#: By how often all copies have been tried: the factor of the seconds after which one is late.
PATIENCE = (1, 10, 100)


class NoCopyError(Exception):
    """A searcher is gone, or has no copy of a shard."""


#: The answer of a searcher to a message about a shard, and the commit of each repository of the shard.
Told = tuple[bytes, dict[str, str]]


class Call(Protocol):
    """A call of a searcher that is under way."""

    def result(self, timeout: float) -> Optional[list[Optional[Told]]]:
        """The answers; `None` if they are not there in time. Raises `NoCopyError` if the searcher is gone."""


#: Shards that are asked as one.
Names = tuple[str, ...]

#: The number of shards in a question, their names, and a message to them.
Ask = tuple[int, Names, bytes]

#: Begins a call of the searcher of a machine.
Send = Callable[[str, list[tuple[Names, bytes]]], Call]


class Answered:
    """An answered question, with the commits of the repositories that were asked."""

    def __init__(self, question: spyhop.Question, commits: dict[str, str]) -> None:
        self._question = question
        self.commits = commits

    def reply(self) -> Any:
        """The reply, as that of an engine."""
        return self._question.reply()

    def document(self) -> dict[str, Any]:
        """The JSON of the program, in which each row with a path has the `commit` of its repository."""
        value: dict[str, Any] = json.loads(self._question.json())
        self._mark(value)
        return value

    def _mark(self, value: Any) -> None:
        if isinstance(value, list):
            for one in value:
                self._mark(one)
        elif isinstance(value, dict):
            path = value.get("path")
            if isinstance(path, str):
                parts = path.split("/")
                names = ("/".join(parts[:end]) for end in range(1, len(parts)))
                name = next((name for name in names if name in self.commits), None)
                if name is not None:
                    value["commit"] = self.commits[name]
            for one in value.values():
                self._mark(one)


class Front:
    """Answers questions over the shards of a table, each shard with its machines and its repositories.

    - `send`: begins a call of a machine's searcher.
    - `copies`: for each shard the machines that have a copy, the preferred one first.
    - `repositories`: for each shard the names of its repositories, for what the reply says of a shard that does not answer.
    """

    def __init__(self, send: Send, copies: dict[str, list[str]], repositories: dict[str, list[str]]) -> None:
        self._send = send
        self._copies = copies
        self._repositories = repositories
        self._front = spyhop.Front()
        self._times: deque[float] = deque(maxlen=100)
        self._turn = 0
        #: The machines that were late, each with the time from which it may be tried again. Until a trial is answered in time, other
        #: copies are asked first.
        self._tried_from: dict[str, float] = {}
        #: By machine: the call that was late last.
        self._late_calls: dict[str, Call] = {}

    def ask(self, operation: str, request: dict[str, Any]) -> Any:
        """The reply to a request of an operation of `spyhop.Front.ask`, whose fields are those of `Engine.ask`."""
        return self.question(operation, request).reply()

    def question(self, operation: str, request: dict[str, Any]) -> Answered:
        """The answered question."""
        return self._answered(lambda names: self._front.ask(operation, request, names), operation in MERGED)

    def call(self, tool: str, arguments: dict[str, Any]) -> Answered:
        """The answered call of a tool of `spyhop.Front.tools`: its document has the `text` and the `data` of the answer."""
        return self._answered(lambda names: self._front.call(tool, arguments, names), spyhop.Front.is_merged(tool))

    def _answered(self, begin: Callable[[list[str]], spyhop.Question], is_merged: bool) -> Answered:
        # Every question begins with another copy, so that the copies share the load.
        self._turn += 1
        late = set(self._tried_from)
        routes = {name: _Route(copies, self._turn, late) for name, copies in self._copies.items()}
        while True:
            groups = self._groups(routes, is_merged)
            question, commits = begin(["+".join(names) for names in groups]), dict[str, str]()
            try:
                while messages := question.next():
                    asks = [(number, groups[number], message) for number, message in messages]
                    self._round(question, asks, routes, commits)
                return Answered(question, commits)
            except _RegroupedError:
                continue

    @staticmethod
    def _groups(routes: dict[str, _Route], is_merged: bool) -> list[Names]:
        """The shards that are asked as one: those of one machine, which merges them."""
        if not is_merged:
            return [(name,) for name in routes]
        of_machines: dict[str, list[str]] = {}
        for name, route in routes.items():
            of_machines.setdefault(route.machine() or f"no machine has {name}", []).append(name)
        return [tuple(names) for names in of_machines.values()]

    def late(self) -> float:
        """The seconds after which a copy is late."""
        times = sorted(self._times)
        return max(LATE, times[len(times) * 95 // 100]) if len(times) >= 20 else LATE

    def _round(
        self,
        question: spyhop.Question,
        messages: Sequence[Ask],
        routes: dict[str, _Route],
        commits: dict[str, str],
    ) -> None:
        """Sends messages and takes the replies that come in time. A shard without a reply goes to another copy, and is asked
        again in the next round; if it was merged with others, the question begins again."""
        of_machines: dict[str, list[Ask]] = {}
        for number, names, message in messages:
            machine = routes[names[0]].machine()
            if machine is None:
                missing = ", ".join(self._repositories[names[0]])
                question.lose(number, f"not searched: {missing}; no copy of the shard '{names[0]}' answers")
            else:
                of_machines.setdefault(machine, []).append((number, names, message))
        failed: list[Ask] = []
        begun = time.monotonic()
        self._try_again(messages, begun)
        calls = []
        for machine, own in of_machines.items():
            try:
                calls.append((machine, own, self._send(machine, [(names, message) for _, names, message in own])))
            except NoCopyError:
                failed += self._late(machine, own, None)
        for machine, own, call in calls:
            limit = max(routes[names[0]].limit(self.late()) for _, names, _ in own)
            try:
                replies = call.result(max(begun + limit - time.monotonic(), 0.001))
            except NoCopyError:
                replies = None
            if replies is None:
                failed += self._late(machine, own, call)
                continue
            self._times.append(time.monotonic() - begun)
            if self._times[-1] <= self.late():
                self._tried_from.pop(machine, None)
            for ask, reply in zip(own, replies):
                if reply is None:
                    failed.append(ask)
                else:
                    question.take(ask[0], reply[0])
                    commits.update(reply[1])
        for number, names, _ in failed:
            question.forget(number)
            for name in names:
                routes[name].next_copy(self._is_silent)
        if any(len(names) > 1 for _, names, _ in failed):
            raise _RegroupedError

    def _late(self, machine: str, own: Sequence[Ask], call: Optional[Call]) -> Sequence[Ask]:
        self._tried_from[machine] = time.monotonic() + AVOIDED
        if call is not None:
            self._late_calls[machine] = call
        return own

    def _is_silent(self, machine: str) -> bool:
        """Whether the last late call of a machine has no answer yet. A machine that was late under load has one soon; one that is
        lost has none."""
        try:
            call = self._late_calls.get(machine)
            return call is not None and call.result(0) is None
        except NoCopyError:
            return True

    def _try_again(self, messages: Sequence[Ask], now: float) -> None:
        """Sends the messages to machines that were late too, without waiting for the replies."""
        for machine, begin in list(self._tried_from.items()):
            asks = [(tuple(name for name in names if machine in self._copies[name]), message) for _, names, message in messages]
            asks = [(names, message) for names, message in asks if names]
            if begin <= now and asks:
                self._tried_from[machine] = now + AVOIDED
                threading.Thread(target=self._trial, args=(machine, asks), daemon=True).start()

    def _trial(self, machine: str, asks: list[tuple[Names, bytes]]) -> None:
        try:
            replies = self._send(machine, asks).result(self.late())
        except NoCopyError:
            return
        if replies is not None and None not in replies:
            self._tried_from.pop(machine, None)


class _RegroupedError(Exception):
    """Merged shards go to different machines now."""


class _Route:
    """The copies of a shard that a question tries, one after the other: three times, each time with more patience."""

    def __init__(self, machines: Sequence[str], turn: int, late: set[str]) -> None:
        start = turn % len(machines) if machines else 0
        self._machines = sorted([*machines[start:], *machines[:start]], key=lambda machine: machine in late)
        self._tries = 0

    def machine(self) -> Optional[str]:
        """The machine to ask; `None` if all have been tried."""
        if self._tries >= len(PATIENCE) * len(self._machines):
            return None
        return self._machines[self._tries % len(self._machines)]

    def limit(self, late: float) -> float:
        """The seconds within which the machine has to answer. A copy without another one has all the time at once."""
        if len(self._machines) == 1:
            return GIVEN_UP
        factor = PATIENCE[min(self._tries // len(self._machines), len(PATIENCE) - 1)]
        return min(late * factor, GIVEN_UP)

    def next_copy(self, is_silent: Callable[[str], bool]) -> None:
        self._tries += 1
        if self._tries % len(self._machines) == 0:
            # All were late. Those that have answered meanwhile are asked first, and of the others the one last that was first.
            self._machines = sorted([*self._machines[1:], self._machines[0]], key=is_silent)

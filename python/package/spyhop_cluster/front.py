"""The front: carries the messages of a question to the searchers, and asks another copy of a shard if one is late or gone."""

from __future__ import annotations

import time
from collections import deque
from typing import Any, Callable, Optional, Protocol, Sequence, Union

import spyhop

#: A copy is late after this many seconds, or after the 95th of a hundred recent calls, if that is longer.
LATE = 0.3

#: The most seconds for which a copy is waited for.
GIVEN_UP = 30.0

#: By how often all copies have been tried: the factor of the seconds after which one is late.
PATIENCE = (1, 10, 100)


class NoCopyError(Exception):
    """A searcher is gone, or has no copy of a shard."""


class Call(Protocol):
    """A call of a searcher that is under way."""

    def result(self, timeout: float) -> Optional[list[Optional[bytes]]]:
        """The answers; `None` if they are not there in time. Raises `NoCopyError` if the searcher is gone."""


#: Begins a call of the searcher of a machine.
Send = Callable[[str, list[tuple[str, bytes]]], Call]


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

    def ask(self, operation: str, request: dict[str, Any]) -> Union[spyhop.SearchReply, spyhop.GrepReply]:
        """The reply to a request of `search`, `search_batch` or `grep`, whose fields are those of `Engine.ask`."""
        return self.question(operation, request).reply()

    def question(self, operation: str, request: dict[str, Any]) -> spyhop.Question:
        """The answered question."""
        names = list(self._copies)
        question = self._front.ask(operation, request, names)
        # Every question begins with another copy, so that the copies share the load.
        self._turn += 1
        routes = {name: _Route(self._copies[name], self._turn) for name in names}
        while messages := question.next():
            self._round(question, [(number, names[number], message) for number, message in messages], routes)
        return question

    def late(self) -> float:
        """The seconds after which a copy is late."""
        times = sorted(self._times)
        return max(LATE, times[len(times) * 95 // 100]) if len(times) >= 20 else LATE

    def _round(
        self, question: spyhop.Question, messages: Sequence[tuple[int, str, bytes]], routes: dict[str, _Route]
    ) -> None:
        """Sends messages and takes the replies that come in time. A shard without a reply goes to another copy, and is asked
        again in the next round."""
        of_machines: dict[str, list[tuple[int, str, bytes]]] = {}
        for number, name, message in messages:
            machine = routes[name].machine()
            if machine is None:
                missing = ", ".join(self._repositories[name])
                question.lose(number, f"not searched: {missing}; no copy of the shard '{name}' answers")
            else:
                of_machines.setdefault(machine, []).append((number, name, message))
        begun = time.monotonic()
        calls = []
        for machine, own in of_machines.items():
            try:
                calls.append((machine, own, self._send(machine, [(name, message) for _, name, message in own])))
            except NoCopyError:
                self._fail(question, own, routes)
        for machine, own, call in calls:
            limit = max(routes[name].limit(self.late()) for _, name, _ in own)
            try:
                replies = call.result(max(begun + limit - time.monotonic(), 0.001))
            except NoCopyError:
                replies = None
            if replies is None:
                self._fail(question, own, routes)
                continue
            self._times.append(time.monotonic() - begun)
            for (number, name, _), reply in zip(own, replies):
                if reply is None:
                    self._fail(question, [(number, name, b"")], routes)
                else:
                    question.take(number, reply)

    def _fail(
        self, question: spyhop.Question, own: Sequence[tuple[int, str, bytes]], routes: dict[str, _Route]
    ) -> None:
        for number, name, _ in own:
            question.forget(number)
            routes[name].next_copy()


class _Route:
    """The copies of a shard that a question tries, one after the other: three times, each time with more patience."""

    def __init__(self, machines: Sequence[str], turn: int) -> None:
        start = turn % len(machines) if machines else 0
        self._machines = [*machines[start:], *machines[:start]]
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

    def next_copy(self) -> None:
        self._tries += 1

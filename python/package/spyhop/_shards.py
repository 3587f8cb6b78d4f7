"""Shards: one ranking over the trees of several processes or machines, which is that of one engine over all files.

A :class:`Searcher` answers for one shard, its trees together. A :class:`Question` of a :class:`Front` tells what to ask of which
shard and takes the replies. How messages travel is up to the caller::

    question = spyhop.Front().ask("search", {"query": "retry limit"}, ["shard-0", "shard-1"])
    while messages := question.next():
        for shard, message in messages:
            question.take(shard, searchers[shard].answer(message))
    reply = question.reply()
"""

from __future__ import annotations

import json
from typing import Any, Optional, Sequence, Union, final

from . import _spyhop
from ._engine import REPLIES, Engine, with_offset
from ._row import Row
from .errors import of_kind


@final
class Searcher:
    """Answers what a front asks of one shard, from the trees of one engine or several.

    Hits do not name the tree, so the trees of a shard have different paths. Threads share a searcher.
    """

    __slots__ = ("_native",)

    def __init__(self, engines: Union[Engine, Sequence[Engine]]) -> None:
        listed = [engines] if isinstance(engines, Engine) else list(engines)
        self._native = _spyhop.NativeSearcher([engine._native for engine in listed])

    def answer(self, message: bytes) -> bytes:
        """The answer to a message of a question. What fails is told in the answer."""
        return self._native.answer(message)


@final
class Question:
    """A question to shards, from :meth:`Front.ask`."""

    __slots__ = ("_cursor", "_native", "_operation")

    def __init__(self, native: _spyhop.NativeQuestion, operation: Optional[str], cursor: Optional[str]) -> None:
        self._native = native
        self._operation = operation
        self._cursor = cursor

    def next(self) -> list[tuple[int, bytes]]:
        """The messages to send, each with the number of its shard; empty when the reply is there.

        Replies that are missing at the next call are asked for again.
        """
        return self._native.next()

    def take(self, shard: int, reply: bytes) -> None:
        """Takes the reply of a shard to its last message.

        A shard that changed during the question is asked again from the beginning. Raises `ShardError` if the shard failed, or is
        of another version than the front.
        """
        self._native.take(shard, reply)

    def forget(self, shard: int) -> None:
        """Forgets what a shard told, because another copy of the shard is asked from now on."""
        self._native.forget(shard)

    def lose(self, shard: int, why: str) -> None:
        """Gives a shard up. The reply is not complete, and has `why` as a warning, or says it in `incomplete`."""
        self._native.lose(shard, why)

    def json(self) -> bytes:
        """The reply as JSON, that of the program. Raises `ShardError` before the last step."""
        reply = self._native.reply()
        if reply is None:
            raise of_kind("shard", "the question has no reply yet; call next until there is nothing to ask")
        return reply

    def reply(self) -> Row:
        """The reply, as that of an engine. The call of a tool has none."""
        if self._operation is None:
            raise of_kind("shard", "the call of a tool has no reply, only JSON")
        return with_offset(REPLIES[self._operation](self.json()), self._cursor)


@final
class Front:
    """Begins questions to shards. It has no tree, and threads share it."""

    __slots__ = ("_native",)

    def __init__(self) -> None:
        self._native = _spyhop.NativeFront()

    def ask(self, operation: str, request: dict[str, Any], shards: Sequence[str]) -> Question:
        """A question for a request of an operation, whose fields are those of `Engine.ask`: `search`, `search_batch`, `grep`,
        `files`, `symbols`, `why_not`, `map`, `read`, `graph`, `entries`, `file_graph`, `pack`, `skipped`, `status`, `list_notes`
        or `search_notes`.

        - `shards`: the names of the shards, for errors; messages have their numbers in this order.

        Raises `ShardError` for other operations.
        """
        cursor = request.get("request", request).get("cursor")
        return Question(self._native.ask(operation, json.dumps(request), list(shards)), operation, cursor)

    def call(self, tool: str, arguments: dict[str, Any], shards: Sequence[str]) -> Question:
        """A call of a tool for agents. The JSON of the answered question has the `text` and the `data` of ``spyhop mcp``.

        Raises `KeyError` for a tool that is not in `tools`.
        """
        return Question(self._native.call(tool, json.dumps(arguments), list(shards)), None, None)

    @staticmethod
    def is_merged(tool: str) -> bool:
        """Whether the answer of a tool is that of one engine over all files, so that a searcher of several engines may answer
        for all of them as one."""
        return _spyhop.is_merged_tool(tool)

    @staticmethod
    def tools() -> list[dict[str, Any]]:
        """The tools that `call` takes, each with its name, its description and the schema of its arguments."""
        tools: list[dict[str, Any]] = json.loads(_spyhop.cluster_tools())
        return tools

"""The exceptions of the package. Each has a ``kind``, the cause as a word, such as ``no-index``."""

from __future__ import annotations

import os


class SpyhopError(Exception):
    """Why a request was not answered."""

    #: The kind of the error; the names are those of ``ErrorKind`` of the Rust library.
    kind: str

    def __init__(self, message: str, kind: str = "internal") -> None:
        # Both are arguments, so that a pickle restores both.
        super().__init__(message, kind)
        self.kind = kind

    def __str__(self) -> str:
        return str(self.args[0])


class RequestError(SpyhopError, ValueError):
    """An argument has a wrong value. The message names the value and the valid choices."""


class MissingError(SpyhopError, LookupError):
    """A root, file, definition or source is missing, or is not what the call needs."""


class NoIndexError(SpyhopError):
    """There is no index, and the engine was opened with ``build=False``."""


class StaleError(SpyhopError):
    """The tree has changed since it was indexed, and the engine was opened with ``stale="error"``."""


class LockedError(SpyhopError):
    """Another process is changing the index."""


class IndexStateError(SpyhopError):
    """The index is damaged, of a newer version, or of another tree or user."""


class TooLargeError(SpyhopError):
    """A tree exceeds a limit."""


class ShardError(SpyhopError):
    """A shard failed, or is of another version than the front; or the question cannot be answered over shards."""


class CancelledError(SpyhopError):
    """The call was cancelled, or its time was up."""


class StorageError(SpyhopError, OSError):
    """Reading or writing failed: the disk is full, a permission is missing, or another error of the system.

    ``errno``, ``strerror`` and ``filename`` are those of the system's error, as far as they are known.
    """

    def __init__(
        self, message: str, kind: str = "io", errno: int | None = None, filename: str | None = None
    ) -> None:
        super().__init__(message, kind)
        self.args = (message, kind, errno, filename)
        self.errno = errno
        self.strerror = message if errno is None else os.strerror(errno)
        self.filename = filename


class InternalError(SpyhopError):
    """A bug of this package. The request and the index are sound."""


_CLASSES: dict[str, type[SpyhopError]] = {
    "bad-request": RequestError,
    "not-found": MissingError,
    "not-a-file": MissingError,
    "not-text": MissingError,
    "no-root": MissingError,
    "no-sources": MissingError,
    "unknown-source": MissingError,
    "no-index": NoIndexError,
    "stale": StaleError,
    "locked": LockedError,
    "damaged": IndexStateError,
    "newer-format": IndexStateError,
    "foreign-index": IndexStateError,
    "bad-archive": IndexStateError,
    "foreign-archive": IndexStateError,
    "index-exists": IndexStateError,
    "shard": ShardError,
    "refused-shard": ShardError,
    "not-federated": ShardError,
    "too-large": TooLargeError,
    "cancelled": CancelledError,
    "timed-out": CancelledError,
    "disk-full": StorageError,
    "read-only": StorageError,
    "permission": StorageError,
    "no-thread": StorageError,
    "io": StorageError,
    "unreachable": StorageError,
    "internal": InternalError,
}


def of_kind(kind: str, message: str, errno: int | None = None, filename: str | None = None) -> SpyhopError:
    """The exception for a kind; :class:`SpyhopError` itself for a kind without a class."""
    made = _CLASSES.get(kind, SpyhopError)
    if issubclass(made, StorageError):
        return made(message, kind, errno, filename)
    return made(message, kind)

"""A small tree, and an engine for it."""

from __future__ import annotations

from pathlib import Path

import pytest

import spyhop

FILES = {
    "src/auth.py": '''"""Keys of providers."""


def resolve_api_key(provider):
    """Finds the key of a provider in the environment."""
    return provider.environment["API_KEY"]


class KeyStore:
    """Keeps keys until they expire."""

    def expire(self, age):
        return [key for key in self.keys if key.age > age]
''',
    "src/queue.rs": '''//! A queue of jobs.

/// Flushes every job that waits in the queue.
pub fn flush_queue(queue: &mut Queue) -> usize {
    queue.jobs.drain(..).count()
}
''',
    "src/net/retry.go": '''package net

// RetryDelay doubles the delay after each failed attempt.
func RetryDelay(attempt int) int {
	return 1 << attempt
}
''',
    "docs/grüße.md": "# Grüße\n\nÄpfel und Öl: flush_queue wird ärgerlich oft gerufen.\n",
}

QUERIES = [
    "where is the api key resolved",
    "flush_queue",
    "RetryDelay",
    "keys that expire",
    "delay after a failed attempt",
]


def write(root: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        file = root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    write(root, FILES)
    return root


@pytest.fixture(scope="session")
def engine(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> spyhop.Engine:
    engine = spyhop.Engine(tree, index_dir=tmp_path_factory.mktemp("index"))
    engine.update()
    return engine

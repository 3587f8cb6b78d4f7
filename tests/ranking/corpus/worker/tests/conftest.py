import pytest

from parcelbird_worker.queue import Queue


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self):
        self.now = 1_700_000_000.0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def queue(tmp_path):
    return Queue(f"sqlite:///{tmp_path}/jobs.db")

import pytest
from parcelbird_worker.backoff import delay, retrying


def test_delay_never_exceeds_the_ceiling():
    assert all(delay(attempt, ceiling=10) <= 10 for attempt in range(100))


def test_the_last_failure_is_raised(clock):
    def fails():
        raise TimeoutError

    with pytest.raises(TimeoutError):
        retrying(fails, attempts=3, sleep=clock.sleep)


def test_other_errors_are_not_retried():
    calls = []

    def fails():
        calls.append(1)
        raise KeyError

    with pytest.raises(KeyError):
        retrying(fails)
    assert len(calls) == 1

"""How long to wait before trying again."""

import random


def delay(attempt, base=2.0, ceiling=600.0, rng=random):
    """Exponential with full jitter: anything up to `base ** attempt` seconds, so that a herd spreads out."""
    return rng.uniform(0, min(ceiling, base**attempt))


def retrying(call, attempts=5, retry_on=(ConnectionError, TimeoutError), sleep=None):
    """Calls until it works; the last failure is the caller's."""
    import time

    sleep = sleep or time.sleep
    for attempt in range(1, attempts + 1):
        try:
            return call()
        except retry_on:
            if attempt == attempts:
                raise
            sleep(delay(attempt))

"""Puts jobs into the queue at fixed times, like cron."""

import threading
import time

#: name, seconds between two runs
EVERY = [
    ("track.poll", 15 * 60),
    ("invoice.monthly", 24 * 3600),
    ("purge.expired", 24 * 3600),
]


def start(queue, stop):
    threading.Thread(target=_tick, args=(queue, stop), daemon=True).start()


def _tick(queue, stop):
    while not stop.wait(30):
        now = int(time.time())
        for name, period in EVERY:
            # The slot is part of the key: many workers tick, one job comes of it.
            queue.put(name, {}, unique_key=f"{name}@{now // period}")

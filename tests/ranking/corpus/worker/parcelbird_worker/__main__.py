"""Runs the worker: `python -m parcelbird_worker`."""

import logging
import signal
import threading

from . import config, metrics, scheduler
from .queue import Queue
from .runner import Runner


def main():
    settings = config.from_environment()
    logging.basicConfig(level=settings.log_level, format="%(asctime)s %(name)s %(message)s")
    metrics.expose(settings.metrics_port)
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    queue = Queue(settings.database_url)
    scheduler.start(queue, stop)
    Runner(queue, threads=settings.threads).run(stop)


if __name__ == "__main__":
    main()

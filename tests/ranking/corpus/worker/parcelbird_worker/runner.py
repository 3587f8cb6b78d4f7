"""Threads that take jobs from the queue and run them."""

import logging
import threading

from . import backoff, metrics
from .tasks import registry

log = logging.getLogger(__name__)
MAX_ATTEMPTS = 8


class Runner:
    def __init__(self, queue, threads):
        self.queue = queue
        self.threads = threads

    def run(self, stop):
        """Runs until `stop` is set; a job that has begun is finished first."""
        workers = [threading.Thread(target=self._loop, args=(stop,)) for _ in range(self.threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def _loop(self, stop):
        while not stop.is_set():
            job = self.queue.lease()
            if job is None:
                stop.wait(1.0)
                continue
            self._run_one(job)

    def _run_one(self, job):
        function = registry.get(job.name)
        if function is None:
            self.queue.bury(job, "no such task")
            return
        with metrics.timed(job.name):
            try:
                function(**job.arguments)
            except Exception as error:
                log.exception("job %s failed", job.id)
                if job.attempts >= MAX_ATTEMPTS:
                    self.queue.bury(job, str(error))
                else:
                    self.queue.put(job.name, job.arguments, due_in=backoff.delay(job.attempts))
                return
        self.queue.done(job)

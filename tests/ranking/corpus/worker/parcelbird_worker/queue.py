"""A queue in a table: jobs are leased, and come back when their worker dies."""

import json
from dataclasses import dataclass, field

LEASE_SECONDS = 60


@dataclass
class Job:
    id: int
    name: str
    arguments: dict = field(default_factory=dict)
    attempts: int = 0


class Queue:
    def __init__(self, database_url):
        self._connection = connect(database_url)

    def put(self, name, arguments, due_in=0, unique_key=None):
        """Adds a job; with a `unique_key`, at most one that has not been done."""
        self._connection.execute(
            "insert into jobs (name, arguments, due_at, unique_key)"
            " values (%s, %s, now() + %s * interval '1 second', %s)"
            " on conflict (unique_key) where done_at is null do nothing",
            (name, json.dumps(arguments), due_in, unique_key),
        )

    def lease(self):
        """The oldest job that is due and that nobody holds, or None."""
        row = self._connection.fetch_one(
            "update jobs set leased_until = now() + %s * interval '1 second', attempts = attempts + 1"
            " where id = (select id from jobs where done_at is null and due_at <= now()"
            "   and (leased_until is null or leased_until < now())"
            "   order by due_at for update skip locked limit 1)"
            " returning id, name, arguments, attempts",
            (LEASE_SECONDS,),
        )
        return Job(*row) if row else None

    def extend(self, job):
        """The heartbeat of a long job: keeps others from taking it."""
        self._connection.execute(
            "update jobs set leased_until = now() + %s * interval '1 second' where id = %s",
            (LEASE_SECONDS, job.id),
        )

    def done(self, job):
        self._connection.execute("update jobs set done_at = now() where id = %s", (job.id,))

    def bury(self, job, why):
        """Puts a job aside for people to look at: the dead letters."""
        self._connection.execute("update jobs set done_at = now(), buried = %s where id = %s", (why, job.id))

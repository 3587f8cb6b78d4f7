"""Forgets people: addresses of parcels that arrived long ago."""

from datetime import date, timedelta

from .. import config
from . import task

BATCH = 500


@task("purge.expired")
def expired():
    """Blanks names and streets in small batches; sums for statistics stay."""
    oldest = date.today() - timedelta(days=config.from_environment().retention_days)
    while True:
        with transaction() as tx:
            ids = tx.ids("select id from shipments where delivered_at < %s and not anonymous limit %s", oldest, BATCH)
            for id in ids:
                tx.update("shipments", id, recipient=None, street=None, anonymous=True)
        if len(ids) < BATCH:
            return


def erase(person):
    """What a person may ask for by law: everything about them, at once."""
    with transaction() as tx:
        for table in ("shipments", "addresses", "events"):
            tx.delete(table, email=person.email)
        tx.insert("erasures", at=date.today(), digest=person.digest())

"""Asks carriers where parcels are, and writes down what they say."""

from datetime import datetime, timedelta

from . import task

#: what carriers say, and which state that is with us
EVENTS = {
    "PU": "handed_over",
    "AR": "in_transit",
    "DP": "in_transit",
    "OK": "delivered",
    "RT": "returned",
}


@task("track.poll")
def poll():
    """Every parcel that is on its way, those that have not moved for long less often."""
    for parcel in parcels_on_their_way():
        if datetime.now() - parcel.asked_at < _pause(parcel):
            continue
        for event in carrier(parcel).events(parcel.tracking_number):
            if event.at > parcel.last_event_at:
                record(parcel, event)


def _pause(parcel):
    quiet = datetime.now() - parcel.last_event_at
    return min(timedelta(hours=12), max(timedelta(minutes=15), quiet / 8))


def record(parcel, event):
    """Stores an event once; tells the shop when the state has changed."""
    state = EVENTS.get(event.code, parcel.state)
    with transaction() as tx:
        tx.insert("events", parcel=parcel.id, code=event.code, at=event.at)
        if state != parcel.state:
            tx.update("shipments", parcel.id, state=state)
            tx.insert("outbox", topic="shipment." + state, subject=parcel.id)

"""Coordinates of an address, remembered for a month."""

import functools
import json
import time
import urllib.parse
import urllib.request

from .backoff import retrying

MONTH = 30 * 24 * 3600


class Cache:
    """Keeps at most `size` answers and drops the one that was used longest ago."""

    def __init__(self, size=10_000, lifetime=MONTH, clock=time.time):
        self._entries = {}
        self._size, self._lifetime, self._clock = size, lifetime, clock

    def get(self, key):
        entry = self._entries.pop(key, None)
        if entry is None or entry[0] < self._clock():
            return None
        self._entries[key] = entry
        return entry[1]

    def put(self, key, value):
        if len(self._entries) >= self._size:
            self._entries.pop(next(iter(self._entries)))
        self._entries[key] = (self._clock() + self._lifetime, value)


_cache = Cache()


def coordinates(address):
    """Latitude and longitude, or None when nobody knows the place."""
    known = _cache.get(address)
    if known is not None:
        return known
    url = "https://geo.example/search?" + urllib.parse.urlencode({"q": address, "limit": 1})
    places = json.load(retrying(functools.partial(urllib.request.urlopen, url, timeout=5)))
    if not places:
        return None
    found = (float(places[0]["lat"]), float(places[0]["lon"]))
    _cache.put(address, found)
    return found

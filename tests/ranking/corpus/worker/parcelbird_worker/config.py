"""The worker's configuration, from environment variables only."""

import os
from dataclasses import dataclass


@dataclass(frozen=True)
class Config:
    database_url: str
    threads: int
    metrics_port: int
    log_level: str
    retention_days: int


class ConfigError(Exception):
    """A variable is missing or is no number."""


def from_environment(env=os.environ):
    def number(name, default):
        text = env.get(name, str(default))
        try:
            return int(text)
        except ValueError:
            raise ConfigError(f"{name} is {text!r}, not a number") from None

    if "DATABASE_URL" not in env:
        raise ConfigError("DATABASE_URL is not set")
    return Config(
        database_url=env["DATABASE_URL"],
        threads=number("WORKER_THREADS", 4),
        metrics_port=number("METRICS_PORT", 9102),
        log_level=env.get("LOG_LEVEL", "INFO"),
        retention_days=number("RETENTION_DAYS", 400),
    )

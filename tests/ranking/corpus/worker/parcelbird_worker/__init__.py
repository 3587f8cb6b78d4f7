"""Background work of Parcelbird: tracking, invoices, purges."""

from .queue import Job, Queue
from .tasks import task

__all__ = ["Job", "Queue", "task"]
__version__ = "2.4.0"

"""Makes Python's garbage collection rare while programs are migrated."""

from __future__ import annotations

import gc


def collect_rarely() -> None:
    """Lets Python look for garbage in circles rarely.

    Trees of programs are many objects that stay. By default Python looks through them
    again and again, which takes a fifth of a migration's time. Memory is 10 MiB more.
    """
    gc.set_threshold(100_000, 20, 50)

"""Interrupts and terminations: not lost, and not in the middle of a write."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_received: list[int] = []


def handle() -> None:
    """Makes a termination a KeyboardInterrupt too, and lets `check` know of both."""
    _received.clear()
    for number in _SIGNALS:
        signal.signal(number, _raise_interrupt)
    sys.unraisablehook = _ignore_dropped_interrupt


def _ignore_dropped_interrupt(unraisable: sys.UnraisableHookArgs) -> None:
    """Says nothing of an interrupt that Python drops: `check` raises it again."""
    if not (_received and unraisable.exc_type is KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def _raise_interrupt(number: int, frame: FrameType | None) -> NoReturn:
    _received.append(number)
    raise KeyboardInterrupt


def check() -> None:
    """Raises the interrupt again that some code in between has swallowed.

    Python drops an exception raised in a callback of the garbage collector, where a
    signal may well arrive; a parser may go on, and give what is half a result.

    Raises:
      KeyboardInterrupt: there was one since `handle`.
    """
    if _received:
        raise KeyboardInterrupt


@contextlib.contextmanager
def defer_interrupts() -> Iterator[None]:
    """Lets the block finish before an interrupt or a termination takes effect."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Only the main thread can set handlers, and only it is interrupted.
        return
    pending: list[int] = []

    def defer(number: int, frame: FrameType | None) -> None:
        pending.append(number)

    handlers = {number: signal.signal(number, defer) for number in _SIGNALS}
    try:
        yield
    finally:
        for which, handler in handlers.items():
            signal.signal(which, handler)
        for number in pending[:1]:
            signal.raise_signal(number)

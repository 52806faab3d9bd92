"""Provides genuine TensorFlow 1.15.5 to all tests, if a Python 3.7 can run it."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from migrate import garbage
from migrate.disk import interrupts
from reference import environment, processes

pytest_plugins = ["tests.ledger.plugin", "tests.starters"]

# A machine that does something else beside is slow, which is no fault of a test.
settings.register_profile(
    "loaded", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("loaded")
garbage.collect_rarely()  # As the command does.

# A task binds its port seconds after it was drawn. The processes that run tests draw from
# different ones, so that none takes what another has drawn.
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
processes._PORTS = processes._PORTS[_WORKER::_WORKERS]

# Shells start what they put in the background with interrupts ignored, and children
# inherit that: tests of interrupts would wait for what never comes.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _handlers() -> Iterator[None]:
    """The command sets signal handlers, and keeps what it has received: not for the next test."""
    kept = {s: signal.getsignal(s) for s in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in kept.items():
        signal.signal(number, handler)
    interrupts._received.clear()


@pytest.fixture(scope="session")
def tf1() -> str:
    """An interpreter with TensorFlow 1.15.5, made in the user's cache if need be."""
    if environment.find_tf1() is None and next(environment.pythons(), None) is None:
        pytest.skip("no Python 3.7 on this machine to run TensorFlow 1.15.5")
    return str(environment.make())

"""Few processes with TensorFlow at a time.

`reference.processes` keeps one for each interpreter and environment, to fork tasks from. A
scenario needs one or two. A run of all tests has dozens of environments, and each process
takes 250 MB: on 2026-11-28 the machine had no memory left. So those that were not used
lately are closed between two tests.
"""

from __future__ import annotations

import collections
from collections.abc import Callable, Mapping

import pytest

from reference import processes
from reference.preloaded import Preloaded

# Of each process that runs tests: TensorFlow 2.21, 1.15.5, 2.15, and one with other variables.
KEPT = 4
_Key = tuple[str, tuple[tuple[str, str], ...]]


class FewStarters:
    """Replaces `processes._preloaded` in tests: it closes interpreters not used lately.

    Args:
      make: starts a process for an interpreter and an environment.
      kept: how many stay.
    """

    def __init__(
        self, make: Callable[[str, tuple[tuple[str, str], ...]], Preloaded], kept: int
    ) -> None:
        self._make, self._kept = make, kept
        # The one used last is the last.
        self._made: collections.OrderedDict[_Key, Preloaded] = collections.OrderedDict()

    def __call__(
        self, python: str, environment: tuple[tuple[str, str], ...]
    ) -> Preloaded:
        key = (python, environment)
        if key not in self._made:
            self._made[key] = self._make(python, environment)
        self._made.move_to_end(key)
        return self._made[key]

    def made(self) -> Mapping[_Key, Preloaded]:
        """Those that are kept."""
        return self._made

    def close_unused(self) -> None:
        """Closes those that were not used lately, if no program of theirs runs."""
        for key in list(self._made)[: -self._kept]:
            if not self._made[key]._programs:
                self._made.pop(key).close()


_FEW = FewStarters(processes._preloaded.__wrapped__, KEPT)


def pytest_configure() -> None:
    processes._preloaded = _FEW  # type: ignore[assignment]


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    _FEW.close_unused()

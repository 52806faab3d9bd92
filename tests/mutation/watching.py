"""Migrates programs by tables that note what is read of them, and makes parts wrong meanwhile.

A program can tell a part only if it reads it. Where the text of a table is made to be equal to
nothing, and to be shown with an underscore, nothing has to be imported again: the program is
migrated once more, and its outcome compared. `search.py` looks at what is found with tables
that are wrong from the start.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import gc
import os
import pickle
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from tests.mutation import outcomes, planted, programs

Result = TypeVar("Result")
# Programs for one process, and processes at a time.
_SLICE = 60
PROCESSES = 2
# A program that takes more seconds is not tried for one part after the other.
_SLOW = 1.0
# What remembers large tables and texts of emitted modules: it is read only once.
_KEPT = {"_raw", "_target_versions", "target_names", "_target_modules", "modules"}
_KEPT_OF = (
    *("signatures", "private_names", "kept_names"),
    *("emitted", "rewriting.attributes"),
)


def in_process(work: Callable[[], Result]) -> Result:
    """Runs a function in a new process, which has not imported the tool yet.

    Raises:
      RuntimeError: it raised something.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        try:
            planted.forget_tool()
            made: tuple[bool, Any] = (True, work())
        except BaseException:
            made = (False, traceback.format_exc())
        sent = pickle.dumps(made)
        with os.fdopen(writing, "wb") as out:
            out.write(len(sent).to_bytes(8, "big") + sent)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as source:
        # Not to its end: a child of the same moment has the pipe open too.
        sent = source.read(int.from_bytes(source.read(8), "big"))
    os.waitpid(child, 0)
    ended, value = pickle.loads(sent) if sent else (False, "it died")
    if not ended:
        raise RuntimeError(value)
    return value  # type: ignore[no-any-return]


@dataclasses.dataclass(frozen=True)
class Seen:
    """A program as the correct tool migrates it.

    Attributes:
      seconds: how long that takes.
      read: parts of tables that it reads.
    """

    outcome: outcomes.Outcome
    seconds: float
    read: frozenset[str]


def migrate(names: Sequence[str]) -> dict[str, outcomes.Outcome]:
    """Outcomes of programs in this process."""
    gc.disable()
    return {name: outcomes.outcome_of(programs.find(name)) for name in names}


def _caches() -> list[Any]:
    """Lists the tool's caches from one program to the next, except the large tables."""
    found = {}
    for name, module in [*sys.modules.items()]:
        if name.startswith("migrate.") and not name.startswith("migrate.tfmodel"):
            for value in [*vars(module).values()]:
                if isinstance(value, functools._lru_cache_wrapper):
                    home = value.__module__
                    if value.__name__ not in _KEPT and not home.endswith(_KEPT_OF):
                        found[id(value)] = value
    return [*found.values()]


def _outcome(program: programs.Program, caches: Sequence[Any]) -> outcomes.Outcome:
    for cache in caches:
        cache.cache_clear()
    return outcomes.outcome_of(program)


def _watch(
    names: Sequence[str], wanted: Mapping[str, int]
) -> tuple[dict[str, Seen], dict[str, str], dict[str, int]]:
    """Programs in this process, by tables that note what is read.

    Args:
      wanted: parts to make wrong for the programs that read them, and how many of them may
        still be tried.

    Returns:
      what was seen; part -> the program that tells it; part -> how many did not.
    """
    planted.watch()
    for shape in ("mention", "use", "session"):
        outcomes.outcome_of(programs.of_shape(shape, "tf.log"))
    caches = _caches()
    gc.disable()
    seen: dict[str, Seen] = {}
    told: dict[str, str] = {}
    tried: dict[str, int] = {}
    for name in names:
        program = programs.find(name)
        planted.READ.clear()
        begun = time.process_time()
        outcome = _outcome(program, caches)
        took = time.process_time() - begun
        read = frozenset(planted.READ)
        seen[name] = Seen(outcome, took, read)
        if outcome.codes in ("fails", "is refused") or took > _SLOW:
            continue
        for part in read:
            if part in told or tried.get(part, 0) >= wanted.get(part, 0):
                continue
            planted.WRONG.add(part)
            if _outcome(program, caches) != outcome:
                told[part] = name
            else:
                tried[part] = tried.get(part, 0) + 1
            planted.WRONG.clear()
        gc.collect(1)
    return seen, told, tried


def _slices(names: Sequence[str], size: int) -> list[Sequence[str]]:
    return [names[at : at + size] for at in range(0, len(names), size)]


def _at_once(tasks: Iterable[Callable[[], Result]]) -> Iterator[Result]:
    """Results of tasks, each in a process, a few at a time."""
    with concurrent.futures.ThreadPoolExecutor(PROCESSES) as pool:
        yield from pool.map(in_process, tasks)


@dataclasses.dataclass
class Watched:
    """The parts that programs read, and those that they notice when made wrong.

    Attributes:
      left: how many programs may still be tried for a part.
    """

    left: dict[str, int]
    seen: dict[str, Seen] = dataclasses.field(default_factory=dict)
    told: dict[str, str] = dataclasses.field(default_factory=dict)

    def watch(self, names: Sequence[str]) -> None:
        """Looks at programs."""
        pairs = _slices(_slices(names, _SLICE), PROCESSES)
        for pair in pairs:
            wanted = {p: n for p, n in self.left.items() if n and p not in self.told}
            tasks = [functools.partial(_watch, s, wanted) for s in pair]
            for seen, told, tried in _at_once(tasks):
                self.seen.update(seen)
                self.told.update({**told, **self.told})
                for part, count in tried.items():
                    self.left[part] -= count
            print(f"{len(self.seen)} programs, {len(self.told)} parts", flush=True)

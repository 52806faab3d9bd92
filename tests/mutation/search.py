"""Searches for each part of a table a program that notices if the part is wrong.

Many parts are made wrong in one process: no program that looks for one of them reads
another of them, or of its row.
"""

from __future__ import annotations

import concurrent.futures
import dataclasses
import functools
import gc
import importlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from tests.mutation import cases, facts, outcomes, parts, planted, programs, watching
from tests.mutation.watching import Seen, Watched, in_process

# What stands for a program where the tool cannot even be imported.
IMPORT = "import"
# Programs that are tried for a part, and parts that are wrong in one process.
TRIED = 6
_AT_ONCE = 150


def is_importable(part: str) -> bool:
    """Whether the tool can be imported with a wrong part."""

    def is_imported() -> bool:
        planted.plant([part])
        try:
            importlib.import_module("migrate.compiler")
        except Exception:
            return False
        return True

    return in_process(is_imported)


@dataclasses.dataclass
class Search:
    """The search for programs that tell parts.

    Attributes:
      seen: the programs.
      killers: part -> the program that tells it.
    """

    seen: Mapping[str, Seen]
    killers: dict[str, str] = dataclasses.field(default_factory=dict)
    _outcomes: dict[str, outcomes.Outcome] = dataclasses.field(default_factory=dict)

    @functools.cached_property
    def _readers(self) -> dict[tuple[str, str], set[str]]:
        """The programs that read a row."""
        every = parts.all_parts()
        found: dict[tuple[str, str], set[str]] = {}
        for name, seen in self.seen.items():
            for part in seen.read:
                row = (every[part].module, every[part].row)
                found.setdefault(row, set()).add(name)
        return found

    def _of_row(self, part: str) -> set[str]:
        one = parts.all_parts()[part]
        return self._readers.get((one.module, one.row), set())

    def candidates(self, part: str) -> list[str]:
        """Programs that may tell a part: its own readers first, the cheap ones first."""
        used = {*self.killers.values()}

        def cost(name: str) -> tuple[bool, bool, float]:
            seen = self.seen[name]
            return (part not in seen.read, name not in used, seen.seconds)

        return sorted(self._of_row(part), key=cost)

    def _batches(self, wanted: Mapping[str, Sequence[str]]) -> Iterator[list[str]]:
        """Parts with their programs, so that no program reads two of the parts."""
        left = list(wanted)
        while left:
            batch: list[str] = []
            running: set[str] = set()
            affected: set[str] = set()
            later = []
            for part in left:
                runs, reads = {*wanted[part]}, self._of_row(part)
                if (
                    len(batch) < _AT_ONCE
                    and not runs & affected
                    and not reads & running
                ):
                    batch.append(part)
                    running |= runs
                    affected |= reads
                else:
                    later.append(part)
            left = later
            yield batch

    def try_parts(self, wanted: Mapping[str, Sequence[str]]) -> dict[str, str]:
        """Part -> the first of its programs that tells it, of those that one does."""
        used = {program for some in wanted.values() for program in some}
        new = sorted(used - {*self._outcomes})
        self._outcomes.update(in_process(lambda: watching.migrate(new)))
        batches = [*self._batches(wanted)]
        found: dict[str, str] = {}
        tasks = [functools.partial(self._try_batch, b, wanted) for b in batches]
        with concurrent.futures.ThreadPoolExecutor(watching.PROCESSES) as pool:
            for one in pool.map(lambda task: task(), tasks):
                found.update(one)
        return found

    def _try_batch(
        self, batch: Sequence[str], wanted: Mapping[str, Sequence[str]]
    ) -> dict[str, str]:
        try:
            return in_process(lambda: self._tellers(batch, wanted))
        except RuntimeError:
            if len(batch) == 1:
                return {} if is_importable(batch[0]) else {batch[0]: IMPORT}
            half = len(batch) // 2
            return {
                **self._try_batch(batch[:half], wanted),
                **self._try_batch(batch[half:], wanted),
            }

    def _tellers(
        self, batch: Sequence[str], wanted: Mapping[str, Sequence[str]]
    ) -> dict[str, str]:
        planted.plant(batch)
        import migrate.compiler  # noqa: F401

        gc.disable()
        found = {}
        for part in batch:
            for name in wanted[part]:
                outcome = outcomes.outcome_of(programs.find(name))
                if outcome != self._outcomes[name]:
                    found[part] = name
                    break
        return found

    def confirm(self, told: Mapping[str, str]) -> None:
        """Takes over parts that a program tells in fact."""
        self.killers.update(self.try_parts({p: [n] for p, n in told.items()}))

    def run(self, names: Iterable[str], tried: int = TRIED) -> None:
        """Finds programs for parts, in rounds of few programs each."""
        left = [n for n in names if n not in self.killers]
        ranked = {n: self.candidates(n)[:tried] for n in left}
        at, width = 0, 3
        while True:
            wanted = {
                n: ranked[n][at : at + width]
                for n in left
                if n not in self.killers and ranked[n][at : at + width]
            }
            if not wanted:
                return
            self.killers.update(self.try_parts(wanted))
            print(f"{len(wanted)} tried, {len(self.killers)} told", flush=True)
            at, width = at + width, 2 * width


# -- all of it --------------------------------------------------------------------------


def _names_of_parts() -> dict[str, set[str]]:
    """Names in the tables with the parts that they are made of."""
    planted.watch()
    found: dict[str, set[str]] = {}
    for text in programs.texts():
        found.setdefault(str(text), set()).update(getattr(text, "names", ()))
    return found


def programs_about(left: Iterable[str], cheap: bool) -> list[str]:
    """Programs about the names in rows, in the shapes of their tables."""
    every = parts.all_parts()
    rows = {(every[n].module, every[n].row) for n in left}
    found: dict[str, None] = {}
    for name, made in in_process(_names_of_parts).items():
        tables = {
            every[m].module for m in made if (every[m].module, every[m].row) in rows
        }
        shapes = (s for t in sorted(tables) for s in programs.OF_TABLE.get(t, ()))
        chosen = (programs.CHEAP if "." in name else ()) if cheap else shapes
        if tables:
            found.update(dict.fromkeys(programs.about([name], chosen)))
    return [*found]


def _list_cases() -> list[str]:
    return [case for file in cases.files() for case in cases.list_cases(file)]


def _find_fact(part: str, about: Sequence[str]) -> str:
    """The first fact of the tool that a wrong part contradicts, "" if none."""
    planted.plant([part])
    return next((name for name in about if not facts.holds(name)), "")


def _find_facts(left: Sequence[str]) -> dict[str, str]:
    """Parts that contradict a fact about their table alone, in this process."""
    importlib.import_module("migrate.compiler")
    every = parts.all_parts()
    found = {}
    for part in left:
        about = facts.about(every[part].module, of_tool=False)
        with planted.exchange_table(part) as works:
            told = works and next((n for n in about if not facts.holds(n)), "")
        if told:
            found[part] = told
    return found


def find_by_facts(known: Mapping[str, str], chosen: Sequence[str]) -> dict[str, str]:
    """Parts with their programs, and those that contradict a fact.

    Raises:
      ValueError: the tables contradict one as they are.
    """
    every = parts.all_parts()
    found = {n: k for n, k in known.items() if n in every}
    # What these remember, they need not read again.
    wrong = [name for name in facts.names() if facts.find_contradictions(name)]
    if wrong:
        raise ValueError(f"the tables themselves contradict: {wrong}")
    before = len(found)

    def left() -> list[str]:
        of_chosen = (n for n in every if not chosen or every[n].module in chosen)
        return [n for n in of_chosen if n not in found]

    found.update(in_process(lambda: _find_facts(left())))
    print(f"{len(found) - before} contradict a fact", flush=True)
    tasks = {
        part: functools.partial(_find_fact, part, about)
        for part in left()
        if (about := facts.about(every[part].module, of_tool=True))
    }
    with concurrent.futures.ThreadPoolExecutor(watching.PROCESSES) as pool:
        for part, fact in zip(tasks, pool.map(in_process, tasks.values())):
            if fact:
                found[part] = fact
    print(f"{len(found) - before} with those that ask the tool", flush=True)
    return found


def find_killers(known: Mapping[str, str], chosen: Sequence[str]) -> Search:
    """Finds programs for the parts that have none, or for all of some tables."""
    every = parts.all_parts()
    kept = {
        n: k for n, k in known.items() if n in every and every[n].module not in chosen
    }
    watched = Watched({n: TRIED for n in every if n not in kept})

    def left() -> list[str]:
        return [n for n in every if n not in kept and n not in watched.told]

    watched.watch(programs_about(left(), cheap=True))
    watched.watch([f"{shape} tf.nn.relu" for shape in programs.SHAPES])
    watched.watch(programs_about(left(), cheap=False))
    watched.watch(sorted(programs.files(), key=lambda n: len(programs.find(n).text)))
    watched.watch(in_process(_list_cases))
    # What was found by texts that say something else for a while is looked at again, with
    # tables that are wrong from the start; what such texts cannot show is looked for.
    search = Search(watched.seen, kept)
    search.confirm(watched.told)
    search.run(n for n in every if n not in search.killers)
    search.killers.update(find_by_facts(search.killers, ()))
    return search

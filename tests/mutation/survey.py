"""Looks which program tells which wrong part of a table, and records it.

    python -m tests.mutation.survey               compares what is recorded; the exit code is 1
                                                  if something is missing or has changed
    python -m tests.mutation.survey --outcomes    records the outcomes of the programs anew
    python -m tests.mutation.survey --record [TABLE ...]
                                                  finds programs for parts that have none, or
                                                  for all parts of some tables
    python -m tests.mutation.survey --facts [TABLE ...]
                                                  only looks which of these contradict a fact
    python -m tests.mutation.survey --tell PART ...
                                                  plants these parts, one after the other

`killers.tsv` has each part that a program tells, `outcomes.tsv` what the tool makes of these
programs, and `survivors.txt` the parts that no program tells: none may stay there.
"""

from __future__ import annotations

import pathlib
import sys
from collections.abc import Iterable, Mapping, Sequence

from tests.mutation import facts, outcomes, parts, planted, programs, search, watching

_HOME = pathlib.Path(__file__).parent
KILLERS = _HOME / "killers.tsv"
OUTCOMES = _HOME / "outcomes.tsv"
SURVIVORS = _HOME / "survivors.txt"


def _lines(path: pathlib.Path) -> list[str]:
    return path.read_text("utf-8").splitlines() if path.exists() else []


def _write(path: pathlib.Path, lines: Iterable[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def killers() -> dict[str, str]:
    """Part -> the program that tells it, as recorded."""
    return dict(line.split("\t") for line in _lines(KILLERS))


def survivors() -> list[str]:
    """Parts that no program tells, as recorded."""
    return _lines(SURVIVORS)


def recorded() -> dict[str, outcomes.Outcome]:
    """Program -> what the tool makes of it, as recorded."""
    rows = (line.split("\t") for line in _lines(OUTCOMES))
    return {name: outcomes.Outcome(codes, digest) for name, codes, digest in rows}


def find_changed(known: Mapping[str, outcomes.Outcome]) -> dict[str, str]:
    """Programs whose outcome is not the recorded one, and what it is."""
    found = {}
    for name, outcome in known.items():
        now = outcomes.outcome_of(programs.find(name))
        if now != outcome:
            found[name] = f"{outcome.codes} -> {now.codes}"
    return found


def find_gaps(known: Mapping[str, str], left: Iterable[str]) -> set[str]:
    """Parts that are in neither list, and names in a list that are no part's."""
    return {*known, *left} ^ {*parts.all_parts()}


def find_untold(names: Iterable[str], known: Mapping[str, str]) -> list[str]:
    """Parts that their program does not tell; each is planted in a process of its own."""
    found = []
    outcome_of = recorded()
    for name in names:
        program = known[name]

        def changes(name: str = name, program: str = program) -> bool:
            planted.plant([name])
            now = outcomes.outcome_of(programs.find(program))
            return now != outcome_of.get(program, outcomes.PASSES)

        if program == search.IMPORT:
            told = not search.is_importable(name)
        else:
            told = watching.in_process(changes)
        if not told:
            found.append(name)
    return found


def programs_of(known: Mapping[str, str]) -> list[str]:
    """The programs whose outcome is recorded: facts and tests say themselves what is right."""
    own = ("test ", facts.PREFIX)
    return sorted(
        n for n in {*known.values()} - {search.IMPORT} if not n.startswith(own)
    )


def record(known: Mapping[str, str], anew: bool = True) -> None:
    """Writes the three lists.

    Args:
      anew: whether outcomes that are recorded are looked at once more.
    """
    every = parts.all_parts()
    _write(KILLERS, (f"{n}\t{known[n]}" for n in every if n in known))
    _write(SURVIVORS, (n for n in every if n not in known))
    _write_outcomes(known, {} if anew else recorded())


def _write_outcomes(
    known: Mapping[str, str], kept: Mapping[str, outcomes.Outcome]
) -> None:
    names = programs_of(known)
    new = [n for n in names if n not in kept]
    made = {**kept, **watching.in_process(lambda: watching.migrate(new))}
    _write(OUTCOMES, (f"{n}\t{made[n].codes}\t{made[n].digest}" for n in names))


def main(arguments: Sequence[str]) -> int:
    chosen = [a for a in arguments if not a.startswith("--")]
    if "--outcomes" in arguments:
        _write_outcomes(killers(), {})
        return 0
    if "--tell" in arguments:
        untold = find_untold(chosen, killers())
        print("\n".join(untold))
        return int(bool(untold))
    if "--facts" in arguments:
        record(search.find_by_facts(killers(), chosen), anew=False)
        return 0
    if "--record" in arguments:
        record(search.find_killers(killers(), chosen).killers)
        return 0
    gaps = sorted(find_gaps(killers(), survivors()))
    changed = find_changed(recorded())
    changed |= {n: "; ".join(facts.find_contradictions(n)) for n in facts.names()}
    changed = {name: what for name, what in changed.items() if what}
    for line in (*gaps, *(f"{n}: {what}" for n, what in changed.items())):
        print(line)
    print(f"{len(survivors())} of {len(parts.all_parts())} parts have no program")
    return int(bool(gaps or changed))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

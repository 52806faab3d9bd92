"""The recorded programs of the corpus, and the table of them in docs/coverage.md."""

from __future__ import annotations

import collections
import dataclasses
import json
import pathlib
from collections.abc import Iterator, Mapping, Sequence

from migrate.outcomes import Status
from tests.corpus.packages import PACKAGES
from tests.corpus.programs import STARTS, Program

RECORDED = pathlib.Path(__file__).with_name("programs.json")
_REASONS = 2  # Of each package, the most frequent ones.
_ABOUT = """\
A *program* is a module that somebody starts, with all modules that it imports from its package. Programs are the
commands in the package's metadata, and modules that test `__name__`, except unit tests. 

The test migrates each program alone, with only its own files. If you run the tool on a whole package, it migrates all
programs that share a file, or none. Then one refusal holds back all of them. To avoid that, leave out the refused
file with `--exclude`.

The last two columns count the programs that start. "Starts on 2.21" counts migrated programs, and "starts on 1.15.5"
original ones. The test starts a program with `--help`: it imports its modules and defines its flags. It builds no
graph. `tests/corpus/test_bert.py` trains bert-tensorflow's classifier on both versions.
"""
_AFTER = """\
A program that `--fallback compat` accepts runs in graph mode on TensorFlow 2.21. It does not use `tf.distribute` yet.
The others have a finding (T151), listed below. `tests/fallback` runs
programs that it accepts, and their losses equal TensorFlow 1's.
"""
Recorded = dict[str, list[dict[str, object]]]


@dataclasses.dataclass(frozen=True)
class Started:
    """The starts of a program: `STARTS`, why it does not start, or "" if not tried."""

    tf2: str = ""
    tf1: str = ""


def recorded() -> Recorded:
    """The recorded programs by package."""
    found: Recorded = json.loads(RECORDED.read_text("utf-8"))
    return found


def record(
    package: str, found: Sequence[Program], started: Mapping[str, Started]
) -> None:
    """Writes what became of one package's programs, in place of what was recorded."""
    rows = recorded() if RECORDED.exists() else {}
    rows[package] = [
        dataclasses.asdict(program)
        | dataclasses.asdict(started.get(program.module, Started()))
        for program in found
    ]
    names = [p.name for p in PACKAGES]
    ordered = {name: rows[name] for name in names if name in rows}
    RECORDED.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")


def section(rows: Recorded) -> Iterator[str]:
    """The document's part about programs."""
    yield _ABOUT
    words = [status.words for status in Status]
    title = "of the refused, `--fallback compat` accepts"
    heads = ["package", "programs", *words, title, "starts on 2.21", "starts on 1.15.5"]
    lines = ["| " + " | ".join(heads) + " |", "|---" * len(heads) + "|"]
    for package in PACKAGES:
        name = f"{package.name} {package.version}"
        if package.name in rows:
            cells = [name, *_cells(rows[package.name])]
        else:
            cells = [name, "not measured", *["" for _ in heads[2:]]]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    yield "\n".join(lines) + "\n"
    yield _AFTER
    for name, found in rows.items():
        yield from _tell(name, found)


def _cells(found: Sequence[Mapping[str, object]]) -> Iterator[object]:
    statuses = collections.Counter(row["status"] for row in found)
    yield len(found)
    for status in Status:
        yield statuses[status.value]
    yield sum(row["fallback"] == Status.COMPAT.value for row in found)
    for version in ("tf2", "tf1"):
        tried = [row[version] for row in found if row[version]]
        started = sum(one == STARTS for one in tried)
        yield f"{started} of {len(tried)}" if tried else "none tried"


def _tell(name: str, found: Sequence[Mapping[str, object]]) -> Iterator[str]:
    """The migrated programs of a package, and the reasons for the others."""
    if not found:
        return
    yield f"{name}\n"
    lines = []
    for status in (Status.MIGRATED, Status.COMPAT):
        named = [f"`{row['module']}`" for row in found if row["status"] == status.value]
        if named:
            lines.append(f"- {status.words}: {', '.join(named)}\n")
    taken = [f"`{r['module']}`" for r in found if r["fallback"] == Status.COMPAT.value]
    if taken:
        lines.append(f"- accepted by `--fallback compat`: {', '.join(taken)}\n")
    without = [f"`{row['module']}`" for row in found if not row["status"]]
    if without:
        lines.append(f"- nothing to migrate: {', '.join(without)}\n")
    lines += _count(
        "refused",
        [str(r["reason"]) for r in found if r["status"] == Status.REFUSED.value],
    )
    lines += _count(
        "not accepted by the fallback", [str(r["lost"]) for r in found if r["lost"]]
    )
    for version, key in (("2.21", "tf2"), ("1.15.5", "tf1")):
        told = [str(row[key]) for row in found if row[key] not in ("", STARTS)]
        lines += _count(f"does not start on {version}", told)
    yield "".join(lines)


def _count(title: str, told: Sequence[str]) -> list[str]:
    counted = collections.Counter(told).most_common()
    rest = sum(times for _, times in counted[_REASONS:])
    lines = [f"- {title}, {times} ×: {why}\n" for why, times in counted[:_REASONS]]
    return lines + ([f"- {title}, {rest} ×: other reasons\n"] if rest else [])

"""Plants a fault into each part of each row of the table of calls, and looks who notices.

    python -m tests.mutation [SYMBOL ...]

A row is a promise about one function. A mutant has one part of it wrong: another target, one
positional argument more, a renamed argument that gets another's name, an argument that is lost,
a value that is not wrapped. The recorded cases (`tests/migrate/rules/symbol_cases.py`) are
migrated with it and computed on TensorFlow 2: a value that is not TensorFlow 1.15.5's kills it.
What no case tells from the row survives, and is listed; the exit code is 1.

Not planted: parts without which a call keeps TensorFlow 1's own function of `tf.compat.v1`
(a keyword, a positional argument, a renamed argument less): its values are the same.
"""

from __future__ import annotations

import contextlib
import dataclasses
import inspect
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from migrate.rules.calls import ROWS
from migrate.tables.calls import CALLS, CallRow
from tests.migrate.rules import symbol_cases
from tests.migrate.rules.test_symbol_values import (
    RECORDED,
    UNPROVED,
    equal,
    migrated,
    value_of,
)

# Mutants that mean the same, or that no value can tell -> why.
EQUAL: dict[str, str] = {
    **{
        f"tf.{name}: keyword {key}": "TensorFlow 1.15.5's function has no such parameter"
        for name, key in (
            *(("arg_max", "axis"), ("arg_min", "axis")),
            *(("nn.max_pool", "input"), ("nn.avg_pool", "input")),
            ("nn.avg_pool2d", "input"),
        )
    },
    **{
        f"tf.{name}: keyword data_format": "NHWC is all that a CPU computes"
        for name in (
            *("nn.max_pool", "nn.avg_pool", "nn.avg_pool2d", "space_to_depth"),
            *("depth_to_space", "nn.space_to_depth", "nn.depth_to_space"),
        )
    },
    **{
        f"tf.gfile.{name}: renamed filename": "test_files_are_handled_alike"
        for name in ("Exists", "Glob")
    },
}


@dataclasses.dataclass(frozen=True)
class Mutant:
    """A row with one part wrong.

    Attributes:
      part: which one, and what of it.
    """

    symbol: str
    part: str
    row: CallRow

    def __str__(self) -> str:
        return f"{self.symbol}: {self.part}"


def mutants(row: CallRow) -> Iterator[Mutant]:
    """All mutants of a row."""

    def of(part: str, **changes: Any) -> Mutant:
        return Mutant(row.symbol, part, dataclasses.replace(row, **changes))

    yield of("target", target="tf.no_op")
    if not _same_parameter(row, row.positional):
        yield of("positional", positional=row.positional + 1)
    for name in ("renamed", "wrapped", "added", "defaults"):
        pairs = getattr(row, name)
        for index, (key, value) in enumerate(pairs):
            rest = (*pairs[:index], *pairs[index + 1 :])
            if name == "renamed":
                wrong = (*rest, (key, "name" if value != "name" else "axis"))
                yield of(f"renamed {key}", renamed=wrong)
            elif name == "wrapped":
                yield of(f"wrapped {key}", wrapped=(*rest, (key, "{}")))
            else:
                yield of(f"{name} {key}={value}", **{name: rest})
    for key in row.required:
        rest = tuple(k for k in row.required if k != key)
        yield of(f"required {key}", required=rest)
    for key in row.keywords:
        # Taken for one without meaning: it is lost.
        if key != "name":
            keywords = tuple(k for k in row.keywords if k != key)
            dropped = (*row.dropped, key)
            yield of(f"keyword {key}", keywords=keywords, dropped=dropped)


def _parameters(symbol: str) -> list[str]:
    import tensorflow as tf

    value: Any = tf
    try:
        for part in symbol.split(".")[1:]:
            value = getattr(value, part)
        return list(inspect.signature(value).parameters)
    except (AttributeError, TypeError, ValueError):
        return []


def _same_parameter(row: CallRow, position: int) -> bool:
    """Whether both functions have the same parameter there, or TensorFlow 1's has none."""
    old = _parameters(f"tf.compat.v1{row.symbol[2:]}")
    new = _parameters(row.target)
    if position >= len(old):
        return True
    name = dict(row.renamed).get(old[position], old[position])
    return position < len(new) and new[position] == name


def cases_of(row: CallRow) -> list[tuple[str, str]]:
    """Recorded cases of a function, and what each is called with this row's name."""
    found = []
    last = (row.symbol.rpartition(".")[2], row.target.rpartition(".")[2])
    for other in CALLS.values():
        if (other.symbol.rpartition(".")[2], other.target.rpartition(".")[2]) == last:
            for case in symbol_cases.CASES:
                if f"{other.symbol}(" in case:
                    call = case.replace(f"{other.symbol}(", f"{row.symbol}(")
                    found.append((case, call))
    return found


@contextlib.contextmanager
def planted(mutant: Mutant) -> Iterator[None]:
    """Inside, the compiler has the mutant's row."""
    before = ROWS[mutant.symbol]
    ROWS[mutant.symbol] = mutant.row
    try:
        yield
    finally:
        ROWS[mutant.symbol] = before


def is_noticed(mutant: Mutant) -> bool:
    """Whether a recorded case has another value with the mutant."""
    for case, call in cases_of(ROWS[mutant.symbol]):
        good = migrated(call)
        with planted(mutant):
            try:
                text = migrated(call)
            except (AssertionError, SyntaxError):
                return True  # It is refused, or no Python.
        if text == good:
            continue
        try:
            found = value_of(text)
        except Exception:
            return True
        if not equal(found, RECORDED[case]):
            return True
    return False


def survivors(symbols: Sequence[str] = ()) -> Iterator[Mutant]:
    """Mutants of the rows, or of some, that nobody notices, and that mean something else."""
    for symbol, row in CALLS.items():
        if symbol not in UNPROVED and (not symbols or symbol in symbols):
            for mutant in mutants(row):
                if str(mutant) not in EQUAL and not is_noticed(mutant):
                    yield mutant


def main(symbols: Sequence[str]) -> int:
    found = 0
    for mutant in survivors(symbols):
        found += 1
        print(mutant, flush=True)
    print(f"{found} mutants survive")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

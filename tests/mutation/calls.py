"""Plants a fault into each part of each row of the table of calls, and looks who notices.

    python -m tests.mutation [SYMBOL ...]
    python -m tests.mutation --record [SYMBOL ...]

A row is a promise about one function. A mutant has one part of it wrong: another target, one
positional argument more, a renamed argument that gets another's name, an argument that is
lost, a value that is not wrapped. The recorded cases (`tests/migrate/rules/symbol_cases.py`)
are migrated with it and computed on TensorFlow 2: a result that is not TensorFlow 1.15.5's
kills it. What no case tells from the row survives, and is listed; the exit code is 1.

`--record` writes `tests/migrate/rules/mutants.json`: each mutant, and a case that kills it.
`tests/migrate/rules/test_mutation.py` keeps it whole.

Not planted: parts without which a call keeps TensorFlow 1's own function of `tf.compat.v1`
(a keyword, a positional argument, a renamed argument less): its values are the same.
"""

from __future__ import annotations

import contextlib
import dataclasses
import json
import pathlib
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from migrate.compiler import migrate_text
from migrate.rules.calls import ROWS
from migrate.tables import signatures, symbols
from migrate.tables.calls import CALLS, CallRow
from tests.migrate.rules import row_cases, symbol_cases
from tests.migrate.rules.test_symbol_values import (
    RECORDED,
    equal,
    migrated,
    result_of,
    wanted,
)

KILLED_BY = pathlib.Path(symbol_cases.__file__).with_name("mutants.json")


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
            yield of(
                f"keyword {key}",
                keywords=tuple(k for k in row.keywords if k != key),
                dropped=(*row.dropped, key),
                required=tuple(k for k in row.required if k != key),
            )


def _parameters(symbol: str) -> tuple[str, ...]:
    """TensorFlow 1.15.5's parameters of a function."""
    known = symbols.look_up(symbol)
    return known.signature_v1 if known is not None else ()


def _same_parameter(row: CallRow, position: int) -> bool:
    """Whether both functions have the same parameter there, or TensorFlow 1's has none."""
    old = _parameters(row.symbol)
    new = [p.removesuffix("=") for p in signatures.find_parameters(row.target) or ()]
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


def changed_text(mutant: Mutant, call: str) -> str | None:
    """Returns a mutant's text for a call; None if unchanged, "" if it cannot run."""
    good = migrated(call)
    with planted(mutant):
        try:
            text = migrated(call)
        except (AssertionError, SyntaxError):
            return ""  # It is refused, or no Python.
    return None if text == good else text


def kills(case: str, call: str, mutant: Mutant) -> bool:
    """Whether a case has another result with the mutant than TensorFlow 1.15.5 gave."""
    text = changed_text(mutant, call)
    if not text:
        return text == ""
    try:
        found = result_of(case, text)
    except Exception:
        return True
    return not equal(found, wanted(case))


def find_killer(mutant: Mutant) -> str | None:
    """A recorded case that kills a mutant."""
    cases = cases_of(ROWS[mutant.symbol])
    return next((case for case, call in cases if kills(case, call, mutant)), None)


def is_killed_by(mutant: Mutant, case: str) -> bool:
    """Whether a case of this name kills a mutant."""
    calls = [call for name, call in cases_of(ROWS[mutant.symbol]) if name == case]
    return any(kills(case, call, mutant) for call in calls)


# -- mutants that mean the same ---------------------------------------------------------


@dataclasses.dataclass(frozen=True)
class Reason:
    """The reason why no case can kill a mutant.

    Attributes:
      holds: checks that this is still so.
    """

    why: str
    holds: Callable[[Mutant], bool]


def _has_no_parameter(mutant: Mutant) -> bool:
    kind, _, key = mutant.part.partition(" ")
    return kind == "keyword" and key not in _parameters(mutant.symbol)


def _is_unreached(mutant: Mutant) -> bool:
    """Whether every call by place gets the text that the row gives it."""
    parameters = _parameters(mutant.symbol)
    for count in range(mutant.row.positional, len(parameters) + 1):
        given = [f"a{i}" for i in range(count)]
        for more in ((), mutant.row.required):
            rest = [f"{p}={p}" for p in more if p not in parameters[:count]]
            call = f"{mutant.symbol}({', '.join((*given, *rest))})"
            text = f"import tensorflow as tf\ntf.log(1.0)\nvalue = {call}\n"
            good = migrate_text(text).text
            with planted(mutant):
                if migrate_text(text).text != good:
                    return False
    return mutant.part == "positional"


def _is_ignored(one: str, two: str) -> Callable[[Mutant], bool]:
    """Whether an argument, by which two cases differ, changes the result in neither version."""
    return lambda mutant: (
        mutant.part.partition(" ")[2] in one
        and RECORDED[one] == RECORDED[two]
        and not is_killed_by(mutant, one)
    )


def _is_refused(mutant: Mutant) -> bool:
    """Whether TensorFlow 1.15.5 refuses calls without an argument, and TF2's function too."""
    function = f"{mutant.symbol}("
    lost = mutant.part.removeprefix("required ")
    calls = [
        case
        for case, pattern in row_cases.FAILURES.items()
        if pattern is None and case.startswith(function) and f"{lost}=" not in case
    ]
    texts = [changed_text(mutant, case) for case in calls]
    return bool(texts) and all(
        text and result_of(case, text) == RECORDED[case] == {"raises": "any"}
        for case, text in zip(calls, texts, strict=True)
    )


_NO_PARAMETER = Reason("TF1's function has no such parameter", _has_no_parameter)
_UNREACHED = Reason("no call by place gets another text", _is_unreached)
_REFUSED = Reason("both functions refuse such a call", _is_refused)
_SINGLE = "tf.parse_single_example(b'', {'a': tf.FixedLenFeature([], tf.int64)}"
_NO_NAMES = "nothing shows the names of single examples"
_MOMENTS = "tf.stack(tf.nn.moments(tf.constant(x), [1]"
EQUAL: dict[str, Reason] = {
    "tf.arg_max: keyword axis": _NO_PARAMETER,
    "tf.arg_min: keyword axis": _NO_PARAMETER,
    "tf.device: keyword device_name": _NO_PARAMETER,
    "tf.string_to_number: positional": _UNREACHED,
    "tf.string_to_hash_bucket: positional": _UNREACHED,
    "tf.nn.l2_normalize: positional": _UNREACHED,
    "tf.nn.conv1d: positional": _UNREACHED,
    "tf.nn.conv2d: positional": _UNREACHED,
    **{
        f"tf.nn.{name}_cross_entropy_with_logits: positional": _UNREACHED
        for name in ("softmax", "sparse_softmax", "sigmoid")
    },
    **{
        f"tf.nn.sigmoid_cross_entropy_with_logits: required {key}": _REFUSED
        for key in ("labels", "logits")
    },
    "tf.nn.moments: keyword shift": Reason(
        "both functions ignore it",
        _is_ignored(f"{_MOMENTS}, shift=3.0))", f"{_MOMENTS}))"),
    ),
    **{
        f"tf.{module}parse_single_example: {part}": Reason(
            _NO_NAMES, _is_ignored(f"{_SINGLE}, {given})['a']", f"{_SINGLE})['a']")
        )
        for module in ("", "io.")
        for part, given in (
            ("positional", "'r'"),
            ("keyword example_names", "example_names='first'"),
        )
    },
}


# -- all of them ------------------------------------------------------------------------


def every_mutant(chosen: Sequence[str] = ()) -> Iterator[Mutant]:
    """Mutants of all rows, or of some, that mean something else."""
    for name, row in CALLS.items():
        if not chosen or name in chosen:
            yield from (m for m in mutants(row) if str(m) not in EQUAL)


def survivors(chosen: Sequence[str] = ()) -> Iterator[Mutant]:
    """Those of them that nobody notices."""
    return (m for m in every_mutant(chosen) if find_killer(m) is None)


def killed_by() -> dict[str, str]:
    """The recorded list: mutant -> the case that kills it."""
    found: dict[str, str] = json.loads(KILLED_BY.read_text("utf-8"))
    return found


def record(chosen: Sequence[str] = ()) -> list[Mutant]:
    """Writes the list anew, or the rows chosen of it; returns the survivors."""
    known = killed_by() if chosen else {}
    left, found = [], {}
    for mutant in every_mutant():
        if chosen and mutant.symbol not in chosen:
            case = known.get(str(mutant))
        else:
            case = find_killer(mutant)
            left += [mutant] if case is None else []
        if case is not None:
            found[str(mutant)] = case
    lines = [f"{json.dumps(name)}: {json.dumps(case)}" for name, case in found.items()]
    KILLED_BY.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    return left


def main(arguments: Sequence[str]) -> int:
    found = 0
    chosen = [a for a in arguments if a != "--record"]
    for mutant in record(chosen) if "--record" in arguments else survivors(chosen):
        found += 1
        print(mutant, flush=True)
    print(f"{found} mutants survive")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Cases of the tests themselves, as programs that may tell a wrong table.

    test migrate/tables/test_parameters.py::test_parameters_are_those_of_tensorflow_1[hooks]

is the case of a test with these values. Only tests that need no fixture, no TensorFlow and no
process are taken; each of them runs in every run of `pytest`, so that its failure is noticed
there.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import inspect
import io
import itertools
import os
import pathlib
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any
from unittest import mock

import pytest

TESTS = pathlib.Path(__file__).parents[1]
# What no case may do here.
_FORBIDDEN = ((subprocess, "Popen"), (os, "fork"), (os, "system"))
_MARKS = ("parametrize", "timeout")
# Longer values are named by their digest.
_SHOWN = 60


class Refused(Exception):
    """A case does what it may not."""


def _refuse(*given: object, **named: object) -> None:
    raise Refused


@contextlib.contextmanager
def _without_tensorflow() -> Iterator[None]:
    """Inside, TensorFlow cannot be imported: it would take longer than all cases."""
    before = sys.modules.get("tensorflow")
    sys.modules["tensorflow"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["tensorflow"]
        if before is not None:
            sys.modules["tensorflow"] = before


def _values(mark: pytest.Mark) -> list[dict[str, Any]]:
    """The arguments that a mark gives, for each of its cases."""
    names, cases = mark.args[:2]
    keys = names.replace(" ", "").split(",") if isinstance(names, str) else [*names]
    found = []
    for case in cases:
        given = (
            case.values if hasattr(case, "values") and hasattr(case, "marks") else None
        )
        if given is None:
            given = (case,) if len(keys) == 1 else case
        found.append(dict(zip(keys, given)))
    return found


def _cases(function: Callable[..., None]) -> list[dict[str, Any]]:
    """The arguments of a test's cases; none if it needs more than its marks give."""
    marks: Sequence[pytest.Mark] = getattr(function, "pytestmark", ())
    if any(mark.name not in _MARKS for mark in marks):
        return []
    lists = [_values(mark) for mark in marks if mark.name == "parametrize"]
    found = [
        {k: v for one in group for k, v in one.items()}
        for group in itertools.product(*lists)
    ]
    needed = {*inspect.signature(function).parameters}
    return found if found and needed == {*found[0]} else []


def _name_value(value: object, place: int) -> str:
    """A value in the name of its case: others before it do not change the name."""
    if not isinstance(value, (str, int, float, type(None))):
        return f"#{place}"
    shown = repr(value)[1:-1] if isinstance(value, str) else repr(value)
    if len(shown) <= _SHOWN and " " not in shown:
        return shown
    return "~" + hashlib.sha256(shown.encode()).hexdigest()[:10]


@functools.cache
def _named_cases(function: Callable[..., None]) -> dict[str, dict[str, Any]]:
    """The cases of a test by their names."""
    return {
        "-".join(_name_value(value, place) for value in given.values()): given
        for place, given in enumerate(_cases(function))
    }


@functools.cache
def _module(file: str) -> Any:
    importlib.import_module(
        "migrate.compiler"
    )  # Before its parts: they import one another.
    with _without_tensorflow():
        return importlib.import_module(
            "tests." + file.removesuffix(".py").replace("/", ".")
        )


def list_cases(file: str) -> Iterator[str]:
    """The names of a file's cases; none if it cannot be imported here."""
    try:
        module = _module(file)
    except (Exception, pytest.skip.Exception):
        return
    if hasattr(module, "pytestmark"):
        return
    for name, value in vars(module).items():
        if name.startswith("test_") and inspect.isfunction(value):
            for case in _named_cases(value):
                yield f"test {file}::{name}[{case}]"


def files() -> list[str]:
    """Tests that may have such cases."""
    found = []
    for path in sorted((TESTS / "migrate").rglob("test_*.py")):
        text = path.read_text("utf-8")
        if "processes" not in text and "run_program" not in text:
            found.append(str(path.relative_to(TESTS)))
    return found


def passes(name: str) -> bool:
    """Whether a case passes in this process.

    Raises:
      Refused: it starts a process.
    """
    file, _, rest = name.removeprefix("test ").partition("::")
    function, _, case = rest.removesuffix("]").partition("[")
    test = getattr(_module(file), function)
    given = _named_cases(test)[case]
    with contextlib.ExitStack() as stack:
        for owner, attribute in _FORBIDDEN:
            stack.enter_context(mock.patch.object(owner, attribute, _refuse))
        stack.enter_context(_without_tensorflow())
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
        try:
            test(**given)
        except Refused:
            raise
        except (Exception, pytest.fail.Exception, pytest.skip.Exception):
            return False
    return True

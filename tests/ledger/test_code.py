"""The digest of a test's code changes with what the test runs, and with nothing else."""

from __future__ import annotations

import ast
import importlib
import pathlib
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.ledger import code

HELPER = '''\
"""A helper."""

TOLERANCE = 1e-6
UNUSED = 1
TABLE = {
    "one": ("first", 1),
    "two": ("one", 2),
    "three": ("third", 3),
}


def compare(a, b):
    """Compares."""
    return abs(a - b) <= TOLERANCE  # Of order 1.


def unused():
    return UNUSED
'''
TEST = """\
import pytest

from tests import planted_helper as helper
from tests.planted_helper import TABLE


@pytest.mark.parametrize("name", TABLE)
def test_it(name):
    assert helper.compare(TABLE[name][1], 1)
"""


@pytest.fixture
def root(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Writes the two modules, something of them replaced; gives the digest for a name."""
    (tmp_path / "tests").mkdir()
    monkeypatch.setattr(code, "ROOT", tmp_path)

    def digest(name: str, old: str = "", new: str = "") -> str:
        for file, text in (("helper", HELPER), ("test", TEST)):
            path = tmp_path / "tests" / f"planted_{file}.py"
            path.write_text(text.replace(old, new) if old else text)
        for cache in (code._path_of, code._module, code._without_comments):
            cache.cache_clear()
        module = "tests.planted_test"
        sys.modules.pop(module, None)
        spec = importlib.util.spec_from_loader(module, loader=None)
        assert spec is not None
        made = importlib.util.module_from_spec(spec)
        exec("def test_it(name): ...", made.__dict__)
        return code.code_of([made.__dict__["test_it"]], [name]).digest

    yield digest
    for cache in (code._path_of, code._module, code._without_comments):
        cache.cache_clear()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  # Of order 1.", "  # Of any order."),
        ('"""Compares."""', '"""Says whether two numbers are near."""'),
        ("return UNUSED", "return -UNUSED"),
        ('("third", 3)', '("third", 4)'),
        ('"name", TABLE', '"name", ["one"]'),
    ],
)
def test_what_is_not_run_changes_nothing(root: Any, old: str, new: str) -> None:
    assert root("one", old, new) == root("one")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("1e-6", "1e-2"),
        ("abs(a - b)", "abs(a + b)"),
        ('("first", 1)', '("first", 2)'),
        ("[name][1], 1)", "[name][1], 2)"),
    ],
)
def test_what_is_run_does(root: Any, old: str, new: str) -> None:
    assert root("one", old, new) != root("one")


def test_an_entry_leads_to_the_one_that_it_names(root: Any) -> None:
    change = ('("first", 1)', '("first", 2)')
    assert root("two", *change) != root("two")
    assert root("three", *change) == root("three")


def test_no_test_keeps_what_it_migrated_or_started() -> None:
    """Else rows would depend on the order of tests: which one does it first."""
    found = {}
    for path in sorted((code.ROOT / "tests").rglob("*.py")):
        tree = ast.parse(path.read_bytes())
        for node in tree.body:
            if isinstance(node, ast.FunctionDef) and any(
                ast.unparse(d).startswith("functools.") for d in node.decorator_list
            ):
                module = ".".join(path.relative_to(code.ROOT).with_suffix("").parts)
                reached = code.texts_of(module, node.name)
                found[f"{module}.{node.name}"] = any(
                    re.search(r"\bdef run_(tasks|program)\(|\bmigrate_text\(", text)
                    for text in reached
                )
    assert "tests.ledger.code._path_of" in found  # It finds them.
    assert not [name for name, is_kept in found.items() if is_kept]


def test_a_module_is_described_by_its_name() -> None:
    """Its path is another one in each checkout."""
    assert code.describe((code,)) == "(tests.ledger.code)"

"""Checks that `fit` and Estimators have the same text in their two modules."""

from __future__ import annotations

import ast
import pathlib

import pytest

import migrate

SUPPORT = pathlib.Path(migrate.__file__).parent / "support"
PAIRS = (
    ("estimator_inputs.py", ("estimator_loop/inputs.py",)),
    (
        "estimator_exports.py",
        ("estimator_loop/export.py", "estimator_loop/exporters.py"),
    ),
)


def _read(*names: str) -> dict[str, str]:
    """Functions and classes of modules, by name."""
    return {
        node.name: ast.dump(node)
        for name in names
        for node in ast.parse((SUPPORT / name).read_text()).body
        if isinstance(node, (ast.FunctionDef, ast.ClassDef))
    }


@pytest.mark.parametrize("one, others", PAIRS, ids=["inputs", "exports"])
def test_both_are_the_same(one: str, others: tuple[str, ...]) -> None:
    """The faithful form has its own copy, so that it is left as it was proved."""
    mine, theirs = _read(one), _read(*others)
    assert len(mine) > 5
    assert {name for name in mine if mine[name] != theirs.get(name)} == set()

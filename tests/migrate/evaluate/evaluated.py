"""Evaluates small programs for tests."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping

from migrate.evaluate.configuration import Configuration
from migrate.evaluate.machine import Machine
from migrate.evaluate.program import evaluate_program
from migrate.evaluate.store import MISSING
from migrate.graph.values import Value
from migrate.load.tree import Texts, Tree
from migrate.tfmodel.library import tensorflow


def evaluate(
    text: str,
    configuration: Configuration | None = None,
    others: Mapping[str, str] | None = None,
) -> Machine:
    """The machine after a program; `others` are modules beside it."""
    texts = {"program.py": textwrap.dedent(text), **(others or {})}
    tree = Tree(Texts(texts), "program.py")
    return evaluate_program(tree, configuration or Configuration(), tensorflow())


def read(m: Machine, name: str) -> Value:
    """Reads a global of the program at its end."""
    module = m.store.get(("module", "program.py"))
    value = m.read((module.number, name))
    assert value is not MISSING, name
    assert isinstance(value, Value)
    return value

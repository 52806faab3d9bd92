"""Evaluates a program as one recorded run went: its arguments, and how its tests came out."""

from __future__ import annotations

import pathlib

from migrate.evaluate.configuration import Configuration
from migrate.evaluate.machine import Machine
from migrate.evaluate.program import evaluate_program
from migrate.graph.values import VariableValue
from migrate.load.tree import Directory, Tree
from migrate.tfmodel.library import tensorflow
from reference.genuine.record import Projected


def configuration(projected: Projected) -> Configuration:
    """The circumstances of a recorded run."""
    lines = {
        file: tuple((first, last) for first, last in ranges)
        for file, ranges in projected.get("lines", {}).items()
    }
    return Configuration(
        flags=True, arguments=tuple(projected.get("arguments", ())), lines=lines
    )


def collections_of(m: Machine) -> dict[int, list[str]]:
    """Maps each variable to its collections at the end, except those a test decides."""
    found: dict[int, set[str]] = {}
    for key, members in m.store.list_items():
        if isinstance(key, tuple) and key[1:2] == ("collection",):
            for member in members if isinstance(members, tuple) else ():
                if isinstance(member, VariableValue):
                    found.setdefault(member.number, set()).add(str(key[2]))
    return {number: sorted(names) for number, names in found.items()}


def evaluate(root: pathlib.Path, path: str, projected: Projected) -> Machine:
    """The evaluation of a program below a directory."""
    tree = Tree(Directory(root), path)
    return evaluate_program(tree, configuration(projected), tensorflow())

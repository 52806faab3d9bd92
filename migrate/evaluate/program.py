"""The evaluation of a whole program, from the file that is started."""

from __future__ import annotations

import sys

from migrate.evaluate import imports
from migrate.evaluate.configuration import Configuration
from migrate.evaluate.library import Library
from migrate.evaluate.machine import Machine, TooMuch
from migrate.graph.record import Problem
from migrate.load.tree import Tree

# A chain of a hundred calls is nested a hundred times, and each time the evaluator is ten functions deep.
_DEEPEST = 6_000


def evaluate_program(
    tree: Tree, configuration: Configuration, library: Library
) -> Machine:
    """Evaluates the program and returns the machine, whose record has all findings.

    Nothing that a program does raises here: what cannot be evaluated is a problem of
    the record.
    """
    m = Machine(tree, configuration, library)
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, _DEEPEST))
    try:
        name = "__main__" if configuration.main else ""
        imports.run_module(m, tree.start, tree.start.removesuffix(".py"), name)
    except TooMuch:
        m.record.problems.append(
            Problem("the evaluation takes too many steps", m.make_origin())
        )
    except RecursionError:
        m.record.problems.append(
            Problem("the program is nested too deeply", m.make_origin())
        )
    finally:
        sys.setrecursionlimit(limit)
    return m

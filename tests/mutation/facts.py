"""Checks the tables against observations of Python and of both TensorFlows.

    fact effects of calls

is such a fact. It is no program: it reads a whole table, and lists what contradicts the
observations. A wrong part is noticed if a contradiction appears.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from tests.mutation import genuine_names

PREFIX = "fact "
# What only tells that a name exists: a row that is gone is not noticed.
NAMES = "spelling"
_HOME = "tests.mutation."
# Fact -> the module and function that tell what contradicts it, the tables that it is about.
# What is more than that a name exists stands first.
FACTS: dict[str, tuple[str, tuple[str, ...]]] = {
    "effects of calls": ("host_calls.find_contradictions", ("host_effects",)),
    **{
        f"{name} of Python": (
            f"python_objects.find_wrong_{name}",
            ("host_effects", "worker_state"),
        )
        for name in ("builtins", "functions", "methods", "operators")
    },
    "what calls give": ("graph_calls.find_others_than_tensors", ("one_tensor",)),
    "names of operations": ("graph_calls.find_other_names", ("named_tensors",)),
    "shapes of calls": ("graph_calls.find_other_shapes", ("one_element",)),
    "numbers of arrays": ("graph_calls.find_other_numbers", ("one_element",)),
    "parameters of contrib's functions": (
        "signatures_of_rows.find_wrong_calls",
        ("contrib",),
    ),
    "parameters of contrib's layers": (
        "signatures_of_rows.find_wrong_layers",
        ("keras_contrib",),
    ),
    "names of contrib's layers": (
        "signatures_of_rows.find_wrong_names_of_layers",
        ("keras_contrib",),
    ),
    "parameters of hooks": ("signatures_of_rows.find_wrong_hooks", ("callbacks",)),
    "parameters of Estimators": (
        "signatures_of_rows.find_wrong_estimators",
        ("keras_fit",),
    ),
    "package of Estimators": (
        "signatures_of_rows.find_other_packages",
        ("graph_estimators",),
    ),
    **{
        f"{what} of TensorFlow": (f"of_behaviour.find_wrong_{name}", tables)
        for what, name, tables in (
            ("makers of variables", "makers", ("direct_savers",)),
            ("layers", "layers", ("keras_contrib", "keras_models", "layers")),
            ("streaming metrics of contrib", "streaming", ("contrib_metrics",)),
            ("metrics of graphs", "metrics_of_graphs", ("contrib_graph",)),
            ("metrics of compat", "metrics_of_compat", ("graph_mode",)),
            ("totals of metrics", "totals", ("streaming_metrics",)),
            ("queues", "queues", ("queues",)),
            ("partitioners", "partitioners", ("partitioners",)),
            ("cells", "cells", ("recurrent",)),
            ("methods of Estimators", "methods", ("keras_fit",)),
            ("first values", "initializers", ("first_values",)),
            ("rates of optimizers", "rates", ("optimizers",)),
            (
                "training of contrib",
                "training_of_contrib",
                ("contrib_training",),
            ),
            ("modes of hooks", "modes", ("callbacks",)),
            ("rows of hooks", "rows_of_hooks", ("hooks",)),
            ("supervisors", "supervisors", ("supervisor",)),
            ("scaffolds", "scaffolds", ("scaffolds",)),
            ("strings of Keras", "strings", ("compiled_keras",)),
            ("weights", "weights", ("keras_models",)),
            ("places of arguments", "places", ("roles",)),
            ("places of names", "place_of_name", ("named_tensors",)),
            ("collections of updates", "update_ops", ("estimator",)),
            ("words of modes", "words_of_modes", ("host_effects",)),
        )
    },
    **{
        f"{NAMES} in {table}": ("genuine_names.find_misspelt", (table,))
        for table in genuine_names.TABLES
    },
}
# Facts that ask the tool, which has to be imported anew with a wrong table: of others the
# table alone is.
OF_TOOL = frozenset({"effects of calls", "methods of Python", "shapes of calls"})


def _find(name: str) -> Callable[[], list[str]]:
    module, _, function = FACTS[name.removeprefix(PREFIX)][0].partition(".")
    found: Any = getattr(importlib.import_module(_HOME + module), function)
    return found  # type: ignore[no-any-return]


def names() -> list[str]:
    """All facts, as programs are called."""
    return [PREFIX + name for name in FACTS]


def about(table: str, of_tool: bool) -> list[str]:
    """The facts about a table, that ask the tool or do not."""
    return [
        PREFIX + name
        for name, (_, tables) in FACTS.items()
        if table in tables and (name in OF_TOOL) is of_tool
    ]


def find_contradictions(name: str) -> list[str]:
    """Finds the parts of tables that contradict a fact."""
    if name.startswith(f"{PREFIX}{NAMES} in "):
        return genuine_names.find_misspelt(name.rpartition(" ")[2])
    return _find(name)()


def holds(name: str) -> bool:
    """Whether nothing contradicts a fact, nor keeps it from being looked at."""
    try:
        return not find_contradictions(name)
    except Exception:
        return False

"""Declares the options that the user chose for a run."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from migrate.emitted import find_module
from migrate.tree import Tree

# What trains the model of a model_fn; "keras" is the older name of "estimator".
ESTIMATORS = ("estimator", "fit", "model_fn", "keras")
# What a refused program may become.
FALLBACKS = ("compat",)
# Where the modules stand that results import: beside them, or in an installed package.
RUNTIMES = ("beside", "package")
STRATEGIES = ("auto", "parameter-server", "multi-worker-mirrored", "mirrored")


@dataclasses.dataclass(frozen=True)
class Options:
    """The choices that change what is written, and the tree that they hold for."""

    strategy: str = "auto"
    # Codes (or prefixes of codes: "S", "S1") that are told; empty means all.
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    # Whether Python 2 sources are first brought to Python 3.
    python2: bool = False
    # "fit": a model_fn that can be a Keras model becomes one, which `Model.fit` trains,
    # where it can; "estimator": which an Estimator trains; "model_fn": all stay.
    estimators: str = "fit"
    # Whether the refusals of a file are written into it, as comments.
    notes: bool = False
    # "compat": a refused program is brought to graph mode through tf.compat.v1.
    fallback: str = ""
    # "package": results import from `tf1to2_runtime`, and nothing is written beside them.
    runtime: str = "beside"
    tree: Tree = Tree()
    # Emitted modules of the result that is migrated again: they are not written yet.
    written: frozenset[str] = frozenset()

    @property
    def makes_models(self) -> bool:
        """Whether a model_fn becomes a Keras model where it can."""
        return self.estimators != "model_fn"

    def prepare_second_run(self, support: Iterable[str]) -> Options:
        """The options to migrate a result again, which has these files beside it."""
        return dataclasses.replace(self, written=frozenset(map(find_module, support)))

    def reports(self, code: str) -> bool:
        """Whether the user wants to know of a code."""
        if self.ignore and code.startswith(self.ignore):
            return False
        return not self.select or code.startswith(self.select)

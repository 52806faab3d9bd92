"""What the compiler takes and gives for one source text; no disk, no bytes."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from migrate.facts.homes import Home
from migrate.findings import Finding
from migrate.parts.program import Parts
from migrate.program.keras_model import SharedModels

# What a model_fn becomes where it can be either.
ESTIMATORS = ("keras", "model_fn")
STRATEGIES = ("auto", "parameter-server", "multi-worker-mirrored", "mirrored")


@dataclasses.dataclass(frozen=True)
class Options:
    """The user's choices that change what is written."""

    strategy: str = "auto"
    # Codes (or prefixes of codes: "S", "S1") that are acted upon; empty means all.
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    # Real paths of modules in which Estimator programs of the same run build graphs;
    # and whether the file at hand is one, which the compiler finds.
    graph_modules: frozenset[str] = frozenset()
    in_graph: bool = False
    # Of session programs, by their real path: functions of other modules that build graphs,
    # as the program spells them -> whether they name layers by default; and those of the
    # file at hand.
    graph_imports: Mapping[str, Mapping[str, bool]] = dataclasses.field(
        default_factory=dict
    )
    # Real paths of files that programs with sessions import.
    of_session_programs: frozenset[str] = frozenset()
    # Whether the file at hand may be a library, whose callers are not known.
    library: bool = True
    graph_calls: Mapping[str, bool] = dataclasses.field(default_factory=dict)
    # Real paths of files whose Estimator programs run tf.GraphKeys.UPDATE_OPS in one of
    # their files; and whether the file at hand is one.
    updating_modules: frozenset[str] = frozenset()
    updates: bool = False
    # Of files that take TensorFlow from another file of the run, by their real path: line
    # -> (what stands there, the import that it means).
    reexports: Mapping[str, dict[int, tuple[str, str]]] = dataclasses.field(
        default_factory=dict
    )
    # Of files that take names of TensorFlow from others unseen, by their real path: line
    # of the import -> (what stands there, why it is not followed).
    hidden: Mapping[str, dict[int, tuple[str, str]]] = dataclasses.field(
        default_factory=dict
    )
    # Of files whose emitted modules do not go simply beside them: by their real path.
    homes: Mapping[str, Home] = dataclasses.field(default_factory=dict)
    # Model functions that files have together, by their real path; and those of the file
    # at hand, which the compiler finds.
    models: Mapping[str, SharedModels] = dataclasses.field(default_factory=dict)
    shared_models: SharedModels = SharedModels()
    # Hooks that other files of the run name too, by the real path of their file.
    shared_hooks: Mapping[str, frozenset[str]] = dataclasses.field(default_factory=dict)
    # Programs of the run whose graph is built by other files of it.
    parts: Parts = dataclasses.field(default_factory=Parts)
    # Whether Python 2 sources are first brought to Python 3.
    python2: bool = False
    # "keras": a model_fn that can be a Keras model becomes one; "model_fn": all stay.
    estimators: str = "keras"

    def reports(self, code: str) -> bool:
        """Whether the user wants to know of a code."""
        if self.ignore and code.startswith(self.ignore):
            return False
        return not self.select or code.startswith(self.select)


@dataclasses.dataclass(frozen=True)
class Migration:
    """The result for one source text.

    Attributes:
      text: the new text; equal to the input where nothing is to be changed.
      findings: every TF1 construct met, in source order.
      support: names of the support modules (files of `migrate/support/`) that
        the new text imports, to be written beside it, e.g. ("plain_session.py",).
    """

    text: str
    findings: Sequence[Finding] = ()
    support: Sequence[str] = ()

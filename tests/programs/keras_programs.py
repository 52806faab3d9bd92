"""Small Estimator programs that become Keras models, and what TensorFlow 1.15.5 computed.

`python -m tests.programs.keras_programs` runs them under TensorFlow 1.15.5 and records
that.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pathlib
import tempfile

import numpy as np

from reference.compare import Array
from reference.environment import find_tf1
from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "keras_models"
# A program whose model functions are of other files.
TREE_HERE = pathlib.Path(__file__).parent / "keras_trees"


@dataclasses.dataclass(frozen=True)
class KerasProgram(Variant):
    """A module of `keras_models`."""

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


PROGRAMS = (
    KerasProgram("builders", 1e-5, "newer Eigen rounds roots and divisions otherwise"),
    KerasProgram("by_mode", 2e-6, "exp differs by an ULP"),
    KerasProgram("iris", 2e-6, "exp differs by an ULP"),
    KerasProgram("plain_values", 5e-6, "Adam divides by roots of small squares"),
    KerasProgram("rates", 2e-6, "exp differs by an ULP"),
    KerasProgram("twice", 1e-5, "exp differs by an ULP, and Adam divides by small roots"),
)


@dataclasses.dataclass(frozen=True)
class KerasTree(KerasProgram):
    """A program of `keras_trees`, and the files that it imports."""

    @property
    def path(self) -> pathlib.Path:
        return TREE_HERE / f"{self.name}.py"

    @property
    def files(self) -> list[pathlib.Path]:
        return sorted(TREE_HERE.rglob("*.py"))


TREE = KerasTree("together", 2e-6, "exp differs by an ULP")


_RECORDINGS = Recordings(HERE, (*PROGRAMS, TREE), __name__)
recorded = _RECORDINGS.read


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary) / "work"
        found = variants.run(PROGRAMS, str(python), HERE, work, preloaded=False)
        work = pathlib.Path(temporary) / "tree"
        found |= variants.run((TREE,), str(python), TREE_HERE, work, preloaded=False)
    _RECORDINGS.write(found)


if __name__ == "__main__":
    main()

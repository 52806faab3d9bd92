"""Small Estimator programs that become Keras models, and what TensorFlow 1.15.5 computed.

`python -m tests.programs.keras_programs` runs them under TensorFlow 1.15.5 and records
that.
"""

from __future__ import annotations

import functools
import pathlib

from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Tree, Variant

HERE = pathlib.Path(__file__).parent / "keras_models"
# A program whose model functions are of other files.
TREE_HERE = pathlib.Path(__file__).parent / "keras_trees"


_program = functools.partial(Variant, directory=HERE)
PROGRAMS = (
    _program("branches", 5e-6, "Adam divides by roots of small squares"),
    _program("builders", 1e-5, "newer Eigen rounds roots and divisions otherwise"),
    _program("by_mode", 2e-6, "exp differs by an ULP"),
    _program("chosen", 5e-6, "Adam divides by roots of small squares"),
    _program("iris", 2e-6, "exp differs by an ULP"),
    _program("plain_values", 5e-6, "Adam divides by roots of small squares"),
    _program("rates", 2e-6, "exp differs by an ULP"),
    _program("warm_ups", 5e-6, "Adam divides by roots of small squares"),
    _program("twice", 1e-5, "exp differs by an ULP, and Adam divides by small roots"),
)


TREE = Tree("together", 2e-6, "exp differs by an ULP", directory=TREE_HERE)

RECORDINGS = Recordings(HERE, (*PROGRAMS, TREE), __name__)
recorded = RECORDINGS.read


if __name__ == "__main__":
    variants.record(RECORDINGS, PROGRAMS, (TREE,))

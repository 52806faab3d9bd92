"""Compiled Keras models made Estimators, and what TensorFlow 1.15.5 computed with them.

`python -m tests.programs.compiled_keras_programs` runs them under TensorFlow 1.15.5 and
records that.
"""

from __future__ import annotations

import functools
import pathlib

from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "compiled_keras"


_program = functools.partial(Variant, directory=HERE)
PROGRAMS = (
    _program("sequential", 5e-6, "exp differs by an ULP, and Adam divides by roots"),
    _program("functional", 2e-6, "exp differs by an ULP"),
    _program("tf1_optimizer", 2e-6, "newer Eigen rounds roots otherwise"),
)


RECORDINGS = Recordings(HERE, PROGRAMS, __name__)
recorded = RECORDINGS.read


if __name__ == "__main__":
    variants.record(RECORDINGS, PROGRAMS)

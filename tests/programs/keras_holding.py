"""Estimator programs whose models hold tables or objects, and TensorFlow 1.15.5's results.

They become Keras models. `python -m tests.programs.keras_holding` runs those that have
changed under TensorFlow 1.15.5, and records that.
"""

from __future__ import annotations

import functools
import pathlib

from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "keras_holding"


_program = functools.partial(Variant, directory=HERE)
PROGRAMS = (
    _program("objects_around", 5e-6, "Adam divides by roots of small squares"),
    _program("own_variables", 5e-6, "exp differs by an ULP; newer Eigen rounds roots"),
    _program("vocabularies", 5e-6, "exp differs by an ULP; newer Eigen rounds roots"),
)


RECORDINGS = Recordings(HERE, PROGRAMS, __name__)
recorded = RECORDINGS.read


if __name__ == "__main__":
    variants.record(RECORDINGS, PROGRAMS)

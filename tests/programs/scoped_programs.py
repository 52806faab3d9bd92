"""Estimator programs whose loops make layers and variables in scopes.

They become Keras models. `python -m tests.programs.scoped_programs` runs them under
TensorFlow 1.15.5 and records what it computed.
"""

from __future__ import annotations

import functools
import pathlib

from reference import checkpoints
from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "scoped"


_program = functools.partial(Variant, directory=HERE)
_ADAM = "Adam divides by roots of small squares"

PROGRAMS = (
    _program("tasks", 5e-6, "Adagrad divides by roots, and exp differs by an ULP"),
    _program("text_cnn", 2e-5, _ADAM),
    _program("text_filters", 5e-6, "sums of a batch add in another order"),
)
# Goes on from what TensorFlow 1.15.5 saved, after so many steps.
SAVED, SAVED_STEP = HERE / "saved", 15
RESUMED = _program("towers", 2e-5, _ADAM)
EVERY = (*PROGRAMS, RESUMED)

RECORDINGS = Recordings(HERE, EVERY, __name__)
recorded = RECORDINGS.read


def _keep(program: Variant, run: pathlib.Path) -> None:
    if program is RESUMED:
        checkpoints.copy(checkpoints.files(run, SAVED_STEP), SAVED)


if __name__ == "__main__":
    variants.record(RECORDINGS, EVERY, keep=_keep)

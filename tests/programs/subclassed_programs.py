"""Estimator programs whose networks have variables, and what TensorFlow 1.15.5 computed.

They become subclassed Keras models. `python -m tests.programs.subclassed_programs` runs
them under TensorFlow 1.15.5 and records that.
"""

from __future__ import annotations

import functools
import pathlib

from reference import checkpoints
from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "subclassed"


_program = functools.partial(Variant, directory=HERE)
_EIGEN = "newer Eigen rounds roots and divisions otherwise"

PROGRAMS = (
    _program("contrib_tower", 2e-5, "slots and losses are up to 10; " + _EIGEN),
    _program("crossing", 2e-5, "Adam divides by roots of small squares"),
    _program("factors", 2e-6, "exp differs by an ULP"),
    _program("hooked", 1e-6, "exp differs by an ULP"),
    _program("tagged", 2e-6, "exp differs by an ULP"),
    _program("mixed", 2e-6, "exp differs by an ULP; " + _EIGEN),
)
# Several devices in a process: these have to be made before TensorFlow is in use.
DEVICES = (
    _program("wide_deep", 5e-6, "tanh differs by an ULP; " + _EIGEN),
    _program("summed", 5e-6, "losses are sums, up to 20; " + _EIGEN),
)
# Goes on from what TensorFlow 1.15.5 saved, after so many steps.
SAVED, SAVED_STEP = HERE / "saved", 15
RESUMED = _program("resumed", 2e-5, "Adam divides by roots of small squares")
EVERY = (*PROGRAMS, *DEVICES, RESUMED)


RECORDINGS = Recordings(HERE, EVERY, __name__)
recorded = RECORDINGS.read


def _keep(program: Variant, run: pathlib.Path) -> None:
    if program is RESUMED:
        checkpoints.copy(checkpoints.files(run, SAVED_STEP), SAVED)


if __name__ == "__main__":
    variants.record(RECORDINGS, (*PROGRAMS, RESUMED), DEVICES, keep=_keep)

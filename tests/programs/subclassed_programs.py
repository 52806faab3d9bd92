"""Estimator programs whose networks have variables, and what TensorFlow 1.15.5 computed.

They become subclassed Keras models. `python -m tests.programs.subclassed_programs` runs
them under TensorFlow 1.15.5 and records that.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pathlib
import tempfile

import numpy as np

from reference import checkpoints
from reference.compare import Array
from reference.environment import find_tf1
from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "subclassed"


@dataclasses.dataclass(frozen=True)
class SubclassedProgram(Variant):
    """A module of `subclassed`."""

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


_EIGEN = "newer Eigen rounds roots and divisions otherwise"

PROGRAMS = (
    SubclassedProgram("contrib_tower", 2e-5, "slots and losses are up to 10; " + _EIGEN),
    SubclassedProgram("crossing", 2e-5, "Adam divides by roots of small squares"),
    SubclassedProgram("factors", 2e-6, "exp differs by an ULP"),
    SubclassedProgram("hooked", 1e-6, "exp differs by an ULP"),
    SubclassedProgram("mixed", 2e-6, "exp differs by an ULP; " + _EIGEN),
)
# Several devices in a process: these have to be made before TensorFlow is in use.
DEVICES = (
    SubclassedProgram("wide_deep", 5e-6, "tanh differs by an ULP; " + _EIGEN),
    SubclassedProgram("summed", 5e-6, "losses are sums, up to 20; " + _EIGEN),
)
# Goes on from what TensorFlow 1.15.5 saved, after so many steps.
SAVED, SAVED_STEP = HERE / "saved", 15
RESUMED = SubclassedProgram("resumed", 2e-5, "Adam divides by roots of small squares")
EVERY = (*PROGRAMS, *DEVICES, RESUMED)


_RECORDINGS = Recordings(HERE, EVERY, __name__)
recorded = _RECORDINGS.read


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    found: dict[str, Array] = {}
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        for number, group in enumerate(((*PROGRAMS, RESUMED), DEVICES)):
            found |= variants.run(group, str(python), HERE, work / str(number), False)
        saved = checkpoints.files(work / "0" / RESUMED.name, SAVED_STEP)
        checkpoints.copy(saved, SAVED)
    _RECORDINGS.write(found)


if __name__ == "__main__":
    main()

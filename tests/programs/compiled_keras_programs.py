"""Compiled Keras models made Estimators, and what TensorFlow 1.15.5 computed with them.

`python -m tests.programs.compiled_keras_programs` runs them under TensorFlow 1.15.5 and
records that.
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

HERE = pathlib.Path(__file__).parent / "compiled_keras"


@dataclasses.dataclass(frozen=True)
class CompiledProgram(Variant):
    """A module of `compiled_keras`."""

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


PROGRAMS = (
    CompiledProgram("sequential", 5e-6, "exp differs by an ULP, and Adam divides by roots"),
    CompiledProgram("functional", 2e-6, "exp differs by an ULP"),
    CompiledProgram("tf1_optimizer", 2e-6, "newer Eigen rounds roots otherwise"),
)


_RECORDINGS = Recordings(HERE, PROGRAMS, __name__)
recorded = _RECORDINGS.read


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary) / "work"
        found = variants.run(PROGRAMS, str(python), HERE, work, preloaded=False)
    _RECORDINGS.write(found)


if __name__ == "__main__":
    main()

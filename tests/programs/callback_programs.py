"""Estimator programs with hooks of their own, and what they print under TensorFlow 1.15.5.

Their hooks become callbacks of Keras. `python -m tests.programs.callback_programs` runs
them under TensorFlow 1.15.5 and records that.
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

HERE = pathlib.Path(__file__).parent / "callbacks"


@dataclasses.dataclass(frozen=True)
class CallbackProgram(Variant):
    """A module of `callbacks`; what it prints is compared letter by letter."""

    tolerance: float = 0.0
    reason: str = "numbers are printed with so many digits as are equal"

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


PROGRAMS = tuple(
    CallbackProgram(name)
    for name in (
        "best_checkpoint",
        "early_stopping",
        "examples_per_second",
        "learning_rate",
        "logger",
        "nan_guard",
        "progress_bar",
        "staying",
        "time_limit",
    )
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

"""Estimator programs whose parts come by stars, and what TensorFlow 1.15.5 computed.

`python -m tests.programs.keras_star_programs` runs them under TensorFlow 1.15.5 and
records that.
"""

from __future__ import annotations

import dataclasses
import pathlib

from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "keras_stars"


@dataclasses.dataclass(frozen=True)
class StarProgram(Variant):
    """A program of `keras_stars`, with all files that it may import."""

    directory: pathlib.Path = dataclasses.field(default=HERE, kw_only=True)

    @property
    def files(self) -> list[pathlib.Path]:
        return [self.path, *sorted(HERE.glob("sales/*.py"))]


PROGRAMS = (
    StarProgram(
        "sales_train", 5e-6, "Adagrad divides by roots, tanh differs by an ULP"
    ),
    StarProgram("sales_predict", 5e-6, "Adagrad divides by roots"),
)
RECORDINGS = Recordings(HERE, PROGRAMS, __name__)
recorded = RECORDINGS.read


if __name__ == "__main__":
    variants.record(RECORDINGS, PROGRAMS)

"""Estimator programs by what their networks and steps hold, and TensorFlow 1.15.5's results.

They become Keras models. `python -m tests.programs.keras_parts` runs those that have
changed under TensorFlow 1.15.5, and records that.
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

HERE = pathlib.Path(__file__).parent / "keras_parts"


@dataclasses.dataclass(frozen=True)
class KerasPart(Variant):
    """A module of `keras_parts`."""

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


PROGRAMS = (
    KerasPart("averaged", 5e-6, "exp differs by an ULP; newer Eigen rounds roots"),
    KerasPart(
        "contrib_stacks", 1e-5, "normalisations divide by roots of small variances"
    ),
    KerasPart("metric_functions", 5e-6, "Adam divides by roots of small squares"),
    KerasPart("recurrent", 5e-6, "Adam divides by roots of small squares"),
)


_RECORDINGS = Recordings(HERE, PROGRAMS, __name__)
recorded = _RECORDINGS.read


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    changed = _RECORDINGS.changed()
    new = tuple(p for p in PROGRAMS if p.name in changed)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary) / "work"
        found = variants.run(new, str(python), HERE, work, preloaded=False)
    _RECORDINGS.write(found)


if __name__ == "__main__":
    main()

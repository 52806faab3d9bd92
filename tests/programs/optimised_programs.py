"""Estimator programs whose updates stand in scopes, as optimize_loss's does.

They become Keras models. `python -m tests.programs.optimised_programs` runs them under
TensorFlow 1.15.5, records that, and keeps the checkpoints from half-way.
"""

from __future__ import annotations

import dataclasses
import pathlib

from reference import checkpoints
from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "optimised"


@dataclasses.dataclass(frozen=True)
class OptimisedProgram(Variant):
    """A module of `optimised`.

    Attributes:
      model_dirs: directories that its Estimators have.
    """

    model_dirs: tuple[str, ...] = ()
    directory: pathlib.Path = dataclasses.field(default=HERE, kw_only=True)


_ADAM = "Adam divides by roots of small squares"

PROGRAMS = (
    OptimisedProgram(
        "optimize_loss",
        5e-6,
        _ADAM,
        ("named", "clipped", "chosen", "class", "tensor", "instance"),
    ),
    OptimisedProgram(
        "scoped", 5e-6, _ADAM, ("variables", "names", "whole", "averaged")
    ),
)
# Alone, or with a parameter server.
CLUSTERED = OptimisedProgram("clustered", 5e-6, _ADAM)
EVERY = (*PROGRAMS, CLUSTERED)
# What TensorFlow 1.15.5 saved, after so many steps.
SAVED, SAVED_STEP = HERE / "saved", 5

RECORDINGS = Recordings(HERE, EVERY, __name__)
recorded = RECORDINGS.read


def _keep(program: Variant, run: pathlib.Path) -> None:
    for name in program.model_dirs if isinstance(program, OptimisedProgram) else ():
        files = checkpoints.files(run / name, SAVED_STEP)
        checkpoints.copy(files, SAVED / program.name / name)


if __name__ == "__main__":
    variants.record(RECORDINGS, EVERY, keep=_keep)

"""Estimator programs of methods and objects, and what TensorFlow 1.15.5 computed.

Each trains a few steps, saves, and goes on. `python -m tests.programs.model_objects` runs
those that have changed under TensorFlow 1.15.5 and records what came of it, and the checkpoints between: the
migrated programs go on from those.
"""

from __future__ import annotations

import functools
import pathlib
import shutil
import sys

import numpy as np

from reference import checkpoints, processes, runner
from reference.compare import Array
from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "model_objects"
SAVED = HERE / "saved"
SAVED_STEP = 5


_program = functools.partial(Variant, directory=HERE)
_ADAM = "Adam divides by roots of small squares"

PROGRAMS = (
    _program("classes", 1e-5, "exp differs by an ULP; newer Eigen rounds roots"),
    _program("kinds", 1e-5, "exp differs by an ULP; RMSProp divides by roots"),
    _program("mnist", 1e-5, _ADAM),
    # 3.6e-6 and 1.3e-5 on two processors called AMD EPYC.
    _program("networks", 5e-5, "exp differs by an ULP; averages add in another order"),
    _program("residual", 2e-6, "exp differs by an ULP; averages add in another order"),
    _program("siamese", 1e-5, "tanh differs by an ULP; slots are sums of squares"),
    _program("trainers", 1e-5, _ADAM),
)


RECORDINGS = Recordings(HERE, PROGRAMS, __name__)
recorded = RECORDINGS.read


def continued(
    programs: tuple[Variant, ...], source: pathlib.Path, work: pathlib.Path
) -> dict[str, Array]:
    """What programs of a directory find that go on from TensorFlow 1.15.5's checkpoints.

    Args:
      work: holds a model_dir of each after.
    """
    for program in programs:
        for saved in (SAVED / program.name).iterdir():
            files = checkpoints.files(saved, SAVED_STEP)
            checkpoints.copy(files, work / program.name / saved.name)
    processes.run_tasks(
        sys.executable,
        variants.HERE / "run.py",
        [],
        work,
        ps=0,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=600,
        command_line=lambda *task: [
            str(source),
            str(work),
            *(program.name for program in programs),
        ],
        preloaded=True,
    )
    with np.load(work / "results.npz") as archive:
        return {name: archive[name] for name in archive.files}


def _keep(program: Variant, run: pathlib.Path) -> None:
    shutil.rmtree(SAVED / program.name, ignore_errors=True)
    for model_dir in sorted(run.iterdir()):
        files = checkpoints.files(model_dir, SAVED_STEP)
        checkpoints.copy(files, SAVED / program.name / model_dir.name)


if __name__ == "__main__":
    variants.record(RECORDINGS, PROGRAMS, keep=_keep)

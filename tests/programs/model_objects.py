"""Estimator programs of methods and objects, and what TensorFlow 1.15.5 computed.

Each trains a few steps, saves, and goes on. `python -m tests.programs.model_objects` runs
them under TensorFlow 1.15.5 and records what came of it, and the checkpoints between: the
migrated programs go on from those.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import pathlib
import shutil
import sys
import tempfile

import numpy as np

from reference import checkpoints, processes, runner
from reference.compare import Array
from reference.environment import find_tf1
from tests.programs import variants
from tests.programs.recordings import Recordings
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "model_objects"
SAVED = HERE / "saved"
SAVED_STEP = 5


@dataclasses.dataclass(frozen=True)
class ObjectProgram(Variant):
    """A module of `model_objects`."""

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


_ADAM = "Adam divides by roots of small squares"

PROGRAMS = (
    ObjectProgram("kinds", 1e-5, "exp differs by an ULP; RMSProp divides by roots"),
    ObjectProgram("mnist", 1e-5, _ADAM),
    ObjectProgram("networks", 1e-5, "exp differs by an ULP; averages add in another order"),
    ObjectProgram("residual", 2e-6, "exp differs by an ULP; averages add in another order"),
    ObjectProgram("siamese", 1e-5, "tanh differs by an ULP; slots are sums of squares"),
    ObjectProgram("trainers", 1e-5, _ADAM),
)


_RECORDINGS = Recordings(HERE, PROGRAMS, __name__)
recorded = _RECORDINGS.read


def continued(
    programs: tuple[ObjectProgram, ...], source: pathlib.Path, work: pathlib.Path
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


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    shutil.rmtree(SAVED, ignore_errors=True)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary) / "work"
        found = variants.run(PROGRAMS, str(python), HERE, work, preloaded=False)
        for program in PROGRAMS:
            for model_dir in sorted((work / program.name).iterdir()):
                files = checkpoints.files(model_dir, SAVED_STEP)
                checkpoints.copy(files, SAVED / program.name / model_dir.name)
    _RECORDINGS.write(found)


if __name__ == "__main__":
    main()

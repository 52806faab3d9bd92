"""Estimators that `Model.fit` trains, and what TensorFlow 1.15.5 found.

`python -m tests.programs.fitted` runs those that have changed under TensorFlow 1.15.5, as
one process, and records all that they saved, and the checkpoints from which the migrated
programs begin.
"""

from __future__ import annotations

import dataclasses
import json
import pathlib
import shutil
import tempfile
import time
from collections.abc import Mapping

import numpy as np
import tensorflow as tf

from migrate.beside import files as beside
from migrate.compiler import migrate_text
from migrate.findings import Outcome
from migrate.options import Options
from reference import checkpoints, processes, runner
from reference.compare import Array
from reference.environment import find_tf1
from tests.programs.recordings import Recordings

HERE = pathlib.Path(__file__).parent / "fitted"
SAVED = HERE / "saved"
FIT = Options(estimators="fit")
Replacement = tuple[str, str]


@dataclasses.dataclass(frozen=True)
class Script:
    """A program that trains in the directory MODEL_DIR.

    Attributes:
      name: of its file.
      longer: what is replaced in it for a recording, so that more steps are known.
    """

    name: str
    longer: tuple[Replacement, ...] = ()

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"

    @property
    def files(self) -> list[pathlib.Path]:
        return [self.path]


GUIDED = Script("guided")
STEADY = Script(
    "steady", (("checkpoints_steps=8", "checkpoints_steps=1"), ("steps=24", "steps=40"))
)
ALTERNATING = Script("alternating")
PAIRED = Script("paired")
SCRIPTS = (GUIDED, STEADY, ALTERNATING, PAIRED)
RECORDINGS = Recordings(HERE, SCRIPTS, __name__)


def migrate(
    path: pathlib.Path, directory: pathlib.Path, *changes: Replacement
) -> pathlib.Path:
    """Writes a program's migration by `fit`, with what it needs, to a new directory.

    Args:
      changes: what is replaced in the original, or else in what was written.
    """
    text = path.read_text()
    left = []
    for old, new in changes:
        left += [] if old in text else [(old, new)]
        text = text.replace(old, new)
    migration = migrate_text(text, FIT, filename=path.name)
    loud = (Outcome.REFUSED, Outcome.FAILED)
    assert not [f for f in migration.findings if f.outcome in loud], path.name
    assert "K190" in {f.code for f in migration.findings}, path.name
    directory.mkdir(parents=True, exist_ok=True)
    program = directory / path.name
    program.write_text(migration.text)
    beside.write(directory, migration.text)
    for old, new in left:
        (one,) = (p for p in directory.rglob("*.py") if old in p.read_text())
        one.write_text(one.read_text().replace(old, new))
    return program


def run(
    python: str,
    program: pathlib.Path,
    work: pathlib.Path,
    *,
    ps: int = 0,
    workers: int = 1,
    preloaded: bool = True,
    server_lead: float = 0.0,
) -> dict[str, Array]:
    """What a program saved and evaluated; several tasks are told of by TF_CONFIG.

    Args:
      server_lead: seconds from the parameter servers' start to the workers'.
    """

    def environment(job: str, index: int, hosts: processes.Hosts) -> Mapping[str, str]:
        if (job, index) == ("worker", 0):
            time.sleep(server_lead)
        found = {"MODEL_DIR": str(work / "model")}
        if ps + workers > 1:
            cluster = {"worker": hosts.worker, **({"ps": hosts.ps} if ps else {})}
            task = {"type": job, "index": index}
            found["TF_CONFIG"] = json.dumps({"cluster": cluster, "task": task})
        return found

    processes.run_tasks(
        python,
        program,
        [],
        work,
        ps=ps,
        workers=workers,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=lambda *task: [],
        task_environment=environment,
        preloaded=preloaded,
        servers_end=ps > 0,
    )
    return read_saved(work / "model")


def begin(script: Script, work: pathlib.Path) -> None:
    """Gives a run the checkpoint of step 0 that TensorFlow 1.15.5 saved."""
    files = checkpoints.files(SAVED / script.name, 0)
    checkpoints.copy(files, work / "model")


def read_saved(model_dir: pathlib.Path) -> dict[str, Array]:
    """All variables of all checkpoints, "<step>/<name>", and evaluated losses."""
    found: dict[str, Array] = {}
    state = tf.train.get_checkpoint_state(str(model_dir))
    for path in state.all_model_checkpoint_paths:
        reader = tf.train.load_checkpoint(path)
        step = path.rpartition("-")[2]
        for name in reader.get_variable_to_shape_map():
            found[f"{step}/{name}"] = np.asarray(reader.get_tensor(name))
    for path in model_dir.glob("*.npy"):
        found[f"{step}/{path.stem}"] = np.load(path)
    for path in sorted(model_dir.glob("eval*/events*")):
        for event in tf.compat.v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                if value.tag == "loss":
                    found[f"{event.step}/eval/loss"] = np.float32(value.simple_value)
    return found


def recorded(script: Script) -> dict[str, Array]:
    """What TensorFlow 1.15.5 saved and evaluated."""
    start = f"{script.name}/"
    return {
        name.removeprefix(start): value
        for name, value in RECORDINGS.read().items()
        if name.startswith(start)
    }


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    changed, found = RECORDINGS.changed(), {}
    for script in SCRIPTS:
        if script.name not in changed:
            continue
        with tempfile.TemporaryDirectory() as temporary:
            work = pathlib.Path(temporary)
            text = script.path.read_text()
            for old, new in script.longer:
                assert old in text
                text = text.replace(old, new)
            (work / script.path.name).write_text(text)
            program = work / script.path.name
            saved = run(str(python), program, work / "run", preloaded=False)
            found |= {f"{script.name}/{name}": value for name, value in saved.items()}
            shutil.rmtree(SAVED / script.name, ignore_errors=True)
            files = checkpoints.files(work / "run" / "model", 0)
            checkpoints.copy(files, SAVED / script.name)
    RECORDINGS.write(found)


if __name__ == "__main__":
    main()

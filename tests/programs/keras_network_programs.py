"""Trees of Estimator programs whose networks are of other files, and what they computed.

`python -m tests.programs.keras_network_programs` runs them under TensorFlow 1.15.5 and
records that, with the checkpoint that one of them left.
"""

from __future__ import annotations

import functools
import hashlib
import json
import pathlib
import shutil
import tempfile

import numpy as np

from reference.compare import Array
from reference.environment import find_tf1
from tests.programs import variants
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "keras_networks"
_RECORDED = HERE / "recorded.npz"
_DIGEST = HERE / "recorded.json"
_EXP = "exp differs by an ULP"
_ADAM = "Adam divides by roots of small squares"

_program = functools.partial(Variant, directory=HERE)
# The programs of the trees, by the module that runs each.
TREES = (
    _program("called_twice", 2e-6, _EXP),
    _program("ctr_task", 5e-6, "Adagrad divides by roots, and exp differs by an ULP"),
    _program("digits_train", 2e-6, _EXP),
    _program("faces", 5e-6, "normalised batches divide by roots of small variances"),
    _program("houses", 5e-6, _ADAM),
    _program("ranker_main", 2e-6, "sums of a batch add in another order"),
    _program("tuned", 5e-6, _ADAM),
    _program("zoo_main", 5e-6, "RMSProp divides by roots of small squares"),
)
# Goes on from the checkpoint of the first ten steps.
CONTINUED = _program("digits_continued", 2e-6, _EXP)
_BEGUN = "begun/"


def _digest() -> str:
    files = sorted(HERE.rglob("*.py"))
    return hashlib.sha256(b"".join(f.read_bytes() for f in files)).hexdigest()


def recorded() -> dict[str, Array]:
    """What TensorFlow 1.15.5 found, by "<program>/<name>".

    Raises:
      ValueError: a program has changed since.
    """
    if json.loads(_DIGEST.read_text()) != _digest():
        raise ValueError(f"recorded before they changed; see {__name__}")
    with np.load(_RECORDED) as archive:
        return {name: archive[name] for name in archive.files}


def begin(programs: pathlib.Path) -> None:
    """Puts TensorFlow 1's checkpoint where the program that continues it looks."""
    target = programs / "begun"
    target.mkdir()
    for name, data in recorded().items():
        if name.startswith(_BEGUN):
            (target / name[len(_BEGUN) :]).write_bytes(data.tobytes())


def _checkpoint(model_dir: pathlib.Path) -> dict[str, Array]:
    """The files of a model_dir's last checkpoint, which hold variables alone."""
    last = max(model_dir.glob("model.ckpt-*.index"), key=lambda p: p.stat().st_mtime)
    files = [*model_dir.glob(f"{last.stem}.[id]*"), model_dir / "checkpoint"]
    return {
        f"{_BEGUN}{file.name}": np.frombuffer(file.read_bytes(), np.uint8)
        for file in files
    }


def main() -> None:
    found_python = find_tf1()
    if found_python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    python = str(found_python)
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary)
        source = work / "programs"
        shutil.copytree(HERE, source)
        found = variants.run(TREES, python, source, work / "run", preloaded=False)
        files = _checkpoint(work / "run" / "digits_train")
        (source / "begun").mkdir()
        for name, data in files.items():
            (source / name).write_bytes(data.tobytes())
        found |= variants.run(
            (CONTINUED,), python, source, work / "again", preloaded=False
        )
    np.savez_compressed(_RECORDED, **found, **files)
    _DIGEST.write_text(json.dumps(_digest()) + "\n")


if __name__ == "__main__":
    main()

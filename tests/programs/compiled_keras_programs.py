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
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "compiled_keras"
_RECORDED = HERE / "recorded.npz"
_DIGESTS = HERE / "recorded.json"


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


def _digest(program: CompiledProgram) -> str:
    return hashlib.sha256(program.path.read_bytes()).hexdigest()


def recorded() -> dict[str, Array]:
    """What TensorFlow 1.15.5 found, by "<program>/<name>".

    Raises:
      ValueError: a program has changed since.
    """
    digests = json.loads(_DIGESTS.read_text())
    old = [p.name for p in PROGRAMS if digests.get(p.name) != _digest(p)]
    if old:
        raise ValueError(f"recorded before they changed: {old}; see {__name__}")
    with np.load(_RECORDED) as archive:
        return {name: archive[name] for name in archive.files}


def main() -> None:
    python = find_tf1()
    if python is None:
        raise SystemExit("no Python 3.7 with TensorFlow 1.15.5 on this machine")
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary) / "work"
        found = variants.run(PROGRAMS, str(python), HERE, work, preloaded=False)
    np.savez_compressed(_RECORDED, **found)
    digests = {program.name: _digest(program) for program in PROGRAMS}
    _DIGESTS.write_text(json.dumps(digests, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

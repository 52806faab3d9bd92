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
from tests.programs.variants import Variant

HERE = pathlib.Path(__file__).parent / "keras_parts"
_RECORDED = HERE / "recorded.npz"
_DIGESTS = HERE / "recorded.json"


@dataclasses.dataclass(frozen=True)
class KerasPart(Variant):
    """A module of `keras_parts`."""

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


PROGRAMS = (
    KerasPart("averaged", 5e-6, "exp differs by an ULP; newer Eigen rounds roots"),
    KerasPart(
        "contrib_stacks", 2e-5, "normalisations divide by roots of small variances"
    ),
    KerasPart("metric_functions", 5e-6, "Adam divides by roots of small squares"),
    KerasPart("recurrent", 5e-6, "Adam divides by roots of small squares"),
)


def _digest(program: KerasPart) -> str:
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
    digests = json.loads(_DIGESTS.read_text()) if _DIGESTS.exists() else {}
    new = tuple(p for p in PROGRAMS if digests.get(p.name) != _digest(p))
    kept = {p.name for p in PROGRAMS} - {p.name for p in new}
    found: dict[str, Array] = {}
    if _RECORDED.exists():
        with np.load(_RECORDED) as archive:
            every = {name: archive[name] for name in archive.files}
        found = {n: v for n, v in every.items() if n.partition("/")[0] in kept}
    with tempfile.TemporaryDirectory() as temporary:
        work = pathlib.Path(temporary) / "work"
        found |= variants.run(new, str(python), HERE, work, preloaded=False)
    np.savez_compressed(_RECORDED, **found)
    names = {program.name: _digest(program) for program in PROGRAMS}
    _DIGESTS.write_text(json.dumps(names, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()

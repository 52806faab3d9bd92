"""The Estimator variants, and how one is run under either TensorFlow.

Each takes `--dir`, keeps its Estimator in `dir/model`, and writes what it found to
`dir/results.npz`.
"""

from __future__ import annotations

import dataclasses
import fnmatch
import pathlib
from collections.abc import Mapping

import numpy as np

from reference import checkpoints, processes, runner
from reference.compare import Array

HERE = pathlib.Path(__file__).parent / "estimators"


@dataclasses.dataclass(frozen=True)
class EstimatorVariant:
    """One program of `estimators`.

    Attributes:
      name: file name without suffix.
      covers: what of tf.estimator it uses that others do not.
      tolerance: of the comparison with TF 1.15.5, from the same initial values.
      reason: why it is not smaller.
      free: results that are not compared, as shell patterns.
    """

    name: str
    covers: str
    tolerance: float
    reason: str
    free: tuple[str, ...] = ()

    @property
    def path(self) -> pathlib.Path:
        return HERE / f"{self.name}.py"


VARIANTS = (
    EstimatorVariant(
        "methods",
        "model_fn a method and a partial, without params; raw variables; weights; "
        "ExponentialMovingAverage, Scaffold and Saver; hooks of its own by tensor and by "
        "name; SummarySaverHook; an iterator in the input_fn; predictions a tensor",
        2e-6,
        "RMSProp divides by roots of small squares",
    ),
    EstimatorVariant(
        "compat_v1",
        "tensorflow.compat.v1; feature columns, crossed and embedded; input_layer; "
        "serialized examples; LatestExporter; auc; ProximalAdagrad under a schedule; a "
        "named evaluation; a seed for all, dropout before and after an evaluation",
        2e-6,
        "exp differs by an ULP",
    ),
    EstimatorVariant(
        "sequence",
        "labels last and optional, no params; LSTM and GRU cells; the training operation "
        "is built in evaluation too; constants as input; train twice; batches of predictions",
        1e-5,
        "tanh and sigmoid differ by an ULP, and Adam divides by roots of small squares",
    ),
    EstimatorVariant(
        "tpu",
        "TPUEstimator without a TPU: batch sizes in params, eval_metrics, its RunConfig",
        1e-6,
        "newer Eigen rounds square roots and divisions otherwise",
    ),
)


def run(
    python: str, program: pathlib.Path, directory: pathlib.Path, preloaded: bool = False
) -> dict[str, Array]:
    """What the program wrote."""
    processes.run_tasks(
        python,
        program,
        [],
        directory,
        ps=0,
        workers=1,
        environment=runner.ENVIRONMENT,
        timeout=300,
        command_line=lambda *task: [f"--dir={directory}"],
        preloaded=preloaded,
    )
    with np.load(directory / "results.npz") as archive:
        return {name: archive[name] for name in archive.files}


def start(found: pathlib.Path, directory: pathlib.Path, moved: float = 0.0) -> None:
    """Gives a program in `directory` the initial values of the one in `found`.

    Args:
      moved: what is added to the values of the first variable that is not all zero.
    """
    model = directory / "model"
    checkpoints.copy(checkpoints.files(found / "model", 0), model)
    if moved:
        values = checkpoints.read(model)
        name = next(n for n in sorted(values) if np.std(values[n]) > 0)
        values[name] = values[name] + np.asarray(moved, values[name].dtype)
        checkpoints.write(model, values, 0)


def differences(
    variant: EstimatorVariant, expected: Mapping[str, Array], found: Mapping[str, Array]
) -> dict[str, float]:
    """Largest difference by result; infinite where shapes differ.

    Of what is larger than one its relative part: processors round in the last bits.
    """
    rows = {}
    for name in sorted({*expected, *found}):
        if any(fnmatch.fnmatch(name, pattern) for pattern in variant.free):
            continue
        a, b = expected.get(name), found.get(name)
        if a is None or b is None or a.shape != b.shape or a.dtype != b.dtype:
            rows[name] = float("inf")
        else:
            difference = np.abs(a.astype(float) - b)
            difference /= np.maximum(1.0, np.abs(a.astype(float)))
            rows[name] = float(np.max(difference, initial=0.0))
    return rows

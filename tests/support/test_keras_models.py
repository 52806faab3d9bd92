"""Checks parts of Keras models: recorded functions, metrics, use without Estimator."""

from __future__ import annotations

import json
import pathlib
import sys

import pytest

from migrate import emitted
from migrate.compiler import migrate_text
from migrate.tables import estimator, symbols
from migrate.tables import keras_models as table
from reference import processes, runner
from tests.programs import keras_programs
from tests.programs.variants import FAITHFUL

_HERE = pathlib.Path(__file__).parent
# Sums of float32 in another order.
_SUMMED_OTHERWISE = 1e-6
_MODULES = (*table.SUPPORT, *estimator.list_needed_files(estimator.MODULE))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, object]:
    """Returns the results of `keras_cases.py` on this TensorFlow."""
    work = tmp_path_factory.mktemp("keras_models")
    emitted.write(_MODULES, work)
    program = keras_programs.HERE / "plain_values.py"
    (work / "plain_values.py").write_text(
        migrate_text(program.read_text(), FAITHFUL).text
    )
    targets = {name: _target(name) for name in sorted(table.NETWORK)}
    (work / "targets.json").write_text(json.dumps(targets))
    processes.run_program(
        [sys.executable, _HERE / "keras_cases.py", work],
        environment=runner.ENVIRONMENT,
        directory=work,
    )
    read: dict[str, object] = json.loads((work / "found.json").read_text())
    return read


def _target(name: str) -> str:
    """Returns the tool's replacement of a function of tensors."""
    row = symbols.look_up(name)
    return row.target if row is not None and row.target else name


def test_keras_records_every_function_of_a_network(found: dict[str, object]) -> None:
    recorded = found["recorded"]
    assert isinstance(recorded, dict)
    assert set(recorded) == table.NETWORK
    assert {name: why for name, why in recorded.items() if why} == {}


def test_a_function_that_keras_does_not_record_is_seen(
    found: dict[str, object],
) -> None:
    assert found["not recorded"]


def test_metrics_count_as_tensorflow_1s(found: dict[str, object]) -> None:
    """With and without weights, over rows of every shape that they may have."""
    by_shape = found["metrics"]
    assert isinstance(by_shape, dict) and len(by_shape) == 9
    for case, differences in by_shape.items():
        assert set(differences) == set(table.METRICS)
        refused = {name for name, worst in differences.items() if worst is None}
        assert refused <= {"tf.metrics.mean_iou", "tf.metrics.mean_per_class_accuracy"}
        wrong = {
            name: worst
            for name, worst in differences.items()
            if worst is not None and not worst <= _SUMMED_OTHERWISE
        }
        assert wrong == {}, case


def test_areas_under_curves_are_tensorflow_1s(found: dict[str, object]) -> None:
    """By all methods, over few thresholds and many."""
    areas = found["curves"]
    assert isinstance(areas, dict) and len(areas) == 16
    assert {k: v for k, v in areas.items() if not v <= _SUMMED_OTHERWISE} == {}


def test_counts_of_any_shape_begin_anew(found: dict[str, object]) -> None:
    """`Model.evaluate` resets its metrics; a control: without that, others stay."""
    said = found["begun anew"]
    assert isinstance(said, dict) and set(said) == {"AUC", "MeanPerClassAccuracy"}
    for first, after, both in said.values():
        assert first == after != both


def test_dropout_with_a_seed_begins_alike_in_every_call(
    found: dict[str, object],
) -> None:
    assert found["same masks"] is True
    assert found["same masks of Keras's own layer"] is False


def test_a_model_is_trained_by_keras_itself(found: dict[str, object]) -> None:
    """fit, evaluate and predict know the three steps; the step is the global one."""
    assert found["fit steps"] == 12
    first, last = found["fit losses"]  # type: ignore[misc]
    assert last < first
    assert found["evaluate"] == ["accuracy", "loss", "mean", "mean squared"]
    assert found["predict"] == {"class": [72], "scores": [72, 3]}
    assert found["layers"] == ["conv/kernel", "conv/bias", "dense/kernel", "dense/bias"]

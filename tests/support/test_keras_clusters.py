"""A Keras model under the strategies that TF_CONFIG asks for.

A chief with a parameter server, and two synchronous workers that read the same rows, must
train exactly as one process does: TensorFlow 1.15.5's recorded trace.
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from reference import oracle
from reference.registry import SCENARIOS
from tests.support import estimator_clusters

_SCENARIO = SCENARIOS["estimator_layers"]
# exp and tanh differ by an ULP from TensorFlow 1.15.5's, as in one process.
_ALLOWED = 1e-6
_DIVIDED = "scaled_loss = loss / self.distribute_strategy.num_replicas_in_sync"


def _difference(found: dict[str, oracle.Array], steps: int | None = None) -> float:
    """Largest difference from the recorded losses, and at the end from the weights."""
    expected = oracle.recorded(_SCENARIO, _SCENARIO.run("sgd")).trace
    pairs = [(found["chief/loss"], expected["0/loss"][:steps])]
    if steps is None:
        pairs.append((found["chief/probability"], expected["0/probability"]))
        pairs += [
            (found[name], value[0])
            for name, value in expected.items()
            if name.startswith("checkpoint/")
        ]
        assert len(pairs) > 10
    assert all(np.shape(a) == np.shape(b) for a, b in pairs)
    return max(float(np.max(np.abs(a - b))) for a, b in pairs)


# Trained by `Model.fit`, and by an Estimator.
_each_form = pytest.mark.parametrize(
    "program",
    [_SCENARIO.migration, estimator_clusters.faithful(_SCENARIO)],
    ids=["fit", "estimator"],
)


@_each_form
def test_a_chief_and_a_parameter_server_train_as_one_process(
    program: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    found = estimator_clusters.run(
        tmp_path, ps=1, workers=1, scenario=_SCENARIO, program=program
    )
    assert found["checkpoint/global_step"] == _SCENARIO.steps
    assert _difference(found) <= _ALLOWED


def test_synchronous_workers_average_their_gradients(tmp_path: pathlib.Path) -> None:
    found = estimator_clusters.run(
        tmp_path, ps=0, workers=2, evaluator=True, scenario=_SCENARIO
    )
    assert _difference(found) <= _ALLOWED
    # The evaluator read the last checkpoint.
    recorded = oracle.recorded(_SCENARIO, _SCENARIO.run("sgd")).trace
    assert found["evaluator/eval/global_step"][-1] == _SCENARIO.steps
    for name in ("loss", "accuracy", "precision", "auc", "rmse"):
        expected = recorded[f"0/eval/{name}"][-1]
        assert abs(found[f"evaluator/eval/{name}"][-1] - expected) <= _ALLOWED


def test_workers_that_fit_average_their_gradients(tmp_path: pathlib.Path) -> None:
    """The process that trains evaluates, too; a task that was the evaluator ends at once."""
    found = estimator_clusters.run(
        tmp_path,
        ps=0,
        workers=2,
        evaluator=True,
        scenario=_SCENARIO,
        program=_SCENARIO.migration,
    )
    assert _difference(found) <= _ALLOWED
    recorded = oracle.recorded(_SCENARIO, _SCENARIO.run("sgd")).trace
    for name in ("loss", "accuracy", "precision", "auc", "rmse"):
        expected = recorded[f"0/eval/{name}"]
        assert np.shape(found[f"chief/eval/{name}"]) == expected.shape
        assert np.max(np.abs(found[f"chief/eval/{name}"] - expected)) <= _ALLOWED


@_each_form
def test_gradients_that_are_only_added_up_are_seen(
    program: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    found = estimator_clusters.run(
        tmp_path,
        ps=0,
        workers=2,
        scenario=_SCENARIO,
        steps=20,
        program=program,
        fault=(_DIVIDED, _DIVIDED.replace("/", "/ 1 #")),
        file=program.name,
    )
    assert _difference(found, 20) > 1e-3

"""The clusters that TF_CONFIG describes: who trains, who serves, who evaluates.

A chief alone with a parameter server, and two synchronous workers that read the same
rows, must train exactly as one process does: TensorFlow 1.15.5's recorded trace.
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from reference import oracle
from reference.registry import SCENARIOS
from tests.support import estimator_clusters
from tests.support.estimator_clusters import PROGRAM


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The loop over a model_fn; Keras models are in test_keras_clusters.py."""
    return estimator_clusters.with_model_fn(tmp_path_factory.mktemp("program"))


def _difference(found: dict[str, oracle.Array]) -> float:
    """Largest difference from the recorded losses and final weights of SGD."""
    expected = oracle.recorded(PROGRAM, PROGRAM.run("sgd")).trace
    pairs = [(found["chief/loss"], expected["0/loss"])]
    pairs += [(found["chief/predictions"], expected["0/predictions"])]
    pairs += [
        (found[f"checkpoint/{name}"], expected[f"checkpoint/{name}"][0])
        for name in ("hidden/w", "hidden/b", "output/w")
    ]
    assert all(np.shape(a) == np.shape(b) for a, b in pairs)
    return max(float(np.max(np.abs(a - b))) for a, b in pairs)


def test_a_chief_and_a_parameter_server_train_as_one_process(
    program: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    found = estimator_clusters.run(tmp_path, ps=1, workers=1, program=program)
    assert found["checkpoint/global_step"] == PROGRAM.steps
    assert _difference(found) == 0.0


def test_synchronous_workers_average_their_gradients(
    program: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    found = estimator_clusters.run(
        tmp_path, ps=0, workers=2, evaluator=True, program=program
    )
    assert _difference(found) == 0.0
    # The evaluator read the last checkpoint.
    recorded = oracle.recorded(PROGRAM, PROGRAM.run("sgd")).trace
    assert found["evaluator/eval/global_step"][-1] == PROGRAM.steps
    for name in ("loss", "mae", "rmse"):
        assert found[f"evaluator/eval/{name}"][-1] == recorded[f"0/eval/{name}"][-1]


def test_a_ready_made_estimators_parts_are_spread_over_parameter_servers(
    tmp_path: pathlib.Path,
) -> None:
    scenario = SCENARIOS["estimator_wide_deep"]
    run = scenario.run("default")
    found = estimator_clusters.run(
        tmp_path, ps=2, workers=1, optimizer="default", scenario=scenario
    )
    trace = {
        key.replace("chief/", "0/"): value
        if key.startswith("chief/")
        else np.expand_dims(value, 0)
        for key, value in found.items()
    }
    expected = oracle.recorded(scenario, run).trace
    # With TF_CONFIG train_and_evaluate leaves evaluation to another task.
    expected = {k: v for k, v in expected.items() if not k.startswith("0/eval/")}
    divergence = oracle.compare(scenario, run, expected, trace, same_processor=False)
    assert divergence is None, str(divergence)


def test_gradients_that_are_only_added_up_are_seen(
    program: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    found = estimator_clusters.run(
        tmp_path,
        ps=0,
        workers=2,
        fault=("    with enabled():\n        yield", "    yield"),
        program=program,
    )
    assert _difference(found) > 1e-3


def test_chief_workers_parameter_servers_and_an_evaluator(
    program: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    found = estimator_clusters.run(
        tmp_path, ps=2, workers=3, evaluator=True, optimizer="adagrad", program=program
    )
    step = int(found["checkpoint/global_step"])
    # Every worker stops when it sees the last step: as in TF1 two others may be ahead.
    assert PROGRAM.steps <= step <= PROGRAM.steps + 2
    # The hook that the program made is the chief's; each worker counts its own steps.
    assert 0 < len(found["chief/loss"]) < step
    assert np.isfinite(found["chief/loss"]).all()
    assert found["evaluator/eval/global_step"][-1] == step
    # 6.4 before training. How far below is a matter of how many gradients were of
    # variables that another worker had changed meanwhile; 4.4 was seen.
    assert found["evaluator/eval/loss"][-1] < 6.0

"""The migrated programs train as genuine TensorFlow 1.15.5 does, step by step."""

from __future__ import annotations

import pathlib

import pytest

from migrate.compiler import migrate_text
from migrate.pipeline import support_source
from reference import parity

MODEL = ["--batch_size=32", "--hidden_units=32"]
SQUARED = [*MODEL, "--loss=squared"]


def _training(optimizer: str) -> list[str]:
    """Adam and Adagrad at a rate that keeps losses of order 1.

    At 0.01 the first losses reach 50, where one float32 ULP alone is 4e-6.
    """
    slow = ["--learning_rate=0.001"] if optimizer in ("adam", "adagrad") else []
    return [*SQUARED, f"--optimizer={optimizer}", *slow]



@pytest.mark.parametrize("scenario", ["async_parameter_server", "sync_replicas"])
def test_tf2_is_what_the_tool_writes(scenario: str) -> None:
    directory = parity.HERE / scenario
    written = migrate_text((directory / "tf1.py").read_text()).text
    assert (directory / "tf2.py").read_text() == written


@pytest.mark.parametrize(
    ("optimizer", "tolerance"),
    [
        # The same float32 operations in the same order.
        ("sgd", 0.0),
        ("momentum", 0.0),
        # The update's square root and division are rounded otherwise by the newer
        # Eigen: one ULP a step, 1.2e-7 measured at losses of order 1.
        ("adam", 1e-6),
        ("adagrad", 1e-6),
    ],
)
def test_asynchronous(
    optimizer: str, tolerance: float, tf1: str, tmp_path: pathlib.Path
) -> None:
    traces = parity.compare(
        "async_parameter_server", tf1, tmp_path, _training(optimizer)
    )
    assert len(traces.tf2[0]) == 200
    assert traces.divergence() <= tolerance


@pytest.mark.parametrize(
    ("optimizer", "tolerance"), [("sgd", 0.0), ("momentum", 0.0), ("adam", 1e-6), ("adagrad", 1e-6)]
)
def test_synchronous_two_workers(
    optimizer: str, tolerance: float, tf1: str, tmp_path: pathlib.Path
) -> None:
    traces = parity.compare(
        "sync_replicas",
        tf1,
        tmp_path,
        _training(optimizer),
        workers=2,
    )
    assert [len(t) for t in traces.tf2] == [200, 200]
    assert traces.divergence() <= tolerance


def test_cross_entropy(tf1: str, tmp_path: pathlib.Path) -> None:
    traces = parity.compare(
        "async_parameter_server", tf1, tmp_path, [*MODEL, "--optimizer=momentum"]
    )
    # Eigen's exp differs by one ULP between the versions, so softmax does: 2.4e-7
    # measured at losses of order 1.
    assert 0.0 <= traces.divergence() <= 1e-6


def _faulty(scenario: str, directory: pathlib.Path, old: str, new: str) -> pathlib.Path:
    program = parity.HERE / scenario / "tf1.py"
    migration = migrate_text(program.read_text())
    assert old in migration.text
    directory.mkdir()
    for name in migration.support:
        (directory / name).write_bytes(support_source(name))
    target = directory / "faulty.py"
    target.write_text(migration.text.replace(old, new))
    return target


@pytest.mark.parametrize(
    ("scenario", "workers", "optimizer", "old", "new"),
    [
        (  # Keras' default epsilon.
            "async_parameter_server", 1, "adam",
            "AdamOptimizer(learning_rate)",
            "AdamOptimizer(learning_rate, epsilon=1e-5)",
        ),
        (  # Keras' default accumulator is 0.1 as well; another one must show.
            "async_parameter_server", 1, "adagrad",
            "AdagradOptimizer(learning_rate)",
            "AdagradOptimizer(learning_rate, initial_accumulator_value=0.11)",
        ),
        (  # Another order of examples.
            "async_parameter_server", 1, "sgd",
            "seed=FLAGS.seed)", "seed=FLAGS.seed + 1)",
        ),
        (  # The sum of the gradients instead of their mean.
            "sync_replicas", 2, "sgd",
            "replicas.average(gradients)", "gradients",
        ),
    ],
    ids=["epsilon", "accumulator", "batches", "no-division"],
)
def test_planted_fault_is_seen(
    scenario: str,
    workers: int,
    optimizer: str,
    old: str,
    new: str,
    tf1: str,
    tmp_path: pathlib.Path,
) -> None:
    faulty = _faulty(scenario, tmp_path / "faulty", old, new)
    given = [*SQUARED, f"--optimizer={optimizer}"]
    if optimizer == "adagrad":
        given.append("--learning_rate=0.001")
    traces = parity.compare(
        scenario, tf1, tmp_path, given, steps=50, workers=workers, tf2_program=faulty
    )
    # The accumulator is restored from TF1's checkpoint, so that fault must not show.
    if "accumulator" in new:
        assert traces.divergence() <= 1e-6
    else:
        assert traces.divergence() > 1e-6

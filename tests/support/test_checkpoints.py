"""Checkpoints go back and forth between TensorFlow 1.15.5 and the migrated program."""

from __future__ import annotations

import os
import pathlib
import shutil
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from migrate.support import training_session  # noqa: E402
from reference.preloaded import Preloaded  # noqa: E402
from tests import ledger  # noqa: E402
from tests.support import tf1_model, tf2_model  # noqa: E402

Values = dict[str, np.ndarray]
Train = Callable[[pathlib.Path, str, int, str, int], Values]


@pytest.fixture(scope="module")
def tf1_train(tf1: str) -> Iterator[Train]:
    """Trains with TensorFlow 1.15.5 until the last step; the checkpoint's values."""
    yield from _training(tf1, tf1_model.__file__)


@pytest.fixture(scope="module")
def tf2_train() -> Iterator[Train]:
    """The same with the migrated program, on a cluster of its own."""
    yield from _training(sys.executable, tf2_model.__file__)


def _training(python: str, program: str) -> Iterator[Train]:
    # What importing TensorFlow 2 set in this process would make TensorFlow 1 eager.
    inherited = {k: v for k, v in os.environ.items() if k != "TF2_BEHAVIOR"}
    environment = {**inherited, "CUDA_VISIBLE_DEVICES": ""}
    process = Preloaded(python, environment)

    def train(directory: pathlib.Path, *arguments: Any) -> Values:
        directory.mkdir(exist_ok=True)
        log = directory / "log"
        command = [program, str(directory), *map(str, arguments)]
        started = process.start(command, log, environment, directory)
        assert started.wait(300) == 0, log.read_text()[-3000:]
        reader = tf.train.load_checkpoint(str(directory))
        return {n: reader.get_tensor(n) for n in reader.get_variable_to_shape_map()}

    yield train
    process.close()


def assert_equal(ours: Values, theirs: Values) -> None:
    assert set(ours) == set(theirs)
    for name, value in theirs.items():
        assert ours[name].dtype == value.dtype, name
        # float64: the same operations in the same order, so the same bits.
        np.testing.assert_array_equal(ours[name], value, err_msg=name)


@pytest.mark.parametrize("optimizer", tf2_model.OPTIMIZERS)
@pytest.mark.parametrize(
    ("shards", "lookup"),
    [(0, "div"), (3, "div"), (3, "mod")],
    ids=["whole", "div", "mod"],
)
def test_there_and_back(
    optimizer: str,
    shards: int,
    lookup: str,
    tf1_train: Train,
    tf2_train: Train,
    tmp_path: pathlib.Path,
) -> None:
    """TF1 4 steps, the migrated program 4, TF1 2: as TF1's own 10, slots included."""
    ledger.rests_on(ledger.COMPILER / "support")
    mixed, alone = tmp_path / "mixed", tmp_path / "alone"
    model = (optimizer, shards, lookup)
    tf1_train(alone, *model, 4)
    shutil.copytree(alone, mixed)
    # The state file has absolute paths.
    (mixed / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-4"')
    for step, train in ((8, tf2_train), (10, tf1_train)):
        value = train(mixed, *model, step)
        assert_equal(value, tf1_train(alone, *model, step))


def test_control_a_lost_slot_is_seen(
    tf1_train: Train, tf2_train: Train, tmp_path: pathlib.Path
) -> None:
    """The comparison above fails when the velocity does not survive."""
    mixed, alone = tmp_path / "mixed", tmp_path / "alone"
    values = tf1_train(mixed, "momentum", 0, "div", 4)
    names = sorted(values)
    tf.raw_ops.SaveV2(
        prefix=str(mixed / "model.ckpt-4"),
        tensor_names=names,
        shape_and_slices=[""] * len(names),
        tensors=[values[n] * (0 if n.endswith("Momentum") else 1) for n in names],
    )
    after = tf2_train(mixed, "momentum", 0, "div", 8)
    expected = tf1_train(alone, "momentum", 0, "div", 8)
    with pytest.raises(AssertionError):
        assert_equal(after, expected)


def test_what_does_not_fit_is_named_whole(tmp_path: pathlib.Path) -> None:
    names = ["global_step", "net/w", "net/extra"]
    tf.raw_ops.SaveV2(
        prefix=str(tmp_path / "model.ckpt-1"),
        tensor_names=names,
        shape_and_slices=[""] * 3,
        tensors=[
            tf.constant(1, tf.int64),
            tf.zeros([3, 2], tf.float64),
            tf.zeros([1]),
        ],
    )
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-1"')
    replicas = training_session.SynchronousReplicas(tf.distribute.get_strategy(), 0)
    tf2_model.build(replicas, "momentum", 0, "div")
    with pytest.raises(tf.errors.NotFoundError) as error:
        training_session.MonitoredTrainingSession(
            replicas, checkpoint_dir=str(tmp_path)
        )
    text = str(error.value)
    assert "net/w: [3, 2] there, [4, 2] here" in text
    for name in ("net/table", "net/table/Momentum", "net/w/Momentum"):
        assert f"{name}: not in the checkpoint" in text
    assert "extra" not in text


@pytest.mark.parametrize("restores", [True, False])
@pytest.mark.parametrize("max_to_keep", [1, 2, 0])
def test_kept_checkpoints(
    max_to_keep: int, restores: bool, tmp_path: pathlib.Path
) -> None:
    """A session that goes on takes the list over; a saver alone has its own.

    TensorFlow 1.15.5's, with files: tests/programs/alone/kept_checkpoints.py.
    """
    replicas = training_session.SynchronousReplicas(tf.distribute.get_strategy(), 0)
    with replicas.recording():
        training_session.create_global_step()
    for first in (0, 3):
        saver = training_session.Saver(max_to_keep=max_to_keep)
        with training_session.MonitoredTrainingSession(
            replicas,
            checkpoint_dir=str(tmp_path) if restores else None,
            scaffold=training_session.Scaffold(saver=saver),
            save_checkpoint_secs=None,
            save_checkpoint_steps=None,
        ) as sess:
            for step in range(first, first + 3):
                saver.save(sess, str(tmp_path / "m"), step)
        state = tf.train.get_checkpoint_state(str(tmp_path))
        listed = [pathlib.Path(p).name for p in state.all_model_checkpoint_paths]
        files = sorted(p.stem for p in tmp_path.glob("*.index"))
        kept = [f"m-{i}" for i in range(first + 3)]
        if not max_to_keep:
            # What was taken over stays in the list, to which nothing is added.
            before = ["m-2"] if restores and first else []
            assert listed == [*before, kept[-1]] and files == kept
        elif restores or not first:
            assert listed == files == kept[-max_to_keep:]
        else:
            assert listed == kept[-max_to_keep:]
            assert files == [*kept[3 - max_to_keep : 3], *kept[-max_to_keep:]]


def test_a_restart_keeps_neighbours_with_similar_names(tmp_path: pathlib.Path) -> None:
    """Removing model.ckpt-1 leaves model.ckpt-1.best alone."""
    replicas = training_session.SynchronousReplicas(tf.distribute.get_strategy(), 0)
    with replicas.recording():
        training_session.create_global_step()
    neighbour = tmp_path / "m-1.best.index"
    neighbour.write_text("mine")
    saver = training_session.Saver(max_to_keep=1)
    with training_session.MonitoredTrainingSession(replicas) as sess:
        for step in (1, 2):
            saver.save(sess, str(tmp_path / "m"), step)
    assert neighbour.exists() and not (tmp_path / "m-1.index").exists()

"""A Saver of some variables: tf.compat.v1.train.Saver reads what it writes, and back."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from tensorflow.python.distribute import sharded_variable  # noqa: E402

from migrate.support import training_session  # noqa: E402

v1 = tf.compat.v1

VALUES = {
    "net/w": np.arange(6.0, dtype=np.float32).reshape(3, 2),
    "net/b": np.array([7.0, 8.0], np.float32),
    "table": np.arange(10.0, 20.0, dtype=np.float32).reshape(5, 2),
}


class Program:
    """A recorded program: two whole variables, a table in two shards, the global step."""

    def __init__(self, values: dict[str, np.ndarray]) -> None:
        strategy = tf.distribute.get_strategy()
        self.replicas = training_session.SynchronousReplicas(strategy, 0)
        with self.replicas.recording():
            training_session.create_global_step()
            with tf.name_scope("net"):
                self.w = tf.Variable(values["net/w"], name="w")
                self.b = tf.Variable(values["net/b"], name="b")
        rows = values["table"]
        self.table = sharded_variable.ShardedVariable(
            [
                tf.Variable(rows[:3], name="table/part_0"),
                tf.Variable(rows[3:], name="table/part_1"),
            ]
        )
        # ParameterServerStrategy's creator gives these.
        self.replicas._recorded.append(self.table)

    def values(self) -> dict[str, np.ndarray]:
        return {
            name: np.concatenate([p.numpy() for p in parts])
            if len(parts) > 1
            else parts[0].numpy()
            for name, parts in self.replicas.entries().items()
            if name != "global_step"
        }


def program() -> Program:
    return Program(VALUES)


def zeros() -> Program:
    return Program({name: np.zeros_like(value) for name, value in VALUES.items()})


# What a Saver is given, and the names that are then in the checkpoint.
CHOICES: dict[str, Any] = {
    "list": (lambda p: [p.w, p.table], {"net/w": "net/w", "table": "table"}),
    "tuple": (lambda p: (p.b,), {"net/b": "net/b"}),
    "shards": (
        lambda p: [p.b, *p.table.variables],
        {"net/b": "net/b", "table": "table"},
    ),
    "dict": (
        lambda p: {"old/weights": p.w, "rows": p.table},
        {"old/weights": "net/w", "rows": "table"},
    ),
    "dict of shards": (lambda p: {"rows": p.table.variables}, {"rows": "table"}),
    "all": (lambda p: None, {n: n for n in (*VALUES, "global_step")}),
}


@pytest.mark.parametrize("choice", CHOICES)
def test_tensorflow_reads_it(choice: str, tmp_path: pathlib.Path) -> None:
    """`tf.compat.v1.train.Saver` restores what was saved, under the same names."""
    give, names = CHOICES[choice]
    ours = program()
    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        saver = training_session.Saver(give(ours))
        prefix = saver.save(sess, str(tmp_path / "some"), 3)
    assert prefix == str(tmp_path / "some-3")
    saved = dict(tf.train.list_variables(prefix))
    assert set(saved) == set(names)
    with tf.Graph().as_default(), v1.Session() as session:
        theirs = {
            name: v1.get_variable(
                name, saved[name], tf.int64 if name == "global_step" else tf.float32
            )
            for name in names
        }
        v1.train.Saver(theirs).restore(session, prefix)
        for name, variable in theirs.items():
            expected = VALUES.get(names[name], np.int64(0))
            np.testing.assert_array_equal(session.run(variable), expected)


@pytest.mark.parametrize("choice", CHOICES)
def test_it_reads_tensorflows(choice: str, tmp_path: pathlib.Path) -> None:
    """It restores what `tf.compat.v1.train.Saver` saved, and leaves the rest alone."""
    give, names = CHOICES[choice]
    with tf.Graph().as_default(), v1.Session() as session:
        made = [
            v1.get_variable(
                name, initializer=tf.constant(VALUES.get(names[name], np.int64(0)))
            )
            for name in names
        ]
        # One more, which nobody asks for.
        made.append(v1.get_variable("other", initializer=tf.zeros([4])))
        session.run(v1.global_variables_initializer())
        prefix = v1.train.Saver(made).save(session, str(tmp_path / "theirs"))
    ours = zeros()
    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        training_session.Saver(give(ours)).restore(sess, prefix)
    for name, value in ours.values().items():
        restored = name in names.values()
        np.testing.assert_array_equal(value, VALUES[name] * restored, err_msg=name)


def test_what_cannot_be_saved_is_said(tmp_path: pathlib.Path) -> None:
    for nothing in ([], {}):
        with pytest.raises(ValueError, match="No variables to save"):
            training_session.Saver(nothing)
        with tf.Graph().as_default(), pytest.raises(ValueError, match="No variables"):
            v1.train.Saver(nothing)
    ours = program()
    stranger = tf.Variable(1.0, name="stranger")
    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        for given, text in (
            ([stranger], "stranger:0 is no variable of this program"),
            ([ours.table.variables[0]], "table: not all of its 2 shards"),
        ):
            with pytest.raises(ValueError, match=text):
                training_session.Saver(given).save(sess, str(tmp_path / "wrong"))
    assert not list(tmp_path.iterdir())


def test_a_missing_name_is_named(tmp_path: pathlib.Path) -> None:
    ours = program()
    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        prefix = training_session.Saver([ours.b]).save(sess, str(tmp_path / "b"))
        with pytest.raises(tf.errors.NotFoundError, match="old: not in the checkpoint"):
            training_session.Saver({"old": ours.b, "net/b": ours.b}).restore(
                sess, prefix
            )
    with tf.Graph().as_default(), v1.Session() as session:
        old = v1.get_variable("old", [2])
        with pytest.raises(tf.errors.NotFoundError):  # TensorFlow's own, too.
            v1.train.Saver([old]).restore(session, prefix)


def test_another_shape_raises_the_error_of_tf1(tmp_path: pathlib.Path) -> None:
    """TF1.15.5 raised it for a variable that is no resource."""
    ours = program()
    wide = tf.Variable([1.0, 2.0, 3.0, 4.0, 5.0], name="wide")
    prefix = str(tmp_path / "wide")
    v1.train.Saver({"net/b": wide}).save(None, prefix)
    restore = training_session.Saver([ours.b]).restore
    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"net/b: \[5\] there"):
            restore(sess, prefix)


def test_init_fn_starts_from_another_training(tmp_path: pathlib.Path) -> None:
    """Called with (scaffold, session) on the chief, where no checkpoint is continued."""
    other = program()
    with training_session.MonitoredTrainingSession(other.replicas) as sess:
        prefix = training_session.Saver([other.w]).save(sess, str(tmp_path / "other"))
    called = []

    def start(directory: pathlib.Path, is_chief: bool = True) -> Program:
        ours = zeros()
        pretrained = training_session.Saver([ours.w])

        def init_fn(scaffold: Any, session: Any) -> None:
            called.append(scaffold.init_fn is init_fn)
            pretrained.restore(session, prefix)

        with training_session.MonitoredTrainingSession(
            ours.replicas,
            is_chief=is_chief,
            checkpoint_dir=str(directory),
            scaffold=training_session.Scaffold(init_fn=init_fn),
        ):
            pass
        return ours

    first = start(tmp_path / "run")
    assert called == [True]
    np.testing.assert_array_equal(first.w.numpy(), VALUES["net/w"])
    np.testing.assert_array_equal(first.b.numpy(), 0 * VALUES["net/b"])
    again = start(tmp_path / "run")  # It continues its own checkpoint.
    np.testing.assert_array_equal(again.w.numpy(), VALUES["net/w"])
    start(tmp_path / "second-worker", is_chief=False)
    assert called == [True]


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("{}/none", "The passed save_path is not a valid checkpoint: {}/none"),
        (None, "Can't load save_path when it is None."),
    ],
)
def test_what_is_not_there_is_told_as_tensorflow_1_told_it(
    path: str | None, said: str, tmp_path: pathlib.Path
) -> None:
    """TF1's words, which tf.compat.v1.train.Saver has, too."""
    ours = program()
    given = path.format(tmp_path) if path else path
    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        with pytest.raises(ValueError) as raised:
            training_session.Saver().restore(sess, given)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("w", [])
        with pytest.raises(ValueError) as theirs:
            v1.train.Saver().restore(session, given)
    assert str(raised.value) == str(theirs.value) == said.format(tmp_path)


def _saved(directory: pathlib.Path) -> pathlib.Path:
    """A checkpoint of a session, which is the directory's latest."""
    with training_session.MonitoredTrainingSession(
        program().replicas, checkpoint_dir=str(directory)
    ):
        pass
    return directory / "model.ckpt-0"


@pytest.mark.parametrize("suffix", [".index", ".data-00000-of-00001"])
def test_a_truncated_checkpoint_is_named(suffix: str, tmp_path: pathlib.Path) -> None:
    prefix = _saved(tmp_path)
    file = prefix.with_name(prefix.name + suffix)
    file.write_bytes(file.read_bytes()[:20])
    ours = zeros()
    with pytest.raises(tf.errors.DataLossError) as raised:
        training_session.MonitoredTrainingSession(
            ours.replicas, checkpoint_dir=str(tmp_path)
        )
    assert f"The checkpoint {prefix} is damaged" in raised.value.message
    assert f"name that in {tmp_path}/checkpoint" in raised.value.message


def test_training_does_not_begin_anew_where_a_checkpoints_files_are_gone(
    tmp_path: pathlib.Path,
) -> None:
    """As in TF1: its session restored what is listed last, and failed."""
    prefix = _saved(tmp_path)
    prefix.with_name(prefix.name + ".index").unlink()
    with pytest.raises(ValueError, match="is not a valid checkpoint"):
        training_session.MonitoredTrainingSession(
            zeros().replicas, checkpoint_dir=str(tmp_path)
        )


def test_a_checkpoint_without_a_global_step_is_continued(
    tmp_path: pathlib.Path,
) -> None:
    """Ours counts steps also where the TF1 program did not."""
    with tf.Graph().as_default(), v1.Session() as session:
        made = [
            v1.get_variable(n, initializer=tf.constant(v)) for n, v in VALUES.items()
        ]
        session.run(v1.global_variables_initializer())
        prefix = v1.train.Saver(made).save(session, str(tmp_path / "theirs"))
    ours = zeros()
    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        training_session.Saver().restore(sess, prefix)
        assert sess.global_step() == 0
    for name, value in ours.values().items():
        np.testing.assert_array_equal(value, VALUES[name], err_msg=name)
    # A control: nothing else may be missing.
    other = Program({**VALUES, "net/w": VALUES["net/w"]})
    with other.replicas.recording():
        tf.Variable(1.0, name="more")
    with training_session.MonitoredTrainingSession(other.replicas) as sess:
        with pytest.raises(
            tf.errors.NotFoundError, match="more: not in the checkpoint"
        ):
            training_session.Saver().restore(sess, prefix)


def test_a_fed_array_of_another_shape_is_refused_as_tensorflow_1_did() -> None:
    ours = program()
    with ours.replicas.recording():

        @ours.replicas.step_function(tf.TensorSpec([None, 2], tf.float32))
        def step(x: Any) -> Any:
            return tf.reduce_sum(x)

    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        assert sess.run(step, [[1, 2], [3, 4]]) == 10
        for wrong in (np.zeros(2), np.zeros([2, 3]), tf.zeros([3])):
            with pytest.raises(ValueError, match="Cannot feed value of shape"):
                sess.run(step, wrong)


def test_the_checkpoints_that_are_kept_are_told_as_by_tensorflow(
    tmp_path: pathlib.Path,
) -> None:
    ours = program()
    saver = training_session.Saver(max_to_keep=2)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.get_variable("w", initializer=tf.zeros([2]))
        session.run(v1.global_variables_initializer())
        theirs = v1.train.Saver(max_to_keep=2)
        for step in range(3):
            theirs.save(session, str(tmp_path / "theirs" / "m"), step)
    with training_session.MonitoredTrainingSession(ours.replicas) as sess:
        assert saver.last_checkpoints == []
        for step in range(3):
            saver.save(sess, str(tmp_path / "ours" / "m"), step)
    names = [pathlib.Path(path).name for path in saver.last_checkpoints]
    assert names == [pathlib.Path(path).name for path in theirs.last_checkpoints]
    assert names == ["m-1", "m-2"]
    gone = str(tmp_path / "ours" / "m-0")
    listed = [gone, *saver.last_checkpoints]
    for one in (saver, theirs):
        one.recover_last_checkpoints(listed)
        assert list(map(pathlib.Path, one.last_checkpoints)) == [
            tmp_path / "ours" / name for name in names
        ]
        one.set_last_checkpoints_with_time([(gone, 1.0)])
        assert one.last_checkpoints == [gone]


def test_a_writer_tells_its_directory_and_is_opened_again(
    tmp_path: pathlib.Path,
) -> None:
    writer = training_session.SummaryWriter(str(tmp_path))
    assert writer.get_logdir() == str(tmp_path)
    writer.close()
    writer.reopen()
    writer.add_event(v1.Event(step=2, file_version="own"))
    writer.close()
    written = [
        event.file_version
        for path in sorted(tmp_path.iterdir())
        for event in v1.train.summary_iterator(str(path))
    ]
    assert "own" in written

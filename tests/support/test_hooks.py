"""The session and its hooks act when, and as, TensorFlow's own act.

The oracle is `tf.compat.v1.train.MonitoredTrainingSession` of the installed
TensorFlow, running the same model on the same feeds in a graph of its own. What can
be seen from outside is compared: log lines, checkpoints, events, when it stopped.
"""

from __future__ import annotations

import contextlib
import dataclasses
import logging
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

tf = pytest.importorskip("tensorflow")

from tensorflow.python.training import training_util  # noqa: E402

from migrate.support import training_session  # noqa: E402

v1 = tf.compat.v1


@dataclasses.dataclass(frozen=True)
class Seen:
    """The log, checkpoints and events that a training run left behind.

    Attributes:
      runs: number of `run` calls that returned.
      log: INFO lines and above; durations and rates are masked.
      checkpoints: file names of the kept checkpoints, oldest first.
      events: (step, tag) or (step, session status) in the order of writing.
    """

    runs: int
    log: list[str]
    checkpoints: list[str]
    events: list[tuple[int, str]]


# Lines of TF1's machinery (graph finalised, session restored) and file system paths
# have no counterpart; the rest must be equal.
_OURS_TO_MATCH = re.compile(r"loss|global_step|NaN|diverged|Saving checkpoints|Waiting")


@contextlib.contextmanager
def captured() -> Iterator[list[str]]:
    lines: list[str] = []

    class Handler(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if _OURS_TO_MATCH.search(text):
                text = re.sub(r"\(\d+\.\d{3} sec\)", "(S sec)", text)
                text = re.sub(r"global_step/sec: \S+", "global_step/sec: R", text)
                text = re.sub(r" into \S+", " into PATH", text)
                lines.append(text)

    logger = logging.getLogger("tensorflow")
    handler, level = Handler(), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield lines
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def events(directory: pathlib.Path) -> list[tuple[int, str]]:
    found: list[tuple[int, str]] = []
    for path in sorted(directory.glob("events.*")):
        for event in v1.train.summary_iterator(str(path)):
            for value in event.summary.value:
                found.append((event.step, value.tag))
            if event.HasField("session_log"):
                found.append((event.step, f"status {event.session_log.status}"))
    return found


def checkpoints(directory: pathlib.Path) -> list[str]:
    state = tf.train.get_checkpoint_state(str(directory))
    return [
        pathlib.Path(p).name
        for p in (state.all_model_checkpoint_paths if state else ())
    ]


# (runs, arguments of the session, hooks made from a namespace of hook classes)
Hooks = Callable[[Any, pathlib.Path, Any], list[Any]]


def v1_run(
    directory: pathlib.Path, feeds: list[float], session: dict[str, Any], hooks: Hooks
) -> Seen:
    runs = 0
    with captured() as log, tf.Graph().as_default():
        step = v1.train.get_or_create_global_step()
        x = v1.placeholder(tf.float32, [])
        w = v1.get_variable("w", [], initializer=v1.zeros_initializer())
        loss = tf.square(w - x)
        # Hooks read the step in the same run that increments it. Which comes first is
        # a race in one process (their trigger rules allow for it, their logs do not);
        # here the read does, as it does when the variable is on a parameter server.
        with tf.control_dependencies([training_util._get_or_create_global_step_read()]):
            train = v1.train.GradientDescentOptimizer(0.25).minimize(
                loss, global_step=step
            )
        v1.summary.scalar("cost", loss)
        made = hooks(v1.train, directory, loss)
        with v1.train.MonitoredTrainingSession(
            checkpoint_dir=str(directory), hooks=made, **session
        ) as sess:
            for feed in feeds:
                if sess.should_stop():
                    break
                sess.run([train, loss], {x: feed})
                runs += 1
    v1.summary.FileWriterCache.clear()  # Closes them: their queues are written.
    return Seen(runs, log, checkpoints(directory), events(directory))


def build(replicas: Any) -> tuple[Any, Any]:
    """The same model: a training step and an evaluation step."""
    with replicas.strategy.scope(), replicas.recording():
        step = training_session.create_global_step()
        w = tf.Variable(0.0, name="w")
        optimizer = v1.train.GradientDescentOptimizer(0.25)

        @replicas.step_function(tf.TensorSpec([], tf.float32))
        def train_step(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.square(w - x)
            gradients = tape.gradient(loss, [w])
            optimizer.apply_gradients(zip(gradients, [w]), global_step=step)
            training_session.summary.scalar("cost", loss)
            replicas.observe({"loss": loss})
            return loss

        @replicas.step_function(tf.TensorSpec([], tf.float32))
        def evaluate(x: Any) -> Any:
            return tf.square(w - x)

    return train_step, evaluate


def local_replicas() -> Any:
    return training_session.SynchronousReplicas(tf.distribute.get_strategy(), 0)


def our_run(
    directory: pathlib.Path, feeds: list[float], session: dict[str, Any], hooks: Hooks
) -> Seen:
    runs = 0
    with captured() as log:
        replicas = local_replicas()
        train_step, _ = build(replicas)
        made = hooks(training_session, directory, "loss")
        with training_session.MonitoredTrainingSession(
            replicas, checkpoint_dir=str(directory), hooks=made, **session
        ) as sess:
            for feed in feeds:
                if sess.should_stop():
                    break
                sess.run(train_step, feed)
                runs += 1
    return Seen(runs, log, checkpoints(directory), events(directory))


def _logging(**options: Any) -> Hooks:
    return lambda hooks, directory, loss: [
        hooks.LoggingTensorHook({"loss": loss}, **options)
    ]


CASES: dict[str, tuple[dict[str, Any], Hooks]] = {
    "defaults": ({}, lambda hooks, directory, loss: []),
    "stop-at-step": ({}, lambda h, d, loss: [h.StopAtStepHook(last_step=7)]),
    "stop-after-steps": ({}, lambda h, d, loss: [h.StopAtStepHook(num_steps=4)]),
    "save-every-3": ({"save_checkpoint_steps": 3}, lambda h, d, loss: []),
    "save-seldom": ({"save_checkpoint_secs": 3600}, lambda h, d, loss: []),
    "save-never": ({"save_checkpoint_secs": None}, lambda h, d, loss: []),
    "summaries-every-4": ({"save_summaries_steps": 4}, lambda h, d, loss: []),
    "summaries-never": ({"save_summaries_steps": None}, lambda h, d, loss: []),
    "speed-every-5": ({"log_step_count_steps": 5}, lambda h, d, loss: []),
    "speed-never": ({"log_step_count_steps": None}, lambda h, d, loss: []),
    "log-every-3": ({}, _logging(every_n_iter=3)),
    "log-every-hour": ({}, _logging(every_n_secs=3600)),
    "log-and-at-end": ({}, _logging(every_n_iter=10**6, at_end=False)),
    "log-formatted": (
        {},
        _logging(
            every_n_iter=5, formatter=lambda values: f"loss is {values['loss']:.4f}"
        ),
    ),
    "own-saver": (
        {"save_checkpoint_secs": None},
        lambda h, d, loss: [
            h.CheckpointSaverHook(str(d), save_steps=4, saver=h.Saver(max_to_keep=2))
        ],
    ),
    "own-counter": (
        {"log_step_count_steps": None},
        lambda h, d, loss: [h.StepCounterHook(every_n_steps=6, output_dir=str(d))],
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_acts_as_tensorflow_does(case: str, tmp_path: pathlib.Path) -> None:
    session, hooks = CASES[case]
    feeds = [float(i % 5) for i in range(12)]
    for name in ("theirs", "ours"):
        (tmp_path / name).mkdir()
    theirs = v1_run(tmp_path / "theirs", feeds, session, hooks)
    ours = our_run(tmp_path / "ours", feeds, session, hooks)
    assert ours.runs == theirs.runs > 0
    assert ours.log == theirs.log
    assert ours.checkpoints == theirs.checkpoints
    # The order within a step is the order of two writers' queues; steps are what counts.
    assert sorted(ours.events) == sorted(theirs.events)


def test_the_second_session_continues(tmp_path: pathlib.Path) -> None:
    """Both continue from the other's checkpoint, at its step."""
    stop: Hooks = lambda h, d, loss: [h.StopAtStepHook(last_step=5)]  # noqa: E731
    further: Hooks = lambda h, d, loss: [h.StopAtStepHook(num_steps=5)]  # noqa: E731
    feeds = [1.0] * 20
    assert v1_run(tmp_path, feeds, {}, stop).checkpoints[-1] == "model.ckpt-5"
    ours = our_run(tmp_path, feeds, {}, further)
    assert ours.runs == 5 and ours.checkpoints[-1] == "model.ckpt-10"
    theirs = v1_run(tmp_path, feeds, {}, further)
    assert theirs.runs == 5 and theirs.checkpoints[-1] == "model.ckpt-15"
    value = tf.train.load_checkpoint(str(tmp_path)).get_tensor("w")
    expected = np.float32(0.0)
    for _ in range(15):
        expected -= np.float32(0.25) * np.float32(2.0) * (expected - np.float32(1.0))
    assert value == expected  # The same float32 operations.


@pytest.mark.parametrize("fail", [True, False])
def test_nan(fail: bool, tmp_path: pathlib.Path) -> None:
    def run(hooks: Any, runner: Callable[..., Seen], name: str) -> int:
        directory = tmp_path / name
        directory.mkdir()
        options: Hooks = lambda h, d, loss: [  # noqa: E731
            h.NanTensorHook(loss, fail_on_nan_loss=fail)
        ]
        feeds = [1.0, float("nan"), 1.0]
        if fail:
            with pytest.raises(hooks.NanLossDuringTrainingError, match="NaN loss"):
                runner(directory, feeds, {}, options)
            return -1
        return runner(directory, feeds, {}, options).runs

    assert run(training_session, our_run, "ours") == run(v1.train, v1_run, "theirs")


@pytest.mark.parametrize(
    ("hook", "options"),
    [
        ("StopAtStepHook", {}),
        ("StopAtStepHook", {"num_steps": 1, "last_step": 1}),
        ("LoggingTensorHook", {"tensors": ["a"]}),
        ("LoggingTensorHook", {"tensors": ["a"], "every_n_iter": 0}),
        ("LoggingTensorHook", {"tensors": ["a"], "every_n_iter": 1, "every_n_secs": 1}),
        ("CheckpointSaverHook", {"checkpoint_dir": "."}),
        ("StepCounterHook", {"every_n_steps": 1, "every_n_secs": 1}),
        ("ProfilerHook", {}),
    ],
)
def test_wrong_arguments_are_wrong_here_too(
    hook: str,
    options: dict[str, Any],
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # v1's ProfilerHook opens a writer there at once.
    with tf.Graph().as_default(), pytest.raises(ValueError):
        getattr(v1.train, hook)(**options)
    v1.summary.FileWriterCache.clear()  # It makes its file in a thread of its own.
    with pytest.raises(ValueError):
        getattr(training_session, hook)(**options)


def test_stop_at_step_needs_a_global_step() -> None:
    replicas = local_replicas()
    with replicas.recording():

        @replicas.step_function(tf.TensorSpec([], tf.float32))
        def step(x: Any) -> Any:
            return x

    session = training_session.MonitoredTrainingSession
    hook = training_session.StopAtStepHook(last_step=1)
    with (
        pytest.raises(RuntimeError, match="[Gg]lobal step"),
        session(replicas, hooks=[hook]),
    ):
        pass


def test_runs_of_other_steps_are_counted_but_not_logged(tmp_path: pathlib.Path) -> None:
    """LoggingTensorHook counts a worker's runs, whatever they compute."""
    replicas = local_replicas()
    train_step, evaluate = build(replicas)
    hook = training_session.LoggingTensorHook(["loss"], every_n_iter=4)
    with captured() as log:
        with training_session.MonitoredTrainingSession(replicas, hooks=[hook]) as sess:
            for index in range(9):
                sess.run(evaluate if index in (1, 2, 4) else train_step, 1.0)
    # Due at runs 0, 4 (an evaluation: made up for at 5) and 9.
    assert len(log) == 2


def test_observing_nothing_is_said() -> None:
    replicas = local_replicas()
    _, evaluate = build(replicas)
    hook = training_session.LoggingTensorHook(["loss"], every_n_iter=1)
    with captured() as log:
        with training_session.MonitoredTrainingSession(replicas, hooks=[hook]) as sess:
            sess.run(evaluate, 1.0)
    assert len(log) == 1 and "loss" in log[0] and "no run" in log[0]


@pytest.mark.parametrize("error", [StopIteration, tf.errors.OutOfRangeError])
def test_the_end_of_the_input_ends_training(error: Any, tmp_path: pathlib.Path) -> None:
    replicas = local_replicas()
    train_step, _ = build(replicas)
    with training_session.MonitoredTrainingSession(
        replicas, checkpoint_dir=str(tmp_path)
    ) as sess:
        sess.run(train_step, 1.0)
        raise error() if error is StopIteration else error(None, None, "end")
    assert checkpoints(tmp_path)[-1] == "model.ckpt-1"
    with pytest.raises(RuntimeError):
        sess.run(train_step, 1.0)


def test_other_errors_leave_without_a_last_checkpoint(tmp_path: pathlib.Path) -> None:
    replicas = local_replicas()
    train_step, _ = build(replicas)
    with pytest.raises(KeyError):
        with training_session.MonitoredTrainingSession(
            replicas, checkpoint_dir=str(tmp_path)
        ) as sess:
            sess.run(train_step, 1.0)
            raise KeyError("mine")
    assert checkpoints(tmp_path) == ["model.ckpt-0"]


def test_a_session_without_with(tmp_path: pathlib.Path) -> None:
    """As in TF1, the session starts when it is made."""
    for expected in (1, 2):
        replicas = local_replicas()
        train_step, _ = build(replicas)
        sess = training_session.MonitoredTrainingSession(
            replicas, checkpoint_dir=str(tmp_path)
        )
        sess.run(train_step, 1.0)
        sess.close()
        assert checkpoints(tmp_path)[-1] == f"model.ckpt-{expected}"


def test_writers_of_one_directory_do_not_overwrite_each_other(
    tmp_path: pathlib.Path,
) -> None:
    """Event files are named by second and host: threads start in the same second."""
    writers = [training_session.SummaryWriter(str(tmp_path)) for _ in range(4)]
    for number, writer in enumerate(writers):
        value = v1.Summary.Value(tag=f"t{number}", simple_value=1.0)
        writer.add_summary(v1.Summary(value=[value]), number)
    for writer in writers:
        writer.close()
    assert sorted(events(tmp_path)) == [(n, f"t{n}") for n in range(4)]


def test_profiler_writes_a_trace(tmp_path: pathlib.Path) -> None:
    replicas = local_replicas()
    train_step, _ = build(replicas)
    # Two workers' threads profile at the same time; only one can.
    hooks = [
        training_session.ProfilerHook(save_steps=2, output_dir=str(tmp_path / str(n)))
        for n in range(2)
    ]
    with training_session.MonitoredTrainingSession(replicas, hooks=hooks) as sess:
        for _ in range(4):
            sess.run(train_step, 1.0)
    assert list(tmp_path.rglob("*.xplane.pb"))


def test_feeds_are_converted_as_tf1_did() -> None:
    replicas = local_replicas()
    with replicas.recording():

        @replicas.step_function(
            tf.TensorSpec([None, 2], tf.float32), {"k": tf.TensorSpec([], tf.int32)}
        )
        def step(x: Any, extra: Any) -> Any:
            return tf.reduce_sum(x), (extra["k"], None), {"x": x}

    with training_session.MonitoredTrainingSession(replicas) as sess:
        total, (k, nothing), rest = sess.run(step, [[1, 2], [3, 4]], {"k": 5.0})
        assert (total, total.dtype, k, nothing) == (10.0, np.float32, 5, None)
        np.testing.assert_array_equal(rest["x"], [[1, 2], [3, 4]])
        for wrong in ([[[1, 2]]], [[[1, 2]], {"k": 1}, 3]):
            with pytest.raises(TypeError, match="argument"):
                sess.run(step, *wrong)
        with pytest.raises((TypeError, ValueError)):
            sess.run(step, [1, 2, 3], {"k": 1})


def test_summary_tags_are_tf1s() -> None:
    """Scopes, families, characters that tags may not have, and names used twice."""

    def variable() -> tf.Variable:
        return tf.Variable([1.0, 2.0], name="w")

    def tags(summary: Any, w: tf.Variable) -> None:
        summary.histogram("w", w)
        summary.histogram("w", w)
        summary.scalar("loss", 1.0)
        summary.scalar("loss", 2.0)
        summary.scalar("a b", 1.0)
        summary.scalar("fam", 1.0, family="f")
        with tf.name_scope("outer"):
            summary.scalar("inner", 1.0)
            summary.scalar("inner", 1.0, family="f")
            summary.histogram("h", [1.0, 2.0])
        summary.image("i", tf.zeros([4, 2, 2, 1]), max_outputs=2)
        summary.audio("s", tf.zeros([1, 8]), 8000, max_outputs=1)
        summary.text("words", tf.constant("text"))

    def parsed(serialized: bytes) -> list[tuple[str, str]]:
        proto = v1.Summary.FromString(serialized)
        return [
            (v.tag, v.WhichOneof("value"), v.metadata.plugin_data.plugin_name)
            for v in proto.value
        ]

    with tf.Graph().as_default(), v1.Session() as sess:
        tags(v1.summary, variable())
        sess.run(v1.global_variables_initializer())
        theirs = parsed(sess.run(v1.summary.merge_all()))
    replicas = local_replicas()
    with replicas.recording():
        w = variable()

        @replicas.step_function()
        def step() -> Any:
            tags(training_session.summary, w)
            return training_session.summary.merge_all()

    with training_session.MonitoredTrainingSession(replicas) as sess:
        ours = parsed(sess.run(step))
    assert ours == theirs
    assert [tag for tag, *_ in ours[:2]] == ["w_1", "w_2"]  # `w` is the variable.

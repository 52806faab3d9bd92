"""Checks calls by time: in which thread, until when, and how their errors end."""

from __future__ import annotations

import threading
import time

import pytest

tf = pytest.importorskip("tensorflow")

from migrate.support import training_session  # noqa: E402
from migrate.support.training_session import workers  # noqa: E402


def _session(**arguments: object) -> training_session.MonitoredTrainingSession:
    replicas = training_session.SynchronousReplicas(tf.distribute.get_strategy(), 0)
    with replicas.recording():
        replicas.step = training_session.create_global_step()
        replicas.count_up = replicas.step_function()(
            lambda: replicas.step.assign_add(1)
        )
    return training_session.MonitoredTrainingSession(replicas, **arguments)


def _wait(condition: object) -> None:
    deadline = time.monotonic() + 30
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline
        time.sleep(0.01)


class _Counting(training_session.hooks.Hook):
    def __init__(self) -> None:
        self.runs = 0

    def after_run(self, sess: object, step: int, results: object) -> None:
        self.runs += 1


def test_it_is_called_until_the_session_stops_and_runs_no_hooks() -> None:
    hook, called = _Counting(), []
    with _session(hooks=[hook]) as sess:

        def look(what: str) -> None:
            called.append((what, threading.current_thread()))
            sess.run(sess.replicas.count_up)

        sess.loop(0.01, look, ("a",))
        _wait(lambda: len(called) > 3)
        sess.request_stop()
        assert sess.should_stop()
    assert not called[0][1].is_alive()
    assert hook.runs == 0 and sess.replicas.step.numpy() == len(called)
    assert {what for what, _ in called} == {"a"}


def test_its_error_stops_the_session_and_is_raised_at_its_end() -> None:
    def fail() -> None:
        raise ValueError("looked wrong")

    with pytest.raises(ValueError, match="looked wrong"):
        with _session() as sess:
            sess.loop(60, fail)
            sess.wait_for_stop()


def test_the_end_of_the_data_stops_it_quietly() -> None:
    def end() -> None:
        raise tf.errors.OutOfRangeError(None, None, "")

    with _session() as sess:
        sess.loop(60, end)
        sess.wait_for_stop()


def test_the_first_error_is_told() -> None:
    def fail() -> None:
        raise ValueError("second")

    with pytest.raises(KeyError):
        with _session() as sess:
            sess.loop(60, fail)
            sess.wait_for_stop()
            raise KeyError("first")


def test_a_worker_s_thread_is_that_worker_s() -> None:
    own, found = workers.per_worker(list), {}

    def worker(index: int) -> None:
        workers.this_thread.task_index, workers.this_thread.other = index, index != 0
        own.append(index)
        with _session() as sess:
            sess.loop(
                0.01,
                lambda: found.setdefault(
                    index, (training_session.task_index(9), list(own))
                ),
            )
            _wait(lambda: index in found)

    threads = [threading.Thread(target=worker, args=(index,)) for index in range(3)]
    for thread in threads:
        thread.start()
        thread.join()
    assert found == {index: (index, [index]) for index in range(3)}

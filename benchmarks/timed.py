"""Runs a training program and notes when its steps end: `python timed.py program.py ...`.

TIMED_DIR gets a file per session, with a line of seconds since the epoch per step. It is
written when TIMED_SECONDS have passed since all of TIMED_SESSIONS made their first step.
Nothing of the program changes. Runs under Python 3.7 and later, TensorFlow 1.15 and 2.

A TF1 worker that asks for its session before the chief has one waits 30 s until it asks
again, and the chief's session waits for every worker's server. So the other workers'
sessions are held back here until the chief has one.
"""

import os
import runpy
import sys
import threading
import time

DIRECTORY = os.environ["TIMED_DIR"]
SECONDS = float(os.environ["TIMED_SECONDS"])
SESSIONS = int(os.environ["TIMED_SESSIONS"])
TASK = os.environ.get("TIMED_TASK", "")


class Times:
    """When one session's steps ended.

    Args:
      path: of the session's files, without their ends.
    """

    def __init__(self, path):
        self._path = path
        self._times = []
        self._until = None
        open(path + ".begun", "w").close()

    def add(self, now):
        if self._times is None:
            return
        self._times.append(now)
        if self._until is None:
            begun = sum(name.endswith(".begun") for name in os.listdir(DIRECTORY))
            if begun == SESSIONS:
                self._until = now + SECONDS
        elif now > self._until:
            with open(self._path + ".part", "w") as file:
                file.write("\n".join(map(repr, self._times)))
            os.rename(self._path + ".part", self._path + ".times")
            self._times = None  # Enough is known; the program is stopped soon.


def timed(run, name):
    """`run`, a session's method, which notes when it has ended."""
    times = {}

    def with_times(self, *args, **kwargs):
        result = run(self, *args, **kwargs)
        if self not in times:
            times[self] = Times(os.path.join(DIRECTORY, name()))
        times[self].add(time.time())
        return result

    return with_times


def time_tf1():
    """Notes the steps of every monitored session of a TF1 program."""
    import tensorflow as tf
    from tensorflow.python.training import monitored_session

    session = monitored_session._MonitoredSession
    session.run = timed(session.run, lambda: "task-" + TASK)
    original = tf.train.MonitoredTrainingSession

    def held(*args, **kwargs):
        ready = os.path.join(DIRECTORY, "chief.ready")
        while TASK not in ("", "0") and not os.path.exists(ready):
            time.sleep(0.01)
        session = original(*args, **kwargs)
        if TASK == "0":
            open(ready, "w").close()
        return session

    tf.train.MonitoredTrainingSession = held
    tf.compat.v1.train.MonitoredTrainingSession = held


def time_migrated():
    """Notes the steps of every session of a migrated program."""
    import training_session

    session = training_session.MonitoredTrainingSession
    session.run = timed(
        session.run, lambda: f"task-{TASK}-{threading.current_thread().name}"
    )


def main():
    sys.argv = sys.argv[1:]
    program = os.path.abspath(sys.argv[0])
    # The program finds the modules beside it, not those beside this file.
    sys.path[0] = os.path.dirname(program)
    if TASK:
        if os.environ["TIMED_TF"] == "1":
            time_tf1()
        else:
            time_migrated()
    runpy.run_path(program, run_name="__main__")


if __name__ == "__main__":
    main()

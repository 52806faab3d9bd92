"""Runs a migrated program that can be held at a step: `held.py [gated.py] program.py ...`.

A process is killed at a known place of the training only if nothing moves meanwhile. So
worker 0's loop waits before its run HOLD_RUN until the file HOLD_DIR/go exists, and says
by HOLD_DIR/held that it does. With gated.py no other worker is in a run then.

Runs under Python 3.7 and later, for TF1's own program too.

Every run that ended is a line of HOLD_DIR/progress: worker, seconds since the epoch.
WAIT_SECS, if it is set, is how long tasks that do not answer are waited for (TF1's two
hours otherwise).
"""

import os
import pathlib
import runpy
import sys
import threading
import time

LIMIT = 120.0  # seconds to be held


def hook(base, directory, run, task):
    class Hold(base):
        def __init__(self):
            self._runs = 0
            self._held = False

        def before_run(self, session):
            # A run whose session is lost begins again: it is held once.
            self._runs += 1
            if task != "0" or self._runs != run or self._held:
                return
            self._held = True
            (directory / "held").touch()
            deadline = time.monotonic() + LIMIT
            while not (directory / "go").exists():
                if time.monotonic() > deadline:
                    raise RuntimeError("held for too long")
                time.sleep(0.01)

        def after_run(self, *results):
            with (directory / "progress").open("a") as file:
                print(task, time.time(), file=file)

    return Hold()


def hold_tf1(directory, run, place):
    """Holds the sessions of a TF1 program, where each worker is a process."""
    import tensorflow as tf

    original = tf.train.MonitoredTrainingSession

    def held(*args, **kwargs):
        base = tf.train.SessionRunHook
        own = hook(base, directory, run, os.environ["GATE_TASK"])
        return original(*args, **dict(kwargs, hooks=_among(kwargs, own, place)))

    tf.train.MonitoredTrainingSession = held


def _among(kwargs, own, place):
    """The hooks, ours among them."""
    hooks = list(kwargs.get("hooks") or [])
    hooks.insert(place, own)
    return hooks


def hold_migrated(directory, run, place):
    """Holds the sessions of a migrated one, where each worker is a thread."""
    import training_session

    if os.environ.get("WAIT_SECS"):
        for waits in (training_session.clusters, training_session.asynchronous):
            waits.MAX_WAIT_SECS = float(os.environ["WAIT_SECS"])
    # Where one loop has failed, the gate holds the others: there is no end to wait for.
    training_session.asynchronous._STOP_GRACE_PERIOD_SECS = 5
    original = training_session.MonitoredTrainingSession

    def held(*args, **kwargs):
        task = threading.current_thread().name.rpartition("-")[2]
        own = hook(training_session.Hook, directory, run, task)
        return original(*args, **{**kwargs, "hooks": _among(kwargs, own, place)})

    training_session.MonitoredTrainingSession = held


def main():
    sys.argv = sys.argv[1:]
    program = next(p for p in sys.argv if not p.endswith("gated.py"))
    sys.path[0] = os.path.dirname(os.path.abspath(program))
    directory = pathlib.Path(os.environ["HOLD_DIR"])
    run = int(os.environ["HOLD_RUN"])
    # After the gate's first hook, so that it is this worker's turn.
    place = 1 if sys.argv[0].endswith("gated.py") else 0
    hold = hold_tf1 if os.environ["GATE_HOOKS"] == "tf1" else hold_migrated
    hold(directory, run, place)
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()

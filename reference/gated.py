"""Runs a TF1 program with its workers in step: `python gated.py program.py ...`.

TF1's SyncReplicasOptimizer lets a fast worker take a slow one's token, so which
worker contributes to a step is a race even with num_tokens=0. For a comparison step by
step, every `session.run` of a worker waits here until all workers have made as many.
The barrier is a directory of files, one per worker; nothing of the program changes.

A worker that asks for its session before the chief has one waits 30 s
(SessionManager's recovery_wait_secs) until it asks again. It cannot be started later
instead: the chief's session waits for every worker's server. So the other workers'
sessions are held back here until the chief is in its first run.

Environment: GATE_DIR, GATE_WORKERS (their number), GATE_TASK (this one's index).
Runs under Python 3.7 and TensorFlow 1.15.
"""

import os
import runpy
import sys
import time

import tensorflow as tf

LIMIT = 60.0  # seconds to wait for the other workers


class Gate(tf.compat.v1.train.SessionRunHook):
    """Holds each run until every worker has come as far."""

    def __init__(self, directory, workers, task):
        self._directory, self._workers, self._task = directory, workers, task
        self._runs = 0

    def _path(self, task):
        return os.path.join(self._directory, "worker-%d" % task)

    def _count(self, task):
        try:
            return os.path.getsize(self._path(task))
        except OSError:
            return 0

    def _ended(self, task):
        return os.path.exists(self._path(task) + ".ended")

    def _wait(self, tasks, runs, pause):
        """Until each of `tasks` has begun `runs` runs or has ended."""
        deadline = time.time() + LIMIT
        while any(self._count(t) < runs and not self._ended(t) for t in tasks):
            if time.time() > deadline:
                raise RuntimeError("the other workers did not come")
            time.sleep(pause)

    def wait_for_chief(self):
        """Until the chief's session exists."""
        if self._task:
            self._wait([0], 1, 0.02)

    def before_run(self, run_context):
        self._runs += 1
        with open(self._path(self._task), "ab") as mark:
            mark.write(b".")
        self._wait(range(self._workers), self._runs, 0.0005)

    def end(self, session):
        # Which of two asynchronous workers sees the last step first is a race; the
        # other may begin one more run.
        open(self._path(self._task) + ".ended", "wb").close()
        # Closing the chief's session can hang in TF1 once another worker is gone;
        # checkpoints are saved and logs are written by now.
        sys.stdout.flush()
        os._exit(0)


def main():
    directory, workers = os.environ["GATE_DIR"], int(os.environ["GATE_WORKERS"])
    task = os.environ.get("GATE_TASK", "")
    if task:
        gate = Gate(directory, workers, int(task))
        original = tf.compat.v1.train.MonitoredTrainingSession

        def gated(*args, **kwargs):
            gate.wait_for_chief()
            kwargs["hooks"] = [gate] + list(kwargs.get("hooks") or [])
            return original(*args, **kwargs)

        tf.train.MonitoredTrainingSession = gated
        tf.compat.v1.train.MonitoredTrainingSession = gated
    sys.argv = sys.argv[1:]
    runpy.run_path(sys.argv[0], run_name="__main__")


if __name__ == "__main__":
    main()

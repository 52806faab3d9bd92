"""Runs a training program with its workers in one order: `python gated.py program.py ...`.

The order in which asynchronous workers update shared variables is a race, and so is
which worker takes part in a step of SyncReplicasOptimizer: even with num_tokens=0 a
fast worker may take a slow one's token. For a comparison step by step every
`session.run` of a worker waits here for its turn. Nothing of the program changes.

GATE_ORDER:
  in step   a worker's run r begins when all workers have begun theirs. Which of two
            asynchronous workers sees the last step first is still a race.
  turns     worker 0's run r, then worker 1's, and so on; each has ended, and its
            hooks have seen it, before the next begins. A worker that has ended is
            passed over.
GATE_HOOKS: "tf1" for a TF1 program, whose session hooks are used; "training_session" for
a migrated one, where those of that module are. There the loops of all asynchronous
workers are threads "worker-<index>" of one process.
Other environment: GATE_DIR, a directory of one file of marks per worker and session;
GATE_WORKERS, their number; GATE_TASK, this one's index, empty for a server.

Runs under Python 3.7 and later, TensorFlow 1.15 and 2.

A TF1 worker that asks for its session before the chief has one waits 30 s
(SessionManager's recovery_wait_secs) until it asks again. It cannot be started later
instead: the chief's session waits for every worker's server. So the other workers'
sessions are held back here until the chief is in its first run.
"""

import collections
import os
import runpy
import sys
import threading
import time

LIMIT = 120.0  # seconds to wait for the other workers


class Marks:
    """How far each worker has come in one session: a file per worker, a byte per run."""

    def __init__(self, directory, workers, task, session):
        self._directory, self._workers, self._task = directory, workers, task
        self._session = session
        self._runs = 0

    def _path(self, task):
        return os.path.join(self._directory, "worker-%d.%d" % (task, self._session))

    def _count(self, task):
        try:
            return os.path.getsize(self._path(task))
        except OSError:
            return 0

    def _ended(self, task):
        return os.path.exists(self._path(task) + ".ended")

    def _wait(self, needed):
        """Until each task of `needed`, {task: runs}, has as many marks or has ended."""
        deadline = time.time() + LIMIT
        pause = 0.0002
        while any(self._count(t) < n and not self._ended(t) for t, n in needed.items()):
            if time.time() > deadline:
                raise RuntimeError("the other workers did not come")
            time.sleep(pause)
            pause = min(1.5 * pause, 0.02)

    def _mark(self):
        self._runs += 1
        with open(self._path(self._task), "ab") as file:
            file.write(b".")

    def wait_for_chief(self):
        """Until the chief's session exists."""
        if self._task:
            self._wait({0: 1})

    def end(self):
        open(self._path(self._task) + ".ended", "wb").close()


class InStep(Marks):
    """All begin their run r together."""

    def before_run(self):
        self._mark()
        self._wait({task: self._runs for task in range(self._workers)})

    def after_run(self):
        pass


class Turns(Marks):
    """One worker after another."""

    def before_run(self):
        self._wait(
            {
                task: self._runs + (task < self._task)
                for task in range(self._workers)
                if task != self._task
            }
        )

    def after_run(self):
        self._mark()


class _Sessions:
    """Counts the sessions of each worker of this process."""

    def __init__(self, directory, workers, order):
        self._directory, self._workers = directory, workers
        self._make = {"in step": InStep, "turns": Turns}[order]
        self._made = collections.Counter()
        self._lock = threading.Lock()

    def next(self, task):
        with self._lock:
            number = self._made[task]
            self._made[task] += 1
        return self._make(self._directory, self._workers, task, number)


def hooks(base, marks):
    """The first and the last hook of a session: of TF1, or of training_session."""

    class First(base):
        def before_run(self, context):
            marks.before_run()

    class Last(base):
        # The last of all, so that the turn ends when every hook has seen the run.
        def after_run(self, *results):
            marks.after_run()

        def end(self, session):
            marks.end()

    return First(), Last()


def gate_tf1(sessions, task):
    """Puts the gate into every MonitoredTrainingSession of a TF1 program."""
    import tensorflow as tf

    original = tf.train.MonitoredTrainingSession
    kept = []

    def gated(*args, **kwargs):
        marks = sessions.next(task)
        marks.wait_for_chief()
        first, last = hooks(tf.train.SessionRunHook, marks)
        kwargs["hooks"] = [first] + list(kwargs.get("hooks") or []) + [last]
        session = original(*args, **kwargs)
        # Closing the chief's session can hang in TF1 once another worker is gone, and
        # so can deleting it. Its hooks' `end` is still called, so checkpoints are
        # saved by then; the process ends with the session open.
        session._sess.close = lambda: None
        kept.append((session._sess, session._tf_sess()))
        return session

    tf.train.MonitoredTrainingSession = gated
    tf.compat.v1.train.MonitoredTrainingSession = gated


def gate_migrated(sessions):
    """Puts the gate into every session of a migrated program."""
    import training_session

    original = training_session.MonitoredTrainingSession

    def gated(*args, **kwargs):
        task = int(threading.current_thread().name.rpartition("-")[2])
        marks = sessions.next(task)
        first, last = hooks(training_session.Hook, marks)
        kwargs["hooks"] = [first] + list(kwargs.get("hooks") or []) + [last]
        return original(*args, **kwargs)

    training_session.MonitoredTrainingSession = gated


def main():
    sys.argv = sys.argv[1:]
    program = os.path.abspath(sys.argv[0])
    # The program finds the modules beside it, not those beside this file.
    sys.path[0] = os.path.dirname(program)
    task = os.environ.get("GATE_TASK", "")
    tf1 = os.environ["GATE_HOOKS"] == "tf1"
    if task:
        sessions = _Sessions(
            os.environ["GATE_DIR"],
            int(os.environ["GATE_WORKERS"]),
            os.environ["GATE_ORDER"],
        )
        if tf1:
            gate_tf1(sessions, int(task))
        else:
            gate_migrated(sessions)
    runpy.run_path(program, run_name="__main__")
    if task and tf1:
        # The open session's threads would be waited for.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    try:
        main()
    except SystemExit as ended:  # tf.app.run leaves this way.
        sys.stdout.flush()
        sys.stderr.flush()
        code = ended.code
        if code is not None and not isinstance(code, int):
            sys.stderr.write("%s\n" % code)
            code = 1
        os._exit(code or 0)

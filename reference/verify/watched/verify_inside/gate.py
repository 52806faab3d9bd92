"""Holds several workers to one order, so that a run has one possible outcome.

Asynchronous workers take turns: a worker's turn is from the beginning of its step to the
beginning of its next, with all that it reads and prints between. What they read before
their first, all have read before any makes one. Synchronous ones begin each step together. Workers are processes, or threads of one; all see one directory.
"""

import os
import threading
import time

LIMIT = 120.0  # Seconds to wait for other workers.


class Gate:
    """The order of the steps of all workers.

    Args:
      directory: of the marks of one run.
      workers: how many there are; with one nothing is held.
    """

    def __init__(self, directory, workers):
        self._directory, self._workers = directory, workers
        self._lock = threading.Lock()
        self._begun = {}

    @property
    def holds(self):
        return self._workers > 1

    def _path(self, name, task=""):
        return os.path.join(self._directory, "%s%s" % (name, task))

    def _touch(self, name, task=""):
        open(self._path(name, task), "ab").close()

    def _mark(self, task):
        with open(self._path("worker-", task), "ab") as file:
            file.write(b".")

    def _count(self, task):
        try:
            return os.path.getsize(self._path("worker-", task))
        except OSError:
            return 0

    def _is_over(self, task):
        return any(os.path.exists(self._path(n, task)) for n in ("ended-", "left-"))

    def _is_ready(self, task):
        return os.path.exists(self._path("ready-", task)) or self._is_over(task)

    def _wait(self, done, limit=LIMIT):
        deadline, pause = time.time() + limit, 0.0005
        while not done():
            if time.time() > deadline:
                return
            time.sleep(pause)
            pause = min(1.5 * pause, 0.02)

    def keep_step(self):
        """The workers are synchronous."""
        if self.holds:
            self._touch("sync")

    def begin(self, task):
        """Before a step of a worker."""
        if not self.holds:
            return
        with self._lock:
            number = self._begun[task] = self._begun.get(task, -1) + 1
        others = [t for t in range(self._workers) if t != task]
        self._touch("ready-", task)
        if os.path.exists(self._path("ended-", task)):
            os.remove(self._path("ended-", task))
        if os.path.exists(self._path("sync")):
            self._mark(task)
            needed = {t: number + 1 for t in others}
        else:
            if number:
                self._mark(task)  # Its last turn is over.
            else:
                self._wait(lambda: all(map(self._is_ready, others)), LIMIT / 2)
            needed = {t: number + (t < task) for t in others}
        self._wait(
            lambda: all(
                self._count(t) >= n or self._is_over(t) for t, n in needed.items()
            )
        )

    def end(self, task):
        """A worker makes no more steps, as far as can be seen."""
        if self.holds and task in self._begun:
            self._touch("ended-", task)

    def wait_for_chief(self, task):
        """Until worker 0's session makes steps."""
        if self.holds and task:
            self._wait(
                lambda: os.path.exists(self._path("ready-", 0)) or self._is_over(0)
            )

    def over(self):
        """The process that makes the steps ends."""
        self._touch("over")

    def serve_until_over(self, leave):
        """Calls a function when that has ended: it may have had no time to say so."""
        if not self.holds:
            return

        def watch():
            while not os.path.exists(self._path("over")):
                time.sleep(0.2)
            time.sleep(1.0)  # It may say so, all the same.
            leave()

        thread = threading.Thread(target=watch)
        thread.daemon = True
        thread.start()

    def leave(self, task):
        """A worker has made all steps that are wanted; returns when all have."""
        if self.holds:
            self._touch("left-", task)
            self._wait(lambda: all(map(self._is_over, range(self._workers))), 30.0)

"""What TF1's sessions did where a task is stopped or started again."""

import contextlib
import signal
import threading
import time

import tensorflow as tf

from .clusters import Waiting, answers

# What a task ends with that was asked to stop; a restart policy may start it again.
STOPPED = 128 + signal.SIGTERM
# How long steps under way may take when the job is asked to stop: it is killed soon.
STOP_SECS = 10


class Servers:
    """The parameter servers: notices that one was lost, and fills it again."""

    def __init__(self, coordinator, addresses):
        self._coordinator = coordinator
        self._addresses = addresses  # "host:port" of each parameter server.
        self.losses = 0  # How many times servers were lost and filled again.
        self._filling = threading.Lock()
        self._change = threading.Condition()
        self._under_way, self._paused = 0, False
        self._kept = []  # What holds the new variables.

    @contextlib.contextmanager
    def step(self):
        """A step is under way; it waits while servers are filled."""
        with self._change:
            self._change.wait_for(lambda: not self._paused)
            self._under_way += 1
        try:
            yield
        finally:
            with self._change:
                self._under_way -= 1
                self._change.notify_all()

    @contextlib.contextmanager
    def pause(self, timeout=None):
        """No step is under way inside, if those that are end in time."""
        with self._change:
            self._paused = True
            self._change.wait_for(lambda: not self._under_way, timeout)
        try:
            yield
        finally:
            with self._change:
                self._paused = False
                self._change.notify_all()

    def gone(self):
        """The addresses of those that do not answer."""
        return [address for address in self._addresses if not answers(address)]

    def lost(self, variables):
        """Those of the variables that their server does not have any more."""
        held = {}
        for variable in variables:
            task = tf.DeviceSpec.from_string(variable.device).task
            held.setdefault(task, []).append(variable)
        gone = self.gone()
        return [
            variable
            for task, own in held.items()
            if self._addresses[task] in gone or not _has(own)
            for variable in own
        ]

    def fill(self, seen, variables, steps, restore):
        """Waits for servers that were lost, and makes their variables again.

        The steps, which are traced once, are given the new variables.

        Args:
          seen: the number of losses before the error that this is called for.
          restore: gives all variables their values.

        Returns:
          Whether servers were lost, now or since then.
        """
        with self._filling:
            if self.losses > seen:
                return True
            lost = self.lost(variables)
            if not lost:
                return False
            tf.compat.v1.logging.warning(
                "A parameter server is gone or was started again. Training goes on from "
                "the last checkpoint when all of %s answer.",
                ", ".join(self._addresses),
            )
            with self.pause():
                self._connect()
                new = dict(map(self._make_again, lost))
                for step in steps:
                    step.use(new)
                # The error of another worker's step is told by the next one otherwise.
                with contextlib.suppress(Exception):
                    self._coordinator.join()
                restore()
            self.losses += 1
            return True

    def _connect(self):
        """Waits for the servers, and tells TensorFlow's runtime that they are new."""
        from tensorflow.python.eager import context

        each = [Waiting("a parameter server", [a]) for a in self._addresses]
        while True:
            while self.gone():
                for waiting in each:
                    waiting.check()
                time.sleep(0.2)
            try:
                context.context().update_server_def(context.get_server_def())
                return
            except (tf.errors.UnavailableError, tf.errors.AbortedError):
                time.sleep(0.2)  # It has gone again meanwhile.

    def _make_again(self, variable):
        """Gives a variable a new place; returns the id of the old handle, and the new one."""
        while hasattr(variable, "_v"):  # What a strategy has wrapped.
            variable = variable._v
        shape = [size or 0 for size in variable.shape]
        with tf.device(variable.device):
            new = tf.Variable(
                tf.zeros(shape, variable.dtype),
                shape=variable.shape,
                trainable=variable.trainable,
            )
        self._kept.append(new)
        old, variable._handle = variable._handle, new._handle
        return id(old), new._handle


def _has(variables):
    """Whether a server still has its variables: the smallest is asked for."""
    try:
        min(variables, key=lambda v: v.shape.num_elements() or 0).numpy()
    except tf.errors.OpError:
        return False
    return True


@contextlib.contextmanager
def heard_sigterm():
    """An event that SIGTERM sets, in the main thread, if the program does not handle it."""
    asked = threading.Event()
    hears = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    )
    if hears:
        signal.signal(signal.SIGTERM, lambda number, frame: asked.set())
    try:
        yield asked
    finally:
        if hears:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)


def save_before_end(session):
    """Saves the last step if a hook of the chief saves, and says whether one does."""
    done = "no hook of the chief saves"
    # Only for hooks.CheckpointSaverHook.
    try:
        if session is not None and session.save_with_hooks():
            done = "the last step is saved"
    except Exception as error:
        done = f"saving failed: {error}"
    tf.compat.v1.logging.warning("Stopped by SIGTERM; %s.", done)

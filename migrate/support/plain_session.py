"""What tf.Session did for a TF1 training program, for tf.distribute.

Written beside your program by tf1to2, together with training_session.py; it is yours
to read and change. It needs TensorFlow 2.15 or later.

    replicas = LocalReplicas(tf.distribute.get_strategy())
    with strategy.scope(), replicas.recording():
        ...variables, optimizer, step functions...

    with Session(replicas) as sess:
        for batch in batches:
            loss = sess.run(train_step, batch)
"""

import contextlib

import tensorflow as tf

try:
    import training_session
except ImportError:  # Run as a module of its package.
    from . import training_session


class LocalReplicas(training_session._Replicas):
    """One process that trains alone: on one device, or on a replica per device.

    Args:
      strategy: the default strategy, or a tf.distribute.MirroredStrategy.
    """

    def __init__(self, strategy):
        super().__init__(strategy)
        # The optimizers' slots are named anew, as in a TF1 graph of the program's own.
        tf.compat.v1.reset_default_graph()

    def call(self, step, args):
        return step.unpack([value.numpy() for value in step.function(*args)])

    def restored(self, is_chief, restore):
        """The one task there is restores."""
        if is_chief:
            restore()


class Session:
    """Runs steps; variables have their initial values when it is opened.

    Unlike a MonitoredTrainingSession it has no hooks, restores nothing by itself, and
    lets every exception out.

    Args:
      replicas: LocalReplicas, or AsynchronousReplicas of training_session.
    """

    def __init__(self, replicas):
        self.replicas = replicas

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception, traceback):
        self.close()

    def run(self, step_function, *args):
        """Runs one step; returns its results as numpy values."""
        results = self.replicas.call(step_function, step_function.feed(args))
        return results["fetches"]

    def initialize(self):
        """Tells other workers' sessions that they may begin.

        TF1 gave the variables their initial values here; TF2 did when they were made.
        """
        self.replicas.ready.set()

    def restored(self):
        """A saver has restored variables: other workers' sessions may begin."""
        self.replicas.ready.set()

    def uninitialized_variables(self):
        """Names of the variables until a worker has initialised or restored them."""
        if self.replicas.ready.is_set():
            return []
        return [name.encode() for name in self.replicas.entries()]

    def as_default(self):
        """Nothing is looked up in a default session; for `with sess.as_default():`."""
        return contextlib.nullcontext(self)

    def close(self):
        """Nothing: variables belong to the program, not to a session."""

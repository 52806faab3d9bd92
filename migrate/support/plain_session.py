"""What tf.Session did for a TF1 training program, for tf.distribute.

Written beside your program by tf1to2, together with training_session; it is yours
to read and change. It needs TensorFlow 2.15 or later.

    replicas = LocalReplicas(tf.distribute.get_strategy())
    with strategy.scope(), replicas.recording():
        ...variables, optimizer, step functions...

    with Session(replicas) as sess:
        for batch in batches:
            loss = sess.run(train_step, batch)
"""

import contextlib
import re

import tensorflow as tf

try:
    import training_session
except ImportError:  # Run as a module of its package.
    from . import training_session


def tower_devices(count):
    """As many GPUs; or parts of the CPU, where the machine has fewer GPUs.

    MirroredStrategy has no soft placement: its devices have to exist. The parts are
    made once, before TensorFlow is in use.
    """
    count = int(count)
    if len(tf.config.list_physical_devices("GPU")) >= count:
        return [f"/gpu:{i}" for i in range(count)]
    cpu = tf.config.list_physical_devices("CPU")[0]
    if len(tf.config.get_logical_device_configuration(cpu) or [None]) < count:
        tf.config.set_logical_device_configuration(
            cpu, [tf.config.LogicalDeviceConfiguration()] * count
        )
    return [f"/cpu:{i}" for i in range(count)]


def for_towers(dataset, count):
    """A dataset of tuples of that many elements: what a step's towers drew one by one.

    The elements may differ in size. What is left at the end, too few for all towers,
    ends the data, as it did where a tower found none.
    """
    count = int(count)

    def one(*window):
        whole = window if len(window) > 1 else window[0]
        parts = (
            tf.data.Dataset.zip(whole) if isinstance(whole, (tuple, dict)) else whole
        )
        return tf.data.Dataset.zip(tuple(parts.skip(k).take(1) for k in range(count)))

    return dataset.window(count, drop_remainder=True).flat_map(one)


def when_asked(dataset):
    """A dataset of Python code that takes no element before the program asks for it.

    TensorFlow 2 would take elements ahead, in a thread. The code may share state with the
    program: random numbers, a counter, a list.
    """
    options = tf.data.Options()
    options.experimental_optimization.inject_prefetch = False
    return dataset.with_options(options)


def op_name(value):
    """The name of the operation that gives a tensor in a tower, or holds a variable."""
    name = re.sub(r"^replica_\d+/", "", value.name.split(":")[0])
    scope = "" if isinstance(value, tf.Variable) else training_session.summary.scope
    return f"{scope}/{name}" if scope else name


def is_among(tensors, tensor):
    """Whether a tensor is one of these."""
    return any(tensor is one for one in tensors)


class LocalReplicas(training_session.replicas.Replicas):
    """One process that trains alone: on one device, or on a replica per device.

    Args:
      strategy: the default strategy, or a tf.distribute.MirroredStrategy.
    """

    def __init__(self, strategy):
        super().__init__(strategy)
        self._initial = []
        self._of_first = []  # Tensors of a step that are given of the first replica.
        self._of_all = []  # Summaries of a step that are given of all.
        # The optimizers' slots are named anew, as in a TF1 graph of the program's own.
        tf.compat.v1.reset_default_graph()

    # Only for is_among.
    def of_replicas(self, values):
        """The last replica's, as a name that TF1's loop over towers bound was."""
        if is_among(self._of_first, values[0]):
            return values[0]
        if is_among(self._of_all, values[0]):
            return tf.strings.join(values)  # Two summaries in a row are one of both.
        return values[-1]

    def of_first(self, tensor):
        """A tensor that the step gives of the first replica; others need not compute it."""
        self._of_first.append(tensor)
        return tensor

    # Only for is_among.
    def _trace(self, function, args):
        training_session.summary.scope, self._tracing.own = "", 0
        results = super()._trace(function, args)
        if "global_step" in results:  # The same in all; it waits for all of its own.
            self.of_first(results["global_step"])
        if "summaries" in results and self.strategy.num_replicas_in_sync > 1:
            results["summaries"] = self.merged_summaries()
        return results

    def towers(self, value):
        """A tensor's value in every replica, in a list; the same list in each.

        Replicas may have parts of different sizes in the first dimension.
        """
        context = tf.distribute.get_replica_context()
        count = context.num_replicas_in_sync
        if count == 1:
            return [value]
        value = tf.convert_to_tensor(value)
        if value.shape.rank == 0:
            return tf.unstack(
                context.all_gather(tf.expand_dims(value, 0), axis=0), count
            )
        sizes = context.all_gather(tf.shape(value)[:1], axis=0)
        return tf.split(context.all_gather(value, axis=0), sizes, num=count)

    # Only for is_among.
    def under(self, scope):
        """Names what follows as TF1 named a tower's: summaries have this before their tags.

        Args:
          scope: the name of the tower's scope; "" where the tower ends.
        """
        training_session.summary.scope = scope
        self._tracing.own = len(training_session.summary.entries)

    # Only for is_among.
    def summaries(self):
        """The tower's summaries, in a list of its own; what follows has no tower's name."""
        self.under("")
        return list(training_session.summary.entries)

    # Only for is_among.
    def merged_summaries(self):
        """One summary of all towers', and of those that belong to no tower."""
        entries = training_session.summary.entries
        replica = tf.distribute.get_replica_context().replica_id_in_sync_group
        if tf.get_static_value(replica):
            # What follows the towers is the first's alone.
            entries = entries[: self._tracing.own]
        merged = training_session.summary.merge(entries) if entries else tf.constant("")
        self._of_all.append(merged)
        return merged

    def average(self, gradients):
        """Gradients divided by the number of replicas; `apply_gradients` adds them up.

        A sparse one becomes dense, as it did where TF1's towers were averaged.
        """
        count = self.strategy.num_replicas_in_sync
        if count == 1:
            return list(gradients)
        return [
            g if g is None else tf.convert_to_tensor(g) / tf.cast(count, g.dtype)
            for g in gradients
        ]

    def averaged(self, gradients_and_variables):
        """The means over replicas, for a program that goes on with them."""
        gradients, variables = zip(*gradients_and_variables)
        return list(zip(self.means(gradients), variables))

    def means(self, gradients):
        """The same of gradients alone."""
        context = tf.distribute.get_replica_context()
        mean = tf.distribute.ReduceOp.MEAN
        return [
            g if g is None else context.all_reduce(mean, tf.convert_to_tensor(g))
            for g in gradients
        ]

    def keep_initial_values(self):
        """Keeps what the variables hold now, for `Session.initialize`."""
        self._initial = [
            (part, part.numpy()) for parts in self.entries().values() for part in parts
        ]

    def initialize(self):
        """Gives the variables their initial values again: those that were kept."""
        for variable, value in self._initial:
            variable.assign(value)

    def call(self, step, args):
        return step.unpack(map(training_session.to_numpy, step.function(*args)))

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
        results = self.replicas.call(
            step_function, step_function.convert_arguments(args)
        )
        return results["fetches"]

    def initialize(self):
        """Gives the variables their initial values again, where they were kept.

        The first time they have them since they were made. Tells other workers' sessions
        that they may begin.
        """
        if isinstance(self.replicas, LocalReplicas):
            self.replicas.initialize()
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

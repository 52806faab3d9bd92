"""Variables as TF1 had them: names, parts, first values, the global step, rates."""

import contextlib
import re

import tensorflow as tf

# What TensorFlow takes for the seed of all operations where there is none.
NO_SEED = 87654321


def create_global_step():
    """The step counter, under TF1's name and dtype (int64)."""
    return tf.Variable(0, dtype=tf.int64, trainable=False, name="global_step")


class Rate:
    """A learning-rate schedule for optimizers that want a tensor, not a function.

    Converted anew whenever an optimizer asks, so it follows the global step.
    """

    def __init__(self, schedule):
        self._schedule = schedule

    def __call__(self):
        return self._schedule()

    def __tf_tensor__(self, dtype=None, name=None):
        rate = tf.convert_to_tensor(self._schedule())
        return rate if dtype is None else tf.cast(rate, dtype)


class ScopedPartitioner:
    """A `variable_partitioner` that shards only the variables it is asked to.

    ParameterServerStrategy shards every variable by its partitioner; TF1 gave
    partitioners to single variables or scopes.
    """

    def __init__(self):
        self._current = None

    @contextlib.contextmanager
    def sharding(self, partitioner):
        """Variables created inside are sharded by `partitioner`."""
        outer, self._current = self._current, partitioner
        try:
            yield
        finally:
            self._current = outer

    def __call__(self, shape, dtype, **kwargs):
        if self._current is None:
            return [1] * len(shape)
        return self._current(shape, dtype, **kwargs)


partitioner = ScopedPartitioner()


def shards_of(variable):
    """The variables that hold a value: its shards, or itself."""
    # A ShardedVariable has no public type; what is sharded lists its `variables`.
    return list(getattr(variable, "variables", None) or [variable])


def is_local(settings):
    """Whether a variable of these settings is neither trained nor saved."""
    local = tf.compat.v1.GraphKeys.LOCAL_VARIABLES
    return local in (settings.get("collections") or ())


def name_of(variable):
    """A variable's name in a TF1 checkpoint."""
    name = variable.name
    # Only for variables.shards_of.
    # A shard's slot keeps its `part_N`.
    if len(parts := shards_of(variable)) > 1:
        name = re.sub(r"/part_0(:0)?$", "", parts[0].name)
    return name.split(":")[0]


def read(variables):
    """The values, within a step, of variables in lists, tuples or dicts."""
    return tf.nest.map_structure(value_of, variables)


def values(variables):
    """The values, as numpy arrays, of variables in lists, tuples or dicts."""
    return tf.nest.map_structure(lambda v: v.numpy(), variables)


def value_of(item):
    """What a fetch gives: a variable's value, a tensor as it is."""
    if hasattr(item, "read_value"):
        return item.read_value()
    return item


def seeds_begin_anew():
    """Lets eager operations with a seed draw from its beginning, as in a new TF1 graph.

    If the program sets no seed for all operations, setting none again does that.
    """
    with tf.init_scope():  # Keras makes a layer's variables while a step is traced.
        if tf.compat.v1.get_seed(0)[0] == NO_SEED:
            tf.random.set_seed(None)

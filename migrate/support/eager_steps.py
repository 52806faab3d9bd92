"""Steps of eager code on a cluster: a Keras model, a GradientTape, a tf.data.Dataset.

Written beside your program by tf1to2, together with training_session; it is yours
to read and change. It needs TensorFlow 2.15 or later and tf_keras.

    replicas = AsynchronousSteps(strategy, cluster)
    with strategy.scope(), replicas.recording():
        model = tf_keras.Sequential(...)
        optimizer = tf_keras.optimizers.Adam()

    with strategy.scope(), replicas.recording():
        @replicas.step_function(*dataset.element_spec)
        def distributed_step(x, y):
            return train_step(x, y)

Unlike TensorFlow 1's graphs these programs have Keras's own dtypes and random numbers,
and their global step is the number of the optimizer's updates.
"""

import contextlib

import tensorflow as tf

try:
    import training_session
except ImportError:  # Run as a module of its package.
    from . import training_session

# What Keras's optimizers call the counter of their updates.
_UPDATES = ("iteration", "iter")


class _Eager:
    """What replicas of eager code have otherwise than those of a TF1 graph."""

    @contextlib.contextmanager
    def recording(self):
        """Records the variables that are made inside, for checkpoints."""

        def create(next_creator, **kwargs):
            if kwargs.get("trainable") is False and (
                kwargs.get("aggregation", tf.VariableAggregation.NONE)
                == tf.VariableAggregation.NONE
            ):
                # Counters are the same on every replica.
                kwargs["aggregation"] = tf.VariableAggregation.ONLY_FIRST_REPLICA
            if kwargs.get("synchronization") == tf.VariableSynchronization.ON_READ:
                # Batch normalisation's averages: kept equal in every step, because the
                # chief saves alone, and to read them it would need all the others.
                kwargs["synchronization"] = tf.VariableSynchronization.AUTO
            variable = next_creator(**kwargs)
            self._recorded.append(variable)
            return variable

        with tf.variable_creator_scope(create):
            yield

    def entries(self):
        """Variables by their names; of several that have one, the later are numbered."""
        found = {}
        for variable in self._recorded:
            name = unique = training_session.variables.name_of(variable)
            number = 0
            while unique in found:
                number += 1
                unique = f"{name}_{number}"
            found[unique] = training_session.variables.shards_of(variable)
        return found

    @property
    def global_step(self):
        """The program's own global step, or the number of its optimizer's updates."""
        named = {
            training_session.variables.name_of(v).split("/")[-1]: v
            for v in self._recorded
        }
        for name in ("global_step", *_UPDATES):
            if name in named:
                return named[name]
        return None


class AsynchronousSteps(_Eager, training_session.AsynchronousReplicas):
    """Steps on parameter servers; each worker updates at its own pace."""


class SynchronousSteps(_Eager, training_session.SynchronousReplicas):
    """Steps that all workers make together, each on its part of one batch."""

    def distributed(self, dataset):
        """The dataset's batches, of each of which this worker has its part."""
        return _Parts(self.strategy, dataset)

    def mean_of_batch(self, values, part):
        """Means over a worker's part of the batch, made those over the whole batch.

        sum(n_i * mean_i) / sum(n_i) over the workers i, whose parts have n_i examples;
        a part may be empty.

        Args:
          values: a tensor, or a structure of them: a loss, or gradients of it.
          part: the worker's part, a tensor with one example per row.
        """
        here = tf.shape(tf.nest.flatten(part)[0])[0]
        whole = self.sum_of_batch(here)

        def weighted(value):
            if value is None:
                return None
            value = tf.convert_to_tensor(value)
            weight = tf.cast(here, value.dtype) / tf.cast(whole, value.dtype)
            # The mean of nothing is not a number, but counts for nothing.
            return self.sum_of_batch(tf.math.multiply_no_nan(value, weight))

        return tf.nest.map_structure(weighted, values)

    def sum_of_batch(self, values):
        """Sums over a worker's part of the batch, made those over the whole batch."""
        context = tf.distribute.get_replica_context()

        def total(value):
            if value is None:
                return None
            return context.all_reduce(
                tf.distribute.ReduceOp.SUM, tf.convert_to_tensor(value)
            )

        return tf.nest.map_structure(total, values)


class _Parts:
    """A worker's parts of a dataset's batches, as tensors.

    Args:
      strategy: a strategy with one replica in each process.
      dataset: a tf.data.Dataset of batches; all workers must have the same, in the same
        order, for their parts to make up its batches.
    """

    def __init__(self, strategy, dataset):
        self._strategy = strategy
        self._dataset = strategy.experimental_distribute_dataset(dataset)
        # Parts may differ in their number of examples.
        self.element_spec = tf.nest.map_structure(
            lambda spec: tf.TensorSpec([None, *spec.shape[1:]], spec.dtype),
            dataset.element_spec,
        )

    def __iter__(self):
        for element in self._dataset:
            yield tf.nest.map_structure(
                lambda value: self._strategy.experimental_local_results(value)[0],
                element,
            )

    def __len__(self):
        return len(self._dataset)

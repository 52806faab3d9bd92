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
import functools
import threading

import numpy as np
import tensorflow as tf

try:
    import training_session
except ImportError:  # Run as a module of its package.
    from . import training_session

# What Keras's optimizers call the counter of their updates.
_UPDATES = ("iteration", "iter")


def specs_of(*rows):
    """What a step is given, where batches are cut out of arrays.

    Args:
      *rows: one row or more of each array.
    """
    return [
        tf.TensorSpec([None, *row.shape[1:]], row.dtype)
        for row in (r if hasattr(r, "dtype") else np.asarray(r) for r in rows)
    ]


def mean_of_batch(values, part):
    """Means over a worker's part of the batch, made those over the whole batch.

    sum(n_i * mean_i) / sum(n_i) over the workers i, whose parts have n_i examples;
    a part may be empty.

    Args:
      values: a tensor, or a structure of them: a loss, or gradients of it.
      part: the worker's part, a tensor with one example per row.
    """
    here = tf.shape(tf.nest.flatten(part)[0])[0]
    whole = sum_of_batch(here)

    def weighted(value):
        if value is None:
            return None
        value = tf.convert_to_tensor(value)
        weight = tf.cast(here, value.dtype) / tf.cast(whole, value.dtype)
        # The mean of nothing is not a number, but counts for nothing.
        return sum_of_batch(tf.math.multiply_no_nan(value, weight))

    return tf.nest.map_structure(weighted, values)


def sum_of_batch(values):
    """Sums over a worker's part of the batch, made those over the whole batch."""
    context = tf.distribute.get_replica_context()

    def total(value):
        if value is None:
            return None
        return context.all_reduce(
            tf.distribute.ReduceOp.SUM, tf.convert_to_tensor(value)
        )

    return tf.nest.map_structure(total, values)


def added_up(pairs):
    """Gradients of the whole batch, for an optimizer of tf.compat.v1.

    It adds up what the workers give, who all give the same.
    """
    workers = tf.distribute.get_replica_context().num_replicas_in_sync
    return [
        (None if gradient is None else gradient / workers, variable)
        for gradient, variable in pairs
    ]


class _Eager:
    """What replicas of eager code have otherwise than those of a TF1 graph."""

    _counting = False  # Whether it is a metric that makes variables.

    def _new_metric(self, make):
        """A metric whose variables the strategy places, and no checkpoint holds."""
        self._counting = True
        try:
            with self.strategy.scope(), self.recording():
                metric = make()
                if not metric.built:
                    raise ValueError(
                        f"{metric.name} makes its variables when it is first used: in a "
                        "step, which must have them before"
                    )
                return metric
        finally:
            self._counting = False

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
            if not self._counting:  # TF1 did not save what metrics count.
                self._recorded.append(variable)
            return variable

        with tf.variable_creator_scope(create):
            yield

    def chief_saves(self, save, *args, **kwargs):
        """Saves a checkpoint, where this is the first worker; None in the others.

        Args:
          save: `save` of a tf.train.Checkpoint or its manager.
        """
        if self._first():
            return save(*args, **kwargs)
        return None

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

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._worker = threading.local()  # Of the step that is traced: its number.

    def _first(self):
        return training_session.task_index(0) == 0

    def metric(self, make):
        """A metric on the servers, which every worker's loop has for itself.

        Args:
          make: makes a metric of Keras.
        """
        chiefs = [job for job in ("chief", "master") if job in self._cluster.jobs]
        workers = sum(self._cluster.num_tasks(job) for job in [*chiefs, "worker"])
        metrics = [self._new_metric(make) for _ in range(workers)]
        return _OwnMetric(metrics, self._worker)

    def step_function(self, *specs):
        """Decorates a step, as training_session does; it knows whose loop makes it."""

        def decorate(function):
            def of_worker(worker, *args):
                self._worker.number = worker
                try:
                    return function(*args)
                finally:
                    del self._worker.number

            of_worker.__name__ = function.__name__
            worker = tf.TensorSpec([], tf.int32)
            return _OwnStep(self, of_worker, (worker, *specs))

        return decorate


class _OwnStep(training_session.StepFunction):
    """A step that is told the number of the worker whose loop makes it."""

    def convert_arguments(self, args):
        return super().convert_arguments((training_session.task_index(0), *args))


class _OwnMetric:
    """In a step and in a loop the metric of the worker whose they are.

    Args:
      metrics: one for each worker.
      traced: `number` is the worker's, a tensor, while a step is traced.
    """

    def __init__(self, metrics, traced):
        self._metrics = metrics
        self._traced = traced

    def update_state(self, *args, **kwargs):
        """Counts something."""

        def count(metric):
            metric.update_state(*args, **kwargs)
            return tf.constant(0)  # A branch has to give something.

        if not hasattr(self._traced, "number"):
            count(self._own())
        elif len(self._metrics) == 1:
            count(self._metrics[0])
        else:
            branches = [functools.partial(count, metric) for metric in self._metrics]
            tf.switch_case(self._traced.number, branches)

    def __call__(self, *args, **kwargs):
        self.update_state(*args, **kwargs)
        return None if hasattr(self._traced, "number") else self.result()

    def _own(self):
        return self._metrics[training_session.task_index(0)]

    def __getattr__(self, name):
        return getattr(self._own(), name)


class SynchronousSteps(_Eager, training_session.SynchronousReplicas):
    """Steps that all workers make together, each on its part of one batch."""

    def _first(self):
        return self._task_index == 0

    def metric(self, make):
        """A metric of all workers' parts, alike in each of them.

        Args:
          make: makes a metric of Keras.
        """
        return self._new_metric(make)

    def distributed(self, dataset):
        """The dataset's batches, of each of which this worker has its part."""
        return _Parts(self.strategy, dataset)

    def part_of(self, *batch):
        """This worker's part of a batch, of which all workers have cut the same.

        Args:
          *batch: arrays with as many rows each.

        Raises:
          ValueError: they have not: a worker's parts would not belong together.
        """
        rows = len(batch[0])
        if any(len(array) != rows for array in batch):
            raise ValueError(
                f"A batch of arrays with {[len(array) for array in batch]} rows"
            )
        workers = self.strategy.num_replicas_in_sync
        each = -(-rows // workers)  # As a distributed dataset deals them out.
        start = min(self._task_index * each, rows)
        return [array[start : min(start + each, rows)] for array in batch]

    # In a step, whatever function it stands in.
    mean_of_batch = staticmethod(mean_of_batch)
    sum_of_batch = staticmethod(sum_of_batch)
    added_up = staticmethod(added_up)


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

"""Keras's own training on a cluster: what every worker's `model.fit` was meant to do.

Written beside your program by tf1to2, together with training_session; it is yours
to read and change. It needs TensorFlow 2.15 or later and tf_keras.

    fits = AsynchronousFits(strategy, cluster)
    with strategy.scope():
        model = tf_keras.Sequential(...)
        model.compile("adam", "mse")
    history = fits.fit(model, x, y, batch_size=32, epochs=5)
    fits.evaluate(model, x_test, y_test)

`fit` takes what `Model.fit` takes. Models are evaluated, asked for predictions and saved
by a copy of theirs in this process: the parts of a cluster would go through the
examples more than once.
"""

import atexit
import concurrent.futures
import math
import sys

import tensorflow as tf
import tf_keras

try:
    import training_session
except ImportError:  # Run as a module of its package.
    from . import training_session

# What Keras takes where neither the data nor the caller says how large a batch is.
_BATCH_SIZE = 32


class _Fits:
    """Models that a strategy trains."""

    def fit(
        self,
        model,
        x=None,
        y=None,
        batch_size=None,
        epochs=1,
        verbose="auto",
        callbacks=None,
        validation_split=0.0,
        validation_data=None,
        shuffle=True,
        class_weight=None,
        sample_weight=None,
        initial_epoch=0,
        steps_per_epoch=None,
        validation_steps=None,
        validation_batch_size=None,
        checkpoint_dir=None,
    ):
        """Trains a model as Model.fit does; returns its History.

        Args:
          model: a compiled model, made in the strategy's scope.
          checkpoint_dir: where training is saved after every epoch, and from where it
            goes on when it is started again; None for nowhere.
          The others: as those of Model.fit.
        """
        callbacks = list(callbacks or ())
        if validation_split:
            cut = int(math.floor(len(y) * (1.0 - validation_split)))
            parts = (x, y) if sample_weight is None else (x, y, sample_weight)
            validation_data = tf.nest.map_structure(lambda a: a[cut:], parts)
            x, y, *weights = tf.nest.map_structure(lambda a: a[:cut], parts)
            sample_weight = weights[0] if weights else None
        if validation_data is not None:
            given = {"batch_size": validation_batch_size or batch_size}
            if isinstance(validation_data, tf.data.Dataset):
                given = {}
            callbacks.insert(
                0, _Validation(self, validation_data, steps=validation_steps, **given)
            )
        if checkpoint_dir:
            callbacks.append(
                tf_keras.callbacks.BackupAndRestore(
                    checkpoint_dir, delete_checkpoint=False
                )
            )
        if not isinstance(x, tf.data.Dataset):
            x = self._batches(x, y, sample_weight, batch_size or _BATCH_SIZE, shuffle)
        return self._fit(
            model,
            x,
            steps_per_epoch,
            epochs=epochs,
            verbose=verbose,
            callbacks=callbacks,
            class_weight=class_weight,
            initial_epoch=initial_epoch,
        )

    def evaluate(self, model, *args, **kwargs):
        """Evaluates a copy of the model, as Model.evaluate does."""
        return self._alone(model).evaluate(*args, **kwargs)

    def predict(self, model, *args, **kwargs):
        """The predictions of a copy of the model, as Model.predict gives them."""
        return self._alone(model).predict(*args, **kwargs)

    def save(self, model, *args, **kwargs):
        """Saves the model, as Model.save does; of several workers the first does."""
        if self._is_first():
            self._alone(model).save(*args, **kwargs)

    def save_weights(self, model, *args, **kwargs):
        """Saves the weights, as Model.save_weights does."""
        if self._is_first():
            self._alone(model).save_weights(*args, **kwargs)

    def _batches(self, x, y, sample_weight, batch_size, shuffle):
        """Arrays as a dataset of batches; the last may be smaller."""
        # A dataset takes a list for one array.
        x, y, sample_weight = (
            tuple(a) if isinstance(a, list) else a for a in (x, y, sample_weight)
        )
        parts = [a for a in (x, y, sample_weight) if a is not None]
        data = tf.data.Dataset.from_tensor_slices(tuple(parts))
        if shuffle:
            data = data.shuffle(int(data.cardinality()), seed=self._seed)
        return data.batch(batch_size)

    def _alone(self, model):
        """A copy of a model with its present weights, in this process alone."""
        copy = tf_keras.models.clone_model(model)
        if not copy.built:
            copy.build(model.input_shape)
        copy.set_weights(self._weights_of(model))
        if model.optimizer is not None:
            given = model._get_compile_args(user_metrics=True)
            copy.compile(
                loss=given["loss"],
                metrics=_anew(given["metrics"]),
                weighted_metrics=_anew(given["weighted_metrics"]),
                loss_weights=given["loss_weights"],
            )
        return copy

    def _weights_of(self, model):
        return model.get_weights()


def _anew(metrics):
    """Metrics without what they have counted; names of metrics stay."""
    return tf.nest.map_structure(
        lambda m: (
            m.from_config(m.get_config())
            if isinstance(m, tf_keras.metrics.Metric)
            else m
        ),
        metrics,
    )


class _Validation(tf_keras.callbacks.Callback):
    """Evaluates after every epoch, and logs what that gives as Model.fit does."""

    def __init__(self, fits, data, **kwargs):
        super().__init__()
        self._fits = fits
        self._data = data if isinstance(data, (tuple, list)) else (data,)
        self._kwargs = kwargs

    def on_epoch_end(self, epoch, logs=None):
        x, y, weights = (*self._data, None, None)[:3]
        # In a thread of its own, which is not in the strategy's scope as fit is.
        with concurrent.futures.ThreadPoolExecutor(1) as thread:
            found = thread.submit(
                self._fits.evaluate,
                self.model,
                x,
                y,
                sample_weight=weights,
                verbose=0,
                return_dict=True,
                **self._kwargs,
            ).result()
        logs.update({f"val_{name}": value for name, value in found.items()})


class AsynchronousFits(_Fits, training_session.AsynchronousReplicas):
    """Every worker's fit, of shared weights on parameter servers.

    An epoch is as many steps as the fits of all workers had in one. A worker goes through
    the examples by itself, in an order of its own, as its process did; a faster one
    makes more of the steps.

    Args:
      strategy: a tf.distribute.ParameterServerStrategy.
      cluster: the tf.train.ClusterSpec (or dict) it was made from.
    """

    _seed = None

    def __init__(self, strategy, cluster):
        super().__init__(strategy, cluster)
        jobs = [job for job in ("chief", "worker") if job in self._cluster.jobs]
        self._workers = sum(self._cluster.num_tasks(job) for job in jobs)
        # The others wait until they are told that training has ended.
        atexit.register(lambda: self._dismiss(1 if hasattr(sys, "last_type") else 0))

    def _fit(self, model, data, steps_per_epoch, **kwargs):
        steps = steps_per_epoch or _steps_of(data)
        return model.fit(data.repeat(), steps_per_epoch=steps * self._workers, **kwargs)

    def _is_first(self):
        return True


class SynchronousFits(_Fits, training_session.SynchronousReplicas):
    """One fit of all workers, each with its part of every batch.

    Args:
      strategy: a tf.distribute.MultiWorkerMirroredStrategy.
      task_index: this process's index among the workers.
    """

    _seed = 0  # All workers must shuffle alike, for their parts to make up a batch.

    def __init__(self, strategy, task_index):
        super().__init__(strategy, task_index)
        self._trained = {}  # Id of a model -> it, and its weights after its last fit.
        atexit.register(self._leave)

    def _fit(self, model, data, steps_per_epoch, **kwargs):
        self._trained.pop(id(model), None)
        history = model.fit(data, steps_per_epoch=steps_per_epoch, **kwargs)
        self._trained[id(model)] = model, model.get_weights()
        return history

    def _weights_of(self, model):
        """To be asked for by one worker alone, which cannot ask the others."""
        _, weights = self._trained.get(id(model), (None, None))
        return model.get_weights() if weights is None else weights

    def _is_first(self):
        return self._task_index == 0

    def _leave(self):
        if not hasattr(sys, "last_type"):
            self.ended()


def _steps_of(data):
    """How many batches a dataset has.

    Raises:
      ValueError: it has no end.
    """
    steps = int(data.cardinality())
    if steps == tf.data.INFINITE_CARDINALITY:
        raise ValueError("This dataset has no end: give fit its steps_per_epoch")
    return sum(1 for _ in data) if steps == tf.data.UNKNOWN_CARDINALITY else steps

"""A compiled Keras model as an Estimator: tf.keras.estimator.model_to_estimator.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `keras_estimator`, `estimator_loop` and
`training_session` beside it.

As in TF1 every call of `train`, `evaluate` and `predict` makes a copy of the model, which
takes its variables from the latest checkpoint in `model_dir`; the first training begins
with the model's own trainable weights. Checkpoints have the names of TF1's:
`dense/kernel`, `training/Adam/dense/kernel/m`, `global_step`.

Import it before anything computes: the models are made before their Estimators, and the
workers of a TF_CONFIG without parameter servers have to know each other before.
"""

import copy

import tensorflow as tf
import tf_keras

try:
    import estimator_loop
    import keras_estimator
    import training_session
except ImportError:  # In a package.
    from . import estimator_loop, keras_estimator, training_session

v1 = tf.compat.v1
estimator_loop.clusters.Cluster.join_workers(estimator_loop.RunConfig())
# What TF1's Keras called these metrics, where they were given by name.
_METRICS = {"accuracy": "acc", "acc": "acc", "crossentropy": "ce", "ce": "ce"}


def model_to_estimator(
    keras_model=None,
    keras_model_path=None,
    custom_objects=None,
    model_dir=None,
    config=None,
    checkpoint_format="saver",
):
    """An Estimator that trains, evaluates, predicts and exports a compiled Keras model.

    Args:
      keras_model: a compiled functional or Sequential model, whose inputs are known.
      keras_model_path: where such a model is saved, instead.
      custom_objects: by name, what that file does not say.
      model_dir: where checkpoints and summaries are; default a temporary directory.
      config: an estimator_loop.RunConfig.
      checkpoint_format: "saver", by variables' names, as TF1's default was.

    Raises:
      ValueError: there is no such model, or checkpoints of another format are wanted.
    """
    if keras_model is None:
        if keras_model_path is None:
            raise ValueError("Either keras_model or keras_model_path is needed")
        keras_model = tf_keras.models.load_model(keras_model_path, custom_objects)
    if checkpoint_format not in (None, "saver"):
        raise ValueError(
            f"checkpoint_format={checkpoint_format!r}: only by names (`saver`)"
        )
    if not keras_model.optimizer:
        raise ValueError("The given Keras model has not been compiled yet")
    if not keras_model._is_graph_network:
        raise ValueError(
            "The model's inputs are not known, so it cannot be copied: give its first "
            "layer an input_shape, or make it of tf_keras.Input"
        )
    return _Estimator(keras_model, model_dir, config)


class _Estimator(keras_estimator.Estimator):
    """Trains copies of one compiled model.

    Args:
      source: the model.
    """

    def __init__(self, source, model_dir, config):
        super().__init__(lambda features: None, model_dir, config)
        self._source = source
        # Its weights as they are now, as in TF1; a cluster's servers do not have them.
        self._begin_with = [weight.numpy() for weight in source.weights]
        self._labels = None

    def _graph(self, replicas, element_spec):
        _, self._labels = estimator_loop.inputs.features_and_labels(element_spec)
        return super()._graph(replicas, element_spec)

    def _new_model(self, features_spec):
        with training_session.operations.layers_take_dtype_of_input():
            return _Copy(self._source, self._begin_with, self._labels)


class _Copy(tf_keras.Model):
    """A copy of a compiled model, with what one step did in TF1.

    Args:
      source: the model.
      begin_with: the values of its weights.
      labels: tf.TypeSpecs of its labels; None where there are none.
    """

    def __init__(self, source, begin_with, labels):
        network = tf_keras.models.clone_model(source)
        super().__init__(inputs=network.inputs, outputs=network.outputs)
        self._of_inputs = list(source.input_names)
        self._of_outputs = list(source.output_names)
        for own, value in zip(self.weights, begin_with):
            if own.trainable:  # TF1 began averages of batches anew.
                own.assign(value)
        self._counted = []
        if labels is not None:
            self._compile_as(source, labels)

    def _compile_as(self, source, labels):
        given = source._get_compile_args(user_metrics=True)
        self.compile(
            loss=given["loss"],
            metrics=_anew(given["metrics"]),
            weighted_metrics=_anew(given["weighted_metrics"]),
            loss_weights=given["loss_weights"],
        )
        self.optimizer = _optimizer(source.optimizer)
        self.optimizer.iterations = v1.train.get_or_create_global_step()
        # Metrics make their variables here, not in a step.
        outputs = tf.nest.map_structure(
            lambda x: tf_keras.Input(type_spec=tf.TensorSpec(x.shape, x.dtype)),
            self.outputs if len(self.outputs) > 1 else self.outputs[0],
        )
        labels = tf.nest.map_structure(
            lambda spec: tf_keras.Input(type_spec=spec), self._targets(labels)
        )
        self.compiled_loss.build(outputs)
        self.compiled_metrics.build(outputs, labels)
        for metric in self.compiled_metrics.metrics:
            metric._name = _name_in_tf1(metric.name, given["metrics"])
        self._counted = [tf_keras.metrics.Mean(name="loss")]
        self._counted += self.compiled_metrics.metrics

    @property
    def metrics(self):
        return self._counted

    def train_step(self, data):
        features, labels = data
        replicas = self.distribute_strategy.num_replicas_in_sync
        with tf.GradientTape() as tape:
            outputs = self(self._ordered(features), training=True)
            # Divided by the number of replicas, whose gradients are added up.
            loss = self.compiled_loss(
                self._targets(labels), outputs, regularization_losses=self.losses
            )
        variables = self.trainable_variables
        gradients = zip(tape.gradient(loss, variables), variables)
        with tf.name_scope("training"):
            if isinstance(self.optimizer, _OfTF1):
                self.optimizer.apply(gradients)
            else:
                self.optimizer.apply_gradients(gradients)
        return {"loss": loss * replicas}

    def test_step(self, data):
        features, labels = data
        labels = self._targets(labels)
        outputs = self(self._ordered(features), training=False)
        loss = self.compiled_loss(labels, outputs, regularization_losses=self.losses)
        # The mean of the batches' losses, however many examples they have.
        replicas = self.distribute_strategy.num_replicas_in_sync
        self._counted[0].update_state(loss * replicas)
        self.compiled_metrics.update_state(labels, outputs)
        return {m.name: m.result() for m in self._counted}

    def predict_step(self, data):
        (features,) = data
        outputs = self(self._ordered(features), training=False)
        return dict(zip(self._of_outputs, tf.nest.flatten(outputs)))

    def export_outputs(self, predictions):
        return {"serving_default": estimator_loop.export.PredictOutput(predictions)}

    def _ordered(self, features):
        """Features in the order of the inputs.

        Raises:
          KeyError: they have other names.
        """
        if not isinstance(features, dict):
            return features
        if set(features) != set(self._of_inputs):
            raise KeyError(
                f"The model's inputs are {self._of_inputs}, the features "
                f"{sorted(features)}"
            )
        ordered = [features[name] for name in self._of_inputs]
        return ordered if len(ordered) > 1 else ordered[0]

    def _targets(self, labels):
        if not isinstance(labels, dict):
            return labels
        ordered = [labels[name] for name in self._of_outputs]
        return ordered if len(ordered) > 1 else ordered[0]


class _OfTF1:
    """An optimizer of tf.compat.v1.train in a Keras model.

    Attributes:
      iterations: the global step.
    """

    def __init__(self, optimizer):
        self._optimizer = optimizer
        self.iterations = None

    def apply(self, gradients):
        with tf.name_scope("TFOptimizer"):
            self._optimizer.apply_gradients(gradients, global_step=self.iterations)


def _optimizer(given):
    """A new optimizer like the one given, which updates as TF1's Keras did."""
    wrapped = getattr(given, "optimizer", None)
    if isinstance(wrapped, v1.train.Optimizer):
        return _OfTF1(copy.deepcopy(wrapped))
    if isinstance(given, tf_keras.optimizers.legacy.Optimizer):
        return type(given).from_config(given.get_config())
    # It was given by its name: made of an empty configuration TF1's Adagrad began with 0.
    legacy = getattr(tf_keras.optimizers.legacy, type(given).__name__)
    if legacy is tf_keras.optimizers.legacy.Adagrad:
        return legacy(initial_accumulator_value=0.0)
    return legacy()


def _anew(metrics):
    """Metrics that have counted nothing."""
    return tf.nest.map_structure(
        lambda m: (
            m.from_config(m.get_config())
            if isinstance(m, tf_keras.metrics.Metric)
            else m
        ),
        metrics,
    )


def _name_in_tf1(name, given):
    """What TF1 called a metric that was given by its name, also after an output's."""
    for text in tf.nest.flatten(given):
        if isinstance(text, str) and (name == text or name.endswith(f"_{text}")):
            known = _METRICS.get(text)
            if known is None:
                known = getattr(tf_keras.metrics.get(text), "__name__", text)
            return name[: len(name) - len(text)] + known
    return name

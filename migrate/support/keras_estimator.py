"""An Estimator that trains a Keras model: what tf.estimator did around a model.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `estimator_loop` and `training_session`
beside it.

The model is an ordinary `tf_keras.Model`, made by a class of your program from symbolic
features. What a model_fn computed by mode are its three methods, of which `Model.fit`,
`evaluate` and `predict` know as well:

    train     train_step((features, labels)) -> {"loss": ...}
    evaluate  test_step((features, labels)) -> the metrics, by name
    predict   predict_step(features) -> the predictions

This module calls them where tf.estimator ran a session: under the strategy that
TF_CONFIG asks for, with checkpoints in TF1's format and under TF1's names, summaries,
hooks and exports. As in TF1 every call of `train`, `evaluate` and `predict` makes the
model anew, and takes its variables from the latest checkpoint in `model_dir`.
"""

import contextlib
import inspect
import re

import tensorflow as tf
import tf_keras

try:
    import estimator_loop
    import training_session
except ImportError:  # In a package.
    from . import estimator_loop, training_session

v1 = tf.compat.v1
_Keys = v1.GraphKeys


# The collection of a traced graph that holds the model which it calls.
_MODEL = "keras_estimator/model"


class _ModelGraph(estimator_loop.variables.Graph):
    """A graph that calls a model, which is made before it.

    Args:
      replicas: what records the variables, for checkpoints.
      make: makes the model.
    """

    def __init__(self, replicas, make):
        super().__init__(replicas)
        recorded = replicas._recorded
        before = len(recorded)
        with estimator_loop.hooks.knowing(self.global_step):
            self.model = make()
        saved = {weight.name for weight in _saved(self.model)}
        # Totals of metrics, and a count of steps beside the global one, are not saved.
        recorded[before:] = [v for v in recorded[before:] if v.name in saved]

    @contextlib.contextmanager
    def building(self):
        with super().building():
            graph, model = v1.get_default_graph(), self.model
            for key, values in (
                (_MODEL, [model]),
                (_Keys.GLOBAL_VARIABLES, _saved(model)),
                (_Keys.TRAINABLE_VARIABLES, model.trainable_variables),
            ):
                listed = graph.get_collection_ref(key)
                # Another replica may have listed them.
                listed.extend(v for v in values if not any(v is x for x in listed))
            yield


class Estimator(estimator_loop.Estimator):
    """Trains, evaluates, predicts and exports a Keras model.

    Args:
      model: makes the model of ([features][, params][, config]): a class of
        tf_keras.Model, or a function. Features are symbolic (`tf_keras.Input`), in the
        structure of what input_fn gives. It is called in the strategy's scope.
      model_dir: where checkpoints and summaries are; default a temporary directory.
      config: an estimator_loop.RunConfig.
      params: passed to the model and input_fn.
      warm_start_from: what a new training's variables start from.
    """

    def __init__(
        self, model, model_dir=None, config=None, params=None, warm_start_from=None
    ):
        super().__init__(model, model_dir, config, params, warm_start_from)
        self._model = model

    @staticmethod
    def _check_arguments(model, params):
        """A model takes what it needs; what functools.partial gives it is its own."""

    def _graph(self, replicas, element_spec):
        features, _ = estimator_loop.inputs.features_and_labels(element_spec)
        return _ModelGraph(replicas, lambda: self._new_model(features))

    def _choose_pace(self, input_fn):
        """No optimizer of a Keras model makes workers wait for each other by itself."""

    def _new_model(self, features_spec):
        model = self._model
        made_by = model.__init__ if isinstance(model, type) else model
        names = inspect.signature(made_by).parameters
        given = {"params": self.params, "config": self.config}
        # Names of layers begin anew, as in a new graph.
        tf_keras.backend.reset_uids()
        features = inputs_like(features_spec)
        kwargs = {k: v for k, v in given.items() if k in names}
        # A subclassed model may need none: its `call` gets them. What functools.partial
        # gives has a default.
        needed = {n for n, p in names.items() if p.default is p.empty}
        args = [features] if needed - {"self", *given} else []
        with training_session.operations.layers_take_dtype_of_input():
            made = model(*args, **kwargs)
            if not made.built:  # Its layers make their weights when they are called.
                made(features)
        return made

    def _call_model_fn(self, features, labels, mode):
        (model,) = v1.get_collection(_MODEL)
        if mode == estimator_loop.ModeKeys.TRAIN:
            return _trained(model, features, labels)
        if mode == estimator_loop.ModeKeys.EVAL:
            return _evaluated(model, features, labels)
        return _predicted(model, features)

    def _serving(self, serving_input_receiver_fn):
        return _Serving(self, serving_input_receiver_fn)


class _Serving:
    """The graph of predictions: traced as a function, then copied into one of TF1's kind.

    So it has the names that a serving_input_receiver_fn and the model gave it.
    """

    def __init__(self, estimator, serving_input_receiver_fn):
        with tf.Graph().as_default():  # What it receives, before there is a model.
            features = serving_input_receiver_fn().features
            features = tf.nest.map_structure(tf.type_spec_from_value, features)
        self._served = estimator._new_model(features)

        def build():
            receiver = serving_input_receiver_fn()
            spec = _predicted(self._served, receiver.features)
            self._signatures = estimator_loop.export.signatures_of(receiver, spec)

        self._graph = v1.wrap_function(build, []).graph

    def __call__(self):
        variables = {}  # Id of the model's handle -> the variable here.
        for weight in _saved(self._served):
            variables[id(weight.handle)] = v1.get_variable(
                weight.name.partition(":")[0],
                weight.shape,
                weight.dtype,
                trainable=weight.trainable,
                use_resource=True,
            )
        definition, handles = self._graph.as_graph_def(), {}
        for outside, inside in self._graph.captures:
            if id(outside) not in variables:
                raise ValueError(
                    f"A graph to be exported reads {outside}, which is no weight of the "
                    "model"
                )
            handles[inside.name] = variables[id(outside)].handle
        inner = {name.partition(":")[0] for name in handles}
        nodes = [node for node in definition.node if node.name not in inner]
        for node in nodes:  # Rows are looked up beside the variable that is captured.
            beside = node.attr["_class"].list.s if "_class" in node.attr else ()
            if any(f"loc:@{name}".encode() in beside for name in inner):
                del node.attr["_class"]
        del definition.node[:]
        definition.node.extend(nodes)
        tf.graph_util.import_graph_def(definition, handles, name="")
        return self._signatures


def _saved(model):
    """The weights that checkpoints hold: all but the totals of metrics."""
    counted = {id(v) for metric in model.metrics for v in metric.variables}
    return [v for v in model.weights if id(v) not in counted]


def _trained(model, features, labels):
    results = dict(model.train_step(_data(features, labels)))
    estimator_loop.callbacks.show(model, "train", results)
    loss = results.pop("loss")
    return estimator_loop.EstimatorSpec(
        estimator_loop.ModeKeys.TRAIN,
        loss=loss,
        train_op=[],  # The step's own operations, which a function runs in order.
        training_hooks=_hooks(model, "training_hooks", loss, results),
        training_chief_hooks=_hooks(model, "training_chief_hooks", loss, results),
        scaffold=_hooks(model, "training_scaffold"),
    )


def _hooks(model, kind, *loss_and_results):
    """What a model's method of this name makes of what it watches; None without one.

    Args:
      loss_and_results: of training: the loss, and what else the step returns, by name.
    """
    method = getattr(model, kind, None)
    if method is None:
        return None
    if not loss_and_results:
        return method()
    loss, results = loss_and_results
    wanted = inspect.signature(method).parameters
    return method(*(results.get(name, loss) for name in wanted))


def _evaluated(model, features, labels):
    """The metrics; each is (its value so far, an update).

    Raises:
      ValueError: the model does not say how it is evaluated.
    """
    if type(model).test_step is tf_keras.Model.test_step:
        raise ValueError(f"{type(model).__name__} has no test_step: it gives no loss")
    results = tf.function(model.test_step, autograph=False)(_data(features, labels))
    estimator_loop.callbacks.show(model, "test")
    return estimator_loop.EstimatorSpec(
        estimator_loop.ModeKeys.EVAL,
        loss=results["loss"],
        eval_metric_ops={m.name: (m.result(), results[m.name]) for m in model.metrics},
        evaluation_hooks=_hooks(model, "evaluation_hooks"),
        scaffold=_hooks(model, "evaluation_scaffold"),
    )


def _predicted(model, features):
    if type(model).predict_step is tf_keras.Model.predict_step:
        raise ValueError(f"{type(model).__name__} has no predict_step: no predictions")
    predictions = model.predict_step(_data(features, None))
    estimator_loop.callbacks.show(model, "predict")
    exported = getattr(model, "export_outputs", None)
    return estimator_loop.EstimatorSpec(
        estimator_loop.ModeKeys.PREDICT,
        predictions=predictions,
        export_outputs=exported(predictions) if exported else None,
        prediction_hooks=_hooks(model, "prediction_hooks"),
        scaffold=_hooks(model, "prediction_scaffold"),
    )


def _data(features, labels):
    """What Keras gives a step: features alone are wrapped, as they may be a tuple."""
    return (features,) if labels is None else (features, labels)


def inputs_like(features):
    """Symbolic features of a functional model, under the features' names.

    Args:
      features: tf.TypeSpecs, one or in a structure.
    """
    if isinstance(features, dict):
        return {name: _input(spec, name) for name, spec in features.items()}
    return tf.nest.map_structure(_input, features)


def _input(spec, name=None):
    if name is not None:  # No layer of the network may have the same name.
        name = "features." + re.sub(r"[^\w.-]", "_", str(name))
    return tf_keras.Input(type_spec=spec, name=name)


class Dropout(tf_keras.layers.Dropout):
    """Dropout with a seed: what TF1 drew by it, however often the model is called.

    Keras's own goes on to another seed with every call.
    """

    def call(self, inputs, training=None):
        if not training or self.rate == 0:
            return tf.identity(inputs)
        return tf.nn.dropout(
            inputs, rate=self.rate, noise_shape=self.noise_shape, seed=self.seed
        )


class _ContribLayer:
    """A layer of tf.contrib.layers: its weights' names, and a normalizer if it has one.

    Args:
      normalizer: a layer between the product, which then has no bias, and the activation.
    """

    _NAMES = {"kernel": "weights", "bias": "biases"}

    def __init__(self, *args, activation=None, normalizer=None, **kwargs):
        if normalizer is not None:
            kwargs["use_bias"] = False
        inner = activation if normalizer is None else None
        super().__init__(*args, activation=inner, **kwargs)
        self.normalizer = normalizer
        self._after = tf_keras.activations.get(activation)

    def add_weight(self, name, *args, **kwargs):
        return super().add_weight(self._NAMES[name], *args, **kwargs)

    def call(self, inputs, training=None):
        """`training` is the normalizer's, which Keras tells of it."""
        outputs = super().call(inputs)
        if self.normalizer is None:
            return outputs
        return self._after(self.normalizer(outputs))


class FullyConnected(_ContribLayer, tf_keras.layers.Dense):
    """tf.contrib.layers.fully_connected."""


class Conv(_ContribLayer, tf_keras.layers.Conv2D):
    """tf.contrib.layers.conv2d."""


class ConvTransposed(_ContribLayer, tf_keras.layers.Conv2DTranspose):
    """tf.contrib.layers.conv2d_transpose."""


class SeparableConv(_ContribLayer, tf_keras.layers.SeparableConv2D):
    """tf.contrib.layers.separable_conv2d: both kernels begin, and are penalised, alike."""

    _NAMES = {
        "depthwise_kernel": "depthwise_weights",
        "pointwise_kernel": "pointwise_weights",
        "bias": "biases",
    }

    def __init__(
        self,
        *args,
        kernel_initializer="glorot_uniform",
        pointwise_initializer=None,
        kernel_regularizer=None,
        **kwargs,
    ):
        super().__init__(
            *args,
            depthwise_initializer=kernel_initializer,
            pointwise_initializer=pointwise_initializer or kernel_initializer,
            depthwise_regularizer=kernel_regularizer,
            pointwise_regularizer=kernel_regularizer,
            **kwargs,
        )


class BatchNorm(tf_keras.layers.BatchNormalization):
    """tf.contrib.layers.batch_norm: moves an unbiased variance for rows of any rank.

    Args:
      fused: False for a biased variance.
      activation: of what is normalised.
    """

    def __init__(self, *args, activation=None, **kwargs):
        super().__init__(*args, **kwargs)
        self._after = tf_keras.activations.get(activation)

    def build(self, input_shape):
        super().build(_as_image(tf.TensorShape(input_shape)))
        self.input_spec = None

    def call(self, inputs, training=None):
        if inputs.shape.rank != 2:
            return self._after(super().call(inputs, training=training))
        images = inputs[:, tf.newaxis, tf.newaxis, :]
        return self._after(super().call(images, training=training)[:, 0, 0, :])


class LayerNorm(tf_keras.layers.Layer):
    """tf.contrib.layers.layer_norm.

    Args:
      begin_norm_axis: the mean is that of all dimensions from this one on.
      begin_params_axis: the weights have the dimensions from this one on.
    """

    def __init__(
        self,
        center=True,
        scale=True,
        activation=None,
        begin_norm_axis=1,
        begin_params_axis=-1,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self._center, self._scale = center, scale
        self._axes = begin_norm_axis, begin_params_axis
        self._after = tf_keras.activations.get(activation)

    def build(self, input_shape):
        shape = tf.TensorShape(input_shape)[self._axes[1] :]
        self._beta = self._gamma = None
        if self._center:
            self._beta = self.add_weight("beta", shape, initializer="zeros")
        if self._scale:
            self._gamma = self.add_weight("gamma", shape, initializer="ones")
        super().build(input_shape)

    def call(self, inputs):
        rank = inputs.shape.rank
        axes = list(range(self._axes[0] % rank, rank))
        mean, variance = tf.nn.moments(inputs, axes, keepdims=True)
        epsilon = 1e-3 if inputs.dtype == tf.float16 else 1e-12
        return self._after(
            tf.nn.batch_normalization(
                inputs, mean, variance, self._beta, self._gamma, epsilon
            )
        )


class OneHot(tf_keras.layers.Layer):
    """tf.contrib.layers.one_hot_encoding, [..., num_classes]."""

    def __init__(self, num_classes, on_value=1.0, off_value=0.0, **kwargs):
        super().__init__(**kwargs)
        self._arguments = num_classes, on_value, off_value

    def call(self, inputs):
        return tf.one_hot(tf.cast(inputs, tf.int64), *self._arguments)


def _as_image(shape):
    return [shape[0], 1, 1, shape[1]] if shape.rank == 2 else shape


def _weights(sample_weight, values):
    """The weight of each of some values, in one row.

    Args:
      sample_weight: of the values' rank, of size 1 where they are alike; or a scalar.
    """
    shape = tf.shape(values)
    weights = tf.cast(1.0 if sample_weight is None else sample_weight, tf.float32)
    return tf.reshape(tf.broadcast_to(weights, shape), [-1])


class _MeanError(tf_keras.metrics.Mean):
    """The mean over all elements, of whatever rank.

    Keras's own takes that of each row first, of which the last batch may have fewer.
    """

    def update_state(self, labels, predictions, sample_weight=None):
        labels = tf.convert_to_tensor(labels)
        predictions = tf.convert_to_tensor(predictions)
        rank = predictions.shape.rank - labels.shape.rank
        if rank == 1:
            predictions = tf.squeeze(predictions, -1)
        elif rank == -1:
            labels = tf.squeeze(labels, -1)
        return super().update_state(self.error(predictions, labels), sample_weight)


class MeanSquaredError(_MeanError):
    """tf.metrics.mean_squared_error."""

    error = staticmethod(tf.math.squared_difference)


class MeanAbsoluteError(_MeanError):
    """tf.metrics.mean_absolute_error."""

    @staticmethod
    def error(predictions, labels):
        return tf.abs(predictions - labels)


class MeanPerClassAccuracy(tf_keras.metrics.Metric):
    """tf.metrics.mean_per_class_accuracy: a class that has not come counts as 0."""

    def __init__(self, num_classes, name=None, dtype="float32"):
        super().__init__(name, dtype)
        self._seen = self.add_weight("seen", [num_classes], initializer="zeros")
        self._right = self.add_weight("right", [num_classes], initializer="zeros")

    def update_state(self, labels, predictions, sample_weight=None):
        """Counts a batch; both are class numbers, of any one shape."""
        weights = _weights(sample_weight, labels)
        labels = tf.reshape(labels, [-1])
        right = tf.equal(tf.cast(tf.reshape(predictions, [-1]), labels.dtype), labels)
        classes = tf.one_hot(labels, self._seen.shape[0]) * weights[:, tf.newaxis]
        self._seen.assign_add(tf.reduce_sum(classes, 0))
        right = tf.cast(right, tf.float32)[:, tf.newaxis]
        self._right.assign_add(tf.reduce_sum(classes * right, 0))

    def result(self):
        return tf.reduce_mean(tf.math.divide_no_nan(self._right, self._seen))


class AUC(tf_keras.metrics.Metric):
    """tf.metrics.auc: the ROC curve's, by the trapezoidal rule over 200 thresholds.

    Keras's has another value where no example, or every one, is positive.
    """

    def __init__(self, name=None, dtype="float32", num_thresholds=200):
        super().__init__(name, dtype)
        inner = [i / (num_thresholds - 1) for i in range(1, num_thresholds - 1)]
        self._thresholds = [-1e-7, *inner, 1 + 1e-7]
        names = ("true_positives", "false_positives", "positives", "negatives")
        self._counts = {
            name: self.add_weight(name, [num_thresholds], initializer="zeros")
            for name in names
        }

    def update_state(self, labels, predictions, sample_weight=None):
        """Counts a batch; labels are 0 or 1, predictions in [0, 1], of any one shape."""
        weights = _weights(sample_weight, labels)
        labels = tf.reshape(tf.cast(labels, tf.bool), [1, -1])
        scores = tf.reshape(tf.cast(predictions, tf.float32), [1, -1])
        above = scores > tf.constant(self._thresholds)[:, tf.newaxis]
        every = tf.ones_like(above)
        for name, which in (
            ("true_positives", above & labels),
            ("false_positives", above & ~labels),
            ("positives", every & labels),
            ("negatives", every & ~labels),
        ):
            counted = tf.cast(which, tf.float32) * weights
            self._counts[name].assign_add(tf.reduce_sum(counted, 1))

    def result(self):
        counts, epsilon = self._counts, 1e-6
        y = (counts["true_positives"] + epsilon) / (counts["positives"] + epsilon)
        x = counts["false_positives"] / (counts["negatives"] + epsilon)
        return tf.reduce_sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2.0)

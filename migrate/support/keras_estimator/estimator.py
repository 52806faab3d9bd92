"""The Estimator of a Keras model, and the graphs in which it trains and evaluates it."""

import contextlib
import inspect
import re

import tensorflow as tf
import tf_keras

try:
    import estimator_loop
    import training_session
except ImportError:  # In a package.
    from .. import estimator_loop, training_session

from . import contrib_layers
from .serving import Serving
from .steps import evaluated, predicted, saved, trained

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
        kept = {weight.name for weight in saved(self.model)}
        # Totals of metrics, and a count of steps beside the global one, are not saved.
        recorded[before:] = [v for v in recorded[before:] if v.name in kept]

    @contextlib.contextmanager
    def building(self):
        with super().building():
            graph, model = v1.get_default_graph(), self.model
            for key, values in (
                (_MODEL, [model]),
                (_Keys.GLOBAL_VARIABLES, saved(model)),
                (_Keys.TRAINABLE_VARIABLES, model.trainable_variables),
                (_Keys.MODEL_VARIABLES, contrib_layers.weights(model)),
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
        if hasattr(model, "initial_values"):
            model.initial_values()
        if mode == estimator_loop.ModeKeys.TRAIN:
            return trained(model, features, labels)
        if mode == estimator_loop.ModeKeys.EVAL:
            return evaluated(model, features, labels)
        return predicted(model, features)

    def _serving(self, serving_input_receiver_fn):
        return Serving(self, serving_input_receiver_fn)


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

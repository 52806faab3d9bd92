"""What a model_fn gives, and what train_and_evaluate is given."""

import collections
import functools
import inspect
import re

import numpy as np
import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from .callbacks import checked_hooks
from .exporters import Exporter


class ModeKeys:
    """What a graph is built for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


class EstimatorSpec(
    collections.namedtuple(
        "EstimatorSpec",
        [
            "mode",
            "predictions",
            "loss",
            "train_op",
            "eval_metric_ops",
            "export_outputs",
            "training_chief_hooks",
            "training_hooks",
            "scaffold",
            "evaluation_hooks",
            "prediction_hooks",
        ],
    )
):
    """What a model_fn returns; parameters and checks are TF1's."""

    __slots__ = ()

    def __new__(
        cls,
        mode,
        predictions=None,
        loss=None,
        train_op=None,
        eval_metric_ops=None,
        export_outputs=None,
        training_chief_hooks=None,
        training_hooks=None,
        scaffold=None,
        evaluation_hooks=None,
        prediction_hooks=None,
    ):
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL) and loss is None:
            raise ValueError("Missing loss.")
        if mode == ModeKeys.TRAIN and train_op is None:
            raise ValueError("Missing train_op.")
        if mode == ModeKeys.PREDICT and predictions is None:
            raise ValueError("Missing predictions.")
        if loss is not None:
            loss = tf.convert_to_tensor(loss)
            if loss.shape.num_elements() not in (None, 1):
                raise ValueError(f"Loss must be scalar, given: {loss}")
            if loss.shape.rank != 0:
                loss = tf.reshape(loss, [])
        return super().__new__(
            cls,
            mode,
            {} if predictions is None else predictions,
            loss,
            train_op,
            dict(eval_metric_ops or {}),
            export_outputs,
            tuple(checked_hooks(training_chief_hooks)),
            tuple(checked_hooks(training_hooks)),
            scaffold,
            tuple(checked_hooks(evaluation_hooks)),
            tuple(checked_hooks(prediction_hooks)),
        )


def _callable_input_fn(input_fn):
    if not callable(input_fn):
        raise TypeError(f"`input_fn` must be callable, given: {input_fn}")


def _checked_exporters(exporters):
    """The exporters as a tuple.

    Raises:
      TypeError: one is no Exporter.
      ValueError: one has no name, or another's.
    """
    exporters = (exporters,) if isinstance(exporters, Exporter) else exporters or ()
    if not all(isinstance(exporter, Exporter) for exporter in exporters):
        raise TypeError(
            "`exporters` must be an Exporter, an iterable of Exporter, or `None`, "
            f"found {exporters}."
        )
    names = [exporter.name for exporter in exporters]
    if not all(isinstance(name, str) and name for name in names):
        raise ValueError(f"An Exporter must have a string name. All names: {names}")
    if len(set(names)) < len(names):
        raise ValueError(f"`exporters` must have unique names. All names: {names}")
    return tuple(exporters)


class TrainSpec(
    collections.namedtuple("TrainSpec", ["input_fn", "max_steps", "hooks"])
):
    """What train_and_evaluate trains with."""

    __slots__ = ()

    def __new__(cls, input_fn, max_steps=None, hooks=None):
        _callable_input_fn(input_fn)
        if max_steps is not None and max_steps <= 0:
            raise ValueError(f"Must specify max_steps > 0, given: {max_steps}")
        checked_hooks(hooks)
        return super().__new__(cls, input_fn, max_steps, tuple(hooks or ()))


class EvalSpec(
    collections.namedtuple(
        "EvalSpec",
        [
            "input_fn",
            "steps",
            "name",
            "hooks",
            "exporters",
            "start_delay_secs",
            "throttle_secs",
        ],
    )
):
    """What train_and_evaluate evaluates, and how often at most."""

    __slots__ = ()

    def __new__(
        cls,
        input_fn,
        steps=100,
        name=None,
        hooks=None,
        exporters=None,
        start_delay_secs=120,
        throttle_secs=600,
    ):
        _callable_input_fn(input_fn)
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        if name is not None and not isinstance(name, str):
            raise TypeError(f"`name` must be string, given: {name}")
        checked_hooks(hooks)
        exporters = _checked_exporters(exporters)
        for key, secs in (
            ("start_delay_secs", start_delay_secs),
            ("throttle_secs", throttle_secs),
        ):
            if secs < 0:
                raise ValueError(f"Must specify {key} >= 0, given: {secs}")
        return super().__new__(
            cls,
            input_fn,
            steps,
            name,
            tuple(hooks or ()),
            tuple(exporters),
            start_delay_secs,
            throttle_secs,
        )


class WarmStartSettings(
    collections.namedtuple(
        "WarmStartSettings",
        [
            "ckpt_to_initialize_from",
            "vars_to_warm_start",
            "var_name_to_vocab_info",
            "var_name_to_prev_var_name",
        ],
    )
):
    """The checkpoint, or directory, from which a new training starts; parameters are TF1's.

    `vars_to_warm_start` is a regular expression of names of trainable variables, or a list
    of those of any variables, or of variables; None means those of `var_name_to_vocab_info`.
    """

    __slots__ = ()

    def __new__(
        cls,
        ckpt_to_initialize_from,
        vars_to_warm_start=".*",
        var_name_to_vocab_info=None,
        var_name_to_prev_var_name=None,
    ):
        if not ckpt_to_initialize_from:
            raise ValueError(
                "`ckpt_to_initialize_from` MUST be set in WarmStartSettings"
            )
        return super().__new__(
            cls,
            ckpt_to_initialize_from,
            vars_to_warm_start,
            dict(var_name_to_vocab_info or {}),
            dict(var_name_to_prev_var_name or {}),
        )

    def start(self, replicas, session):
        """Gives the variables their values.

        Raises:
          ValueError: one is not in the checkpoint, or has another shape there.
        """
        path = self.ckpt_to_initialize_from
        if tf.io.gfile.isdir(path):
            path = tf.train.latest_checkpoint(path)
        unused = {*self.var_name_to_prev_var_name, *self.var_name_to_vocab_info}
        for name, parts in replicas.entries().items():
            vocabulary = self.var_name_to_vocab_info.get(name)
            only_vocabularies = self.vars_to_warm_start is None
            if not self._starts(parts[0]) or (only_vocabularies and not vocabulary):
                continue
            unused.discard(name)
            source = self.var_name_to_prev_var_name.get(name, name)
            if vocabulary is None:
                training_session.Saver({source: parts}).restore(session, path)
            else:
                value = vocabulary.remapped(tf.train.load_variable(path, source))
                sizes = [part.shape[0] for part in parts]
                for part, rows in zip(parts, np.split(value, np.cumsum(sizes)[:-1])):
                    part.assign(rows)
        if unused:
            raise ValueError(
                f"You provided variables for a warm start that are not there, or are not "
                f"to be started: {sorted(unused)}"
            )

    def _starts(self, variable):
        wanted = self.vars_to_warm_start
        if wanted is None or isinstance(wanted, str):
            return variable.trainable and bool(re.match(wanted or "", variable.name))
        return any(
            re.match(item, variable.name) if isinstance(item, str) else item is variable
            for item in wanted
        )


def arguments_of(function):
    """Names of a function's parameters; of a partial those that are not given yet."""
    if isinstance(function, functools.partial):
        given = len(function.args)
        return [
            n for n in arguments_of(function.func)[given:] if n not in function.keywords
        ]
    if callable(function) and not inspect.isroutine(function):
        function = function.__call__
    return list(inspect.signature(function).parameters)


def check_arguments(model_fn, params):
    """Raises ValueError where a model_fn cannot be called as an Estimator's is."""
    names = arguments_of(model_fn)
    if "features" not in names:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params "
            f"({params}) is passed to Estimator."
        )
    unknown = set(names) - {"features", "labels", "mode", "params", "config", "self"}
    if unknown:
        raise ValueError(
            f"model_fn ({model_fn}) has following not expected args: {sorted(unknown)}"
        )

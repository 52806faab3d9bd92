"""What tf.estimator did for a TF1 program, for tf.distribute.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later, tf_keras, and `training_session.py` beside it.

Your `model_fn` stays what it was: a function that builds one of three graphs. Here
each is a step function:

    train     tf.function of model_fn(TRAIN), run by the strategy
    evaluate  model_fn(EVAL), of which only the metrics' updates are run
    predict   model_fn(PREDICT), of which only the predictions are run

As in TF1 every call of `train`, `evaluate` and `predict` builds its graph anew and
takes the variables' values from the latest checkpoint in `model_dir`. Checkpoints
are TF1's: same file format, same names, slots included, so that an old model_dir is
continued, and TF1 can read what is saved here.

The strategy is chosen at run time from the TF_CONFIG that TF1 read:

    no cluster            this process alone
    ps and workers        ParameterServerStrategy; the chief's process is also the
                          coordinator, which runs one loop per worker
    workers, no ps        MultiWorkerMirroredStrategy
    an evaluator          takes no part: it evaluates checkpoints as they come
    RunConfig(train_distribute=...)     wins over all of these
"""

import collections
import contextlib
import copy
import functools
import inspect
import itertools
import json
import os
import re
import tempfile
import threading
import time

import numpy as np
import tensorflow as tf

try:
    import training_session
except ImportError:  # In a package.
    from . import training_session

# tf.layers and tf.nn.rnn_cell as TF1 had them: names, collections and defaults. TensorFlow itself exports
# them only where Keras 2 is switched on for the whole process.
from tf_keras.api._v1.keras.__internal__.legacy import layers, rnn_cell  # noqa: F401

v1 = tf.compat.v1
_logging = v1.logging
_Keys = v1.GraphKeys


class ModeKeys:
    """What a graph is built for."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


# -- variables ----------------------------------------------------------------


# Collections that a traced function shares with the graph outside. The first two hold
# what get_variable and variable_scope know.
_SHARED = (
    ("__variable_store",),
    ("__varscope",),
    _Keys.GLOBAL_VARIABLES,
    _Keys.LOCAL_VARIABLES,
    _Keys.TRAINABLE_VARIABLES,
)


# A traced function's own: the variables made since a layer last began to make one.
_NEW = "estimator_loop/new_variables"


def _penalise_once():
    """Layers add a weight's penalty where they make the weight, as TF1's did.

    TensorFlow 2's would add it again where a layer is applied to weights that are there
    (`reuse`).
    """
    layer = next(
        c
        for c in layers.Dense.__mro__
        if c.__module__.endswith("legacy_tf_layers.base")
    )
    make, penalise = layer.add_weight, layer._handle_weight_regularization

    def traced():
        return v1.get_default_graph().building_function

    def add_weight(self, *args, **kwargs):
        if traced():
            v1.get_collection_ref(_NEW).clear()
        return make(self, *args, **kwargs)

    def handle_weight_regularization(self, name, variable, regularizer):
        parts = [variable] if hasattr(variable, "assign") else list(variable)
        new = v1.get_collection(_NEW)
        if not traced() or any(part is v for part in parts for v in new):
            penalise(self, name, variable, regularizer)

    layer.add_weight = add_weight
    layer._handle_weight_regularization = handle_weight_regularization


_penalise_once()


class _Graph:
    """The graph that a model_fn builds: gives it variables that outlive the trace.

    Variables are made outside the traced function, once, under TF1's names, and listed
    in the graph's collections as TF1 listed them. Where TensorFlow traces the function
    again, the same variables are given again, in the order of making.

    Args:
      replicas: what records the variables, for checkpoints.
    """

    def __init__(self, replicas):
        self._replicas = replicas
        # Those that the first replica of this process makes, and those that are made for
        # all of them together (slots); how many of them it has been given.
        self._made = {0: [], None: []}
        self._given = collections.Counter()
        self._others = collections.defaultdict(
            list
        )  # What the others are still to get.
        self.global_step = training_session.create_global_step()

    @contextlib.contextmanager
    def creating(self):
        """Functions traced inside take their variables from here."""
        # A traced function has a creator of its own, at 50; this one goes before it.
        with v1.get_default_graph()._variable_creator_scope(self._create, priority=300):
            yield

    @contextlib.contextmanager
    def building(self):
        """A trace: what is built inside finds the global step.

        Replicas of one process build one graph, one after the other, as TF1's did.
        """
        if self._replica() == 0:
            self._given.clear()
            self._others.clear()
            graph = v1.get_default_graph()
            for key in _SHARED:
                graph.clear_collection(key)
            graph.add_to_collection(_Keys.GLOBAL_STEP, self.global_step)
            graph.add_to_collection(_Keys.GLOBAL_VARIABLES, self.global_step)
        yield

    def _replica(self):
        return self._replicas.replica()

    def _name_in_replica(self, kwargs):
        """The name of a new variable, the same for all replicas."""
        scope = f"{tf.get_current_name_scope()}/{kwargs.get('name')}"
        return re.sub(r"(^|/)replica_\d+/", r"\1", scope)

    def _create(self, next_creator, **kwargs):
        if kwargs.get("experimental_enable_variable_lifting") is False:
            return next_creator(**kwargs)  # From below.
        replica = self._replica()
        name = self._name_in_replica(kwargs)
        if replica:  # The first has made it, and listed it.
            return self._others[replica, name].pop(0)
        made = self._made[replica]
        if self._given[replica] == len(made):
            made.append(self._new(next_creator, kwargs))
        variable = made[self._given[replica]]
        self._given[replica] += 1
        for other in range(1, self._replicas.count):
            self._others[other, name].append(variable)
        if tf.executing_eagerly():
            return variable  # A slot: its optimizer makes it outside by itself.
        self._know_its_rows(variable)
        graph = v1.get_default_graph()
        graph.add_to_collection(_NEW, variable)
        listed = list(kwargs.get("collections") or [_Keys.GLOBAL_VARIABLES])
        if _is_trainable(kwargs) and _Keys.TRAINABLE_VARIABLES not in listed:
            listed.append(_Keys.TRAINABLE_VARIABLES)
        for key in listed:
            # In a graph that is evaluated TensorFlow has listed it already.
            if not any(variable is other for other in graph.get_collection(key)):
                graph.add_to_collection(key, variable)
        return variable

    def _know_its_rows(self, variable):
        """A partitioner's variables are told which rows they hold: kept for checkpoints.

        What optimizers look for is left empty: they would ask a variable of TF2 for its
        operation, which it has not.

        Raises (when it is told):
          ValueError: it holds columns.
        """

        def tell(rows):
            if any(rows.var_offset[1:]):
                raise ValueError(
                    f"{rows.full_name} is partitioned by another axis than its first"
                )
            variable._get_save_slice_info = lambda: rows
            self._replicas.parts[_name_of(variable)] = rows.full_name

        variable._set_save_slice_info = tell

    def _slot(self, next_creator, kwargs):
        """A slot; one of a part is known by the name that TF1 gave it in checkpoints.

        Its own name is that of the part, below the variable scope in which the optimizer
        was applied; TF1 took as many letters off it as the part's name has. So the
        checkpoints of ready-made Estimators have "dnn/logits/kernel/t_0/Adagrad".
        """
        variable = next_creator(**kwargs)
        name = _name_of(variable)
        for part in itertools.chain(*self._made.values()):
            told = getattr(part, "_get_save_slice_info", None)
            rows = told and told()
            scope, found, _ = f"/{name}".rpartition(f"/{_name_of(part)}/")
            if found and rows and variable.shape.rank == len(rows.full_shape):
                saved = f"{rows.full_name}/{name[len(_name_of(part)) + 1 :]}"
                self._replicas.parts[name] = saved
                if scope and rows.var_shape != rows.full_shape:
                    self._replicas.slices[saved] = rows.spec
        return variable

    def _new(self, next_creator, kwargs):
        # The traced function is not to hold it: it would be traced a second time.
        kwargs = {**kwargs, "experimental_enable_variable_lifting": False}
        if tf.executing_eagerly():
            return self._slot(next_creator, kwargs)
        # tf.Variable's names depend on the name scope; get_variable has reset it.
        scopes = [v1.get_default_graph().get_name_scope(), kwargs.get("name")]
        scope, _, name = "/".join(s for s in scopes if s).rpartition("/")
        initial = _liftable(kwargs.get("initial_value"))
        recorded = len(self._replicas._recorded)
        with tf.init_scope(), tf.name_scope(scope + "/" if scope else ""):
            variable = tf.Variable(
                initial_value=initial,
                trainable=_is_trainable(kwargs),
                name=name or "Variable",
                dtype=kwargs.get("dtype"),
                shape=kwargs.get("shape"),
                constraint=kwargs.get("constraint"),
                synchronization=kwargs.get("synchronization")
                or tf.VariableSynchronization.AUTO,
                aggregation=kwargs.get("aggregation") or tf.VariableAggregation.NONE,
                experimental_enable_variable_lifting=False,
            )
        if _Keys.GLOBAL_VARIABLES not in (
            kwargs.get("collections") or [_Keys.GLOBAL_VARIABLES]
        ):
            del self._replicas._recorded[recorded:]  # Metrics' totals are not saved.
        return variable


def op_name(value):
    """What TF1 gave as `value.op.name`: a variable of TF2 has no operation."""
    return _name_of(value) if hasattr(value, "assign") else value.op.name


def _name_of(variable):
    """A variable's name, without the number of the output."""
    return variable.name.partition(":")[0]


def _is_trainable(kwargs):
    trainable = kwargs.get("trainable")
    return True if trainable is None else trainable


def init_from_checkpoint(ckpt_dir_or_file, assignment_map):
    """Gives variables of the graph that is being built values of a checkpoint.

    A training that goes on from a checkpoint of its own has that one's instead, as in TF1.

    Args:
      ckpt_dir_or_file: a checkpoint, or a directory of them.
      assignment_map: name or scope ("scope/") in the checkpoint -> name or scope in the
        graph, or a variable.

    Raises:
      ValueError: a name is not in the checkpoint, or stands for nothing in the graph.
    """
    path = ckpt_dir_or_file
    if tf.io.gfile.isdir(path):
        path = tf.train.latest_checkpoint(path)
    reader = tf.train.load_checkpoint(path)
    shapes = reader.get_variable_to_shape_map()
    here = {}
    for variable in v1.get_default_graph().get_collection(_Keys.GLOBAL_VARIABLES):
        here.setdefault(_whole_name(variable), []).append(variable)
    chosen = {}  # Name -> the variable, or its parts; and what they are called there.
    items = getattr(assignment_map, "items", lambda: assignment_map)()
    for source, target in items:
        if not isinstance(target, str):
            parts = [target] if hasattr(target, "assign") else list(target)
            chosen[_whole_name(parts[0])] = (parts, source)
        elif not source.endswith("/"):
            if target not in here:
                raise ValueError(f"Assignment map target {target} is no variable")
            chosen[target] = (here[target], source)
        else:
            source = "" if source == "/" else source
            inside = "" if target == "/" else target
            for name, parts in here.items():
                if name.startswith(inside) and source + name[len(inside) :] in shapes:
                    chosen[name] = (parts, source + name[len(inside) :])
    for name, (parts, source) in chosen.items():
        if source not in shapes:
            raise ValueError(f"Tensor {source} is not found in {path}")
        rows = parts[0]._get_save_slice_info()
        shape = list(rows.full_shape if rows else parts[0].shape)
        if list(shapes[source]) != shape:
            raise ValueError(
                f"Shape of variable {name} ({shape}) doesn't match with shape "
                f"of tensor {source} ({shapes[source]}) from checkpoint reader."
            )
        value = reader.get_tensor(source)
        with tf.init_scope():
            for part in parts:
                rows = part._get_save_slice_info()
                first = rows.var_offset[0] if rows else 0
                part.assign(value[first : first + rows.var_shape[0]] if rows else value)


def _whole_name(variable):
    """The name in checkpoints of a variable, or of what it is a part of."""
    rows = variable._get_save_slice_info()
    return rows.full_name if rows else _name_of(variable)


class ExponentialMovingAverage(v1.train.ExponentialMovingAverage):
    """TF1's moving averages; what finds them in a checkpoint goes by names."""

    def variables_to_restore(self, moving_avg_variables=None):
        """Name in the checkpoint -> variable: averages for those that have one."""
        averaged = list(moving_avg_variables or ())
        if not averaged:
            averaged = v1.trainable_variables() + v1.moving_average_variables()
        names = {v.name: self.average_name(v) for v in averaged}
        variables = {v.name: v for v in [*averaged, *v1.global_variables()]}
        return {
            names.get(name, name.partition(":")[0]): variable
            for name, variable in variables.items()
        }


def _liftable(initial):
    """An initial value that can be computed outside the graph that is being built."""
    if callable(initial):
        return initial
    if not tf.is_symbolic_tensor(initial):
        return initial
    definition = v1.graph_util.extract_sub_graph(
        initial.graph.as_graph_def(), [initial.op.name]
    )
    name = initial.name

    def compute():
        function = v1.wrap_function(
            lambda: v1.import_graph_def(definition, return_elements=[name], name=""), []
        )
        return function()[0]

    return compute


# -- input --------------------------------------------------------------------


class _Drawn(Exception):
    """An input_fn has asked an iterator for a batch."""

    def __init__(self, dataset):
        super().__init__("an input_fn's iterator was asked outside of Estimator")
        self.dataset = dataset


class _OneShotIterator:
    """`dataset.make_one_shot_iterator()`, whose `get_next` an input_fn builds on."""

    drawing = threading.local()

    def __init__(self, dataset):
        self._dataset = dataset
        self.initializer = tf.no_op() if not tf.executing_eagerly() else None

    def get_next(self, name=None):
        batch = getattr(self.drawing, "batch", None)
        if batch is None:
            raise _Drawn(self._dataset)
        return batch[0]


def one_shot_iterator(dataset):
    """The iterator of a dataset in an input_fn: its `get_next` stands for a batch."""
    return _OneShotIterator(dataset)


def _dataset(input_fn):
    """What an input_fn gives, as a dataset of (features, labels) or features.

    An input_fn that takes a batch from an iterator is run twice: once to find the
    dataset, once as a function of its elements.
    """
    try:
        result = input_fn()
    except _Drawn as drawn:
        local = _OneShotIterator.drawing

        def process(*batch):
            local.batch = [batch[0] if len(batch) == 1 else batch]
            try:
                return _as_dataset_element(input_fn())
            finally:
                local.batch = None

        return drawn.dataset.map(process)
    if isinstance(result, tf.data.Dataset):
        return result
    if isinstance(result, _Input):
        return result.dataset()
    # Tensors that no iterator gives: the same batch in every step.
    return tf.data.Dataset.from_tensors(_as_dataset_element(result)).repeat()


def _as_dataset_element(result):
    """Lists would be one tensor in a dataset; TF1 took them for a pair."""
    if isinstance(result, list):
        result = tuple(result)
    if isinstance(result, tuple) and len(result) == 2 and result[1] is None:
        result = result[0]
    return result


def _grouped(batches, count):
    """Lists of `count` batches, one for each replica; what is left over is left out."""
    while len(group := list(itertools.islice(batches, count))) == count:
        yield group


def _split(element):
    """(features, labels) of an element of an input_fn's dataset."""
    if isinstance(element, (tuple, list)):
        if len(element) == 1:
            return element[0], None
        if len(element) == 2:
            return element[0], element[1]
        raise ValueError("input_fn should return (features, labels)")
    return element, None


def index_table_from_tensor(
    mapping, num_oov_buckets=0, default_value=-1, dtype=tf.string, name=None
):
    """tf.contrib.lookup's: from a value of `mapping` to its place there, int64.

    Args:
      mapping: a tensor or list, rank 1.
      num_oov_buckets: how many numbers more other values are hashed to; if 0, these are
        `default_value`.
    """
    keys = tf.convert_to_tensor(mapping, dtype)
    places = tf.range(tf.size(keys, tf.int64))
    initial = tf.lookup.KeyValueTensorInitializer(keys, places)
    if num_oov_buckets:
        return v1.lookup.StaticVocabularyTable(initial, num_oov_buckets, name=name)
    return v1.lookup.StaticHashTable(initial, default_value, name=name)


class _Input:
    """An input_fn's result that is made into a dataset where it is used."""

    def __init__(self, make):
        self.dataset = make


class inputs:
    """tf.estimator.inputs."""

    @staticmethod
    def numpy_input_fn(
        x,
        y=None,
        batch_size=128,
        num_epochs=1,
        shuffle=None,
        queue_capacity=1000,
        num_threads=1,
    ):
        """Batches of rows of arrays; a batch may span epochs, the last may be smaller.

        Args:
          x: an array or a dict of arrays, rows first.
          y: labels, likewise, or None.
          shuffle: whether rows are drawn at random; must be given.
          queue_capacity: how many rows a random draw is from.
        """
        if not isinstance(shuffle, bool):
            raise ValueError(
                "shuffle must be provided and explicitly set as boolean "
                f"(it is recommended to set it as True for training); got {shuffle}"
            )
        lengths = {len(a) for a in tf.nest.flatten([x] if y is None else [x, y])}
        if len(lengths) != 1:
            raise ValueError(f"Length of tensors in x and y is mismatched: {lengths}")

        def make():
            data = x if y is None else (x, y)
            dataset = tf.data.Dataset.from_tensor_slices(data)
            if shuffle:
                dataset = dataset.shuffle(queue_capacity)
            return dataset.repeat(num_epochs).batch(
                batch_size, drop_remainder=num_epochs is None
            )

        return lambda: _Input(make)

    @staticmethod
    def pandas_input_fn(
        x,
        y=None,
        batch_size=128,
        num_epochs=1,
        shuffle=None,
        queue_capacity=1000,
        num_threads=1,
        target_column="target",
    ):
        """As numpy_input_fn, of a DataFrame's columns; y is a Series or a DataFrame."""
        columns = {name: x[name].values for name in x.columns}
        labels = None
        if y is not None:
            many = hasattr(y, "columns")
            labels = {name: y[name].values for name in y.columns} if many else y.values
        return inputs.numpy_input_fn(
            columns, labels, batch_size, num_epochs, shuffle, queue_capacity
        )


# -- specifications -----------------------------------------------------------


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
            tuple(_checked(training_chief_hooks)),
            tuple(_checked(training_hooks)),
            scaffold,
            tuple(_checked(evaluation_hooks)),
            tuple(_checked(prediction_hooks)),
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
        _checked(hooks)
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
        _checked(hooks)
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


_UNSET = object()


class RunConfig:
    """Where and how an Estimator runs; reads TF_CONFIG. Parameters are TF1's.

    `session_config`, `device_fn` and `protocol` are kept but configure nothing: there is
    no session, and a strategy places variables.
    """

    _DEFAULTS = {
        "tf_random_seed": None,
        "save_summary_steps": 100,
        "save_checkpoints_steps": None,
        "save_checkpoints_secs": 600,
        "session_config": None,
        "keep_checkpoint_max": 5,
        "keep_checkpoint_every_n_hours": 10000,
        "log_step_count_steps": 100,
        "train_distribute": None,
        "device_fn": None,
        "protocol": None,
        "eval_distribute": None,
        "experimental_distribute": None,
        "experimental_max_worker_delay_secs": None,
        "session_creation_timeout_secs": 7200,
    }

    def __init__(
        self,
        model_dir=None,
        tf_random_seed=None,
        save_summary_steps=100,
        save_checkpoints_steps=_UNSET,
        save_checkpoints_secs=_UNSET,
        session_config=None,
        keep_checkpoint_max=5,
        keep_checkpoint_every_n_hours=10000,
        log_step_count_steps=100,
        train_distribute=None,
        device_fn=None,
        protocol=None,
        eval_distribute=None,
        experimental_distribute=None,
        experimental_max_worker_delay_secs=None,
        session_creation_timeout_secs=7200,
    ):
        steps, secs = save_checkpoints_steps, save_checkpoints_secs
        if steps is _UNSET and secs is _UNSET:
            steps, secs = None, 600
        elif steps is _UNSET:
            steps = None
        elif secs is _UNSET:
            secs = None
        if steps is not None and secs is not None:
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        if experimental_distribute is not None:
            train_distribute = (
                train_distribute or experimental_distribute.train_distribute
            )
        config = json.loads(os.environ.get("TF_CONFIG") or "{}")
        if model_dir == "":
            raise ValueError("model_dir should be non-empty")
        self._values = dict(
            model_dir=model_dir or config.get("model_dir") or None,
            tf_random_seed=tf_random_seed,
            save_summary_steps=save_summary_steps,
            save_checkpoints_steps=steps,
            save_checkpoints_secs=secs,
            session_config=session_config,
            keep_checkpoint_max=keep_checkpoint_max,
            keep_checkpoint_every_n_hours=keep_checkpoint_every_n_hours,
            log_step_count_steps=log_step_count_steps,
            train_distribute=train_distribute,
            device_fn=device_fn,
            protocol=protocol,
            eval_distribute=eval_distribute,
            experimental_max_worker_delay_secs=experimental_max_worker_delay_secs,
            session_creation_timeout_secs=session_creation_timeout_secs,
        )
        self._check()
        cluster = dict(config.get("cluster") or {})
        task = config.get("task") or {}
        self.service = config.get("service")
        self.task_type = task.get("type", "worker") if cluster or task else "worker"
        self.task_id = int(task.get("index", 0))
        if cluster and not any(job in cluster for job in ("chief", "master")):
            raise ValueError("If cluster is set in TF_CONFIG, it must have one chief.")
        # An evaluator is none of the cluster's tasks.
        cluster.pop("evaluator", None)
        self.cluster_spec = tf.train.ClusterSpec(
            {} if self.task_type == "evaluator" else cluster
        )
        self.evaluation_master = ""

    def _check(self):
        """Raises ValueError where TF1 did."""
        values = self._values
        for name in (
            "save_summary_steps",
            "save_checkpoints_steps",
            "save_checkpoints_secs",
            "keep_checkpoint_max",
        ):
            if values[name] is not None and values[name] < 0:
                raise ValueError(f"{name} should be >= 0")
        for name in (
            "keep_checkpoint_every_n_hours",
            "log_step_count_steps",
            "session_creation_timeout_secs",
        ):
            if values[name] is not None and values[name] <= 0:
                raise ValueError(f"{name} should be > 0")
        for name in ("tf_random_seed", "experimental_max_worker_delay_secs"):
            if values[name] is not None and not isinstance(values[name], int):
                raise ValueError(f"{name} must be integer.")
        device_fn = values["device_fn"]
        if device_fn is not None and (
            not callable(device_fn) or _arguments(device_fn) != ["op"]
        ):
            raise ValueError(
                'device_fn must be callable with exactly one argument "op".'
            )

    def __getattr__(self, name):
        values = self.__dict__.get("_values", {})
        if name in values:
            return values[name]
        raise AttributeError(name)

    @property
    def cluster(self):
        return self.cluster_spec.as_dict()

    @property
    def is_chief(self):
        if not self.cluster:
            return self.task_type != "evaluator"
        return self.task_type in ("chief", "master")

    @property
    def master(self):
        if not self.cluster or self.task_type == "evaluator":
            return ""
        return "grpc://" + self.cluster_spec.task_address(self.task_type, self.task_id)

    @property
    def num_ps_replicas(self):
        return len(self.cluster.get("ps", ()))

    @property
    def num_worker_replicas(self):
        if not self.cluster:
            return 0 if self.task_type == "evaluator" else 1
        return sum(len(self.cluster.get(j, ())) for j in ("chief", "master", "worker"))

    @property
    def global_id_in_cluster(self):
        if self.task_type == "evaluator":
            return None
        if not self.cluster or self.is_chief:
            return 0
        return self.task_id + 1

    def replace(self, **kwargs):
        """A copy with some arguments replaced.

        Raises:
          ValueError: there is no such argument, or both save intervals are given.
        """
        both = {"save_checkpoints_steps", "save_checkpoints_secs"}
        if both <= set(kwargs) and None not in [kwargs[k] for k in both]:
            raise ValueError(
                "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
            )
        new = copy.copy(self)
        new._values = dict(self._values)
        for name, value in kwargs.items():
            if name not in new._values:
                raise ValueError(f"Replacing {name} is not supported.")
            new._values[name] = value
            if name in both:
                new._values.update(dict.fromkeys(both - {name}))
                new._values[name] = value
        return new


# -- hooks --------------------------------------------------------------------

StopAtStepHook = training_session.StopAtStepHook
StepCounterHook = training_session.StepCounterHook
ProfilerHook = training_session.ProfilerHook
GlobalStepWaiterHook = training_session.GlobalStepWaiterHook
NanLossDuringTrainingError = training_session.NanLossDuringTrainingError
Saver = training_session.Saver


class Scaffold(training_session.Scaffold):
    """The parts of tf.train.Scaffold that mean something here."""

    def __init__(self, saver=None, init_fn=None, **_):
        self.own_saver = saver
        super().__init__(saver, init_fn)


class _TensorHook:
    """A hook that watches tensors: of the graph that model_fn builds, or named by string.

    The step function gives the hook their values under keys of the hook's own.
    """

    _numbers = itertools.count()

    def watch(self, tensors):
        """Tensors (or their names) by key; returns the keys they are observed under."""
        number = next(self._numbers)
        self.watched = {f"hook_{number}/{key}": t for key, t in tensors.items()}
        return dict(zip(tensors, self.watched))

    def resolved(self, graph):
        """The tensors by key, of a graph.

        Raises:
          KeyError: the graph has no tensor of that name.
        """

        def find(tensor):
            if not isinstance(tensor, str):
                return tensor
            return graph.get_tensor_by_name(tensor if ":" in tensor else f"{tensor}:0")

        return {key: find(tensor) for key, tensor in self.watched.items()}


class LoggingTensorHook(_TensorHook, training_session.Hook):
    """Logs tensors every so many steps, or seconds; parameters are TF1's."""

    def __init__(
        self,
        tensors,
        every_n_iter=None,
        every_n_secs=None,
        at_end=False,
        formatter=None,
    ):
        if not isinstance(tensors, dict):
            tensors = {str(getattr(t, "name", t)): t for t in tensors}
        self._keys = self.watch(tensors)
        if formatter is not None:
            given = formatter
            formatter = lambda values: given(  # noqa: E731
                {key: values[self._keys[key]] for key in self._keys}
            )
        else:
            formatter = self._text
        self._hook = training_session.LoggingTensorHook(
            list(self.watched), every_n_iter, every_n_secs, at_end, formatter
        )

    def _text(self, values):
        return ", ".join(f"{k} = {values[o]!s}" for k, o in sorted(self._keys.items()))

    def after_run(self, sess, step, results):
        self._hook.after_run(sess, step, results)

    def end(self, sess):
        self._hook.end(sess)


class NanTensorHook(_TensorHook, training_session.NanTensorHook):
    """Fails, or stops, when a tensor is not a number."""

    def __init__(self, loss_tensor, fail_on_nan_loss=True):
        key = self.watch({"loss": loss_tensor})["loss"]
        training_session.NanTensorHook.__init__(self, key, fail_on_nan_loss)


class SummarySaverHook(_TensorHook, training_session.SummarySaverHook):
    """Writes summaries every so many steps, or seconds."""

    def __init__(
        self,
        save_steps=None,
        save_secs=None,
        output_dir=None,
        summary_writer=None,
        scaffold=None,
        summary_op=None,
    ):
        key = None
        self.watched = {}
        if isinstance(summary_op, (list, tuple)):
            summary_op = v1.summary.merge(list(summary_op))
        if summary_op is not None:
            key = self.watch({"summary": summary_op})["summary"]
        training_session.SummarySaverHook.__init__(
            self, save_steps, save_secs, output_dir, summary_writer, summary_op=key
        )
        self._every_step = save_steps == 1

    def after_run(self, sess, step, results):
        # TF1 looked ahead by a step: in an evaluation, where the step stays, it wrote all.
        if self._every_step and self._timer.last_step == step:
            self._timer.last_step = step - 1
        super().after_run(sess, step, results)


class CheckpointSaverListener:
    """Called before and after a checkpoint is written."""

    def begin(self):
        pass

    def before_save(self, session, global_step_value):
        pass

    def after_save(self, session, global_step_value):
        pass

    def end(self, session, global_step_value):
        pass


class CheckpointSaverHook(training_session.CheckpointSaverHook):
    """Saves at the start, then every so many steps or seconds, and at the end."""

    def __init__(
        self,
        checkpoint_dir,
        save_secs=None,
        save_steps=None,
        saver=None,
        checkpoint_basename="model.ckpt",
        scaffold=None,
        listeners=None,
    ):
        super().__init__(
            checkpoint_dir, save_secs, save_steps, saver, checkpoint_basename, scaffold
        )
        self.listeners = list(listeners or ())

    def begin(self, sess):
        for listener in self.listeners:
            listener.begin()
        super().begin(sess)

    def end(self, sess):
        super().end(sess)
        # The step that was saved: other workers may have gone on meanwhile.
        step = self._timer.last_step
        with _knowing(sess.replicas.global_step):
            for listener in self.listeners:
                listener.end(_HookSession(sess), step)

    def _save(self, sess, step):
        with _knowing(sess.replicas.global_step):
            for listener in self.listeners:
                listener.before_save(_HookSession(sess), step)
        super()._save(sess, step)
        with _knowing(sess.replicas.global_step):
            for listener in self.listeners:
                if listener.after_save(_HookSession(sess), step):
                    sess.request_stop()


class SessionRunArgs(
    collections.namedtuple("SessionRunArgs", ["fetches", "feed_dict", "options"])
):
    """What a hook wants to see of the next step. Nothing can be fed."""

    __slots__ = ()

    def __new__(cls, fetches, feed_dict=None, options=None):
        if feed_dict:
            raise ValueError("a step function cannot be fed by a hook")
        return super().__new__(cls, fetches, None, options)


SessionRunValues = collections.namedtuple(
    "SessionRunValues", ["results", "options", "run_metadata"]
)


class SessionRunContext:
    """What a hook can do around a step: ask training to stop."""

    def __init__(self, original_args=None, session=None):
        self.original_args = original_args
        self.session = session
        self.stop_requested = False

    def request_stop(self):
        self.stop_requested = True


class SessionRunHook(v1.train.SessionRunHook):
    """tf.train.SessionRunHook: derive hooks of your own from it, as in TF1.

    `begin` is called when the graph of model_fn has been built, inside it. What
    `before_run` asks for must be a tensor of that graph that the hook names when it is
    first asked, or holds in an attribute after `begin`. Hooks that derive from
    `tf.compat.v1.train.SessionRunHook` itself, of modules that have sessions too, are
    called in the same way.
    """


def _is_own(hook):
    """Whether a hook is of the program's own class; TensorFlow's need a session."""
    return isinstance(hook, v1.train.SessionRunHook) and all(
        c in (v1.train.SessionRunHook, object)
        or not c.__module__.startswith("tensorflow.")
        for c in type(hook).__mro__
    )


class _HookSession:
    """What a hook of the program sees of its session: it reads variables, and stops.

    Everything else is the training session's own.
    """

    def __init__(self, session):
        self._session = session

    def __getattr__(self, name):
        return getattr(self._session, name)

    def run(self, fetches):
        """Present values of variables, in their lists and dicts.

        Raises:
          TypeError: something is no variable; only a step could compute it.
        """

        def value(item):
            if not isinstance(item, tf.Variable):
                raise TypeError(
                    f"a hook runs {item} in its session: give it to SessionRunArgs in "
                    "before_run, and take its value in after_run"
                )
            return item.numpy()

        return tf.nest.map_structure(value, fetches)


@contextlib.contextmanager
def _knowing(step):
    """Inside, `get_global_step` finds the step."""
    graph = v1.get_default_graph()
    before = graph.get_collection(_Keys.GLOBAL_STEP)
    graph.clear_collection(_Keys.GLOBAL_STEP)
    graph.add_to_collection(_Keys.GLOBAL_STEP, step)
    try:
        yield
    finally:
        graph.get_collection_ref(_Keys.GLOBAL_STEP)[:] = before


class _OwnHook(_TensorHook, training_session.Hook):
    """Calls a SessionRunHook as a session did."""

    def __init__(self, hook):
        self._hook = hook
        self._step = None
        self._keys = {}  # id of a tensor or variable -> its key
        self._held = []  # They stay alive, so that no other gets such an id.
        self._asked = None
        self.watched = {}

    def resolved(self, graph):
        self._keys, self._held, self.watched = {}, [], {}
        self._hook.begin()
        # Asked once on a copy, so that a counter of the hook's does not move.
        asked = copy.copy(self._hook).before_run(SessionRunContext())
        if asked and asked.feed_dict:
            raise ValueError("a step function cannot be fed by a hook")
        candidates = [list(vars(self._hook).values()), asked.fetches if asked else []]
        for item in tf.nest.flatten(candidates):
            if isinstance(item, str) and asked:
                with contextlib.suppress(KeyError, ValueError):
                    self._hold(item, graph.as_graph_element(item))
            elif _is_value(item):
                self._hold(item, item)
        return self.watched

    def _hold(self, item, tensor):
        if isinstance(tensor, tf.Operation):
            return  # It has no value; it is run with the step, or never.
        if getattr(tensor, "graph", None) not in (None, v1.get_default_graph()):
            return
        self._held.append(item)
        key = f"own_{id(self)}/{len(self._held)}"
        self._keys[item if isinstance(item, str) else id(item)] = key
        self.watched[key] = tensor

    def begin(self, sess):
        self._step = sess.replicas.global_step
        with _knowing(self._step):
            self._hook.after_create_session(_HookSession(sess), None)

    def before_run(self, sess):
        self._context = SessionRunContext(session=_HookSession(sess))
        with _knowing(self._step):
            self._asked = self._hook.before_run(self._context)

    def after_run(self, sess, step, results):
        values = None
        if self._asked is not None and self._asked.fetches is not None:
            observed = results["observed"]
            values = tf.nest.map_structure(
                lambda item: self._value(item, observed), self._asked.fetches
            )
        with _knowing(self._step):
            self._hook.after_run(self._context, SessionRunValues(values, None, None))
        if self._context.stop_requested:
            sess.request_stop()

    def _value(self, item, observed):
        if isinstance(item, tf.Operation):
            return None
        key = self._keys.get(item if isinstance(item, str) else id(item))
        if key is None:
            raise KeyError(
                f"{type(self._hook).__name__} asks for {item}, which it neither named "
                "when it was first asked nor holds in an attribute after begin()"
            )
        return observed[key]

    def end(self, sess):
        with _knowing(self._step):
            self._hook.end(_HookSession(sess))


def _anew(hook):
    """A hook with counters, timers and lists of its own, that watches the same."""
    new = copy.copy(hook)
    for name, value in vars(hook).items():
        if isinstance(value, (list, dict, set)):
            setattr(new, name, copy.copy(value))
        elif isinstance(value, (v1.train.SessionRunHook, training_session.Hook)):
            setattr(new, name, _anew(value))
        elif isinstance(value, training_session._Timer):
            setattr(new, name, copy.copy(value))
    return new


def _is_value(item):
    return tf.is_tensor(item) or isinstance(item, tf.Variable)


def _watched(hooks, graph):
    """Tensors that hooks watch, by the keys they are observed under."""
    found = {}
    for hook in hooks:
        if isinstance(hook, _TensorHook):
            found.update(hook.resolved(graph))
    return found


def _own_summaries(graph):
    """Summaries made in this graph: its collections begin with those of the outer one."""
    summaries = graph.get_collection(_Keys.SUMMARIES)
    return [s for s in summaries if getattr(s, "graph", None) is graph]


def _observe(replicas, spec, hooks, before):
    """Shows hooks and writers what they ask for of a training step that is traced.

    Args:
      before: the global step before the update. Where TF1 trained on several devices
        it gave that one to whom asked for the global step, otherwise (None) the one
        after it.
    """
    graph = v1.get_default_graph()
    saved = _own_summaries(graph)
    if replicas.count == 1 and not any(s.op.name == "loss" for s in saved):
        v1.summary.scalar("loss", spec.loss)  # That of several is not known yet.
    training_session.summary.entries.extend(_own_summaries(graph))
    graph.add_to_collection(_Keys.LOSSES, spec.loss)
    watching = [*hooks, *spec.training_hooks, *spec.training_chief_hooks]
    observed = _watched(watching, graph)
    if before is not None:
        step = replicas.global_step
        observed = {k: before if t is step else t for k, t in observed.items()}
    replicas.observe(observed)
    replicas.observe({"loss": spec.loss})


# -- the Estimator ------------------------------------------------------------


class Estimator:
    """Trains, evaluates and predicts with a model_fn.

    Args:
      model_fn: (features, labels, mode, params, config) -> EstimatorSpec; any but the
        first may be missing.
      model_dir: where checkpoints and summaries are; default a temporary directory.
      config: a RunConfig.
      params: passed to model_fn and input_fn.
      warm_start_from: a checkpoint, a directory of them, or WarmStartSettings: what a
        new training's variables start from.
    """

    def __init__(
        self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None
    ):
        if not callable(model_fn):
            raise ValueError(f"model_fn must be callable: {model_fn}")
        self._model_fn = model_fn
        config = config or RunConfig()
        if isinstance(config, dict):
            config = RunConfig(**config)
        if model_dir and config.model_dir and model_dir != config.model_dir:
            raise ValueError(
                "`model_dir` are set both in constructor and `RunConfig`, but with "
                f"different values: '{model_dir}', '{config.model_dir}'"
            )
        model_dir = model_dir or config.model_dir
        if not model_dir:
            model_dir = tempfile.mkdtemp()
            _logging.warning("Using temporary folder as model directory: %s", model_dir)
        self.config = config.replace(model_dir=str(model_dir))
        self._params = copy.deepcopy(params or {})
        self._warm_start_from = warm_start_from
        self._cluster = _Cluster(self.config)

    @property
    def model_dir(self):
        return self.config.model_dir

    @property
    def model_fn(self):
        def public_model_fn(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode)

        return public_model_fn

    @property
    def params(self):
        return copy.deepcopy(self._params)

    def latest_checkpoint(self):
        return tf.train.latest_checkpoint(self.model_dir)

    def get_variable_names(self):
        """Names of the variables in the latest checkpoint."""
        return [name for name, _ in tf.train.list_variables(self.model_dir)]

    def get_variable_value(self, name):
        """A variable's value in the latest checkpoint."""
        return tf.train.load_variable(self.model_dir, name)

    def eval_dir(self, name=None):
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    # What a model_fn and an input_fn are called with.

    def _params_of(self, mode):
        return self.params

    def _call_model_fn(self, features, labels, mode):
        names = _arguments(self._model_fn)
        if labels is not None and "labels" not in names:
            raise ValueError(
                "model_fn does not take labels, but input_fn returns labels."
            )
        given = {
            "labels": labels,
            "mode": mode,
            "params": self._params_of(mode),
            "config": self.config,
        }
        kwargs = {name: value for name, value in given.items() if name in names}
        spec = self._model_fn(features=features, **kwargs)
        if isinstance(spec, _TPUEstimatorSpec):
            spec = spec.as_estimator_spec()
        if not isinstance(spec, EstimatorSpec):
            raise ValueError("model_fn should return an EstimatorSpec.")
        return spec

    def _input(self, input_fn, mode):
        """The dataset of an input_fn."""
        names = _arguments(input_fn)
        given = {
            "mode": mode,
            "params": self._params_of(mode),
            "config": self.config,
        }
        kwargs = {name: value for name, value in given.items() if name in names}
        with tf.device("/CPU:0"):
            return _dataset(lambda: input_fn(**kwargs))

    def _seed(self, anew=False):
        """Sets the seed of all operations that RunConfig asks for; none, where it does not.

        TF1 built an Estimator's graphs apart from the program's own and from others.

        Args:
          anew: also where it is set. That begins all random numbers anew, which a
            training that has yet to go on must not see.
        """
        seed = self.config.tf_random_seed
        wanted = training_session.NO_SEED if seed is None else seed
        if (anew and seed is not None) or v1.get_seed(0)[0] != wanted:
            tf.random.set_seed(seed)

    def _graph(self, replicas, element_spec):
        """The graph of elements of an input, before anything is in it."""
        return _Graph(replicas)

    # Training.

    def train(
        self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None
    ):
        """Trains; from the latest checkpoint where there is one.

        Args:
          input_fn: gives a dataset, or (features, labels).
          hooks: hooks of this module.
          steps: how many steps more; None for as long as there is input.
          max_steps: the global step to reach.

        Returns:
          The Estimator itself.
        """
        if self.config.task_type in ("evaluator", "ps"):
            raise ValueError(
                f"A task of type {self.config.task_type} does not train by itself. Use "
                "train_and_evaluate."
            )
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        for name, value in (("steps", steps), ("max_steps", max_steps)):
            if value is not None and value <= 0:
                raise ValueError(f"Must specify {name} > 0, given: {value}")
        if max_steps is not None and max_steps <= _saved_step(self.model_dir):
            _logging.info("Skipping training since max_steps has already saved.")
            return self
        hooks = _checked(hooks)
        self._choose_pace(input_fn)
        self._seed(anew=True)
        replicas = self._cluster.replicas()
        first = self._input(input_fn, ModeKeys.TRAIN)
        built = self._train_step(replicas, first.element_spec, hooks)
        losses = {}
        shared = self._cluster.asynchronous

        def loop(task_index):
            # Every worker reads its own data, as every TF1 worker called input_fn.
            here = not shared or task_index == 0
            dataset = first if here else self._input(input_fn, ModeKeys.TRAIN)
            chief = self._cluster.is_chief(task_index)
            # Every TF1 worker was a process, with hooks of its own.
            own = [h if chief or not shared else _anew(h) for h in hooks]
            if steps is not None or max_steps is not None:
                own.append(StopAtStepHook(steps, max_steps))
            batches = _grouped(iter(dataset), replicas.count)
            losses[task_index] = self._train_loop(
                replicas, built, batches, own, chief, saving_listeners
            )

        replicas.run(loop)
        _logging.info("Loss for final step: %s.", losses[min(losses)])
        return self

    # What says of an Estimator and an input_fn whether workers are to keep pace: set by
    # `synchronous_estimator`, where a program imports it.
    asks_for_synchrony = None

    def _choose_pace(self, input_fn):
        probe = Estimator.asks_for_synchrony
        if probe is not None:
            self._cluster.decide(lambda: probe(self, input_fn))

    def _train_step(self, replicas, element_spec, hooks):
        """Builds model_fn's training graph; its step function and its spec's parts."""
        built = {}
        strategy = replicas.strategy
        scaled = contextlib.nullcontext()
        if not self._cluster.averages:
            scaled = _estimator_scaling(strategy)
        with strategy.scope(), replicas.recording(), scaled:
            graph = self._graph(replicas, element_spec)

            def train_step(element):
                with graph.building():
                    before = None
                    if replicas.count > 1:
                        before = graph.global_step.read_value()
                    features, labels = _split(element)
                    spec = self._call_model_fn(features, labels, ModeKeys.TRAIN)
                    if replicas.replica() == 0:  # Hooks and summaries are the first's.
                        built["spec"] = spec
                        _observe(replicas, spec, hooks, before)
                    with tf.control_dependencies(_operations(spec.train_op)):
                        return tf.identity(spec.loss)

            with graph.creating():
                step = replicas.step_function(element_spec)(train_step)

        if not self._cluster.asynchronous:
            # Called where it was traced; elsewhere a strategy would have it traced anew.
            step.function = _inside(strategy, step.function)
        built["step"] = step
        return built

    def _train_loop(self, replicas, built, batches, hooks, chief, listeners):
        """One worker's loop; returns its last loss."""
        config, spec = self.config, built["spec"]
        given = spec.scaffold or Scaffold()
        saver = given.own_saver or Saver(
            max_to_keep=config.keep_checkpoint_max,
            keep_checkpoint_every_n_hours=config.keep_checkpoint_every_n_hours,
        )
        init_fn = given.init_fn or self._warm_start(replicas)
        scaffold = training_session.Scaffold(saver, init_fn)
        hooks.append(training_session.NanTensorHook("loss"))
        if config.log_step_count_steps is not None:
            hooks.append(
                training_session.LoggingTensorHook(
                    ["loss"],
                    every_n_iter=config.log_step_count_steps,
                    formatter=lambda values: f"loss = {values['loss']}",
                )
            )
        same = chief or not self._cluster.asynchronous
        hooks.extend(h if same else _anew(h) for h in spec.training_hooks)
        chief_hooks = list(spec.training_chief_hooks)
        savers = [h for h in hooks + chief_hooks if isinstance(h, CheckpointSaverHook)]
        if not savers and (
            config.save_checkpoints_secs or config.save_checkpoints_steps
        ):
            savers = [
                CheckpointSaverHook(
                    self.model_dir,
                    config.save_checkpoints_secs,
                    config.save_checkpoints_steps,
                    scaffold=scaffold,
                )
            ]
            chief_hooks = savers + chief_hooks
        if listeners:
            if not savers:
                raise ValueError(
                    "There should be a CheckpointSaverHook to use saving_listeners. "
                    "Please set one of the RunConfig.save_checkpoints_steps or "
                    "RunConfig.save_checkpoints_secs."
                )
            known = savers[0].listeners
            known.extend(x for x in listeners if x not in known)
        loss = None
        with training_session.MonitoredTrainingSession(
            replicas,
            is_chief=chief,
            checkpoint_dir=self.model_dir,
            scaffold=scaffold,
            hooks=hooks,
            chief_only_hooks=chief_hooks,
            save_checkpoint_secs=0,  # Saving is a hook's.
            save_summaries_steps=config.save_summary_steps or 0,
            log_step_count_steps=config.log_step_count_steps,
        ) as sess:
            while not sess.should_stop():
                loss = sess.run(built["step"], *next(batches))
        if loss is None:
            _logging.warning(
                "Training with estimator made no steps. Perhaps input is empty or "
                "misspecified."
            )
        return loss

    def _warm_start(self, replicas):
        """What gives a new training the values of another's checkpoint."""
        settings = self._warm_start_from
        if not settings:
            return None
        if not isinstance(settings, WarmStartSettings):
            settings = WarmStartSettings(settings)
        return lambda scaffold, sess: settings.start(replicas, sess)

    # Evaluation.

    def evaluate(
        self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None
    ):
        """Evaluates the latest checkpoint; returns metrics by name, and global_step."""
        if steps is not None and steps <= 0:
            raise ValueError(f"Must specify steps > 0, given: {steps}")
        hooks = _checked(hooks)
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            _logging.info(
                "Could not find trained model in model_dir: %s, running initialization "
                "to evaluate.",
                self.model_dir,
            )
        self._seed()
        dataset = self._input(input_fn, ModeKeys.EVAL)
        replicas = _InTurn(_replicas_of(self.config.eval_distribute))
        built = {}

        def eval_graph(*elements):
            fetches, values = [], []
            for i, element in enumerate(elements):
                with replicas.building(i):
                    done, ops, spec = self._evaluation(element)
                    fetches.append([done])
                    if i:
                        continue  # Metrics, hooks and all else are the first's.
                    watching = [*hooks, *spec.evaluation_hooks]
                    observed = _watched(watching, v1.get_default_graph())
                    built.update(spec=spec, observed=list(observed), names=list(ops))
                    fetches[0] += map(training_session._value, observed.values())
                    values += [tf.convert_to_tensor(value) for value, _ in ops.values()]
            return fetches, values

        run = self._pruned(replicas, eval_graph, dataset.element_spec, checkpoint_path)
        self._restore(replicas, checkpoint_path, built["spec"].scaffold)
        all_hooks = [*hooks, *built["spec"].evaluation_hooks]
        session = _EvaluationSession(replicas)
        for hook in all_hooks:
            hook.begin(session)
        result = None
        elements = iter(dataset)
        for number in itertools.count():
            if session.stop or number == steps:
                break
            batches = list(itertools.islice(elements, replicas.count))
            if len(batches) < replicas.count:
                run(*batches)  # TF1 counted these, most of the time, but made no step.
                break
            for hook in all_hooks:
                hook.before_run(session)
            results = run(*batches)
            result = True
            observed = dict(zip(built["observed"], [t.numpy() for t in results]))
            results = {"observed": observed, "fetches": None}
            for hook in all_hooks:
                hook.after_run(session, session.global_step(), results)
        for hook in all_hooks:
            hook.end(session)
        if result is None:
            _logging.warning("Input graph does not use tf.data.Dataset or is empty.")
        metrics = dict(zip(built["names"], [v.numpy() for v in run.values()]))
        metrics["global_step"] = session.global_step()
        self._write_evaluation(metrics, name, checkpoint_path)
        return metrics

    def _evaluation(self, element):
        """What updates the metrics of a batch, (value, update) by name, and the spec."""
        features, labels = _split(element)
        spec = self._call_model_fn(features, labels, ModeKeys.EVAL)
        ops = dict(spec.eval_metric_ops)
        ops = {k: _metric(k, v) for k, v in ops.items()}
        if "loss" not in ops:
            ops["loss"] = v1.metrics.mean(spec.loss)
        if "global_step" in ops:
            raise ValueError("Metric with name `global_step` is not allowed.")
        updates = [tf.group(update) for _, update in ops.values()]
        with tf.control_dependencies(updates):
            return tf.no_op(), ops, spec

    def _write_evaluation(self, metrics, name, checkpoint_path):
        """Logs the metrics and writes them as summaries, as TF1 did."""
        step = metrics["global_step"]
        text = ", ".join(f"{k} = {v}" for k, v in sorted(metrics.items()))
        _logging.info("Saving dict for global step %d: %s", step, text)
        summary = v1.Summary()
        for key, value in sorted(metrics.items()):
            if key != "global_step" and np.ndim(value) == 0:
                if isinstance(value, bytes):
                    continue
                summary.value.add(tag=key, simple_value=float(value))
        if checkpoint_path:
            path = tf.make_tensor_proto(checkpoint_path, tf.string)
            summary.value.add(tag="checkpoint_path", tensor=path)
        writer = training_session.SummaryWriter.shared(self.eval_dir(name))
        writer.add_summary(summary, step)
        writer.flush()

    # Prediction.

    def predict(
        self,
        input_fn,
        predict_keys=None,
        hooks=None,
        checkpoint_path=None,
        yield_single_examples=True,
    ):
        """Yields the predictions for each example (or batch) of the input."""
        hooks = _checked(hooks)
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            _logging.info(
                "Could not find trained model in model_dir: %s, running initialization "
                "to predict.",
                self.model_dir,
            )
        self._seed()
        dataset = self._input(input_fn, ModeKeys.PREDICT)
        replicas = training_session.SynchronousReplicas(_own_device(), 0)
        built = {}

        def predict_graph(element):
            # A dataset of (features, labels) is taken, and its labels left.
            features, _ = _split(element)
            spec = self._call_model_fn(features, None, ModeKeys.PREDICT)
            predictions = _chosen(spec.predictions, predict_keys)
            watching = [*hooks, *spec.prediction_hooks]
            observed = _watched(watching, v1.get_default_graph())
            single = not isinstance(predictions, dict)
            built.update(spec=spec, observed=list(observed), single=single)
            built["names"] = [None] if single else list(predictions)
            values = [predictions] if single else list(predictions.values())
            values = [*map(tf.convert_to_tensor, values)]
            return [values + [*map(training_session._value, observed.values())]], []

        run = self._pruned(
            replicas, predict_graph, dataset.element_spec, checkpoint_path
        )
        self._restore(replicas, checkpoint_path, built["spec"].scaffold)
        all_hooks = [*hooks, *built["spec"].prediction_hooks]
        session = _EvaluationSession(replicas)
        for hook in all_hooks:
            hook.begin(session)
        count = len(built["names"])
        for element in dataset:
            if session.stop:
                break
            for hook in all_hooks:
                hook.before_run(session)
            results = [t.numpy() for t in run(element)]
            observed = dict(zip(built["observed"], results[count:]))
            results = results[:count]
            for hook in all_hooks:
                hook.after_run(session, session.global_step(), {"observed": observed})
            batch = dict(zip(built["names"], results))
            if not yield_single_examples:
                yield results[0] if built["single"] else batch
            elif built["single"]:
                yield from results[0]
            else:
                sizes = {len(value) for value in results}
                if len(sizes) != 1:
                    raise ValueError(
                        "Batch length of predictions should be same. "
                        f"Found {sorted(sizes)}"
                    )
                for i in range(sizes.pop()):
                    yield {key: value[i] for key, value in batch.items()}
        for hook in all_hooks:
            hook.end(session)

    def _pruned(self, replicas, function, element_spec, checkpoint_path):
        """A graph of which only what is returned is run, as a session ran fetches."""
        # A training that goes on afterwards is not to draw its random numbers again.
        recording = replicas.recording(drawn=not checkpoint_path)
        with replicas.strategy.scope(), recording:
            graph = self._graph(replicas, element_spec)

            def build(*elements):
                with graph.building():
                    return function(*elements)

            with graph.creating():
                return _Pruned(build, [element_spec] * replicas.count)

    def _restore(self, replicas, checkpoint_path, scaffold):
        if checkpoint_path:
            _logging.info("Restoring parameters from %s", checkpoint_path)
            # What training alone has in the checkpoint is not missed here.
            own = scaffold and scaffold.own_saver
            saver = own or Saver(replicas.entries())
            saver.restore(_EvaluationSession(replicas), checkpoint_path)

    # Export.

    def export_saved_model(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        experimental_mode=ModeKeys.PREDICT,
    ):
        """Writes a SavedModel of the PREDICT graph; returns its directory, as bytes.

        Its graph is built as TF1 built it, so that signatures and tensors have the
        names that clients know.
        """
        if experimental_mode != ModeKeys.PREDICT:
            raise ValueError("Only the PREDICT graph can be exported.")
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            raise ValueError(f"Couldn't find trained model at {self.model_dir}.")
        directory = _timestamped(export_dir_base)
        temporary = os.path.join(
            os.path.dirname(directory), f"temp-{os.path.basename(directory)}"
        )
        build = self._serving(serving_input_receiver_fn)
        with tf.Graph().as_default() as graph:
            v1.train.create_global_step(graph)
            if self.config.tf_random_seed is not None:
                v1.set_random_seed(self.config.tf_random_seed)
            signatures = build()
            saver = v1.train.Saver(sharded=True)
            initial = v1.tables_initializer()
            with v1.Session() as session:
                saver.restore(session, checkpoint_path)
                session.run([v1.local_variables_initializer(), initial])
                builder = v1.saved_model.Builder(temporary)
                builder.add_meta_graph_and_variables(
                    session,
                    [v1.saved_model.tag_constants.SERVING],
                    signature_def_map=signatures,
                    assets_collection=v1.get_collection(_Keys.ASSET_FILEPATHS),
                    main_op=v1.group(v1.local_variables_initializer(), initial),
                    saver=saver,
                    strip_default_attrs=True,
                )
                builder.save(as_text)
        for name, source in (assets_extra or {}).items():
            target = os.path.join(temporary, "assets.extra", name)
            tf.io.gfile.makedirs(os.path.dirname(target))
            tf.io.gfile.copy(source, target)
        tf.io.gfile.rename(temporary, directory)
        return directory.encode()

    def _serving(self, serving_input_receiver_fn):
        """What builds the graph that is exported, and gives its signatures by name."""

        def build():
            receiver = serving_input_receiver_fn()
            spec = self._call_model_fn(receiver.features, None, ModeKeys.PREDICT)
            return _signatures(receiver, spec)

        return build

    def export_savedmodel(
        self,
        export_dir_base,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        checkpoint_path=None,
        strip_default_attrs=False,
    ):
        """The older name of export_saved_model."""
        return self.export_saved_model(
            export_dir_base,
            serving_input_receiver_fn,
            assets_extra,
            as_text,
            checkpoint_path,
        )


class _Pruned:
    """A graph traced once, of which only what is asked for is run.

    Args:
      function: (element, ...) -> lists of tensors and operations, one for each element;
        and a list of what needs none.
      element_specs: of the elements, which come from the input's dataset.
    """

    def __init__(self, function, element_specs):
        specs = tf.nest.flatten(element_specs, expand_composites=True)
        traced = {}

        def build(*flat):
            packed = tf.nest.pack_sequence_as(
                element_specs, flat, expand_composites=True
            )
            traced["feeds"], traced["fetches"] = list(flat), function(*packed)

        signature = [tf.TensorSpec(s.shape, s.dtype) for s in specs]
        graph = v1.wrap_function(build, signature)
        tables = graph.graph.get_collection(_Keys.TABLE_INITIALIZERS)
        # One that was made outside has been filled there.
        graph.prune([], [table for table in tables if table is not None])()
        of_elements, of_nothing = traced["fetches"]
        one = len(specs) // len(element_specs)
        self._steps = [
            graph.prune(traced["feeds"][: i * one], sum(of_elements[:i], []))
            for i in range(1, len(element_specs) + 1)
        ]
        self.values = graph.prune([], of_nothing)

    def __call__(self, *elements):
        """Runs what is for so many elements; its tensors' values, in order."""
        if not elements:
            return []
        flat = tf.nest.flatten(elements, expand_composites=True)
        step = self._steps[len(elements) - 1]
        return [value for value in step(*flat) if value is not None]


def _replicas_of(strategy):
    """How many replicas a strategy has in this process."""
    return len(strategy.extended.worker_devices) if hasattr(strategy, "extended") else 1


class _InTurn(training_session.SynchronousReplicas):
    """An evaluation: what TF1's strategies ran on several devices, one after the other.

    The replicas share their metrics' totals, and what they collect in the graph.
    """

    def __init__(self, count):
        super().__init__(_own_device(), 0)
        self.count, self._now = count, 0

    def replica(self):
        return self._now

    @contextlib.contextmanager
    def building(self, i):
        """Replica `i` is built inside, with the names and variables of the first."""
        self._now = i
        if i == 0:
            yield
            return
        v1.get_default_graph().clear_collection(("__varscope",))  # Counts names.
        scope = v1.variable_scope(v1.get_variable_scope(), reuse=True)
        with v1.name_scope(f"replica_{i}"), scope:
            yield


class _EvaluationSession:
    """What hooks see of an evaluation."""

    def __init__(self, replicas):
        self.replicas = replicas
        self.stop = False

    def global_step(self):
        return self.replicas.global_step.numpy()

    def request_stop(self):
        self.stop = True

    def should_stop(self):
        return self.stop

    def restored(self):
        """A saver has restored variables; an evaluation begins after that."""


def _inside(strategy, function):
    """The function, called in a strategy's scope."""

    def call(*args):
        with strategy.scope():
            return function(*args)

    return call


def _arguments(function):
    """Names of a function's parameters; of a partial those that are not given yet."""
    if isinstance(function, functools.partial):
        given = len(function.args)
        return [
            n for n in _arguments(function.func)[given:] if n not in function.keywords
        ]
    if callable(function) and not inspect.isroutine(function):
        function = function.__call__
    return list(inspect.signature(function).parameters)


def _operations(train_op):
    """A train_op as operations to run: it may be a tensor, an operation, or a group."""
    return [x for x in tf.nest.flatten(train_op) if x is not None]


def _metric(name, metric):
    """(value, update) of an entry of eval_metric_ops."""
    if hasattr(metric, "update_state"):
        raise TypeError(
            f"eval_metric_ops[{name!r}] is a Keras metric; give (value, update_op)."
        )
    if not isinstance(metric, (tuple, list)) or len(metric) != 2:
        raise TypeError(
            f"Values of eval_metric_ops must be (metric_value, update_op) tuples, "
            f"given: {metric} for key: {name}"
        )
    return metric


def _chosen(predictions, keys):
    """The predictions of some keys.

    Raises:
      ValueError: there is none of them.
    """
    if not keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError("predict_keys argument is not valid in case of non-dict.")
    chosen = {k: v for k, v in predictions.items() if k in keys}
    if not chosen:
        raise ValueError(f"Expected to run at least one output from {predictions}.")
    return chosen


def _checked(hooks):
    """The hooks as a list, each as a training session calls it.

    Raises:
      TypeError: one is not a hook of this module.
    """
    found = []
    for hook in hooks or ():
        if _is_own(hook):
            hook = _OwnHook(hook)
        if not isinstance(hook, training_session.Hook):
            raise TypeError(f"All hooks must be hooks of estimator_loop, given: {hook}")
        found.append(hook)
    return found


def _saved_step(model_dir):
    """The global step of the latest checkpoint, 0 without one."""
    path = tf.train.latest_checkpoint(model_dir)
    return int(tf.train.load_variable(path, "global_step")) if path else 0


def _own_device():
    """The strategy of a process that works alone."""
    return tf.distribute.get_strategy()


@contextlib.contextmanager
def _estimator_scaling(strategy):
    """TF1's Estimator divided a mean loss by the number of replicas; so does this."""
    enabled = getattr(strategy, "_scale_loss_for_estimator_enabled", None)
    if enabled is None or strategy.num_replicas_in_sync == 1:
        yield
        return
    with enabled():
        yield


# -- TPUEstimator, where there is no TPU ----------------------------------------


class _InputPipelineConfig:
    PER_SHARD_V1, PER_HOST_V1, PER_HOST_V2, BROADCAST, SLICED = range(1, 6)


class _TPUConfig(
    collections.namedtuple(
        "TPUConfig", ["iterations_per_loop", "num_shards", "options"]
    )
):
    """How a TPU would run; kept, and of no effect without one."""

    __slots__ = ()

    def __new__(cls, iterations_per_loop=2, num_shards=None, **options):
        return super().__new__(cls, iterations_per_loop, num_shards, options)


class _TPURunConfig(RunConfig):
    """A RunConfig with a TPU's configuration, which has no effect without one."""

    def __init__(
        self,
        tpu_config=None,
        evaluation_master=None,
        master=None,
        cluster=None,
        **kwargs,
    ):
        super().__init__(**kwargs)
        self.tpu_config = tpu_config or _TPUConfig()
        self.tpu_cluster = cluster


class _TPUEstimatorSpec(
    collections.namedtuple(
        "TPUEstimatorSpec",
        [
            "mode",
            "predictions",
            "loss",
            "train_op",
            "eval_metrics",
            "export_outputs",
            "scaffold_fn",
            "host_call",
            "training_hooks",
            "evaluation_hooks",
            "prediction_hooks",
        ],
    )
):
    """What a TPUEstimator's model_fn returns; `eval_metrics` is (function, tensors)."""

    __slots__ = ()

    def __new__(
        cls,
        mode,
        predictions=None,
        loss=None,
        train_op=None,
        eval_metrics=None,
        export_outputs=None,
        scaffold_fn=None,
        host_call=None,
        training_hooks=None,
        evaluation_hooks=None,
        prediction_hooks=None,
    ):
        if host_call is not None:
            raise ValueError(
                "host_call is not supported: write its summaries with tf.summary in "
                "model_fn."
            )
        return super().__new__(
            cls,
            mode,
            predictions,
            loss,
            train_op,
            eval_metrics,
            export_outputs,
            scaffold_fn,
            host_call,
            training_hooks,
            evaluation_hooks,
            prediction_hooks,
        )

    def as_estimator_spec(self):
        """The same for an Estimator: its metrics are made of their tensors here."""
        metrics = None
        if self.eval_metrics is not None:
            function, tensors = self.eval_metrics
            if isinstance(tensors, dict):
                metrics = function(**tensors)
            else:
                metrics = function(*tensors)
        return EstimatorSpec(
            self.mode,
            predictions=self.predictions,
            loss=self.loss,
            train_op=self.train_op,
            eval_metric_ops=metrics,
            export_outputs=self.export_outputs,
            scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks,
            evaluation_hooks=self.evaluation_hooks,
            prediction_hooks=self.prediction_hooks,
        )


class _TPUEstimator(Estimator):
    """An Estimator whose params have the mode's batch size, as on a machine without TPU.

    Raises:
      ValueError: `use_tpu` is true.
    """

    def __init__(
        self,
        model_fn=None,
        model_dir=None,
        config=None,
        params=None,
        use_tpu=True,
        train_batch_size=None,
        eval_batch_size=None,
        predict_batch_size=None,
        batch_axis=None,
        eval_on_tpu=True,
        export_to_tpu=True,
        export_to_cpu=True,
        warm_start_from=None,
    ):
        if use_tpu:
            raise ValueError(
                "use_tpu=True: TPUs are not supported; pass use_tpu=False."
            )
        if params and "batch_size" in params:
            raise ValueError("batch_size are reserved keys but existed in params.")
        super().__init__(model_fn, model_dir, config, params, warm_start_from)
        self._batch_size = {
            ModeKeys.TRAIN: train_batch_size,
            ModeKeys.EVAL: eval_batch_size,
            ModeKeys.PREDICT: predict_batch_size,
        }

    def _params_of(self, mode):
        params = self.params
        size = self._batch_size[mode]
        if size is not None:
            params["batch_size"] = size
        return params


class tpu:
    """tf.estimator.tpu, and tf.contrib.tpu's names for it."""

    InputPipelineConfig = _InputPipelineConfig
    RunConfig = _TPURunConfig
    TPUConfig = _TPUConfig
    TPUEstimator = _TPUEstimator
    TPUEstimatorSpec = _TPUEstimatorSpec


# -- clusters -----------------------------------------------------------------


class _Cluster:
    """The strategy for this process, from its RunConfig.

    Parameter servers' workers are the chief and the workers of TF_CONFIG, in this order:
    TF1's chief trained too.
    """

    _server = None  # One per process.

    def __init__(self, config):
        self._config = config
        given = config.train_distribute
        # One of estimator_strategies, that says how the cluster of TF_CONFIG trains.
        self._keeps_pace = getattr(given, "synchronous", None)
        self._strategy = given if self._keeps_pace is None else None
        self._chosen = self._strategy is not None
        self._jobs = config.cluster
        if not self.asynchronous:
            self._make_synchronous()

    @property
    def asynchronous(self):
        return bool(self._jobs.get("ps")) and not (self._chosen or self._keeps_pace)

    @property
    def averages(self):
        """Whether an optimizer of the program averages its gradients by itself."""
        return self._keeps_pace == "by optimizer"

    def decide(self, probe):
        """Lets the workers keep pace where the program's optimizer asks for it.

        Args:
          probe: says whether it does.
        """
        if self.asynchronous and self._keeps_pace is None and probe():
            self._keeps_pace = "by optimizer"
            self._make_synchronous()

    def _make_synchronous(self):
        """Makes the strategy of several workers; before anything is computed."""
        alone = self._config.num_worker_replicas <= 1
        trains = self._config.task_type in ("chief", "master", "worker")
        if self._strategy is None and trains and not alone:
            self._strategy = self._synchronous()

    @property
    def _tasks(self):
        """The cluster of a ParameterServerStrategy."""
        workers = [
            a for j in ("chief", "master", "worker") for a in self._jobs.get(j, ())
        ]
        return {"ps": self._jobs["ps"], "worker": workers}

    def _synchronous(self):
        return tf.distribute.MultiWorkerMirroredStrategy(
            cluster_resolver=tf.distribute.cluster_resolver.SimpleClusterResolver(
                training_session.workers_only(self._jobs),
                task_type="chief" if self._config.is_chief else "worker",
                task_id=self._config.task_id,
                rpc_layer="grpc",
            )
        )

    def is_chief(self, task_index):
        """Whether the loop of this worker saves and writes summaries."""
        return task_index == 0 if self.asynchronous else self._config.is_chief

    def serve(self):
        """Starts this task's server; returns only where this is the coordinator."""
        config = self._config
        ps = config.task_type == "ps"
        if _Cluster._server is None:
            _Cluster._server = tf.distribute.Server(
                tf.train.ClusterSpec(self._tasks),
                job_name="ps" if ps else "worker",
                task_index=config.task_id if ps else config.global_id_in_cluster,
                config=training_session.server_config(),
            )
        if ps:
            _Cluster._server.join()
        if not config.is_chief:
            training_session.serve(_Cluster._server)

    def replicas(self):
        """New replicas for one training.

        Raises:
          ValueError: the strategy has several replicas in this process.
        """
        if self.asynchronous:
            self.serve()
            if self._strategy is None:
                self._strategy = tf.distribute.ParameterServerStrategy(
                    tf.distribute.cluster_resolver.SimpleClusterResolver(
                        tf.train.ClusterSpec(self._tasks), rpc_layer="grpc"
                    )
                )
            return training_session.AsynchronousReplicas(self._strategy, self._tasks)
        strategy = self._strategy or _own_device()
        local = strategy.extended.worker_devices if self._strategy else ()
        if len(local) > 1:
            return self._local(strategy, len(local))
        return training_session.SynchronousReplicas(
            strategy, self._config.global_id_in_cluster or 0
        )

    def _local(self, strategy, count):
        """Replicas on several devices of this process.

        Raises:
          ValueError: others train with it.
        """
        if strategy.num_replicas_in_sync != count:
            raise ValueError(
                "Of several processes each trains one replica here, but the strategy "
                f"has {count} devices in this process: show it one of its GPUs "
                "(CUDA_VISIBLE_DEVICES)."
            )
        return _strategies().LocalReplicas(strategy, count)


def _strategies():
    """What only several devices in a process need.

    Raises:
      ImportError: the file is not there.
    """
    try:
        import estimator_strategies
    except ImportError:
        if not __package__:
            raise
        from . import estimator_strategies
    return estimator_strategies


# -- train_and_evaluate -------------------------------------------------------


class _Evaluator:
    """Evaluates a checkpoint once, and exports."""

    def __init__(self, estimator, eval_spec, max_steps):
        self._estimator, self._spec = estimator, eval_spec
        self._max_steps = max_steps
        self._previous = None

    def evaluate(self):
        """(metrics, exports) of the latest checkpoint; (None, []) without a new one."""
        path = self._estimator.latest_checkpoint()
        if not path or path == self._previous:
            return None, []
        spec = self._spec
        metrics = self._estimator.evaluate(
            spec.input_fn, spec.steps, list(spec.hooks), path, spec.name
        )
        final = bool(self._max_steps) and metrics["global_step"] >= self._max_steps
        exports = []
        for exporter in spec.exporters:
            directory = os.path.join(self._estimator.model_dir, "export", exporter.name)
            exports.append(
                exporter.export(self._estimator, directory, path, metrics, final)
            )
        self._previous = path
        return metrics, exports


class _EvaluateAtCheckpoints(CheckpointSaverListener):
    """Evaluates what was just saved: not the first, and not too often."""

    def __init__(self, evaluator, throttle_secs):
        self._evaluator = evaluator
        self._throttle_secs = throttle_secs
        self.metrics, self.exports = None, None

    def begin(self):
        self._first = True
        self._step = self._time = None

    def after_save(self, session, global_step_value):
        if self._first:
            self._first = False  # The model is not trained yet.
            return
        due = self._step is None or (
            global_step_value != self._step
            and time.time() >= self._time + self._throttle_secs
        )
        if due:
            self._evaluate(global_step_value)
        else:
            _logging.info(
                "Skip the current checkpoint eval due to throttle secs (%s secs).",
                self._throttle_secs,
            )

    def end(self, session, global_step_value):
        if global_step_value != self._step:
            self._evaluate(global_step_value)

    def _evaluate(self, step):
        self._step, self._time = step, time.time()
        self.metrics, self.exports = self._evaluator.evaluate()
        if self.metrics is None:
            raise RuntimeError("There was no new checkpoint after the training.")


def train_and_evaluate(estimator, train_spec, eval_spec):
    """Trains, and evaluates after every checkpoint (at most every `throttle_secs`).

    In a cluster the evaluator task evaluates, until it has seen `max_steps`; a `master`
    evaluates its own checkpoints. Returns (metrics, exports) where this process did
    both, else None.
    """
    config = estimator.config
    if config.task_type != "evaluator":
        estimator._choose_pace(train_spec.input_fn)
    evaluator = _Evaluator(estimator, eval_spec, train_spec.max_steps)
    hooks = list(train_spec.hooks)

    def train(listeners):
        estimator.train(
            train_spec.input_fn,
            hooks=hooks,
            max_steps=train_spec.max_steps,
            saving_listeners=listeners,
        )

    if config.task_type == "evaluator":
        _evaluate_until(estimator, evaluator, train_spec, eval_spec)
        return None
    if not config.cluster or config.task_type == "master":
        listener = _EvaluateAtCheckpoints(evaluator, eval_spec.throttle_secs)
        train([listener])
        return None if config.cluster else (listener.metrics, listener.exports)
    if config.task_type == "ps":
        if not estimator._cluster.asynchronous:
            training_session.leave("Parameter servers are not needed by this strategy.")
        estimator._cluster.serve()
    train(None)
    return None


def _evaluate_until(estimator, evaluator, train_spec, eval_spec):
    """The evaluator's loop."""
    time.sleep(eval_spec.start_delay_secs or 0)
    while True:
        start = time.time()
        path = estimator.latest_checkpoint()
        try:
            metrics, _ = evaluator.evaluate()
        except tf.errors.NotFoundError:
            if path == estimator.latest_checkpoint():
                raise
            continue  # Training has gone on, and removed it meanwhile.
        if metrics and train_spec.max_steps:
            if metrics["global_step"] >= train_spec.max_steps:
                return
        rest = eval_spec.throttle_secs - (time.time() - start)
        time.sleep(max(rest, 1 if metrics is None else 0))


# -- export -------------------------------------------------------------------


def _timestamped(base):
    """A new directory name below `base`: seconds since the epoch."""
    base = base.decode() if isinstance(base, bytes) else str(base)
    for _ in range(10):
        directory = os.path.join(base, str(int(time.time())))
        if not tf.io.gfile.exists(directory):
            tf.io.gfile.makedirs(base)
            return directory
        time.sleep(1)
    raise RuntimeError(f"Failed to obtain a unique export directory in {base}")


class ServingInputReceiver(
    collections.namedtuple(
        "ServingInputReceiver",
        ["features", "receiver_tensors", "receiver_tensors_alternatives"],
    )
):
    """What a serving_input_receiver_fn returns."""

    __slots__ = ()

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        if not isinstance(receiver_tensors, dict):
            receiver_tensors = {"input": receiver_tensors}
        return super().__new__(
            cls, features, receiver_tensors, receiver_tensors_alternatives
        )


class TensorServingInputReceiver(ServingInputReceiver):
    """The same where features are one tensor."""

    __slots__ = ()


class PredictOutput:
    """Predictions as a signature's outputs."""

    method_name = v1.saved_model.signature_constants.PREDICT_METHOD_NAME

    def __init__(self, outputs):
        self.outputs = outputs if isinstance(outputs, dict) else {"output": outputs}

    def signature(self, inputs):
        return v1.saved_model.signature_def_utils.predict_signature_def(
            inputs, self.outputs
        )


class ClassificationOutput:
    """Scores and classes as a signature's outputs."""

    def __init__(self, scores=None, classes=None):
        if scores is None and classes is None:
            raise ValueError("At least one of scores and classes must be set.")
        self._scores, self._classes = scores, classes

    def signature(self, inputs):
        _one_string(inputs)
        return v1.saved_model.signature_def_utils.classification_signature_def(
            next(iter(inputs.values())), self._classes, self._scores
        )


class RegressionOutput:
    """Values as a signature's outputs."""

    def __init__(self, value):
        self._value = value

    def signature(self, inputs):
        _one_string(inputs)
        return v1.saved_model.signature_def_utils.regression_signature_def(
            next(iter(inputs.values())), self._value
        )


def _one_string(inputs):
    if len(inputs) != 1 or next(iter(inputs.values())).dtype != tf.string:
        raise ValueError("it must take one string tensor: serialized tf.Examples")


def _signatures(receiver, spec):
    """Signatures by name, as TF1's build_all_signature_defs."""
    outputs = spec.export_outputs
    default = v1.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
    if outputs is None:
        outputs = {default: PredictOutput(spec.predictions)}
    if not isinstance(outputs, dict):
        raise TypeError("export_outputs must be dict")
    outputs = dict(outputs)
    if len(outputs) == 1 and default not in outputs:
        outputs[default] = next(iter(outputs.values()))
    elif default not in outputs:
        raise ValueError(
            "Multiple export_outputs were provided, but none of them is specified as "
            f"the default. Do this by naming one of them {default!r}."
        )
    found = {}
    alternatives = {None: receiver.receiver_tensors}
    alternatives.update(receiver.receiver_tensors_alternatives or {})
    for prefix, tensors in alternatives.items():
        if not isinstance(tensors, dict):
            tensors = {"input": tensors}
        for key, output in outputs.items():
            name = key or "None"
            if prefix:
                name = f"{prefix}:{name}"
            try:
                found[name] = output.signature(tensors)
            except ValueError as error:
                _logging.info("Signature %s is not exported: %s", name, error)
    return found


class export:
    """tf.estimator.export."""

    ServingInputReceiver = ServingInputReceiver
    TensorServingInputReceiver = TensorServingInputReceiver
    PredictOutput = PredictOutput
    ClassificationOutput = ClassificationOutput
    RegressionOutput = RegressionOutput

    @staticmethod
    def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
        """Receives features as they are: a placeholder for each tensor in `features`."""
        specs = {
            name: (t.shape.as_list(), t.dtype, getattr(t, "op", None) and t.op.name)
            for name, t in _tensor_specs(features).items()
        }

        def serving_input_receiver_fn():
            receivers = {
                name: v1.placeholder(
                    dtype, [default_batch_size, *shape[1:]], name=op_name or name
                )
                for name, (shape, dtype, op_name) in specs.items()
            }
            return ServingInputReceiver(dict(receivers), receivers)

        return serving_input_receiver_fn

    @staticmethod
    def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
        """Receives serialized tf.Examples."""

        def serving_input_receiver_fn():
            serialized = v1.placeholder(
                tf.string, [default_batch_size], name="input_example_tensor"
            )
            features = v1.parse_example(serialized, feature_spec)
            return ServingInputReceiver(features, {"examples": serialized})

        return serving_input_receiver_fn


def _tensor_specs(features):
    return features if isinstance(features, dict) else {"feature": features}


class Exporter:
    """Exports after an evaluation; `name` is its directory below `export`."""

    name = None

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        raise NotImplementedError


class _SavedModelExporter(Exporter):
    def __init__(
        self, name, serving_input_receiver_fn, assets_extra=None, as_text=False
    ):
        self.name = name
        self._receiver_fn = serving_input_receiver_fn
        self._assets_extra, self._as_text = assets_extra, as_text

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        return estimator.export_saved_model(
            export_path,
            self._receiver_fn,
            assets_extra=self._assets_extra,
            as_text=self._as_text,
            checkpoint_path=checkpoint_path,
        )


class FinalExporter(_SavedModelExporter):
    """Exports when training has reached max_steps."""

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        if not is_the_final_export:
            return None
        return super().export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )


class LatestExporter(_SavedModelExporter):
    """Exports after every evaluation, and keeps the latest few."""

    def __init__(
        self,
        name,
        serving_input_receiver_fn,
        assets_extra=None,
        as_text=False,
        exports_to_keep=5,
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("exports_to_keep, if provided, must be a positive number")
        self._exports_to_keep = exports_to_keep

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        result = super().export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )
        _keep_exports(export_path, self._exports_to_keep)
        return result


def _smaller_loss(best_eval_result, current_eval_result):
    """Whether an evaluation has a smaller loss than the best one."""
    for result in (best_eval_result, current_eval_result):
        if not result or "loss" not in result:
            raise ValueError("An evaluation has no loss to compare.")
    return best_eval_result["loss"] > current_eval_result["loss"]


class BestExporter(_SavedModelExporter):
    """Exports after an evaluation that is better than all before, and keeps a few.

    Args:
      compare_fn: (best_eval_result, current_eval_result) -> whether the second is better.
      event_file_pattern: event files below model_dir in which the best evaluation of an
        earlier run is looked up; None for none.
    """

    def __init__(
        self,
        name="best_exporter",
        serving_input_receiver_fn=None,
        event_file_pattern="eval/*.tfevents.*",
        compare_fn=_smaller_loss,
        assets_extra=None,
        as_text=False,
        exports_to_keep=5,
    ):
        super().__init__(name, serving_input_receiver_fn, assets_extra, as_text)
        if compare_fn is None:
            raise ValueError("`compare_fn` must not be None.")
        if exports_to_keep is not None and exports_to_keep <= 0:
            raise ValueError("exports_to_keep, if provided, must be a positive number")
        self._pattern, self._compare_fn = event_file_pattern, compare_fn
        self._exports_to_keep = exports_to_keep
        self._model_dir = self._best = None

    def export(
        self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export
    ):
        if self._pattern and self._model_dir != estimator.model_dir:
            self._model_dir = estimator.model_dir
            self._best = self._written(os.path.join(self._model_dir, self._pattern))
        if self._best is not None and not self._compare_fn(
            best_eval_result=self._best, current_eval_result=eval_result
        ):
            return None
        self._best = eval_result
        result = super().export(
            estimator, export_path, checkpoint_path, eval_result, is_the_final_export
        )
        _keep_exports(export_path, self._exports_to_keep)
        return result

    def _written(self, pattern):
        """The best evaluation in event files, or None.

        As in TF1 that includes the evaluation that has just been written.
        """
        best = None
        for file in tf.io.gfile.glob(pattern):
            for event in v1.train.summary_iterator(file):
                found = {
                    value.tag: value.simple_value
                    for value in event.summary.value
                    if value.HasField("simple_value")
                }
                if found and (best is None or self._compare_fn(best, found)):
                    best = found
        return best


def _keep_exports(directory, number):
    """Removes all but the latest exports."""
    if number is None or not tf.io.gfile.isdir(directory):
        return
    names = [n.rstrip("/") for n in tf.io.gfile.listdir(directory)]
    for name in sorted(n for n in names if re.fullmatch(r"\d{10}", n))[:-number]:
        tf.io.gfile.rmtree(os.path.join(directory, name))

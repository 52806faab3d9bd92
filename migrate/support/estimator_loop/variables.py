"""The variables of a step function under the names of the graph it was."""

import collections
import contextlib
import itertools
import re

import tensorflow as tf
from tf_keras.api._v1.keras.__internal__.legacy import layers

try:
    import training_session
except ImportError:  # In a package.
    from .. import training_session

from .networks import begin_graph, count_anew

v1 = tf.compat.v1
_Keys = v1.GraphKeys
_logging = v1.logging


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


class Graph:
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
        self._names = set()  # Of those made.
        self.global_step = training_session.create_global_step()
        self._traced = v1.get_default_graph()

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
            graph = self._traced = v1.get_default_graph()
            begin_graph(graph)
            for key in _SHARED:
                graph.clear_collection(key)
            # It has a copy of what is listed outside: a step that something made there.
            graph.get_collection_ref(_Keys.GLOBAL_STEP)[:] = [self.global_step]
            graph.add_to_collection(_Keys.GLOBAL_VARIABLES, self.global_step)
        else:
            count_anew()
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
            # A slot, an average, a Keras layer's weight: they are made outside, and were
            # listed all the same.
            listed = [_Keys.GLOBAL_VARIABLES]
            if _is_trainable(kwargs):
                listed.append(_Keys.TRAINABLE_VARIABLES)
            self._list(variable, listed, self._traced)
            return variable
        self._know_its_rows(variable)
        graph = v1.get_default_graph()
        if replica == 0:
            _take_name(graph, _name_of(variable))
        graph.add_to_collection(_NEW, variable)
        listed = list(kwargs.get("collections") or [_Keys.GLOBAL_VARIABLES])
        if _is_trainable(kwargs) and _Keys.TRAINABLE_VARIABLES not in listed:
            listed.append(_Keys.TRAINABLE_VARIABLES)
        self._list(variable, listed, graph)
        if _Keys.GLOBAL_VARIABLES not in listed:
            # There it takes a metric's totals for variables of the model.
            listed_here = graph.get_collection_ref(_Keys.GLOBAL_VARIABLES)
            listed_here[:] = [v for v in listed_here if v is not variable]
        return variable

    @staticmethod
    def _list(variable, keys, graph):
        for key in keys:
            # In a graph that is evaluated TensorFlow has listed it already.
            if not any(variable is other for other in graph.get_collection(key)):
                graph.add_to_collection(key, variable)

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
            self._replicas.hold_part(_name_of(variable), rows.full_name)

        variable._set_save_slice_info = tell

    def _keep_alike(self, variable, kwargs):
        """Replicas may not give a variable values of their own.

        TF1 raised an error where nothing says how these become one; TensorFlow 2 has each
        replica go on with its own. Workers of a cluster shared a variable, which each of
        them may set alike: not one that is trained.
        """
        several = self._replicas.strategy.num_replicas_in_sync > 1
        how = kwargs.get("aggregation") or tf.VariableAggregation.NONE
        if not several or how != tf.VariableAggregation.NONE:
            return
        if getattr(self._replicas, "have_copies", False):
            return
        if self._replicas.count == 1 and not _is_trainable(kwargs):
            return
        if not hasattr(variable, "_update_replica"):
            return

        def refuse(*args, **kwargs):
            raise ValueError(
                f"{_name_of(variable)} is assigned to in every replica, and nothing says "
                "how the values become one: an optimizer's own apply_gradients has to call "
                "TensorFlow's, or the variable needs an aggregation"
            )

        variable._update_replica = refuse

    @contextlib.contextmanager
    def _scope_of_update(self):
        """The name scope of an update; it names what belongs to no variable of the model.

        Where replicas meet TensorFlow opens their variable scope once more, below itself
        ("train/train/beta1_power"), as it did in TF1 under a strategy of RunConfig's; and
        nowhere else.
        """
        with self._traced.as_default():
            last = v1.get_variable_scope().name.rpartition("/")[2]
        scope = tf.get_current_name_scope()
        twice = bool(last) and f"/{scope}".endswith(f"/{last}/{last}")
        if not twice or self._replicas.scopes_open_twice:
            yield
            return
        with tf.name_scope(scope[: -len(last)]):
            yield

    def _slot(self, next_creator, kwargs):
        """A slot; one of a part is known by the name that TF1 gave it in checkpoints.

        Its own name is that of the part, below the variable scope in which the optimizer
        was applied; TF1 took as many letters off it as the part's name has. So the
        checkpoints of ready-made Estimators have "dnn/logits/kernel/t_0/Adagrad".
        """
        with self._scope_of_update():
            variable = next_creator(**kwargs)
        name = _name_of(variable)
        for part in itertools.chain(*self._made.values()):
            told = getattr(part, "_get_save_slice_info", None)
            rows = told and told()
            scope, found, _ = f"/{name}".rpartition(f"/{_name_of(part)}/")
            if found and rows and variable.shape.rank == len(rows.full_shape):
                saved = f"{rows.full_name}/{name[len(_name_of(part)) + 1 :]}"
                holds_some = scope and rows.var_shape != rows.full_shape
                held = rows.spec if holds_some else None
                self._replicas.hold_part(name, saved, held)
        return variable

    def _new(self, next_creator, kwargs):
        # The traced function is not to hold it: it would be traced a second time.
        kwargs = {**kwargs, "experimental_enable_variable_lifting": False}
        if tf.executing_eagerly():
            return self._slot(next_creator, kwargs)
        # tf.Variable's names depend on the name scope; get_variable has reset it.
        graph_scope = v1.get_default_graph().get_name_scope()
        scopes = [graph_scope, kwargs.get("name") or "Variable"]
        scope, _, name = "/".join(s for s in scopes if s).rpartition("/")
        initial = _liftable(kwargs.get("initial_value"))
        recorded = len(self._replicas._recorded)
        with tf.init_scope(), tf.name_scope(scope + "/" if scope else ""):
            variable = tf.Variable(
                initial_value=initial,
                trainable=_is_trainable(kwargs),
                # Metrics call some by a scope, which ends in "/".
                name=self._own_name(scope, name or "Variable"),
                dtype=kwargs.get("dtype"),
                shape=kwargs.get("shape"),
                constraint=kwargs.get("constraint"),
                synchronization=kwargs.get("synchronization")
                or tf.VariableSynchronization.AUTO,
                aggregation=kwargs.get("aggregation") or tf.VariableAggregation.NONE,
                experimental_enable_variable_lifting=False,
            )
        self._keep_alike(variable, kwargs)
        if _Keys.GLOBAL_VARIABLES not in (
            kwargs.get("collections") or [_Keys.GLOBAL_VARIABLES]
        ):
            del self._replicas._recorded[recorded:]  # Metrics' totals are not saved.
        return variable

    def _own_name(self, scope, name):
        """A variable's last part, with a number where another has the name.

        In TF1 it was an operation: another is any operation or scope of the graph.
        """
        graph, own, number = v1.get_default_graph(), name, 0
        while (scope, own) in self._names or _has(graph, scope, own):
            number += 1
            own = f"{name}_{number}"
        self._names.add((scope, own))
        return own


def op_name(value):
    """What TF1 gave as `value.op.name`: a variable of TF2 has no operation."""
    return _name_of(value) if hasattr(value, "assign") else value.op.name


def _name_of(variable):
    """A variable's name, without the number of the output."""
    return variable.name.partition(":")[0]


def _has(graph, scope, name):
    """Whether something that a model_fn made, or opened, has a name in a graph."""
    whole = f"{scope}/{name}" if scope else name
    with graph.name_scope(None):
        if graph.unique_name(whole, mark_as_used=False) == whole:
            return False
    given = {tensor.op.name.lower() for tensor in getattr(graph, "inputs", ())}
    return whole.lower() not in given


def _take_name(graph, name):
    """What is called so next gets a number: TF1's variable was an operation there."""
    with graph.name_scope(None):
        graph.unique_name(name)


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


def assign_from_checkpoint_fn(
    model_path, var_list, ignore_missing_vars=False, reshape_variables=False
):
    """tf.contrib.framework's: what gives variables a checkpoint's values, when it is called.

    Args:
      model_path: a checkpoint.
      var_list: variables, or name in the checkpoint -> variable.
      ignore_missing_vars: leaves out what the checkpoint does not have.
      reshape_variables: gives values the variables' shapes.

    Returns:
      A function of a session; None where there is no variable left.

    Raises:
      ValueError: var_list is empty.
    """
    if not var_list:
        raise ValueError("var_list cannot be empty")
    variables = var_list
    if not isinstance(variables, dict):
        variables = {_name_of(variable): variable for variable in var_list}
    reader = tf.train.load_checkpoint(model_path)
    if ignore_missing_vars:
        missing = [name for name in variables if not reader.has_tensor(name)]
        for name in missing:
            _logging.warning("Variable %s missing in checkpoint %s", name, model_path)
        variables = {n: v for n, v in variables.items() if n not in missing}
    if not variables:
        _logging.warning("No Variables to restore")
        return None

    def assign(session):
        for name, variable in variables.items():
            value = reader.get_tensor(name)
            variable.assign(
                value.reshape(variable.shape) if reshape_variables else value
            )

    return assign


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

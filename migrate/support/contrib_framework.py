"""Functions of tf.contrib.framework: argument scopes, and lists of variables.

Written beside your program by tf1to2; it is yours to read and change. It needs
TensorFlow 2.15 or later.
"""

import collections
import contextlib
import functools
import re
import threading

import tensorflow as tf

v1 = tf.compat.v1
_Keys = v1.GraphKeys


# -- argument scopes ----------------------------------------------------------------


class _Scopes(threading.local):
    """The open scopes, innermost last: function's key -> arguments it is given.

    Replicas of one process build their graphs in threads that take turns.
    """

    def __init__(self):
        self.open = [{}]


_scopes = _Scopes()
_scoped = set()  # Keys of functions that take arguments from scopes.


def arg_scope_func_key(op):
    """What a scope knows a function by."""
    return getattr(op, "_key_op", str(op))


def has_arg_scope(func):
    """Whether a function takes arguments from scopes."""
    return arg_scope_func_key(func) in _scoped


def current_arg_scope():
    """The innermost scope, as `arg_scope` takes it: key -> arguments."""
    return _scopes.open[-1]


def add_arg_scope(func):
    """Decorates a function that takes arguments from scopes, below those it is given."""
    key = f"{func.__module__}.{func.__name__}"

    @functools.wraps(func)
    def scoped(*args, **kwargs):
        given = current_arg_scope().get(key)
        if given:
            kwargs = {**given, **kwargs}
        return func(*args, **kwargs)

    scoped._key_op = key
    _scoped.add(key)
    return scoped


@contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """Inside, the functions of a list are given these arguments, over outer scopes'.

    Args:
      list_ops_or_scope: functions; or a scope, as another `arg_scope` gave it, which
        takes the place of what is open.

    Raises:
      ValueError: a scope with arguments, or a function that takes none from scopes.
      TypeError: neither a list nor a scope.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(
                "When attempting to re-use a scope by suppling a dictionary, kwargs "
                "must be empty."
            )
        scope = dict(list_ops_or_scope)
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError(
                "list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)"
            )
        scope = dict(current_arg_scope())
        for function in list_ops_or_scope:
            if not has_arg_scope(function):
                raise ValueError(f"{function} is not decorated with @add_arg_scope")
            key = arg_scope_func_key(function)
            scope[key] = {**scope.get(key, {}), **kwargs}
    _scopes.open.append(scope)
    try:
        yield scope
    finally:
        _scopes.open.pop()


# -- variables ----------------------------------------------------------------------


def _name(variable):
    return variable.name.partition(":")[0]


@add_arg_scope
def variable(
    name,
    shape=None,
    dtype=None,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
    caching_device=None,
    device=None,
    partitioner=None,
    custom_getter=None,
    use_resource=None,
    synchronization=tf.VariableSynchronization.AUTO,
    aggregation=tf.VariableAggregation.NONE,
):
    """tf.get_variable, listed in `collections` as well; the strategy places it."""
    listed = list(collections) if collections is not None else [_Keys.GLOBAL_VARIABLES]
    getter = v1.get_variable
    if custom_getter is not None:
        getter = functools.partial(custom_getter, reuse=v1.get_variable_scope().reuse)
    return getter(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=list(dict.fromkeys(listed)),
        partitioner=partitioner,
        synchronization=synchronization,
        aggregation=aggregation,
    )


@add_arg_scope
def model_variable(
    name,
    shape=None,
    dtype=tf.float32,
    initializer=None,
    regularizer=None,
    trainable=True,
    collections=None,
    caching_device=None,
    device=None,
    partitioner=None,
    custom_getter=None,
    use_resource=None,
    synchronization=tf.VariableSynchronization.AUTO,
    aggregation=tf.VariableAggregation.NONE,
):
    """A variable that is listed in MODEL_VARIABLES too."""
    return variable(
        name,
        shape=shape,
        dtype=dtype,
        initializer=initializer,
        regularizer=regularizer,
        trainable=trainable,
        collections=[
            *(collections or ()),
            _Keys.GLOBAL_VARIABLES,
            _Keys.MODEL_VARIABLES,
        ],
        partitioner=partitioner,
        custom_getter=custom_getter,
        synchronization=synchronization,
        aggregation=aggregation,
    )


def local_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A variable that no checkpoint has."""
    return _make_untrained(
        initial_value, _Keys.LOCAL_VARIABLES, validate_shape, name, use_resource
    )


def global_variable(initial_value, validate_shape=True, name=None, use_resource=None):
    """A variable that is saved, and not trained."""
    return _make_untrained(
        initial_value, _Keys.GLOBAL_VARIABLES, validate_shape, name, use_resource
    )


def _make_untrained(initial_value, key, validate_shape, name, use_resource):
    return v1.Variable(
        initial_value,
        trainable=False,
        collections=[key],
        validate_shape=validate_shape,
        name=name,
        use_resource=use_resource,
    )


def add_model_variable(var):
    """Lists a variable in MODEL_VARIABLES."""
    if not any(var is other for other in v1.get_collection(_Keys.MODEL_VARIABLES)):
        v1.add_to_collection(_Keys.MODEL_VARIABLES, var)


def get_variables(scope=None, suffix=None, collection=_Keys.GLOBAL_VARIABLES):
    """Variables of a collection, of a scope (a pattern), whose names end in `suffix`."""
    if isinstance(scope, v1.VariableScope):
        scope = scope.name
    if suffix is not None:
        end = suffix if ":" in suffix else f"{suffix}:"
        scope = f"{scope or ''}.*{end}"
    return v1.get_collection(collection, scope)


def get_model_variables(scope=None, suffix=None):
    """Variables that layers made."""
    return get_variables(scope, suffix, _Keys.MODEL_VARIABLES)


def get_local_variables(scope=None, suffix=None):
    """Variables that are not saved."""
    return get_variables(scope, suffix, _Keys.LOCAL_VARIABLES)


def get_trainable_variables(scope=None, suffix=None):
    """Variables that are trained."""
    return get_variables(scope, suffix, _Keys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix, scope=None):
    """Variables whose names end so."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name, scope=None):
    """Variables of this name in any scope."""
    return get_variables(scope=scope, suffix=f"/{given_name}:|^{given_name}:")


def get_unique_variable(var_op_name):
    """The one variable of this name, its scope's included.

    Raises:
      ValueError: there is none.
    """
    for found in get_variables():
        if _name(found) == var_op_name:
            return found
    raise ValueError(f"Variable {var_op_name} does not match any variable")


def get_variables_to_restore(include=None, exclude=None):
    """Variables of the scopes `include` (None: all), without those of `exclude`."""
    found = []
    for scope in [None] if include is None else include:
        found += get_variables(scope)
    left_out = [v for scope in exclude or () for v in get_variables(scope)]
    return [v for v in found if not any(v is other for other in left_out)]


def filter_variables(
    var_list, include_patterns=None, exclude_patterns=None, reg_search=True
):
    """Variables whose names fit one of some patterns, and none of some others."""
    fits = re.search if reg_search else re.match
    found = list(var_list)
    if include_patterns is not None:
        found = [v for v in found if any(fits(p, v.name) for p in include_patterns)]
    return [
        v for v in found if not any(fits(p, v.name) for p in exclude_patterns or ())
    ]


# -- metrics --------------------------------------------------------------------------


def aggregate_metrics(*value_update_tuples):
    """Values, and operations that update them, of metrics."""
    values, updates_ = zip(*value_update_tuples)
    return list(values), list(updates_)


def aggregate_metric_map(names_to_tuples):
    """The same by name."""
    values = {name: pair[0] for name, pair in names_to_tuples.items()}
    return values, {name: pair[1] for name, pair in names_to_tuples.items()}


# -- what layers give, by name --------------------------------------------------------

_ALIASES = "contrib_framework/aliases"


def collect_named_outputs(collections, alias, outputs):
    """Lists what a layer gives in collections, under a name."""
    if collections:
        append_tensor_alias(outputs, alias)
        v1.add_to_collections(collections, outputs)
    return outputs


def append_tensor_alias(tensor, alias):
    """Gives a tensor one more name."""
    v1.add_to_collection(_ALIASES, (tensor, alias.rstrip("/")))
    return tensor


def get_tensor_aliases(tensor):
    """The names that a tensor was given, or else its own."""
    known = v1.get_collection(_ALIASES)
    aliases = [alias for other, alias in known if other is tensor]
    return aliases or [tensor.name.removesuffix(":0")]


def gather_tensors_aliases(tensors):
    """The names of several tensors."""
    return [alias for tensor in tensors for alias in get_tensor_aliases(tensor)]


def convert_collection_to_dict(collection, clear_collection=False):
    """What a collection lists, by the names under which layers listed it."""
    found = collections.OrderedDict()
    for tensor in v1.get_collection(collection):
        for alias in get_tensor_aliases(tensor):
            found[alias] = tensor
    if clear_collection:
        v1.get_default_graph().clear_collection(collection)
    return found


# -- updates --------------------------------------------------------------------------

_UPDATES = "contrib_framework/updates"


def add_updates(names, update):
    """Lists what a function gives in collections; in a step function, once it is asked.

    A step function does all that it has, also what nobody fetches: TF1 moved averages
    only in runs of the operations in UPDATE_OPS.
    """
    graph = v1.get_default_graph()
    if graph.get_collection("graph_variables/deferred"):
        names = [names] if isinstance(names, str) else list(names)
        graph.add_to_collection(_UPDATES, (names, update))
        return
    for one in update():
        v1.add_to_collections(names, one)


def updates(name=_Keys.UPDATE_OPS):
    """A step function's updates of a collection, which it does from here on."""
    graph = v1.get_default_graph()
    found = list(graph.get_collection(name))
    for names, update in graph.get_collection(_UPDATES):
        if name in names:
            found += update()
    return found

"""Variables that TF1's functions make while a step function is traced.

Written beside your program by tf1to2, together with training_session; it is yours
to read and change. It needs TensorFlow 2.15 or later.

    with strategy.scope(), replicas.recording():
        graph_variables.keep(replicas)

        @replicas.step_function(tf.TensorSpec([None, 784], tf.float32))
        def train_step(images):
            logits = network(images)  # tf.compat.v1.get_variable, variable_scope

A TF1 graph was built once; a step function is one part of it, and each is traced by
itself. What a function makes through variable scopes is known by its name: the first
step function that asks for a name makes the variable, the others are given it.
"""

import contextlib

import tensorflow as tf

v1 = tf.compat.v1
_Keys = v1.GraphKeys
# Collections that a traced function shares with the graph outside: what get_variable and
# variable_scope know, and lists of variables. Every trace begins with empty ones.
_STORE = ("__variable_store",)
_SHARED = (
    _STORE,
    ("__varscope",),
    _Keys.GLOBAL_VARIABLES,
    _Keys.LOCAL_VARIABLES,
    _Keys.TRAINABLE_VARIABLES,
)
# In a traced function: updates are functions until they are asked for.
DEFERRED = "graph_variables/deferred"


def keep(replicas):
    """Has the step functions of `replicas` share variables by their names."""
    replicas.graph_code = _Variables(replicas).tracing


class _Variables:
    """The variables made so far, by name.

    Args:
      replicas: what has the program's other variables.
    """

    def __init__(self, replicas):
        self._replicas = replicas
        self._made = {}

    @contextlib.contextmanager
    def tracing(self):
        """One trace of a step function: a TF1 graph of its own, with these variables."""
        graph = v1.get_default_graph()
        for key in _SHARED:
            graph.clear_collection(key)
        graph.add_to_collection(DEFERRED, True)
        scope = v1.get_variable_scope()
        with graph._variable_creator_scope(self._create, priority=300):
            with v1.variable_scope(scope, custom_getter=self._get):
                yield

    def _get(self, getter, name, *args, **kwargs):
        """get_variable; what is shared may have been made in another step function."""
        stores = v1.get_collection(_STORE)
        here = bool(stores) and name in stores[0]._vars
        if kwargs.get("reuse") is True and not here:
            # Its penalty was collected where it was made.
            kwargs.update(reuse=False, regularizer=None)
        return getter(name, *args, **kwargs)

    def _create(self, next_creator, **kwargs):
        if tf.executing_eagerly():
            return next_creator(**kwargs)  # From below; or an optimizer's slot.
        name = kwargs["name"]
        if name not in self._made:
            own = self._replicas.global_variables
            if any(variable.name.partition(":")[0] == name for variable in own):
                raise ValueError(
                    f"A function asks for the variable {name}, which is made outside of "
                    "the step functions: give it to the function."
                )
            self._made[name] = self._new(kwargs)
        variable = self._made[name]
        listed = list(kwargs.get("collections") or [_Keys.GLOBAL_VARIABLES])
        if _is_trainable(kwargs) and _Keys.TRAINABLE_VARIABLES not in listed:
            listed.append(_Keys.TRAINABLE_VARIABLES)
        graph = v1.get_default_graph()
        for key in listed:
            if not any(variable is other for other in graph.get_collection(key)):
                graph.add_to_collection(key, variable)
        return variable

    def _new(self, kwargs):
        """A variable outside of the function that is traced."""
        scope, _, name = kwargs["name"].rpartition("/")
        with tf.init_scope(), tf.name_scope(scope + "/" if scope else ""):
            return tf.Variable(
                initial_value=_bring_outside(kwargs.get("initial_value")),
                trainable=_is_trainable(kwargs),
                name=name,
                dtype=kwargs.get("dtype"),
                shape=kwargs.get("shape"),
                constraint=kwargs.get("constraint"),
                synchronization=kwargs.get("synchronization")
                or tf.VariableSynchronization.AUTO,
                aggregation=kwargs.get("aggregation") or tf.VariableAggregation.NONE,
                experimental_enable_variable_lifting=False,
            )


def _bring_outside(value):
    """An initial value that the traced function computes, computed outside of it.

    Raises:
      ValueError: it depends on what the function is given.
    """
    if not tf.is_tensor(value) or hasattr(value, "numpy"):
        return value
    part, todo, seen = v1.GraphDef(), [value.op], set()
    part.library.CopyFrom(value.graph.as_graph_def().library)
    while todo:
        operation = todo.pop()
        if operation.type.startswith("Placeholder"):
            raise ValueError(
                f"The initial value {value.name} depends on what the step is given. A "
                "variable is made before the first step."
            )
        if operation.name not in seen:
            seen.add(operation.name)
            part.node.append(operation.node_def)
            todo += [tensor.op for tensor in operation.inputs]
            todo += operation.control_inputs
    compute = v1.wrap_function(
        lambda: tf.import_graph_def(part, return_elements=[value.name]), []
    )
    return compute()[0]


def _is_trainable(kwargs):
    trainable = kwargs.get("trainable")
    return True if trainable is None else trainable

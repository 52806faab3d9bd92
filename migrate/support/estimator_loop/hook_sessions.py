"""What hooks see of a session, and what they find in its graph by a name."""

import functools

import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
_Keys = v1.GraphKeys


def named(graph, name, **kinds):
    """The variable, tensor or operation of a name in a graph that was traced.

    What is no name is given to the graph as it is. A variable of TF1 was an operation; here it is none, and is found in its lists.

    Raises:
      KeyError: the graph has nothing of that name.
    """
    find = functools.partial(type(graph).as_graph_element, graph)
    if not isinstance(name, str):
        return find(name, **kinds)
    whole = name if ":" in name else f"{name}:0"
    for key in (_Keys.GLOBAL_STEP, _Keys.GLOBAL_VARIABLES, _Keys.LOCAL_VARIABLES):
        for variable in graph.get_collection(key):
            if variable.name == whole:
                return variable
    return find(name, **kinds)


def named_tensor(graph, name):
    """As `named`, where an operation's name means the first that it gives."""
    return named(graph, name if ":" in name else f"{name}:0")


def finds_variables(graph):
    """Lets a graph find variables by their names."""
    for name, find in finders(graph).items():
        setattr(graph, name, find)


def finders(graph):
    """The methods by which a graph is asked for what has a name, of one that was traced."""
    return {
        "as_graph_element": functools.partial(named, graph),
        "get_operation_by_name": graph.get_operation_by_name,
        "get_tensor_by_name": functools.partial(
            named, graph, allow_tensor=True, allow_operation=False
        ),
    }


class HookSession:
    """What a hook of the program sees of its session: it reads variables, and stops.

    Everything else is the training session's own.

    Args:
      graph: what the hook finds its tensors in.
    """

    def __init__(self, session, graph=None):
        self._session, self.graph = session, graph

    def __getattr__(self, name):
        return getattr(self._session, name)

    def run(self, fetches):
        """Present values of variables, or of those with names, in their lists and dicts.

        Raises:
          TypeError: something is no variable; only a step could compute it.
        """

        def value(item):
            if _does_nothing(item):
                return None
            if isinstance(item, str) and self.graph is not None:
                item = named(self.graph, item)
            if not isinstance(item, tf.Variable):
                raise TypeError(
                    f"a hook runs {item} in its session: give it to SessionRunArgs in "
                    "before_run, and take its value in after_run"
                )
            return item.numpy()

        return tf.nest.map_structure(value, fetches)

    def load(self, variable, value):
        """Gives a variable a value, which the next step finds."""
        variable.assign(value)


class NoSessionYet:
    """What a hook sees that is asked what it wants of a step, while that is traced."""

    def __init__(self, graph):
        self.graph = graph

    def run(self, fetches):
        """Zeros for variables: they have no values in a trace."""

        def value(item):
            if isinstance(item, str):
                item = named(self.graph, item)
            if isinstance(item, tf.Variable):
                return np.zeros(item.shape, item.dtype.as_numpy_dtype)[()]
            return None

        return tf.nest.map_structure(value, fetches)

    def load(self, variable, value):
        """Nothing: the step is not to do it every time."""


def _does_nothing(item):
    """Whether an operation has no effect, as the initialiser of an input_fn's iterator."""
    return (
        isinstance(item, tf.Operation)
        and item.type == "NoOp"
        and all(_does_nothing(before) for before in item.control_inputs)
    )

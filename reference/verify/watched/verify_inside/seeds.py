"""Draws that are the same in every run, also of a program that asks for no seed."""

import random

import numpy as np


def seed_python(seed):
    """Seeds Python's and NumPy's generators, those made without a seed too.

    Returns:
      A function that names those of the two that the program has drawn from and never
      seeded itself.
    """
    random.seed(seed)
    np.random.seed(seed)
    own = {"python": False, "numpy": False}  # What the program has seeded itself.
    begun = random.getstate(), np.random.get_state()
    seed_numpy, state = np.random.seed, np.random.RandomState

    def numpy_seed(given=None, *args, **kwargs):
        own["numpy"] = own["numpy"] or given is not None
        return seed_numpy(seed if given is None else given, *args, **kwargs)

    class Seeded(state):
        def __init__(self, given=None, *args, **kwargs):
            state.__init__(self, seed if given is None else given, *args, **kwargs)

        def seed(self, given=None, *args, **kwargs):
            return state.seed(self, seed if given is None else given, *args, **kwargs)

    Seeded.__name__ = "RandomState"
    np.random.seed = numpy_seed
    np.random.RandomState = Seeded
    if hasattr(np.random, "default_rng"):
        make = np.random.default_rng
        np.random.default_rng = lambda given=None: make(
            seed if given is None else given
        )
    seed_random, generator = random.seed, random.Random

    def python_seed(given=None, *args, **kwargs):
        own["python"] = own["python"] or given is not None
        return seed_random(seed if given is None else given, *args, **kwargs)

    class SeededRandom(generator):
        def __init__(self, given=None):
            generator.__init__(self, seed if given is None else given)

    SeededRandom.__name__ = "Random"
    random.seed, random.Random = python_seed, SeededRandom

    def unseeded():
        found = []
        if not own["python"] and random.getstate() != begun[0]:
            found.append("Python")
        now, then = np.random.get_state(), begun[1]
        if not own["numpy"] and (now[2:] != then[2:] or (now[1] != then[1]).any()):
            found.append("NumPy")
        return found

    return unseeded


def seed_tensorflow(seed, told):
    """Gives operations without a seed of their own one and the same.

    A graph's seed makes each operation's of its number in the graph, which is another
    in a traced function. An operation's own seed draws the same numbers in both
    TensorFlows.

    Args:
      told: gets `unseeded`, how many operations were given it.
    """
    import tensorflow as tf
    from tensorflow.python.framework import random_seed

    public = random_seed.get_seed

    def get_seed(op_seed):
        if op_seed is None:
            told["unseeded"] = told.get("unseeded", 0) + 1
            return seed, seed
        return public(op_seed)

    random_seed.get_seed = get_seed
    # Programs, and what reads their data, ask by its public names.
    for module in (tf, tf.random, tf.compat.v1, tf.compat.v1.random):
        if getattr(module, "get_seed", None) is public:
            module.get_seed = get_seed


# TensorFlow's drawing operations, and those that draw the numbers of a given seed.
_BY_SEED = {
    "random_standard_normal": "stateless_random_normal",
    "random_uniform": "stateless_random_uniform",
    "truncated_normal": "stateless_truncated_normal",
}


def draw_by_step(seed, made):
    """Has draws with the common seed depend on the number of the step: dropout's, noise.

    A graph of TensorFlow 1 has one dropout for the runs that train and those that only
    look, so each of these has the next mask. Migrated, both have operations of their own.
    A mask of the step's number is the same in both. Only for a program of one process:
    the number is asked for by a Python function. What datasets draw in their own threads
    stays as it is.

    Args:
      made: gives how many steps that train were made.
    """
    import tensorflow as tf
    from tensorflow.python.framework import ops
    from tensorflow.python.ops import gen_random_ops, gen_stateless_random_ops

    def find_seed():
        def number():
            return np.array([seed, made()], np.int64)

        if hasattr(tf, "py_func"):
            found = tf.py_func(number, [], tf.int64, stateful=True)
        else:
            found = tf.numpy_function(number, [], tf.int64, stateful=True)
        found.set_shape([2])
        return found

    common = (seed, seed)

    def replace(draw, draw_by_seed):
        def drawn(shape, dtype, seed=0, seed2=0, name=None):
            if (seed, seed2) != common or _is_of_dataset(ops):
                return draw(shape, dtype, seed=seed, seed2=seed2, name=name)
            return draw_by_seed(shape, find_seed(), dtype=dtype, name=name)

        return drawn

    for name, by_seed in _BY_SEED.items():
        new = getattr(gen_stateless_random_ops, by_seed)
        setattr(gen_random_ops, name, replace(getattr(gen_random_ops, name), new))


def _is_of_dataset(ops):
    """Whether the graph that is built now is a function of a dataset."""
    graph = ops.get_default_graph()
    while graph is not None:
        if "Dataset" in (getattr(graph, "name", None) or ""):
            return True
        graph = getattr(graph, "outer_graph", None) or getattr(
            graph, "_outer_graph", None
        )
    return False

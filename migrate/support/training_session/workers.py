"""What each of TF1's worker processes had for itself, where one process runs their loops."""

import operator
import random

import numpy as np

from .replicas import this_thread

every_object = []  # Every PerWorker, in the order of making.


def of_this_worker(function, **more):
    """`function` for a thread of its own, in which it is this worker's all the same.

    Args:
      function: what the thread calls.
      **more: what else `this_thread` says there.
    """
    _owns()
    task = {**vars(this_thread), **more}

    def called(*args, **kwargs):
        vars(this_thread).update(task)
        return function(*args, **kwargs)

    return called


def _owns():
    """What another worker has made for itself, by whose it is; its threads share it."""
    return vars(this_thread).setdefault("owns", {})


def per_worker(factory):
    """An object that every TF1 worker, a process, had for itself.

    Worker 0 and the code outside of loops have the first, made now. Every other
    worker makes its own when its loop starts.

    Args:
      factory: makes it.

    Returns:
      What stands for the object: in each worker's thread, that worker's.
    """
    return PerWorker(factory)


class PerWorker:
    """Passes everything on to the object of the worker whose thread this is."""

    __slots__ = ("_factory", "_first")

    def __init__(self, factory):
        object.__setattr__(self, "_factory", factory)
        object.__setattr__(self, "_first", factory())
        every_object.append(self)

    def __getattr__(self, name):
        return getattr(own_of(self), name)

    def __setattr__(self, name, value):
        setattr(own_of(self), name, value)

    def __delattr__(self, name):
        delattr(own_of(self), name)

    def __array__(self, dtype=None, copy=None):
        array = np.asarray(own_of(self), dtype)
        return array.copy() if copy else array


def own_of(value):
    """The object itself, where `value` stands for one; else `value`."""
    if type(value) is not PerWorker:
        return value
    if not getattr(this_thread, "other", False):
        return object.__getattribute__(value, "_first")
    owns = _owns()
    if id(value) not in owns:
        owns[id(value)] = object.__getattribute__(value, "_factory")()
    return owns[id(value)]


def _passed_on(name):
    """Python looks operators up in the class, so each needs a method there."""

    def method(self, *args):
        own = own_of(self)
        args = [own_of(a) for a in args]
        if name.startswith("i") and hasattr(operator, name) and len(args) == 1:
            result = getattr(operator, name)(own, args[0])
            return self if result is own else result
        function = getattr(type(own), f"__{name}__", None)
        return NotImplemented if function is None else function(own, *args)

    method.__name__ = f"__{name}__"
    return method


for _name_of_method in (
    *("call", "iter", "next", "len", "getitem", "setitem", "delitem", "contains"),
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or"),
    *("radd", "rsub", "rmul", "rtruediv", "rfloordiv", "rmod", "rpow", "rmatmul"),
    *("iadd", "isub", "imul", "itruediv", "ifloordiv", "neg", "pos", "abs", "invert"),
    *("eq", "ne", "lt", "le", "gt", "ge", "str", "repr", "enter", "exit", "reversed"),
):
    setattr(PerWorker, f"__{_name_of_method}__", _passed_on(_name_of_method))


PerWorker.__bool__ = lambda self: bool(own_of(self))
PerWorker.__float__ = lambda self: float(own_of(self))
PerWorker.__int__ = lambda self: int(own_of(self))
PerWorker.__index__ = lambda self: operator.index(own_of(self))
PerWorker.__hash__ = lambda self: hash(own_of(self))


def _given_own(method):
    """`method`, which is given the objects themselves."""
    return lambda *args, **kwargs: method(*map(own_of, args), **kwargs)


class _Generator:
    """A module's random generator: in another worker's thread, one of that worker's.

    With a seed, the generators of all workers begin alike, as those of TF1's processes.

    Args:
      module: `numpy.random` or `random`, the generator of worker 0.
      make: makes a generator.
      get, set: names of its methods that take and give the state.
      aliases: functions that only the module has: name -> the generator's method.
    """

    def __init__(self, module, make, get, set, aliases=()):
        self._module, self._make, self._get, self._set = module, make, get, set
        self._aliases = dict(aliases)
        self._seeded = False
        self._start = None

    def _generator(self):
        if not getattr(this_thread, "other", False):
            return self._module
        owns = _owns()
        if id(self) not in owns:
            owns[id(self)] = self._make()
            if self._start is not None:
                getattr(owns[id(self)], self._set)(self._start)
        return owns[id(self)]

    def start(self):
        """The loops of the workers begin: what was seeded goes on alike in each."""
        self._start = getattr(self._module, self._get)() if self._seeded else None

    def seed(self, *args, **kwargs):
        if not getattr(this_thread, "other", False):
            given = [*args, *kwargs.values()]
            self._seeded = bool(given) and given[0] is not None
        return self._generator().seed(*args, **kwargs)

    def __getattr__(self, name):
        generator = self._generator()
        if generator is not self._module:
            name = self._aliases.get(name, name)
        found = getattr(generator, name)
        # Only for PerWorker.
        if callable(found):
            found = _given_own(found)
        return found


numpy_random = _Generator(
    np.random,
    np.random.RandomState,
    "get_state",
    "set_state",
    {"ranf": "random_sample", "sample": "random_sample"},
)
python_random = _Generator(random, random.Random, "getstate", "setstate")

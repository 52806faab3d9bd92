"""Which arguments a callable takes: `fn_args` of TensorFlow 1's Estimators.

Written beside your program by tf1to2; it is yours to read and change.
"""

import functools
import inspect


def fn_args(fn):
    """Names of the arguments that can be given by place, in their order.

    A class has `self` among them, a bound method not. What a partial function has
    already is left out.
    """
    if isinstance(fn, functools.partial):
        open_arguments = fn_args(fn.func)[len(fn.args) :]
        return tuple(name for name in open_arguments if name not in fn.keywords)
    if inspect.ismethod(getattr(fn, "__call__", None)):  # noqa: B004 - not any callable
        fn = fn.__call__
    names = inspect.getfullargspec(fn).args
    return tuple(names[1:] if inspect.ismethod(fn) else names)

"""The same layer several times."""

import tensorflow as tf

v1 = tf.compat.v1


def _scope_of(layer, default):
    return getattr(getattr(layer, "func", layer), "__name__", default)


def stack(inputs, layer, stack_args, **kwargs):
    """A layer applied again and again: `layer(..., *args)` for each of `stack_args`."""
    scope = kwargs.pop("scope", None)
    with v1.variable_scope(scope, "Stack", [inputs]):
        name = scope or _scope_of(layer, "stack")
        for i, args in enumerate(stack_args, 1):
            args = args if isinstance(args, (list, tuple)) else [args]
            inputs = layer(inputs, *args, **{**kwargs, "scope": f"{name}_{i}"})
        return inputs


def repeat(inputs, repetitions, layer, *args, **kwargs):
    """A layer applied so many times, with the same arguments."""
    scope = kwargs.pop("scope", None)
    with v1.variable_scope(scope, "Repeat", [inputs]):
        name = scope or _scope_of(layer, "repeat")
        for i in range(1, repetitions + 1):
            inputs = layer(inputs, *args, **{**kwargs, "scope": f"{name}_{i}"})
        return inputs
